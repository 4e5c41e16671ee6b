import { clock } from '#foundation/clock.ts'
import type { Logger } from '#foundation/log.ts'
import type { OutboundReply, openOutbound } from '#foundation/outbound/outbound.ts'
import { continueTrace } from '#foundation/tracing/tracing.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Due } from './claim.ts'
import type { PolicyFor } from './policy.ts'
import { openSecret } from './secrets.ts'
import { type Secrets, signedHeaders } from './signature.ts'

export type Send = ReturnType<typeof openOutbound>['send']

export type DeliveryParts = {
  log: Logger
  keys: MasterKeys
  send: Send
  policyFor: PolicyFor
  onAttempt: (result: Noted['result']) => void
}

/**
 * Why an attempt failed (docs/choices-sso.md). `gone`: the endpoint was deleted meanwhile; `internal`: our own fault.
 */
export type Failure = Exclude<OutboundReply, { ok: true }>['error'] | 'http_status' | 'gone' | 'internal'

export type Noted = {
  result: 'delivered' | 'held' | Failure
  response_status: number | null
  retry_after: string | null
  duration_ms: number
}

const NOTHING_SENT = { response_status: null, retry_after: null, duration_ms: 0 }

/** Longer than any number or date in a valid Retry-After. */
const RETRY_AFTER_LENGTH = 64

const isGone = ({ is_gone, body }: Due) => is_gone || body === null

/** Whether there is a body to send and an open endpoint. */
export const mayLeave = (due: Due) => due.is_open && !isGone(due)

/** Makes one attempt: any 2xx is a success, anything else a failure that is retried on schedule. Never rejects. */
export async function attempt(parts: DeliveryParts, due: Due): Promise<Noted> {
  const tried = () =>
    post(parts, due).catch((error: unknown): Noted => {
      parts.log.error({ err: error, delivery_id: due.delivery_id }, 'a delivery threw')
      return { result: 'internal', ...NOTHING_SENT }
    })
  const span = {
    name: `webhook ${due.event_type}`,
    attributes: { 'lyceum.webhook.attempt': due.attempts + 1 },
  }
  const noted = await continueTrace(span, due.trace, tried, ({ result }) => result !== 'delivered')
  parts.onAttempt(noted.result)
  return noted
}

/**
 * One POST of the stored bytes, with one deadline of 5 s for DNS, connection and answer. Redirects are not followed;
 * the response body is drained and discarded.
 */
async function post({ keys, send, policyFor }: DeliveryParts, due: Due): Promise<Noted> {
  if (isGone(due) || due.body === null) return { result: 'gone', ...NOTHING_SENT }
  if (!due.is_open) return { result: 'held', ...NOTHING_SENT }
  const body = Buffer.from(due.body)
  const timestamp = Math.floor(clock.now() / 1_000)
  const reply = await send({
    url: due.url,
    method: 'POST',
    headers: signedHeaders(due.event_id, body, secretsOf(keys, due), timestamp),
    body,
    policy: policyFor(due.environment),
    // Per URL rather than per site, so that endpoints of one site do not wait for each other's connections either.
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
