import type { FastifyRequest } from 'fastify'
import type { Database } from '#foundation/database.ts'
import { ApiError, unauthorized } from '#foundation/errors.ts'
import { bearerToken, WWW_AUTHENTICATE } from '#foundation/identity.ts'
import type { SessionGate } from '#foundation/session-gate.ts'
import { TOKEN_PREFIX, type Visitor, visitorOfToken } from './account/account.ts'

declare module 'fastify' {
  interface FastifyRequest {
    visitor: Visitor | undefined
  }
}

/** Two kinds of Bearer token: ours, and an access token of the sso. Cookies and query parameters are never read. */
export function createIdentify(db: Database, gate: SessionGate) {
  return async (request: FastifyRequest): Promise<void> => {
    try {
      const token = bearerToken(request)
      if (token === undefined) throw unauthorized('not_authenticated', 'This needs a token', WWW_AUTHENTICATE)
      request.visitor = token.startsWith(TOKEN_PREFIX)
        ? await visitorOfToken(db, gate, token)
        : (request.caller = await gate.verifyAccessToken(token))
    } catch (error) {
      // The sso calls a token it cannot read invalid; here that is one with a missing one (docs/choices.md).
      if (error instanceof ApiError && error.code === 'token_invalid')
        throw unauthorized('not_authenticated', error.detail, WWW_AUTHENTICATE)
      throw error
    }
  }
}

/** The person of a route with auth `user`. */
export function visitorOf({ visitor }: FastifyRequest): Visitor {
  if (!visitor) throw new Error('the route does not demand a visitor')
  return visitor
}
