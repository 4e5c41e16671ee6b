import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { type CursorPage, page } from '#foundation/http/paging.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { type Actor, isVisible, logAdminAccess, type Role, roleOn } from '../access.ts'
import type { ListQuery } from '../query/conditions.ts'
import { type Listing, listQuerySchema } from '../query/listing.ts'
import { carriedBy, cut, keyed, keyTexts, orderBy, termsOf } from '../query/order.ts'
import { readListQuery } from '../query/read.ts'
import { Item, itemColumns } from './item.ts'
import {
  belowHere,
  continued,
  filtered,
  isOfItem,
  type ItemsOf,
  newest,
  type Picked,
  SMALL,
  sizeOf,
  walked,
} from './pages.ts'

export type ListedItem = Static<typeof ListedItem>
/** An item in a list, with when and by whom it was added to the collection. */
export const ListedItem = Type.Object({ ...Item.properties, added_at: Time, added_by: Nullable(Uuid) })

/** Rows are `item` of collections.items and `link`, its link to the collection. */
const listing: Listing = {
  name: 'items',
  fields: {
    name: {
      kind: 'text',
      column: (sql) => sql`item.name`,
      folded: (sql) => sql`item.name_folded`,
      order: (sql) => sql`item.name_folded`,
    },
    description: { kind: 'text', column: (sql) => sql`item.description` },
    external_key: { kind: 'text', column: (sql) => sql`item.external_key`, short: true },
    created_at: {
      kind: 'time',
      column: (sql) => sql`item.created_at`,
      order: (sql) => sql`item.created_at`,
    },
    updated_at: {
      kind: 'time',
      column: (sql) => sql`item.updated_at`,
      order: (sql) => sql`item.updated_at`,
    },
    added_at: { kind: 'time', column: (sql) => sql`link.added_at`, order: (sql) => sql`link.added_at` },
    created_by: { kind: 'id', column: (sql) => sql`item.created_by`, short: true },
    added_by: { kind: 'id', column: (sql) => sql`link.added_by`, short: true },
  },
  metadata: (sql) => sql`item.metadata`,
  search: { vector: (sql) => sql`item.search`, name: (sql) => sql`item.name_folded` },
  countsOnce: true,
  defaultSort: '-added_at',
  shown: Object.keys(ListedItem.properties),
}

export const ItemsQuery = listQuerySchema(listing, { include_subtree: Type.Optional(Type.Boolean()) })

/**
 * The items of a collection, each once; `include_subtree` adds those of visible descendants. One statement reads
 * rights, rows and total. 404.
 */
export async function listItems(
  db: Database,
  actor: Actor,
  collection_id: string,
  sent: Static<typeof ItemsQuery>,
): Promise<CursorPage<Partial<ListedItem>>> {
  const query = readListQuery(listing, sent, { actor, parent: collection_id })
  const of: ItemsOf = { actor, collection_id, is_subtree: sent.include_subtree === true, listing }
  const [order, ...more] = query.sort ?? []
  if (of.is_subtree) return show(db, of, query, belowHere(db.pool, of, query))
  const isWhole = query.q === undefined && query.conditions.length === 0
  const isSingle = isWhole && order !== undefined && more.length === 0
  if (isSingle && order.field === 'added_at') return show(db, of, query, newest(db.pool, of, query))
  const size = await sizeOf(db.fast, of)
  if (isSingle && isOfItem(order.field) && size > SMALL) {
    const found = await show(db, of, query, walked(db.pool, of, query, size))
    if (found.next_cursor !== null) return found
  }
  const rest = size > SMALL && more.length === 0 ? continued(db.pool, of, query, size) : undefined
  if (rest) {
    const found = await show(db, of, query, rest)
    if (found.next_cursor !== null) return found
  }
  return show(db, of, query, filtered(db.pool, of, query, size))
}

/** Shows the rows of `picked (id, keys)` with the total of `counted (total)`; `source` defines both. */
async function show(
  db: Database,
  { actor, collection_id, listing }: ItemsOf,
  query: ListQuery,
  source: Picked,
): Promise<CursorPage<Partial<ListedItem>>> {
  const sql = db.pool
  const terms = keyed(sql, termsOf(sql, listing, query, sql`item.id`), 'picked')
  const statement = sql<(Row & (ListedItem | { id: null }))[]>`
    with place as materialized (
      select node.id, node.root_id, node.item_count, ${roleOn(sql, actor)} as my_role
        from collections.collections as node
       where node.id = ${collection_id} and ${isVisible(sql, actor)}),
    ${source.sets},
    picked as materialized (${source.rows})
    select counted.total, place.my_role, shown.*
      from place
     cross join counted
      left join lateral (
        select ${itemColumns(sql, actor)}, link.added_at, link.added_by, ${keyTexts(sql, terms)} as keys,
               row_number() over (order by ${orderBy(sql, terms)}) as place
          from picked
          join collections.items as item on item.id = picked.id and item.tenant_id = ${actor.tenant_id}
          join lateral ${source.link} as link on true) as shown on true
     order by shown.place`
  const found = await db.lists(actor.user_id, statement)
  const [first] = found
  if (!first) throw notFound()
  logAdminAccess(actor, first.my_role, 'viewer', { collection_id })
  const { rows, next_cursor } = cut(found, query, carriedBy(listing, query, first.total))
  const items = rows
    .filter((row): row is Row & ListedItem => row.id !== null)
    .map((item) => narrow(item, query.fields ?? listing.shown))
  return { ...page(items, first.total, query), next_cursor }
}

type Row = { total: number; my_role: Role | null; keys: string[] | null }

const narrow = (item: ListedItem, shown: readonly string[]): Partial<ListedItem> =>
  Object.fromEntries(Object.entries(item).filter(([name]) => shown.includes(name)))
