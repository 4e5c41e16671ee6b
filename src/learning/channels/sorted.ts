import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { orderOf, refuseOtherPage } from '#foundation/http/cursor-page.ts'
import { readPosition, writePosition } from '#foundation/http/cursor.ts'
import { offsetOf } from '#foundation/http/paging.ts'
import { isUuid } from '#foundation/ids.ts'
import { isCleanText } from '#foundation/text.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { type ChannelQuery, filtersOf } from './list.ts'
import { channelColumns, type ChannelRow, enrollmentOf, shownChannel } from './read.ts'

type Row = ChannelRow & { key: string }

/**
 * One page of the channels the caller sees by title or by the number of learners, most first, with the total. Each order
 * walks its own index and asks of every channel whether it is seen and matches.
 */
export async function listSorted(db: Database, viewer: Viewer, query: ChannelQuery) {
  const sql = db.pool
  const { per_page, cursor, sort } = query
  const isByTitle = sort === 'title'
  const order = orderOf(`channels:${sort}`, viewer, query)
  if (cursor !== undefined) refuseOtherPage(query)
  const after =
    cursor === undefined
      ? undefined
      : readPosition(cursor, order, [isByTitle ? isCleanText : isCount, isUuid])
  const skip = after ? 0 : offsetOf(query)
  const span = { after, reach: skip + per_page + 1 }
  const seen = seenOf(sql, viewer, query)
  const ordered = isByTitle ? byTitle(sql, seen, span) : byLearners(sql, viewer, seen, span)
  const direction = isByTitle ? sql`key, id` : sql`key desc, id desc`
  const [found, counted] = await Promise.all([
    db.lists(
      viewer.user_id,
      sql<Row[]>`
      select ${channelColumns(sql)}, picked.key::text
        from (select id, key from (${ordered}) as every order by ${direction} limit ${per_page + 1} offset ${skip}) as picked
        join learning.channels c on c.tenant_id = ${viewer.tenant_id} and c.id = picked.id
             ${enrollmentOf(sql, viewer)}, ${editorOf(sql, viewer)}
       order by ${isByTitle ? sql`picked.key, c.id` : sql`picked.key desc, c.id desc`}`,
    ),
    db.lists(viewer.user_id, sql<{ total: number }[]>`select count(*)::int as total from ${seen}`),
  ])
  const rows = found.slice(0, per_page)
  const last = found.length > per_page ? rows.at(-1) : undefined
  return {
    items: rows.map((row) => shownChannel(row, viewer)),
    total: one(counted).total,
    next_cursor: last ? writePosition(order, [last.key, last.id]) : null,
  }
}

const isCount = (key: string) => /^\d{1,9}$/.test(key)

type Fragment = ReturnType<typeof isVisible>
type Span = { after: string[] | undefined; reach: number }

/** The channels `c` that the caller sees and the filters let through, as what follows `from`. */
const seenOf = (sql: Lane, viewer: Viewer, query: ChannelQuery) => sql`
  learning.channels c, ${editorOf(sql, viewer)}
   where c.tenant_id = ${viewer.tenant_id} and ${isVisible(sql, viewer)} ${filtersOf(sql, query)}
     ${query.mine ? sql`and (c.owner_id = ${viewer.user_id} or ${viewer.user_id} = any(c.instructor_ids))` : sql``}`

const byTitle = (sql: Lane, seen: Fragment, { after, reach }: Span) => sql`
  select c.id, foundation.fold(c.title) as key from ${seen}
     ${after ? sql`and (foundation.fold(c.title), c.id) > (${after[0] ?? ''}, ${after[1] ?? ''}::uuid)` : sql``}
   order by foundation.fold(c.title), c.id limit ${reach}`

/** First those with learners by their counts; the others, newest first, only where the page goes beyond these. */
const byLearners = (sql: Lane, { tenant_id }: Viewer, seen: Fragment, { after, reach }: Span) => {
  const learned = sql`
    learning.enrollment_counts n where n.tenant_id = ${tenant_id} and n.channel_id = c.id and n.learners > 0`
  return sql`
    with learned as materialized (
      select n.channel_id as id, n.learners as key from learning.enrollment_counts n
       where n.tenant_id = ${tenant_id} and n.learners > 0
         ${after ? sql`and (n.learners, n.channel_id) < (${after[0] ?? ''}::int, ${after[1] ?? ''}::uuid)` : sql``}
         and exists (select from ${seen} and c.id = n.channel_id)
       order by n.learners desc, n.channel_id desc limit ${reach})
    select id, key from learned
    union all
    (select c.id, 0 from ${seen} and not exists (select from ${learned})
        and (select count(*) from learned) < ${reach}
        ${after && after[0] === '0' ? sql`and c.id < ${after[1] ?? ''}::uuid` : sql``}
      order by c.id desc limit ${reach})`
}
