import type { Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { type Actor, isVisible, judge, requireRole } from '../access.ts'
import { lockGrants } from '../grants.ts'
import { requireVersion } from '../if-match.ts'
import { lockItems } from './keys.ts'
import { lockCollections, unlinkItems } from './links.ts'

export type Removal = {
  /** Whether the item was deleted because this was its last collection. */
  item_deleted: boolean
  /** The number of other collections with this item that the actor sees. */
  remaining_collections: number
}

/** Removes an item from this collection, and deletes it if it is in no other. 404, 403, 412 `version_mismatch`. */
export async function removeItem(
  tx: Tx,
  actor: Actor,
  { id: collection_id, item_id }: { id: string; item_id: string },
  if_match: string | undefined,
): Promise<Removal> {
  await lockCollections(tx, actor.tenant_id, [collection_id])
  await lockItems(tx, actor.tenant_id, [item_id])
  await lockGrants(tx, actor, [collection_id])
  const right = await requireRole(tx, actor, collection_id, 'viewer')
  const [link] = await tx<{ version: number }[]>`
    select item.version from collections.collection_items as link
      join collections.items as item on item.tenant_id = link.tenant_id and item.id = link.item_id
     where link.tenant_id = ${actor.tenant_id} and link.collection_id = ${collection_id} and link.item_id = ${item_id}`
  if (!link) throw notFound()
  judge(actor, right, 'editor')
  requireVersion(link.version, if_match)
  const { deleted } = await unlinkItems(tx, [{ collection_id, item_id }], actor)
  if (deleted.length > 0) return { item_deleted: true, remaining_collections: 0 }
  const [left] = await tx<{ number: number }[]>`
    select count(*) as number from collections.collection_items as link
      join collections.collections as node on node.id = link.collection_id
     where link.tenant_id = ${actor.tenant_id} and link.item_id = ${item_id} and ${isVisible(tx, actor)}`
  return { item_deleted: false, remaining_collections: left?.number ?? 0 }
}
