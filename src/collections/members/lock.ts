import type { Tx } from '#foundation/database/database.ts'
import type { Actor } from '../access.ts'

/**
 * Locks what a membership change depends on until the commit: the collection against deletion (shared, so it does not
 * wait for imports), its direct admins, the memberships behind the actor's rights here, and the one to change.
 * Ascending order, like all membership locks.
 */
export async function lockMembers(tx: Tx, actor: Actor, collection_id: string, user_id: string) {
  await tx`
    select id from collections.collections
     where id = ${collection_id} and tenant_id = ${actor.tenant_id} for key share`
  await tx`
    select from collections.members as membership
     where membership.tenant_id = ${actor.tenant_id} and (membership.collection_id, membership.user_id) in (
             select ${collection_id}::uuid, ${user_id}::uuid
             union all
             select collection_id, user_id from collections.members
              where tenant_id = ${actor.tenant_id} and collection_id = ${collection_id} and role = 'admin'
             union all
             select ancestor_id, ${actor.user_id}::uuid from collections.collection_ancestors
              where tenant_id = ${actor.tenant_id} and descendant_id = ${collection_id})
     order by membership.collection_id, membership.user_id for update`
}
