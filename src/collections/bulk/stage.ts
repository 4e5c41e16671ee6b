import type postgres from 'postgres'
import { step } from '#foundation/imports/attempt.ts'
import { readFile } from '#foundation/imports/files.ts'
import { copyLines, isStaged, noteStaged, type StagingTable } from '#foundation/imports/staging.ts'
import type { Parse } from '../workbook/reader.ts'
import { rulesOf } from './layout.ts'
import { keepErrors } from './keep-errors.ts'
import type { MappedBatch, MapperOptions } from './mapper.ts'
import { planWorkbook } from './planning.ts'
import type { RowError } from './row-error.ts'
import type { Task } from './task.ts'

const ROWS: StagingTable = {
  table: 'collections.staged_rows',
  columns: ['job_id', 'sheet', 'row', 'data', 'cells'],
}
const PLACES: StagingTable = {
  table: 'collections.staged_places',
  columns: ['job_id', 'level', 'row', 'parent_row'],
}

/**
 * Stages the rows of a workbook for SQL unless an earlier attempt did. `parse` reads and normalizes them into
 * lines for COPY. Throws an ApiError for a file that is refused as a whole.
 */
export async function stageRows(task: Task, types: readonly string[], parse: Parse): Promise<Task> {
  if (await isStaged(task, ROWS)) return task
  const { db, imports, job_id, signal } = task
  const bytes = Buffer.concat(await Array.fromAsync(readFile(db, imports, job_id)))
  const { plans, hidden_sheets, delimiter } = await planWorkbook(bytes, rulesOf(task.options))
  const options: MapperOptions = {
    job_id,
    plans,
    hidden_sheets,
    options: task.options,
    types,
  }
  const found: RowError[] = []
  let last: MappedBatch | undefined
  await parse<MappedBatch>(bytes, {
    sheets: plans.map(({ sheet }) => sheet),
    delimiter,
    mapper: { module: import.meta.resolve('./mapper.ts'), options },
    signal,
    onRows: async (batch) => {
      last = batch
      found.push(...batch.found)
      if (batch.rows ?? batch.places) await copyBatch(task, batch)
    },
  })
  if (!last?.is_last) throw new Error('reading ended without its last batch')
  return noteRead(task, last, found)
}

const copyBatch = (task: Task, { rows, places, counts }: MappedBatch) =>
  step(task, async (tx) => {
    if (rows) await copyLines(tx, ROWS, rows)
    if (places) await copyLines(tx, PLACES, places)
    await tx`update collections.jobs set rows_read = ${counts.rows} where job_id = ${task.job_id}`
  })

/** Replaces the errors and counts that an earlier attempt may have read. */
async function noteRead(
  task: Task,
  { counts, layouts, staged }: MappedBatch,
  found: readonly RowError[],
): Promise<Task> {
  const { job_id } = task
  const { rows, ...read_counts } = counts
  await step(task, async (tx) => {
    await noteStaged(tx, task, ROWS, staged)
    await tx`analyze ${tx(PLACES.table)}`
    await tx`
      update collections.jobs
         set layout = ${tx.json(layouts as unknown as postgres.JSONValue)}, read_counts = ${tx.json(read_counts)},
             rows_read = ${rows}, rows_total = ${rows}, state = 'processing', phase = 'collections'
       where job_id = ${job_id}`
    await tx`delete from collections.job_errors where job_id = ${job_id} and origin = 'reading'`
    await keepErrors(tx, job_id, 'reading', found, { errors: 0, warnings: 0 })
  })
  return { ...task, layout: layouts }
}
