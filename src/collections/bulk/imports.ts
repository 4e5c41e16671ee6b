import type { Database, Tx } from '#foundation/database/database.ts'
import type { Imports } from '#foundation/imports/imports.ts'
import type { JobState } from './job.ts'

/** Thrown when a planned row changed before it was locked. The chunk is then planned again. */
export class Overtaken extends Error {}

export const IMPORTS: Imports = {
  kind: 'collections.import',
  jobs: 'collections.jobs',
  files: 'collections.job_files',
  unlogged: ['collections.staged_rows', 'collections.staged_places'],
  turn: 'user_id',
  holdTurn: (tx, user_id) => tx`select pg_advisory_xact_lock(hashtextextended(${user_id}, 2))`,
  delays: [2, 10],
  maxStarts: 3,
  isOvertaken: (error) => error instanceof Overtaken,
}

export type JobError = { code: string; detail: string }

/** Ends a job unless it has already ended. The job and its errors expire after 30 days. */
export async function writeEnd(tx: Tx, job_id: string, state: JobState, error?: JobError): Promise<void> {
  const isDone = state === 'completed' || state === 'completed_with_errors'
  await tx`
    update collections.jobs
       set state = ${state}, phase = 'done', error_code = ${error?.code ?? null}, error_detail = ${error?.detail ?? null},
           finished_at = clock_timestamp(), expires_at = clock_timestamp() + interval '30 days',
           rows_done = case when ${isDone} then coalesce(rows_total, rows_done) else rows_done end
     where job_id = ${job_id} and finished_at is null`
  await tx`delete from collections.job_chunks where job_id = ${job_id}`
}

const SWEEP = 100

/** Deletes jobs that ended 30 days ago, and their errors. Returns the number of deleted jobs. */
export async function sweepImports({ pool }: Database): Promise<number> {
  for (let swept = 0; ;) {
    const rows = await pool`
      delete from collections.jobs where job_id = any(array(
        select job_id from collections.jobs where expires_at < statement_timestamp()
         order by expires_at, job_id limit ${SWEEP}))`
    swept += rows.count
    if (rows.count < SWEEP) return swept
  }
}
