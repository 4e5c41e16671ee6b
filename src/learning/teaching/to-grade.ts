import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { CursorQuery, cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { dueFor } from '../access/deadlines.ts'
import { type Names, withNames } from '../names.ts'

/** Work that waits for a grade. */
export const ToGrade = Type.Object({
  submission_id: Uuid,
  user_id: Type.String(),
  user_email: Type.String(),
  display_name: Nullable(Type.String()),
  submitted_at: Time,
  is_late: Type.Boolean(),
  homework_id: Uuid,
  homework_title: Type.String(),
  episode_id: Uuid,
  episode_title: Type.String(),
  channel_id: Uuid,
  channel_title: Type.String(),
})
export type ToGrade = Static<typeof ToGrade>

export const ToGradeQuery = Type.Object({ ...CursorQuery.properties, channel_id: Type.Optional(Uuid) })
export type ToGradeQuery = Static<typeof ToGradeQuery>

/**
 * One page of the work that waits in all channels that the viewer owns or instructs, the oldest first, with the total.
 * Each learner's latest submission counts; previews of staff are left out.
 */
export async function listToGrade(db: Database, names: Names, viewer: Viewer, query: ToGradeQuery) {
  const { pool } = db
  const { tenant_id, user_id } = viewer
  const { order, after, skip } = startOf('to-grade:submitted_at', viewer, query)
  const from = pool`
    from learning.channel_editors x
    join learning.channels c on c.tenant_id = x.tenant_id and c.id = x.channel_id and c.deleted_at is null
    join learning.episodes e on e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
    join learning.homework h on h.tenant_id = e.tenant_id and h.episode_id = e.id and h.deleted_at is null
    join learning.submissions s on s.tenant_id = h.tenant_id and s.homework_id = h.id
     and s.is_current and (s.status = 'submitted') = true and not s.is_preview
   where x.tenant_id = ${tenant_id} and x.user_id = ${user_id}
     ${query.channel_id === undefined ? pool`` : pool`and c.id = ${query.channel_id}`}`
  const [found, [counted]] = await bothOf(db.lists, user_id, [
    pool<Omit<ToGrade, 'display_name'>[]>`
      select s.id as submission_id, s.user_id, s.user_email, s.submitted_at,
             learning.seconds_late(s.submitted_at, s.due_at_then, ${dueFor(pool, pool`s.user_id`)}) > 0 as is_late,
             h.id as homework_id, h.title as homework_title, e.id as episode_id, e.title as episode_title,
             c.id as channel_id, c.title as channel_title
             ${from} ${after ? pool`and (s.submitted_at, s.id) > (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by s.submitted_at, s.id limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number }[]>`select count(*)::int as total ${from}`,
  ])
  const { rows, next_cursor } = cutPage(found, query, order, ({ submission_id: id, submitted_at: key }) => ({
    id,
    key,
  }))
  return { items: await withNames(names, tenant_id, rows), total: counted?.total ?? 0, next_cursor }
}
