import type { FastifyRequest } from 'fastify'
import { bearerToken, cookieOf, tokenMissing } from '#foundation/security/identity.ts'
import type { SessionGate } from '#foundation/security/session-gate.ts'

/**
 * Identifies the caller by the Bearer token, else by the cookie `access_token`. Any Authorization header rules the
 * cookie out: otherwise a made-up header would skip the CSRF check while the cookie signs in
 * (docs/choices-learning.md).
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
