import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { offsetOf, PageQuery } from '#foundation/http/paging.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { normalized } from '#foundation/text.ts'
import { canonicalLanguage } from '../values.ts'
import { editorOf, isVisible, type Viewer } from '../access/access.ts'
import { LEVELS, STATUSES } from './channel.ts'
import { channelColumns, type ChannelRow, enrollmentOf, shownChannel } from './read.ts'

export const ChannelQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  mine: Type.Optional(Type.Boolean()),
  status: Type.Optional(OneOf([...STATUSES])),
  category: Type.Optional(Type.String({ maxLength: 80 })),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 35 })),
  level: Type.Optional(OneOf([...LEVELS])),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
})
export type ChannelQuery = Static<typeof ChannelQuery>

/**
 * An offset in rows. A larger one takes milliseconds by itself and would delay the requests behind it on the fast lane.
 */
const FAR = 2_000

/**
 * One page of the channels the caller sees, newest first, with the total. The offset is applied on an index alone,
 * before the joins. The statement is planned before per_page is known, so `limit 100`, its maximum, tells PostgreSQL
 * that few rows are joined.
 */
export async function listChannels(db: Database, viewer: Viewer, query: ChannelQuery) {
  const filtered = isFiltered(query)
  const sql: Lane = filtered || offsetOf(query) > FAR ? db.pool : db.fast
  const rows = filtered ? matching(sql, viewer, query) : catalogue(sql, viewer, query)
  const total = filtered ? sql`select count(*) from (${rows}) as matching` : count(sql, viewer, query)
  const [items, counted] = await Promise.all([
    sql<ChannelRow[]>`
      select ${channelColumns(sql)}
        from (select id from (${rows} order by created_at desc, id desc
                               limit ${query.per_page} offset ${offsetOf(query)}) as page limit 100) as picked
        join learning.channels c on c.tenant_id = ${viewer.tenant_id} and c.id = picked.id
             ${enrollmentOf(sql, viewer)}, ${editorOf(sql, viewer)}
       order by c.created_at desc, c.id desc`,
    sql<{ total: number }[]>`select (${total})::int as total`,
  ])
  return { items: items.map((row) => shownChannel(row, viewer)), total: one(counted).total }
}

const isFiltered = ({ q, status, category, language, level, tag }: ChannelQuery) =>
  [q, status, category, language, level, tag].some((filter) => filter !== undefined)

/**
 * Without filters: all live channels, only the caller's own, or the catalogue plus the unlisted channels that the
 * caller owns, teaches or is enrolled in.
 */
function catalogue(sql: Lane, viewer: Viewer, query: ChannelQuery) {
  const { tenant_id, user_id, edits_all } = viewer
  const { mine } = query
  if (mine)
    return sql`
      select channel_id as id, created_at from learning.channel_editors
       where tenant_id = ${tenant_id} and user_id = ${user_id}`
  if (edits_all)
    return sql`select id, created_at from learning.channels where tenant_id = ${tenant_id} and deleted_at is null`
  // Each branch has its own limit, or PostgreSQL would sort the whole catalogue before it takes one page.
  const reach = offsetOf(query) + query.per_page
  return sql`
    select id, created_at from (
      (select id, created_at from learning.channels
        where tenant_id = ${tenant_id} and is_listed
        order by created_at desc, id desc limit ${reach})
      union all
      (select channel_id, created_at from learning.channel_editors
        where tenant_id = ${tenant_id} and user_id = ${user_id} and is_unlisted
        order by created_at desc, channel_id desc limit ${reach})
      union all
      (${kept(sql, viewer)})) as visible`
}

/** Unlisted channels the caller is enrolled in, without those the caller edits, which are counted separately. */
const kept = (sql: Lane, { tenant_id, user_id }: Viewer) => sql`
  select c.id, c.created_at
    from learning.enrollments enrolled
    join learning.channels c on c.tenant_id = enrolled.tenant_id and c.id = enrolled.channel_id
   where enrolled.tenant_id = ${tenant_id} and enrolled.user_id = ${user_id} and not c.is_listed
     and c.deleted_at is null and c.status <> 'draft'
     and c.owner_id <> ${user_id} and ${user_id} <> all(c.instructor_ids)`

function count(sql: Lane, viewer: Viewer, { mine }: ChannelQuery) {
  const { tenant_id, user_id, edits_all } = viewer
  if (mine)
    return sql`
      select count(*) from learning.channel_editors where tenant_id = ${tenant_id} and user_id = ${user_id}`
  if (edits_all)
    return sql`select coalesce((select live from learning.channel_counts where tenant_id = ${tenant_id}), 0)`
  return sql`
    select coalesce((select listed from learning.channel_counts where tenant_id = ${tenant_id}), 0)
         + (select count(*) from learning.channel_editors
             where tenant_id = ${tenant_id} and user_id = ${user_id} and is_unlisted)
         + (select count(*) from (${kept(sql, viewer)}) as kept)`
}

/** With filters, the page and the count share one `where`. */
function matching(
  sql: Lane,
  viewer: Viewer,
  { q, mine, status, category, language, level, tag }: ChannelQuery,
) {
  const tagged = language === undefined ? undefined : canonicalLanguage(language)
  if (language !== undefined && tagged === undefined)
    throw unprocessable('language', 'language', 'must be a BCP 47 language tag')
  return sql`
    select c.id, c.created_at from learning.channels c, ${editorOf(sql, viewer)}
     where c.tenant_id = ${viewer.tenant_id} and ${isVisible(sql, viewer)}
       ${q === undefined ? sql`` : sql`and c.search @@ foundation.search_query(${q})`}
       ${mine ? sql`and (c.owner_id = ${viewer.user_id} or ${viewer.user_id} = any(c.instructor_ids))` : sql``}
       ${status === undefined ? sql`` : sql`and c.status = ${status}`}
       ${category === undefined ? sql`` : sql`and c.category = ${normalized(category, 'NFC')}`}
       ${tagged === undefined ? sql`` : sql`and c.language = ${tagged}`}
       ${level === undefined ? sql`` : sql`and c.level = ${level}`}
       ${tag === undefined ? sql`` : sql`and ${normalized(tag, 'NFC').trim()} = any(c.tags)`}`
}
