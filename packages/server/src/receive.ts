import { verifyWebhook, WebhookError, type WebhookEvent } from '../webhooks/verify-webhook.mjs'
import { readBytes } from './bounded.ts'
import type { Parts } from './options.ts'
import { refuse } from './sign-in.ts'

/** Longer than a signature is good, so that nobody sends a webhook again that was acted on. */
const KEPT_MS = 660_000

/** Receives webhooks: each event is told once, also when it is sent twice at the same moment. */
export function createReceiver({ webhookSecret, onWebhook }: Parts) {
  const told = new Map<string, { at: number; work: Promise<unknown> }>()

  return async (request: Request): Promise<Response> => {
    if (webhookSecret === undefined || onWebhook === undefined)
      return refuse(501, 'no_webhooks', 'This server receives no webhooks')
    const body = await readBytes(request.body)
    if (body === undefined) return refuse(413, 'body_too_large', 'This is no webhook of Lyceum')
    let event: WebhookEvent
    try {
      event = verifyWebhook(body, request.headers, webhookSecret)
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      return refuse(400, error.code, 'This is no webhook of Lyceum')
    }
    await tell(event, onWebhook)
    return new Response(null, { status: 204 })
  }

  function tell(event: WebhookEvent, act: (event: WebhookEvent) => unknown): Promise<unknown> {
    for (const [id, { at }] of told) {
      if (performance.now() - at < KEPT_MS) break
      told.delete(id)
    }
    const known = told.get(event.event_id)
    if (known) return known.work
    const entry = { at: performance.now(), work: Promise.resolve(event).then(act) }
    told.set(event.event_id, entry)
    // What failed is not done: it may come again.
    entry.work.catch(() => told.delete(event.event_id))
    return entry.work
  }
}
