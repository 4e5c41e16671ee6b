import type { Tx } from '#foundation/database/database.ts'
import { notFound, unprocessable } from '#foundation/errors.ts'
import type { Actor } from '../access.ts'
import { requireVersion } from '../if-match.ts'
import { lockGrants } from '../grants.ts'
import { duplicateKey, type Item, requireItem } from './item.ts'
import { lockItems } from './keys.ts'
import { type ItemChange, updateItems } from './links.ts'

/**
 * Changes the sent fields if `if_match` names the current version. Writes nothing if no field differs. 404, 403, 412
 * `version_mismatch`, 409 `duplicate_key`, 422 if the merged metadata exceeds a limit.
 */
export async function updateItem(
  tx: Tx,
  actor: Actor,
  item_id: string,
  change: Omit<ItemChange, 'id'>,
  if_match: string | undefined,
): Promise<Item> {
  const held = await lockItems(tx, actor.tenant_id, [item_id])
  if (!held.has(item_id)) throw notFound()
  await lockGrants(tx, actor, [], [item_id])
  const before = await requireItem(tx, actor, item_id, 'editor')
  requireVersion(before.version, if_match)
  const { updated, clashes, too_large } = await updateItems(tx, [{ ...change, id: item_id }], actor)
  if (clashes.length > 0) throw duplicateKey(clashes)
  if (too_large.length > 0)
    throw unprocessable('metadata', 'invalid_metadata', 'may have at most 50 keys and 32 KiB once merged')
  return updated.length > 0 ? requireItem(tx, actor, item_id, 'editor') : before
}
