import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { carriedTrace, wakeAfterCommit } from '#foundation/jobs/jobs.ts'
import { JOB_KINDS, priorityOf, scheduleOf } from '../facts/events.ts'

export type NewDelivery = {
  event_id: string
  site_id: string
  event_type: string
  webhook_id: string
  run: number
  state: 'pending' | 'held'
  /** By default all attempts of the event's schedule. */
  max_attempts?: number
}

/** Wakes this process's senders after the commit; other processes find the deliveries by polling. */
export const wakeSenders = (tx: Tx) => wakeAfterCommit(tx, new Set([JOB_KINDS.delivery]))

/** Returns the ids in the order given. */
export async function insertDeliveries(tx: Tx, given: readonly NewDelivery[]): Promise<string[]> {
  const rows = given.map((delivery) => ({
    delivery_id: newId(),
    priority: priorityOf(delivery.event_type),
    max_attempts: scheduleOf(delivery.event_type).length + 1,
    ...carriedTrace(),
    ...delivery,
  }))
  await tx`
    insert into sso.webhook_deliveries (delivery_id, event_id, webhook_id, site_id, event_type, run, state, priority,
                                        max_attempts, trace, next_attempt_at)
    select delivery_id, event_id, webhook_id, site_id, event_type, run, state, priority, max_attempts, trace,
           case when state = 'pending' then clock_timestamp() end
      from jsonb_to_recordset(${tx.json(rows)}) as d (
           delivery_id uuid, event_id uuid, webhook_id uuid, site_id uuid, event_type text, run int, state text,
           priority smallint, max_attempts int, trace text)`
  wakeSenders(tx)
  return rows.map(({ delivery_id }) => delivery_id)
}
