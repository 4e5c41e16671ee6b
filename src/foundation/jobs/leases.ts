import type { Database, Pool } from '../database/database.ts'
import type { Job } from './jobs.ts'

/** Claims that never finished, not attempts: a job that kills its process this often is held for a person to see. */
export const MAX_LOST_CLAIMS = 50

/**
 * Takes the next due jobs by priority and age under a lease of their own. It commits at once: no transaction is open while
 * the work is done. Jobs that come back `held` must not be run. statement_timestamp() is the same clock as
 * clock_timestamp(), but stable: only so can the index skip what is not due yet.
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
    returning jobs.job_id, kind, payload, state, attempts, claims, run_at, lease_token, lease_seconds`
}

/**
 * A claim that a crash of the database forgets is one that nobody has made: the job is done once more, as after any crash.
 * So it need not wait for the disk; ends do.
 */
export const needsNoFlush = (sql: Pool) =>
  sql`(select set_config('synchronous_commit', 'off', true)) is not null`

/** Prolongs a lease by its own length from now. False: it has passed to somebody else, the work must stop. */
export async function renew(db: Database, job: Pick<Job, 'job_id' | 'lease_token'>): Promise<boolean> {
  const rows = await db.pool`
    update foundation.jobs set lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
     where job_id = ${job.job_id} and lease_token = ${job.lease_token} and state = 'pending'`
  return rows.count === 1
}

/** Gives jobs back unfinished: they are due again at once, and no attempt is spent. */
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
 * Frees what the last process held when it died. Only before the one process that claims jobs starts to: with several,
 * leases end by themselves. Returns how many.
 */
export async function releaseAllLeases(db: Database): Promise<number> {
  const rows = await db.pool`
    update foundation.jobs set lease_token = null, lease_until = null
     where state = 'pending' and lease_until is not null`
  return rows.count
}
