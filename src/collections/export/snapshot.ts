import type { Database, Tx } from '#foundation/database/database.ts'
import type { Actor } from '../access.ts'
import { createQueue } from '../workbook/queue.ts'

/** An export holds one connection of the pool while it reads, a csv as long as its reader takes. */
const queue = createQueue({ atOnce: 3, waiting: 20 })

/** One view of the data, rights included, from the first row to the last. One at a time for each person. */
export async function inSnapshot<T>(
  { pool }: Database,
  { user_id }: Actor,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const leave = await queue.enter(user_id)
  try {
    return (await pool.begin('isolation level repeatable read read only', work)) as T
  } finally {
    leave()
  }
}
