import { type Static, Type } from 'typebox'
import { type Database, one, type Tx } from '#foundation/database.ts'
import { conflict, forbidden } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { offsetOf, page, PageQuery } from '#foundation/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/schemas.ts'
import { type MasterKeys, randomToken } from '#foundation/secrets.ts'
import type { Caller } from '#foundation/session-gate.ts'
import { recordAct } from '../audit.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { lockUser } from '../users/users.ts'
import { checkSite, codesFor, type SiteBody } from './fields.ts'
import { newSiteKey, storeSiteKey } from './site-keys.ts'

const ForMembers = {
  site_id: Uuid,
  site_code: Type.String(),
  tenant_id: Uuid,
  name: Type.String(),
  domain: Type.String(),
  environment: OneOf(['sandbox', 'production']),
  role: Type.String(),
  created_at: Time,
}
const ForAdmins = {
  callback_url: Nullable(Type.String()),
  token_signing: OneOf(['HS256', 'RS256', 'dual']),
  refresh_reuse_policy: OneOf(['tolerant', 'strict']),
  trust_client_ip: Type.Boolean(),
  plan: OneOf(['starter', 'business', 'enterprise']),
  retention_days: Nullable(Type.Integer()),
  session_max_days: Nullable(Type.Integer()),
  site_key_hints: Type.Array(Type.String()),
  version: Type.Integer(),
  updated_at: Time,
}
const Full = Type.Object({ ...ForMembers, ...ForAdmins })

/** What a member sees of a site; the settings only for its ADMIN. */
export const Site = Type.Object({ ...ForMembers, ...Type.Partial(Type.Object(ForAdmins)).properties })
/** Secrets are shown only here. */
export const NewSite = Type.Object({
  ...Full.properties,
  site_key: Type.String(),
  webhook_secret: Type.String(),
  jwt_secret: Type.String(),
})
type Full = Static<typeof Full>

export type SiteQuery = Static<typeof SiteQuery>
export const SiteQuery = Type.Object({
  ...PageQuery.properties,
  environment: Type.Optional(OneOf(['sandbox', 'production'])),
})

const MAX_FOUNDED = 20
const MAX_CODES = 1_000

/** The sites the caller is a member of, oldest first. */
export async function listSites({ fast }: Database, { user_id }: Caller, query: SiteQuery) {
  const environment = query.environment ?? null
  const isMine = fast`
    m.user_id = ${user_id} and m.suspended_at is null and i.deleted_at is null
    and coalesce(i.environment = ${environment}, true)`
  const [items, count] = await Promise.all([
    fast<(Full & { is_admin: boolean })[]>`
      select i.site_id, i.site_code, i.tenant_id, i.name, i.domain, i.environment, m.role, i.created_at, r.is_admin,
             i.callback_url, i.token_signing, i.refresh_reuse_policy, i.trust_client_ip, i.plan, i.retention_days,
             i.session_max_days, i.version, i.updated_at,
             array(select k.hint from sso.site_keys k where k.site_id = i.site_id and k.revoked_at is null
                    order by k.created_at, k.key_hash) as site_key_hints
        from sso.memberships m join sso.sites i using (site_id) join sso.roles r using (site_id, role)
       where ${isMine}
       order by i.created_at, i.site_id
       limit ${query.per_page} offset ${offsetOf(query)}`,
    fast<{ total: number }[]>`
      select count(*) as total from sso.memberships m join sso.sites i using (site_id) where ${isMine}`,
  ])
  return page(items.map(asSeen), one(count).total, query)
}

function asSeen({ is_admin, ...site }: Full & { is_admin: boolean }): Static<typeof Site> {
  if (is_admin) return site
  const { site_id, site_code, tenant_id, name, domain, environment, role, created_at } = site
  return { site_id, site_code, tenant_id, name, domain, environment, role, created_at }
}

/**
 * Registers a site; the caller becomes its ADMIN. An ADMIN of the token's site stays in its tenant (or its sandbox
 * twin), anybody else founds a tenant: else every learner could become ADMIN of an existing one.
 * 403 environment_forbidden, 409 site_code_taken and site_limit, 422.
 */
export async function createSite(parts: SsoParts, caller: Caller, body: SiteBody, from: Origin) {
  const callbackHost = checkSite(body)
  const { environment } = body
  if (caller.environment === 'sandbox' && environment === 'production')
    throw forbidden('environment_forbidden', 'A sandbox token may create sandbox sites only')
  return parts.database.transaction(async (tx) => {
    await lockUser(tx, caller.user_id)
    const tenant_id =
      caller.role === 'ADMIN' ? await tenantOf(tx, caller, environment) : await foundTenant(tx, caller, body)
    const created = await insertSite(tx, parts.keys, {
      ...body,
      tenant_id,
      ...(body.domain === undefined && callbackHost !== undefined && { domain: callbackHost }),
    })
    const { site_id, site_code } = created.site
    await addAdmin(tx, caller.user_id, site_id)
    await recordAct(
      tx,
      {
        action: 'site.created',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { site_code },
      },
      from,
    )
    return {
      ...created.site,
      role: 'ADMIN',
      site_key_hints: [created.site_key.slice(-4)],
      site_key: created.site_key,
      webhook_secret: created.webhook_secret,
      jwt_secret: parts.tokens.jwtSecret(created.site),
    }
  })
}

type SiteToInsert = {
  tenant_id: string
  name: string
  environment: 'sandbox' | 'production'
  site_code?: string
  domain?: string
  callback_url?: string
  token_signing?: 'HS256' | 'RS256' | 'dual'
  is_first_party?: boolean
}

/** A site with its two roles, one key and its webhook secret. 409 site_code_taken. */
export async function insertSite(tx: Tx, keys: MasterKeys, given: SiteToInsert) {
  const webhook_secret = `whsec_${Buffer.from(randomToken(''), 'base64url').toString('base64')}`
  const site = await insertUnderFreeCode(tx, keys, given, webhook_secret)
  await insertRoles(tx, site.site_id)
  const site_key = newSiteKey(given.environment)
  await storeSiteKey(tx, site.site_id, site_key)
  return { site, site_key, webhook_secret }
}

export async function addAdmin(tx: Tx, user_id: string, site_id: string): Promise<void> {
  await tx`
    insert into sso.memberships (user_id, site_id, role, assigned_by)
    values (${user_id}, ${site_id}, 'ADMIN', ${user_id})`
}

type InsertedSite = Omit<Full, 'role' | 'site_key_hints'> & { hs_generation: number }

async function insertUnderFreeCode(tx: Tx, keys: MasterKeys, given: SiteToInsert, webhook_secret: string) {
  const {
    tenant_id,
    name,
    environment,
    callback_url = null,
    token_signing = 'HS256',
    is_first_party = false,
  } = given
  const site_id = newId()
  const sealed = keys.seal(Buffer.from(webhook_secret), site_id)
  for (let attempt = 1; attempt <= MAX_CODES; attempt++) {
    const site_code = given.site_code ?? codesFor(name, attempt)
    const [site] = await tx<InsertedSite[]>`
      insert into sso.sites (site_id, tenant_id, site_code, name, domain, environment, callback_url, token_signing,
                             is_first_party, trust_client_ip, webhook_secret_enc)
      values (${site_id}, ${tenant_id}, ${site_code}, ${name}, ${given.domain ?? site_code}, ${environment},
              ${callback_url}, ${token_signing}, ${is_first_party}, ${is_first_party}, ${sealed})
      on conflict (site_code) do nothing
      returning site_id, site_code, tenant_id, name, domain, environment, created_at, callback_url, token_signing,
                hs_generation, refresh_reuse_policy, trust_client_ip, plan, retention_days, session_max_days, version,
                updated_at`
    if (site) return site
    if (given.site_code !== undefined) break
  }
  throw conflict('site_code_taken', 'This site_code is already taken')
}

const ADMIN_PERMISSIONS = [
  'users:read', 'users:write', 'roles:assign', 'sessions:revoke', 'webhooks:manage', 'bulk:import', 'payments:read',
  'site:manage', 'audit:read',
] // prettier-ignore
const USER_PERMISSIONS = ['profile:read', 'profile:write']

async function insertRoles(tx: Tx, site_id: string) {
  await tx`
    insert into sso.roles (site_id, role, name, description, permissions, is_admin, is_default)
    values (${site_id}, 'ADMIN', 'Administrator', 'Manages the site, its members and its settings',
            ${ADMIN_PERMISSIONS}, true, false),
           (${site_id}, 'USER', 'User', 'Uses the site and manages their own account',
            ${USER_PERMISSIONS}, false, true)`
}

/** The tenant of the caller's site, or its sandbox twin, which is made when it is first asked for. */
async function tenantOf(tx: Tx, caller: Caller, environment: SiteBody['environment']): Promise<string> {
  if (caller.environment === environment) return caller.tenant_id
  await tx`
    insert into sso.tenants (tenant_id, name, environment, production_tenant_id)
    select ${newId()}, name, 'sandbox', tenant_id from sso.tenants where tenant_id = ${caller.tenant_id}
    on conflict (production_tenant_id) do nothing`
  const twins = await tx<{ tenant_id: string }[]>`
    select tenant_id from sso.tenants where production_tenant_id = ${caller.tenant_id}`
  return one(twins).tenant_id
}

/** The lock on the users row makes the count exact. */
async function foundTenant(tx: Tx, { user_id }: Caller, { name, environment }: SiteBody): Promise<string> {
  const tenant_id = newId()
  const [founded] = await tx`
    insert into sso.tenants (tenant_id, name, environment, created_by)
    select ${tenant_id}, ${name}, ${environment}, ${user_id}
     where (select count(*) from sso.tenants where created_by = ${user_id}) < ${MAX_FOUNDED}
    returning tenant_id`
  if (!founded)
    throw conflict('site_limit', `One person may register at most ${MAX_FOUNDED} sites of their own`)
  return tenant_id
}
