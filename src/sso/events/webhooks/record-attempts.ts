import type { Tx } from '#foundation/database/database.ts'
import { scheduleOf } from '../facts/events.ts'
import { type Due, LEASE_SECONDS } from './claim.ts'
import type { Noted } from './deliver.ts'
import { findShut, queueRelease } from './held.ts'
import { confirm } from './ping.ts'

export type Attempted = { due: Due; noted: Noted }

/** The new state of a delivery. `due_in_ms` is set when it will be retried. */
export type Ended = { state: 'pending' | 'delivered' | 'failed' | 'held'; due_in_ms?: number }

/**
 * Records the results of attempts, updates their endpoints and blanks bodies nobody needs any more. A result whose
 * lease has passed to another process is ignored, unless it is 2xx: the partner has the event.
 */
export async function recordAttempts(
  tx: Tx,
  all: readonly Attempted[],
  onDeletionFailed?: OnDeletionFailed,
): Promise<ReadonlyMap<string, Ended>> {
  const ends = await endAttempts(tx, all)
  const ended = all.filter(({ due }) => ends.has(due.delivery_id))
  const isNow = ({ due }: Attempted, state: Ended['state']) => ends.get(due.delivery_id)?.state === state
  const delivered = ended.filter((one) => isNow(one, 'delivered'))
  const failures = ended.filter(isFailure)
  await blankErased(
    tx,
    ended.filter((one) => !isNow(one, 'pending')),
  )
  const pings = delivered.filter(({ due }) => due.event_type === 'ping')
  await confirm(
    tx,
    pings.map(({ due }) => due),
  )
  await releaseIfOpened(tx, endpointsOf(ended.filter((one) => isNow(one, 'held'))))
  await countFailures(tx, failures)
  await forgetFailures(tx, endpointsOf(delivered.filter(({ due }) => due.is_failing)))
  await disableDead(tx, endpointsOf(failures))
  const untold = ended.filter((one) => one.due.event_type === 'user.account.deleted' && isNow(one, 'failed'))
  const failed = untold.map(({ due: { site_id, event_id, url } }) => ({
    site_id,
    event_id,
    webhook_url: url,
  }))
  if (failed.length > 0) await onDeletionFailed?.(tx, failed)
  return ends
}

export type OnDeletionFailed = (
  tx: Tx,
  deliveries: { site_id: string; event_id: string; webhook_url: string }[],
) => Promise<void>

const endpointsOf = (all: readonly Attempted[]) => all.map(({ due }) => due.webhook_id)

/** A failure caused by the receiver or the network, not by us. */
const isFailure = ({ noted: { result } }: Attempted) =>
  !['delivered', 'held', 'gone', 'internal'].includes(result)

/** A held delivery was not attempted, so it uses up no attempt. */
function endOf({ due, noted }: Attempted): { state: Ended['state']; delay: number | null } {
  if (noted.result === 'delivered' || noted.result === 'held') return { state: noted.result, delay: null }
  const isLast = noted.result === 'gone' || due.attempts + 1 >= due.max_attempts
  return isLast
    ? { state: 'failed', delay: null }
    : { state: 'pending', delay: scheduleOf(due.event_type)[due.attempts] ?? null }
}

type Written = { delivery_id: string; state: Ended['state']; due_in_ms: number | null }

async function endAttempts(tx: Tx, all: readonly Attempted[]): Promise<ReadonlyMap<string, Ended>> {
  const ends = all.map((one) => ({ ...one.due, ...one.noted, ...endOf(one) }))
  const column = <T>(pick: (one: (typeof ends)[number]) => T) => ends.map(pick)
  const rows = await tx<Written[]>`
    with e as (
      select * from unnest(
        ${column(({ delivery_id }) => delivery_id)}::uuid[], ${column(({ lease_token }) => lease_token)}::uuid[],
        ${column(({ claims }) => claims)}::int[], ${column(({ state }) => state)}::text[],
        ${column(({ delay }) => delay)}::int[],
        ${column(({ result }) => (result === 'delivered' ? null : result))}::text[],
        ${column(({ response_status }) => response_status)}::int[],
        ${column(({ retry_after }) => retry_after)}::text[],
        ${column(({ duration_ms }) => duration_ms)}::int[])
        as e (delivery_id, lease_token, claim, state, delay, error, response_status, retry_after, duration_ms)),
    ended as (
      update sso.webhook_deliveries d
         set state = e.state, lease_token = null, lease_until = null,
             attempts = d.attempts + case e.state when 'held' then 0 else 1 end,
             claims = d.claims - case e.state when 'held' then 1 else 0 end,
             -- Due since the claim: somebody asked for an attempt that this one, which had begun, is not.
             next_attempt_at = case
               when e.state = 'pending' and d.next_attempt_at > d.lease_until - make_interval(secs => ${LEASE_SECONDS})
               then d.next_attempt_at else clock_timestamp() + make_interval(secs => e.delay) end,
             delivered_at = case when e.state = 'delivered' then clock_timestamp() end
        from e
       where d.delivery_id = e.delivery_id and d.state = 'pending'
         and (d.lease_token = e.lease_token or e.state = 'delivered')
      returning d.delivery_id, d.state, d.next_attempt_at),
    attempt as (
      update sso.webhook_attempts a
         set finished_at = clock_timestamp(), response_status = e.response_status, error = e.error,
             retry_after = e.retry_after, duration_ms = e.duration_ms
        from e join ended using (delivery_id) where a.delivery_id = e.delivery_id and a.claim = e.claim)
    select delivery_id, state,
           greatest(0, ceil(extract(epoch from next_attempt_at - clock_timestamp()) * 1000))::int as due_in_ms
      from ended`
  return new Map(
    rows.map(({ delivery_id, state, due_in_ms }) => [
      delivery_id,
      { state, ...(state === 'pending' && due_in_ms !== null && { due_in_ms }) },
    ]),
  )
}

/** Releases deliveries whose endpoint was opened after they had been found to be held; nothing else would. */
async function releaseIfOpened(tx: Tx, webhook_ids: readonly string[]) {
  if (webhook_ids.length === 0) return
  const shut = await findShut(tx, webhook_ids)
  for (const webhook_id of new Set(webhook_ids)) if (!shut.has(webhook_id)) await queueRelease(tx, webhook_id)
}

/** Blanks bodies of erased people that were kept only for these deliveries. */
async function blankErased(tx: Tx, over: readonly Attempted[]) {
  if (over.length === 0) return
  await tx`
    update sso.webhook_events e set body = null
     where e.event_id = any(${over.map(({ due }) => due.event_id)}::uuid[])
       and e.erased_at is not null and e.body is not null
       and not exists (
         select from sso.webhook_deliveries d where d.event_id = e.event_id and d.state = 'pending')`
}

/** Does nothing for working endpoints, so they cost nothing. */
async function countFailures(tx: Tx, failures: readonly Attempted[]) {
  if (failures.length === 0) return
  const failed = endpointsOf(failures)
  const errors = failures.map(({ noted: { result, response_status } }) =>
    response_status === null ? result : `${result} ${response_status}`,
  )
  await tx`
    with f as (
      select webhook_id, count(*)::int as times, max(error) as error
        from unnest(${failed}::uuid[], ${errors}::text[]) as f (webhook_id, error) group by 1),
    locked as (
      select w.webhook_id from sso.webhook_endpoints w
       where w.webhook_id = any(${failed}::uuid[]) order by w.webhook_id for no key update)
    update sso.webhook_endpoints w
       set consecutive_failures = w.consecutive_failures + f.times, last_error = f.error,
           failing_since = coalesce(w.failing_since, clock_timestamp())
      from f join locked using (webhook_id) where w.webhook_id = f.webhook_id`
}

async function forgetFailures(tx: Tx, webhook_ids: readonly string[]) {
  if (webhook_ids.length === 0) return
  await tx`
    update sso.webhook_endpoints set consecutive_failures = 0, failing_since = null, last_error = null
     where webhook_id = any(${webhook_ids as string[]}::uuid[]) and consecutive_failures > 0`
}

/** Days of continuous failure after which an endpoint with auto_disable is disabled. */
const PATIENCE_DAYS = 5

/** Disables endpoints with auto_disable that have failed for days; their new events are held from then on. */
async function disableDead(tx: Tx, webhook_ids: readonly string[]): Promise<void> {
  if (webhook_ids.length === 0) return
  await tx`
    update sso.webhook_endpoints set status = 'disabled', updated_at = clock_timestamp()
     where webhook_id = any(${webhook_ids as string[]}::uuid[]) and auto_disable and status = 'active'
       and failing_since < clock_timestamp() - make_interval(days => ${PATIENCE_DAYS})`
}
