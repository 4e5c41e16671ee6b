import type { Database, Pool, Tx } from '../database.ts'
import type { Job, JobState } from './jobs.ts'

/** What became of a finished attempt. `run_at` is the next attempt when `state` is pending. */
export type Finished = { state: JobState; attempts: number; run_at: string; due_in_ms: number }

/** How an attempt ended; without `error` it succeeded. */
export type Outcome = {
  /** Nothing was tried: the job is due again in so many milliseconds, and no attempt is spent. */
  postponed_ms?: number
  error?: string
  /** It failed, and more attempts are of no use. */
  isFinal?: boolean
  /** A success that cannot be undone, such as an answer of 2xx: it counts although the lease has passed to somebody else. */
  countsLate?: boolean
}

export type Ended = Outcome & { job: Pick<Job, 'job_id' | 'lease_token'> }

/**
 * Ends an attempt. What `record` writes is committed with it or not at all. Undefined: the lease has passed to
 * somebody else, and nothing was changed.
 */
export async function finish(
  db: Database,
  job: Pick<Job, 'job_id' | 'lease_token'>,
  outcome: Outcome,
  record?: (tx: Tx, finished: Finished) => Promise<void>,
): Promise<Finished | undefined> {
  const ended = [{ ...outcome, job }]
  if (!record) return (await finishMany(db.pool, ended)).get(job.job_id)
  return db.transaction(async (tx) => {
    const finished = (await finishMany(tx, ended)).get(job.job_id)
    if (finished) await record(tx, finished)
    return finished
  })
}

/** The same for many attempts at once, by job_id. Those whose lease has passed to somebody else are not there. */
export async function finishMany(
  on: Pool | Tx,
  all: readonly Ended[],
): Promise<ReadonlyMap<string, Finished>> {
  const postponed = all.filter(({ postponed_ms }) => postponed_ms !== undefined)
  const ended = all.filter(({ postponed_ms }) => postponed_ms === undefined)
  const rows = [
    ...(ended.length === 0 ? [] : await end(on, ended)),
    ...(postponed.length === 0 ? [] : await postpone(on, postponed)),
  ]
  return new Map(rows.map(({ job_id, ...finished }) => [job_id, finished]))
}

type FinishedJob = Finished & { job_id: string }

const finishedColumns = (on: Pool | Tx) => on`
  j.job_id, j.state, j.attempts, j.run_at,
  greatest(0, ceil(extract(epoch from j.run_at - clock_timestamp()) * 1000))::bigint as due_in_ms`

/** A claim that came to nothing is not one of those after which a job is held. */
const postpone = (on: Pool | Tx, postponed: readonly Ended[]) =>
  on<FinishedJob[]>`
    update foundation.jobs j
       set claims = j.claims - 1, lease_token = null, lease_until = null,
           run_at = clock_timestamp() + make_interval(secs => p.ms / 1000.0)
      from unnest(${postponed.map(({ job }) => job.job_id)}::uuid[],
                  ${postponed.map(({ job }) => job.lease_token)}::uuid[],
                  ${postponed.map(({ postponed_ms = 0 }) => Math.ceil(postponed_ms))}::int[]) as p (job_id, lease_token, ms)
     where j.job_id = p.job_id and j.state = 'pending' and j.lease_token = p.lease_token
    returning ${finishedColumns(on)}`

const end = (on: Pool | Tx, ended: readonly Ended[]) =>
  on<FinishedJob[]>`
    with ended as (
      select * from unnest(${ended.map(({ job }) => job.job_id)}::uuid[],
                           ${ended.map(({ job }) => job.lease_token)}::uuid[],
                           ${ended.map(({ error }) => error?.slice(0, 500) ?? null)}::text[],
                           ${ended.map(({ isFinal = false }) => Number(isFinal))}::int[],
                           ${ended.map(({ countsLate = false }) => Number(countsLate))}::int[])
                as e (job_id, lease_token, error, is_final, counts_late))
    update foundation.jobs j
       set attempts = j.attempts + 1, lease_token = null, lease_until = null, last_error = e.error,
           state = case when e.error is null then 'done' when e.is_final = 1 or j.next_delay is null then 'failed'
                        else 'pending' end,
           finished_at = case when e.error is null or e.is_final = 1 or j.next_delay is null then clock_timestamp() end,
           run_at = case when e.error is null or e.is_final = 1 or j.next_delay is null then j.run_at
                         else clock_timestamp() + make_interval(secs => j.next_delay) end
      from ended e
     where j.job_id = e.job_id and j.state = 'pending'
       and (j.lease_token = e.lease_token or e.counts_late = 1 and e.error is null)
    returning ${finishedColumns(on)}`
