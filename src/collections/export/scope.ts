import type { Tx } from '#foundation/database/database.ts'
import { accessible, type Actor } from '../access.ts'
import type { Fragment } from '../query/listing.ts'

export type Scope = { collection_id: string; include_subtree: boolean }

/**
 * Sets are handed on as an array to an index and as a hashed subquery (`in (…) is true`) to a filter, never as a join: the planner
 * knows no size of them, and its nested loops over two took minutes for a tree of 5,810 collections.
 *
 * For `with …`: `visible` is every collection the actor sees; `scope` is those to export, with their distance from
 * the requested one. An invisible collection is in neither, even if it has visible descendants.
 */
export const scopeOf = (tx: Tx, actor: Actor, { collection_id, include_subtree }: Scope): Fragment => tx`
  visible as materialized (
    select collection_id from (${accessible(tx, actor, 'all')}) as seen),
  scope as materialized (
    select down.descendant_id as collection_id, down.distance
      from collections.collection_ancestors as down
     where down.tenant_id = ${actor.tenant_id} and down.ancestor_id = ${collection_id}
       and (down.descendant_id in (select collection_id from visible)) is true
       and (down.distance = 0 or ${include_subtree}))`
