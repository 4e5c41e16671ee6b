import type { Database } from '#foundation/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Handler } from '#foundation/jobs/attempt.ts'
import { applyAtOnce } from './apply-at-once.ts'
import { applyInChunks } from './apply-in-chunks.ts'
import { extendTimeouts, keptOf, type Running } from './applying.ts'
import { type Attempt, beginAttempt, holdJob, LeaseLost, takeBackAttempt } from './attempt.ts'
import { endJob } from './job-queue.ts'
import { addTally, noTally } from './job.ts'
import { transact } from './transact.ts'
import { keepErrors, markLanded } from './record.ts'
import type { RowError } from './row-error.ts'
import { dropStaged, stageRows } from './stage.ts'
import { SHEETS, type SheetNumber } from './staged.ts'

const HEARTBEAT_MS = 10_000
const MAX_STARTS = 3

/** The handler of foundation.jobs: one attempt at one workbook. */
export const runImport =
  (running: Running): Handler =>
  async ({ job, signal, renew }) => {
    // A lease that is lost aborts `signal`; a database that is away for a moment is asked again.
    const heart = setInterval(() => void renew().catch(() => {}), HEARTBEAT_MS)
    try {
      const attempt = await beginAttempt(running.db, job.job_id, job.lease_token)
      if (attempt) await run(running, attempt, signal)
    } finally {
      clearInterval(heart)
    }
  }

async function run(running: Running, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const { db, log } = running
  try {
    if (attempt.starts > MAX_STARTS) return await giveUp(db, attempt)
    const read = await readRows(running, attempt, signal)
    if (read === 'cancelled') return await end(db, attempt, 'cancelled')
    if ('code' in read) return await end(db, attempt, 'failed', read)
    const staged = read
    const { mode, dry_run } = staged.options
    if (mode === 'atomic' || dry_run) await applyAtOnce(running, staged, signal)
    else await applyInChunks(running, staged, signal)
    if (staged.staging_id !== null) await dropStaged(db, staged.staging_id)
  } catch (error) {
    // Another attempt has it now, and what this one did since does not count.
    if (error instanceof LeaseLost) return
    if (signal.aborted) {
      await takeBackAttempt(db, attempt)
      throw error
    }
    if (attempt.starts < MAX_STARTS) throw error
    log.error({ err: error, job_id: attempt.job_id }, 'an import was given up')
    await giveUp(db, attempt)
  }
}

type FileFault = { code: string; detail: string }

/** The rows of the workbook, or why it is refused as a whole. */
async function readRows(
  { db, types }: Running,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Attempt | FileFault | 'cancelled'> {
  try {
    return (await stageRows(db, attempt, { types, signal })) ?? 'cancelled'
  } catch (error) {
    // A database without room or time is a matter of later.
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { code: error.code, detail: error.detail }
  }
}

/** Ends a job of which this attempt holds the lease. */
async function end(db: Database, attempt: Attempt, state: 'cancelled' | 'failed', error?: FileFault) {
  await transact(db, async (tx) => {
    await holdJob(tx, attempt)
    await endJob(tx, attempt, state, error)
  })
  if (attempt.staging_id !== null) await dropStaged(db, attempt.staging_id)
}

const INTERRUPTED = {
  code: 'interrupted',
  detail: 'The import broke off three times; send the file again to bring in the rest',
}

/** The third failure: what has landed stays, what has not is counted as failed. */
async function giveUp(db: Database, attempt: Attempt): Promise<void> {
  const { job_id, staging_id, options } = attempt
  await transact(db, async (tx) => {
    const { counts, read_counts } = await holdJob(tx, attempt)
    const chunks = await tx`select 1 from collections.job_chunks where job_id = ${job_id} limit 1`
    if (options.dry_run || options.mode === 'atomic' || chunks.length === 0)
      return endJob(tx, attempt, 'failed', INTERRUPTED)
    await extendTimeouts(tx)
    if (staging_id !== null) await markLanded(tx, job_id, staging_id)
    const left = await tx<{ sheet: SheetNumber; row: number }[]>`
      select sheet, row from collections.staged_rows
       where staging_id = ${staging_id} and state = 'staged' order by sheet, row`
    const tally = noTally()
    const errors: RowError[] = left.map(({ sheet, row }) => ({
      level: 'error',
      sheet: attempt.layout?.find(({ role }) => SHEETS[role] === sheet)?.sheet ?? '',
      row,
      column: null,
      header: null,
      code: 'not_applied',
      message: 'The import broke off before this row',
      value: null,
    }))
    for (const { sheet } of left)
      tally[sheet === SHEETS.collections ? 'collections_failed' : 'items_failed']++
    tally.errors = left.length
    await keepErrors(tx, attempt, 'applying', errors, keptOf({ counts, read_counts }))
    await tx`
      update collections.jobs set counts = ${tx.json(addTally({ ...noTally(), ...counts }, tally))} where job_id = ${job_id}`
    return endJob(tx, attempt, 'completed_with_errors', INTERRUPTED)
  })
  if (staging_id !== null) await dropStaged(db, staging_id)
}
