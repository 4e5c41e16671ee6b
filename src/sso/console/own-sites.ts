import type { Database } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../core/access/access.ts'

export type OwnSite = { site_code: string; name: string }

/** More own sites than these are not offered as a choice. */
const MOST = 200

/** The sites that the caller is ADMIN of, by name. */
export const ownSites = ({ fast }: Database, caller: Caller) =>
  fast<OwnSite[]>`
    select i.site_code, i.name from sso.sites i where i.site_id in (${sitesOfAdmin(fast, caller)})
     order by i.name, i.site_id limit ${MOST}`
