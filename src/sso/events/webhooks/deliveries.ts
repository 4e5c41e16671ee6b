import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireManaged } from './access.ts'
import { EVENT_TYPES } from '../facts/events.ts'

const STATUSES = ['pending', 'retrying', 'delivered', 'failed', 'held'] as const

/** One run of one event to one endpoint. Neither the request body nor the response is shown. */
export type Delivery = Static<typeof Delivery>
export const Delivery = Type.Object({
  event_id: Uuid,
  event_type: Type.String(),
  webhook_id: Uuid,
  webhook_url: Type.String(),
  site_code: Type.String(),
  status: OneOf([...STATUSES]),
  attempt_count: Type.Integer(),
  max_attempts: Type.Integer(),
  next_attempt_at: Nullable(Time),
  created_at: Time,
  delivered_at: Nullable(Time),
  run: Type.Integer(),
  replay_of_run: Nullable(Type.Integer()),
  attempts: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      attempted_at: Time,
      duration_ms: Nullable(Type.Integer()),
      response_status: Nullable(Type.Integer()),
      error: Nullable(Type.String()),
      retry_after: Nullable(Type.String()),
    }),
  ),
})

export type DeliveryQuery = Static<typeof DeliveryQuery>
export const DeliveryQuery = Type.Object({
  ...CursorQuery.properties,
  status: Type.Optional(OneOf([...STATUSES])),
  event_type: Type.Optional(OneOf([...EVENT_TYPES, 'ping'])),
  event_id: Type.Optional(Uuid),
  webhook_id: Type.Optional(Uuid),
  created_after: Type.Optional(Time),
  site_code: Type.Optional(Type.String()),
})

/**
 * For `d`, joined with its endpoint `w` and site `i`. An attempt without an end is in flight, or its process died. An
 * interrupted attempt has no number and does not count towards max_attempts.
 */
const deliveryColumns = (sql: Lane) => sql`
  d.event_id, d.event_type, d.webhook_id, w.url as webhook_url, i.site_code,
  case when d.state = 'pending' and d.attempts > 0 then 'retrying' else d.state end as status,
  d.attempts as attempt_count, d.max_attempts, d.next_attempt_at, d.created_at, d.delivered_at, d.run,
  case when d.run > 1 then d.run - 1 end as replay_of_run,
  array(select jsonb_build_object(
                 'attempt', row_number() over (order by a.claim), 'attempted_at', foundation.iso(a.started_at),
                 'duration_ms', a.duration_ms, 'response_status', a.response_status, 'error', a.error,
                 'retry_after', a.retry_after)
          from sso.webhook_attempts a where a.delivery_id = d.delivery_id order by a.claim) as attempts`

/** Lists a site's deliveries for its ADMIN, newest first. 403, 404. */
export async function listDeliveries(db: Database, caller: Caller, query: DeliveryQuery) {
  const { fast, pool } = db
  const { site_code = caller.site_code, status, event_type, event_id, webhook_id, created_after } = query
  const { order, after, skip } = startOf('deliveries:-created_at', caller, query)
  const { site_id } = await requireManaged(fast, caller, { site_code })
  const isAsked = pool`
    d.site_id = ${site_id}
    ${status === undefined ? pool`` : isOf(pool, status)}
    ${event_type === undefined ? pool`` : pool`and d.event_type = ${event_type}`}
    ${event_id === undefined ? pool`` : pool`and d.event_id = ${event_id}`}
    ${webhook_id === undefined ? pool`` : pool`and d.webhook_id = ${webhook_id}`}
    ${created_after === undefined ? pool`` : pool`and d.created_at > ${created_after}`}`
  // The log of a busy site is long, so it does not use the fast lane.
  const [found, count] = await bothOf(db.lists, caller.user_id, [
    pool<(Delivery & { delivery_id: string })[]>`
      with shown as (
        select d.delivery_id, d.event_id, d.event_type, d.webhook_id, d.site_id, d.state, d.attempts, d.max_attempts,
               d.next_attempt_at, d.created_at, d.delivered_at, d.run
          from sso.webhook_deliveries d where ${isAsked}
               ${after ? pool`and (d.created_at, d.delivery_id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
         order by d.created_at desc, d.delivery_id desc limit ${query.per_page + 1} offset ${skip})
      select d.delivery_id, ${deliveryColumns(pool)}
        from shown d
        join sso.webhook_endpoints w using (webhook_id) join sso.sites i on i.site_id = d.site_id
       order by d.created_at desc, d.delivery_id desc`,
    pool<{ total: number }[]>`select count(*) as total from sso.webhook_deliveries d where ${isAsked}`,
  ])
  return cursorPage(
    { found, count, query, order },
    ({ delivery_id: id, created_at: key }) => ({ id, key }),
    ({ delivery_id: _id, ...delivery }) => delivery,
  )
}

function isOf(sql: Lane, status: (typeof STATUSES)[number]) {
  if (status === 'pending') return sql`and d.state = 'pending' and d.attempts = 0`
  if (status === 'retrying') return sql`and d.state = 'pending' and d.attempts > 0`
  return sql`and d.state = ${status}`
}

/** Sorted by age, oldest first. */
export async function readDeliveries(sql: Lane, delivery_ids: readonly string[]): Promise<Delivery[]> {
  const rows = await sql<Delivery[]>`
    select ${deliveryColumns(sql)}
      from sso.webhook_deliveries d
      join sso.webhook_endpoints w using (webhook_id) join sso.sites i on i.site_id = d.site_id
     where d.delivery_id = any(${delivery_ids as string[]}::uuid[])
     order by d.created_at, d.delivery_id`
  return [...rows]
}
