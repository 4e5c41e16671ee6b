import {
  type Claims,
  tokenInvalid,
  tokenRevoked,
  type VerifiedToken,
} from '#foundation/security/access-tokens.ts'
import { clock } from '#foundation/clock.ts'
import { isUuid } from '#foundation/ids.ts'
import { CLIENT_ROLE, isClient } from '#foundation/security/powers.ts'
import { withinScope } from '#foundation/security/scope.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Caller, SessionGate } from '#foundation/security/session-gate.ts'
import { HS_OVERLAP, type HsTurn, type Tokens } from './tokens.ts'

export type Gate = SessionGate & {
  /** The caller of a live session. */
  findSession(session_id: string): Promise<Caller | undefined>
}

type LiveSession = { caller: Caller; turn: HsTurn }

/**
 * Step 4 of token verification: reads session, session_version, account, membership and site at every request
 * (docs/decisions/sessions-read-each-time.md).
 */
export function createGate(
  { database: { fast } }: Pick<ServiceParts, 'database'>,
  tokens: Pick<Tokens, 'verify'>,
): Gate {
  async function findLive(session_id: string): Promise<LiveSession | undefined> {
    const [row] = await fast<(Caller & HsTurn & { expires_at: string })[]>`
      select u.user_id, s.session_id, u.session_version, u.email, u.locale, t.site_id, t.site_code,
             t.tenant_id, t.environment, t.is_first_party, m.role, r.permissions, t.hs_generation, t.hs_rotated_at, s.expires_at,
             case when not t.is_first_party then s.openid_scope end as scope
        from sso.sessions s
        join sso.users u on u.user_id = s.user_id
        join sso.sites t on t.site_id = s.site_id
        join sso.memberships m on m.user_id = s.user_id and m.site_id = s.site_id
        join sso.roles r on r.site_id = m.site_id and r.role = m.role
       where s.session_id = ${session_id} and s.revoked_at is null and u.status = 'active'
         and m.suspended_at is null and t.deleted_at is null and t.status = 'active'`
    if (!row) return findClient(session_id)
    const { hs_generation, hs_rotated_at, expires_at, ...caller } = row
    return Date.parse(expires_at) > clock.now()
      ? { caller: withinScope(caller, caller.scope), turn: { hs_generation, hs_rotated_at } }
      : undefined
  }

  /**
   * The client that a machine client's tokens are bound to; valid as long as the client and its scopes stay the same.
   */
  async function findClient(client_session: string): Promise<LiveSession | undefined> {
    const [row] = await fast<(Caller & HsTurn)[]>`
      select i.site_id as user_id, c.client_session as session_id, 1 as session_version, '' as email, null as locale, i.site_id,
             i.site_code, i.tenant_id, i.environment, i.is_first_party, ${CLIENT_ROLE} as role, c.scopes as permissions,
             i.hs_generation, i.hs_rotated_at, null as scope
        from sso.openid_clients c join sso.sites i using (site_id)
       where c.client_session = ${client_session} and i.deleted_at is null and i.status = 'active'`
    if (!row) return undefined
    const { hs_generation, hs_rotated_at, ...caller } = row
    return { caller, turn: { hs_generation, hs_rotated_at } }
  }

  async function findSession(session_id: string): Promise<Caller | undefined> {
    return isUuid(session_id) ? (await findLive(session_id))?.caller : undefined
  }

  return {
    async verifyAccessToken(token) {
      const verified = await tokens.verify(token)
      if (!isUuid(verified.claims.sid)) throw tokenInvalid('sid')
      return admit(verified, await findLive(verified.claims.sid))
    },
    findSession,
    async sessionState(session_id) {
      const caller = await findSession(session_id)
      if (!caller) return { active: false, session_version: 0, user_id: '', tenant_id: '', role: '' }
      const { session_version, user_id, tenant_id, role } = caller
      return { active: true, session_version, user_id, tenant_id, role }
    },
  }
}

/** Role and permissions come from the current session, not from the token. */
function admit({ claims, key }: VerifiedToken, session: LiveSession | undefined): Caller {
  if (!session) throw tokenRevoked()
  const { caller, turn } = session
  if (
    claims.sv !== caller.session_version ||
    claims.sub !== caller.user_id ||
    claims.site_code !== caller.site_code ||
    claims.tenant_id !== caller.tenant_id ||
    claims.env !== caller.environment ||
    (key.alg === 'HS256' && !isOfThisSite(key.generation, turn))
  )
    throw tokenRevoked()
  return isClient(caller) ? withScopesOf(claims, caller) : caller
}

/**
 * A machine client's token holds the scopes it asked for. The client still has them; otherwise the token would be
 * revoked.
 */
const withScopesOf = ({ permissions }: Claims, caller: Caller): Caller => ({
  ...caller,
  permissions: caller.permissions.filter((one) => permissions.includes(one)),
})

const isOfThisSite = (generation: number, { hs_generation, hs_rotated_at }: HsTurn) =>
  generation === hs_generation ||
  (generation === hs_generation - 1 &&
    hs_rotated_at !== null &&
    clock.now() < Date.parse(hs_rotated_at) + HS_OVERLAP * 60_000)
