import { offsetOf } from '#foundation/http/paging.ts'
import { fold } from '#foundation/text.ts'
import { type Actor, counting, type Sql } from '../access.ts'
import { type Condition, conditionOf, conditionsOf, type ListQuery } from '../query/conditions.ts'
import type { Fragment, Listing } from '../query/listing.ts'
import { beyond, keyColumns, keyed, orderBy, type Term, termsOf } from '../query/order.ts'
import { wordsOf } from '../query/words.ts'

export type ItemsOf = { actor: Actor; collection_id: string; is_subtree: boolean; listing: Listing }

/**
 * How to find a page of items: `sets` defines `counted (total)`, `rows` selects (id, k0, k1, …), `link` the link to show
 * for the row `item`. The row `place` is the collection, absent without rights: then nothing is read.
 */
export type Picked = { sets: Fragment; rows: Fragment; link: Fragment }

/**
 * These statements may not depend on statistics, which are missing after an import: the id of the collection stands in
 * each, and a set is handed on as an array or a hashed subquery, never as a join that could become a nested loop.
 */
const held = (sql: Sql, { actor, collection_id }: ItemsOf) => sql`
  from collections.collection_items as link
 where link.tenant_id = ${actor.tenant_id} and link.collection_id = ${collection_id}::uuid and exists (select from place)`

/** `offset 0` keeps it a lookup: without statistics a join that reads the collection for each item seems as cheap. */
const heldLink = (sql: Sql, { actor, collection_id }: ItemsOf) => sql`
  (select held.added_at, held.added_by from collections.collection_items as held
    where held.tenant_id = ${actor.tenant_id} and held.collection_id = ${collection_id}::uuid and held.item_id = item.id
   offset 0)`

const itemCount = (sql: Sql) => sql`counted as (select item_count as total from place)`

/** How many items there are, for choosing a statement. No rights are judged. */
export async function sizeOf(sql: Sql, { actor, collection_id }: ItemsOf): Promise<number> {
  const [found] = await sql<{ size: number }[]>`
    select item_count as size from collections.collections
     where tenant_id = ${actor.tenant_id} and id = ${collection_id}`
  return found?.size ?? 0
}

const limited = (sql: Sql, terms: readonly Term[], query: ListQuery) => sql`
  order by ${orderBy(sql, terms)} limit ${query.per_page + 1} offset ${offsetOf(query)}`

/** In the order of the links, on their index. */
export function newest(sql: Sql, of: ItemsOf, query: ListQuery): Picked {
  const terms = termsOf(sql, of.listing, query, sql`link.item_id`)
  // As a plain condition the tenant would look like one row in 200, and PostgreSQL would sort all instead of walking the index.
  const rows = sql`
    select link.item_id as id, ${keyColumns(sql, terms)}
      from collections.collection_items as link
     where link.collection_id = ${of.collection_id}::uuid and coalesce(link.tenant_id = ${of.actor.tenant_id}, false)
       and exists (select from place) ${beyond(sql, terms, query.after)}
    ${limited(sql, terms, query)}`
  return { sets: itemCount(sql), rows, link: heldLink(sql, of) }
}

/**
 * Walks the tenant's items in order and asks of each whether it is linked here. After a quarter of the collection's
 * size it gives up: the next items may be far.
 */
export function walked(sql: Sql, of: ItemsOf, query: ListQuery, size: number): Picked {
  const terms = termsOf(sql, of.listing, query, sql`item.id`)
  const rows = sql`
    select item.* from (
      select item.id, ${keyColumns(sql, terms)} from collections.items as item
       where item.tenant_id = ${of.actor.tenant_id} and exists (select from place) ${beyond(sql, terms, query.after)}
       order by ${orderBy(sql, terms)} limit ${Math.floor(size / 4)}) as item
     where (select true from collections.collection_items as link
             where link.tenant_id = ${of.actor.tenant_id} and link.collection_id = ${of.collection_id}::uuid and link.item_id = item.id)
    ${limited(sql, keyed(sql, terms, 'item'), query)}`
  return { sets: itemCount(sql), rows, link: heldLink(sql, of) }
}

/** A page behind a cursor examines at most so many rows, then everything is read. */
const WALKED = 10_000
const WALKABLE: readonly string[] = ['name', 'created_at', 'updated_at']
/** Whether an index has the tenant's items in the order of this field. */
export const isOfItem = (field: string) => WALKABLE.includes(field)

/**
 * The page behind a cursor under conditions, found by walking on from there: the total is known, so the rest is not read.
 * Undefined where matches are too rare for that, and for orders without an index. Like `walked`, it may give up.
 */
export function continued(sql: Sql, of: ItemsOf, query: ListQuery, size: number): Picked | undefined {
  const { actor, collection_id, listing } = of
  const field = query.sort?.[0]?.field
  const { total, per_page, after } = query
  if (field === undefined || total === undefined || after === undefined) return undefined
  if (total * WALKED < size * per_page * 2) return undefined
  const isByLink = field === 'added_at'
  if (!isByLink && !isOfItem(field)) return undefined
  const terms = termsOf(sql, listing, query, isByLink ? sql`link.item_id` : sql`item.id`)
  const found = keyed(sql, terms, 'walk')
  const ordered = sql`${beyond(sql, terms, after)} order by ${orderBy(sql, terms)} limit ${WALKED}`
  const links = sql`
    select link.item_id as id, link.added_at, link.added_by, ${keyColumns(sql, terms)}
      from collections.collection_items as link
     where link.collection_id = ${collection_id}::uuid and coalesce(link.tenant_id = ${actor.tenant_id}, false)
       and exists (select from place) ${ordered}`
  const items = sql`
    select item.id, ${keyColumns(sql, terms)} from collections.items as item
     where item.tenant_id = ${actor.tenant_id} and exists (select from place) ${ordered}`
  // `offset 0` keeps both lookups, see heldLink.
  const rows = sql`
    select walk.* from (${isByLink ? links : items}) as walk
      join lateral (
        select from collections.items as item
         ${isByLink ? sql`cross join (select walk.added_at, walk.added_by) as link` : sql`${linkOfItem(sql, of)}`}
         where item.id = walk.id and item.tenant_id = ${actor.tenant_id} ${conditionsOf(sql, listing, query)}
         offset 0) as matching on true
    order by ${orderBy(sql, found)} limit ${per_page + 1}`
  return { sets: sql`counted as (select ${total}::int as total from place)`, rows, link: heldLink(sql, of) }
}

const linkOfItem = (sql: Sql, { actor, collection_id }: ItemsOf) => sql`
  join collections.collection_items as link
    on link.tenant_id = ${actor.tenant_id} and link.collection_id = ${collection_id}::uuid and link.item_id = item.id`

const OF_LINKS: readonly string[] = ['added_at', 'added_by']
const isOfLink = ({ name }: Condition) => OF_LINKS.includes(name)

/** Below this size everything is sorted: cheaper than looking for an index that helps. */
export const SMALL = 2_000

/** Reads everything that matches once, then counts and sorts it. In a large collection an index says what may match. */
export function filtered(sql: Sql, of: ItemsOf, query: ListQuery, size: number): Picked {
  const { actor, listing } = of
  const sorts = (query.sort ?? []).map(({ field }) => OF_LINKS.includes(field))
  const isByLink = sorts.length === 1 && sorts[0] === true
  if (sorts.includes(true) && !isByLink) return joined(sql, of, query)
  const ofLinks = { ...query, q: undefined, conditions: query.conditions.filter(isOfLink) }
  const ofItems = { ...query, conditions: query.conditions.filter((one) => !isOfLink(one)) }
  const links = sql`select link.item_id ${held(sql, of)} ${conditionsOf(sql, listing, ofLinks)}`
  const candidates = candidatesOf(sql, of, query, size > SMALL)
  // After so many, the collection itself is read. Not a limit of the set: that would make PostgreSQL hope for an early end.
  const most = Math.max(SMALL, Math.floor(size / 4))
  const read = sql`(select count(*) from (select from candidates limit ${most + 1}) as beginning)`
  const terms = termsOf(sql, listing, query, isByLink ? sql`link.item_id` : sql`item.id`)
  const sets = sql`
    ${candidates ? sql`candidates (id) as materialized (${candidates}),` : sql``}
    matching as materialized (
      select item.id ${isByLink ? sql`` : sql`, ${keyColumns(sql, terms)}`} from collections.items as item
       where item.id = any(array(${
         candidates
           ? sql`${links} and ${read} <= ${most} and link.item_id = any(array(select id from candidates))
                 union all ${links} and ${read} > ${most}`
           : links
       }))
         and item.tenant_id = ${actor.tenant_id} ${conditionsOf(sql, listing, ofItems)}),
    ordered as materialized (${
      isByLink
        ? sql`select link.item_id as id, ${keyColumns(sql, terms)} ${held(sql, of)}
                 and link.item_id = any(array(select id from matching))`
        : sql`select * from matching`
    }),
    counted as (select count(*) as total from matching)`
  return { sets, rows: fromOrdered(sql, terms, query), link: heldLink(sql, of) }
}

function fromOrdered(sql: Sql, terms: readonly Term[], query: ListQuery) {
  const found = keyed(sql, terms, 'ordered')
  return sql`select ordered.* from ordered where true ${beyond(sql, found, query.after)} ${limited(sql, found, query)}`
}

/** The ids of everything that may match, from an index; undefined if no condition has one. */
function candidatesOf(
  sql: Sql,
  of: ItemsOf,
  { q, conditions }: ListQuery,
  isLarge: boolean,
): Fragment | undefined {
  const key = conditions.find((one) => one.name === 'external_key' && isEquality(one))
  if (key)
    return sql`
      select held.item_id from collections.item_keys as held
       where held.tenant_id = ${of.actor.tenant_id} and held.root_id = (select root_id from place)
         and held.external_key = any(${key.values}::text[])`
  if (!isLarge) return undefined
  const found = indexed(sql, of, conditions, q)
  return (
    found &&
    sql`
      select item.id from collections.items as item
       where item.tenant_id = ${of.actor.tenant_id} and exists (select from place) and ${found}`
  )
}

const isEquality = ({ operator }: Condition) => operator === 'eq' || operator === 'in'

/** The condition that an index begins with: what it finds is all that may match, or more. */
function indexed(sql: Sql, { listing }: ItemsOf, conditions: readonly Condition[], q: string | undefined) {
  const named = conditions.filter(({ name }) => name === 'name')
  const name = named.find(isEquality)
  if (name)
    return sql`
      item.name_folded = any(array(select collections.folded(name) from unnest(${name.values}::text[]) as name))`
  const value = conditions.find((one) => one.field === 'metadata' && isEquality(one))
  if (value) return conditionOf(sql, listing, value)
  if (q !== undefined) return sql`item.search @@ ${wordsOf(sql, q)}`
  const start = named.find(({ operator }) => operator === 'starts_with')?.values[0]
  if (start === undefined) return undefined
  return sql`item.name_folded >= ${fold(start)} and item.name_folded < ${fold(start) + LAST}`
}

/** With this behind it, a text comes after every name of 300 characters that begins with it. */
const LAST = '\u{10ffff}'.repeat(301)

/** Links and items side by side: for orders that mix their columns. */
function joined(sql: Sql, of: ItemsOf, query: ListQuery): Picked {
  const { actor, listing } = of
  const terms = termsOf(sql, listing, query, sql`item.id`)
  const sets = sql`
    ordered as materialized (
      select item.id, link.added_at, link.added_by, ${keyColumns(sql, terms)}
        from (select link.item_id, link.added_at, link.added_by ${held(sql, of)}) as link
        join collections.items as item on item.id = link.item_id and item.tenant_id = ${actor.tenant_id}
       where true ${conditionsOf(sql, listing, query)}),
    counted as (select count(*) as total from ordered)`
  return { sets, rows: fromOrdered(sql, terms, query), link: sql`(select picked.added_at, picked.added_by)` }
}

/**
 * The items of all visible collections here and below. The collections are one array: asked of each by itself, their rights alone
 * took a second in a tree of 5,810. Links are read as far as something is asked of them, and so are items.
 */
export function belowHere(sql: Sql, of: ItemsOf, query: ListQuery): Picked {
  const { actor, collection_id, listing } = of
  const fields = [...query.conditions, ...(query.sort ?? []).map(({ field }) => ({ name: field }))]
  const ofLinks = fields.map(({ name }) => name).filter((name) => OF_LINKS.includes(name))
  const isOfLinks = query.q === undefined && query.sort !== undefined && ofLinks.length === fields.length
  const terms = termsOf(sql, listing, query, isOfLinks ? sql`link.item_id` : sql`item.id`)
  const from = isOfLinks
    ? sql`link where true`
    : ofLinks.length === 0
      ? sql`collections.items as item where item.id = any(array(select item_id from link)) and item.tenant_id = ${actor.tenant_id}`
      : // `offset 0` keeps it a lookup, see heldLink.
        sql`link cross join lateral (
              select item.* from collections.items as item where item.id = link.item_id and item.tenant_id = ${actor.tenant_id}
              offset 0) as item
             where true`
  const sets = sql`
    below as materialized (
      select line.descendant_id as id from collections.collection_ancestors as line
       where line.tenant_id = ${actor.tenant_id} and line.ancestor_id = ${collection_id}::uuid and exists (select from place)
         and (${actor.is_site_admin}::boolean
              or line.descendant_id in (select seen.collection_id from (${counting(sql, actor)}) as seen))),
    link as materialized (${linksBelow(sql, of, ofLinks)}),
    ordered as materialized (
      select ${isOfLinks ? sql`link.item_id` : sql`item.id`} as id, ${keyColumns(sql, terms)}
        from ${from} ${conditionsOf(sql, listing, query)}),
    counted as (select count(*) as total from ordered)`
  // `is true`: looked up in the set, which a join would read once for each item.
  const seen = sql`held.item_id = item.id and (held.collection_id in (select id from below)) is true`
  return { sets, rows: fromOrdered(sql, terms, query), link: sql`(${shownLinks(sql, of, seen)})` }
}

/**
 * Each item below once, with those of `fields` that its shown link has. Without an author an index alone answers. There the tenant
 * as a plain condition would look like one row in 200, and so few are sorted, not hashed: twice the time.
 */
function linksBelow(sql: Sql, of: ItemsOf, fields: readonly string[]): Fragment {
  const { actor, collection_id } = of
  const isBelow = sql`held.collection_id = any(array(select id from below))`
  if (fields.includes('added_by')) return shownLinks(sql, of, isBelow)
  const latest = sql`
    , coalesce(max(held.added_at) filter (where held.collection_id = ${collection_id}::uuid), max(held.added_at)) as added_at`
  return sql`
    select held.item_id ${fields.length > 0 ? latest : sql``} from collections.collection_items as held
     where ${isBelow} and coalesce(held.tenant_id = ${actor.tenant_id}, false)
     group by held.item_id`
}

/** The links that items show: the one here, otherwise the latest below. */
const shownLinks = (sql: Sql, { actor, collection_id }: ItemsOf, condition: Fragment) => sql`
  select distinct on (held.item_id) held.item_id, held.added_at, held.added_by
    from collections.collection_items as held
   where held.tenant_id = ${actor.tenant_id} and ${condition}
   order by held.item_id, held.collection_id <> ${collection_id}::uuid, held.added_at desc, held.collection_id`
