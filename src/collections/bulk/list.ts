import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { readPosition, writePosition } from '#foundation/http/cursor.ts'
import { orderOf, refuseOtherPage } from '#foundation/http/cursor-page.ts'
import { type CursorPage, offsetOf, page, type PageQuery } from '#foundation/http/paging.ts'
import { type Actor, logAdminAccess } from '../access.ts'
import { conditionsOf, type ListQuery } from '../query/conditions.ts'
import type { Listing } from '../query/listing.ts'
import { beyond, CHECKS, cut, keyTexts, orderBy, termsOf } from '../query/order.ts'
import { errorColumns, errorTerms, isMine, Job, jobColumns, noteJob, STATES } from './job.ts'
import { type RowError } from './row-error.ts'

export const JOBS: Listing = {
  name: 'jobs',
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
): Promise<CursorPage<Partial<Job>>> {
  const sql = db.pool
  const isOwn = scope === 'own' || !actor.is_site_admin
  if (!isOwn) logAdminAccess(actor, null, 'viewer', { jobs: scope })
  const where = sql`
    job.tenant_id = ${actor.tenant_id} ${isOwn ? sql`and job.user_id = ${actor.user_id}` : sql``}
    ${conditionsOf(sql, JOBS, query)}`
  const terms = termsOf(sql, JOBS, query, sql`job.job_id`)
  const found = await db.lists(
    actor.user_id,
    sql<JobRow[]>`
    select counted.total, shown.*
      from (select count(*)::int as total from collections.jobs as job where ${where}) as counted
      left join lateral (
        select ${jobColumns(sql)}, ${keyTexts(sql, terms)} as keys,
               row_number() over (order by ${orderBy(sql, terms)}) as place
          from collections.jobs as job where ${where} ${beyond(sql, terms, query.after)}
         order by place limit ${query.per_page + 1} offset ${offsetOf(query)}) as shown on true
     order by shown.place`,
  )
  const { rows, next_cursor } = cut(found, query)
  const jobs = rows
    .filter((row): row is JobRow & Job => row.job_id !== null)
    .map((job) => picked(job, query.fields))
  return { ...page(jobs, found[0]?.total ?? 0, query), next_cursor }
}

type JobRow = { total: number; keys: string[] | null } & (Job | { job_id: null })

function picked(job: Job, fields: readonly string[] | undefined): Partial<Job> {
  if (fields === undefined) return job
  return Object.fromEntries(
    Object.entries(job).filter(([name]) => name === 'job_id' || fields.includes(name)),
  )
}

export type ErrorsQuery = PageQuery & { level?: 'error' | 'warning'; cursor?: string }

type ErrorRow = { total: number; user_id: string; keys: string[] | null } & RowError

/** The kept row errors of a job. 404. */
export async function listErrors(
  db: Database,
  actor: Actor,
  job_id: string,
  query: ErrorsQuery,
): Promise<CursorPage<RowError>> {
  const sql = db.pool
  const { level = null, cursor } = query
  refuseOtherPage(query)
  const order = orderOf('errors', actor, query, job_id)
  const terms = errorTerms(sql)
  const checks = terms.map(({ kind }) => (kind === 'text' ? CHECKS.text : CHECKS.number))
  const after = cursor === undefined ? undefined : readPosition(cursor, order, checks)
  const found = await db.lists(
    actor.user_id,
    sql<ErrorRow[]>`
    select counted.total, job.user_id, shown.*
      from collections.jobs as job
     cross join lateral (
       select count(*)::int as total from collections.job_errors as found
        where found.job_id = job.job_id and found.level = coalesce(${level}, found.level)) as counted
      left join lateral (
        select ${errorColumns(sql)}, ${keyTexts(sql, terms)} as keys,
               row_number() over (order by ${orderBy(sql, terms)}) as place
          from collections.job_errors as found
         where found.job_id = job.job_id and found.level = coalesce(${level}, found.level) ${beyond(sql, terms, after)}
         order by place limit ${query.per_page + 1} offset ${offsetOf(query)}) as shown on true
     where job.job_id = ${job_id} and ${isMine(sql, actor)}
     order by shown.place`,
  )
  const [first] = found
  if (!first) throw notFound()
  noteJob(actor, job_id, first.user_id)
  const rows = found.slice(0, query.per_page).filter(({ keys }) => keys !== null)
  const last = found.length > query.per_page ? rows.at(-1)?.keys : undefined
  return { ...page(rows, first.total, query), next_cursor: last ? writePosition(order, last) : null }
}
