import { type Static, Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { forbidden } from '#foundation/errors.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { foldEmail } from '#foundation/text.ts'
import type { Profile, Site } from '#foundation/security/session-gate.ts'
import { isEmailVerified } from './email-claims.ts'
import { isMfaEnabled } from './users.ts'

export type ResolveBody = Static<typeof ResolveBody>
export const ResolveBody = Type.Object({
  tenant_id: Uuid,
  user_ids: Type.Array(Uuid, { maxItems: 100 }),
})

export const Profiles = Type.Array(
  Type.Object({
    user_id: Uuid,
    display_name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    email_verified: Type.Boolean(),
    mfa_enabled: Type.Boolean(),
    status: Type.String(),
    role: Nullable(Type.String()),
    created_at: Time,
    last_login_at: Nullable(Time),
  }),
)

/** For sibling services that run as separate processes: 403 for a site that is not first-party. */
export function resolveUsers(sql: Lane, site: Site, { tenant_id, user_ids }: ResolveBody) {
  if (!site.is_first_party)
    throw forbidden('first_party_required', 'This is for the first-party sites of the network')
  return profilesOf(sql, tenant_id, user_ids)
}

/**
 * People of one tenant by id; unknown ids are left out. `role` is their first role in the tenant, ADMIN first, or null
 * if they are suspended at all of its sites.
 */
export async function profilesOf(sql: Lane, tenant_id: string, user_ids: string[]): Promise<Profile[]> {
  return sql<Profile[]>`
    select u.user_id, u.display_name, u.email, ${isEmailVerified(sql, tenant_id)} as email_verified, ${isMfaEnabled(sql)} as mfa_enabled, u.status,
           here.role, u.created_at, u.last_login_at
      from sso.users u
      join lateral (
        select case when m.suspended_at is null then m.role end as role
          from sso.memberships m join sso.sites i using (site_id) join sso.roles r using (site_id, role)
         where m.user_id = u.user_id and i.tenant_id = ${tenant_id} and i.deleted_at is null
         order by m.suspended_at is null desc, r.is_admin desc, m.joined_at, m.site_id limit 1) here on true
     where u.user_id = any(${user_ids}::uuid[]) and u.status <> 'deleted'
     order by u.user_id`
}

/** Whoever of the tenant has this e-mail address or user name, in full. */
export async function personNamed(sql: Lane, tenant_id: string, name: string): Promise<Profile | undefined> {
  const [one] = await sql<{ user_id: string }[]>`
    select u.user_id from sso.tenants t
      join sso.users u on u.environment = t.environment and u.status <> 'deleted'
       and (u.email_fold = ${foldEmail(name)} or u.username_fold = ${name.toLowerCase()})
     where t.tenant_id = ${tenant_id}
     order by u.email_fold = ${foldEmail(name)} desc, u.user_id limit 1`
  const [profile] = one ? await profilesOf(sql, tenant_id, [one.user_id]) : []
  return profile
}
