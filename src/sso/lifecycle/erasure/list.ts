import { type Static, Type } from 'typebox'
import { type Database, one } from '#foundation/database/database.ts'
import { offsetOf, page, PageQuery } from '#foundation/http/paging.ts'
import { Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireOwnSite } from '../../core/access/access.ts'

export const Erased = Type.Object({
  sso_subject_id: Uuid,
  reason_code: Type.String(),
  compliance_flags: Type.Object({ ccpa_drop_request: Type.Boolean(), gdpr_erasure_request: Type.Boolean() }),
  erased_at: Time,
})

export type ErasedQuery = Static<typeof ErasedQuery>
export const ErasedQuery = Type.Object({
  ...PageQuery.properties,
  since: Type.Optional(Time),
  site_code: Type.Optional(Type.String()),
})

/**
 * Lists erased former members of a site, oldest first, so that a partner or a restored backup can erase them too.
 * `since` is inclusive, so the next call can start at the last erased_at. 403 not ADMIN, 404 unknown site.
 */
export async function listErasures({ fast }: Database, caller: Caller, query: ErasedQuery) {
  const { site_id } = await requireOwnSite(fast, caller, query.site_code)
  const since = query.since ?? '1970-01-01T00:00:00Z'
  const [items, count] = await Promise.all([
    fast<Static<typeof Erased>[]>`
      select e.user_id as sso_subject_id, e.reason_code, e.erased_at,
             jsonb_build_object('ccpa_drop_request', e.ccpa_drop_request,
                                'gdpr_erasure_request', e.gdpr_erasure_request) as compliance_flags
        from sso.erasure_sites s join sso.erasures e using (user_id)
       where s.site_id = ${site_id} and s.erased_at >= ${since}::timestamptz
       order by s.erased_at, s.user_id limit ${query.per_page} offset ${offsetOf(query)}`,
    fast<{ total: number }[]>`
      select count(*) as total from sso.erasure_sites
       where site_id = ${site_id} and erased_at >= ${since}::timestamptz`,
  ])
  return page([...items], one(count).total, query)
}
