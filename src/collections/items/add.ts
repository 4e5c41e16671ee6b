import type { Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { type Actor, requireRole } from '../access.ts'
import { lockGrants } from '../grants.ts'
import { duplicateKey, type Item, requireEditable, requireItem } from './item.ts'
import { lockItems } from './keys.ts'
import { createItems, linkItems, lockCollections, type NewItem } from './links.ts'

/** The most collections that may hold one item. */
const MAX_COLLECTIONS = 1_000

/** Creates an item in this collection. 404, 403, 409 `duplicate_key`. */
export async function addItem(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  fields: Omit<NewItem, 'id'>,
): Promise<Item> {
  await lockCollections(tx, actor.tenant_id, [collection_id])
  await lockGrants(tx, actor, [collection_id])
  await requireRole(tx, actor, collection_id, 'editor')
  const item_id = newId()
  await createItems(tx, [{ ...fields, id: item_id }], actor)
  const { clashes } = await linkItems(tx, [{ collection_id, item_id }], actor, [item_id])
  if (clashes.length > 0) throw duplicateKey(clashes)
  return requireItem(tx, actor, item_id, 'editor')
}

/**
 * Links existing items, all or none. Needs editor here and on a collection that already holds each item; otherwise a
 * viewer could link it into their own collection and edit it there. Links that exist only count. 404 also
 * `item_not_found`, 403, 409 `duplicate_key`, `too_large`.
 */
export async function linkExisting(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  item_ids: readonly string[],
): Promise<{ linked: number; existing: number }> {
  await lockCollections(tx, actor.tenant_id, [collection_id])
  await lockItems(tx, actor.tenant_id, item_ids)
  await lockGrants(tx, actor, [collection_id], item_ids)
  await requireRole(tx, actor, collection_id, 'editor')
  await requireEditable(tx, actor, item_ids)
  const { linked, existing, clashes } = await linkItems(
    tx,
    item_ids.map((item_id) => ({ collection_id, item_id })),
    actor,
  )
  if (clashes.length > 0) throw duplicateKey(clashes)
  if (linked.length > 0) await refuseCrowd(tx, actor, item_ids)
  return { linked: linked.length, existing: existing.length }
}

/** An item always lists its collections, so their number is limited. */
async function refuseCrowd(tx: Tx, { tenant_id }: Actor, item_ids: readonly string[]) {
  const crowded = await tx`
    select item_id from collections.collection_items
     where tenant_id = ${tenant_id} and item_id = any(${item_ids as string[]}::uuid[])
     group by item_id having count(*) > ${MAX_COLLECTIONS} limit 1`
  if (crowded.length > 0)
    throw conflict('too_large', `An item can be in at most ${MAX_COLLECTIONS} collections`)
}
