import type { FastifyRequest } from 'fastify'
import type { Database } from '#foundation/database/database.ts'
import { ApiError, unauthorized } from '#foundation/errors.ts'
import { bearerToken, WWW_AUTHENTICATE } from '#foundation/security/identity.ts'
import { isSiteAdmin } from '#foundation/security/powers.ts'
import type { Caller, SessionGate } from '#foundation/security/session-gate.ts'
import type { Actor } from './access.ts'
import { TOKEN_PREFIX, type Visitor, visitorOfToken } from './visitor.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Writes an audit log line; never pass names, texts or addresses. */
    noteAct: (act: string, facts: Record<string, unknown>) => void
  }
  interface FastifyRequest {
    visitor: Visitor | undefined
  }
}

/**
 * Accepts two kinds of Bearer token: our opaque ones and sso access tokens. Never reads cookies or query parameters.
 */
export function createIdentify(db: Database, gate: SessionGate, allowedSites: readonly string[]) {
  return async (request: FastifyRequest): Promise<void> => {
    try {
      const token = bearerToken(request)
      if (token === undefined) throw unauthorized('not_authenticated', 'This needs a token', WWW_AUTHENTICATE)
      request.visitor = token.startsWith(TOKEN_PREFIX)
        ? await visitorOfToken(db, gate, token)
        : visitorOfCaller((request.caller = atAllowedSite(allowedSites, await gate.verifyAccessToken(token))))
    } catch (error) {
      // The sso reports an unreadable token as invalid; here it counts as missing (docs/collections.md).
      if (error instanceof ApiError && error.code === 'token_invalid')
        throw unauthorized('not_authenticated', error.detail, WWW_AUTHENTICATE)
      throw error
    }
  }
}

/** COLLECTIONS_ALLOWED_SITES: a token of another site counts as missing. */
function atAllowedSite(sites: readonly string[], caller: Caller): Caller {
  if (sites.length > 0 && !sites.includes(caller.site_code))
    throw unauthorized('not_authenticated', 'Tokens of this site are not accepted here', WWW_AUTHENTICATE)
  return caller
}

const visitorOfCaller = (caller: Caller): Visitor => {
  const { user_id, tenant_id, session_id, scope } = caller
  return { user_id, tenant_id, session_id, is_site_admin: isSiteAdmin(caller), scope }
}

/** The user of a route with auth `user`. */
export function visitorOf({ visitor }: FastifyRequest): Visitor {
  if (!visitor) throw new Error('the route does not demand a visitor')
  return visitor
}

/** The visitor as an actor on collections, with the request id for the log. */
export function actorOf(request: FastifyRequest): Actor {
  const { user_id, tenant_id, is_site_admin, scope } = visitorOf(request)
  const { id: request_id, server } = request
  return {
    user_id,
    tenant_id,
    is_site_admin,
    scope,
    request_id,
    note: (act, facts) => server.noteAct(act, { request_id, actor: user_id, tenant_id, ...facts }),
  }
}
