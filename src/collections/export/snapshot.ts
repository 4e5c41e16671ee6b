import type { Database, Tx } from '#foundation/database/database.ts'
import type { Actor } from '../access.ts'
import { createQueue } from '../workbook/queue.ts'

/**
 * Limits exports, because each holds a pool connection while it reads; a CSV holds it as long as its reader takes.
 */
const queue = createQueue({ atOnce: 3, waiting: 20 })

/**
 * Runs the work in one snapshot, rights included. One export per user at a time; 503 `busy` when the queue is full.
 */
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

/** Rejects if the connection was lost: a cursor then ends as if all rows had been read. */
export async function requireWhole(tx: Tx): Promise<void> {
  await tx`select 1`
}
