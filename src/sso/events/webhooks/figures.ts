import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireManaged } from './access.ts'

/** How an endpoint did in the last 24 hours, by its newest deliveries. */
const Figures = Type.Object({
  webhook_id: Uuid,
  deliveries: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  /** Of the deliveries that have ended, from 0 to 1. */
  success_rate: Nullable(Type.Number()),
  /** Of the last attempt of each. */
  p95_ms: Nullable(Type.Integer()),
})
export const EndpointFigures = Type.Object({ items: Type.Array(Figures) })
export const SiteQuery = Type.Object({ site_code: Type.Optional(Type.String()) })

/** More deliveries of one endpoint are not looked at, so that a busy site costs no more than others. */
const LOOKED_AT = 1_000

/** Figures of all endpoints of a site, for its ADMIN. 403, 404. */
export async function readFigures(db: Database, caller: Caller, { site_code = caller.site_code }) {
  const { site_id } = await requireManaged(db.fast, caller, { site_code })
  const items = await db.lists(
    caller.user_id,
    db.pool<Static<typeof Figures>[]>`
      select w.webhook_id, f.deliveries, f.delivered, f.failed, f.p95_ms,
             f.delivered::float8 / nullif(f.delivered + f.failed, 0) as success_rate
        from sso.webhook_endpoints w, lateral (
               select count(*)::int as deliveries, count(*) filter (where n.state = 'delivered')::int as delivered,
                      count(*) filter (where n.state = 'failed')::int as failed,
                      percentile_disc(0.95) within group (order by a.duration_ms)::int as p95_ms
                 from (select d.delivery_id, d.state from sso.webhook_deliveries d
                        where d.webhook_id = w.webhook_id and d.created_at > statement_timestamp() - interval '24 h'
                        order by d.created_at desc, d.delivery_id desc limit ${LOOKED_AT}) n
                 left join lateral (select duration_ms from sso.webhook_attempts
                                     where delivery_id = n.delivery_id order by claim desc limit 1) a on true) f
       where w.site_id = ${site_id} and w.deleted_at is null
       order by w.created_at, w.webhook_id`,
  )
  return { items: [...items] }
}

/** What an event says to its receivers, byte for byte. Null once the person it is about has been erased. */
export const WebhookEvent = Type.Object({
  event_id: Uuid,
  event_type: Type.String(),
  created_at: Time,
  payload: Nullable(Type.String()),
})

/** One event of a site, for its ADMIN. 403, 404. */
export async function findEvent({ fast }: Database, caller: Caller, event_id: string) {
  const { site_id } = await requireManaged(fast, caller, { event_id })
  const [event] = await fast<Static<typeof WebhookEvent>[]>`
    select event_id, event_type, created_at,
           case when erased_at is null then convert_from(body, 'UTF8') end as payload
      from sso.webhook_events where event_id = ${event_id} and site_id = ${site_id}`
  if (!event) throw notFound()
  return event
}
