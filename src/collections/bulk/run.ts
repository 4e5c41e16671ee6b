import type { Database, Tx } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { type Attempt, extendTimeouts, step } from '#foundation/imports/attempt.ts'
import { analyzeFilled } from '#foundation/imports/staging.ts'
import { finish, importHandler, type ImportWork } from '#foundation/imports/run.ts'
import type { Handler } from '#foundation/jobs/attempt.ts'
import type { Logger } from '#foundation/log.ts'
import { applyAtOnce } from './apply-at-once.ts'
import { parseInWorker } from '../workbook/reader.ts'
import { actorOf, applyingOf, applyNext, eachChunk, type Running, sheetOf } from './chunk.ts'
import { breakOff } from './break-off.ts'
import { IMPORTS, type JobError, noteTouched, writeEnd } from './imports.ts'
import { addTally } from './job.ts'
import { keepErrors } from './keep-errors.ts'
import { noteChunk } from './landed.ts'
import { stageRows } from './stage.ts'
import { SHEETS } from './staged.ts'
import { countsOf, loadTask, type Task } from './task.ts'

export const importWork = (running: Running): ImportWork => ({
  imports: IMPORTS,
  run: (attempt) => run(running, attempt),
  write: (tx, { job_id }, why) =>
    why === 'cancelled' ? writeEnd(tx, job_id, 'cancelled') : breakOff(tx, job_id),
})

/** The handler of foundation.jobs: one attempt at one workbook. */
export const runImport = ({ log, ...running }: Running & { db: Database; log: Logger }): Handler =>
  importHandler(importWork(running), log)

async function run(running: Running, attempt: Attempt): Promise<void> {
  const read = await readRows(running, await loadTask(attempt))
  if ('code' in read) return finish(attempt, (tx) => writeEnd(tx, attempt.job_id, 'failed', read))
  const { mode, dry_run } = read.options
  if (mode === 'atomic' || dry_run) await applyAtOnce(running, read)
  else await applyInChunks(running, read)
}

/** Stages the rows, or returns the error that refuses the whole workbook. */
async function readRows({ types, parse = parseInWorker }: Running, task: Task): Promise<Task | JobError> {
  try {
    return await stageRows(task, types, parse)
  } catch (error) {
    // Server errors, such as a full or slow database, are retried.
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { code: error.code, detail: error.detail }
  }
}

/** Bounds how many words at once go from the pending lists into the indexes: fewer, larger turns cost a tenth less. */
const WORK_MEM = '32MB'

/** The tables that a workbook of new rows fills. */
const FILLED = ['collections', 'collection_ancestors', 'items', 'collection_items', 'item_keys'].map(
  (name) => `collections.${name}`,
)

/** Applies valid rows and lists invalid ones, with one transaction per thousand rows. */
async function applyInChunks(running: Running, task: Task): Promise<void> {
  const { job_id, landed } = task
  const common = applyingOf(running, task, true)
  let rows = 0
  await eachChunk(async (phase, after) => {
    const sheet = sheetOf(phase)
    const applied = await step(task, async (tx) => {
      await extendTimeouts(tx)
      await tx`select set_config('work_mem', ${WORK_MEM}, true)`
      const applying = { ...common, tx, actor: await actorOf(running, task) }
      const next = await applyNext(tx, applying, { task, phase, after })
      if (!next || next.chunk.ended.length === 0) return next
      await noteApplied(tx, task, sheet, next.chunk)
      common.roots = applying.roots
      return next
    })
    if (applied) landed.add(SHEETS[sheet], applied.chunk.ended)
    rows += applied?.chunk.tally[`${sheet}_created`] ?? 0
    return applied?.cursor
  })
  await analyzeFilled(task, FILLED, rows)
  await finish(task, async (tx) => {
    const { kept } = await countsOf(tx, job_id)
    await writeEnd(tx, job_id, kept.errors === 0 ? 'completed' : 'completed_with_errors')
  })
}

type Applied = NonNullable<Awaited<ReturnType<typeof applyNext>>>['chunk']

async function noteApplied(
  tx: Tx,
  { job_id }: Task,
  sheet: 'collections' | 'items',
  { tally, errors, ended, touched }: Applied,
) {
  const { counts, kept } = await countsOf(tx, job_id)
  await noteChunk(tx, job_id, SHEETS[sheet], ended)
  await keepErrors(tx, job_id, 'applying', errors, kept)
  if (touched.length > 0) await noteTouched(tx, job_id, touched)
  await tx`
    update collections.jobs
       set counts = ${tx.json(addTally(counts, tally))}, rows_done = rows_done + ${ended.length}, phase = ${sheet}
     where job_id = ${job_id}`
}
