import { createHash } from 'node:crypto'
import type { Fact } from '../facts/facts.ts'
import { kindOf } from '../facts/events.ts'

type Happened = Pick<Fact, 'event_type' | 'data'> & { occurred_at: string }

/**
 * The body that a site is sent, serialised once: the stored bytes are what every attempt signs and sends. `domain` is the
 * recipient's.
 */
export const envelopeOf = (
  event_id: string,
  domain: string,
  { event_type, occurred_at, data }: Happened,
): string =>
  serialised({
    event_id,
    event_type,
    timestamp: occurred_at,
    data,
    domain,
    action_required: kindOf(event_type).action_required,
  })

/** Sent to a new address, and on demand: a partner sees that the way to them works, we see that they want to hear. */
export const pingOf = (event_id: string, domain: string, webhook_id: string, timestamp: string): string =>
  serialised({
    event_id,
    event_type: 'ping',
    timestamp,
    data: { webhook_id },
    domain,
    action_required: 'none',
  })

type Envelope = Record<'event_id' | 'event_type' | 'timestamp' | 'domain' | 'action_required', string> & {
  data: object
}

const serialised = ({ event_id, event_type, timestamp, data, domain, action_required }: Envelope): string =>
  JSON.stringify({
    event_type,
    timestamp,
    data,
    metadata: { partner_client_id: domain, action_required },
    event_id,
    api_version: 'v1',
  })

/**
 * The id of a fact's event for one site: the time and the counter of the fact's UUIDv7, then a hash of fact and site. So
 * events sort as their facts were made, and a fan-out that is repeated finds the same ids.
 */
export function eventIdOf(fact_id: string, site_id: string): string {
  const hash = createHash('sha256').update(fact_id).update(site_id).digest()
  hash[0] = ((hash[0] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 8)
  return `${fact_id.slice(0, 18)}-${hex.slice(0, 4)}-${hex.slice(4)}`
}
