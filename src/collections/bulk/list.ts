import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { offsetOf, type Page, page, type PageQuery } from '#foundation/http/paging.ts'
import { type Actor, logAdminAccess } from '../access.ts'
import { conditionsOf, type ListQuery, orderOf } from '../query/conditions.ts'
import type { Listing } from '../query/listing.ts'
import { errorColumns, errorOrder, isMine, Job, jobColumns, noteJob, STATES } from './job.ts'
import { type RowError } from './row-error.ts'

export const JOBS: Listing = {
  fields: {
    created_at: {
      kind: 'time',
      column: (sql) => sql`job.created_at`,
      order: (sql) => sql`job.created_at`,
    },
    state: { kind: 'word', words: STATES, short: true, column: (sql) => sql`job.state` },
    dry_run: { kind: 'flag', short: true, column: (sql) => sql`(job.options ->> 'dry_run')::boolean` },
  },
  defaultSort: '-created_at',
  shown: Object.keys(Job.properties),
}

/** The jobs of the actor. A site admin gets those of the whole tenant with `scope` all. */
export async function listJobs(
  db: Database,
  actor: Actor,
  query: ListQuery,
  scope: 'own' | 'all',
): Promise<Page<Partial<Job>>> {
  const sql = db.pool
  const isOwn = scope === 'own' || !actor.is_site_admin
  if (!isOwn) logAdminAccess(actor, null, 'viewer', { jobs: scope })
  const where = sql`
    job.tenant_id = ${actor.tenant_id} ${isOwn ? sql`and job.user_id = ${actor.user_id}` : sql``}
    ${conditionsOf(sql, JOBS, query)}`
  const rows = await sql<({ total: number } & (Job | { job_id: null }))[]>`
    select counted.total, shown.*
      from (select count(*)::int as total from collections.jobs as job where ${where}) as counted
      left join lateral (
        select ${jobColumns(sql)}, row_number() over (order by ${orderOf(sql, JOBS, query, sql`job.job_id`)}) as place
          from collections.jobs as job where ${where}
         order by place limit ${query.per_page} offset ${offsetOf(query)}) as shown on true
     order by shown.place`
  const jobs = rows.filter((row): row is { total: number } & Job => row.job_id !== null)
  return page(
    jobs.map((job) => picked(job, query.fields)),
    rows[0]?.total ?? 0,
    query,
  )
}

function picked(job: Job, fields: readonly string[] | undefined): Partial<Job> {
  if (fields === undefined) return job
  return Object.fromEntries(
    Object.entries(job).filter(([name]) => name === 'job_id' || fields.includes(name)),
  )
}

export type ErrorsQuery = PageQuery & { level?: 'error' | 'warning' }

/** The kept row errors of a job. 404. */
export async function listErrors(
  db: Database,
  actor: Actor,
  job_id: string,
  query: ErrorsQuery,
): Promise<Page<RowError>> {
  const sql = db.pool
  const level = query.level ?? null
  const rows = await sql<({ total: number; user_id: string; has_row: boolean } & RowError)[]>`
    select counted.total, job.user_id, shown.*, shown.code is not null as has_row
      from collections.jobs as job
     cross join lateral (
       select count(*)::int as total from collections.job_errors as found
        where found.job_id = job.job_id and found.level = coalesce(${level}, found.level)) as counted
      left join lateral (
        select ${errorColumns(sql)}, row_number() over (order by ${errorOrder(sql)}) as place
          from collections.job_errors as found
         where found.job_id = job.job_id and found.level = coalesce(${level}, found.level)
         order by place limit ${query.per_page} offset ${offsetOf(query)}) as shown on true
     where job.job_id = ${job_id} and ${isMine(sql, actor)}
     order by shown.place`
  const [first] = rows
  if (!first) throw notFound()
  noteJob(actor, job_id, first.user_id)
  return page(
    rows.filter(({ has_row }) => has_row),
    first.total,
    query,
  )
}
