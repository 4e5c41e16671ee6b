import type { Tx } from '#foundation/database/database.ts'
import { conflict, notFound } from '#foundation/errors.ts'
import { cancelImport } from '#foundation/imports/imports.ts'
import type { Actor } from '../access.ts'
import { IMPORTS, writeEnd } from './imports.ts'
import { isMine } from './job.ts'

/**
 * Cancels a job: at once if it is queued, before its next chunk if it is running. Applied rows stay. Idempotent. 404,
 * 409 `job_finished`.
 */
export async function cancelJob(tx: Tx, actor: Actor, job_id: string): Promise<void> {
  const [job] = await tx<{ user_id: string }[]>`
    select job.user_id from collections.jobs as job where job.job_id = ${job_id} and ${isMine(tx, actor)}`
  if (!job) throw notFound()
  const turn = { job_id, turn_id: job.user_id }
  const { has_ended } = await cancelImport(tx, IMPORTS, turn, () => writeEnd(tx, job_id, 'cancelled'))
  if (has_ended) throw conflict('job_finished', 'The job has ended already')
}
