import type { Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'

/**
 * The admin invariant, in one place: a collection that inherits from nowhere has a direct admin, all others inherit
 * one. Locks the direct admins of these collections, lets `change` happen (a role, a removal, a move to the root, a
 * cut) and looks again. 409 `last_admin` takes everything back. Without the lock first, two admins who demote each
 * other would both see the other one.
 */
export async function keepAnAdmin<T = void>(
  tx: Tx,
  collection_ids: readonly string[],
  change?: () => Promise<T>,
): Promise<T | undefined> {
  const ids = [...collection_ids]
  await tx`
    select user_id from collections.members
     where collection_id = any(${ids}::uuid[]) and role = 'admin'
     order by collection_id, user_id for update`
  // One that erasure orphaned stays in the care of site admins, who must be able to change it.
  const orphaned = change ? await withoutAdmin(tx, ids) : []
  const changed = await change?.()
  const left = await withoutAdmin(tx, ids)
  if (left.some((id) => !orphaned.includes(id)))
    throw conflict('last_admin', 'A collection needs an admin of its own')
  return changed
}

/** Those of the collections that inherit from nowhere and have no direct admin. */
async function withoutAdmin(tx: Tx, collection_ids: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select node.id from collections.collections as node
     where node.id = any(${collection_ids}::uuid[]) and node.inherit_reach = 0
       and not exists (select from collections.members as membership
                        where membership.collection_id = node.id and membership.role = 'admin')
     order by node.id`
  return rows.map(({ id }) => id)
}
