import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { CursorQuery, cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { AGENT_TYPES, SEVERITIES, TARGET_TYPES } from '../finding.ts'

export const SUGGESTION_STATUSES = ['pending', 'approved', 'rejected', 'applied', 'expired'] as const
export type SuggestionStatus = (typeof SUGGESTION_STATUSES)[number]

/** The shape is documented in docs/choices-learning.md. `evidence` holds the numbers of its kind. */
export type Suggestion = Static<typeof Suggestion>
export const Suggestion = Type.Object({
  id: Uuid,
  agent_type: OneOf([...AGENT_TYPES]),
  kind: Type.String(),
  status: OneOf([...SUGGESTION_STATUSES]),
  severity: OneOf([...SEVERITIES]),
  title: Type.String(),
  body: Type.String(),
  evidence: Type.Object({}, { additionalProperties: true }),
  target: Type.Object({ type: OneOf([...TARGET_TYPES]), id: Uuid, title: Type.String() }),
  channel_id: Uuid,
  channel_title: Type.String(),
  patch: Nullable(Type.Object({}, { additionalProperties: true })),
  confidence: Type.Number(),
  source: OneOf(['heuristic', 'llm']),
  model: Nullable(Type.String()),
  run_id: Uuid,
  fingerprint: Type.String(),
  created_at: Time,
  updated_at: Time,
  reviewed_by: Nullable(Type.String()),
  reviewed_at: Nullable(Time),
  review_note: Type.String(),
})

export const SuggestionQuery = Type.Object({
  ...CursorQuery.properties,
  agent_type: Type.Optional(OneOf([...AGENT_TYPES])),
  status: Type.Optional(OneOf([...SUGGESTION_STATUSES])),
  kind: Type.Optional(Type.String({ maxLength: 100 })),
  severity: Type.Optional(OneOf([...SEVERITIES])),
  channel_id: Type.Optional(Uuid),
})
export type SuggestionQuery = Static<typeof SuggestionQuery>

export const columns = (sql: Lane) => sql`
  s.id, s.agent_type, s.kind, s.status, s.severity, s.title, s.body, s.evidence,
  json_build_object('type', s.target_type, 'id', s.target_id, 'title', s.target_title) as target, s.channel_id,
  (select c.title from learning.channels c where c.tenant_id = s.tenant_id and c.id = s.channel_id) as channel_title, s.patch,
  s.confidence::float8, s.source, s.model, s.run_id, s.fingerprint, s.created_at, s.updated_at, s.reviewed_by,
  s.reviewed_at, s.review_note`

/**
 * One page of suggestions, newest first, with the total. An ADMIN sees all of the tenant, an editor those of their
 * channels, others none, because evidence about learners is personal. Deleted channels are left out.
 */
export async function listSuggestions(db: Database, viewer: Viewer, query: SuggestionQuery) {
  const { pool } = db
  const { agent_type, status, kind, severity, channel_id } = query
  const { order, after, skip } = startOf('suggestions:-created_at', viewer, query)
  const is = (column: ReturnType<Lane>, value: string | undefined) =>
    value === undefined ? pool`` : pool`and ${column} = ${value}`
  const from = pool`
    from learning.suggestions s
   where s.tenant_id = ${viewer.tenant_id} and ${isForStaff(pool, viewer)}
     ${is(pool`s.agent_type`, agent_type)} ${is(pool`s.status`, status)} ${is(pool`s.kind`, kind)}
     ${is(pool`s.severity`, severity)} ${is(pool`s.channel_id`, channel_id?.toLowerCase())}`
  const [found, [counted]] = await bothOf(db.lists, viewer.user_id, [
    pool<Suggestion[]>`
      select ${columns(pool)} ${from}
             ${after ? pool`and (s.created_at, s.id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by s.created_at desc, s.id desc limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number }[]>`select count(*)::int as total ${from}`,
  ])
  const { rows, next_cursor } = cutPage(found, query, order, ({ id, created_at: key }) => ({ id, key }))
  return { items: rows, total: counted?.total ?? 0, next_cursor }
}

/** The channel and kind of one suggestion that the viewer may list; undefined otherwise. */
export async function findSuggestion(sql: Lane, viewer: Viewer, id: string) {
  const [found] = await sql<{ channel_id: string; kind: string }[]>`
    select s.channel_id, s.kind from learning.suggestions s
     where s.tenant_id = ${viewer.tenant_id} and s.id = ${id} and s.status <> 'expired' and ${isForStaff(sql, viewer)}`
  return found
}

/**
 * The channel is live, and the viewer is ADMIN, owner or instructor. LEARNING_AUTHORING=any_user does not count here,
 * because it gives nobody a right to data about learners. Few channels are deleted, so those are looked up.
 */
const isForStaff = (sql: Lane, { tenant_id, user_id, is_admin }: Viewer) =>
  is_admin
    ? sql`not exists (
        select from learning.channels c
         where c.tenant_id = ${tenant_id} and c.id = s.channel_id and c.deleted_at is not null)`
    : sql`s.channel_id in (
        select channel_id from learning.channel_editors where tenant_id = ${tenant_id} and user_id = ${user_id})`

/** The number of pending suggestions per agent that the caller may list. */
export async function countPending({ pool }: Database, viewer: Viewer) {
  const rows = await pool<{ agent_type: string; pending: number }[]>`
    select s.agent_type, count(*)::int as pending
      from learning.suggestions s
     where s.tenant_id = ${viewer.tenant_id} and s.status = 'pending' and ${isForStaff(pool, viewer)}
     group by s.agent_type`
  return new Map(rows.map(({ agent_type, pending }) => [agent_type, pending]))
}
