import type { Tx } from '#foundation/database.ts'
import { newId } from '#foundation/ids.ts'
import { DELAYS, enqueue, type NewJob } from '#foundation/jobs/jobs.ts'
import { type EventType, JOB_KINDS, kindOf, PRIORITIES } from '../facts/events.ts'

export type NewDelivery = {
  event_id: string
  site_id: string
  event_type: EventType | 'ping'
  webhook_id: string
  run: number
  state: 'pending' | 'held'
  /** By default all that the schedule of the event has. */
  max_attempts?: number
}

/** Deliveries, and the jobs of those that are not held. Returns their ids in the order given. */
export async function insertDeliveries(tx: Tx, given: readonly NewDelivery[]): Promise<string[]> {
  const rows = given.map((delivery) => ({
    delivery_id: newId(),
    max_attempts: DELAYS[classOf(delivery.event_type)].length + 1,
    ...delivery,
  }))
  await tx`
    insert into sso.webhook_deliveries (delivery_id, event_id, webhook_id, site_id, event_type, run, state, max_attempts,
                                        next_attempt_at)
    select delivery_id, event_id, webhook_id, site_id, event_type, run, state, max_attempts,
           case when state = 'pending' then clock_timestamp() end
      from jsonb_to_recordset(${tx.json(rows)}) as d (
           delivery_id uuid, event_id uuid, webhook_id uuid, site_id uuid, event_type text, run int, state text,
           max_attempts int)`
  await enqueue(tx, rows.filter(({ state }) => state === 'pending').map(deliveryJob))
  return rows.map(({ delivery_id }) => delivery_id)
}

const classOf = (event_type: EventType | 'ping') =>
  event_type === 'ping' ? 'lifecycle' : kindOf(event_type).class

/** The job of a delivery has its id. What a person waits for, and the back channel, goes first. */
export const deliveryJob = ({
  delivery_id,
  webhook_id,
  event_type,
  max_attempts,
}: {
  delivery_id: string
  webhook_id: string
  event_type: EventType | 'ping'
  max_attempts: number
}): NewJob => ({
  job_id: delivery_id,
  kind: JOB_KINDS.delivery,
  lane: webhook_id,
  priority: event_type === 'ping' ? 0 : PRIORITIES[kindOf(event_type).class],
  payload: {},
  delays: DELAYS[classOf(event_type)].slice(0, max_attempts - 1),
})
