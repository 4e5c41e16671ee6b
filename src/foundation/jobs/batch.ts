import { setImmediate as turnOver, setTimeout as wait } from 'node:timers/promises'
import { type Database, isConnectionLoss, type Tx } from '../database.ts'
import { ApiError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { ClaimResult } from './attempt.ts'
import { type Job } from './jobs.ts'
import { finish, type Finished, finishMany, type Outcome } from './finish.ts'
import { release } from './leases.ts'

/**
 * Work of which there is so much that a commit per job would be most of its cost. The jobs of one claim begin together
 * and attempts that end at about the same time are recorded together; in between each is on its own.
 */
export type BatchHandler<Given = unknown, Noted = unknown> = {
  /** Reads what the jobs of one claim need, by job_id. A job that is left out has nothing left to do: it is done. */
  begin(db: Database, jobs: readonly Job[]): Promise<ReadonlyMap<string, Given>>
  /** One attempt, as Handler. What it returns as `noted` is handed to `record`. */
  work(given: Given, job: Job, signal: AbortSignal): Promise<Outcome & { noted: Noted }>
  /**
   * Is written in the transaction that ends these attempts, or not at all. When it throws they are failed attempts. Those that
   * were postponed are not among them.
   */
  record(tx: Tx, ended: readonly Recorded<Given, Noted>[]): Promise<void>
}

export type Recorded<Given, Noted> = { job: Job; given: Given; noted: Noted; finished: Finished }

/** Called when the work is over and only its end is to be written. */
export type OnWorked = (outcome: Outcome) => void

/** The jobs of one claim and kind. Undefined: they could not begin, and have been given back. */
export type Begun = Promise<ReadonlyMap<string, unknown> | undefined>

export async function beginAll(
  { db, log }: { db: Database; log: Logger },
  handler: BatchHandler,
  jobs: readonly Job[],
): Promise<ReadonlyMap<string, unknown> | undefined> {
  try {
    return await handler.begin(db, jobs)
  } catch (error) {
    log.error({ err: error, kind: jobs[0]?.kind, jobs: jobs.length }, 'jobs could not begin')
    await release(db, jobs).catch(() => {})
    return undefined
  }
}

/** One attempt of a job of a batch, its end included. Never rejects. */
export async function attemptOfBatch(
  { log, settle }: { log: Logger; settle: Settle },
  handler: BatchHandler,
  { job, begun, signal, onWorked }: { job: Job; begun: Begun; signal: AbortSignal; onWorked: OnWorked },
): Promise<ClaimResult> {
  const all = await begun
  if (!all) return { end: 'released' }
  if (!all.has(job.job_id)) return settle({ handler, job, outcome: {} })
  const given = all.get(job.job_id)
  try {
    const { noted, ...outcome } = await handler.work(given, job, signal)
    onWorked(outcome)
    return await settle({ handler, job, outcome, worked: { given, noted } })
  } catch (error) {
    log.error({ err: error, job_id: job.job_id, kind: job.kind }, 'a job threw')
    const outcome = { error: messageOf(error) }
    onWorked(outcome)
    return settle({ handler, job, outcome })
  }
}

type Item = {
  handler: BatchHandler
  job: Job
  outcome: Outcome
  /** Not there: nothing is to be recorded. */
  worked?: { given: unknown; noted: unknown }
}
export type Settle = (item: Item) => Promise<ClaimResult>

const MOST_AT_ONCE = 250
/** Two transactions share a flush of the disk, and what has just ended need not wait for the one before. */
const WRITERS = 2
/** While the database is away or full, what has ended waits for it: as long as a lease, then others take over. */
const RECORD_RETRIES = { every_ms: 200, times: 50 }

/**
 * Writes the ends of attempts: those that end while two transactions are under way share the next one. Nothing waits for
 * company. A job whose record cannot be written does not hold up the others.
 */
export function createSettler({ db, log }: { db: Database; log: Logger }): Settle {
  type Waiting = Item & { resolve: (result: ClaimResult) => void }
  const waiting: Waiting[] = []
  let writers = 0

  async function writeAll() {
    writers++
    while (waiting.length > 0) {
      await turnOver()
      const some = waiting.splice(0, MOST_AT_ONCE)
      if (some.length > 0) await writeSome(some)
    }
    writers--
  }

  async function writeSome(items: Waiting[]) {
    try {
      const finished = await patiently(() => write(items))
      for (const { job, outcome, resolve } of items) resolve(resultOf(outcome, finished.get(job.job_id)))
    } catch (error) {
      if (items.length > 1 && !isAway(error)) {
        for (const item of items) await writeSome([item])
        return
      }
      for (const { resolve, ...item } of items) resolve(await writeFailure(item, error))
    }
  }

  function write(items: readonly Item[]): Promise<ReadonlyMap<string, Finished>> {
    return db.transaction(async (tx) => {
      const finished = await finishMany(
        tx,
        items.map(({ job, outcome }) => ({ ...outcome, job })),
      )
      for (const [handler, ofHandler] of Map.groupBy(items, (item) => item.handler)) {
        const ended = ofHandler.flatMap(({ job, worked, outcome: { postponed_ms } }) => {
          const its = finished.get(job.job_id)
          return its && worked && postponed_ms === undefined ? [{ job, ...worked, finished: its }] : []
        })
        if (ended.length > 0) await handler.record(tx, ended)
      }
      return finished
    })
  }

  /** The record is at fault, or the database is gone for longer than anybody can wait. */
  async function writeFailure({ job, outcome }: Item, error: unknown): Promise<ClaimResult> {
    log.error({ err: error, job_id: job.job_id, kind: job.kind }, 'the end of a job could not be recorded')
    if (isAway(error)) return { end: 'lost' }
    try {
      return resultOf(
        { error: messageOf(error) },
        await finish(db, job, { ...outcome, error: messageOf(error) }),
      )
    } catch {
      return { end: 'lost' }
    }
  }

  return (item) =>
    new Promise((resolve) => {
      waiting.push({ ...item, resolve })
      if (writers < WRITERS) void writeAll()
    })
}

function resultOf({ error, postponed_ms }: Outcome, finished: Finished | undefined): ClaimResult {
  if (!finished) return { end: 'lost' }
  if (postponed_ms !== undefined) return { end: 'postponed', due_in_ms: finished.due_in_ms }
  if (finished.state === 'pending') return { end: 'retried', due_in_ms: finished.due_in_ms }
  return { end: error === undefined ? 'done' : 'failed' }
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let time = 1; ; time++) {
    try {
      return await work()
    } catch (error) {
      if (time === RECORD_RETRIES.times || !isAway(error)) throw error
      await wait(RECORD_RETRIES.every_ms)
    }
  }
}

const isAway = (error: unknown) =>
  isConnectionLoss(error) || (error instanceof ApiError && error.status === 503)

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
