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
 * site's webhook_secret, or both while it is changed. Not older than `toleranceSeconds` (300).
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string | string[],
  options?: { toleranceSeconds?: number; now?: number },
): WebhookEvent
