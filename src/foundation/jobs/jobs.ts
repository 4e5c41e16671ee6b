import type postgres from 'postgres'
import type { Database, Pool, Tx } from '../database.ts'
import { newId } from '../ids.ts'

export type Payload = { [name: string]: unknown }

export type JobState = 'pending' | 'done' | 'failed' | 'held'

/** A job in the hands of one runner: `lease_token` is the proof, good until the database's clock says otherwise. */
export type Job = {
  job_id: string
  kind: string
  lane: string
  payload: Payload
  state: JobState
  attempts: number
  claims: number
  run_at: string
  lease_token: string
  lease_seconds: number
  /** How long the job had been due when it was claimed. */
  waited_ms: number
}

export type NewJob = {
  kind: string
  payload: Payload
  /** Fairness key, for example an endpoint: a few of one lane at a time. By default the kind. */
  lane?: string
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

/** What became of a finished attempt. `run_at` is the next attempt when `state` is pending. */
export type Finished = { state: JobState; attempts: number; run_at: string; due_in_ms: number }

/** Claims that never finished, not attempts: a job that kills its process this often is held for a person to see. */
const MAX_LOST_CLAIMS = 50

/** Delays are data on the row (ARCHITECTURE.md). */
export const DELAYS = {
  back_channel: [1, 5, 15],
  lifecycle: [30, 120, 600, 3_600, 21_600],
} as const

/**
 * Writes jobs in the caller's transaction: committed with the fact or not at all. Wake the runner after the commit.
 * Returns their ids in the order given.
 */
export async function enqueue(tx: Tx, jobs: readonly NewJob[]): Promise<string[]> {
  const rows = jobs.map((job) => ({ job_id: newId(), lane: job.kind, ...job }))
  await tx`
    insert into foundation.jobs (job_id, kind, lane, priority, payload, delays, is_endless, run_at, lease_seconds)
    select job_id, kind, lane, coalesce(priority, 1), payload, coalesce(delays, '{}'), coalesce(is_endless, false),
           coalesce(run_at, date_trunc('milliseconds', clock_timestamp())), coalesce(lease_seconds, 10)
      from jsonb_to_recordset(${tx.json(rows as postgres.JSONValue)}) as job (
           job_id uuid, kind text, lane text, priority smallint, payload jsonb, delays int[], is_endless boolean,
           run_at timestamptz, lease_seconds int)`
  return rows.map((row) => row.job_id)
}

export type ClaimOptions = {
  kinds: readonly string[]
  limit: number
  /** How many more of a lane this caller takes; every other lane has `room`. */
  lanes?: ReadonlyMap<string, number>
  room?: number
}

/**
 * Takes the next due jobs under a lease of their own, by state and never by a cursor. It commits at once: no
 * transaction is open while the work is done. Jobs that come back `held` must not be run. statement_timestamp() is the
 * same clock as clock_timestamp(), but stable: only so can the index skip what is not due yet.
 */
export async function claim(
  db: Database,
  { kinds, limit, lanes = new Map(), room = 8 }: ClaimOptions,
): Promise<Job[]> {
  const busy = [...lanes].filter(([, left]) => left <= 0).map(([lane]) => lane)
  return db.pool<Job[]>`
    with due as (
      select job_id, lane, priority, run_at, claims - attempts >= ${MAX_LOST_CLAIMS} as is_poison
        from foundation.jobs
       where state = 'pending' and run_at <= statement_timestamp()
         and (lease_until is null or lease_until < statement_timestamp())
         and kind = any(${kinds as string[]}) and lane <> all(${busy})
       order by priority, run_at, job_id limit ${limit} for update skip locked),
    placed as (
      select job_id, lane, is_poison, row_number() over (partition by lane order by priority, run_at, job_id) as place
        from due),
    taken as (
      select job_id, is_poison from placed
        left join unnest(${[...lanes.keys()]}::text[], ${[...lanes.values()]}::int[]) as known (lane, room) using (lane)
       where place <= coalesce(known.room, ${room}))
    update foundation.jobs
       set claims = claims + 1,
           state = case when is_poison then 'held' else 'pending' end,
           lease_token = case when is_poison then null else gen_random_uuid() end,
           lease_until = case when is_poison then null else clock_timestamp() + make_interval(secs => lease_seconds) end
      from taken where jobs.job_id = taken.job_id
    returning jobs.job_id, kind, lane, payload, state, attempts, claims, run_at, lease_token, lease_seconds,
              greatest(0, extract(epoch from clock_timestamp() - run_at) * 1000)::bigint as waited_ms`
}

/** How an attempt ended; without `error` it succeeded. */
export type Outcome = { error?: string }

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
  if (!record) return finishRow(db.pool, job, outcome)
  return db.transaction(async (tx) => {
    const finished = await finishRow(tx, job, outcome)
    if (finished) await record(tx, finished)
    return finished
  })
}

async function finishRow(on: Pool | Tx, job: Pick<Job, 'job_id' | 'lease_token'>, { error }: Outcome) {
  const isDone = error === undefined
  const [finished] = await on<Finished[]>`
    update foundation.jobs
       set attempts = attempts + 1, lease_token = null, lease_until = null,
           last_error = ${error?.slice(0, 500) ?? null},
           state = case when ${isDone} then 'done' when next_delay is null then 'failed' else 'pending' end,
           finished_at = case when ${isDone} or next_delay is null then clock_timestamp() end,
           run_at = case when ${isDone} or next_delay is null then run_at
                         else clock_timestamp() + make_interval(secs => next_delay) end
     where job_id = ${job.job_id} and lease_token = ${job.lease_token} and state = 'pending'
    returning state, attempts, run_at,
              greatest(0, ceil(extract(epoch from run_at - clock_timestamp()) * 1000))::bigint as due_in_ms`
  return finished
}

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
 * Frees what the last process held when it died. Only at the start of the one process that claims: with several,
 * leases end by themselves. Returns how many.
 */
export async function releaseAllLeases(db: Database): Promise<number> {
  const rows = await db.pool`
    update foundation.jobs set lease_token = null, lease_until = null
     where state = 'pending' and lease_until is not null`
  return rows.count
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
