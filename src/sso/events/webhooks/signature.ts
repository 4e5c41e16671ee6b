import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

/** A site's current secrets; two during a rotation. */
export type Secrets = {
  /** Signs X-SSO-Signature. */
  current: string
  /** The previous or next secret, during a rotation. */
  other?: string
}

/**
 * Signature headers of one attempt. X-SSO-Signature (API document, part 6) uses the secret's text as key and covers the
 * body; the Standard Webhooks signature uses the bytes after `whsec_` and also covers id and time. `timestamp` in whole
 * seconds.
 */
export function signedHeaders(
  event_id: string,
  body: Buffer,
  { current, other }: Secrets,
  timestamp: number,
): Record<string, string> {
  const sign = (secret: string) =>
    `v1,${createHmac('sha256', keyOf(secret)).update(`${event_id}.${timestamp}.`).update(body).digest('base64')}`
  return {
    'content-type': 'application/json',
    'user-agent': 'Lyceum-Webhooks',
    'x-sso-event-id': event_id,
    'x-sso-signature': `sha256=${createHmac('sha256', current).update(body).digest('hex')}`,
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': other === undefined ? sign(current) : `${sign(current)} ${sign(other)}`,
  }
}

/** Cache: creating a key from bytes costs ten times as much as signing. */
const keys = new Map<string, KeyObject>()
const MAX_KEYS = 10_000

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known) return known
  const key = createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'))
  if (keys.size >= MAX_KEYS) keys.clear()
  keys.set(secret, key)
  return key
}
