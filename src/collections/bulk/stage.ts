import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Writable } from 'node:stream'
import type postgres from 'postgres'
import type { Database } from '#foundation/database.ts'
import { newId } from '#foundation/ids.ts'
import { parseInWorker } from '../workbook/reader.ts'
import { type Attempt, countStaged, holdJob, readFile, showProgress } from './attempt.ts'
import type { MappedBatch, MapperOptions } from './mapper.ts'
import { transact } from './transact.ts'
import { planWorkbook } from './planning.ts'
import { keepErrors, markLanded } from './record.ts'
import type { RowError } from './row-error.ts'

/** How often reading tells how far it is, in ms. */
const SHOW_EVERY = 500

/**
 * Puts the rows of a workbook where SQL can reach them, unless an attempt before has: read, normalised and turned into
 * the lines of COPY in a thread of its own. Undefined when the job was cancelled meanwhile. Throws an ApiError for a file
 * that is refused as a whole.
 */
export async function stageRows(
  db: Database,
  attempt: Attempt,
  { types, signal }: { types: readonly string[]; signal: AbortSignal },
): Promise<Attempt | undefined> {
  const { staging_id: before, staged_rows } = attempt
  if (before !== null && (await countStaged(db, before)) === staged_rows) return attempt
  if (before !== null) await dropStaged(db, before)
  const bytes = await readFile(db, attempt.job_id)
  const { plans, hidden_sheets } = await planWorkbook(bytes)
  const staging_id = newId()
  const { strict, match, on_blank, parent_id } = attempt.options
  const options: MapperOptions = {
    staging_id,
    plans,
    hidden_sheets,
    options: { strict, match, on_blank, parent_id },
    types,
  }
  const found: RowError[] = []
  let last: MappedBatch | undefined
  let shownAt = 0
  try {
    await parseInWorker<MappedBatch>(bytes, {
      sheets: plans.map(({ sheet }) => sheet),
      mapper: { module: import.meta.resolve('./mapper.ts'), options },
      signal,
      onRows: async (batch) => {
        last = batch
        found.push(...batch.found)
        if (batch.rows ?? batch.places) await copyBatch(db, batch)
        if (performance.now() - shownAt < SHOW_EVERY) return
        shownAt = performance.now()
        const { is_cancelled } = await showProgress(db, attempt, { rows_read: batch.counts.rows })
        if (is_cancelled) throw new Cancelled()
      },
    })
    if (!last?.is_last) throw new Error('reading ended without its last batch')
    return await noteStaged(db, attempt, staging_id, last, found)
  } catch (error) {
    await dropStaged(db, staging_id)
    if (error instanceof Cancelled) return undefined
    throw error
  }
}

class Cancelled extends Error {}

/**
 * In a transaction of its own, because only then nobody else's statement is sent on the connection between the command and
 * its lines.
 */
const copyBatch = (db: Database, { rows, places }: MappedBatch) =>
  transact(db, async (tx) => {
    if (rows)
      await copy(
        await tx`copy collections.staged_rows (staging_id, sheet, row, state, data, cells) from stdin`.writable(),
        rows,
      )
    if (places)
      await copy(
        await tx`copy collections.staged_places (staging_id, level, row, parent_row) from stdin`.writable(),
        places,
      )
  })

const copy = (to: Writable, bytes: Uint8Array) => pipeline(Readable.from([bytes]), to)

/** What reading found takes the place of what an attempt before may have found. Rows that have landed are told apart. */
async function noteStaged(
  db: Database,
  attempt: Attempt,
  staging_id: string,
  { counts, layouts, staged }: MappedBatch,
  found: readonly RowError[],
): Promise<Attempt> {
  const { job_id } = attempt
  // Nothing else tells the planner in time that tables which were empty are full now.
  await db.pool`analyze collections.staged_rows, collections.staged_places`
  const staged_rows = await countStaged(db, staging_id)
  // A COPY that PostgreSQL refuses ends without a word to its sender.
  if (staged_rows !== staged) throw new Error('rows were lost on their way to the database')
  const { rows, ...read_counts } = counts
  await transact(db, async (tx) => {
    await holdJob(tx, attempt)
    await tx`
      update collections.jobs
         set staging_id = ${staging_id}, staged_rows = ${staged_rows}, layout = ${tx.json(layouts as unknown as postgres.JSONValue)},
             read_counts = ${tx.json(read_counts)}, rows_read = ${rows}, rows_total = ${rows}, state = 'processing',
             phase = 'collections'
       where job_id = ${job_id}`
    await tx`delete from collections.job_errors where job_id = ${job_id} and origin = 'reading'`
    await keepErrors(tx, { job_id, staging_id }, 'reading', found, { errors: 0, warnings: 0 })
    await markLanded(tx, job_id, staging_id)
  })
  return { ...attempt, staging_id, staged_rows, layout: layouts, rows_total: rows, state: 'processing' }
}

/** Takes staged rows away; after the end of a job nothing needs them. */
export async function dropStaged({ pool }: Database, staging_id: string): Promise<void> {
  await pool`delete from collections.staged_rows where staging_id = ${staging_id}`
  await pool`delete from collections.staged_places where staging_id = ${staging_id}`
}
