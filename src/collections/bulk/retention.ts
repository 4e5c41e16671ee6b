import type { Database } from '#foundation/database.ts'

const SWEEP = 100

/**
 * Takes away jobs that ended 30 days ago with their errors, and rows that an attempt which was killed left staged. Returns
 * how many jobs.
 */
export async function sweepImports({ pool }: Database): Promise<number> {
  // An id of version 7 begins with the time at which it was made.
  const yesterday = `${(Date.now() - 86_400_000).toString(16).padStart(12, '0')}00000000000000000000`
  await pool`
    delete from collections.staged_rows as staged
     where staged.staging_id < ${yesterday}::uuid
       and not exists (select from collections.jobs as job where job.staging_id = staged.staging_id)`
  await pool`
    delete from collections.staged_places as staged
     where staged.staging_id < ${yesterday}::uuid
       and not exists (select from collections.jobs as job where job.staging_id = staged.staging_id)`
  for (let swept = 0; ;) {
    const rows = await pool`
      delete from collections.jobs where job_id = any(array(
        select job_id from collections.jobs where expires_at < statement_timestamp()
         order by expires_at, job_id limit ${SWEEP}))`
    swept += rows.count
    if (rows.count < SWEEP) return swept
  }
}
