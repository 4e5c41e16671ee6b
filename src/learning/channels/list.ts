import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import type { Cursor } from '#foundation/http/cursor.ts'
import { unprocessable } from '#foundation/errors.ts'
import { CursorQuery, cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { normalized } from '#foundation/text.ts'
import { canonicalLanguage } from '../values.ts'
import { editorOf, type Viewer } from '../access/access.ts'
import { LEVELS, STATUSES } from './channel.ts'
import { channelColumns, type ChannelRow, enrollmentOf, shownChannel } from './read.ts'

export const ChannelQuery = Type.Object({
  ...CursorQuery.properties,
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  mine: Type.Optional(Type.Boolean()),
  status: Type.Optional(OneOf([...STATUSES])),
  category: Type.Optional(Type.String({ maxLength: 80 })),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 35 })),
  level: Type.Optional(OneOf([...LEVELS])),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  /** By the time they were made if absent. */
  sort: Type.Optional(OneOf(['newest', 'title', 'learners'])),
})
export type ChannelQuery = Static<typeof ChannelQuery>

/** The part of each branch that a page needs: `reach` rows, after the row of the cursor. */
type Total = { total: number }[]
type Span = { after: Cursor | undefined; reach: number }

/**
 * An offset in rows. A larger one takes milliseconds by itself and would delay the requests behind it on the fast lane.
 */
const FAR = 2_000
/** So many hits are sorted. The list's own order would pass over all channels before it meets a page of rare ones. */
const FEW = 1_000

/**
 * One page of the channels the caller sees, newest first, with the total. With filters the total is counted first and
 * says how to find the page. The offset is applied on an index alone, before the joins. The statement is planned before
 * per_page is known, so `limit 101`, its maximum plus one, tells PostgreSQL that few rows are joined.
 */
export async function listChannels(db: Database, viewer: Viewer, query: ChannelQuery) {
  const filtered = isFiltered(query)
  const { order, after, skip } = startOf('channels:-created_at', viewer, query)
  const isQuick = !filtered && skip <= FAR
  const sql: Lane = isQuick ? db.fast : db.pool
  const { user_id } = viewer
  const total = filtered
    ? sql<Total>`select count(*)::int as total from (${matching(sql, viewer, query)}) as matching`
    : sql<Total>`select (${count(sql, viewer, query)})::int as total`
  const counting = isQuick ? total : db.lists(user_id, total)
  const span = { after, reach: skip + query.per_page + 1 }
  const isFew = filtered && one(await counting).total <= FEW
  const some = filtered ? matching : catalogue
  const rows = (isFew ? few : some)(sql, viewer, query, span)
  const page = sql<ChannelRow[]>`
    select ${channelColumns(sql)}
      from (select id from (${rows} order by created_at desc, id desc
                             limit ${query.per_page + 1} offset ${skip}) as page limit 101) as picked
      join learning.channels c on c.tenant_id = ${viewer.tenant_id} and c.id = picked.id
           ${enrollmentOf(sql, viewer)}, ${editorOf(sql, viewer)}
     order by c.created_at desc, c.id desc`
  const [found, counted] = await Promise.all([isQuick ? page : db.lists(user_id, page), counting])
  const cut = cutPage(found, query, order, ({ id, created_at }) => ({ id, key: created_at }))
  return {
    items: cut.rows.map((row) => shownChannel(row, viewer)),
    total: one(counted).total,
    next_cursor: cut.next_cursor,
  }
}

const isFiltered = ({ q, status, category, language, level, tag }: ChannelQuery) =>
  [q, status, category, language, level, tag].some((filter) => filter !== undefined)

/**
 * Without filters: all live channels, only the caller's own, or the catalogue plus the unlisted channels that the
 * caller owns, teaches or is enrolled in.
 */
function catalogue(sql: Lane, viewer: Viewer, { mine }: ChannelQuery, { after, reach }: Span) {
  const { tenant_id, user_id, edits_all } = viewer
  if (mine)
    return sql`
      select channel_id as id, created_at from learning.channel_editors
       where tenant_id = ${tenant_id} and user_id = ${user_id} ${behind(sql, after, 'channel_id')}`
  if (edits_all)
    return sql`
      select id, created_at from learning.channels
       where tenant_id = ${tenant_id} and deleted_at is null ${behind(sql, after)}`
  // Each branch has its own limit, or PostgreSQL would sort the whole catalogue before it takes one page.
  return sql`
    select id, created_at from (
      (select id, created_at from learning.channels
        where tenant_id = ${tenant_id} and is_listed ${behind(sql, after)}
        order by created_at desc, id desc limit ${reach})
      union all
      (select channel_id, created_at from learning.channel_editors
        where tenant_id = ${tenant_id} and user_id = ${user_id} and is_unlisted ${behind(sql, after, 'channel_id')}
        order by created_at desc, channel_id desc limit ${reach})
      union all
      (${kept(sql, viewer)} ${behind(sql, after, 'c.id')})) as visible`
}

/** Only what follows the row of the cursor. */
function behind(sql: Lane, after: Cursor | undefined, id: 'id' | 'channel_id' | 'c.id' = 'id') {
  if (after === undefined) return sql``
  const place = {
    id: sql`(created_at, id)`,
    channel_id: sql`(created_at, channel_id)`,
    'c.id': sql`(c.created_at, c.id)`,
  }
  return sql`and ${place[id]} < (${after.key}::timestamptz, ${after.id}::uuid)`
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

/**
 * With filters: the branches of the catalogue, each with the filters. Only the first can be long, so it is limited to
 * `span`; without one all rows are returned, to be counted.
 */
function matching(sql: Lane, viewer: Viewer, query: ChannelQuery, span?: Span) {
  const { tenant_id, user_id, edits_all } = viewer
  const filters = sql`${filtersOf(sql, query)} ${behind(sql, span?.after, 'c.id')}`
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
  const upTo = span === undefined ? sql`` : sql`order by c.created_at desc, c.id desc limit ${span.reach}`
  return sql`
    select id, created_at from ((${live} and c.is_listed ${upTo}) union all ${unlisted}) as visible`
}

/** The same rows where they are few: found by the indexes that count them, whatever the order of the page. */
const few = (sql: Lane, viewer: Viewer, query: ChannelQuery, { after }: Span) => sql`
  with hits as materialized (${matching(sql, viewer, query)})
  select id, created_at from hits where true ${behind(sql, after)}`

/** The search words are a subquery, because a generic plan would otherwise call the function for each row. */
export function filtersOf(sql: Lane, { q, status, category, language, level, tag }: ChannelQuery) {
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
