import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { offsetOf, PageQuery } from '#foundation/http/paging.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { normalized } from '#foundation/text.ts'
import { canonicalLanguage } from '../values.ts'
import { editorOf, type Viewer } from '../access/access.ts'
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

/** Beyond it the skip alone takes milliseconds, which the requests behind it on the fast lane would feel. */
const FAR = 2_000

/**
 * One page of the channels the caller sees, newest first, and how many there are. Rows are skipped on an index alone and
 * joined afterwards. The plan is made before per_page is known; `limit 100`, its maximum, tells PostgreSQL that few rows
 * will be joined.
 */
export async function listChannels(db: Database, viewer: Viewer, query: ChannelQuery) {
  const filtered = isFiltered(query)
  const sql: Lane = filtered || offsetOf(query) > FAR ? db.pool : db.fast
  const reach = offsetOf(query) + query.per_page
  const rows = filtered ? matching(sql, viewer, query, reach) : catalogue(sql, viewer, query, reach)
  const total = filtered
    ? sql`select count(*) from (${matching(sql, viewer, query)}) as matching`
    : count(sql, viewer, query)
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

/** Without filters: everything live, one's own, or the catalogue merged with what of one's own and enrolled it does not show. */
function catalogue(sql: Lane, viewer: Viewer, { mine }: ChannelQuery, reach: number) {
  const { tenant_id, user_id, edits_all } = viewer
  if (mine)
    return sql`
      select channel_id as id, created_at from learning.channel_editors
       where tenant_id = ${tenant_id} and user_id = ${user_id}`
  if (edits_all)
    return sql`select id, created_at from learning.channels where tenant_id = ${tenant_id} and deleted_at is null`
  // Each branch says how far it is needed, or PostgreSQL would sort the whole catalogue before it takes one page.
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

/** What the caller is enrolled in although the catalogue does not show it any more; his own channels are counted already. */
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

/**
 * With filters: the same parts as the catalogue, each with the filters. Only the first can be long; `reach` says how far a
 * page needs it, and without one it is counted.
 */
function matching(sql: Lane, viewer: Viewer, query: ChannelQuery, reach?: number) {
  const { tenant_id, user_id, edits_all } = viewer
  const filters = filtersOf(sql, query)
  const own = sql`
    select c.id, c.created_at
      from learning.channel_editors own
      join learning.channels c on c.tenant_id = own.tenant_id and c.id = own.channel_id
     where own.tenant_id = ${tenant_id} and own.user_id = ${user_id} and c.deleted_at is null ${filters}`
  if (query.mine) return own
  const live = sql`
    select c.id, c.created_at from learning.channels c
     where c.tenant_id = ${tenant_id} and c.deleted_at is null ${filters}`
  if (edits_all) return live
  const unlisted = sql`(${own} and own.is_unlisted) union all (${kept(sql, viewer)} ${filters})`
  // The catalogue shows published channels only.
  if ((query.status ?? 'published') !== 'published')
    return sql`select id, created_at from (${unlisted}) as visible`
  const upTo = reach === undefined ? sql`` : sql`order by c.created_at desc, c.id desc limit ${reach}`
  return sql`
    select id, created_at from ((${live} and c.is_listed ${upTo}) union all ${unlisted}) as visible`
}

/** The words to search are made once: as part of the condition they would be made again for every row. */
function filtersOf(sql: Lane, { q, status, category, language, level, tag }: ChannelQuery) {
  const tagged = language === undefined ? undefined : canonicalLanguage(language)
  if (language !== undefined && tagged === undefined)
    throw unprocessable('language', 'language', 'must be a BCP 47 language tag')
  return sql`
    ${q === undefined ? sql`` : sql`and c.search @@ (select foundation.search_query(${q}))`}
    ${status === undefined ? sql`` : sql`and c.status = ${status}`}
    ${category === undefined ? sql`` : sql`and c.category = ${normalized(category, 'NFC')}`}
    ${tagged === undefined ? sql`` : sql`and c.language = ${tagged}`}
    ${level === undefined ? sql`` : sql`and c.level = ${level}`}
    ${tag === undefined ? sql`` : sql`and c.tags @> array[${normalized(tag, 'NFC').trim()}::text]`}`
}
