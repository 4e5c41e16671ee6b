import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** Why a request is no webhook of ours: answer 400 and do nothing. `code` is one word for a log. */
export class WebhookError extends Error {
  constructor(code, message) {
    super(message)
    this.name = 'WebhookError'
    this.code = code
  }
}

const TOLERANCE_SECONDS = 300
/** Nobody's secret is shorter: whoever gives one has none, and everybody could sign with it. */
const SHORTEST_SECRET = 16

/**
 * The event of a webhook, after its signature was compared in constant time and before anything was parsed. Give it the
 * bytes as they came, not a body that was parsed and written again. Plain JavaScript, so that it runs from node_modules.
 */
export function verifyWebhook(
  rawBody,
  headers,
  secret,
  { toleranceSeconds = TOLERANCE_SECONDS, acceptsUndated = false, now = Date.now() } = {},
) {
  const body = Buffer.from(rawBody)
  const header = readerOf(headers)
  const secrets = [secret].flat()
  if (secrets.some((one) => typeof one !== 'string' || one.length < SHORTEST_SECRET))
    throw new TypeError('The secret of the webhooks is missing')
  const event_id = header('x-sso-event-id')
  if (header('webhook-signature') === undefined) verifyBody(body, header, secrets)
  else verifyStandard(body, header, secrets, { toleranceSeconds, now })
  if (header('webhook-signature') === undefined && !acceptsUndated)
    throw new WebhookError('timestamp', 'webhook-signature, which covers the time of sending, is missing')
  const event = parse(body)
  if (event_id !== event.event_id)
    throw new WebhookError('id_mismatch', 'X-SSO-Event-Id is not the id of the event')
  return event
}

/** Standard Webhooks: covers id and time too, and holds both signatures while a secret is changed. */
function verifyStandard(body, header, secrets, { toleranceSeconds, now }) {
  const id = header('webhook-id') ?? ''
  const timestamp = header('webhook-timestamp') ?? ''
  const age = Math.abs(now / 1_000 - Number(timestamp))
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds)
    throw new WebhookError('timestamp', `webhook-timestamp is further than ${toleranceSeconds} s from now`)
  const given = (header('webhook-signature') ?? '').split(' ')
  const isRight = secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const wanted = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
    return given.map((one) => isSame(one, wanted)).includes(true)
  })
  if (!isRight) throw new WebhookError('signature', 'webhook-signature does not match')
  if (id !== header('x-sso-event-id'))
    throw new WebhookError('id_mismatch', 'webhook-id is not X-SSO-Event-Id')
}

/** The signature of the document. It covers no time, so whoever kept such a request can send it again for ever. */
function verifyBody(body, header, secrets) {
  const given = header('x-sso-signature') ?? ''
  const isRight = secrets.some((secret) =>
    isSame(given, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`),
  )
  if (!isRight) throw new WebhookError('signature', 'X-SSO-Signature does not match')
}

/** Digests are compared, so that neither content nor length shows in the time it takes. */
const isSame = (a, b) => timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))

/** Of a Headers object, or of the object that Node and its frameworks have; a repeated header is none. */
const readerOf = (headers) => (name) => {
  const value = typeof headers.get === 'function' ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : undefined
}

function parse(body) {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new WebhookError('body', 'The body is no JSON')
  }
}
