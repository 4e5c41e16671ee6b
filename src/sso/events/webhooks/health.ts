import type { Database } from '#foundation/database/database.ts'
import { degraded, healthy, type PartHealth } from '#foundation/database/health.ts'
import { waitingWork } from './waiting.ts'

/** Seconds after which a due event is late; running workers claim it within one second. */
const LATE = { back_channel: 30, lifecycle: 300 }

/** Degraded while due events are late, or a job is held for a person to look at. */
export async function webhookHealth({ pool }: Pick<Database, 'pool'>): Promise<PartHealth> {
  const [late] = await pool<{ is_stuck: boolean }[]>`
    select is_stuck from ${waitingWork(pool)} as work
     where is_stuck
        or due_at < statement_timestamp() - make_interval(secs =>
             case priority when 0 then ${LATE.back_channel}::int else ${LATE.lifecycle}::int end)
     limit 1`
  if (!late) return healthy
  return degraded(
    late.is_stuck
      ? 'A delivery is held after fifty attempts that never finished'
      : `Deliveries are due for more than ${LATE.back_channel} s (logout) or ${LATE.lifecycle} s (other events)`,
  )
}
