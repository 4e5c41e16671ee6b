import { type Static, Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { Nullable, OneOf, Time } from '#foundation/http/schemas.ts'
import { requireFirstParty } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { rightsOver } from '../../core/access/access.ts'
import { Session } from '../sessions/list.ts'
import { findUser, memberStatus, User } from '../person/users.ts'

/** Maximum rows per list, newest first; more than a normal person's history holds. */
const MAX_ROWS = 5_000

const Membership = Type.Object({
  site_code: Type.String(),
  role: Type.String(),
  external_id: Nullable(Type.String()),
  status: OneOf(['active', 'suspended']),
  joined_at: Time,
})
/** Consents at partners' sites, including revoked ones. */
const ConsentLine = Type.Object({
  site_code: Type.String(),
  scopes: Type.Array(Type.String()),
  given_by: Type.String(),
  granted_at: Time,
  revoked_at: Nullable(Time),
})
/** The session list's fields, for sessions at all sites. */
const SessionLine = Type.Omit(Session, ['user_id', 'status', 'current'])
const Factor = Type.Object({
  type: Type.String(),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  created_at: Time,
  activated_at: Nullable(Time),
  last_used_at: Nullable(Time),
})
const MessageLine = Type.Object({
  channel: Type.String(),
  kind: Type.String(),
  recipient: Type.String(),
  status: Type.String(),
  created_at: Time,
})
/**
 * Actions by and on the person. IP address and user agent only for their own actions: those of an ADMIN belong to the
 * ADMIN.
 */
const AuditLine = Type.Object({
  occurred_at: Time,
  action: Type.String(),
  site_code: Nullable(Type.String()),
  by_self: Type.Boolean(),
  ip_address: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
})

export type UserExport = Static<typeof UserExport>
export const UserExport = Type.Object({
  user: User,
  memberships: Type.Array(Membership),
  consents: Type.Array(ConsentLine),
  sessions: Type.Array(SessionLine),
  factors: Type.Array(Factor),
  messages: Type.Array(MessageLine),
  audit: Type.Array(AuditLine),
  /** True when a list exceeded MAX_ROWS and holds only the newest. */
  is_truncated: Type.Boolean(),
})

/**
 * Exports everything the sso stores about a person except secrets, from one snapshot, for themselves or an ADMIN to
 * whom they are exclusive. 404 if the caller may not see the person, 403 user_shared if not exclusive.
 */
export async function exportUser(
  { database, ssoUrl }: Pick<SsoParts, 'database' | 'ssoUrl'>,
  caller: Caller,
  user_id: string,
): Promise<UserExport> {
  if (user_id === caller.user_id) requireFirstParty(caller, ssoUrl(), '/account')
  return database.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`
    const user = await findUser(tx, caller, user_id)
    if (!user) throw notFound()
    if (user_id !== caller.user_id) {
      const [rights] = await tx<{ is_exclusive: boolean }[]>`${rightsOver(tx, caller, user_id)}`
      if (!rights?.is_exclusive)
        throw forbidden(
          'user_shared',
          'This account is not yours alone: only the person may have all of its data',
        )
    }
    const lists = {
      memberships: await listMemberships(tx, user_id),
      consents: await listConsents(tx, user_id),
      sessions: await listSessions(tx, user_id),
      factors: await listFactors(tx, user_id),
      messages: await listMessages(tx, user_id),
      audit: await listAudit(tx, user_id),
    }
    return { user, ...lists, is_truncated: Object.values(lists).some(({ length }) => length === MAX_ROWS) }
  })
}

const listMemberships = (sql: Lane, user_id: string) => sql<UserExport['memberships']>`
  select i.site_code, m.role, m.external_id, ${memberStatus(sql)} as status, m.joined_at
    from sso.memberships m join sso.sites i using (site_id)
   where m.user_id = ${user_id} order by m.joined_at desc, i.site_code limit ${MAX_ROWS}`

const listConsents = (sql: Lane, user_id: string) => sql<UserExport['consents']>`
  select i.site_code, c.scopes, c.given_by, c.granted_at, c.revoked_at
    from sso.consents c join sso.sites i using (site_id)
   where c.user_id = ${user_id} order by c.granted_at desc, i.site_code limit ${MAX_ROWS}`

const listSessions = (sql: Lane, user_id: string) => sql<UserExport['sessions']>`
  select s.session_id, i.site_code, s.auth_methods, s.ip_address, s.user_agent, s.device_name, s.created_at,
         s.last_seen_at, s.expires_at, s.revoked_at, s.revoke_reason
    from sso.sessions s join sso.sites i using (site_id)
   where s.user_id = ${user_id} order by s.created_at desc, s.session_id desc limit ${MAX_ROWS}`

const listFactors = (sql: Lane, user_id: string) => sql<UserExport['factors']>`
  select type, name, email, phone, created_at, activated_at, last_used_at from sso.mfa_factors
   where user_id = ${user_id} order by created_at desc, factor_id limit ${MAX_ROWS}`

const listMessages = (sql: Lane, user_id: string) => sql<UserExport['messages']>`
  select channel, kind, recipient, status, created_at from sso.messages
   where user_id = ${user_id} order by created_at desc, message_id desc limit ${MAX_ROWS}`

const listAudit = (sql: Lane, user_id: string) => sql<UserExport['audit']>`
  select a.occurred_at, a.action, i.site_code, coalesce(a.actor_user_id = ${user_id}, false) as by_self,
         case when a.actor_user_id = ${user_id} then a.ip_address end as ip_address,
         case when a.actor_user_id = ${user_id} then a.user_agent end as user_agent, a.details
    from sso.audit_log a left join sso.sites i using (site_id)
   where a.subject_user_id = ${user_id} or a.actor_user_id = ${user_id}
   order by a.occurred_at desc, a.audit_id desc limit ${MAX_ROWS}`
