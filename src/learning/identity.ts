import type { FastifyRequest } from 'fastify'
import { bearerToken, cookieOf, tokenMissing } from '#foundation/security/identity.ts'
import type { SessionGate } from '#foundation/security/session-gate.ts'

/**
 * Who calls: the Bearer token, else the cookie `access_token`. Where an Authorization header is present in any form
 * the cookie is never read, or a made-up header would skip the CSRF check while the cookie signs in (docs/choices-learning.md).
 */
export const identifyBy =
  (gate: SessionGate) =>
  async (request: FastifyRequest): Promise<void> => {
    const bearer = bearerToken(request)
    const token = bearer ?? cookieOf(request, 'access_token')
    if (!token) throw tokenMissing()
    request.caller = await gate.verifyAccessToken(token)
    request.usesCookie = bearer === undefined
  }
