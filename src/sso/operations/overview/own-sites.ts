import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'

export type OwnSite = Static<typeof OwnSite>
const OwnSite = Type.Object({
  site_id: Uuid,
  site_code: Type.String(),
  name: Type.String(),
  environment: OneOf(['sandbox', 'production']),
  tenant_id: Uuid,
  is_first_party: Type.Boolean(),
  plan: OneOf(['starter', 'business', 'enterprise']),
})
export const OwnSites = Type.Object({ items: Type.Array(OwnSite) })
/** Part of a name or of a code. */
export const OwnSitesQuery = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) })

/** More sites are not offered as a choice: who has more types a part of the name. */
const MOST = 200

/** The sites that the caller is ADMIN of, by name; all for an operator. */
export const ownSites = ({ pool, lists }: Database, caller: Caller, q = '') =>
  lists(
    caller.user_id,
    pool<OwnSite[]>`
      select i.site_id, i.site_code, i.name, i.environment, i.tenant_id, i.is_first_party, i.plan from sso.sites i
       where i.site_id in (${sitesOfAdmin(pool, caller)})
             and strpos(lower(i.name) || ' ' || i.site_code, lower(${q})) > 0
       order by i.name, i.site_id limit ${MOST}`,
  )
