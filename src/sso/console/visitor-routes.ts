import type { FastifyRequest } from 'fastify'
import { type Limiter, refuseOver } from '#foundation/rate-limit/limiter.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator } from '../core/access/access.ts'
import { visitsOf } from '../core/pages/requests.ts'
import { type Answer, withQuery } from '../core/pages/visit.ts'
import type { SsoParts } from '../core/parts.ts'
import { visitorOf } from '../sign-in/account/visitor.ts'

/** Somebody signed in at the console. The token reaches the sites they are ADMIN of, or all for an operator. */
type Admitted = { caller: Caller; is_operator: boolean; token: string }
export type Admit = (request: FastifyRequest) => Promise<Admitted | { answer: Answer }>

/** Finds the visitor of a page, or the answer that leads to the sign-in at the console and back. Pages count like calls. */
export function createAdmit(parts: SsoParts, limiter: Limiter): Admit {
  const visitOf = visitsOf(parts)
  const limit = parts.config.SSO_RATE_LIMIT_SITE
  return async (request) => {
    const visit = visitOf(request)
    const caller = await visitorOf(parts, visit)
    if (caller?.site_code !== 'console') {
      const return_to = `${visit.address}${request.method === 'GET' ? request.url : '/console'}`
      return { answer: { location: withQuery('/sign-in', { site_code: 'console', return_to }) } }
    }
    refuseOver(await limiter.hit([{ name: 'user', key: caller.user_id, limit }]))
    return { caller, is_operator: isOperator(caller), token: visit.kept('access') ?? '' }
  }
}
