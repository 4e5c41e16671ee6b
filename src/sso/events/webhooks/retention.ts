import { type Database, type Lane, one, type Pool } from '#foundation/database/database.ts'

/** Days that events, deliveries and attempts are kept, unless a production site sets its own. */
export const KEPT_DAYS = 30
/** Hours after the switch during which the replaced secret still signs too. */
const OVERLAP_HOURS = 24
/** Rows per batch, to keep locks short. */
const BATCH = 1_000

/**
 * Deletes expired events with their deliveries and attempts, processed facts, and expired secrets. Events with pending
 * deliveries stay. Safe to run concurrently. Returns the number of deleted events.
 */
export async function sweepWebhooks(db: Database): Promise<number> {
  let events = 0
  for (let swept = BATCH; swept === BATCH; events += swept) swept = await sweepEvents(db)
  for (let swept = BATCH; swept === BATCH;) swept = await sweepFacts(db)
  await db.pool`
    update sso.sites set webhook_secret_old_enc = null, webhook_switch_at = null
     where webhook_secret_old_enc is not null
       and webhook_switch_at < statement_timestamp() - make_interval(hours => ${OVERLAP_HOURS})`
  return events
}

/** The number of events a sweep would delete now. */
export async function countOldEvents(pool: Pool): Promise<number> {
  const rows = await pool<{ total: number }[]>`
    select count(*) as total from sso.webhook_events e join sso.sites i using (site_id) where ${isOld(pool)}`
  return one(rows).total
}

/** Condition on an event `e` of site `i`. */
const isOld = (sql: Lane) => sql`
  e.created_at < statement_timestamp() - make_interval(days => 1)
  and e.created_at < statement_timestamp() - make_interval(days =>
        case i.environment when 'production' then coalesce(i.retention_days, ${KEPT_DAYS}) else ${KEPT_DAYS} end)
  and not exists (
    select from sso.webhook_deliveries d where d.event_id = e.event_id and d.state = 'pending')`

/** Deliveries and attempts are deleted with their event. */
async function sweepEvents({ pool }: Database): Promise<number> {
  const { count } = await pool`
    delete from sso.webhook_events where event_id = any(array(
      select e.event_id
        from sso.webhook_events e join sso.sites i using (site_id)
       where ${isOld(pool)}
       order by e.created_at, e.event_id limit ${BATCH} for update of e skip locked))`
  return count
}

async function sweepFacts({ pool }: Database): Promise<number> {
  const { count } = await pool`
    delete from sso.webhook_facts where fact_id = any(array(
      select fact_id from sso.webhook_facts
       where data is null and occurred_at < statement_timestamp() - make_interval(days => ${KEPT_DAYS})
       order by occurred_at, fact_id limit ${BATCH} for update skip locked))`
  return count
}
