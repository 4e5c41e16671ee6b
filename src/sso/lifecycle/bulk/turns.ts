import type { Tx } from '#foundation/database.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'

export const JOB_KIND = 'sso.bulk'
/** Seconds after which an import that threw goes on from where it stood. */
const DELAYS = [5, 30, 120, 600]
/** Renewed before every batch, and no batch takes as long. */
const LEASE_SECONDS = 60

/** Holds the site until the end of the transaction: whose turn it is changes under this lock only. */
export async function lockImports(tx: Tx, site_id: string): Promise<void> {
  await tx`select from sso.sites where site_id = ${site_id} for no key update`
}

/**
 * Gives the turn of a site to its oldest import that waits, unless another has it. Stands behind `lockImports` in the
 * transaction that adds an import or ends one, so that no turn is lost and none is given twice.
 */
export async function startNextImport(tx: Tx, site_id: string): Promise<void> {
  const [next] = await tx<{ job_id: string }[]>`
    update sso.bulk_jobs set is_due = true
     where job_id = (
             select job_id from sso.bulk_jobs
              where site_id = ${site_id} and finished_at is null order by created_at, job_id limit 1)
       and site_id = ${site_id} and not is_due
       and not exists (select from sso.bulk_jobs where site_id = ${site_id} and is_due and finished_at is null)
    returning job_id`
  if (!next) return
  const { job_id } = next
  await enqueue(tx, [
    { job_id, kind: JOB_KIND, lane: site_id, payload: {}, delays: DELAYS, lease_seconds: LEASE_SECONDS },
  ])
}

export type End =
  | { status: 'completed' | 'canceled' }
  | { status: 'failed'; failure: 'not_admin' | 'internal' }

/** Ends an import unless it has ended, deletes its file, and lets the next one of the site begin. Behind `lockImports`. */
export async function endJob(tx: Tx, { job_id, site_id }: { job_id: string; site_id: string }, end: End) {
  const failure = end.status === 'failed' ? end.failure : null
  const [ended] = await tx<Ended[]>`
    update sso.bulk_jobs
       set status = case when ${end.status} = 'completed' and error_count > 0 then 'completed_with_errors'
                         else ${end.status} end,
           failure = ${failure}, finished_at = clock_timestamp()
     where job_id = ${job_id} and site_id = ${site_id} and finished_at is null
    returning created_by, status, dry_run, total_rows, success_count, skipped_count, error_count`
  await tx`delete from sso.bulk_files where job_id = ${job_id}`
  await startNextImport(tx, site_id)
  return ended
}

export type Ended = {
  created_by: string
  status: string
  dry_run: boolean
  total_rows: number
  success_count: number
  skipped_count: number
  error_count: number
}
