import { isDeepStrictEqual } from 'node:util'
import { one, type Tx } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { refuseStale } from '../../core/stale.ts'
import { requireOperatorNow } from '../../core/access/operator.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockSite } from '../../core/access/managed-site.ts'
import { checkSite, type SiteChange } from './fields.ts'
import { type FullSite, siteColumns } from './sites.ts'

const SETTABLE = [
  'name',
  'domain',
  'callback_url',
  'return_urls',
  'token_signing',
  'refresh_reuse_policy',
  'trust_client_ip',
  'retention_days',
  'session_max_days',
  'require_mfa',
] as const satisfies (keyof SiteChange)[]

/**
 * Changes the settings of a site for its ADMIN; a new token_signing applies from the next sign-in or refresh. A no-op
 * keeps the version. A new domain must be verified again. 404, 403, 409 version_conflict, 422.
 */
export async function changeSite(
  { database, config }: SsoParts,
  caller: Caller,
  site_id: string,
  { version, ...given }: SiteChange,
  if_match: string | undefined,
  from: Origin,
): Promise<FullSite> {
  return database.transaction(async (tx) => {
    const { environment, is_first_party } = await lockSite(tx, caller, site_id)
    checkSite({ ...given, environment }, config)
    const site = await readSite(tx, caller, site_id)
    refuseStale(site.version, { version, if_match })
    // A site that may name its visitors' addresses can evade the rate limits per address, so only an operator may allow
    // it.
    if (given.trust_client_ip !== undefined && given.trust_client_ip !== site.trust_client_ip)
      await requireOperatorNow(tx, caller)
    const changed = SETTABLE.filter(
      (field) => given[field] !== undefined && !isDeepStrictEqual(given[field], site[field]),
    )
    if (changed.length === 0) return site
    const next = { ...site, ...given }
    // People without a second factor set it up on our pages, which then need a page of the site to return to.
    if (next.require_mfa !== 'none' && next.callback_url === null && !is_first_party)
      throw unprocessable('require_mfa', 'callback_required', 'needs a callback_url to send people back to')
    const rows = await tx<FullSite[]>`
      update sso.sites i
         set name = ${next.name}, domain = ${next.domain}, callback_url = ${next.callback_url},
             return_urls = ${next.return_urls},
             token_signing = ${next.token_signing}, refresh_reuse_policy = ${next.refresh_reuse_policy},
             trust_client_ip = ${next.trust_client_ip}, retention_days = ${next.retention_days},
             session_max_days = ${next.session_max_days}, require_mfa = ${next.require_mfa},
             domain_verified_at = case when i.domain = ${next.domain} then i.domain_verified_at end, version = version + 1, updated_at = clock_timestamp()
       where i.site_id = ${site_id}
      returning ${siteColumns(tx)}, ${site.role} as role`
    await recordAct(
      tx,
      {
        action: 'site.changed',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { changed },
      },
      from,
    )
    return one(rows)
  })
}

async function readSite(tx: Tx, { user_id }: Caller, site_id: string): Promise<FullSite> {
  const rows = await tx<FullSite[]>`
    select ${siteColumns(tx)}, coalesce(m.role, 'ADMIN') as role
      from sso.sites i left join sso.memberships m on m.site_id = i.site_id and m.user_id = ${user_id}
     where i.site_id = ${site_id}`
  return one(rows)
}
