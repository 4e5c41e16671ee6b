import type postgres from 'postgres'
import { afterCommit, type Database, type Tx } from '../database/database.ts'
import { newId } from '../ids.ts'
import { formatTraceContext } from '../tracing/traceparent.ts'
import { currentTrace, leaveTrace } from '../tracing/tracing.ts'

export type Payload = { [name: string]: unknown }

export type JobState = 'pending' | 'done' | 'failed' | 'held'

/** A job claimed by one runner. `lease_token` proves the claim until the lease expires by the database clock. */
export type Job = {
  job_id: string
  kind: string
  payload: Payload
  state: JobState
  attempts: number
  claims: number
  run_at: string
  lease_token: string
  lease_seconds: number
  /** The trace in which it was enqueued (formatTraceContext). */
  trace: string | null
}

export type NewJob = {
  /** Set it to give a row of the service the same id; by default a new id. */
  job_id?: string
  kind: string
  payload: Payload
  /** 0 runs before 1, the default. */
  priority?: number
  /** Seconds from each failed attempt to the next one. After the last delay the job fails. None by default. */
  delays?: readonly number[]
  /** The last delay repeats until the job succeeds. */
  is_endless?: boolean
  /** ISO 8601; by default now. */
  run_at?: string
  /** Lease in seconds, 10 by default. Handlers that take longer renew it. */
  lease_seconds?: number
}

/** The runners of this process. */
const listeners = new Set<(kinds: ReadonlySet<string>) => void>()

/** Notifies of jobs that this process has committed, by kind. Returns the unsubscribe function. */
export function onEnqueued(listen: (kinds: ReadonlySet<string>) => void): () => void {
  listeners.add(listen)
  return () => void listeners.delete(listen)
}

/** Wakes this process's runners of these kinds after the transaction commits. */
export function wakeAfterCommit(tx: Tx, kinds: ReadonlySet<string>): void {
  afterCommit(tx, () => {
    leaveTrace(() => {
      for (const listen of listeners) listen(kinds)
    })
  })
}

/**
 * Writes jobs in the caller's transaction and returns their ids in order. After the commit of `db.transaction` this
 * process's runners start them at once; other processes find them at their next poll.
 */
export async function enqueue(tx: Tx, jobs: readonly NewJob[]): Promise<string[]> {
  if (jobs.length === 0) return []
  const rows = jobs.map((job) => ({ job_id: newId(), ...carriedTrace(), ...job }))
  await tx`
    insert into foundation.jobs (job_id, kind, priority, payload, delays, is_endless, run_at, lease_seconds, trace)
    select job_id, kind, coalesce(priority, 1), payload, coalesce(delays, '{}'), coalesce(is_endless, false),
           coalesce(run_at, date_trunc('milliseconds', clock_timestamp())), coalesce(lease_seconds, 10), trace
      from jsonb_to_recordset(${tx.json(rows as postgres.JSONValue)}) as job (
           job_id uuid, kind text, priority smallint, payload jsonb, delays int[], is_endless boolean,
           run_at timestamptz, lease_seconds int, trace text)`
  wakeAfterCommit(tx, new Set(rows.map((row) => row.kind)))
  return rows.map((row) => row.job_id)
}

/** Stored with work that goes on after an answer, so that it appears in the same trace. */
export function carriedTrace(): { trace?: string } {
  const context = currentTrace()
  return context ? { trace: formatTraceContext(context) } : {}
}

/** Fails pending jobs, including running ones: the attempt then finds that its lease is gone. */
export async function cancelJobs(tx: Tx, job_ids: readonly string[], reason: string): Promise<void> {
  await tx`
    update foundation.jobs
       set state = 'failed', last_error = ${reason}, finished_at = clock_timestamp(), lease_token = null, lease_until = null
     where job_id = any(${job_ids as string[]}::uuid[]) and state = 'pending'`
}

/** Makes waiting jobs due now. Returns the ids it changed, which excludes due, running and finished jobs. */
export async function runNow(tx: Tx, job_ids: readonly string[]): Promise<string[]> {
  const rows = await tx<{ job_id: string }[]>`
    update foundation.jobs set run_at = date_trunc('milliseconds', clock_timestamp())
     where job_id = any(${job_ids as string[]}::uuid[]) and state = 'pending' and lease_token is null
       and run_at > clock_timestamp()
    returning job_id`
  return rows.map((row) => row.job_id)
}

const SWEEP = 1_000

/**
 * Deletes jobs done more than `olderThanDays` days ago, in batches small enough not to block others. Returns the
 * number.
 */
export async function sweepJobs(db: Database, olderThanDays: number): Promise<number> {
  for (let swept = 0; ;) {
    const rows = await db.pool`
      delete from foundation.jobs where job_id = any(array(
        select job_id from foundation.jobs
         where state = 'done' and finished_at < statement_timestamp() - make_interval(days => ${olderThanDays})
         order by finished_at, job_id limit ${SWEEP}))`
    swept += rows.count
    if (rows.count < SWEEP) return swept
  }
}
