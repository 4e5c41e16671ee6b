import { type Static, Type } from 'typebox'
import { type Database, type Lane, one, type Tx } from '#foundation/database.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/schemas.ts'
import type { Caller } from '#foundation/session-gate.ts'

export type User = Static<typeof User>
export const User = Type.Object({
  user_id: Uuid,
  email: Type.String(),
  email_verified: Type.Boolean(),
  phone: Nullable(Type.String()),
  username: Nullable(Type.String()),
  display_name: Nullable(Type.String()),
  given_name: Nullable(Type.String()),
  family_name: Nullable(Type.String()),
  locale: Nullable(Type.String()),
  time_zone: Nullable(Type.String()),
  avatar_url: Nullable(Type.String()),
  status: OneOf(['active', 'suspended']),
  member_status: Type.Optional(OneOf(['active', 'suspended'])),
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

/** What a row of sso.users (as `u`) says about itself; the rest of User depends on who asks and where. */
export type UserRow = Omit<User, 'roles' | 'external_id' | 'member_status'>
export const userColumns = (sql: Lane) => sql`
  u.user_id, u.email, u.email_verified, u.phone, u.username, u.display_name, u.given_name, u.family_name, u.locale,
  u.time_zone, u.avatar_url, u.status, u.registration_source, u.metadata, u.session_version, u.version,
  u.last_login_at, u.created_at, u.updated_at`

/**
 * The person as the caller may see them: themselves, or a member of a site the caller is ADMIN of. Everybody else is
 * undefined.
 */
export function findUser(db: Database, caller: Caller, user_id: string): Promise<User | undefined> {
  return user_id === caller.user_id ? findSelf(db, caller) : findMember(db, caller, user_id)
}

async function findSelf(db: Database, caller: Caller): Promise<User | undefined> {
  const [user] = await db.fast<User[]>`
    select ${userColumns(db.fast)}, here.external_id,
           (select coalesce(jsonb_agg(jsonb_build_object('site_code', i.site_code, 'role', m.role)
                                      order by i.site_code), '[]')
              from sso.memberships m join sso.sites i using (site_id)
             where m.user_id = u.user_id and i.deleted_at is null) as roles
      from sso.users u left join sso.memberships here on here.user_id = u.user_id and here.site_id = ${caller.site_id}
     where u.user_id = ${caller.user_id} and u.status <> 'deleted'`
  return user
}

/** external_id and member_status are those of the token's site, or of the caller's site they joined first. */
async function findMember(db: Database, caller: Caller, user_id: string): Promise<User | undefined> {
  const [user] = await db.fast<User[]>`
    with own as (${sitesOfAdmin(db.fast, caller)}),
    member as (
      select m.site_id, m.role, m.external_id, m.suspended_at, m.joined_at, i.site_code
        from sso.memberships m join own using (site_id) join sso.sites i using (site_id)
       where m.user_id = ${user_id})
    select ${userColumns(db.fast)}, here.external_id,
           case when here.suspended_at is null then 'active' else 'suspended' end as member_status,
           (select jsonb_agg(jsonb_build_object('site_code', site_code, 'role', role) order by site_code)
              from member) as roles
      from sso.users u
      join lateral (select external_id, suspended_at from member
                     order by site_id = ${caller.site_id} desc, joined_at, site_id limit 1) here on true
     where u.user_id = ${user_id} and u.status <> 'deleted' and ${isVisibleFrom(db.fast, caller)}`
  return user
}

/** The sites the caller manages, as a query of site_id: where they are ADMIN; an operator manages every site. */
export const sitesOfAdmin = (sql: Lane, caller: Caller) => sql`
  select i.site_id from sso.sites i
   where i.deleted_at is null
     and (${isOperator(caller)} or exists (
       select from sso.memberships a join sso.roles r using (site_id, role)
        where a.user_id = ${caller.user_id} and a.site_id = i.site_id and r.is_admin and a.suspended_at is null))`

/** A sandbox token sees nothing of production, not even the production managers of its own site. */
const isVisibleFrom = (sql: Lane, { environment }: Caller) =>
  environment === 'production' ? sql`true` : sql`u.environment = ${environment}`

/** An ADMIN of the site `console`, signed in there, acts as ADMIN on every site of both environments. */
const isOperator = ({ site_code, role }: Caller) => site_code === 'console' && role === 'ADMIN'

/** X1 of part 3: before anything about a person or their sessions changes. Undefined: no such person. */
export async function lockUser(tx: Tx, user_id: string): Promise<{ session_version: number } | undefined> {
  const [user] = await tx<{ session_version: number }[]>`
    select session_version from sso.users where user_id = ${user_id} for no key update`
  return user
}

/** Every access token of the person dies at its next use. */
export async function bumpSessionVersion(tx: Tx, user_id: string): Promise<number> {
  const rows = await tx<{ session_version: number }[]>`
    update sso.users set session_version = session_version + 1 where user_id = ${user_id} returning session_version`
  return one(rows).session_version
}
