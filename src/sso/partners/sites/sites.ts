import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { siteRefused } from '../../core/access/managed-site.ts'
import { isReached, sitesOfAdmin } from '../../core/access/access.ts'

const ForMembers = {
  site_id: Uuid,
  site_code: Type.String(),
  tenant_id: Uuid,
  name: Type.String(),
  domain: Type.String(),
  environment: OneOf(['sandbox', 'production']),
  /** Nobody can sign in to a pending site until an operator approves it. */
  status: OneOf(['active', 'pending']),
  domain_verified: Type.Boolean(),
  role: Type.String(),
  created_at: Time,
}
const ForAdmins = {
  callback_url: Nullable(Type.String()),
  return_urls: Type.Array(Type.String()),
  webhook_url: Nullable(Type.String()),
  token_signing: OneOf(['HS256', 'RS256', 'dual']),
  refresh_reuse_policy: OneOf(['tolerant', 'strict']),
  trust_client_ip: Type.Boolean(),
  plan: OneOf(['starter', 'business', 'enterprise']),
  retention_days: Nullable(Type.Integer()),
  session_max_days: Nullable(Type.Integer()),
  require_mfa: OneOf(['none', 'admins', 'all']),
  site_key_hints: Type.Array(Type.String()),
  version: Type.Integer(),
  updated_at: Time,
}
const Full = Type.Object({ ...ForMembers, ...ForAdmins })

/** A site as its members see it; only its ADMIN gets the settings. */
export const Site = Type.Object({ ...ForMembers, ...Type.Partial(Type.Object(ForAdmins)).properties })
/** Secrets are shown only here. */
export const NewSite = Type.Object({
  ...Full.properties,
  site_key: Type.String(),
  webhook_secret: Type.String(),
  jwt_secret: Type.String(),
})
export type FullSite = Static<typeof Full>

export type SiteQuery = Static<typeof SiteQuery>
export const SiteQuery = Type.Object({
  ...CursorQuery.properties,
  environment: Type.Optional(OneOf(['sandbox', 'production'])),
})

/** Columns of sso.sites (`i`), with its oldest webhook endpoint and the hints of its live keys. */
export const siteColumns = (sql: Lane) => sql`
  i.site_id, i.site_code, i.tenant_id, i.name, i.domain, i.environment, i.status,
  i.domain_verified_at is not null as domain_verified, i.created_at, i.callback_url, i.return_urls, i.token_signing,
  i.refresh_reuse_policy, i.trust_client_ip, i.plan, i.retention_days, i.session_max_days, i.require_mfa, i.version,
  i.updated_at,
  (select w.url from sso.webhook_endpoints w where w.site_id = i.site_id and w.deleted_at is null
    order by w.created_at, w.webhook_id limit 1) as webhook_url,
  array(select k.hint from sso.site_keys k where k.site_id = i.site_id and k.revoked_at is null
         order by k.created_at, k.key_hash) as site_key_hints`

/**
 * The sites the caller is a member of, oldest first, with settings where the token administers the site. A partner must
 * not learn which other sites its people use, so its token sees only its own tenant's sites.
 */
export async function listSites({ fast }: Database, caller: Caller, query: SiteQuery) {
  const { user_id } = caller
  const environment = query.environment ?? null
  const { order, after, skip } = startOf('own sites:created_at', caller, query)
  const isMine = fast`
    m.user_id = ${user_id} and m.suspended_at is null and i.deleted_at is null
    and coalesce(i.environment = ${environment}, true)
    and (${caller.is_first_party}::boolean
         or i.tenant_id in (select tenant_id from sso.tenants
                             where ${caller.tenant_id} in (tenant_id, production_tenant_id)))`
  const [found, count] = await Promise.all([
    fast<(FullSite & { is_admin: boolean })[]>`
      select ${siteColumns(fast)}, m.role, r.is_admin and ${isReached(fast, caller)} as is_admin
        from sso.memberships m join sso.sites i using (site_id) join sso.roles r using (site_id, role)
       where ${isMine}
             ${after ? fast`and (i.created_at, i.site_id) > (${after.key}::timestamptz, ${after.id}::uuid)` : fast``}
       order by i.created_at, i.site_id
       limit ${query.per_page + 1} offset ${skip}`,
    fast<{ total: number }[]>`
      select count(*) as total from sso.memberships m join sso.sites i using (site_id) where ${isMine}`,
  ])
  return cursorPage(
    { found, count, query, order },
    ({ site_id: id, created_at: key }) => ({ id, key }),
    asSeen,
  )
}

function asSeen({ is_admin, ...site }: FullSite & { is_admin: boolean }): Static<typeof Site> {
  const seen = Object.entries(site).filter(([name]) => is_admin || Object.hasOwn(ForMembers, name))
  return Object.fromEntries(seen) as Static<typeof Site>
}

/**
 * Loads a site with its settings, for its ADMIN. 404 for a site the caller may not see, 403 for one they do not
 * administer.
 */
export async function requireSite({ fast }: Database, caller: Caller, site_id: string): Promise<FullSite> {
  const [site] = await fast<FullSite[]>`
    select ${siteColumns(fast)}, coalesce(m.role, 'ADMIN') as role
      from sso.sites i
      left join sso.memberships m on m.site_id = i.site_id and m.user_id = ${caller.user_id}
     where i.site_id = ${site_id} and i.site_id in (${sitesOfAdmin(fast, caller)})`
  return site ?? siteRefused(fast, caller, site_id)
}
