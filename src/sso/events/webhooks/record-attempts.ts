import type { Tx } from '#foundation/database.ts'
import type { Recorded } from '#foundation/jobs/batch.ts'
import { type Job } from '#foundation/jobs/jobs.ts'
import { type Finished } from '#foundation/jobs/finish.ts'
import type { OutboundReply } from '#foundation/outbound.ts'
import { disableDead } from './auto-disable.ts'
import type { Due } from './begin-attempts.ts'
import { findShut, queueRelease } from './held.ts'
import { confirm } from './ping.ts'

/** What ended an attempt other than 2xx (docs/choices-sso.md); `gone` is an endpoint that was deleted meanwhile. */
export type Failure = Exclude<OutboundReply, { ok: true }>['error'] | 'http_status' | 'gone'

export type Noted = {
  result: 'delivered' | 'held' | Failure
  response_status: number | null
  retry_after: string | null
  duration_ms: number
}

/** Writes down how attempts ended, and what that means for their endpoints and for bodies nobody needs any more. */
export async function recordAttempts(tx: Tx, ended: readonly Recorded<Due, Noted>[]): Promise<void> {
  await writeAttempts(
    tx,
    ended.map(({ job, noted, finished }) => ({ job, ...noted, ...stateOf(noted, finished) })),
  )
  await blankErased(
    tx,
    ended.filter(({ finished }) => finished.state !== 'pending').map(({ given }) => given),
  )
  await confirm(
    tx,
    ended
      .filter(({ given, noted }) => given.event_type === 'ping' && noted.result === 'delivered')
      .map(({ given }) => given),
  )
  await releaseIfOpened(
    tx,
    ended.filter(({ noted }) => noted.result === 'held').map(({ given }) => given.webhook_id),
  )
  await countFailures(tx, ended)
  await disableDead(
    tx,
    ended.filter(({ noted }) => isFailure(noted)).map(({ job }) => job.lane),
  )
}

/** An attempt that the receiver, or the way there, is to blame for. */
const isFailure = ({ result }: Noted) => result !== 'delivered' && result !== 'held' && result !== 'gone'

const stateOf = ({ result }: Noted, { state, attempts, run_at }: Finished) => ({
  attempts: result === 'held' ? attempts - 1 : attempts,
  next_attempt_at: state === 'pending' ? run_at : null,
  state: state !== 'done' ? state : result === 'held' ? 'held' : 'delivered',
})

type Ended = Noted & ReturnType<typeof stateOf> & { job: Job }

async function writeAttempts(tx: Tx, ended: readonly Ended[]) {
  const column = <T>(pick: (one: Ended) => T) => ended.map(pick)
  await tx`
    with ended as (
      select * from unnest(
        ${column(({ job }) => job.job_id)}::uuid[], ${column(({ job }) => job.claims)}::int[],
        ${column(({ state }) => state)}::text[], ${column(({ attempts }) => attempts)}::int[],
        ${column(({ next_attempt_at }) => next_attempt_at)}::timestamptz[],
        ${column(({ result }) => (result === 'delivered' ? null : result))}::text[],
        ${column(({ response_status }) => response_status)}::int[],
        ${column(({ retry_after }) => retry_after)}::text[],
        ${column(({ duration_ms }) => duration_ms)}::int[])
        as e (delivery_id, claim, state, attempts, next_attempt_at, error, response_status, retry_after, duration_ms)),
    attempt as (
      update sso.webhook_attempts a
         set finished_at = clock_timestamp(), response_status = e.response_status, error = e.error,
             retry_after = e.retry_after, duration_ms = e.duration_ms
        from ended e where a.delivery_id = e.delivery_id and a.claim = e.claim)
    update sso.webhook_deliveries d
       set state = e.state, attempts = e.attempts, next_attempt_at = e.next_attempt_at,
           delivered_at = case when e.state = 'delivered' then clock_timestamp() end
      from ended e where d.delivery_id = e.delivery_id`
}

/** Endpoints that were opened after these deliveries had been found to be held: nobody else would release them. */
async function releaseIfOpened(tx: Tx, webhook_ids: readonly string[]) {
  if (webhook_ids.length === 0) return
  const shut = await findShut(tx, webhook_ids)
  for (const webhook_id of new Set(webhook_ids)) if (!shut.has(webhook_id)) await queueRelease(tx, webhook_id)
}

/** Bodies of an erased person that were only kept for these deliveries. */
async function blankErased(tx: Tx, over: readonly Due[]) {
  if (over.length === 0) return
  await tx`
    update sso.webhook_events e set body = null
     where e.event_id = any(${over.map(({ event_id }) => event_id)}::uuid[])
       and e.erased_at is not null and e.body is not null
       and not exists (
         select from sso.webhook_deliveries d where d.event_id = e.event_id and d.state = 'pending')`
}

/** An endpoint that works costs nothing here. */
async function countFailures(tx: Tx, ended: readonly Recorded<Due, Noted>[]) {
  const failures = ended.filter(({ noted }) => isFailure(noted))
  const failed = failures.map(({ job }) => job.lane)
  const errors = failures.map(({ noted: { result, response_status } }) =>
    response_status === null ? result : `${result} ${response_status}`,
  )
  const recovered = ended
    .filter(({ given, noted }) => given.is_failing && noted.result === 'delivered')
    .map(({ job }) => job.lane)
  if (failed.length > 0)
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
  if (recovered.length > 0)
    await tx`
      update sso.webhook_endpoints set consecutive_failures = 0, failing_since = null, last_error = null
       where webhook_id = any(${recovered}::uuid[]) and consecutive_failures > 0`
}
