import type { Database } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { type Actor, findRights, isVisible, logAdminAccess } from '../access.ts'
import type { MetadataColumn, MetadataColumns } from './template.ts'

/** A sample this size shows which keys are in use in any tree. COLUMNS is the most that a template can carry. */
const LOOKED_AT = 2_000
const COLUMNS = 60

/** The metadata keys in use in and below a collection, as far as the actor sees it. 404 `parent_not_found`. */
export async function metadataInUse(db: Database, actor: Actor, parent_id: string): Promise<MetadataColumns> {
  const [right] = await findRights(db.fast, actor, [parent_id])
  if (!right) throw new ApiError(404, 'parent_not_found', 'The parent collection was not found')
  logAdminAccess(actor, right.my_role, 'viewer', { collection_id: parent_id })
  const rows = await db.pool<
    { sheet: keyof MetadataColumns; key: string; is_list: boolean; is_text: boolean }[]
  >`
    with scope as (
      select node.id, node.metadata
        from collections.collection_ancestors as down
        join collections.collections as node on node.id = down.descendant_id
       where down.tenant_id = ${actor.tenant_id} and down.ancestor_id = ${parent_id} and ${isVisible(db.pool, actor)}
       order by down.distance, node.id limit ${LOOKED_AT}),
    holder as (
      select 'collections' as sheet, metadata from scope
      union all
      select 'items', item.metadata
        from (select link.item_id
                from scope join collections.collection_items as link
                  on link.tenant_id = ${actor.tenant_id} and link.collection_id = scope.id
               order by link.item_id desc limit ${LOOKED_AT}) as linked
        join collections.items as item on item.id = linked.item_id and item.tenant_id = ${actor.tenant_id})
    select holder.sheet, held.key, jsonb_typeof(held.value) = 'array' as is_list,
           bool_or(jsonb_typeof(held.value) in ('string', 'array')) as is_text
      from holder, jsonb_each(holder.metadata) as held
     group by 1, 2, 3
     order by count(*) desc, 1, 2, 3
     limit ${COLUMNS}`
  const of = (sheet: keyof MetadataColumns): MetadataColumn[] =>
    rows
      .filter((row) => row.sheet === sheet)
      .map(({ key, is_list, is_text }) => ({ header: `meta.${key}${is_list ? '[]' : ''}`, is_text }))
  return { collections: of('collections'), items: of('items') }
}
