import { randomUUID } from 'node:crypto'
import type { Database } from '#foundation/database/database.ts'

type Order = { seconds: number; callers: number; tenant_id: string }

/**
 * The bare upsert of one row of progress, each in a statement and COMMIT of its own, by parallel callers in a loop. No
 * HTTP, checks or arithmetic. Resolves to the number of rows written.
 */
export const beatBare = (
  { pool }: Database,
  { episode_id, ...order }: Order & { episode_id: string },
): Promise<number> =>
  loop(order, (caller, count) => {
    const end = ((count % 33) + 1) * 15_000
    return pool`
      insert into learning.progress as w (tenant_id, user_id, episode_id, position_ms, watched, progress)
      values (${order.tenant_id}, ${`bare ${caller}`}, ${episode_id}, ${end}, ${`{[0,${end})}`}::int4multirange, ${end / 1_000_000})
      on conflict (tenant_id, user_id, episode_id) do update set
        position_ms = excluded.position_ms, watched = w.watched + excluded.watched,
        progress = greatest(w.progress, excluded.progress), updated_at = clock_timestamp()`
  })

/** The bare insert of one finished attempt, each in a statement and COMMIT of its own. */
export const attemptBare = (
  { pool }: Database,
  { test_id, ...order }: Order & { test_id: string },
): Promise<number> =>
  loop(
    order,
    (caller) => pool`
      insert into learning.attempts (
        tenant_id, id, test_id, user_id, number, status, is_preview, submitted_at, key_version, graded_version, answers,
        results, score, max_score)
      select ${order.tenant_id}, ${randomUUID()}, ${test_id}, ${`bare ${caller}`}, coalesce(max(number), 0) + 1, 'graded', false,
             clock_timestamp(), 1, 1, '{"a": true}', '[{"points_awarded": 1, "points": 1, "outcome": "correct"}]', 10, 10
        from learning.attempts
       where tenant_id = ${order.tenant_id} and test_id = ${test_id} and user_id = ${`bare ${caller}`}`,
  )

async function loop({ seconds, callers }: Order, write: (caller: number, count: number) => Promise<unknown>) {
  const until = performance.now() + seconds * 1000
  let count = 0
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < until) {
        await write(caller, count)
        count++
      }
    }),
  )
  return count
}
