import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { notFound } from '#foundation/errors.ts'
import { CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireOwnSite, sitesOfAdmin } from '../../core/access/access.ts'
import { type FaultCode, FAULTS, type WarningCode, WARNINGS } from './person.ts'

const STATUSES = ['queued', 'processing', 'completed', 'completed_with_errors', 'failed', 'canceled'] as const
export const CONFLICTS = ['skip', 'update', 'error'] as const

/** Why an import failed as a whole. Records applied before stay applied and counted. */
export const FAILURES = {
  not_admin: 'Whoever uploaded the file is no longer an ADMIN of the site',
  internal: 'The import could not be finished; the rest of the file may be uploaded again',
} as const

export type JobSummary = Static<typeof JobSummary>
export const JobSummary = Type.Object({
  job_id: Uuid,
  site_code: Type.String(),
  status: OneOf([...STATUSES]),
  dry_run: Type.Boolean(),
  on_conflict: OneOf([...CONFLICTS]),
  emit_events: Type.Boolean(),
  total_rows: Type.Integer(),
  processed_rows: Type.Integer(),
  success_count: Type.Integer(),
  skipped_count: Type.Integer(),
  error_count: Type.Integer(),
  failure: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  /** Warnings that affect many records, with their number. */
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String(), rows: Type.Integer() })),
  cancel_requested: Type.Boolean(),
  created_by: Uuid,
  created_at: Time,
  started_at: Nullable(Time),
  finished_at: Nullable(Time),
})

const ErrorRow = Type.Object({
  row: Type.Integer(),
  line: Type.Integer(),
  field: Nullable(Type.String()),
  code: Type.String(),
  message: Type.String(),
})

export type Job = Static<typeof Job>
export const Job = Type.Object({
  ...JobSummary.properties,
  error_rows: Type.Array(ErrorRow),
  error_rows_truncated: Type.Boolean(),
  /** The first records that were accepted with a change. */
  warning_rows: Type.Array(ErrorRow),
})

export type JobQuery = Static<typeof JobQuery>
export const JobQuery = Type.Object({
  ...CursorQuery.properties,
  site_code: Type.Optional(Type.String()),
  status: Type.Optional(OneOf([...STATUSES])),
})

/** Maximum number of errors in an answer; errors.csv has all of them. */
const SHOWN_ERRORS = 1_000

type JobRow = Omit<JobSummary, 'failure' | 'warnings'> & {
  failure: keyof typeof FAILURES | null
  over_quota_count: number
  warning_count: number
}
/** An error as stored. */
export type KeptError = { row: number; line: number; field: string | null; code: FaultCode | WarningCode }

const jobColumns = (sql: Lane) => sql`
  j.job_id, i.site_code, j.status, j.dry_run, j.on_conflict, j.emit_events, j.total_rows, j.processed_rows,
  j.success_count, j.skipped_count, j.error_count, j.failure, j.cancel_requested_at is not null as cancel_requested,
  j.created_by, j.created_at, j.started_at, j.finished_at, j.over_quota_count, j.warning_count`

/** The imports of a site, newest first. 404 unknown site, 403 for its members who are not ADMIN. */
export async function listJobs(db: Database, caller: Caller, query: JobQuery) {
  const { pool } = db
  const { order, after, skip } = startOf('imports:-created_at', caller, query)
  const { site_id } = await requireOwnSite(db.fast, caller, query.site_code)
  const { status } = query
  const isAsked = pool`
    j.site_id = ${site_id} and j.site_id in (${sitesOfAdmin(pool, caller)})
    ${status === undefined ? pool`` : pool`and j.status = ${status}`}`
  const [found, count] = await bothOf(db.lists, caller.user_id, [
    pool<JobRow[]>`
      select ${jobColumns(pool)} from sso.bulk_jobs j join sso.sites i using (site_id)
       where ${isAsked}
             ${after ? pool`and (j.created_at, j.job_id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by j.created_at desc, j.job_id desc limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number }[]>`select count(*)::int as total from sso.bulk_jobs j where ${isAsked}`,
  ])
  return cursorPage(
    { found, count, query, order },
    ({ job_id: id, created_at: key }) => ({ id, key }),
    asShown,
  )
}

/** One import with its counts and first errors, from one snapshot. 404 unless the caller is ADMIN of its site. */
export async function findJob(sql: Lane, caller: Caller, job_id: string): Promise<Job> {
  const [row] = await sql<(JobRow & { errors: KeptError[]; warned: KeptError[] })[]>`
    select ${jobColumns(sql)},
           (select coalesce(json_agg(e order by e.row, e.place), '[]')
              from (select row, place, line, field, code from sso.bulk_errors
                     where job_id = j.job_id and not is_warning
                     order by row, place limit ${SHOWN_ERRORS + 1}) as e) as errors,
           (select coalesce(json_agg(e order by e.row, e.place), '[]')
              from (select row, place, line, field, code from sso.bulk_errors
                     where job_id = j.job_id and is_warning order by row, place limit ${SHOWN_ERRORS}) as e) as warned
      from sso.bulk_jobs j join sso.sites i using (site_id)
     where j.job_id = ${job_id} and j.site_id in (${sitesOfAdmin(sql, caller)})`
  if (!row) throw notFound()
  const { errors, warned, ...job } = row
  return {
    ...asShown(job),
    error_rows: errors.slice(0, SHOWN_ERRORS).map(withMessage),
    error_rows_truncated: errors.length > SHOWN_ERRORS,
    warning_rows: warned.map(withMessage),
  }
}

const asShown = ({ failure, over_quota_count, warning_count, ...job }: JobRow): JobSummary => ({
  ...job,
  failure: failure && { code: failure, message: FAILURES[failure] },
  warnings: [
    { code: 'import_quota', message: FAULTS.import_quota, rows: over_quota_count },
    {
      code: 'password_reset_required',
      message: WARNINGS.password_reset_required,
      rows: warning_count,
    },
  ].filter(({ rows }) => rows > 0),
})

export const withMessage = ({ row, line, field, code }: KeptError) => ({
  row,
  line,
  field,
  code,
  message: { ...FAULTS, ...WARNINGS }[code],
})
