import type { Config } from '#foundation/settings/config.ts'
import { one, type Tx } from '#foundation/database/database.ts'
import { conflict, forbidden, notFound, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { isOwnMachine } from '#foundation/http/public-address.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import { isSiteAdmin, requireFirstParty } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { isOperator, sitesOfAdmin } from '../../core/access/access.ts'
import { requireOperator } from '../../core/access/operator.ts'
import { lockSelf } from '../../people/person/self.ts'
import { insertWebhook, type VetUrl } from '../../events/webhooks/endpoints.ts'
import { newSecret, sealSecret } from '../../events/webhooks/secrets.ts'
import { checkSite, codesFor, type SiteBody } from './fields.ts'
import { hintOf, newSiteKey, storeSiteKey } from '../../core/access/site-keys.ts'
import { type FullSite, siteColumns } from './sites.ts'

/** Maximum sites per person, over all tenants. Operators have no limit. */
const MAX_SITES = 20

/**
 * Registers a site; the caller becomes its ADMIN. Its tenant: `tenant_id` if the token administers a site there, else
 * the token's if the caller is ADMIN, else a new one, so that no learner gets ADMIN in an existing tenant. 403
 * environment_forbidden, operator_required, first_party_required (production); 404 tenant_id; 409 site_code_taken,
 * site_limit; 422 also for webhook_url.
 */
export async function createSite(
  parts: SsoParts,
  vetUrl: VetUrl,
  caller: Caller,
  body: SiteBody,
  from: Origin,
) {
  const callbackHost = checkSite(body, parts.config)
  if (body.is_apart && body.tenant_id !== undefined)
    throw unprocessable('is_apart', 'ambiguous', 'must not stand beside tenant_id')
  const { environment, webhook_url } = body
  if (caller.environment === 'sandbox' && environment === 'production')
    throw forbidden('environment_forbidden', 'A sandbox token may create sandbox sites only')
  if (environment === 'production') requireFirstParty(caller, parts.ssoUrl(), '/account')
  const status = statusOf(parts.config, caller, environment)
  if (webhook_url !== undefined) await vetUrl(webhook_url, environment)
  const host = callbackHost ?? (webhook_url === undefined ? undefined : new URL(webhook_url).hostname)
  return parts.database.transaction(async (tx) => {
    await lockSelf(tx, caller)
    await refuseTooMany(tx, caller)
    const created = await insertSite(tx, parts.keys, {
      tenant_id: await tenantFor(tx, caller, body),
      name: body.name,
      site_code: body.site_code,
      domain: body.domain ?? host,
      environment,
      callback_url: body.callback_url,
      return_urls: body.return_urls,
      token_signing: body.token_signing,
      status,
      created_by: caller.user_id,
    })
    const { site_id, site_code } = created.site
    await addAdmin(tx, caller.user_id, site_id)
    if (webhook_url !== undefined) await insertWebhook(tx, created.site, { webhook_url })
    await recordAct(
      tx,
      {
        action: 'site.created',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { site_code, status },
      },
      from,
    )
    return {
      ...created.site,
      webhook_url: webhook_url ?? null,
      role: 'ADMIN',
      site_key_hints: [hintOf(created.site_key)],
      site_key: created.site_key,
      webhook_secret: created.webhook_secret,
      jwt_secret: parts.tokens.jwtSecret(created.site),
    }
  })
}

/**
 * The initial status: with SITE_REGISTRATION=approval a production site is pending until an operator approves it.
 * Sandbox sites are always active. 403 operator_required.
 */
function statusOf(
  config: Config,
  caller: Caller,
  environment: SiteBody['environment'],
): 'active' | 'pending' {
  if (environment === 'sandbox' || isOperator(caller)) return 'active'
  const registration = config.SITE_REGISTRATION ?? (isOwnMachine(config) ? 'open' : 'approval')
  if (registration === 'operators') requireOperator(caller)
  return registration === 'approval' ? 'pending' : 'active'
}

type SiteToInsert = {
  tenant_id: string
  name: string
  environment: 'sandbox' | 'production'
  site_code?: string | undefined
  domain?: string | undefined
  callback_url?: string | undefined
  return_urls?: string[] | undefined
  token_signing?: 'HS256' | 'RS256' | 'dual'
  is_first_party?: boolean
  status?: 'active' | 'pending'
  created_by?: string
}

/** Inserts a site with two roles, one site key and a webhook secret. 409 site_code_taken. */
export async function insertSite(tx: Tx, keys: MasterKeys, given: SiteToInsert) {
  const webhook_secret = newSecret()
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

type InsertedSite = Omit<FullSite, 'role'> & { hs_generation: number }

async function insertUnderFreeCode(tx: Tx, keys: MasterKeys, given: SiteToInsert, webhook_secret: string) {
  const { tenant_id, name, environment, callback_url = null, token_signing = 'HS256' } = given
  const { is_first_party = false, status = 'active', created_by = null, return_urls = [] } = given
  const site_id = newId()
  const site_code = given.site_code ?? (await freeCode(tx, name))
  const [site] = await tx<InsertedSite[]>`
    insert into sso.sites as i (site_id, tenant_id, site_code, name, domain, environment, callback_url, return_urls,
                                token_signing, is_first_party, trust_client_ip, webhook_secret_enc, status, created_by)
    values (${site_id}, ${tenant_id}, ${site_code}, ${name}, ${given.domain ?? site_code}, ${environment},
            ${callback_url}, ${return_urls}, ${token_signing}, ${is_first_party}, ${is_first_party},
            ${sealSecret(keys, site_id, webhook_secret)}, ${status}, ${created_by})
    on conflict (site_code) do nothing
    returning ${siteColumns(tx)}, i.hs_generation`
  if (!site) throw conflict('site_code_taken', 'This site_code is already taken')
  return site
}

/**
 * Derives a free code from the name, with a number if the name is taken. The lock lasts until the transaction ends, so
 * that concurrent sites of the same name get different numbers.
 */
async function freeCode(tx: Tx, name: string): Promise<string> {
  const codes = codesFor(name)
  await tx`select pg_advisory_xact_lock(hashtextextended(${`sso.site_code/${codes[0]}`}, 0))`
  const [free] = await tx<{ site_code: string }[]>`
    select c.site_code from unnest(${codes}::text[]) with ordinality as c (site_code, place)
     where not exists (select from sso.sites i where i.site_code = c.site_code)
     order by c.place limit 1`
  if (!free) throw conflict('site_code_taken', 'Too many sites have this name, give a site_code')
  return free.site_code
}

const ADMIN_PERMISSIONS = [
  'users:read',
  'users:write',
  'roles:assign',
  'sessions:revoke',
  'webhooks:manage',
  'bulk:import',
  'payments:read',
  'site:manage',
  'audit:read',
]
const USER_PERMISSIONS = ['profile:read', 'profile:write']

async function insertRoles(tx: Tx, site_id: string) {
  await tx`
    insert into sso.roles (site_id, role, name, description, permissions, is_admin, is_default)
    values (${site_id}, 'ADMIN', 'Administrator', 'Manages the site, its members and its settings',
            ${ADMIN_PERMISSIONS}, true, false),
           (${site_id}, 'USER', 'User', 'Uses the site and manages their own account',
            ${USER_PERMISSIONS}, false, true)`
}

/** The tenant of a new site. 403; 404 for a tenant where the token administers no site. */
async function tenantFor(tx: Tx, caller: Caller, body: SiteBody): Promise<string> {
  if (body.tenant_id !== undefined) return twinOf(tx, await requireTenant(tx, caller, body.tenant_id), body)
  if (!isSiteAdmin(caller)) return foundTenant(tx, caller, body)
  // The caller may have lost ADMIN since authentication. Roles change under the lock of the users row.
  const [own] = await tx`
    select from (${sitesOfAdmin(tx, caller)}) as own where own.site_id = ${caller.site_id}`
  if (!own) throw forbidden('admin_required', 'This needs the role ADMIN on the site')
  if (body.is_apart) return foundTenant(tx, caller, body)
  return twinOf(tx, { tenant_id: caller.tenant_id, environment: caller.environment }, body)
}

type Tenant = { tenant_id: string; environment: 'sandbox' | 'production' }

async function requireTenant(tx: Tx, caller: Caller, tenant_id: string): Promise<Tenant> {
  const [tenant] = await tx<Tenant[]>`
    select t.tenant_id, t.environment from sso.tenants t
     where t.tenant_id = ${tenant_id}
       and exists (select from sso.sites i where i.tenant_id = t.tenant_id and i.site_id in (${sitesOfAdmin(tx, caller)}))`
  if (!tenant) throw notFound('Tenant')
  return tenant
}

/** The tenant itself, or its sandbox twin, created on first use. */
async function twinOf(tx: Tx, tenant: Tenant, { environment }: SiteBody): Promise<string> {
  if (tenant.environment === environment) return tenant.tenant_id
  if (environment === 'production') throw notFound('Tenant')
  await tx`
    insert into sso.tenants (tenant_id, name, environment, production_tenant_id)
    select ${newId()}, name, 'sandbox', tenant_id from sso.tenants where tenant_id = ${tenant.tenant_id}
    on conflict (production_tenant_id) do nothing`
  const twins = await tx<{ tenant_id: string }[]>`
    select tenant_id from sso.tenants where production_tenant_id = ${tenant.tenant_id}`
  return one(twins).tenant_id
}

async function foundTenant(tx: Tx, { user_id }: Caller, { name, environment }: SiteBody): Promise<string> {
  const tenant_id = newId()
  await tx`
    insert into sso.tenants (tenant_id, name, environment, created_by)
    values (${tenant_id}, ${name}, ${environment}, ${user_id})`
  return tenant_id
}

/** The lock on the users row makes the count exact. 409 site_limit. */
async function refuseTooMany(tx: Tx, caller: Caller) {
  if (isOperator(caller)) return
  const [{ total } = { total: 0 }] = await tx<{ total: number }[]>`
    select count(*)::int as total from sso.sites where created_by = ${caller.user_id} and deleted_at is null`
  if (total >= MAX_SITES) throw conflict('site_limit', `One person may register at most ${MAX_SITES} sites`)
}
