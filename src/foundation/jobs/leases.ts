import type { Database, Pool, Tx } from '../database.ts'
import type { Job, JobState } from './jobs.ts'

/** What became of a finished attempt. `run_at` is the next attempt when `state` is pending. */
export type Finished = { state: JobState; attempts: number; run_at: string; due_in_ms: number }

/** Claims that never finished, not attempts: a job that kills its process this often is held for a person to see. */
const MAX_LOST_CLAIMS = 50

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
 * Frees what the last process held when it died, of these kinds or of all. Only before the one process that claims them
 * starts to: with several, leases end by themselves. Returns how many.
 */
export async function releaseAllLeases(db: Database, kinds?: readonly string[]): Promise<number> {
  const rows = await db.pool`
    update foundation.jobs set lease_token = null, lease_until = null
     where state = 'pending' and lease_until is not null
       and (${kinds === undefined} or kind = any(${(kinds ?? []) as string[]}))`
  return rows.count
}
