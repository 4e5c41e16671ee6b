import { one, type Tx } from '#foundation/database/database.ts'
import { type Attempt, Cancelled, LeaseLost } from '#foundation/imports/attempt.ts'
import { createLanded, type Landed } from './landed.ts'
import type { Layout } from './layout.ts'
import { noTally, type Tally } from './job.ts'
import type { Options } from './options.ts'

/** A workbook import as one attempt works on it. */
export type Task = Attempt & {
  tenant_id: string
  user_id: string
  /** Whether the upload's token gave its sender the role ADMIN. */
  is_site_admin: boolean
  options: Options
  layout: Layout[] | null
  landed: Landed
}

export async function loadTask(attempt: Attempt): Promise<Task> {
  const { db, job_id, lease_token } = attempt
  type Row = Pick<Task, 'tenant_id' | 'user_id' | 'is_site_admin' | 'options' | 'layout'>
  const [row] = await db.pool<Row[]>`
    update collections.jobs set state = case when state = 'queued' then 'validating' else state end
     where job_id = ${job_id} and lease_token = ${lease_token} and finished_at is null
    returning tenant_id, user_id, is_site_admin, options, layout`
  if (!row) throw new LeaseLost()
  return { ...attempt, ...row, landed: await createLanded(db.pool, job_id) }
}

/** Publishes the progress of an uncommitted run. Throws LeaseLost or Cancelled. */
export async function showProgress(
  { db, job_id, lease_token }: Task,
  { phase, rows_done }: { phase: 'collections' | 'items'; rows_done: number },
): Promise<void> {
  const [row] = await db.pool<{ is_cancelled: boolean }[]>`
    update collections.jobs set phase = ${phase}, rows_done = ${rows_done}
     where job_id = ${job_id} and lease_token = ${lease_token} and finished_at is null
    returning cancel_requested_at is not null as is_cancelled`
  if (!row) throw new LeaseLost()
  if (row.is_cancelled) throw new Cancelled()
}

/** The counters so far. Reading replaces its counts when it runs again; applying only adds to its own. */
export async function countsOf(tx: Tx, job_id: string) {
  const { counts, read_counts } = one(
    await tx<{ counts: Partial<Tally>; read_counts: Partial<Tally> }[]>`
      select counts, read_counts from collections.jobs where job_id = ${job_id}`,
  )
  const sum = (name: 'errors' | 'warnings') => (read_counts[name] ?? 0) + (counts[name] ?? 0)
  return {
    counts: { ...noTally(), ...counts },
    read_errors: read_counts.errors ?? 0,
    kept: { errors: sum('errors'), warnings: sum('warnings') },
  }
}
