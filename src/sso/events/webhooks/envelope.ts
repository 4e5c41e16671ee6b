import { createHash } from 'node:crypto'
import { type TObject, Type } from 'typebox'
import { Time, Uuid } from '#foundation/http/schemas.ts'
import { EVENTS, type EventKind, kindOf } from '../facts/events.ts'

/**
 * Sent to a new URL, and on demand: it shows the partner that delivery works, and us that the partner wants events.
 */
const PING: Pick<EventKind, 'summary' | 'data'> = {
  summary: 'A new address is asked whether it wants events; nothing else is sent there before it answers 2xx',
  data: Type.Object({ webhook_id: Uuid }),
}

type Happened = {
  event_id: string
  event_type: string
  /** When the change happened. */
  timestamp: string
  data: object
  /** The recipient site's domain. */
  domain: string
}

/** Serializes an event once: every attempt signs and sends the stored bytes. */
export const envelopeOf = ({ event_id, event_type, timestamp, data, domain }: Happened): string =>
  JSON.stringify({
    event_type,
    timestamp,
    data,
    metadata: { partner_client_id: domain, action_required: kindOf(event_type).action_required },
    event_id,
    api_version: 'v1',
  })

const envelopeSchema = (event_type: string, data: TObject) =>
  Type.Object({
    event_type: Type.Literal(event_type),
    timestamp: Time,
    data,
    metadata: Type.Object({
      partner_client_id: Type.String(),
      action_required: Type.Literal(kindOf(event_type).action_required),
    }),
    event_id: Uuid,
    api_version: Type.Literal('v1'),
  })

/** The `webhooks` section of the OpenAPI description. */
export const describeEvents = () =>
  Object.fromEntries(
    Object.entries({ ...EVENTS, ping: PING }).map(([event_type, { summary, data }]) => [
      event_type,
      {
        post: {
          operationId: `webhook.${event_type}`,
          summary,
          // Not a caller but a signature is proven (docs/api/sso.md).
          security: [],
          requestBody: {
            content: { 'application/json': { schema: envelopeSchema(event_type, data) } },
          },
          responses: { '2XX': { description: 'The event was taken; anything else is tried again' } },
        },
      },
    ]),
  )

/**
 * The event id for one fact and site: time and counter of the fact's UUIDv7, then a hash of fact and site. Events sort
 * in the order of their facts, and a repeated fan-out produces the same ids.
 */
export function eventIdOf(fact_id: string, site_id: string): string {
  const hash = createHash('sha256').update(fact_id).update(site_id).digest()
  hash[0] = ((hash[0] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 8)
  return `${fact_id.slice(0, 18)}-${hex.slice(0, 4)}-${hex.slice(4)}`
}
