import { type Static, Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { type Actor, isVisible, logAdminAccess, type Sql } from '../access.ts'
import type { Fragment } from '../query/listing.ts'
import { orderBy, type Term } from '../query/order.ts'
import { Options } from './options.ts'
import { KEPT, RowError } from './row-error.ts'

/** One list for the stored states, the API and its description. */
export const STATES = [
  'queued',
  'validating',
  'processing',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const
export type JobState = (typeof STATES)[number]
export const PHASES = ['reading', 'validating', 'collections', 'items', 'done'] as const

const Numbers = <const Names extends string>(...names: Names[]) =>
  Type.Unsafe<Record<Names, number>>(
    Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer()]))),
  )

export type Counts = Static<typeof Counts>
export const Counts = Type.Object({
  collections: Numbers('created', 'updated', 'unchanged', 'failed'),
  items: Numbers('created', 'updated', 'unchanged', 'failed'),
  links: Numbers('added', 'existing', 'removed'),
  deleted: Numbers('collections', 'items'),
})

export type Job = Static<typeof Job>
export const Job = Type.Object({
  job_id: Uuid,
  state: OneOf([...STATES]),
  created_at: Time,
  started_at: Nullable(Time),
  finished_at: Nullable(Time),
  expires_at: Nullable(Time),
  dry_run: Type.Boolean(),
  mode: Options.properties.mode,
  options: Options,
  file: Type.Object({ name: Type.String(), size: Type.Integer(), sha256: Type.String() }),
  progress: Type.Object({
    phase: OneOf([...PHASES]),
    rows_read: Type.Integer(),
    rows_total: Nullable(Type.Integer()),
    percent: Nullable(Type.Integer()),
  }),
  counts: Counts,
  error_count: Type.Integer(),
  warning_count: Type.Integer(),
  errors_truncated: Type.Boolean(),
  errors: Type.Array(RowError),
  error: Type.Unsafe<{ code: string; detail: string } | null>({
    type: ['object', 'null'],
    properties: { code: { type: 'string' }, detail: { type: 'string' } },
    required: ['code', 'detail'],
  }),
})

/** With the first collections that it made, changed or filled, as far as the reader sees them. */
export type JobInFull = Static<typeof JobInFull>
export const JobInFull = Type.Object({
  ...Job.properties,
  collections: Type.Array(Type.Object({ id: Uuid, name: Type.String() })),
})

/** The number of errors inside a job's own answer. The rest are at their own list endpoint. */
const INLINE = 20

/** A job is visible to the sender of the file and to site admins of the tenant. */
export const isMine = (sql: Sql, actor: Actor) => sql`
  (job.tenant_id = ${actor.tenant_id} and (job.user_id = ${actor.user_id} or ${actor.is_site_admin}::boolean))`

/** The columns of a row error. `errorTerms` sort errors by sheet, then by row, as the index job_errors_in_order does. */
export const errorColumns = (sql: Sql) => sql`
  found.level, found.sheet, found.row, found."column", found.header, found.code, found.message, found.value`
export const errorTerms = (sql: Sql): Term[] => [
  {
    column: sql`coalesce(array_position(array['Collections', 'Items'], initcap(found.sheet)), 3)`,
    descending: false,
    kind: 'number',
  },
  { column: sql`found.sheet`, descending: false, kind: 'text' },
  { column: sql`coalesce(found.row, -1)`, descending: false, kind: 'number' },
  { column: sql`found.seq`, descending: false, kind: 'number' },
]
export const errorOrder = (sql: Sql) => orderBy(sql, errorTerms(sql))

/** Whether more errors were found than are kept. */
export const isCut = (sql: Sql, level: 'error' | 'warning'): Fragment => sql`
  (${total(sql, `${level}s`)} > ${KEPT[level]}::int)`

/** The API fields of a job, from the row `job` of collections.jobs. */
export const jobColumns = (sql: Sql): Fragment => sql`
  job.job_id, job.state, job.created_at, job.started_at, job.finished_at, job.expires_at,
  (job.options ->> 'dry_run')::boolean as dry_run, job.options ->> 'mode' as mode, job.options,
  jsonb_build_object('name', job.file_name, 'size', job.file_size, 'sha256', job.file_sha256) as file,
  jsonb_build_object('phase', job.phase, 'rows_read', job.rows_read, 'rows_total', job.rows_total,
                     'percent', case when job.rows_total > 0 then least(100, job.rows_done * 100 / job.rows_total) end) as progress,
  ${countsOf(sql)} as counts,
  ${total(sql, 'errors')} as error_count, ${total(sql, 'warnings')} as warning_count,
  (${isCut(sql, 'error')} or ${isCut(sql, 'warning')}) as errors_truncated,
  (select coalesce(jsonb_agg(to_jsonb(shown)), '[]')
     from (select ${errorColumns(sql)} from collections.job_errors as found
            where found.job_id = job.job_id and found.level = 'error'
            order by ${errorOrder(sql)} limit ${INLINE}) as shown) as errors,
  case when job.error_code is not null
       then jsonb_build_object('code', job.error_code, 'detail', job.error_detail) end as error`

const total = (sql: Sql, name: string) => sql`
  (coalesce((job.read_counts ->> ${name})::int, 0) + coalesce((job.counts ->> ${name})::int, 0))`

const countsOf = (sql: Sql) => {
  const of = (kind: string, names: string[]) =>
    names.map(
      (name, place) => sql`${place > 0 ? sql`,` : sql``} ${name}::text, ${total(sql, `${kind}_${name}`)}`,
    )
  const rows = ['created', 'updated', 'unchanged', 'failed']
  return sql`
    jsonb_build_object(
      'collections', jsonb_build_object(${of('collections', rows)}),
      'items', jsonb_build_object(${of('items', rows)}),
      'links', jsonb_build_object(${of('links', ['added', 'existing', 'removed'])}),
      'deleted', jsonb_build_object(${of('deleted', ['collections', 'items'])}))`
}

/** 404 if the job is unknown, ended more than 30 days ago, or belongs to somebody else. */
export async function requireJob(sql: Sql, actor: Actor, job_id: string): Promise<JobInFull> {
  const [found] = await sql<(JobInFull & { user_id: string })[]>`
    select ${jobColumns(sql)}, job.user_id,
           (select coalesce(jsonb_agg(jsonb_build_object('id', node.id, 'name', node.name) order by place.number), '[]')
              from unnest(job.collection_ids) with ordinality as place(id, number)
              join collections.collections as node
                on node.tenant_id = ${actor.tenant_id} and node.id = place.id and ${isVisible(sql, actor)}) as collections
      from collections.jobs as job
     where job.job_id = ${job_id} and ${isMine(sql, actor)}`
  if (!found) throw notFound()
  const { user_id, ...job } = found
  noteJob(actor, job_id, user_id)
  return job
}

/** Logs a site admin who reads another user's job. */
export const noteJob = (actor: Actor, job_id: string, user_id: string) =>
  logAdminAccess(actor, user_id === actor.user_id ? 'admin' : null, 'viewer', { job_id })

/** The counters of a job, stored flat. */
export type Tally = Record<
  | 'errors'
  | 'warnings'
  | 'collections_created'
  | 'collections_updated'
  | 'collections_unchanged'
  | 'collections_failed'
  | 'items_created'
  | 'items_updated'
  | 'items_unchanged'
  | 'items_failed'
  | 'links_added'
  | 'links_existing'
  | 'links_removed'
  | 'deleted_collections'
  | 'deleted_items',
  number
>

export const noTally = (): Tally => ({
  errors: 0,
  warnings: 0,
  collections_created: 0,
  collections_updated: 0,
  collections_unchanged: 0,
  collections_failed: 0,
  items_created: 0,
  items_updated: 0,
  items_unchanged: 0,
  items_failed: 0,
  links_added: 0,
  links_existing: 0,
  links_removed: 0,
  deleted_collections: 0,
  deleted_items: 0,
})

export function addTally(to: Tally, more: Tally): Tally {
  const sum = { ...to }
  for (const name of Object.keys(more) as (keyof Tally)[]) sum[name] = (sum[name] ?? 0) + more[name]
  return sum
}
