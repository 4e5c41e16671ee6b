import type { Tx } from '#foundation/database/database.ts'
import {
  type Author,
  type Clash,
  claimKeys,
  dropKeys,
  type Fragment,
  lockItems,
  type Pair,
  pairTable,
} from './keys.ts'

export type { Author, Clash, Pair } from './keys.ts'
export { createItems, dropUnlinked, type ItemChange, type NewItem, updateItems } from './rows.ts'

export type Linked = {
  /** New links. */
  linked: Pair[]
  /** Links that already existed. */
  existing: Pair[]
  /** Links of items whose key is taken in one of the trees. No pair of such an item is linked. */
  clashes: Clash[]
  /** Pairs whose collection or item does not exist in this tenant (any more). */
  missing: Pair[]
}

/**
 * Adds items to collections, with their keys, item_count and history. Locks collections, then items, each in ascending
 * order. Checks no rights: the caller takes the same locks first and checks rights before it calls. `created`: the items
 * that `createItems` has just made.
 */
export async function linkItems(
  tx: Tx,
  pairs: readonly Pair[],
  author: Author,
  created: readonly string[] = [],
): Promise<Linked> {
  const { tenant_id, user_id } = author
  const [collections, items] = await lockBoth(tx, tenant_id, pairs)
  const given = uniquePairs(pairs)
  const isThere = ({ collection_id, item_id }: Pair) => collections.has(collection_id) && items.has(item_id)
  const [there, missing] = [given.filter(isThere), given.filter((pair) => !isThere(pair))]
  const keyed = there.flatMap((pair) => {
    const [root_id, external_key] = [collections.get(pair.collection_id), items.get(pair.item_id)]
    return root_id && external_key ? { ...pair, root_id, external_key } : []
  })
  const clashes = keyed.length > 0 ? await claimKeys(tx, tenant_id, wantTable(tx, keyed)) : []
  const losers = new Set(clashes.map(({ item_id }) => item_id))
  const wanted = there.filter(({ item_id }) => !losers.has(item_id))
  if (wanted.length === 0) return { linked: [], existing: [], clashes, missing }
  // Returns single rows only if some links already existed.
  const [first, ...more] = await tx<(Pair & { number: number })[]>`
    with linked as (
      insert into collections.collection_items (tenant_id, collection_id, item_id, added_by)
      select ${tenant_id}::uuid, collection_id, item_id, ${user_id} from ${pairTable(tx, wanted)} as pair
       order by collection_id, item_id
      on conflict do nothing
      returning collection_id, item_id),
    counted as (
      update collections.collections as node set item_count = node.item_count + more.number
        from (select collection_id, count(*)::int as number from linked group by collection_id) as more
       where node.id = more.collection_id and node.tenant_id = ${tenant_id}),
    noted as (
      insert into collections.item_changes (tenant_id, item_id, kind, version, collection_ids, changed_by)
      select ${tenant_id}::uuid, link.item_id, case when made.id is null then 'added' else 'created' end,
             case when made.id is not null then 1 end, link.collection_ids, ${user_id}::uuid
        from (select item_id, array_agg(collection_id order by collection_id) as collection_ids
                from linked group by item_id) as link
        left join unnest(${created as string[]}::uuid[]) as made(id) on made.id = link.item_id)
    select sum.number, linked.collection_id, linked.item_id
      from (select count(*)::int as number from linked) as sum
      left join linked on sum.number < ${wanted.length}`
  if (first?.number === wanted.length) return { linked: wanted, existing: [], clashes, missing }
  const isNew = new Set([first, ...more].flatMap((pair) => (pair ? textOf(pair) : [])))
  return {
    linked: wanted.filter((pair) => isNew.has(textOf(pair))),
    existing: wanted.filter((pair) => !isNew.has(textOf(pair))),
    clashes,
    missing,
  }
}

export type Unlinked = { removed: Pair[]; /** Items that were nowhere else. */ deleted: string[] }

/** Removes items from collections and deletes items that are in none. Locks like linkItems; checks no rights. */
export async function unlinkItems(tx: Tx, pairs: readonly Pair[], author: Author): Promise<Unlinked> {
  await lockBoth(tx, author.tenant_id, pairs)
  const removed = await removeLinks(tx, author, pairTable(tx, pairs))
  return { removed: [...removed], deleted: await sweepItems(tx, author, removed) }
}

/** Does the same for all items of these collections, which the caller has locked and will delete. */
export async function emptyCollections(
  tx: Tx,
  collection_ids: readonly string[],
  author: Author,
): Promise<Unlinked> {
  const { tenant_id } = author
  const links = tx`
    (select collection_id, item_id from collections.collection_items
      where tenant_id = ${tenant_id} and collection_id = any(${collection_ids as string[]}::uuid[]))`
  await tx`
    select count(*) from (
      select item.id from collections.items as item
       where item.tenant_id = ${tenant_id} and item.id in (select item_id from ${links} as link)
       order by item.id for update) as locked`
  const removed = await removeLinks(tx, author, links)
  return { removed: [...removed], deleted: await sweepItems(tx, author, removed) }
}

/** Locks the rows that carry root_id and item_count; returns each root. Moves and other links wait for this lock. */
export async function lockCollections(
  tx: Tx,
  tenant_id: string,
  collection_ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx<{ id: string; root_id: string }[]>`
    select id, root_id from collections.collections
     where id = any(${collection_ids as string[]}::uuid[]) and tenant_id = ${tenant_id}
     order by id for no key update`
  return new Map(rows.map(({ id, root_id }) => [id, root_id]))
}

/** Sends both statements at once; the connection runs them in order. */
const lockBoth = (tx: Tx, tenant_id: string, pairs: readonly Pair[]) =>
  Promise.all([
    lockCollections(tx, tenant_id, [...new Set(pairs.map(({ collection_id }) => collection_id))]),
    lockItems(tx, tenant_id, [...new Set(pairs.map(({ item_id }) => item_id))]),
  ])

type Want = Pair & { root_id: string; external_key: string }

/** Both rows of each pair are locked, so their root and key need not be read again. */
const wantTable = (tx: Tx, wants: readonly Want[]) => tx`
  (select collection_id, root_id, item_id, external_key
     from unnest(${wants.map((want) => want.collection_id)}::uuid[], ${wants.map((want) => want.root_id)}::uuid[],
                 ${wants.map((want) => want.item_id)}::uuid[], ${wants.map((want) => want.external_key)}::text[])
          as given(collection_id, root_id, item_id, external_key))`

const removeLinks = (tx: Tx, { tenant_id, user_id }: Author, pairs: Fragment) => tx<Pair[]>`
  with removed as (
    delete from collections.collection_items as link
     using ${pairs} as pair, collections.collections as node
     where link.tenant_id = ${tenant_id} and link.collection_id = pair.collection_id and link.item_id = pair.item_id
       and node.id = link.collection_id and node.tenant_id = ${tenant_id}
    returning link.collection_id, link.item_id),
  counted as (
    update collections.collections as node set item_count = node.item_count - fewer.number
      from (select collection_id, count(*)::int as number from removed group by collection_id) as fewer
     where node.id = fewer.collection_id and node.tenant_id = ${tenant_id}),
  noted as (
    insert into collections.item_changes (tenant_id, item_id, kind, collection_ids, changed_by)
    select ${tenant_id}::uuid, item_id, 'removed', array_agg(collection_id order by collection_id), ${user_id}::uuid
      from removed group by item_id)
  select collection_id, item_id from removed`

/** Runs after the removal, under the item locks: only then is it certain which items have no collection. */
async function sweepItems(
  tx: Tx,
  { tenant_id, user_id }: Author,
  removed: readonly Pair[],
): Promise<string[]> {
  const item_ids = [...new Set(removed.map(({ item_id }) => item_id))]
  if (item_ids.length === 0) return []
  const deleted = await tx<{ id: string }[]>`
    with gone as (
      delete from collections.items as item
       where item.id = any(${item_ids}::uuid[]) and item.tenant_id = ${tenant_id}
         and not exists (select from collections.collection_items as link
                          where link.tenant_id = item.tenant_id and link.item_id = item.id)
      returning item.id, item.version, item.name, item.description, item.external_key, item.metadata),
    noted as (
      insert into collections.item_changes (tenant_id, item_id, kind, version, before, changed_by)
      select ${tenant_id}::uuid, id, 'deleted', version,
             jsonb_build_object('name', name, 'description', description, 'external_key', external_key, 'metadata', metadata),
             ${user_id}::uuid
        from gone)
    select id from gone`
  if (deleted.length < item_ids.length) await dropKeys(tx, tenant_id, item_ids)
  return deleted.map(({ id }) => id)
}

const textOf = ({ collection_id, item_id }: Pair) => `${collection_id} ${item_id}`
const uniquePairs = (pairs: readonly Pair[]): Pair[] => [
  ...new Map(pairs.map((pair) => [textOf(pair), pair])).values(),
]
