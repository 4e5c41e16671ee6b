import type { Tx } from '#foundation/database/database.ts'

/** `shared`: creating children, linking items. `exclusive`: moving, deleting, changing inheritance. */
export type TreeLock = 'shared' | 'exclusive'

/**
 * Locks whole trees until the transaction ends, in ascending order of their keys. Without it, two crossing moves that
 * are each valid could build a cycle. Lock order everywhere: trees, collection rows, item rows, membership rows.
 */
export async function lockTrees(tx: Tx, root_ids: readonly string[], mode: TreeLock): Promise<void> {
  if (root_ids.length === 0) return
  const lock =
    mode === 'shared' ? tx`pg_advisory_xact_lock_shared(tree.key)` : tx`pg_advisory_xact_lock(tree.key)`
  await tx`
    select ${lock}
      from (select distinct hashtextextended(root_id::text, 0) as key
              from unnest(${[...root_ids]}::uuid[]) as root_id order by key) as tree`
}

/**
 * Locks the trees of these collections and returns each root; unknown ids are left out. If a collection moved before
 * the lock was granted, locks its new tree too.
 */
export async function lockTreesOf(
  tx: Tx,
  tenant_id: string,
  collection_ids: readonly string[],
  mode: TreeLock,
): Promise<Map<string, string>> {
  const ids = [...collection_ids]
  const locked = new Set<string>()
  for (;;) {
    const rows = await tx<{ id: string; root_id: string }[]>`
      select id, root_id from collections.collections
       where tenant_id = ${tenant_id} and id = any(${ids}::uuid[]) order by id`
    const missing = [...new Set(rows.map(({ root_id }) => root_id))].filter((root) => !locked.has(root))
    if (missing.length === 0) return new Map(rows.map(({ id, root_id }) => [id, root_id]))
    await lockTrees(tx, missing, mode)
    for (const root_id of missing) locked.add(root_id)
  }
}
