import type { Lane, Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'

export type ManagedSite = {
  site_id: string
  site_code: string
  domain: string
  environment: 'sandbox' | 'production'
  webhook_secret_enc: Buffer
}

/** Identifies a site by its code, its id, or an endpoint or event it owns. */
export type Which =
  | { site_code: string }
  | { site_id: string }
  | { webhook_id: string }
  | { event_id: string }

/**
 * Loads the site for its ADMIN. 403 for its other members; 404 for everybody else and for a site that does not exist.
 * lockManaged also locks it until the transaction ends, so that counts per site stay exact.
 */
export async function requireManaged(sql: Lane, caller: Caller, which: Which): Promise<ManagedSite> {
  const [site] = await sql<ManagedSite[]>`
    select i.site_id, i.site_code, i.domain, i.environment, i.webhook_secret_enc
      from sso.sites i
     where ${siteMatches(sql, which)} and i.deleted_at is null and i.site_id in (${sitesOfAdmin(sql, caller)})`
  return site ?? refuse(sql, caller, which)
}

export async function lockManaged(tx: Tx, caller: Caller, which: Which): Promise<ManagedSite> {
  await tx`
    select from sso.sites i
     where ${siteMatches(tx, which)} and i.deleted_at is null and i.site_id in (${sitesOfAdmin(tx, caller)})
       for no key update of i`
  // Check again: the statement that waited for the lock used a snapshot of the roles from before the wait.
  return requireManaged(tx, caller, which)
}

async function refuse(sql: Lane, caller: Caller, which: Which): Promise<never> {
  const [seen] = await sql`
    select from sso.sites i join sso.memberships m using (site_id)
     where ${siteMatches(sql, which)} and i.deleted_at is null and m.user_id = ${caller.user_id} and m.suspended_at is null`
  throw seen ? forbidden('admin_required', 'Only an ADMIN of the site may do this') : notFound()
}

function siteMatches(sql: Lane, which: Which) {
  if ('site_code' in which) return sql`i.site_code = ${which.site_code}`
  if ('site_id' in which) return sql`i.site_id = ${which.site_id}`
  if ('webhook_id' in which)
    return sql`i.site_id = (
      select site_id from sso.webhook_endpoints where webhook_id = ${which.webhook_id} and deleted_at is null)`
  return sql`i.site_id = (select site_id from sso.webhook_events where event_id = ${which.event_id})`
}
