import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { forbidden, unprocessable } from '#foundation/errors.ts'
import { isStoredTime, readPosition, writePosition } from '#foundation/http/cursor.ts'
import { orderOf } from '#foundation/http/cursor-page.ts'
import { PageQuery } from '#foundation/http/paging.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { isUuid } from '#foundation/ids.ts'
import { normalized } from '#foundation/text.ts'
import { accessible, type Actor, counting, isVisible, logAdminAccess, type Sql } from '../access.ts'
import type { Fragment } from '../query/listing.ts'
import { wordsOf } from '../query/words.ts'
import { Item, itemColumns } from './item.ts'

/** An item with the first of its collections that the asker sees. */
const FoundItem = Type.Object({
  ...Item.properties,
  collections: Type.Array(Type.Object({ id: Uuid, name: Type.String() })),
})
export const FoundItems = Type.Object({ items: Type.Array(FoundItem), next_cursor: Nullable(Type.String()) })
export const FindQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    external_key: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    scope: Type.Optional(OneOf(['own', 'all'])),
    per_page: PageQuery.properties.per_page,
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  },
  { additionalProperties: false },
)

/** Up to so many items are read and sorted; beyond that the tenant's items are walked in order, so many a page. */
const MOST = 5_000
/** The collections that a hit names. */
const NAMED = 20

/** What is asked, and the place after which to go on. */
type Finding = {
  sql: Sql
  actor: Actor
  scope: 'own' | 'all'
  query: Static<typeof FindQuery>
  after: string[] | undefined
}
type Hit = Static<typeof FoundItem> & { changed: string }
/** `is_whole`: the page was sorted, not walked. `stop`: how far a walk came that did not see the last item. */
type Row = { is_whole: boolean; stop: string[] | null } & (Hit | { id: null })

/**
 * The items with these words or this key among all that the actor sees, the last changed first. A page may be short while
 * `next_cursor` goes on. 403, 422 without words and key.
 */
export async function findItems(
  db: Database,
  actor: Actor,
  query: Static<typeof FindQuery>,
): Promise<Static<typeof FoundItems>> {
  const { q, external_key, scope = 'own', per_page, cursor } = query
  if (q === undefined && external_key === undefined)
    throw unprocessable('q', 'required', 'or external_key is required')
  if (scope === 'all' && !actor.is_site_admin)
    throw forbidden('insufficient_role', 'Only a site admin may search all collections')
  if (scope === 'all') logAdminAccess(actor, null, 'viewer', { items: scope })
  const order = orderOf('found', actor, { page: 1, ...query })
  const after = cursor === undefined ? undefined : readPosition(cursor, order, [isStoredTime, isUuid])
  const finding: Finding = { sql: db.pool, actor, scope, query, after }
  let rows = await db.lists(actor.user_id, db.pool<Row[]>`${sorted(finding)}`)
  if (rows[0]?.is_whole === false) rows = await db.lists(actor.user_id, db.pool<Row[]>`${walked(finding)}`)
  const hits = rows.filter((row): row is Row & Hit => row.id !== null)
  const items = hits.slice(0, per_page)
  const last = hits.length > per_page ? items.at(-1) : undefined
  const place = last ? [last.changed, last.id] : rows[0]?.stop
  return { items, next_cursor: place ? writePosition(order, place) : null }
}

/**
 * Sorts what may match: the items of a person who has few, else what an index finds. Of a frequent word it finds too many:
 * then nothing is read. The sets are handed on as arrays, see pages.ts.
 */
function sorted(finding: Finding): Fragment {
  const { sql, actor, scope, after } = finding
  const { tenant_id } = actor
  return sql`
    with accessible as materialized (${scope === 'all' ? accessible(sql, actor, scope) : counting(sql, actor)}),
    held as materialized (
      select coalesce(sum(node.item_count), 0) <= ${MOST} as is_small
        from collections.collections as node
       where node.id = any(array(select collection_id from accessible)) and node.tenant_id = ${tenant_id}),
    candidates (id) as materialized (
      select link.item_id from collections.collection_items as link
       where link.tenant_id = ${tenant_id} and link.collection_id = any(array(select collection_id from accessible))
         and (select is_small from held)
      union all ${indexed(finding)} and not (select is_small from held)),
    counted as materialized (
      select (select is_small from held)
             or (select count(*) from (select from candidates limit ${MOST + 1}) as beginning) <= ${MOST} as is_whole),
    picked as materialized (
      select item.id, item.updated_at from collections.items as item
       where item.id = any(array(${seenOf(finding, sql`select id from candidates where (select is_whole from counted)`)}))
         and item.tenant_id = ${tenant_id} and ${matches(finding)} ${beyond(sql, after)}
       ${limited(finding)})
    select counted.is_whole, null::text[] as stop, shown.*
      from counted left join lateral (${shown(finding)}) as shown on true
     order by shown.updated_at desc, shown.id desc`
}

/** Walks the tenant's items, the last changed first: of a frequent word the next ones are near. */
function walked(finding: Finding): Fragment {
  const { sql, actor, scope, after } = finding
  return sql`
    with accessible as materialized (${scope === 'all' ? accessible(sql, actor, scope) : counting(sql, actor)}),
    walked as materialized (
      select item.id, item.updated_at, ${matches(finding)} as is_match from collections.items as item
       where item.tenant_id = ${actor.tenant_id} ${beyond(sql, after)}
       order by item.updated_at desc, item.id desc limit ${MOST}),
    picked as materialized (
      select item.id, item.updated_at from walked as item
       where item.id = any(array(${seenOf(finding, sql`select id from walked where is_match`)})) ${limited(finding)}),
    ended as (
      select case when (select count(*) from walked) = ${MOST} then (
               select array[foundation.iso(updated_at), id::text] from walked order by updated_at, id limit 1) end as stop)
    select false as is_whole, ended.stop, shown.*
      from ended left join lateral (${shown(finding)}) as shown on true
     order by shown.updated_at desc, shown.id desc`
}

function indexed({ sql, actor: { tenant_id }, query: { q, external_key } }: Finding): Fragment {
  if (external_key === undefined)
    return sql`
      select item.id from collections.items as item
       where item.tenant_id = ${tenant_id} and item.search @@ ${wordsOf(sql, q ?? '')}`
  return sql`
    select held.item_id from collections.item_keys as held
     where held.tenant_id = ${tenant_id} and held.external_key = ${normalized(external_key, 'NFC')}
       and held.root_id = any(array(
             select distinct node.root_id from collections.collections as node
              where node.id = any(array(select collection_id from accessible)) and node.tenant_id = ${tenant_id}))`
}

const matches = ({ sql, query: { q, external_key } }: Finding) => sql`
  (${q === undefined ? sql`true` : sql`item.search @@ ${wordsOf(sql, q)}`}
   and ${external_key === undefined ? sql`true` : sql`item.external_key = ${normalized(external_key, 'NFC')}`})`

/** Those of the items that are in a collection the actor sees. `is true`: by the index of items, never by both arrays. */
const seenOf = ({ sql, actor }: Finding, ids: Fragment) => sql`
  select link.item_id from collections.collection_items as link
   where link.tenant_id = ${actor.tenant_id} and link.item_id = any(array(${ids}))
     and (link.collection_id = any(array(select collection_id from accessible))) is true`

const beyond = (sql: Sql, after: readonly string[] | undefined) =>
  after
    ? sql`and (item.updated_at, item.id) < (${after[0] ?? ''}::timestamptz, ${after[1] ?? ''}::uuid)`
    : sql``

const limited = ({ sql, query }: Finding) =>
  sql`order by item.updated_at desc, item.id desc limit ${query.per_page + 1}`

const shown = ({ sql, actor }: Finding) => sql`
  select ${itemColumns(sql, actor)}, foundation.iso(item.updated_at) as changed,
         (select coalesce(jsonb_agg(jsonb_build_object('id', named.id, 'name', named.name) order by named.id), '[]')
            from (select seen.id, seen.name from collections.collection_items as link
                   cross join lateral (
                     select node.id, node.name from collections.collections as node
                      where node.id = link.collection_id and ${isVisible(sql, actor)} offset 0) as seen
                   where link.tenant_id = item.tenant_id and link.item_id = item.id
                   order by seen.id limit ${NAMED}) as named) as collections
    from picked join collections.items as item on item.id = picked.id and item.tenant_id = ${actor.tenant_id}`
