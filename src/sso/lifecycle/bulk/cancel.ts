import { conflict, notFound } from '#foundation/errors.ts'
import type { Caller } from '#foundation/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { findJob, type Job } from './bulk-jobs.ts'
import { endJob, lockImports } from './turns.ts'

/**
 * Stops an import: at once while it waits, else before its next batch. What it has done stays. Once this has answered, no
 * further record is applied. A repeat answers alike. 404 but for an ADMIN of its site, 409 job_finished.
 */
export async function cancelJob(
  { database }: SsoParts,
  caller: Caller,
  job_id: string,
  from: Origin,
): Promise<Job> {
  return database.transaction(async (tx) => {
    const [found] = await tx<{ site_id: string; environment: Caller['environment'] }[]>`
      select j.site_id, i.environment from sso.bulk_jobs j join sso.sites i using (site_id)
       where j.job_id = ${job_id} and j.site_id in (${sitesOfAdmin(tx, caller)})`
    if (!found) throw notFound()
    const { site_id, environment } = found
    await lockImports(tx, site_id)
    // A batch that is under way holds this row until it has committed; the next one will see what is written here.
    await tx`select from sso.bulk_jobs where job_id = ${job_id} and site_id = ${site_id} for no key update`
    const [job] = await tx<{ status: Job['status']; was_asked: boolean }[]>`
      select j.status, j.cancel_requested_at is not null as was_asked from sso.bulk_jobs j
       where j.job_id = ${job_id} and j.site_id in (${sitesOfAdmin(tx, caller)})`
    if (!job) throw notFound()
    const { status, was_asked } = job
    if (!was_asked) {
      if (status !== 'queued' && status !== 'processing')
        throw conflict('job_finished', 'This import has ended already')
      await tx`
        update sso.bulk_jobs set cancel_requested_at = clock_timestamp()
         where job_id = ${job_id} and site_id = ${site_id}`
      if (status === 'queued') await endJob(tx, { job_id, site_id }, { status: 'canceled' })
      await recordAct(
        tx,
        {
          action: 'bulk.cancel_requested',
          environment,
          site_id,
          actor_user_id: caller.user_id,
          subject_user_id: null,
          details: { job_id },
        },
        from,
      )
    }
    return findJob(tx, caller, job_id)
  })
}
