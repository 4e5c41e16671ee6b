import { clock } from '#foundation/clock.ts'
import type { Tx } from '#foundation/database.ts'
import type { BatchHandler } from '#foundation/jobs/runner.ts'
import type { openOutbound } from '#foundation/outbound.ts'
import type { MasterKeys } from '#foundation/secrets.ts'
import { beginAttempts, type BeginParts, type Due, isGone } from './begin-attempts.ts'
import type { PolicyFor } from './policy.ts'
import { type Noted, recordAttempts } from './record-attempts.ts'
import { openSecret } from './secrets.ts'
import { type Secrets, signedHeaders } from './signature.ts'

export type Send = ReturnType<typeof openOutbound>['send']

export type DeliveryParts = BeginParts & {
  keys: MasterKeys
  send: Send
  policyFor: PolicyFor
  onAttempt?: (result: Noted['result']) => void
  /** Called in the transaction that ends the last attempt of a user.account.deleted: its ADMINs are to be told. */
  onDeletionFailed?: (
    tx: Tx,
    deliveries: { site_id: string; event_id: string; webhook_url: string }[],
  ) => Promise<void>
}

const NOTHING_SENT: Noted = { result: 'held', response_status: null, retry_after: null, duration_ms: 0 }

/** Longer than any name or date a partner could mean. */
const RETRY_AFTER_LENGTH = 64

/**
 * One POST of the stored bytes, with one deadline of 5 s over name, connection and answer. Any 2xx is a success, anything
 * else a failure on the schedule; redirects are not followed, a body is drained and never kept.
 */
export const deliveryHandler = (parts: DeliveryParts): BatchHandler<Due, Noted> => ({
  async begin(db, jobs) {
    const due = await beginAttempts(db, jobs, parts)
    return new Map(due.map((one) => [one.delivery_id, one]))
  },
  async work(due) {
    if (due.wait_ms !== undefined) return { noted: NOTHING_SENT, postponed_ms: due.wait_ms }
    const noted = await attempt(parts, due)
    parts.onAttempt?.(noted.result)
    if (noted.result === 'delivered' || noted.result === 'held') return { noted, countsLate: true }
    return { noted, error: noted.result, isFinal: noted.result === 'gone' }
  },
  async record(tx, ended) {
    await recordAttempts(tx, ended)
    const failed = ended.filter(
      ({ given, finished }) => finished.state === 'failed' && given.event_type === 'user.account.deleted',
    )
    if (failed.length > 0)
      await parts.onDeletionFailed?.(
        tx,
        failed.map(({ given: { site_id, event_id, url } }) => ({ site_id, event_id, webhook_url: url })),
      )
  },
})

async function attempt(parts: DeliveryParts, due: Due): Promise<Noted> {
  if (isGone(due) || due.body === null) return { ...NOTHING_SENT, result: 'gone' }
  if (!due.is_open) return NOTHING_SENT
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
  if (!reply.ok) return { ...NOTHING_SENT, result: reply.error, duration_ms }
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
