import type { Database, Tx } from '#foundation/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Handler } from '#foundation/jobs/attempt.ts'
import type { Logger } from '#foundation/log.ts'
import { isSiteAdmin } from '#foundation/powers.ts'
import type { Identity } from '#foundation/session-gate.ts'
import { type Actor, findRights, isAtLeast } from '../access.ts'
import { type Applying, type Chunk, holdMemberships } from './apply.ts'
import {
  type Attempt,
  beginAttempt,
  type Held,
  holdJob,
  LeaseLost,
  showProgress,
  takeBackAttempt,
} from './attempt.ts'
import { applyCollections, findTargets } from './collections-chunk.ts'
import { endJob } from './job-queue.ts'
import { applyItems } from './items-chunk.ts'
import { addTally, noTally, type Tally } from './job.ts'
import { keepErrors, markLanded, markRows, noteChunk } from './record.ts'
import { type Cursor, nextCollections, nextItems, START } from './rows-next.ts'
import { type RowError } from './row-error.ts'
import { transact } from './transact.ts'
import { dropStaged, stageRows } from './stage.ts'
import { rowIds, SHEETS, type SheetNumber } from './staged.ts'

export type Running = {
  db: Database
  identity: Pick<Identity, 'profiles'>
  log: Logger
  types: readonly string[]
}

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

const keptOf = ({ counts, read_counts }: Pick<Held, 'counts' | 'read_counts'>) => ({
  errors: (read_counts.errors ?? 0) + (counts.errors ?? 0),
  warnings: (read_counts.warnings ?? 0) + (counts.warnings ?? 0),
})

/** Who sent the file, as the sso knows them now; undefined when they may not act in the tenant any more. */
async function actorOf({ identity }: Running, attempt: Attempt): Promise<Actor | undefined> {
  const { tenant_id, user_id } = attempt
  const [profile] = await identity.profiles(tenant_id, [user_id])
  if (!profile || profile.status !== 'active' || profile.role === null) return undefined
  // A role at another site of the tenant must not add what the token of the upload did not give.
  const is_site_admin = attempt.is_site_admin && isSiteAdmin({ role: profile.role })
  return { tenant_id, user_id, is_site_admin }
}

async function applyingOf(
  running: Running,
  attempt: Attempt,
  tx: Tx,
  holdsMemberships: boolean,
): Promise<Applying> {
  const { staging_id, options, layout, job_id, created_at, tenant_id, user_id } = attempt
  if (staging_id === null) throw new Error('nothing is staged')
  return {
    tx,
    actor: await actorOf(running, attempt),
    author: { tenant_id, user_id },
    options,
    staging_id,
    layouts: layout ?? [],
    idOf: rowIds(job_id, created_at),
    default_type: running.types[0] ?? 'general',
    holdsMemberships,
    needs: new Map(),
  }
}

type Sheet = 'collections' | 'items'

/** The next rows of a sheet, brought in. Undefined when there are none. */
async function applyNext(
  applying: Applying,
  sheet: Sheet,
  after: Cursor,
): Promise<{ chunk: Chunk; cursor: Cursor } | undefined> {
  const { tx, staging_id } = applying
  const read = async () => {
    if (sheet === 'items') {
      const next = await nextItems(tx, staging_id, after)
      return next && { chunk: await applyItems(applying, next.rows), cursor: next.cursor }
    }
    const next = await nextCollections(tx, staging_id, after)
    return next && { chunk: await applyCollections(applying, next.rows), cursor: next.cursor }
  }
  const applied = await read()
  if (!applied) return undefined
  // Rows of collections are what others refer to; of items only those matter that two rows may mean.
  const { ended } = applied.chunk
  const noted = sheet === 'items' ? ended.filter(({ target_id }) => target_id !== null) : ended
  if (noted.length > 0) await markRows(tx, staging_id, SHEETS[sheet], noted)
  return applied
}

/** Longer than a request may take, because a chunk is a thousand rows. */
const extendTimeouts = (tx: Tx) => tx`
  select set_config('statement_timeout', '120s', true), set_config('lock_timeout', '120s', true)`

/** Good rows land and bad rows are listed: a transaction for every thousand. */
async function applyInChunks(running: Running, attempt: Attempt, signal: AbortSignal): Promise<void> {
  const { db } = running
  await findLanded(running, attempt)
  let rows_done = 0
  for (const sheet of ['collections', 'items'] as const) {
    await showProgress(db, attempt, { phase: sheet })
    for (let cursor = START; ;) {
      signal.throwIfAborted()
      const from = cursor
      const next = await transact(db, async (tx) => {
        const held = await holdJob(tx, attempt)
        if (held.is_cancelled) {
          await endJob(tx, attempt, 'cancelled')
          return 'cancelled'
        }
        await extendTimeouts(tx)
        const applying = await applyingOf(running, attempt, tx, true)
        const applied = await applyNext(applying, sheet, from)
        if (!applied) return undefined
        const { tally, errors, ended } = applied.chunk
        await noteChunk(tx, attempt, SHEETS[sheet], ended)
        await keepErrors(tx, attempt, 'applying', errors, keptOf(held))
        await tx`
          update collections.jobs
             set counts = ${tx.json(addTally({ ...noTally(), ...held.counts }, tally))}, rows_done = rows_done + ${ended.length}
           where job_id = ${attempt.job_id}`
        return applied
      })
      if (next === 'cancelled') return
      if (!next) break
      rows_done += next.chunk.ended.length
      ;({ cursor } = next)
    }
  }
  await transact(db, async (tx) => {
    const held = await holdJob(tx, attempt)
    await endJob(tx, attempt, keptOf(held).errors === 0 ? 'completed' : 'completed_with_errors')
  })
}

/** What attempts before this one have done; after the rows were read once more, also which collections theirs became. */
async function findLanded(running: Running, attempt: Attempt): Promise<void> {
  const { job_id, staging_id } = attempt
  if (staging_id === null) return
  await transact(running.db, async (tx) => {
    await extendTimeouts(tx)
    await markLanded(tx, job_id, staging_id)
    const [missing] = await tx`
      select 1 from collections.staged_rows
       where staging_id = ${staging_id} and sheet = ${SHEETS.collections} and state = 'done' and target_id is null limit 1`
    if (!missing) return
    const applying = await applyingOf(running, attempt, tx, false)
    for (let cursor = START; ;) {
      const next = await nextCollections(tx, staging_id, cursor, 'done')
      if (!next) return
      const found = await findTargets(applying, next.rows)
      await markRows(
        tx,
        staging_id,
        SHEETS.collections,
        found.map((one) => ({ ...one, state: 'done' })),
      )
      ;({ cursor } = next)
    }
  })
}

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
async function applyAtOnce(running: Running, attempt: Attempt, signal: AbortSignal): Promise<void> {
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
