import type { Lane, Tx } from '#foundation/database/database.ts'
import { forbidden } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { type LockedSite, lockSite, siteRefused } from '../../core/access/managed-site.ts'

/** Enterprise sign-in needs the plan Business or Enterprise (API document, part 1). */
export const planRequired = () =>
  forbidden('plan_required', 'Enterprise sign-in needs the plan Business or Enterprise')

type Planned = { site_id: string; environment: 'sandbox' | 'production'; plan: string }

/** A site that the caller administers and whose plan has connections. 404, 403 admin_required, 403 plan_required. */
export async function requirePlanned(sql: Lane, caller: Caller, site_id: string): Promise<Planned> {
  const [site] = await sql<Planned[]>`
    select i.site_id, i.environment, i.plan from sso.sites i
     where i.site_id = ${site_id} and i.deleted_at is null and i.site_id in (${sitesOfAdmin(sql, caller)})`
  if (!site) return siteRefused(sql, caller, site_id)
  if (site.plan === 'starter') throw planRequired()
  return site
}

/** As requirePlanned, and locks the site until the end of the transaction, so that counts of its rows stay valid. */
export async function lockPlanned(tx: Tx, caller: Caller, site_id: string): Promise<LockedSite> {
  const site = await lockSite(tx, caller, site_id)
  await requirePlanned(tx, caller, site_id)
  return site
}
