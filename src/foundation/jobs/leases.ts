import type { Database, Pool } from '../database/database.ts'
import type { Job } from './jobs.ts'

/**
 * Claims that never finished (not attempts). A job that kills its process this often is held for an operator to
 * inspect.
 */
export const MAX_LOST_CLAIMS = 50

/**
 * Claims the next due jobs by priority and age, each under its own lease, and commits at once: no transaction stays
 * open during the work. Jobs returned as `held` must not run. statement_timestamp() is stable, unlike
 * clock_timestamp(), so the index can skip jobs that are not due.
 */
export async function claim(
  { pool }: Database,
  { kinds, limit }: { kinds: readonly string[]; limit: number },
): Promise<Job[]> {
  return pool<Job[]>`
    with due as (
      select job_id, claims - attempts >= ${MAX_LOST_CLAIMS} as is_poison
        from foundation.jobs
       where state = 'pending' and run_at <= statement_timestamp()
         and (lease_until is null or lease_until < statement_timestamp()) and kind = any(${kinds as string[]})
         and ${needsNoFlush(pool)}
       order by priority, run_at, job_id limit ${limit} for update skip locked)
    update foundation.jobs
       set claims = claims + 1,
           state = case when is_poison then 'held' else 'pending' end,
           lease_token = case when is_poison then null else gen_random_uuid() end,
           lease_until = case when is_poison then null else clock_timestamp() + make_interval(secs => lease_seconds) end
      from due where jobs.job_id = due.job_id
    returning jobs.job_id, kind, payload, state, attempts, claims, run_at, lease_token, lease_seconds, trace`
}

/**
 * Turns off synchronous_commit. If a database crash loses a claim, the job simply runs again, as after any crash. Only
 * the end of a job must be on disk.
 */
export const needsNoFlush = (sql: Pool) =>
  sql`(select set_config('synchronous_commit', 'off', true)) is not null`

/** Extends a lease by its full length from now. False: another runner has it, and the work must stop. */
export async function renew(db: Database, job: Pick<Job, 'job_id' | 'lease_token'>): Promise<boolean> {
  const rows = await db.pool`
    update foundation.jobs set lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
     where job_id = ${job.job_id} and lease_token = ${job.lease_token} and state = 'pending'`
  return rows.count === 1
}

/** Releases unfinished jobs: they are due again at once, and no attempt is counted. */
export async function release(
  db: Database,
  jobs: readonly Pick<Job, 'job_id' | 'lease_token'>[],
): Promise<void> {
  await db.pool`
    update foundation.jobs set lease_token = null, lease_until = null
     where job_id = any(${jobs.map((job) => job.job_id)}::uuid[])
       and lease_token = any(${jobs.map((job) => job.lease_token)}::uuid[]) and state = 'pending'`
}

/**
 * Releases the leases of the previous process after a crash. Call it only if a single process claims jobs, before it
 * starts claiming; with several, leases expire by themselves. Returns the number.
 */
export async function releaseAllLeases(db: Database): Promise<number> {
  const rows = await db.pool`
    update foundation.jobs set lease_token = null, lease_until = null
     where state = 'pending' and lease_until is not null`
  return rows.count
}
