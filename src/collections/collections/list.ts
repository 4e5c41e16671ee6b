import type { Database } from '#foundation/database/database.ts'
import { type CursorPage, offsetOf, page } from '#foundation/http/paging.ts'
import { type Actor, logAdminAccess, roleOn, ROLES, type Sql } from '../access.ts'
import type { ListQuery } from '../query/conditions.ts'
import type { Field, Fragment, Listing } from '../query/listing.ts'
import { cut, keyed, keyTexts, orderBy, termsOf } from '../query/order.ts'
import { Collection, type ListedCollection } from './collection.ts'
import { type CollectionsOf, matching, type Scope } from './matching.ts'
import { MANY, newest } from './newest.ts'
import { collectionColumns } from './show.ts'

/** The fields, sorts and filters of the list for this actor. Also builds the schema of the route. */
export const collectionListing = (actor: Actor): Listing => ({
  name: 'collections',
  fields: {
    name: {
      kind: 'text',
      column: (sql) => sql`node.name`,
      folded: (sql) => sql`node.name_folded`,
      order: (sql) => sql`node.name_folded`,
    },
    type: {
      kind: 'text',
      column: (sql) => sql`node.type`,
      order: (sql) => sql`node.type`,
      short: true,
    },
    created_at: {
      kind: 'time',
      column: (sql) => sql`node.created_at`,
      order: (sql) => sql`node.created_at`,
    },
    updated_at: {
      kind: 'time',
      column: (sql) => sql`node.updated_at`,
      order: (sql) => sql`node.updated_at`,
    },
    item_count: {
      kind: 'number',
      column: (sql) => sql`node.item_count`,
      order: (sql) => sql`node.item_count`,
    },
    description: { kind: 'text', column: (sql) => sql`node.description` },
    external_key: { kind: 'text', column: (sql) => sql`node.external_key`, short: true },
    my_role: { kind: 'word', column: (sql) => sql`accessible.my_role`, words: ROLES, short: true },
    created_by: { kind: 'id', column: (sql) => sql`node.created_by`, short: true },
    parent_id: parentField(actor),
    ancestor_id: ancestorField(actor),
    // Only site admins may know that orphaned collections exist.
    ...(actor.is_site_admin && { orphaned: ORPHANED }),
  },
  metadata: (sql) => sql`node.metadata`,
  search: { vector: (sql) => sql`node.search`, name: (sql) => sql`node.name_folded` },
  defaultSort: '-updated_at',
  shown: Object.keys(Collection.properties),
})

/** A hidden parent counts as none: its children are `root`, and filtering by its id finds nothing. */
const parentField = (actor: Actor): Field => ({
  kind: 'place',
  words: ['root'],
  short: true,
  column: (sql) => visibleParent(sql, actor),
  among: (sql, values) => {
    const ids = values.filter((value) => value !== 'root')
    const root = values.includes('root') ? sql`${visibleParent(sql, actor)} is null` : sql`false`
    return sql`(${root} or ${visibleParent(sql, actor)} = any(${ids}::uuid[]))`
  },
})

const visibleParent = (sql: Sql, { is_site_admin }: Actor) =>
  is_site_admin
    ? sql`node.parent_id`
    : sql`case when node.parent_id in (select collection_id from accessible) then node.parent_id end`

/** Matches descendants only, not the collection itself. */
const ancestorField = (actor: Actor): Field => ({
  kind: 'place',
  short: true,
  column: (sql) => visibleParent(sql, actor),
  among: (sql, values) => sql`
    node.id in (select line.descendant_id from collections.collection_ancestors as line
                 where line.tenant_id = ${actor.tenant_id} and line.ancestor_id = any(${[...values]}::uuid[]) and line.distance > 0
                   and (${actor.is_site_admin}::boolean or line.ancestor_id in (select collection_id from accessible)))`,
})

/** A collection that does not inherit and has no direct admin, because its last admin was erased. */
const ORPHANED: Field = {
  kind: 'flag',
  short: true,
  column: (sql) => sql`
    (node.inherit_reach = 0 and not exists (
       select from collections.members as keeper
        where keeper.tenant_id = node.tenant_id and keeper.collection_id = node.id and keeper.role = 'admin'))`,
}

/**
 * The collections where the actor is a member, directly or by inheritance; with scope `all`, those of the tenant for
 * a site admin. One statement reads rights, rows and total, so they are consistent. A page past the end still has the
 * true total.
 */
export async function listCollections(
  db: Database,
  actor: Actor,
  query: ListQuery,
  scope: Scope,
): Promise<CursorPage<ListedCollection>> {
  const sql = db.pool
  if (scope === 'all') logAdminAccess(actor, null, 'viewer', { collections: scope })
  const of = { actor, scope, listing: collectionListing(actor) }
  const isPlain = query.q === undefined && query.conditions.length === 0 && scope === 'own'
  const isNewest =
    query.sort?.length === 1 && query.sort[0]?.field === 'updated_at' && query.sort[0].descending
  if (isPlain && isNewest && query.page * query.per_page <= MANY) {
    const { items, total, next_cursor } = await show(db, of, query, newest(sql, of, query))
    const isLast = !query.after && items.length === Math.max((total ?? 0) - offsetOf(query), 0)
    if (total !== null && (next_cursor !== null || isLast || total < MANY))
      return { ...page(items, total, query), next_cursor }
  }
  const { items, total, next_cursor } = await show(db, of, query, matching(sql, of, query))
  return { ...page(items, total ?? 0, query), next_cursor }
}

type Row = { total: number | null; keys: string[] | null } & (Collection | { id: null })

/** Shows the page of `picked (id, keys)` with the total of `counted (total)`; `source` defines both. */
async function show(
  db: Database,
  { actor, scope, listing }: CollectionsOf,
  query: ListQuery,
  source: Fragment,
) {
  const sql = db.pool
  const { fields } = query
  const wants = (field: string) => fields === undefined || fields.includes(field)
  const wanted = { member_count: wants('member_count'), hierarchy: wants('hierarchy') }
  const terms = keyed(sql, termsOf(sql, listing, query, sql`node.id`), 'picked')
  const statement = sql<Row[]>`
    with ${source}
    select counted.total, shown.*
      from counted
      left join lateral (
        select ${collectionColumns(sql, actor, wanted)}, role.my_role, ${keyTexts(sql, terms)} as keys,
               row_number() over (order by ${orderBy(sql, terms)}) as place
          from picked
          join collections.collections as node on node.id = picked.id and node.tenant_id = ${actor.tenant_id}
         cross join lateral ${roleOn(sql, actor)} as role(my_role)
         where ${scope === 'all'}::boolean or role.my_role is not null) as shown
        on true
     order by shown.place`
  const found = await db.lists(actor.user_id, statement)
  const { rows, next_cursor } = cut(found, query)
  const items = rows
    .filter((row): row is Row & Collection => row.id !== null)
    .map((item) => only(fields ?? listedFields, item))
  return { items, total: found[0]?.total ?? null, next_cursor }
}

const listedFields = Object.keys(Collection.properties)

const only = (fields: readonly string[], item: Collection): ListedCollection =>
  Object.fromEntries(Object.entries(item).filter(([field]) => fields.includes(field))) as ListedCollection
