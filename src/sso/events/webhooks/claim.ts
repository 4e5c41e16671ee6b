import type { Database, Pool } from '#foundation/database/database.ts'
import { MAX_LOST_CLAIMS, needsNoFlush } from '#foundation/jobs/leases.ts'

/** A delivery leased by one process. `lease_token` proves it, until the lease expires by the database's clock. */
export type Due = {
  delivery_id: string
  event_id: string
  event_type: string
  webhook_id: string
  site_id: string
  environment: 'sandbox' | 'production'
  body: string | null
  url: string
  attempts: number
  max_attempts: number
  claims: number
  lease_token: string
  is_gone: boolean
  /** The endpoint is active, and confirmed unless this is a ping. */
  is_open: boolean
  is_urgent: boolean
  is_failing: boolean
  secret_enc: Buffer
  secret_old_enc: Buffer | null
  /** The new secret does not sign X-SSO-Signature yet. */
  is_before_switch: boolean
  /** The trace of the change that it tells (formatTraceContext). */
  trace: string | null
}

/**
 * Three worker pools with their own slots, so that none delays another: back channel and pings, other events, and
 * everything for endpoints that have failed three times in a row.
 */
export type Crew = 'urgent' | 'usual' | 'failing'

export type Wanted = {
  crew: Crew
  limit: number
  /** Maximum number of deliveries per endpoint. */
  perEndpoint: number
  /** Free slots of the endpoints that the crew already tracks. */
  rooms: ReadonlyMap<string, number>
  /** Claim only for the endpoints in `rooms`. */
  isRefill: boolean
}

/** Longer than an attempt and the write of its result take. */
export const LEASE_SECONDS = 10

/**
 * Claims the next due deliveries of a crew, oldest first, with the data their attempts need. Endpoints with long queues
 * are queried one by one, so that the length of a queue does not matter.
 */
export async function claimDue({ pool }: Database, wanted: Wanted): Promise<Due[]> {
  const { crew, limit, perEndpoint, rooms, isRefill } = wanted
  const known = [...rooms.keys()]
  const isFailing = pool`(select webhook_id from sso.webhook_endpoints where consecutive_failures >= 3)`
  const isOfCrew =
    crew === 'failing'
      ? pool`webhook_id in ${isFailing}`
      : pool`priority = ${crew === 'urgent' ? 0 : 1} and webhook_id not in ${isFailing}`
  const others =
    crew === 'failing'
      ? pool`select webhook_id from sso.webhook_endpoints where consecutive_failures >= 3`
      : pool`
        select distinct webhook_id from (
          select webhook_id from sso.webhook_deliveries
           where ${isDue(pool)} and ${isOfCrew} and webhook_id <> all(${known}::uuid[])
           order by priority, next_attempt_at, delivery_id limit ${limit}) as eldest`
  const rows = await pool<(Due & { due_at: string })[]>`
    with endpoints as (
      select webhook_id, room from unnest(${known}::uuid[], ${[...rooms.values()]}::int[]) as known (webhook_id, room)
      ${isRefill ? pool`` : pool`union all select webhook_id, ${perEndpoint}::int from (${others}) as others where webhook_id <> all(${known}::uuid[])`}),
    due as (
      select next.delivery_id
        from endpoints cross join lateral (
          select delivery_id, priority, next_attempt_at from sso.webhook_deliveries
           where webhook_id = endpoints.webhook_id and ${isDue(pool)} and ${isOfCrew} and ${needsNoFlush(pool)}
           order by priority, next_attempt_at, delivery_id limit greatest(endpoints.room, 0) for update skip locked) as next
       order by ${crew === 'failing' ? pool`random()` : pool`next.next_attempt_at, next.delivery_id`} limit ${limit})
    update sso.webhook_deliveries d
       set claims = d.claims + 1, lease_token = gen_random_uuid(),
           lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      from due, sso.webhook_events e, sso.webhook_endpoints w, sso.sites i
     where d.delivery_id = due.delivery_id and e.event_id = d.event_id and w.webhook_id = d.webhook_id
       and i.site_id = w.site_id
    returning d.delivery_id, d.event_id, d.event_type, d.webhook_id, i.site_id, i.environment,
              convert_from(e.body, 'UTF8') as body, w.url, d.attempts, d.max_attempts, d.claims, d.lease_token, d.trace,
              d.next_attempt_at as due_at,
              w.deleted_at is not null or i.deleted_at is not null as is_gone,
              w.status = 'active' and (w.confirmed_at is not null or d.event_type = 'ping') as is_open,
              d.priority = 0 as is_urgent, w.consecutive_failures > 0 as is_failing, i.webhook_secret_enc as secret_enc,
              case when i.webhook_switch_at + interval '24 h' > statement_timestamp()
                   then i.webhook_secret_old_enc end as secret_old_enc,
              coalesce(i.webhook_switch_at > statement_timestamp(), false) as is_before_switch`
  return rows.toSorted((a, b) => (a.due_at + a.delivery_id < b.due_at + b.delivery_id ? -1 : 1))
}

/** After fifty claims without a result, the delivery is held for a person to look at. */
export const isStuck = (sql: Pool) => sql`claims - attempts >= ${MAX_LOST_CLAIMS}`

const isDue = (sql: Pool) => sql`
  state = 'pending' and next_attempt_at <= statement_timestamp()
  and (lease_until is null or lease_until < statement_timestamp()) and not ${isStuck(sql)}`

/**
 * Releases leases. Deliveries in `waits` (delivery_id to milliseconds) are due again after that time and do not use up
 * a claim.
 */
export async function giveBack(
  { pool }: Database,
  due: readonly Due[],
  waits: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  await pool`
    update sso.webhook_deliveries d
       set claims = d.claims - case when b.ms is null then 0 else 1 end, lease_token = null, lease_until = null,
           next_attempt_at = case when b.ms is null then d.next_attempt_at
                                  else clock_timestamp() + make_interval(secs => b.ms / 1000) end
      from unnest(${due.map(({ delivery_id }) => delivery_id)}::uuid[],
                  ${due.map(({ lease_token }) => lease_token)}::uuid[],
                  ${due.map(({ delivery_id }) => waits.get(delivery_id) ?? null)}::float8[])
             as b (delivery_id, lease_token, ms)
     where d.delivery_id = b.delivery_id and d.lease_token = b.lease_token and d.state = 'pending'`
}

/**
 * Records the start of attempts, so that one that never ends is visible in the log. Like the claim, it does not wait
 * for the disk.
 */
export async function noteBegin({ pool }: Database, due: readonly Due[]): Promise<void> {
  if (due.length === 0) return
  await pool`
    insert into sso.webhook_attempts (delivery_id, claim)
    select delivery_id, claim
      from unnest(${due.map(({ delivery_id }) => delivery_id)}::uuid[], ${due.map(({ claims }) => claims)}::int[])
             as j (delivery_id, claim)
     where ${needsNoFlush(pool)}
    on conflict (delivery_id, claim) do update set started_at = clock_timestamp(), finished_at = null`
}
