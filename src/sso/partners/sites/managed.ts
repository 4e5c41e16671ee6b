import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator, sitesOfAdmin } from '../../core/access/access.ts'

export const ManagedSite = Type.Object({
  site_id: Uuid,
  site_code: Type.String(),
  tenant_id: Uuid,
  tenant_name: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  domain_verified: Type.Boolean(),
  environment: OneOf(['sandbox', 'production']),
  status: OneOf(['active', 'pending']),
  plan: OneOf(['starter', 'business', 'enterprise']),
  members: Type.Integer(),
  /** The last use of a key that is still good. */
  key_used_at: Nullable(Time),
  is_first_party: Type.Boolean(),
  has_openid_client: Type.Boolean(),
  /** Only for operators. */
  created_by_email: Nullable(Type.String()),
  created_at: Time,
})

export const ManagedQuery = Type.Object({
  ...CursorQuery.properties,
  /** Part of the name, the code or the domain. */
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  environment: Type.Optional(OneOf(['sandbox', 'production'])),
  status: Type.Optional(OneOf(['active', 'pending'])),
  /** This site alone. */
  site_id: Type.Optional(Uuid),
})

/** The sites that the caller is ADMIN of, newest first; all for an operator. */
export async function listManagedSites(
  { pool, lists }: Database,
  caller: Caller,
  query: Static<typeof ManagedQuery>,
) {
  const { q = '', environment = null, status = null, site_id = null } = query
  const { order, after, skip } = startOf('managed sites:-created_at', caller, query)
  const isAsked = pool`
    i.site_id in (${sitesOfAdmin(pool, caller)})
    and coalesce(i.environment = ${environment}, true) and coalesce(i.status = ${status}, true)
    and coalesce(i.site_id = ${site_id}, true)
    and strpos(lower(concat_ws(' ', i.name, i.site_code, i.domain)), lower(${q})) > 0`
  const [found, count] = await bothOf(lists, caller.user_id, [
    pool<Static<typeof ManagedSite>[]>`
      select i.site_id, i.site_code, i.tenant_id, t.name as tenant_name, i.name, i.domain,
             i.domain_verified_at is not null as domain_verified, i.environment, i.status, i.plan, i.created_at, i.is_first_party,
             exists (select from sso.openid_clients c where c.site_id = i.site_id) as has_openid_client,
             (select coalesce(sum(c.members), 0)::int from sso.member_counts c
               where c.site_id = i.site_id and c.environment in ('sandbox', ${caller.environment})) as members,
             (select max(k.last_used_at) from sso.site_keys k
               where k.site_id = i.site_id and k.revoked_at is null) as key_used_at,
             (select u.email from sso.users u
               where u.user_id = i.created_by and ${isOperator(caller)}::boolean) as created_by_email
        from sso.sites i join sso.tenants t using (tenant_id)
       where ${isAsked}
             ${after ? pool`and (i.created_at, i.site_id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by i.created_at desc, i.site_id desc limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number }[]>`select count(*) as total from sso.sites i where ${isAsked}`,
  ])
  return cursorPage({ found, count, query, order }, ({ site_id: id, created_at: key }) => ({ id, key }))
}
