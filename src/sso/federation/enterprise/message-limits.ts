import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#foundation/errors.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import { type Limiter, rateLimitHeaders, refuseOver, type Verdict } from '#foundation/rate-limit/limiter.ts'
import type { Answer } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'

/**
 * SAML messages per minute and address: enough for a school behind one address, but no flood, since each costs work to
 * read.
 */
const MAX_MESSAGES = 300
/**
 * The same for messages that prove nothing: one thread reads for everybody, and a forged message can be the most
 * expensive.
 */
const MAX_FORGED = 30

/** Runs `read` within the limits of the client's address. 429. */
export function countMessages({ config }: SsoParts, limiter: Limiter) {
  const count = (verdict: Verdict, reply: FastifyReply) => {
    reply.headers(rateLimitHeaders(verdict))
    refuseOver(verdict)
  }
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Promise<Answer>,
  ): Promise<Answer> => {
    if (config.SSO_RATE_LIMIT_AUTH <= 0) return read()
    const key = limitKey(request.ip)
    const forged = { name: 'saml_forged', key, limit: MAX_FORGED }
    count(await limiter.hit([{ name: 'saml', key, limit: MAX_MESSAGES }]), reply)
    count(await limiter.peek([forged]), reply)
    try {
      return await read()
    } catch (error) {
      if (error instanceof ApiError && (error.status === 400 || error.status === 401))
        await limiter.hit([forged])
      throw error
    }
  }
}
