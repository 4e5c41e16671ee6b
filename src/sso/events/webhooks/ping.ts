import { type Database, one, type Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireManaged } from './access.ts'
import { readDeliveries } from './deliveries.ts'
import { envelopeOf } from './envelope.ts'
import { queueRelease } from './held.ts'
import { insertDeliveries } from './insert-deliveries.ts'

type PingedSite = { site_id: string; domain: string }

/**
 * Sends a signed ping to a new URL, retried on the lifecycle schedule. Nothing else is sent there before a 2xx answer,
 * so nobody can point us at a server that never agreed.
 */
export const askToConfirm = (tx: Tx, site: PingedSite, webhook_id: string): Promise<string[]> =>
  insertPing(tx, site, webhook_id, {})

/**
 * Sends one ping without retries, whatever the endpoint subscribes to. It can confirm the endpoint like the first one.
 * 403, 404.
 */
export const sendPing = ({ database }: { database: Database }, caller: Caller, webhook_id: string) =>
  database.transaction(async (tx) => {
    const site = await requireManaged(tx, caller, { webhook_id })
    return one(await readDeliveries(tx, await insertPing(tx, site, webhook_id, { max_attempts: 1 })))
  })

async function insertPing(
  tx: Tx,
  { site_id, domain }: PingedSite,
  webhook_id: string,
  attempts: { max_attempts?: number },
): Promise<string[]> {
  const event_id = newId()
  const { now } = one(await tx<{ now: string }[]>`select clock_timestamp()::timestamptz(3) as now`)
  const told = { event_id, event_type: 'ping', timestamp: now, data: { webhook_id }, domain }
  await tx`
    insert into sso.webhook_events (event_id, site_id, event_type, body)
    values (${event_id}, ${site_id}, 'ping', convert_to(${envelopeOf(told)}, 'UTF8'))`
  const ping = { event_id, site_id, event_type: 'ping', webhook_id, run: 1, state: 'pending' } as const
  return insertDeliveries(tx, [{ ...ping, ...attempts }])
}

/** Confirms endpoints whose current URL answered a ping, and releases the deliveries held for them. */
export async function confirm(tx: Tx, answered: readonly { webhook_id: string; url: string }[]) {
  if (answered.length === 0) return
  const confirmed = await tx<{ webhook_id: string }[]>`
    update sso.webhook_endpoints w set confirmed_at = clock_timestamp(), last_error = null
      from unnest(${answered.map(({ webhook_id }) => webhook_id)}::uuid[], ${answered.map(({ url }) => url)}::text[])
             as a (webhook_id, url)
     where w.webhook_id = a.webhook_id and w.url = a.url and w.confirmed_at is null
    returning w.webhook_id`
  for (const { webhook_id } of confirmed) await queueRelease(tx, webhook_id)
}
