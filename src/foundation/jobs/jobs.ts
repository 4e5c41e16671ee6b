import type postgres from 'postgres'
import { afterCommit, type Database, type Tx } from '../database/database.ts'
import { newId } from '../ids.ts'

export type Payload = { [name: string]: unknown }

export type JobState = 'pending' | 'done' | 'failed' | 'held'

/** A job in the hands of one runner: `lease_token` is the proof, good until the database's clock says otherwise. */
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
}

export type NewJob = {
  /** Where a row of the service is to have the same id; by default a new one. */
  job_id?: string
  kind: string
  payload: Payload
  /** 0 goes before 1, the default. */
  priority?: number
  /** Seconds from the end of each failed attempt to the next; used up means failed. None by default. */
  delays?: readonly number[]
  /** The last delay repeats until the job succeeds. */
  is_endless?: boolean
  /** ISO 8601; by default now. */
  run_at?: string
  /** Handlers that take longer renew their lease; 10 by default. */
  lease_seconds?: number
}

/** The runners of this process. */
const listeners = new Set<(kinds: ReadonlySet<string>) => void>()

/** Tells of jobs that this process has committed, by their kinds. Returns how to stop that. */
export function onEnqueued(listen: (kinds: ReadonlySet<string>) => void): () => void {
  listeners.add(listen)
  return () => void listeners.delete(listen)
}

/** Wakes the runners of these kinds in this process, once the transaction has committed. */
export function wakeAfterCommit(tx: Tx, kinds: ReadonlySet<string>): void {
  afterCommit(tx, () => {
    for (const listen of listeners) listen(kinds)
  })
}

/**
 * Writes jobs in the caller's transaction: committed with the fact or not at all. After the commit of `db.transaction` the
 * runners of this process start them at once; others find them at their next poll. Returns their ids in the order given.
 */
export async function enqueue(tx: Tx, jobs: readonly NewJob[]): Promise<string[]> {
  if (jobs.length === 0) return []
  const rows = jobs.map((job) => ({ job_id: newId(), ...job }))
  await tx`
    insert into foundation.jobs (job_id, kind, priority, payload, delays, is_endless, run_at, lease_seconds)
    select job_id, kind, coalesce(priority, 1), payload, coalesce(delays, '{}'), coalesce(is_endless, false),
           coalesce(run_at, date_trunc('milliseconds', clock_timestamp())), coalesce(lease_seconds, 10)
      from jsonb_to_recordset(${tx.json(rows as postgres.JSONValue)}) as job (
           job_id uuid, kind text, priority smallint, payload jsonb, delays int[], is_endless boolean,
           run_at timestamptz, lease_seconds int)`
  wakeAfterCommit(tx, new Set(rows.map((row) => row.kind)))
  return rows.map((row) => row.job_id)
}

/** Ends jobs that are not to be done any more, also those under way: their attempt will find that it counts no longer. */
export async function cancelJobs(tx: Tx, job_ids: readonly string[], reason: string): Promise<void> {
  await tx`
    update foundation.jobs
       set state = 'failed', last_error = ${reason}, finished_at = clock_timestamp(), lease_token = null, lease_until = null
     where job_id = any(${job_ids as string[]}::uuid[]) and state = 'pending'`
}

/** Moves waiting jobs to now. Returns the ids of those it moved: not the running and not the finished ones. */
export async function runNow(tx: Tx, job_ids: readonly string[]): Promise<string[]> {
  const rows = await tx<{ job_id: string }[]>`
    update foundation.jobs set run_at = date_trunc('milliseconds', clock_timestamp())
     where job_id = any(${job_ids as string[]}::uuid[]) and state = 'pending' and lease_token is null
    returning job_id`
  return rows.map((row) => row.job_id)
}

const SWEEP = 1_000

/** Deletes done jobs that ended longer ago, in bites small enough to hold nobody up. Returns how many. */
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
