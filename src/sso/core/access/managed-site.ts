import type { Lane, Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from './access.ts'

export type LockedSite = {
  site_id: string
  site_code: string
  environment: 'sandbox' | 'production'
  is_first_party: boolean
}

/**
 * Locks a site the caller administers; call it before changing anything about the site. Everything counted per site
 * changes under this lock. 404 for a site the caller may not see, 403 for one they may see but not administer.
 */
export async function lockSite(tx: Tx, caller: Caller, site_id: string): Promise<LockedSite> {
  await tx`
    select from sso.sites i where i.site_id = ${site_id} and i.site_id in (${sitesOfAdmin(tx, caller)})
       for no key update of i`
  // Check again: the statement that waited for the lock used a snapshot of the roles from before the wait.
  const [site] = await tx<LockedSite[]>`
    select i.site_id, i.site_code, i.environment, i.is_first_party from sso.sites i
     where i.site_id = ${site_id} and i.site_id in (${sitesOfAdmin(tx, caller)})`
  return site ?? siteRefused(tx, caller, site_id)
}

/** Throws the reason why the caller may not administer the site: 403 for its members, 404 for everybody else. */
export async function siteRefused(sql: Lane, caller: Caller, site_id: string): Promise<never> {
  const [seen] = await sql`
    select from sso.memberships m join sso.sites i using (site_id)
     where m.user_id = ${caller.user_id} and m.site_id = ${site_id} and m.suspended_at is null and i.deleted_at is null`
  throw seen ? forbidden('admin_required', 'Only an ADMIN of the site may do this') : notFound()
}
