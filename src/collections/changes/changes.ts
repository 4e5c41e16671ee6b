import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { isStoredTime, readPosition, writePosition } from '#foundation/http/cursor.ts'
import { orderOf } from '#foundation/http/cursor-page.ts'
import { OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { isUuid } from '#foundation/ids.ts'
import { type Actor, counting, isVisible, roleOn } from '../access.ts'
import { Collection } from '../collections/collection.ts'
import { collectionColumns } from '../collections/show.ts'
import { Item, itemColumns } from '../items/item.ts'
import type { Fragment } from '../query/listing.ts'

/** `item` or `collection` as it is now; neither where the asker does not see it any more. */
const Changed = Type.Object({
  type: OneOf(['item', 'collection']),
  id: Uuid,
  state: OneOf(['present', 'gone']),
  changed_at: Time,
  item: Type.Optional(Item),
  collection: Type.Optional(Collection),
})
export const Changes = Type.Object({
  items: Type.Array(Changed),
  cursor: Type.String(),
  has_more: Type.Boolean(),
})
export const ChangesQuery = Type.Object(
  {
    since: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    per_page: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  },
  { additionalProperties: false },
)

/** The lines of the log that one call reads. */
const SCANNED = 5_000
/** Lines are kept for 90 days (sweep.ts); the last one is for the sweep. */
const KEPT_MS = 89 * 86_400_000
const FIRST = '00000000-0000-0000-0000-000000000000'

type Touched = {
  type: 'item' | 'collection'
  id: string
  is_present: boolean
  changed_at: string
  xid: string
  change_id: string
}
type Row = {
  is_future: boolean
  horizon: string
  now: string
  last_xid: string | null
  last_id: string | null
} & (Touched | { id: null })

/**
 * What has changed for the actor since `since`, each object once as it is now; without it only a cursor of now. A line is
 * told once every transaction before its own has ended, so none is missed however late one commits. 410 `cursor_expired`.
 */
export async function listChanges(
  { pool }: Database,
  actor: Actor,
  { since, per_page }: Static<typeof ChangesQuery>,
): Promise<Static<typeof Changes>> {
  const order = orderOf('changes', actor, { page: 1, per_page: 1 })
  const from = since === undefined ? [] : readPosition(since, order, [isTransaction, isUuid, isStoredTime])
  const [xid, change_id = FIRST, begun] = from
  if (begun !== undefined && Date.now() - Date.parse(begun) > KEPT_MS) throw expired()
  const rows = await pool<Row[]>`${touched(pool, actor, { xid: xid ?? null, change_id, per_page })}`
  const [first] = rows
  if (!first) throw new Error('a snapshot was left without a row')
  if (first.is_future) throw expired()
  const found = rows.filter((row): row is Row & Touched => row.id !== null)
  const shown = found.slice(0, per_page)
  const last = found.length > per_page ? shown.at(-1) : undefined
  const place = last ? [last.xid, last.change_id] : [first.last_xid ?? first.horizon, first.last_id ?? FIRST]
  return {
    items: await withObjects(pool, actor, shown),
    cursor: writePosition(order, [...place, first.now]),
    has_more: last !== undefined || first.last_xid !== null,
  }
}

const isTransaction = (text: string) => /^\d{1,19}$/.test(text)
const expired = () =>
  new ApiError(410, 'cursor_expired', 'This cursor is too old or of another database: read everything again')

type From = { xid: string | null; change_id: string; per_page: number }

/**
 * The objects of the next lines that the actor sees now, or saw before: through a collection that they still see, or one
 * above whose membership they have or have lost since; what left it after that is not theirs to know. Ordered by their last line, so that none behind the page is passed.
 */
function touched(sql: Database['pool'], actor: Actor, { xid, change_id, per_page }: From): Fragment {
  const { user_id, tenant_id } = actor
  const window = sql`(xid, change_id) > (edge.start, ${change_id}::uuid) and xid < edge.horizon order by xid, change_id limit ${SCANNED}`
  return sql`
    with edge as materialized (
      select pg_snapshot_xmin(now.snapshot) as horizon, coalesce(${xid}::text::xid8, pg_snapshot_xmin(now.snapshot)) as start,
             coalesce(${xid}::text::xid8 > pg_snapshot_xmax(now.snapshot), false) as is_future
        from (select pg_current_snapshot() as snapshot) as now),
    lines as materialized (
      select line.*, row_number() over (order by xid, change_id) as place from (
        (select 'item' as type, item_id as id, xid, change_id, changed_at, false as is_mine,
                case when kind = 'removed' then collection_ids end as left_ids
           from edge cross join lateral (
             select * from collections.item_changes where tenant_id = ${tenant_id} and ${window}) as one)
        union all
        (select 'collection', collection_id, xid, change_id, changed_at, user_id is not null, lost_by
           from edge cross join lateral (
             select * from collections.collection_changes
              where tenant_id = ${tenant_id} and (user_id is null or user_id = ${user_id}) and ${window}) as one)
         order by xid, change_id limit ${SCANNED}) as line),
    accessible as materialized (${counting(sql, actor)}),
    known as materialized (
      select collection_id as id, null::uuid as until from accessible
       union all
      select mine.collection_id, mine.change_id from collections.collection_changes as mine cross join edge
       where mine.tenant_id = ${tenant_id} and mine.user_id = ${user_id} and mine.xid >= edge.start),
    seen_items (id) as materialized (
      select link.item_id from collections.collection_items as link
       where link.tenant_id = ${tenant_id} and link.item_id = any(array(select id from lines where type = 'item'))
         and (link.collection_id = any(array(select collection_id from accessible))) is true),
    told (type, id) as materialized (
      select type, id from lines where is_mine
       union
      select lines.type, lines.id from lines cross join unnest(lines.left_ids) as way(id) join known on known.id = way.id
       where known.until is null or (lines.type = 'collection' and known.until > lines.change_id)),
    objects as (
      select type, id, max(place) as place,
             case type when 'item' then id = any(array(select id from seen_items))
                       else id = any(array(select collection_id from accessible)) end as is_present
        from lines group by type, id),
    page as (
      select objects.type, objects.id, objects.is_present, lines.changed_at, lines.xid::text as xid, lines.change_id, objects.place
        from objects join lines using (place)
       where objects.is_present or (objects.type, objects.id) in (select type, id from told)
       order by objects.place limit ${per_page + 1})
    select edge.is_future, edge.horizon::text as horizon, foundation.iso(clock_timestamp()) as now,
           ended.xid::text as last_xid, ended.change_id as last_id,
           page.type, page.id, page.is_present, page.changed_at, page.xid, page.change_id
      from edge left join lines as ended on ended.place = ${SCANNED}
      left join page on true
     order by page.place`
}

/** What can no longer be read is left out: a later line tells of it. */
async function withObjects(sql: Database['pool'], actor: Actor, shown: readonly Touched[]) {
  const ids = (type: string) => shown.flatMap((one) => (one.type === type && one.is_present ? one.id : []))
  const [items, collections] = await Promise.all([
    sql<Item[]>`
      select ${itemColumns(sql, actor)} from collections.items as item
       where item.tenant_id = ${actor.tenant_id} and item.id = any(${ids('item')}::uuid[])`,
    sql<Collection[]>`
      select ${collectionColumns(sql, actor)}, ${roleOn(sql, actor)} as my_role from collections.collections as node
       where node.tenant_id = ${actor.tenant_id} and node.id = any(${ids('collection')}::uuid[]) and ${isVisible(sql, actor)}`,
  ])
  const [item, collection] = [Map.groupBy(items, ({ id }) => id), Map.groupBy(collections, ({ id }) => id)]
  return shown.flatMap(({ type, id, is_present, changed_at }): Static<typeof Changed>[] => {
    if (!is_present) return [{ type, id, state: 'gone', changed_at }]
    const told = { type, id, state: 'present' as const, changed_at }
    const [one, other] = [item.get(id)?.[0], collection.get(id)?.[0]]
    if (type === 'item') return one && one.collection_ids.length > 0 ? [{ ...told, item: one }] : []
    return other ? [{ ...told, collection: other }] : []
  })
}
