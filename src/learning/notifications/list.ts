import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { missingField } from '#foundation/errors.ts'
import { bothOf } from '#foundation/database/lists.ts'
import { CursorPageOf, type CursorQuery, cursorPage, startOf } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { closeFor, dueFor } from '../access/deadlines.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { KINDS } from './notify.ts'

export const Notification = Type.Object({
  id: Uuid,
  kind: OneOf([...KINDS]),
  channel_id: Uuid,
  channel_title: Type.String(),
  episode_id: Uuid,
  target_type: OneOf(['homework', 'test', 'episode', 'question']),
  target_id: Uuid,
  /** Of the homework, the test or the episode. */
  title: Type.String(),
  /** When the work is due. */
  due_at: Nullable(Time),
  /** How many new episodes it tells of. */
  count: Type.Integer(),
  created_at: Time,
  read_at: Nullable(Time),
})
type Notification = Static<typeof Notification>

/** `unread` counts up to 100 of all pages. */
export const NotificationPage = Type.Object({
  ...CursorPageOf(Notification).properties,
  unread: Type.Integer(),
})

const MOST_UNREAD = 100

/** One page of what the caller was told and can still see, latest first, and how much is unread. */
export async function listNotifications(db: Database, viewer: Viewer, query: CursorQuery) {
  const { pool } = db
  const { order, after, skip } = startOf('notifications:-created_at', viewer, query)
  const shown = shownTo(pool, viewer)
  const [found, counts] = await bothOf(db.lists, viewer.user_id, [
    pool<Notification[]>`
      select n.id, n.kind, n.channel_id, c.title as channel_title, n.episode_id, n.target_id, n.count, n.created_at,
             n.read_at, coalesce(h.title, t.title, e.title) as title,
             case when n.kind = 'due' then coalesce(${dueFor(pool, pool`n.user_id`)}, ${closeFor(pool, pool`n.user_id`)}) end as due_at,
             case when h.id is not null then 'homework' when t.id is not null then 'test'
                  when n.kind = 'answer' then 'question' else 'episode' end as target_type
        ${shown}
             ${after ? pool`and (n.created_at, n.id) < (${after.key}::timestamptz, ${after.id}::uuid)` : pool``}
       order by n.created_at desc, n.id desc limit ${query.per_page + 1} offset ${skip}`,
    pool<{ total: number; unread: number }[]>`
      select count(*)::int as total, least(count(*) filter (where n.read_at is null), ${MOST_UNREAD})::int as unread
        ${shown}`,
  ])
  const envelope = cursorPage({ found, count: counts, query, order }, ({ id, created_at: key }) => ({
    id,
    key,
  }))
  return { ...envelope, unread: counts[0]?.unread ?? 0 }
}

/** The rule of access.ts: what is about a deleted, hidden or left thing is not shown. */
const shownTo = (sql: Lane, viewer: Viewer) => sql`
    from learning.notifications n
    join learning.channels c on c.tenant_id = n.tenant_id and c.id = n.channel_id
    join learning.episodes e on e.tenant_id = n.tenant_id and e.id = n.episode_id and e.deleted_at is null
    left join learning.homework h
      on h.tenant_id = n.tenant_id and h.id = n.target_id and h.deleted_at is null and h.status = 'published'
    left join learning.tests t
      on t.tenant_id = n.tenant_id and t.id = n.target_id and t.deleted_at is null and t.status = 'published',
         ${editorOf(sql, viewer)}
   where n.tenant_id = ${viewer.tenant_id} and n.user_id = ${viewer.user_id} and not n.is_hidden
     and ${isVisible(sql, viewer)}
     and (editor.may_edit or (learning.is_released(e.status, e.release_at)
                              and learning.is_enrolled(n.tenant_id, n.user_id, n.channel_id)))
     and (n.kind in ('episode', 'answer') or h.id is not null or t.id is not null)`

export const ReadBody = Type.Object({
  ids: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
  /** Everything, said in so many words: an empty body marks nothing. */
  all: Type.Optional(Type.Literal(true)),
})
export const MarkedRead = Type.Object({ read: Type.Integer() })

/** Marks as read; what was read before stays as it was. `read` is the number of rows that this call changed. */
export async function markRead(
  { pool }: Database,
  { tenant_id, user_id }: Viewer,
  { ids, all }: Static<typeof ReadBody>,
): Promise<Static<typeof MarkedRead>> {
  if (ids === undefined && !all) throw missingField('ids')
  const marked = await pool`
    update learning.notifications set read_at = clock_timestamp()
     where tenant_id = ${tenant_id} and user_id = ${user_id} and read_at is null and not is_hidden
       and (${all === true} or id = any(${ids ?? []}))`
  return { read: marked.count }
}
