import { type Static, Type } from 'typebox'
import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { withinScope } from '#foundation/security/scope.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, isOperatorNow, isVisibleFrom, sitesOfAdmin } from '../../core/access/access.ts'
import { profileColumns, ShownTexts } from '../../core/profile.ts'
import { isEmailVerified, type TenantId } from './email-claims.ts'

export type User = Static<typeof User>
export const User = Type.Object({
  user_id: Uuid,
  email: Type.String(),
  email_verified: Type.Boolean(),
  /** Replaces `email` once the new mailbox is proven. Shown only to the person. */
  pending_email: Type.Optional(Nullable(Type.String())),
  ...ShownTexts,
  phone_verified: Type.Boolean(),
  status: OneOf(['active', 'suspended']),
  member_status: Type.Optional(OneOf(['active', 'suspended'])),
  mfa_enabled: Type.Boolean(),
  mfa_methods: Type.Array(Type.String()),
  roles: Type.Array(Type.Object({ site_code: Type.String(), role: Type.String() })),
  registration_source: OneOf(['register', 'admin', 'bulk_import', 'sso_jit']),
  external_id: Nullable(Type.String()),
  metadata: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  session_version: Type.Integer(),
  version: Type.Integer(),
  last_login_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
})

/**
 * The columns of a row of sso.users (`u`) as shown to `tenant_id` (null: the view all tenants share). The other fields
 * of User depend on who asks and where.
 */
export type UserRow = Omit<User, 'roles' | 'external_id' | 'member_status' | 'pending_email'>
export const userColumns = (sql: Lane, tenant_id: TenantId) => sql`
  u.user_id, u.email, ${isEmailVerified(sql, tenant_id)} as email_verified, ${profileColumns(sql, 'u')},
  u.phone_verified, u.status, u.registration_source, u.metadata, u.session_version,
  u.version, u.last_login_at, u.created_at, u.updated_at, ${isMfaEnabled(sql)} as mfa_enabled,
  array(select distinct f.type from sso.mfa_factors f
         where f.user_id = u.user_id and f.activated_at is not null order by f.type) as mfa_methods`

/**
 * A factor counts once it was activated with a right code. Uses count(*), because `exists` may be planned as a hash of
 * the whole table.
 */
export const isMfaEnabled = (sql: Lane) => sql`
  (select count(*) from sso.mfa_factors f where f.user_id = u.user_id and f.activated_at is not null) > 0`

/**
 * Finds a person the caller may see: themselves (a partner's token: only what its site may know), a member of a site
 * they are ADMIN of, or anyone for an operator; else undefined. external_id and member_status are those of `site_id`,
 * else of the caller's site the person joined first.
 */
export function findUser(
  sql: Lane,
  caller: Caller,
  user_id: string,
  site_id: string = caller.site_id,
): Promise<User | undefined> {
  return user_id === caller.user_id
    ? findSelf(sql, caller, site_id)
    : findMember(sql, caller, user_id, site_id)
}

async function findSelf(sql: Lane, caller: Caller, site_id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select ${userColumns(sql, sql`(select i.tenant_id from sso.sites i where i.site_id = here.site_id)`)},
           here.external_id,
           (select coalesce(jsonb_agg(jsonb_build_object('site_code', i.site_code, 'role', m.role)
                                      order by i.site_code), '[]')
              from sso.memberships m join sso.sites i using (site_id)
             where m.user_id = u.user_id and i.deleted_at is null and ${isSiteToSee(sql, caller)}) as roles
           ${caller.is_first_party ? pendingEmail(sql) : sql``}
      from sso.users u left join sso.memberships here on here.user_id = u.user_id and here.site_id = ${site_id}
     where u.user_id = ${caller.user_id} and u.status <> 'deleted'`
  return user && shownTo(caller, user)
}

/** Every row that may be the caller's own leaves through here. */
export const shownTo = ({ user_id, scope }: Caller, user: User): User =>
  user.user_id === user_id ? withinScope(user, scope) : user

const pendingEmail = (sql: Lane) => sql`
  , (select c.new_email from sso.email_changes c
      where c.user_id = u.user_id and c.done_at is null and c.expires_at > statement_timestamp()) as pending_email`

/**
 * A partner must not learn which other sites its people use, so its token sees only the membership `m` at its own site.
 */
export const isSiteToSee = (sql: Lane, { is_first_party, site_id }: Caller) =>
  is_first_party ? sql`true` : sql`m.site_id = ${site_id}`

async function findMember(
  sql: Lane,
  caller: Caller,
  user_id: string,
  site_id: string,
): Promise<User | undefined> {
  // An operator sees everybody, but a tenant's claim only at a site of that tenant.
  const tenant_id: TenantId = isOperator(caller)
    ? sql`case when here.site_id = ${site_id} then here.tenant_id end`
    : sql`here.tenant_id`
  const [user] = await sql<MemberRow[]>`
    with own as (${sitesOfAdmin(sql, caller)}),
    member as (
      select m.site_id, m.role, m.external_id, m.suspended_at, m.joined_at, i.site_code, i.tenant_id
        from sso.memberships m join own using (site_id) join sso.sites i using (site_id)
       where m.user_id = ${user_id})
    select ${userColumns(sql, tenant_id)}, here.external_id, here.member_status,
           (select coalesce(jsonb_agg(jsonb_build_object('site_code', site_code, 'role', role) order by site_code), '[]')
              from member) as roles
      from sso.users u
      left join lateral (
        select site_id, tenant_id, external_id, ${memberStatus(sql)} as member_status from member
         order by site_id = ${site_id} desc, joined_at, site_id limit 1) here on true
     where u.user_id = ${user_id} and u.status <> 'deleted' and ${isVisibleFrom(sql, caller)}
       and (here.member_status is not null or ${isOperatorNow(sql, caller)})`
  return user && asShown(user)
}

/** SQL expression over a row of sso.memberships. */
export const memberStatus = (sql: Lane) =>
  sql`case when suspended_at is null then 'active' else 'suspended' end`

export type MemberRow = Omit<User, 'member_status'> & { member_status: 'active' | 'suspended' | null }

/** Omits member_status for a non-member, whom only an operator can see. */
export function asShown({ member_status, ...user }: MemberRow): User {
  return member_status ? { ...user, member_status } : user
}

/** Take this lock first, before any change to a person or their sessions. Undefined: no such person. */
export async function lockUser(tx: Tx, user_id: string): Promise<{ session_version: number } | undefined> {
  const [user] = await tx<{ session_version: number }[]>`
    select session_version from sso.users where user_id = ${user_id} for no key update`
  return user
}

/** Like lockUser, only for an active person; returns the person as a site of this tenant sees them. */
export async function lockActiveUser(
  tx: Tx,
  { tenant_id }: { tenant_id: string },
  user_id: string,
): Promise<UserRow | undefined> {
  const [user] = await tx<UserRow[]>`
    select ${userColumns(tx, tenant_id)} from sso.users u
     where u.user_id = ${user_id} and u.status = 'active' for no key update of u`
  return user
}

/** Revokes every access token of the person at its next use. */
export async function bumpSessionVersion(tx: Tx, user_id: string): Promise<number> {
  const rows = await tx<{ session_version: number }[]>`
    update sso.users set session_version = session_version + 1 where user_id = ${user_id} returning session_version`
  return one(rows).session_version
}
