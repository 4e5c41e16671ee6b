import type { Tx } from '#foundation/database/database.ts'
import type { Actor } from './access.ts'

/**
 * Locks the memberships that let the actor write to these collections and items, until the commit. A removal waits
 * for this write, so nothing is written after it. Take it as the last lock; check the right in the next statement.
 */
export async function lockGrants(
  tx: Tx,
  { user_id, tenant_id }: Pick<Actor, 'user_id' | 'tenant_id'>,
  collection_ids: readonly string[],
  item_ids: readonly string[] = [],
) {
  await tx`
    select from collections.members as membership
     where membership.tenant_id = ${tenant_id} and membership.user_id = ${user_id}
       and membership.collection_id in (
             select ancestor_id from collections.collection_ancestors
              where tenant_id = ${tenant_id} and descendant_id = any(${collection_ids as string[]}::uuid[])
             union
             select line.ancestor_id from collections.collection_items as link
               join collections.collection_ancestors as line on line.tenant_id = link.tenant_id and line.descendant_id = link.collection_id
              where link.tenant_id = ${tenant_id} and link.item_id = any(${item_ids as string[]}::uuid[]))
     order by membership.collection_id, membership.user_id for share`
}
