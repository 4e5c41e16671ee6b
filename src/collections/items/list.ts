import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { offsetOf, type Page, page } from '#foundation/http/paging.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { type Actor, isVisible, logAdminAccess, type Role, roleOn, type Sql } from '../access.ts'
import { conditionsOf, orderOf } from '../query/conditions.ts'
import { type Listing, listQuerySchema } from '../query/listing.ts'
import { readListQuery } from '../query/read.ts'
import { Item, itemColumns } from './item.ts'

export type ListedItem = Static<typeof ListedItem>
/** An item in a list, with when and by whom it was added to the collection. */
export const ListedItem = Type.Object({ ...Item.properties, added_at: Time, added_by: Nullable(Uuid) })

/** Rows are `item` of collections.items and `link`, its link to the collection. */
const listing: Listing = {
  fields: {
    name: { kind: 'text', column: (sql) => sql`item.name`, order: (sql) => sql`item.name_folded` },
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
): Promise<Page<Partial<ListedItem>>> {
  const query = readListQuery(listing, sent)
  const sql = db.pool
  const links = sent.include_subtree ? linksBelow(sql, actor) : linksHere(sql)
  const matching = sql`
      from ${links} as link
      join collections.items as item on item.id = link.item_id and item.tenant_id = ${actor.tenant_id}
     where true ${conditionsOf(sql, listing, query)}`
  const order = orderOf(sql, listing, query, sql`item.id`)
  const isWhole = query.q === undefined && query.conditions.length === 0 && !sent.include_subtree
  const total = isWhole ? sql`select place.item_count as total` : sql`select count(*) as total ${matching}`
  const rows = await sql<(Row & (ListedItem | { id: null }))[]>`
    with place as materialized (
      select node.id, node.item_count, ${roleOn(sql, actor)} as my_role
        from collections.collections as node
       where node.id = ${collection_id} and ${isVisible(sql, actor)})
    select counted.total, place.my_role, ${itemColumns(sql, actor)}, link.added_at, link.added_by
      from place
     cross join lateral (${total}) as counted
      left join lateral (
        select link.item_id, link.added_at, link.added_by ${matching}
         order by ${order} limit ${query.per_page} offset ${offsetOf(query)}) as link on true
      left join collections.items as item on item.id = link.item_id
     order by ${order}`
  const [first] = rows
  if (!first) throw notFound()
  logAdminAccess(actor, first.my_role, 'viewer', { collection_id })
  const found = rows.filter((row): row is Row & ListedItem => row.id !== null)
  return page(
    found.map((item) => narrow(item, query.fields ?? listing.shown)),
    first.total,
    query,
  )
}

type Row = { total: number; my_role: Role | null }

const linksHere = (sql: Sql) => sql`
  (select item_id, added_at, added_by from collections.collection_items where collection_id = place.id)`

/** An item linked here shows that link; otherwise the latest link below. */
const linksBelow = (sql: Sql, actor: Actor) => sql`
  (select distinct on (held.item_id) held.item_id, held.added_at, held.added_by
     from collections.collection_ancestors as line
     join collections.collections as node on node.id = line.descendant_id and ${isVisible(sql, actor)}
     join collections.collection_items as held on held.collection_id = node.id
    where line.ancestor_id = place.id
    order by held.item_id, line.distance > 0, held.added_at desc, held.collection_id)`

const narrow = (item: ListedItem, shown: readonly string[]): Partial<ListedItem> =>
  Object.fromEntries(Object.entries(item).filter(([name]) => shown.includes(name)))
