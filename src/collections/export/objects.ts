import type { Tx } from '#foundation/database/database.ts'
import type { Actor } from '../access.ts'
import type { SheetRole } from './plan.ts'
import { collectionRows, itemRows, type RowsOptions, TURN } from './rows.ts'
import { scopeOf } from './scope.ts'

/** Rows for other programs: metadata with its types, and places by their names too. Yields batches from a cursor. */
export async function* readObjects(tx: Tx, role: SheetRole, options: RowsOptions): AsyncGenerator<object[]> {
  const pathOf = await placesOf(tx, options)
  if (role === 'collections')
    for await (const rows of collectionRows(tx, options).cursor(TURN))
      yield rows.map((row) => ({ ...row, path: pathOf(row.id) }))
  else
    for await (const rows of itemRows(tx, options).cursor(TURN))
      yield rows.map(({ collection_ids, id, external_key, name, description, metadata }) => ({
        id,
        external_key,
        name,
        description,
        metadata,
        collections: collection_ids.map((id) => ({ id, path: pathOf(id) })),
      }))
}

/** The names that lead to a collection, itself last, as far as the actor sees the chain: the others are not read. */
async function placesOf(tx: Tx, { actor, scope }: { actor: Actor; scope: RowsOptions['scope'] }) {
  const nodes = await tx<{ id: string; name: string; parent_id: string | null }[]>`
    with ${scopeOf(tx, actor, scope)}
    select node.id, node.name, node.parent_id from collections.collections as node
     where node.id = any(array(select collection_id from visible)) and node.tenant_id = ${actor.tenant_id}`
  const known = new Map(nodes.map((node) => [node.id, node]))
  const pathOf = (id: string | null): string[] => {
    const node = id === null ? undefined : known.get(id)
    return node ? [...pathOf(node.parent_id), node.name] : []
  }
  return pathOf
}
