import type { Tx } from '#foundation/database.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import { type JobState } from './job.ts'

export const KIND = 'collections.import'
/** Seconds: renewed every ten. A failed attempt is repeated twice; a crash costs one too. */
const LEASE_SECONDS = 30
const DELAYS = [2, 10]

/** Holds what one person has under way: their jobs run one after the other, and only two may wait or run. */
export async function holdUploads(tx: Tx, user_id: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${user_id}, 2))`
}

/** Starts the next job of a person unless one is under way. `holdUploads` first. */
export async function startNext(
  tx: Tx,
  { tenant_id, user_id }: { tenant_id: string; user_id: string },
): Promise<void> {
  const [next] = await tx<{ job_id: string }[]>`
    update collections.jobs set is_enqueued = true
     where job_id = (select job_id from collections.jobs
                      where user_id = ${user_id} and state = 'queued' and not is_enqueued
                      order by created_at, job_id limit 1)
       and not exists (select from collections.jobs as other
                        where other.user_id = ${user_id} and other.is_enqueued
                          and other.state in ('queued', 'validating', 'processing'))
    returning job_id`
  if (!next) return
  const { job_id } = next
  await enqueue(tx, [
    {
      job_id,
      kind: KIND,
      payload: { tenant_id },
      lane: user_id,
      delays: DELAYS,
      lease_seconds: LEASE_SECONDS,
    },
  ])
}

type Owner = { job_id: string; tenant_id: string; user_id: string }

/** Ends a job: its bytes go now, it and its errors in 30 days, and the next one of the person starts. */
export async function endJob(
  tx: Tx,
  { job_id, tenant_id, user_id }: Owner,
  state: JobState,
  error?: { code: string; detail: string },
): Promise<void> {
  await holdUploads(tx, user_id)
  await tx`
    update collections.jobs
       set state = ${state}, phase = 'done', error_code = ${error?.code ?? null}, error_detail = ${error?.detail ?? null},
           finished_at = clock_timestamp(), expires_at = clock_timestamp() + interval '30 days',
           rows_done = case when ${state === 'cancelled' || state === 'failed'} then rows_done else coalesce(rows_total, rows_done) end,
           staging_id = null
     where job_id = ${job_id} and tenant_id = ${tenant_id}`
  await tx`delete from collections.job_files where job_id = ${job_id}`
  await tx`delete from collections.job_chunks where job_id = ${job_id}`
  await startNext(tx, { tenant_id, user_id })
}
