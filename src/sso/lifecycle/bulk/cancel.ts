import { conflict, notFound } from '#foundation/errors.ts'
import { cancelImport } from '#foundation/imports/imports.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { findJob, type Job } from './bulk-jobs.ts'
import { IMPORTS, writeEnd } from './imports.ts'

/**
 * Cancels an import: at once while it waits, else before its next batch. Applied records stay; none is applied after
 * the answer. A repeat gives the same answer. 404 unless ADMIN of its site, 409 job_finished.
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
    const end = () => writeEnd(tx, job_id, { status: 'canceled' })
    const { was_asked, has_ended } = await cancelImport(tx, IMPORTS, { job_id, turn_id: site_id }, end)
    if (was_asked) return findJob(tx, caller, job_id)
    if (has_ended) throw conflict('job_finished', 'This import has ended already')
    const act = { action: 'bulk.cancel_requested', environment, site_id } as const
    const details = { job_id }
    await recordAct(tx, { ...act, actor_user_id: caller.user_id, subject_user_id: null, details }, from)
    return findJob(tx, caller, job_id)
  })
}
