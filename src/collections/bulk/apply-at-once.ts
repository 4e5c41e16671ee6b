import type { Tx } from '#foundation/database/database.ts'
import { Cancelled, extendTimeouts, hold, redoOvertaken, transact } from '#foundation/imports/attempt.ts'
import { endImport } from '#foundation/imports/imports.ts'
import { finish } from '#foundation/imports/run.ts'
import { findRights, isAtLeast } from '../access.ts'
import type { Applying } from './apply.ts'
import { actorOf, applyingOf, applyNext, eachChunk, type Running, sheetOf } from './chunk.ts'
import { type JobError, noteTouched, writeEnd } from './imports.ts'
import { addTally, noTally, type Tally } from './job.ts'
import { keepErrors } from './keep-errors.ts'
import { createLanded } from './landed.ts'
import { holdMemberships } from './locks.ts'
import type { RowError } from './row-error.ts'
import { SHEETS } from './staged.ts'
import { countsOf, showProgress, type Task } from './task.ts'

/** Rolls the transaction back and carries its outcome to the code that reports it. */
class TakenBack extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('taken back')
    this.outcome = outcome
  }
}
/** Far more collections than a summary leads to. */
const MANY = 1_000
type Outcome = { tally: Tally; errors: RowError[]; touched: string[]; error?: JobError }

/**
 * Runs an atomic import or a dry run: all chunks in one transaction. It locks the job and the memberships only in its
 * last statements, so others wait for it no longer than for a commit.
 */
export async function applyAtOnce(running: Running, task: Task): Promise<void> {
  try {
    await redoOvertaken(task.imports, () => transact(task.db, (tx) => applyAll(tx, running, task)))
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error
    await finish(task, (tx) => writeTakenBack(tx, task, error.outcome))
  }
}

async function applyAll(tx: Tx, running: Running, task: Task): Promise<void> {
  await extendTimeouts(tx)
  const landed = await createLanded(task.db.pool)
  const applying: Applying = { ...applyingOf(running, { ...task, landed }, false), tx, actor: undefined }
  const outcome: Outcome = { tally: noTally(), errors: [], touched: [] }
  let rows_done = 0
  await eachChunk(async (phase, after) => {
    const sheet = sheetOf(phase)
    task.signal.throwIfAborted()
    await showProgress(task, { phase: sheet, rows_done })
    applying.actor = await actorOf(running, task)
    const next = await applyNext(tx, applying, { task, phase, after })
    if (!next) return undefined
    const { tally, errors, ended, touched } = next.chunk
    outcome.tally = addTally(outcome.tally, tally)
    outcome.errors.push(...errors)
    landed.add(SHEETS[sheet], ended)
    if (outcome.touched.length < MANY) outcome.touched.push(...touched)
    rows_done += ended.length
    return next.cursor
  })
  if (task.options.dry_run) throw new TakenBack(outcome)
  await commitAll(running, task, applying, outcome)
}

/** The last statements of an atomic job. Row errors, or rights lost since the check, roll it back. */
async function commitAll(running: Running, task: Task, applying: Applying, outcome: Outcome): Promise<void> {
  const { tx, needs } = applying
  const { job_id, imports } = task
  const errors = (await countsOf(tx, job_id)).read_errors + outcome.tally.errors
  if (errors > 0) throw new TakenBack({ ...outcome, error: rowErrors(errors) })
  await holdMemberships(applying)
  const actor = await actorOf(running, task)
  const rights = actor ? await findRights(tx, actor, [...needs.keys()]) : []
  const roles = new Map(rights.map(({ collection_id, role }) => [collection_id, role]))
  for (const [collection_id, role] of needs)
    if (!isAtLeast(roles.get(collection_id) ?? null, role))
      throw new TakenBack({ ...outcome, error: FORBIDDEN })
  if (!actor) throw new TakenBack({ ...outcome, error: FORBIDDEN })
  if (await hold(tx, task)) throw new Cancelled()
  await tx`update collections.jobs set counts = ${tx.json(outcome.tally)} where job_id = ${job_id}`
  await noteTouched(tx, job_id, outcome.touched)
  await endImport(tx, imports, task, () => writeEnd(tx, job_id, 'completed'))
}

const FORBIDDEN = {
  code: 'forbidden',
  detail: 'Rights that the import needs were lost while it ran; nothing was written',
}
const rowErrors = (number: number) => ({
  code: 'row_errors',
  detail: `${number} errors in rows; all or nothing was asked for, so nothing was written`,
})

/** Records errors and counts after the rollback. */
async function writeTakenBack(tx: Tx, { job_id, options }: Task, outcome: Outcome): Promise<void> {
  const { kept } = await countsOf(tx, job_id)
  await keepErrors(tx, job_id, 'applying', outcome.errors, kept)
  const errors = kept.errors + outcome.tally.errors
  const error = outcome.error ?? (options.mode === 'atomic' && errors > 0 ? rowErrors(errors) : undefined)
  // A failed atomic job changed nothing, so only failures count. A dry run reports what would happen.
  const counts = error ? onlyFailures(outcome.tally) : outcome.tally
  await tx`update collections.jobs set counts = ${tx.json(counts)} where job_id = ${job_id}`
  if (error) return writeEnd(tx, job_id, 'failed', error)
  return writeEnd(tx, job_id, errors === 0 ? 'completed' : 'completed_with_errors')
}

const onlyFailures = ({ errors, warnings, collections_failed, items_failed }: Tally): Tally => ({
  ...noTally(),
  errors,
  warnings,
  collections_failed,
  items_failed,
})
