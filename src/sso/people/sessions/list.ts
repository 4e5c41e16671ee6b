import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOwnToSee } from './sessions.ts'

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
  ...CursorQuery.properties,
  status: OneOf(['active', 'revoked', 'expired', 'all'], { default: 'active' }),
})

/** The caller's sessions at all sites, newest first; a partner's token sees only those of its site. */
export async function listSessions(db: Database, caller: Caller, query: SessionQuery) {
  const { fast } = db
  const { order, after, skip } = startOf('sessions:-created_at', caller, query)
  const isOwn = isOwnToSee(fast, caller)
  const isAsked = CONDITIONS[query.status](fast)
  const [found, count] = await Promise.all([
    fast<Session[]>`
      select s.session_id, s.user_id, i.site_code,
             case when s.revoked_at is not null then 'revoked'
                  when s.expires_at <= clock_timestamp() then 'expired' else 'active' end as status,
             s.session_id = ${caller.session_id} as current, s.auth_methods, s.ip_address, s.user_agent,
             s.device_name, s.created_at, s.last_seen_at, s.expires_at, s.revoked_at, s.revoke_reason
        from sso.sessions s join sso.sites i using (site_id)
       where s.user_id = ${caller.user_id} and ${isOwn} and ${isAsked}
             ${after ? fast`and (s.created_at, s.session_id) < (${after.key}::timestamptz, ${after.id}::uuid)` : fast``}
       order by s.created_at desc, s.session_id desc
       limit ${query.per_page + 1} offset ${skip}`,
    fast<{ total: number }[]>`
      select count(*) as total from sso.sessions s
       where s.user_id = ${caller.user_id} and ${isOwn} and ${isAsked}`,
  ])
  return cursorPage({ found, count, query, order }, ({ session_id: id, created_at: key }) => ({ id, key }))
}

const CONDITIONS = {
  active: (sql: Lane) => sql`s.revoked_at is null and s.expires_at > clock_timestamp()`,
  revoked: (sql: Lane) => sql`s.revoked_at is not null`,
  expired: (sql: Lane) => sql`s.revoked_at is null and s.expires_at <= clock_timestamp()`,
  all: (sql: Lane) => sql`true`,
}
