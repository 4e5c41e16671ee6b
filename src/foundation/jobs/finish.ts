import type { Database, Pool, Tx } from '../database/database.ts'
import type { Job, JobState } from './jobs.ts'

/** The outcome of an attempt. If `state` is pending, `run_at` is the time of the next attempt. */
export type Finished = { state: JobState; attempts: number; run_at: string; due_in_ms: number }

/**
 * Ends an attempt; with `error` it failed. The writes of `record` are in the same transaction. Undefined: another
 * runner has the lease, and nothing was changed.
 */
export async function finish(
  db: Database,
  job: Pick<Job, 'job_id' | 'lease_token'>,
  { error }: { error?: string },
  record?: (tx: Tx, finished: Finished) => Promise<void>,
): Promise<Finished | undefined> {
  if (!record) return end(db.pool, job, error)
  return db.transaction(async (tx) => {
    const finished = await end(tx, job, error)
    if (finished) await record(tx, finished)
    return finished
  })
}

async function end(
  on: Pool | Tx,
  { job_id, lease_token }: Pick<Job, 'job_id' | 'lease_token'>,
  error: string | undefined,
): Promise<Finished | undefined> {
  const [finished] = await on<Finished[]>`
    update foundation.jobs
       set attempts = attempts + 1, lease_token = null, lease_until = null, last_error = ${error?.slice(0, 500) ?? null},
           state = case when ${error === undefined} then 'done' when next_delay is null then 'failed' else 'pending' end,
           finished_at = case when ${error === undefined} or next_delay is null then clock_timestamp() end,
           run_at = case when ${error === undefined} or next_delay is null then run_at
                         else clock_timestamp() + make_interval(secs => next_delay) end
     where job_id = ${job_id} and state = 'pending' and lease_token = ${lease_token}
    returning state, attempts, run_at,
              greatest(0, ceil(extract(epoch from run_at - clock_timestamp()) * 1000))::bigint as due_in_ms`
  return finished
}
