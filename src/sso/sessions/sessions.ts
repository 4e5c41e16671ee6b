import { type Static, Type } from 'typebox'
import { type Database, type Lane, one, type Tx } from '#foundation/database.ts'
import { offsetOf, page, PageQuery } from '#foundation/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/schemas.ts'
import type { Caller } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { bumpSessionVersion, lockUser, sitesOfAdmin } from '../users/users.ts'

export type Session = Static<typeof Session>
export const Session = Type.Object({
  session_id: Uuid,
  user_id: Uuid,
  site_code: Type.String(),
  status: OneOf(['active', 'revoked', 'expired']),
  current: Type.Boolean(),
  auth_methods: Type.Array(Type.String()),
  ip_address: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  device_name: Nullable(Type.String()),
  created_at: Time,
  last_seen_at: Time,
  expires_at: Time,
  revoked_at: Nullable(Time),
  revoke_reason: Nullable(Type.String()),
})

export type SessionQuery = Static<typeof SessionQuery>
export const SessionQuery = Type.Object({
  ...PageQuery.properties,
  status: OneOf(['active', 'revoked', 'expired', 'all'], { default: 'active' }),
})

/** The caller's sessions, newest first, on whatever site they are. */
export async function listSessions(db: Database, caller: Caller, query: SessionQuery) {
  const { fast } = db
  const isAsked = CONDITIONS[query.status](fast)
  const [items, count] = await Promise.all([
    fast<Session[]>`
      select s.session_id, s.user_id, i.site_code,
             case when s.revoked_at is not null then 'revoked'
                  when s.expires_at <= clock_timestamp() then 'expired' else 'active' end as status,
             s.session_id = ${caller.session_id} as current, s.auth_methods, s.ip_address, s.user_agent,
             s.device_name, s.created_at, s.last_seen_at, s.expires_at, s.revoked_at, s.revoke_reason
        from sso.sessions s join sso.sites i using (site_id)
       where s.user_id = ${caller.user_id} and ${isAsked}
       order by s.created_at desc, s.session_id desc
       limit ${query.per_page} offset ${offsetOf(query)}`,
    fast<{ total: number }[]>`
      select count(*) as total from sso.sessions s where s.user_id = ${caller.user_id} and ${isAsked}`,
  ])
  return page([...items], one(count).total, query)
}

const CONDITIONS = {
  active: (sql: Lane) => sql`s.revoked_at is null and s.expires_at > clock_timestamp()`,
  revoked: (sql: Lane) => sql`s.revoked_at is not null`,
  expired: (sql: Lane) => sql`s.revoked_at is null and s.expires_at <= clock_timestamp()`,
  all: (sql: Lane) => sql`true`,
}

/**
 * Ends the caller's own session, or that of a member of a site the caller is ADMIN of, with every session of the same
 * sign-in. Undefined: no such live session.
 */
export async function deleteSession(parts: SsoParts, caller: Caller, session_id: string, from: Origin) {
  const { fast } = parts.database
  const [session] = await fast<{ user_id: string; login_id: string }[]>`
    select s.user_id, s.login_id from sso.sessions s join sso.users u using (user_id)
     where s.session_id = ${session_id} and s.revoked_at is null
       and (s.user_id = ${caller.user_id} or s.site_id in (${sitesOfAdmin(fast, caller)}))
       and (u.environment = ${caller.environment} or ${caller.environment} = 'production')`
  if (!session) return undefined
  const { user_id, login_id } = session
  const reason = user_id === caller.user_id ? 'user_revoked' : 'admin_revoked'
  const ended = await revokeSessions(parts, { user_id, scope: { login_id }, reason, caller, from })
  return ended.session_ids.length > 0 ? ended : undefined
}

export type Revocation = {
  user_id: string
  /** Which of the person's sessions: one family, those of one sign-in, or all. */
  scope: { session_id: string } | { login_id: string } | 'everywhere'
  reason:
    | 'logout'
    | 'user_revoked'
    | 'admin_revoked'
    | 'logout_everywhere'
    | 'refresh_token_reuse'
    | 'max_age'
  /** Who caused it, where known, and the site it was caused on. */
  caller: { user_id: string | null; site_id: string | null; environment: 'sandbox' | 'production' }
  from?: Origin | undefined
}

/**
 * The revocation of part 3, in one transaction. session_version moves with the sessions, so every access token of the
 * person dies at its next use; other sessions live on through refresh. A repeat changes nothing and bumps nothing.
 */
export async function revokeSessions({ database, gate }: SsoParts, { user_id, scope, ...cause }: Revocation) {
  try {
    return await database.transaction(async (tx) => {
      const before = await lockUser(tx, user_id)
      const session_ids = await endLive(tx, user_id, scope, cause.reason)
      if (session_ids.length === 0) return { session_ids, session_version: before?.session_version ?? 0 }
      const session_version = await bumpSessionVersion(tx, user_id)
      await recordAct(
        tx,
        {
          action: cause.reason === 'refresh_token_reuse' ? 'refresh_token.reused' : 'session.revoked',
          environment: cause.caller.environment,
          site_id: cause.caller.site_id,
          actor_user_id: cause.caller.user_id,
          subject_user_id: user_id,
          details: { reason: cause.reason, session_ids, session_version },
        },
        cause.from,
      )
      return { session_ids, session_version }
    })
  } finally {
    // Also after a COMMIT whose answer was lost: before anybody is told, no map may say otherwise.
    gate.forgetUser(user_id)
  }
}

/** X2: rows are locked in ascending order first, so that two revocations and any refresh never wait in a circle. */
async function endLive(
  tx: Tx,
  user_id: string,
  scope: Revocation['scope'],
  reason: string,
): Promise<string[]> {
  const session_id = scope !== 'everywhere' && 'session_id' in scope ? scope.session_id : null
  const login_id = scope !== 'everywhere' && 'login_id' in scope ? scope.login_id : null
  const ended = await tx<{ session_id: string }[]>`
    with live as (
      select session_id from sso.sessions
       where user_id = ${user_id} and revoked_at is null
         and (session_id = ${session_id} or login_id = ${login_id} or ${scope === 'everywhere'})
       order by session_id for update)
    update sso.sessions s set revoked_at = clock_timestamp(), revoke_reason = ${reason}
      from live where s.session_id = live.session_id and s.revoked_at is null
    returning s.session_id`
  return ended.map(({ session_id }) => session_id)
}
