import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import { type EventType, JOB_KINDS, priorityOf } from './events.ts'

type Data = { [name: string]: unknown }

/** A change that sites must be told about. Created by the builders in telling.ts. */
export type Fact = {
  /** By default a new one. A fact whose id is known already is recorded no second time. */
  fact_id?: string
  /** By default now. */
  occurred_at?: string
  event_type: EventType
  environment: 'sandbox' | 'production'
  /** The person the event is about: their erasure blanks its bodies. */
  subject_user_id: string | null
  /**
   * Null: the whole network, that is every approved production site, or in the sandbox the tenant of `origin_site_id`.
   */
  site_ids: readonly string[] | null
  data: Data
  /** Sent instead of `data` to every site but `origin_site_id`. */
  data_public?: Data
  origin_site_id?: string | null
}

/** Retry delay of a failed fan-out in seconds; it is retried until it succeeds. */
const FAN_OUT_AGAIN = 5

/**
 * Records a fact and queues its fan-out, in the transaction of the change, so that all commit together. The commit
 * wakes the runner.
 */
export const recordFact = (tx: Tx, fact: Fact): Promise<void> => recordFacts(tx, [fact])

/**
 * The same for several facts of one change. A fact that no existing endpoint could want is not written: every sign-in
 * is a fact, and most sites subscribe to none.
 */
export async function recordFacts(tx: Tx, facts: readonly Fact[]): Promise<void> {
  const told = facts.filter(({ site_ids }) => site_ids === null || site_ids.length > 0)
  if (told.length === 0) return
  const rows = told.map((fact) => ({ fact_id: newId(), ...fact }))
  const written = await tx<{ fact_id: string; event_type: EventType }[]>`
    insert into sso.webhook_facts (fact_id, event_type, environment, subject_user_id, site_ids, origin_site_id, data,
                                   data_public, occurred_at)
    select fact_id, event_type, environment, subject_user_id, site_ids, origin_site_id, data, data_public,
           coalesce(occurred_at, clock_timestamp())
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as fact (
           fact_id uuid, event_type text, environment text, subject_user_id uuid, site_ids uuid[], origin_site_id uuid,
           data json, data_public json, occurred_at timestamptz)
     where exists (
             select from sso.webhook_endpoints e
              where e.site_id = any(fact.site_ids) and e.deleted_at is null)
        or exists (
             select from sso.webhook_endpoints e join sso.sites i using (site_id) join sso.sites o using (tenant_id)
              where e.all_sites and e.deleted_at is null and o.site_id = any(fact.site_ids))
        or fact.site_ids is null and exists (
             select from sso.webhook_endpoints e join sso.sites i using (site_id)
              where e.deleted_at is null and i.environment = fact.environment and (
                    i.environment = 'production'
                    or i.tenant_id = (select tenant_id from sso.sites where site_id = fact.origin_site_id)))
    on conflict (fact_id) do nothing
    returning fact_id, event_type`
  const urgencies = Map.groupBy(written, ({ event_type }) => priorityOf(event_type))
  await enqueue(
    tx,
    [...urgencies].map(([priority, facts]) => ({
      kind: JOB_KINDS.fan_out,
      priority,
      payload: { fact_ids: facts.map(({ fact_id }) => fact_id) },
      delays: [FAN_OUT_AGAIN],
      is_endless: true,
    })),
  )
}

/**
 * Blanks the event bodies about a person: now if no delivery is pending (held ones included), else when those
 * deliveries have ended. Call it in the erasure's transaction before recording the erasure's own facts, which hold only
 * ids and stay replayable.
 */
export async function eraseEventsOf(tx: Tx, user_id: string): Promise<void> {
  // The fan-out locks the facts: those it has not processed by now, it will find erased.
  await tx`
    update sso.webhook_facts set erased_at = clock_timestamp()
     where subject_user_id = ${user_id} and data is not null`
  // Any process that ends one of these deliveries has done so before this lock, or will see that the event is erased.
  await tx`
    select d.delivery_id from sso.webhook_events e join sso.webhook_deliveries d using (event_id)
     where e.subject_user_id = ${user_id} and e.erased_at is null and d.state = 'pending'
     order by d.delivery_id for update of d`
  await tx`
    update sso.webhook_events e
       set erased_at = clock_timestamp(),
           body = case when exists (
             select from sso.webhook_deliveries d where d.event_id = e.event_id and d.state = 'pending')
             then e.body end
     where e.subject_user_id = ${user_id} and e.erased_at is null`
}
