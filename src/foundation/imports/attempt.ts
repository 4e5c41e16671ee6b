import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Tx } from '../database/database.ts'
import { ApiError } from '../errors.ts'
import type { Job } from '../jobs/jobs.ts'
import type { Imports } from './imports.ts'

/** One attempt at an import. Only the latest attempt may change anything. */
export type Attempt = {
  db: Database
  imports: Imports
  job_id: string
  lease_token: string
  turn_id: string
  /** The number of attempts so far, including this one. */
  starts: number
  staged_rows: number | null
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal
  renew: () => Promise<void>
}

/** Another attempt has taken over the import, so the current work is discarded. */
export class LeaseLost extends Error {}
/** The import was asked to stop. */
export class Cancelled extends Error {}

/** Begins an attempt. Undefined: the import has already ended. */
export async function beginAttempt(
  db: Database,
  imports: Imports,
  { job_id, lease_token }: Pick<Job, 'job_id' | 'lease_token'>,
): Promise<Omit<Attempt, 'signal' | 'renew'> | undefined> {
  const { jobs, turn } = imports
  const [begun] = await db.pool<Pick<Attempt, 'turn_id' | 'starts' | 'staged_rows'>[]>`
    update ${db.pool(jobs)}
       set lease_token = ${lease_token}, starts = starts + 1, started_at = coalesce(started_at, clock_timestamp())
     where job_id = ${job_id} and finished_at is null
    returning ${db.pool(turn)} as turn_id, starts, staged_rows`
  return begun && { db, imports, job_id, lease_token, ...begun }
}

/** Does not count an attempt that was stopped from outside. */
export async function takeBackAttempt({ db, imports, job_id, lease_token }: Attempt): Promise<void> {
  await db.pool`
    update ${db.pool(imports.jobs)} set starts = starts - 1
     where job_id = ${job_id} and lease_token = ${lease_token}`
}

/**
 * Locks the import until the end of the transaction, so that each chunk is applied once. Returns whether it is
 * cancelled.
 */
export async function hold(tx: Tx, { imports, job_id, lease_token }: Attempt): Promise<boolean> {
  const [held] = await tx<{ is_cancelled: boolean }[]>`
    select cancel_requested_at is not null as is_cancelled from ${tx(imports.jobs)}
     where job_id = ${job_id} and lease_token = ${lease_token} and finished_at is null for no key update`
  if (!held) throw new LeaseLost()
  return held.is_cancelled
}

/**
 * Runs one chunk in a transaction that locks the import and saves the chunk's changes together with the progress. A
 * kill neither repeats nor loses a row.
 */
export async function step<T>(attempt: Attempt, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { db, imports, signal, renew } = attempt
  signal.throwIfAborted()
  await renew()
  return redoOvertaken(imports, () =>
    transact(db, async (tx) => {
      if (await hold(tx, attempt)) throw new Cancelled()
      return work(tx)
    }),
  )
}

/** How often in a row a concurrent change may force a retry. */
const MAX_OVERTAKEN = 10

export async function redoOvertaken<T>({ isOvertaken }: Imports, work: () => Promise<T>): Promise<T> {
  for (let times = 1; ; times++)
    try {
      return await work()
    } catch (error) {
      if (!isOvertaken(error) || times > MAX_OVERTAKEN) throw error
    }
}

/** Raises the timeouts for a chunk that may take longer than a request. */
export const extendTimeouts = (tx: Tx) => tx`
  select set_config('statement_timeout', '120s', true), set_config('lock_timeout', '120s', true)`

const RETRIES = { every_ms: 200, times: 50 }

/** Retries while the database is busy. A request would tell its client to retry; an import has nobody to tell. */
export async function transact<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let time = 1; ; time++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'busy' || time === RETRIES.times) throw error
      await wait(RETRIES.every_ms)
    }
  }
}
