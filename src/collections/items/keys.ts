import type postgres from 'postgres'
import type { Lane, Tx } from '#foundation/database/database.ts'

/** A link: one item in one collection. */
export type Pair = { collection_id: string; item_id: string }
/** A link that is refused because another item of the tree has the item's key. */
export type Clash = Pair & { external_key: string }

/** The tenant of the rows, and the user recorded as having added them. */
export type Author = { tenant_id: string; user_id: string }

export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Pairs as a table expression with the columns collection_id and item_id. */
export const pairTable = (sql: Lane, pairs: readonly Pair[]): Fragment => sql`
  (select collection_id, item_id
     from unnest(${pairs.map((pair) => pair.collection_id)}::uuid[], ${pairs.map((pair) => pair.item_id)}::uuid[])
          as given(collection_id, item_id))`

/**
 * Locks the items, in ascending order, and returns those that exist. Take this lock before changing links, keys or a
 * collection's tree, so that no two such changes overlap.
 */
export async function lockItems(
  tx: Tx,
  tenant_id: string,
  item_ids: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await tx<{ id: string; external_key: string | null }[]>`
    select id, external_key from collections.items
     where id = any(${item_ids as string[]}::uuid[]) and tenant_id = ${tenant_id}
     order by id for update`
  return new Map(rows.map(({ id, external_key }) => [id, external_key]))
}

type Key = { root_id: string; external_key: string; item_id: string }

/**
 * Claims keys in the trees of collections; `wants` has the columns collection_id, root_id, item_id and external_key. An
 * item whose key is taken in any of these trees claims none; its rows come back as clashes. The caller locks the items
 * and has checked that all of it belongs to the tenant.
 */
export async function claimKeys(tx: Tx, tenant_id: string, wants: Fragment): Promise<Clash[]> {
  const claimed: Key[] = []
  for (;;) {
    const { is_all, keys } = await insertKeys(tx, tenant_id, wants)
    if (is_all) return []
    claimed.push(...keys)
    const holders = await othersWithKeys(tx, tenant_id, wants)
    // A key that was taken at the first look and is free at the second belongs to nobody yet.
    if (holders.some(({ holder }) => holder === null)) continue
    const clashes = holders.map(({ collection_id, item_id, external_key }) => ({
      collection_id,
      item_id,
      external_key,
    }))
    const losers = new Set(clashes.map(({ item_id }) => item_id))
    await deleteKeys(
      tx,
      tenant_id,
      claimed.filter(({ item_id }) => losers.has(item_id)),
    )
    return clashes
  }
}

/** The inserted keys are listed only if some of those wanted already have a row. */
async function insertKeys(
  tx: Tx,
  tenant_id: string,
  wants: Fragment,
): Promise<{ is_all: boolean; keys: Key[] }> {
  // Inserts in key order, so that two batches with the same keys wait for each other instead of deadlocking.
  const rows = await tx<({ is_all: boolean } & Key)[]>`
    with wanted as materialized (
      select distinct want.root_id, want.external_key, want.item_id
        from ${wants} as want
       where want.external_key is not null),
    claimed as (
      insert into collections.item_keys (tenant_id, root_id, external_key, item_id)
      select ${tenant_id}::uuid, root_id, external_key, item_id from wanted order by root_id, external_key, item_id
      on conflict do nothing
      returning root_id, external_key, item_id)
    select given.is_all, claimed.root_id, claimed.external_key, claimed.item_id
      from (select (select count(*) from claimed) = (select count(*) from wanted) as is_all) as given
      left join claimed on not given.is_all
     order by claimed.root_id, claimed.external_key`
  return { is_all: rows[0]?.is_all ?? true, keys: rows.filter(({ item_id }) => item_id !== null) }
}

/** The wants whose key another item has, or nobody (`holder` is null). Sees what was committed while the insert waited. */
const othersWithKeys = (tx: Tx, tenant_id: string, wants: Fragment) => tx<
  (Clash & { holder: string | null })[]
>`
  select want.collection_id, want.item_id, want.external_key, held.item_id as holder
    from ${wants} as want
    left join collections.item_keys as held
      on held.tenant_id = ${tenant_id} and held.root_id = want.root_id and held.external_key = want.external_key
   where want.external_key is not null and held.item_id is distinct from want.item_id
   order by want.item_id, want.collection_id`

async function deleteKeys(tx: Tx, tenant_id: string, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return
  await tx`
    delete from collections.item_keys as key
     using unnest(${keys.map(({ root_id }) => root_id)}::uuid[], ${keys.map((row) => row.external_key)}::text[])
           as back(root_id, external_key)
     where key.tenant_id = ${tenant_id} and key.root_id = back.root_id and key.external_key = back.external_key`
}

/** Releases keys the items no longer have, or that belong to trees they left. The caller locks the items. */
export async function dropKeys(tx: Tx, tenant_id: string, item_ids: readonly string[]): Promise<void> {
  await tx`
    delete from collections.item_keys as key
     using collections.items as item
     where key.tenant_id = ${tenant_id} and key.item_id = any(${item_ids as string[]}::uuid[])
       and item.id = key.item_id and item.tenant_id = ${tenant_id}
       and (key.external_key is distinct from item.external_key
            or not exists (select from collections.collection_items as link
                             join collections.collections as node on node.tenant_id = link.tenant_id and node.id = link.collection_id
                            where link.tenant_id = ${tenant_id} and link.item_id = key.item_id and node.root_id = key.root_id))`
}

/**
 * Moves the keys of items along after their collections got another root. Returns clashes; do not commit the move if
 * there are any. The caller locks the collections.
 */
export async function moveKeys(
  tx: Tx,
  tenant_id: string,
  collection_ids: readonly string[],
): Promise<Clash[]> {
  const [held] = await tx<{ item_ids: string[] | null }[]>`
    select array_agg(id) as item_ids
      from (select item.id from collections.items as item
             where item.tenant_id = ${tenant_id}
               and item.id in (select item_id from collections.collection_items
                                where tenant_id = ${tenant_id} and collection_id = any(${collection_ids as string[]}::uuid[]))
             order by item.id for update) as locked`
  const item_ids = held?.item_ids ?? []
  if (item_ids.length === 0) return []
  const clashes = await claimKeys(
    tx,
    tenant_id,
    tx`
      (select link.collection_id, node.root_id, link.item_id, item.external_key
         from collections.collection_items as link
         join collections.collections as node on node.id = link.collection_id and node.tenant_id = ${tenant_id}
         join collections.items as item on item.id = link.item_id and item.tenant_id = ${tenant_id}
        where link.tenant_id = ${tenant_id} and link.collection_id = any(${collection_ids as string[]}::uuid[]))`,
  )
  if (clashes.length === 0) await dropKeys(tx, tenant_id, item_ids)
  return clashes
}
