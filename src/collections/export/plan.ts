import { one, type Tx } from '#foundation/database/database.ts'
import { type Actor, requireRole } from '../access.ts'
import { type Scope, scopeOf } from './scope.ts'

export type SheetRole = 'collections' | 'items'
/** One metadata column. `is_text` is false if it holds only numbers or booleans. */
export type MetaColumn = { key: string; is_list: boolean; is_text: boolean }

export type Plan = {
  /** The name of the requested collection. */
  name: string
  rows: Record<SheetRole, number>
  metadata: Record<SheetRole, MetaColumn[]>
}

/**
 * The row counts and metadata columns of an export, read in its snapshot. 404 if the actor cannot see the collection.
 */
export async function planExport(tx: Tx, actor: Actor, scope: Scope): Promise<Plan> {
  await requireRole(tx, actor, scope.collection_id, 'viewer')
  const { name, ...rows } = one(
    await tx<{ name: string; collections: number; items: number }[]>`
      with ${scopeOf(tx, actor, scope)}
      select node.name, (select count(*) from scope)::int as collections,
             (select count(distinct link.item_id)
                from collections.collection_items as link
               where link.tenant_id = ${actor.tenant_id}
                 and link.collection_id = any(array(select collection_id from scope)))::int as items
        from collections.collections as node
       where node.id = ${scope.collection_id} and node.tenant_id = ${actor.tenant_id}`,
  )
  const columns = await tx<(MetaColumn & { sheet: SheetRole })[]>`
    with ${scopeOf(tx, actor, scope)},
    holder as (
      select 'collections' as sheet, node.metadata
        from scope join collections.collections as node on node.id = scope.collection_id and node.tenant_id = ${actor.tenant_id}
      union all
      select 'items', item.metadata
        from collections.items as item
       where item.tenant_id = ${actor.tenant_id}
         and item.id = any(array(
               select distinct link.item_id from collections.collection_items as link
                where link.tenant_id = ${actor.tenant_id}
                  and link.collection_id = any(array(select collection_id from scope)))))
    select holder.sheet, held.key, jsonb_typeof(held.value) = 'array' as is_list,
           bool_or(jsonb_typeof(held.value) in ('string', 'array')) as is_text
      from holder, jsonb_each(holder.metadata) as held
     group by 1, 2, 3
     order by 1, 2, 3`
  const of = (role: SheetRole) =>
    columns
      .filter(({ sheet }) => sheet === role)
      .map(({ key, is_list, is_text }) => ({ key, is_list, is_text }))
  return { name, rows, metadata: { collections: of('collections'), items: of('items') } }
}
