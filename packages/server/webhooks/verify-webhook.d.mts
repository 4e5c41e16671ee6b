export type WebhookEvent = {
  event_type: string
  /** ISO 8601 UTC. */
  timestamp: string
  data: Record<string, unknown>
  metadata: { partner_client_id: string; action_required: string }
  /** The idempotency key: the same on every retry and replay. */
  event_id: string
  api_version: 'v1'
}

export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export class WebhookError extends Error {
  code: 'signature' | 'timestamp' | 'id_mismatch' | 'body'
}

/**
 * Verifies a webhook and returns its event; throws WebhookError. `rawBody` are the bytes as they came, `secret` the
 * site's webhook_secret, or both while it is changed. Every attempt is signed with the time it is sent at, and one that is
 * further than `toleranceSeconds` (300) from now is refused, and so is one without a time. `acceptsUndated` is for receivers
 * behind a proxy that takes the Standard Webhooks headers away: they must remember every event_id they have acted on.
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string | string[],
  options?: { toleranceSeconds?: number; acceptsUndated?: boolean; now?: number },
): WebhookEvent
