import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { one, type Tx } from '../database/database.ts'
import { type Attempt, step } from './attempt.ts'

/** A table of staged rows with the columns that are copied into it, job_id among them. */
export type StagingTable = { table: string; columns: readonly string[] }

export async function copyLines(
  tx: Tx,
  { table, columns }: StagingTable,
  lines: string | Uint8Array,
): Promise<void> {
  const to = await tx`copy ${tx(table)} (${tx(columns)}) from stdin`.writable()
  await pipeline(Readable.from([lines]), to)
}

/**
 * Whether the rows of the file stand staged. If not, deletes what an attempt before has left of them. Staging tables are
 * unlogged: a crash of the database empties them, and the file is read again.
 */
export async function isStaged(attempt: Attempt, { table }: StagingTable): Promise<boolean> {
  const { imports, job_id, staged_rows } = attempt
  const found = await countStaged(attempt, table)
  if (found === staged_rows) return true
  if (found > 0)
    await step(attempt, async (tx) => {
      for (const name of imports.unlogged) await tx`delete from ${tx(name)} where job_id = ${job_id}`
    })
  return false
}

/** Notes in the caller's transaction that all rows are staged. A COPY that PostgreSQL refuses does not tell its sender. */
export async function noteStaged(tx: Tx, attempt: Attempt, { table }: StagingTable, expected: number) {
  if ((await countStaged(attempt, table)) !== expected)
    throw new Error('rows were lost on their way to the database')
  // Nothing else tells the planner in time that a table which was empty is full now.
  await tx`analyze ${tx(table)}`
  await tx`
    update ${tx(attempt.imports.jobs)} set staged_rows = ${expected} where job_id = ${attempt.job_id}`
}

async function countStaged({ db, job_id }: Attempt, table: string): Promise<number> {
  const rows = await db.pool<{ number: number }[]>`
    select count(*)::int as number from ${db.pool(table)} where job_id = ${job_id}`
  return one(rows).number
}
