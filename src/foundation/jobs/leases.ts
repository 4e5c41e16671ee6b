import type { Database, Pool } from '../database.ts'
import type { Job } from './jobs.ts'

/** Claims that never finished, not attempts: a job that kills its process this often is held for a person to see. */
export const MAX_LOST_CLAIMS = 50

export type ClaimOptions = {
  kinds: readonly string[]
  limit: number
  /** How many more of a lane this caller takes; every other lane has `room`. */
  lanes?: ReadonlyMap<string, number>
  room?: number
  /** Priority 0 only. */
  isUrgentOnly?: boolean
}

/** Takes the next due jobs of whatever lane, as claimNext. */
export const claim = async (db: Database, options: ClaimOptions): Promise<Job[]> =>
  (await claimNext(db, options)).jobs

/**
 * Takes the next due jobs under a lease of their own, by state and never by a cursor. It commits at once: no
 * transaction is open while the work is done. Jobs that come back `held` must not be run. `isMore`: `limit` was reached,
 * so there may be others. statement_timestamp() is the same clock as clock_timestamp(), but stable: only so can the index
 * skip what is not due yet.
 */
export async function claimNext(
  { pool }: Database,
  { kinds, limit, lanes = new Map(), room = 8, isUrgentOnly = false }: ClaimOptions,
): Promise<{ jobs: Job[]; isMore: boolean }> {
  const busy = [...lanes].filter(([, left]) => left <= 0).map(([lane]) => lane)
  const rows = await pool<(Job & { seen: number })[]>`
    with due as (
      select job_id, lane, priority, run_at, ${isPoison(pool)} as is_poison
        from foundation.jobs
       where ${isDue(pool, kinds)} and lane <> all(${busy})
         ${isUrgentOnly ? pool`and priority = 0` : pool``} and ${needsNoFlush(pool)}
       order by priority, run_at, job_id limit ${limit} for update skip locked),
    placed as (
      select job_id, lane, is_poison, row_number() over (partition by lane order by priority, run_at, job_id) as place
        from due),
    taken as (
      select job_id, is_poison from placed
        left join unnest(${[...lanes.keys()]}::text[], ${[...lanes.values()]}::int[]) as known (lane, room) using (lane)
       where place <= coalesce(known.room, ${room}))
    ${lease(pool)}, (select count(*) from due) as seen`
  return { jobs: rows, isMore: (rows[0]?.seen ?? 0) >= limit }
}

/**
 * The same for lanes of which the caller knows that there may be more, by how many it takes of each. However long their
 * queues are, no more rows are looked at.
 */
export async function claimOfLanes(
  { pool }: Database,
  { kinds, limit, lanes }: { kinds: readonly string[]; limit: number; lanes: ReadonlyMap<string, number> },
): Promise<Job[]> {
  return pool<Job[]>`
    with taken as (
      select j.job_id, j.is_poison
        from unnest(${[...lanes.keys()]}::text[], ${[...lanes.values()]}::int[]) as wanted (lane, room)
       cross join lateral (
         select job_id, ${isPoison(pool)} as is_poison
           from foundation.jobs
          where ${isDue(pool, kinds)} and lane = wanted.lane and ${needsNoFlush(pool)}
          order by priority, run_at, job_id limit wanted.room for update skip locked) j
       limit ${limit})
    ${lease(pool)}`
}

const isDue = (sql: Pool, kinds: readonly string[]) => sql`
  state = 'pending' and run_at <= statement_timestamp()
  and (lease_until is null or lease_until < statement_timestamp()) and kind = any(${kinds as string[]})`

const isPoison = (sql: Pool) => sql`claims - attempts >= ${MAX_LOST_CLAIMS}`

/**
 * A claim that a crash of the database forgets is one that nobody has made: the job is done once more, as after any crash.
 * So it need not wait for the disk, nor what is noted when an attempt begins; ends do.
 */
export const needsNoFlush = (sql: Pool) =>
  sql`(select set_config('synchronous_commit', 'off', true)) is not null`

const lease = (sql: Pool) => sql`
  update foundation.jobs
     set claims = claims + 1,
         state = case when is_poison then 'held' else 'pending' end,
         lease_token = case when is_poison then null else gen_random_uuid() end,
         lease_until = case when is_poison then null else clock_timestamp() + make_interval(secs => lease_seconds) end
    from taken where jobs.job_id = taken.job_id
  returning jobs.job_id, kind, lane, payload, state, attempts, claims, run_at, lease_token, lease_seconds,
            greatest(0, extract(epoch from clock_timestamp() - run_at) * 1000)::bigint as waited_ms`

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
