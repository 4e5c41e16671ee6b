import { afterCommit, type Database, type Tx } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import { type Actor, findRights, insufficientRole, isAtLeast, requireRole } from '../access.ts'
import { emptyCollections } from '../items/links.ts'
import { lockGrants } from '../grants.ts'
import { requireVersion } from '../if-match.ts'
import { lockTreesOf } from '../tree/locks.ts'
import { MAX_COVERED, refusalError } from '../tree/refusal.ts'

/**
 * Deletes a collection with its memberships, its links and the items in no other collection. `cascade` also deletes
 * its descendants and needs admin on each. A fixed number of statements. 404, 403, 412, 409
 * `has_children`, `too_large`.
 */
export async function deleteCollection(
  db: Database,
  actor: Actor,
  collection_id: string,
  { cascade, if_match }: { cascade: boolean; if_match?: string | undefined },
): Promise<void> {
  // Checked before the tree is locked, so that a caller without the right cannot make others wait.
  await requireRole(db.fast, actor, collection_id, 'admin')
  await db.transaction(async (tx) => {
    await lockTreesOf(tx, actor.tenant_id, [collection_id], 'exclusive')
    const ids = await lockBelow(tx, actor, collection_id)
    await lockGrants(tx, actor, ids)
    await requireRole(tx, actor, collection_id, 'admin')
    const [node] = await tx<{ version: number }[]>`
      select version from collections.collections where id = ${collection_id} and tenant_id = ${actor.tenant_id}`
    if (node) requireVersion(node.version, if_match)
    if (ids.length > 1) {
      const rights = cascade ? await findRights(tx, actor, ids) : []
      if (cascade && (rights.length < ids.length || !rights.every(({ role }) => isAtLeast(role, 'admin'))))
        throw insufficientRole('admin')
      if (!cascade) throw conflict('has_children', 'It has children: send cascade=true to delete them too')
    }
    if (ids.length > MAX_COVERED) throw refusalError([{ id: collection_id, code: 'too_large', value: null }])
    await emptyCollections(tx, ids, actor)
    // Memberships and closure rows cascade. One statement deletes parents and children together.
    await tx`
      delete from collections.collections
       where id = any(${ids}::uuid[]) and tenant_id = ${actor.tenant_id}`
    afterCommit(tx, () => actor.note?.('collection_deleted', { collection_id, collections: ids.length }))
  })
}

/** Locks the collection and its descendants. One id beyond the limit is enough to know there are too many. */
async function lockBelow(tx: Tx, { tenant_id }: Actor, collection_id: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select node.id from collections.collections as node
     where node.tenant_id = ${tenant_id}
       and node.id in (select descendant_id from collections.collection_ancestors
                        where tenant_id = ${tenant_id} and ancestor_id = ${collection_id}
                        order by descendant_id limit ${MAX_COVERED + 1})
     order by node.id for update`
  return rows.map(({ id }) => id)
}
