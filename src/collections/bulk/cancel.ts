import type { Tx } from '#foundation/database.ts'
import { conflict, notFound } from '#foundation/errors.ts'
import { cancelJobs } from '#foundation/jobs/jobs.ts'
import type { Actor } from '../access.ts'
import { endJob, holdUploads } from './job-queue.ts'
import { ACTIVE, isMine, type JobState } from './job.ts'

type Found = { job_id: string; tenant_id: string; user_id: string; state: JobState }

/**
 * Ends a job: a waiting one at once, one that is under way before its next chunk; what has landed stays. Repeating it
 * changes nothing. 404, 409 `job_finished`.
 */
export async function cancelJob(tx: Tx, actor: Actor, job_id: string): Promise<void> {
  const [seen] = await tx<Found[]>`
      select job.job_id, job.tenant_id, job.user_id, job.state from collections.jobs as job
       where job.job_id = ${job_id} and ${isMine(tx, actor)}`
  if (!seen) throw notFound()
  // Whoever ends a job that is under way holds its row first and this next; the other way round they could deadlock.
  if (seen.state === 'queued') await holdUploads(tx, seen.user_id)
  const [job] = await tx<Found[]>`
      update collections.jobs as job set cancel_requested = true
       where job.job_id = ${job_id} and ${isMine(tx, actor)} and job.state = any(${[...ACTIVE]}::text[])
      returning job.job_id, job.tenant_id, job.user_id, job.state`
  if (!job) throw conflict('job_finished', 'The job has ended already')
  if (job.state !== 'queued' || seen.state !== 'queued') return
  await cancelJobs(tx, [job_id], 'cancelled')
  await endJob(tx, job, 'cancelled')
}
