import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { one, type Tx } from '../database/database.ts'
import { type Attempt, extendTimeouts, step, transact } from './attempt.ts'

/** A table of staged rows and the columns to copy, including job_id. */
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
 * Whether all rows of the file are staged. If not, deletes what an earlier attempt left. Staging tables are unlogged: a
 * crash of the database empties them, and the file is read again.
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

/**
 * Records in the caller's transaction that all rows are staged. Counts them, because a refused COPY raises no error
 * here.
 */
export async function noteStaged(tx: Tx, attempt: Attempt, { table }: StagingTable, expected: number) {
  if ((await countStaged(attempt, table)) !== expected)
    throw new Error('rows were lost on their way to the database')
  // Autovacuum would be too late to tell the planner that an empty table is now full.
  await tx`analyze ${tx(table)}`
  await tx`
    update ${tx(attempt.imports.jobs)} set staged_rows = ${expected} where job_id = ${attempt.job_id}`
}

async function countStaged({ db, job_id }: Attempt, table: string): Promise<number> {
  const rows = await db.pool<{ number: number }[]>`
    select count(*)::int as number from ${db.pool(table)} where job_id = ${job_id}`
  return one(rows).number
}

/** Below this the statistics that are there still fit. */
const MANY_ROWS = 1_000

/** Makes statistics of the tables that an import of so many rows filled: autovacuum would take up to a minute. */
export async function analyzeFilled({ db }: Attempt, tables: readonly string[], rows: number): Promise<void> {
  if (rows < MANY_ROWS) return
  await transact(db, async (tx) => {
    await extendTimeouts(tx)
    for (const table of tables) await tx`analyze ${tx(table)}`
  })
}
