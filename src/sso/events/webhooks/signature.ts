import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

/** The secrets of a site as they count now: during a rotation there are two. */
export type Secrets = {
  /** Signs X-SSO-Signature. */
  current: string
  /** The one before or after it, until everybody has changed over. */
  other?: string
}

/**
 * The headers of one attempt over the stored bytes. X-SSO-Signature (API document, part 6) is keyed with the text of the
 * secret and covers the body; the Standard Webhooks signature is keyed with the bytes behind `whsec_` and covers id and
 * time of the attempt as well. `timestamp` in whole seconds.
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

/** Made once: a key out of bytes costs ten times what it signs. */
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
