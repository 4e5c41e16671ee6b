import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
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
  ...CursorQuery.properties,
  since: Type.Optional(Time),
  site_code: Type.Optional(Type.String()),
})

/**
 * Lists erased former members of a site, oldest first, so that a partner or a restored backup can erase them too.
 * `since` is inclusive, so the next call can start at the last erased_at. 403 not ADMIN, 404 unknown site.
 */
export async function listErasures(db: Database, caller: Caller, query: ErasedQuery) {
  const { pool } = db
  const { order, after, skip } = startOf('erasures:erased_at', caller, query)
  const { site_id } = await requireOwnSite(db.fast, caller, query.site_code)
  const since = query.since ?? '1970-01-01T00:00:00Z'
  const [found, count] = await bothOf(db.lists, caller.user_id, [
    pool<Static<typeof Erased>[]>`
      select e.user_id as sso_subject_id, e.reason_code, s.erased_at,
             jsonb_build_object('ccpa_drop_request', e.ccpa_drop_request,
                                'gdpr_erasure_request', e.gdpr_erasure_request) as compliance_flags
        from sso.erasure_sites s join sso.erasures e using (user_id)
       where s.site_id = ${site_id} and s.erased_at >= ${since}::timestamptz
             ${after ? pool`and (s.erased_at, s.user_id) > (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by s.erased_at, s.user_id limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number }[]>`
      select count(*) as total from sso.erasure_sites
       where site_id = ${site_id} and erased_at >= ${since}::timestamptz`,
  ])
  return cursorPage({ found, count, query, order }, ({ sso_subject_id: id, erased_at: key }) => ({ id, key }))
}
