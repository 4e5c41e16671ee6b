import { clock } from '#foundation/clock.ts'
import type { Database, Tx } from '#foundation/database.ts'
import { type Finished, type Job, needsNoFlush } from '#foundation/jobs/jobs.ts'
import type { BatchHandler } from '#foundation/jobs/runner.ts'
import type { openOutbound, OutboundReply } from '#foundation/outbound.ts'
import type { MasterKeys } from '#foundation/secrets.ts'
import { disableDead } from './auto-disable.ts'
import { findShut, queueRelease } from './held.ts'
import { confirm } from './ping.ts'
import type { PolicyFor } from './policy.ts'
import { openSecret } from './secrets.ts'
import { type Secrets, signedHeaders } from './signature.ts'

export type Send = ReturnType<typeof openOutbound>['send']

/** What ended an attempt other than 2xx (docs/choices.md); `gone` is an endpoint that was deleted meanwhile. */
export type Failure = Exclude<OutboundReply, { ok: true }>['error'] | 'http_status' | 'gone'

type Noted = {
  result: 'delivered' | 'held' | Failure
  response_status: number | null
  retry_after: string | null
  duration_ms: number
}
type Due = {
  delivery_id: string
  event_id: string
  event_type: string
  webhook_id: string
  site_id: string
  environment: 'sandbox' | 'production'
  body: string | null
  url: string
  is_gone: boolean
  /** Active, and confirmed unless this is a ping. */
  is_open: boolean
  is_failing: boolean
  secret_enc: Buffer
  secret_old_enc: Buffer | null
  /** The new secret does not sign X-SSO-Signature yet. */
  is_before_switch: boolean
}

export type DeliveryParts = {
  keys: MasterKeys
  send: Send
  policyFor: PolicyFor
  onAttempt?: (result: Noted['result']) => void
  /** Called in the transaction that ends the last attempt of a user.account.deleted: its ADMINs are to be told. */
  onDeletionUntold?: (
    tx: Tx,
    deliveries: { site_id: string; event_id: string; webhook_url: string }[],
  ) => Promise<void>
}

/** Longer than any name or date a partner could mean. */
const RETRY_AFTER_LENGTH = 64

/**
 * One POST of the stored bytes, with one deadline of 5 s over name, connection and answer. Any 2xx is a success, anything
 * else a failure on the schedule; redirects are not followed, a body is drained and never kept.
 */
export const deliveryHandler = (parts: DeliveryParts): BatchHandler<Due, Noted> => ({
  async begin(db, jobs) {
    const due = await beginAttempts(db, jobs)
    return new Map(due.map((one) => [one.delivery_id, one]))
  },
  async work(due) {
    const noted = await attempt(parts, due)
    parts.onAttempt?.(noted.result)
    if (noted.result === 'delivered' || noted.result === 'held') return { noted, countsLate: true }
    return { noted, error: noted.result, isFinal: noted.result === 'gone' }
  },
  async record(tx, ended) {
    await recordAttempts(
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
    const untold = ended.filter(
      ({ given, finished }) => finished.state === 'failed' && given.event_type === 'user.account.deleted',
    )
    if (untold.length > 0)
      await parts.onDeletionUntold?.(
        tx,
        untold.map(({ given: { site_id, event_id, url } }) => ({ site_id, event_id, webhook_url: url })),
      )
  },
})

/** Notes that the attempts begin, and reads what they send. A delivery that is no more has nothing left to do. */
function beginAttempts({ pool }: Database, jobs: readonly Job[]): Promise<Due[]> {
  return pool<Due[]>`
    with due as (
      select d.delivery_id, d.event_id, d.webhook_id, d.event_type, j.claim
        from unnest(${jobs.map(({ job_id }) => job_id)}::uuid[], ${jobs.map(({ claims }) => claims)}::int[])
               as j (delivery_id, claim)
        join sso.webhook_deliveries d using (delivery_id)
       where d.state = 'pending' and ${needsNoFlush(pool)}),
    begun as (
      insert into sso.webhook_attempts (delivery_id, claim) select delivery_id, claim from due
      on conflict (delivery_id, claim) do update set started_at = clock_timestamp(), finished_at = null)
    select due.delivery_id, due.event_id, due.event_type, due.webhook_id, i.site_id, i.environment, convert_from(e.body, 'UTF8') as body,
           w.url, w.deleted_at is not null or i.deleted_at is not null as is_gone, 
           w.status = 'active' and (w.confirmed_at is not null or due.event_type = 'ping') as is_open,
           w.consecutive_failures > 0 as is_failing, i.webhook_secret_enc as secret_enc,
           case when i.webhook_switch_at + interval '24 h' > statement_timestamp()
                then i.webhook_secret_old_enc end as secret_old_enc,
           coalesce(i.webhook_switch_at > statement_timestamp(), false) as is_before_switch
      from due
      join sso.webhook_events e using (event_id)
      join sso.webhook_endpoints w using (webhook_id)
      join sso.sites i on i.site_id = w.site_id`
}

async function attempt(parts: DeliveryParts, due: Due): Promise<Noted> {
  const nothing = { response_status: null, retry_after: null, duration_ms: 0 }
  if (due.is_gone || due.body === null) return { ...nothing, result: 'gone' }
  if (!due.is_open) return { ...nothing, result: 'held' }
  const body = Buffer.from(due.body)
  const timestamp = Math.floor(clock.now() / 1_000)
  const reply = await parts.send({
    url: due.url,
    method: 'POST',
    headers: signedHeaders(due.event_id, body, secretsOf(parts.keys, due), timestamp),
    body,
    policy: parts.policyFor(due.environment),
    // Stricter than by site: endpoints of one site do not wait for each other's connections either.
    partition: `${due.site_id}/${due.url}`,
  })
  const { duration_ms } = reply
  if (!reply.ok) return { ...nothing, result: reply.error, duration_ms }
  const retry_after = reply.headers['retry-after']
  return {
    result: reply.status >= 200 && reply.status < 300 ? 'delivered' : 'http_status',
    response_status: reply.status,
    retry_after: retry_after === undefined ? null : String(retry_after).slice(0, RETRY_AFTER_LENGTH),
    duration_ms,
  }
}

function secretsOf(
  keys: MasterKeys,
  { site_id, secret_enc, secret_old_enc, is_before_switch }: Due,
): Secrets {
  const fresh = openSecret(keys, site_id, secret_enc)
  if (secret_old_enc === null) return { current: fresh }
  const old = openSecret(keys, site_id, secret_old_enc)
  return is_before_switch ? { current: old, other: fresh } : { current: fresh, other: old }
}

const isFailure = ({ result }: Noted) => result !== 'delivered' && result !== 'held' && result !== 'gone'

const stateOf = ({ result }: Noted, { state, attempts, run_at }: Finished) => ({
  attempts: result === 'held' ? attempts - 1 : attempts,
  next_attempt_at: state === 'pending' ? run_at : null,
  state: state !== 'done' ? state : result === 'held' ? 'held' : 'delivered',
})

type Ended = Noted & ReturnType<typeof stateOf> & { job: Job }

async function recordAttempts(tx: Tx, ended: readonly Ended[]) {
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
  // Nothing was sent.
  const held = ended.filter(({ result }) => result === 'held').map(({ job }) => job.job_id)
  if (held.length > 0)
    await tx`delete from sso.webhook_attempts where delivery_id = any(${held}::uuid[]) and error = 'held'`
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
async function countFailures(tx: Tx, ended: readonly { job: Job; given: Due; noted: Noted }[]) {
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
