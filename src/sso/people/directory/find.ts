import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { isUuid } from '#foundation/ids.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperatorNow, isVisibleFrom, sitesOfAdmin } from '../../core/access/access.ts'

export const FindQuery = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) })

const KINDS = ['person', 'external_id', 'session', 'event', 'site', 'import', 'order'] as const
/** What an id names. `id` is that of the thing itself; a delivery is found as its event. */
export type Found = Static<typeof Found>
const Found = Type.Object({
  kind: OneOf([...KINDS]),
  id: Uuid,
  site_code: Nullable(Type.String()),
  /** The person it belongs to, if the caller may see them. */
  user_id: Nullable(Uuid),
  display_name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  /** The delivery of an event: the one asked for, or the newest. */
  webhook_id: Nullable(Uuid),
  run: Nullable(Type.Integer()),
})
export const FoundPage = Type.Object({ items: Type.Array(Found) })

const MOST = 20

/**
 * Finds what an id from a log names, among what belongs to the sites of which the caller is ADMIN: a person, a session, an
 * event or its delivery, a site, an import, an order. Any text may be the external id of a person.
 */
export async function findById({ pool }: Database, caller: Caller, { id }: Static<typeof FindQuery>) {
  const uuid = isUuid(id) ? id : null
  const items = await pool<Found[]>`
    with own as materialized (${sitesOfAdmin(pool, caller)}),
    delivery as materialized (
      select event_id, delivery_id from sso.webhook_deliveries where delivery_id = ${uuid}::uuid),
    named as (
      select 'person' as kind, user_id as id, null::uuid as site_id, user_id from sso.users where user_id = ${uuid}::uuid
      union all select 'external_id', user_id, site_id, user_id from sso.memberships join own using (site_id)
                 where external_id = ${id}
      union all select 'session', session_id, site_id, user_id from sso.sessions where session_id = ${uuid}::uuid
      union all select 'event', event_id, site_id, subject_user_id from sso.webhook_events
                 where event_id in (select event_id from delivery union all select ${uuid}::uuid)
      union all select 'site', site_id, site_id, null from sso.sites where site_id = ${uuid}::uuid
      union all select 'import', job_id, site_id, null from sso.bulk_jobs where job_id = ${uuid}::uuid
      union all select 'order', order_id, site_id, null from sso.orders where order_id = ${uuid}::uuid),
    seen as (
      select u.user_id, u.display_name, u.email from sso.users u
       where u.user_id in (select user_id from named) and u.status <> 'deleted' and ${isVisibleFrom(pool, caller)}
         and (${isOperatorNow(pool, caller)}
              or exists (select from sso.memberships m join own using (site_id) where m.user_id = u.user_id)))
    select n.kind, n.id, i.site_code, s.user_id, s.display_name, s.email, d.webhook_id, d.run
      from named n left join own using (site_id) left join sso.sites i on i.site_id = own.site_id
      left join seen s on s.user_id = n.user_id
      left join lateral (
        select w.webhook_id, w.run from sso.webhook_deliveries w
         where n.kind = 'event' and w.event_id = n.id
         order by w.delivery_id = ${uuid}::uuid desc, w.created_at desc, w.delivery_id limit 1) d on true
     where (n.site_id is null or own.site_id is not null)
       and (s.user_id is not null or n.kind not in ('person', 'external_id', 'session'))
     order by n.kind, i.site_code, n.id limit ${MOST}`
  return { items: [...items] }
}
