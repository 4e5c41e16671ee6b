import type { Database, Tx } from '#foundation/database.ts'
import { one } from '#foundation/database.ts'
import type { Layout } from './layout.ts'
import type { JobState, Tally } from './job.ts'
import type { Options } from './options.ts'

/** A job in the hands of one attempt; what its `lease_token` does not stand at any more, it may not touch. */
export type Attempt = {
  job_id: string
  lease_token: string
  tenant_id: string
  user_id: string
  /** The token it was sent with made its sender ADMIN of the tenant's collections. */
  is_site_admin: boolean
  options: Options
  created_at: string
  state: JobState
  starts: number
  staging_id: string | null
  staged_rows: number | null
  layout: Layout[] | null
  rows_total: number | null
}

/** Thrown where the lease has passed to somebody else: nothing of what was under way counts. */
export class LeaseLost extends Error {}

/** Begins an attempt: from now on only its lease counts. Undefined: there is nothing to do any more. */
export async function beginAttempt(
  db: Database,
  job_id: string,
  lease_token: string,
): Promise<Attempt | undefined> {
  const [attempt] = await db.pool<Attempt[]>`
    update collections.jobs
       set lease_token = ${lease_token}, starts = starts + 1, started_at = coalesce(started_at, clock_timestamp()),
           state = case when state = 'queued' then 'validating' else state end
     where job_id = ${job_id} and state in ('queued', 'validating', 'processing')
    returning job_id, lease_token, tenant_id, user_id, is_site_admin, options, created_at, state, starts, staging_id, staged_rows, layout,
              rows_total`
  return attempt
}

/** An attempt that was stopped from outside is none. */
export async function takeBackAttempt(db: Database, { job_id, lease_token }: Attempt): Promise<void> {
  await db.pool`
    update collections.jobs set starts = starts - 1 where job_id = ${job_id} and lease_token = ${lease_token}`
}

type Seen = { rows_read?: number; rows_done?: number; phase?: 'reading' | 'collections' | 'items' }

/** Shows how far it is and asks whether to go on. Throws when the lease is lost. */
export async function showProgress(
  db: Database,
  { job_id, lease_token }: Attempt,
  { rows_read, rows_done, phase }: Seen,
): Promise<{ is_cancelled: boolean }> {
  const [row] = await db.pool<{ is_cancelled: boolean }[]>`
    update collections.jobs
       set rows_read = coalesce(${rows_read ?? null}, rows_read), rows_done = coalesce(${rows_done ?? null}, rows_done),
           phase = coalesce(${phase ?? null}, phase)
     where job_id = ${job_id} and lease_token = ${lease_token} and state in ('validating', 'processing')
    returning cancel_requested as is_cancelled`
  if (!row) throw new LeaseLost()
  return row
}

export type Held = { is_cancelled: boolean; counts: Tally; read_counts: { errors: number; warnings: number } }

/** Holds the job until the end of the transaction, if the lease still counts: so each chunk lands once. */
export async function holdJob(tx: Tx, { job_id, lease_token }: Attempt): Promise<Held> {
  const [row] = await tx<Held[]>`
    select cancel_requested as is_cancelled, counts, read_counts from collections.jobs
     where job_id = ${job_id} and lease_token = ${lease_token} and state in ('validating', 'processing') for update`
  if (!row) throw new LeaseLost()
  return row
}

/** The bytes of the workbook, as they were sent. */
export async function readFile(db: Database, job_id: string): Promise<Buffer> {
  const parts = await db.pool<{ bytes: Buffer }[]>`
    select bytes from collections.job_files where job_id = ${job_id} order by part`
  return Buffer.concat(parts.map(({ bytes }) => bytes))
}

/** How many rows stand staged: fewer than there should be after a crash of the database. */
export async function countStaged(db: Database, staging_id: string): Promise<number> {
  return one(
    await db.pool<{ number: number }[]>`
      select count(*)::int as number from collections.staged_rows where staging_id = ${staging_id}`,
  ).number
}
