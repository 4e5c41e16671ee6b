import { type Claims, tokenInvalid, tokenRevoked, type VerifiedToken } from '#foundation/access-tokens.ts'
import { clock } from '#foundation/clock.ts'
import { createExactCache } from '#foundation/exact-cache.ts'
import { isUuid } from '#foundation/ids.ts'
import { CLIENT_ROLE, isClient } from '#foundation/powers.ts'
import type { ServiceParts } from '#foundation/service.ts'
import type { Caller, SessionGate } from '#foundation/session-gate.ts'
import { HS_OVERLAP, type HsTurn, type Tokens } from './tokens.ts'

export type Gate = SessionGate & {
  /** Who a session belongs to, if it lives. */
  findSession(session_id: string): Promise<Caller | undefined>
  /** After COMMIT, in a `finally`, and before the reply: whenever a session, account, membership or role changed. */
  forgetUser(user_id: string): void
  /** The same for a change that touches many people: a site, its roles. */
  forgetSite(site_id: string): void
  /** The same for everybody. */
  clear(): void
}

/** One caller is handed to many requests, hence frozen. */
type LiveSession = {
  caller: Readonly<Caller>
  hs_generation: number
  /** Until then the generation before is good as well. */
  hs_before_ms: number
  expires_ms: number
}

const MAX_SESSIONS = 50_000

/**
 * Step 4 of the verification: on every request session, session_version, account, membership and site as they
 * are now. In memory only while this process is the sole writer; otherwise one point read.
 */
export function createGate(
  { database, isSoleWriter }: Pick<ServiceParts, 'database' | 'isSoleWriter'>,
  tokens: Pick<Tokens, 'verify'>,
): Gate {
  const sessions = createExactCache<string, LiveSession>({
    load,
    isExact: isSoleWriter,
    max: MAX_SESSIONS,
    groupOf: ({ caller }) => caller.user_id,
  })

  async function load(session_id: string): Promise<LiveSession | undefined> {
    const [row] = await database.fast<(Caller & HsTurn & { expires_at: string })[]>`
      select u.user_id, s.session_id, u.session_version, u.email, t.site_id, t.site_code, t.tenant_id,
             t.environment, t.is_first_party, m.role, r.permissions, t.hs_generation, t.hs_rotated_at, s.expires_at
        from sso.sessions s
        join sso.users u on u.user_id = s.user_id
        join sso.sites t on t.site_id = s.site_id
        join sso.memberships m on m.user_id = s.user_id and m.site_id = s.site_id
        join sso.roles r on r.site_id = m.site_id and r.role = m.role
       where s.session_id = ${session_id} and s.revoked_at is null and u.status = 'active'
         and m.suspended_at is null and t.deleted_at is null and t.status = 'active'`
    if (!row) return loadClient(session_id)
    return liveOf(row, Date.parse(row.expires_at))
  }

  /** What the tokens of a site's back end are bound to: as long as the client and its scopes stay as they are. */
  async function loadClient(client_session: string): Promise<LiveSession | undefined> {
    const [row] = await database.fast<(Caller & HsTurn)[]>`
      select i.site_id as user_id, c.client_session as session_id, 1 as session_version, '' as email, i.site_id, i.site_code,
             i.tenant_id, i.environment, i.is_first_party, ${CLIENT_ROLE} as role, c.scopes as permissions,
             i.hs_generation, i.hs_rotated_at
        from sso.openid_clients c join sso.sites i using (site_id)
       where c.client_session = ${client_session} and i.deleted_at is null and i.status = 'active'`
    return row && liveOf(row, Infinity)
  }

  function liveOf(row: Caller & HsTurn & { expires_at?: string }, expires_ms: number): LiveSession {
    const { hs_generation, hs_rotated_at, expires_at: _, ...caller } = row
    Object.freeze(caller.permissions)
    return {
      caller: Object.freeze(caller),
      hs_generation,
      hs_before_ms: hs_rotated_at === null ? 0 : Date.parse(hs_rotated_at) + HS_OVERLAP * 60_000,
      expires_ms,
    }
  }

  async function findLive(session_id: string): Promise<LiveSession | undefined> {
    const session = await sessions.get(session_id)
    if (!session || session.expires_ms > clock.now()) return session
    // A refresh moves the end of a session forward and tells nobody: what is in memory may be too early, never too late.
    sessions.forget(session_id)
    const fresh = await sessions.get(session_id)
    return fresh && fresh.expires_ms > clock.now() ? fresh : undefined
  }

  async function findSession(session_id: string): Promise<Caller | undefined> {
    return isUuid(session_id) ? (await findLive(session_id))?.caller : undefined
  }

  const check = (verified: VerifiedToken) => {
    if (!isUuid(verified.claims.sid)) throw tokenInvalid('sid')
    const session = sessions.get(verified.claims.sid)
    return session instanceof Promise
      ? session.then((loaded) => admit(verified, loaded))
      : admit(verified, session)
  }

  return {
    verifyAccessToken(token) {
      const verified = tokens.verify(token)
      return verified instanceof Promise ? verified.then(check) : check(verified)
    },
    findSession,
    async sessionState(session_id) {
      const caller = await findSession(session_id)
      if (!caller) return { active: false, session_version: 0, user_id: '', tenant_id: '', role: '' }
      const { session_version, user_id, tenant_id, role } = caller
      return { active: true, session_version, user_id, tenant_id, role }
    },
    forgetUser: (user_id) => sessions.forgetGroup(user_id),
    // Rare, and the sessions of a site are not indexed.
    forgetSite: () => sessions.clear(),
    clear: () => sessions.clear(),
  }
}

/** Role and permissions come from the session as it is now, whatever the token says. */
function admit({ claims, key }: VerifiedToken, session: LiveSession | undefined): Caller {
  if (!session) throw tokenRevoked()
  const { caller } = session
  if (
    claims.sv !== caller.session_version ||
    claims.sub !== caller.user_id ||
    claims.site_code !== caller.site_code ||
    claims.tenant_id !== caller.tenant_id ||
    claims.env !== caller.environment ||
    (key.alg === 'HS256' && !isOfThisSite(key.generation, session))
  )
    throw tokenRevoked()
  return isClient(caller) ? withScopesOf(claims, caller) : caller
}

/** The back end of a site asked for some of its scopes; it still has them, or its token would be dead. */
function withScopesOf({ permissions }: Claims, caller: Readonly<Caller>): Caller {
  const held = caller.permissions.filter((one) => permissions.includes(one))
  return Object.freeze({ ...caller, permissions: held })
}

const isOfThisSite = (generation: number, { hs_generation, hs_before_ms }: LiveSession) =>
  generation === hs_generation || (generation === hs_generation - 1 && clock.now() < hs_before_ms)
