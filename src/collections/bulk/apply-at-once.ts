import type { Database, Tx } from '#foundation/database.ts'
import { findRights, isAtLeast } from '../access.ts'
import { type Applying, holdMemberships } from './apply.ts'
import { actorOf, extendTimeouts, applyingOf, applyNext, keptOf, type Running } from './applying.ts'
import { type Attempt, holdJob, showProgress } from './attempt.ts'
import { endJob } from './job-queue.ts'
import { addTally, noTally, type Tally } from './job.ts'
import { transact } from './transact.ts'
import { keepErrors } from './record.ts'
import type { RowError } from './row-error.ts'
import { START } from './rows-next.ts'

/** What a transaction came to that is not committed. */
class TakenBack extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('taken back')
    this.outcome = outcome
  }
}
type Outcome = {
  tally: Tally
  errors: RowError[]
  error?: { code: string; detail: string }
  is_cancelled?: boolean
}

/**
 * All or nothing, and the dry run: the same chunks inside one transaction. What it holds of the job and of memberships it
 * takes in its last statements, so nobody waits longer for it than for a commit.
 */
export async function applyAtOnce(running: Running, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const { db } = running
  const { dry_run, mode } = attempt.options
  try {
    await transact(db, async (tx) => {
      await extendTimeouts(tx)
      const applying = await applyingOf(running, attempt, tx, false)
      const outcome: Outcome = { tally: noTally(), errors: [] }
      let rows_done = 0
      for (const sheet of ['collections', 'items'] as const)
        for (let cursor = START; ;) {
          signal.throwIfAborted()
          const { is_cancelled } = await showProgress(db, attempt, { phase: sheet, rows_done })
          if (is_cancelled) throw new TakenBack({ ...outcome, is_cancelled })
          applying.actor = await actorOf(running, attempt)
          const next = await applyNext(applying, sheet, cursor)
          if (!next) break
          outcome.tally = addTally(outcome.tally, next.chunk.tally)
          outcome.errors.push(...next.chunk.errors)
          rows_done += next.chunk.ended.length
          ;({ cursor } = next)
        }
      if (dry_run) throw new TakenBack(outcome)
      await commitAll(running, attempt, applying, outcome)
    })
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error
    await endTakenBack(db, attempt, error.outcome, mode === 'atomic')
  }
}

/** The last statements of an atomic job: errors take it back, and so do rights that were lost meanwhile. */
async function commitAll(
  running: Running,
  attempt: Attempt,
  applying: Applying,
  outcome: Outcome,
): Promise<void> {
  const { tx, needs, author } = applying
  const held = await readCounts(tx, attempt)
  if (held.errors + outcome.tally.errors > 0)
    throw new TakenBack({ ...outcome, error: rowErrors(held.errors + outcome.tally.errors) })
  await holdMemberships(applying, [...needs.keys()])
  const actor = await actorOf(running, attempt)
  const rights = actor ? await findRights(tx, actor, [...needs.keys()]) : []
  const held_roles = new Map(rights.map(({ collection_id, role }) => [collection_id, role]))
  for (const [collection_id, role] of needs)
    if (!isAtLeast(held_roles.get(collection_id) ?? null, role))
      throw new TakenBack({ ...outcome, error: FORBIDDEN })
  if (!actor) throw new TakenBack({ ...outcome, error: FORBIDDEN })
  const { is_cancelled } = await holdJob(tx, attempt)
  if (is_cancelled) throw new TakenBack({ ...outcome, is_cancelled })
  await tx`
    update collections.jobs set counts = ${tx.json(outcome.tally)}
     where job_id = ${attempt.job_id} and tenant_id = ${author.tenant_id}`
  await endJob(tx, attempt, 'completed')
}

const FORBIDDEN = {
  code: 'forbidden',
  detail: 'Rights that the import needs were lost while it ran; nothing was written',
}
const rowErrors = (number: number) => ({
  code: 'row_errors',
  detail: `${number} errors in rows; all or nothing was asked for, so nothing was written`,
})

async function readCounts(tx: Tx, { job_id }: Attempt): Promise<{ errors: number }> {
  const [row] = await tx<{ errors: number }[]>`
    select coalesce((read_counts ->> 'errors')::int, 0) as errors from collections.jobs where job_id = ${job_id}`
  return row ?? { errors: 0 }
}

/** After the rollback: what the run found and what it would have done. */
async function endTakenBack(
  db: Database,
  attempt: Attempt,
  outcome: Outcome,
  isAtomic: boolean,
): Promise<void> {
  await transact(db, async (tx) => {
    const held = await holdJob(tx, attempt)
    if (outcome.is_cancelled || held.is_cancelled) return endJob(tx, attempt, 'cancelled')
    await keepErrors(tx, attempt, 'applying', outcome.errors, keptOf({ ...held, counts: noTally() }))
    const errors = keptOf(held).errors + outcome.tally.errors
    const error = outcome.error ?? (isAtomic && errors > 0 ? rowErrors(errors) : undefined)
    // An atomic job that fails has changed nothing; a dry run says what would happen.
    const counts = error ? onlyFailures(outcome.tally) : outcome.tally
    await tx`update collections.jobs set counts = ${tx.json(counts)} where job_id = ${attempt.job_id}`
    if (error) return endJob(tx, attempt, 'failed', error)
    return endJob(tx, attempt, errors === 0 ? 'completed' : 'completed_with_errors')
  })
}

const onlyFailures = ({ errors, warnings, collections_failed, items_failed }: Tally): Tally => ({
  ...noTally(),
  errors,
  warnings,
  collections_failed,
  items_failed,
})
