import type { Tx } from '#foundation/database/database.ts'
import type { Imports } from '#foundation/imports/imports.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Acting } from '../../core/access/access.ts'
import { takenBy } from '../../people/person/insert.ts'

/** Locks the site until the transaction ends; its imports take turns, and its roles are counted, under this lock. */
export const lockSite = (tx: Tx, site_id: string) =>
  tx`select from sso.sites where site_id = ${site_id} for no key update`

export const IMPORTS: Imports = {
  kind: 'sso.bulk',
  jobs: 'sso.bulk_jobs',
  files: 'sso.bulk_files',
  unlogged: ['sso.bulk_rows'],
  turn: 'site_id',
  holdTurn: lockSite,
  delays: [5, 30, 120, 600],
  // A crash costs nothing by itself, but an import that crashes the process every time must stop.
  maxStarts: 40,
  isOvertaken: (error) => takenBy(error) !== undefined,
}

/** The data of an import that its batches need. */
export type Import = {
  job_id: string
  site_id: string
  site_code: string
  tenant_id: string
  is_first_party: boolean
  environment: 'sandbox' | 'production'
  /** The uploader, in whose name records are applied. */
  acting: Acting
  on_conflict: 'skip' | 'update' | 'error'
  dry_run: boolean
  emit_events: boolean
}

export type End =
  | { status: 'completed' | 'canceled' }
  | { status: 'failed'; failure: 'not_admin' | 'internal' }

/** Records the end of an import, unless it has already ended. */
export async function writeEnd(tx: Tx, job_id: string, end: End): Promise<void> {
  const failure = end.status === 'failed' ? end.failure : null
  const [ended] = await tx<Ended[]>`
    update sso.bulk_jobs j
       set status = case when ${end.status} = 'completed' and j.error_count > 0 then 'completed_with_errors'
                         else ${end.status} end,
           failure = ${failure}, finished_at = clock_timestamp()
      from sso.sites i
     where j.job_id = ${job_id} and j.finished_at is null and i.site_id = j.site_id
    returning i.environment, j.site_id, j.created_by, j.started_at is null as was_waiting,
              json_build_object('job_id', j.job_id, 'status', j.status, 'dry_run', j.dry_run, 'total_rows', j.total_rows,
                                'success_count', j.success_count, 'skipped_count', j.skipped_count,
                                'error_count', j.error_count) as details`
  // An import that ended before it started is already in the audit log as canceled.
  if (!ended || ended.was_waiting) return
  const { environment, site_id, created_by: actor_user_id, details } = ended
  const act = { action: 'bulk.ended', environment, site_id, actor_user_id, subject_user_id: null } as const
  await recordAct(tx, { ...act, details }, undefined)
}

type Ended = {
  environment: Import['environment']
  site_id: string
  created_by: string
  was_waiting: boolean
  details: Record<string, string | number | boolean>
}
