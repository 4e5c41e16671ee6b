import type { Tx } from '#foundation/database.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import type { EventType } from './events.ts'
import { deliveryJob } from './fan-out.ts'

/** Sends what was held while the endpoint was disabled. A job of the same id may be there from before: it has ended. */
export async function releaseHeld(tx: Tx, webhook_id: string): Promise<void> {
  const held = await tx<{ delivery_id: string; event_type: EventType | 'ping' }[]>`
    update sso.webhook_deliveries set state = 'pending', next_attempt_at = clock_timestamp()
     where webhook_id = ${webhook_id} and state = 'held'
    returning delivery_id, event_type`
  await tx`
    delete from foundation.jobs
     where job_id = any(${held.map(({ delivery_id }) => delivery_id)}::uuid[]) and state <> 'pending'`
  await enqueue(
    tx,
    held
      .toSorted((a, b) => (a.delivery_id < b.delivery_id ? -1 : 1))
      .map(({ delivery_id, event_type }) => deliveryJob({ delivery_id, webhook_id, event_type })),
  )
}
