import type { Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'

/**
 * The admin invariant: a collection that does not inherit has a direct admin. Locks the direct admins, runs `change`
 * (role, removal, move to the root, cut) and checks; 409 `last_admin` rolls back. Without the lock, two admins who
 * demote each other would each still see the other.
 */
export async function keepAnAdmin<T = void>(
  tx: Tx,
  tenant_id: string,
  collection_ids: readonly string[],
  change?: () => Promise<T>,
): Promise<T | undefined> {
  const ids = [...collection_ids]
  await tx`
    select user_id from collections.members
     where tenant_id = ${tenant_id} and collection_id = any(${ids}::uuid[]) and role = 'admin'
     order by collection_id, user_id for update`
  // A collection orphaned by erasure is left to site admins, who must be able to change it.
  const orphaned = change ? await withoutAdmin(tx, tenant_id, ids) : []
  const changed = await change?.()
  const left = await withoutAdmin(tx, tenant_id, ids)
  if (left.some((id) => !orphaned.includes(id)))
    throw conflict('last_admin', 'A collection needs an admin of its own')
  return changed
}

/** The collections that do not inherit and have no direct admin. */
async function withoutAdmin(tx: Tx, tenant_id: string, collection_ids: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select node.id from collections.collections as node
     where node.tenant_id = ${tenant_id} and node.id = any(${collection_ids}::uuid[]) and node.inherit_reach = 0
       and not exists (select from collections.members as membership
                        where membership.tenant_id = node.tenant_id and membership.collection_id = node.id and membership.role = 'admin')
     order by node.id`
  return rows.map(({ id }) => id)
}
