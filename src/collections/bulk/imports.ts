import type { Database, Tx } from '#foundation/database/database.ts'
import type { Imports } from '#foundation/imports/imports.ts'
import { newId } from '#foundation/ids.ts'
import { tellLater } from '../events/tell.ts'
import { type JobState, type Tally } from './job.ts'

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
  const [ended] = await tx<Ended[]>`
    update collections.jobs
       set state = ${state}, phase = 'done', error_code = ${error?.code ?? null}, error_detail = ${error?.detail ?? null},
           finished_at = clock_timestamp(), expires_at = clock_timestamp() + interval '30 days',
           rows_done = case when ${isDone} then coalesce(rows_total, rows_done) else rows_done end
     where job_id = ${job_id} and finished_at is null
    returning tenant_id, counts, finished_at, (options ->> 'dry_run')::boolean as is_dry`
  if (ended) await tellEnd(tx, { job_id, state, ...ended })
  await tx`delete from collections.job_chunks where job_id = ${job_id}`
}

/** The most collections that the summary of an import leads to. */
const SHOWN_COLLECTIONS = 20

/** Notes the first collections that rows made, changed or filled. */
export const noteTouched = (tx: Tx, job_id: string, touched: readonly string[]) => tx`
  update collections.jobs as job
     set collection_ids = (job.collection_ids || array(
           select one.id from unnest(${[...new Set(touched)].slice(0, SHOWN_COLLECTIONS * 2)}::uuid[]) with ordinality as one(id, place)
            where one.id <> all(job.collection_ids) order by one.place))[1:${SHOWN_COLLECTIONS}::int]
   where job.job_id = ${job_id} and cardinality(job.collection_ids) < ${SHOWN_COLLECTIONS}`

type Ended = { tenant_id: string; counts: Partial<Tally>; finished_at: string; is_dry: boolean }

/** The numbers of what an import wrote, if it wrote anything. */
async function tellEnd(
  tx: Tx,
  { tenant_id, counts, finished_at, is_dry, ...job }: Ended & { job_id: string; state: JobState },
) {
  const written = {
    collections_created: counts.collections_created ?? 0,
    collections_updated: counts.collections_updated ?? 0,
    collections_deleted: counts.deleted_collections ?? 0,
    items_created: counts.items_created ?? 0,
    items_updated: counts.items_updated ?? 0,
    items_deleted: counts.deleted_items ?? 0,
    links_added: counts.links_added ?? 0,
    links_removed: counts.links_removed ?? 0,
  }
  if (is_dry || Object.values(written).every((number) => number === 0)) return
  const told = { fact_id: newId(), event_type: 'collection.imported', subject_user_id: null }
  await tellLater(tx, tenant_id, [{ ...told, occurred_at: finished_at, data: { ...job, ...written } }])
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
