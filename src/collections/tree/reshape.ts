import type { Tx } from '#foundation/database/database.ts'
import { moveKeys } from '../items/keys.ts'
import { keepAnAdmin } from './admins.ts'
import { findKeyClashes, judgePlaces, type Place, type Reshape } from './judge.ts'
import { isKeyTaken, MAX_COVERED, type Refusal, refusalError } from './refusal.ts'

/**
 * Moves collections and changes what they inherit, however many at once, judged as they all will stand: two that change places
 * are no cycle. As soon as one is refused nothing has been written, and the caller may call again without it. Rows,
 * closure, reach and the keys of items follow; the number of statements does not grow with the rows. `version` and
 * `updated_at` are left to the caller, because other fields may change with the place.
 *
 * The caller holds the trees of the nodes and of the new parents `exclusive` (`lockTreesOf`), has judged the rights
 * after that, and names collections of this tenant. Throws 409 `last_admin` where a collection that inherited comes to
 * stand alone without a direct admin.
 */
export async function reshapeTrees(
  tx: Tx,
  tenant_id: string,
  changes: readonly Reshape[],
): Promise<Refusal[]> {
  if (changes.length === 0) return []
  const early = await lockCovered(tx, tenant_id, changes)
  if (early.length > 0) return early
  const { places, refusals } = await judgePlaces(tx, tenant_id, changes)
  if (refusals.length > 0) return refusals
  const resettled = places.filter((place) => place.root_id !== place.old_root_id)
  const clashes = await findKeyClashes(tx, tenant_id, resettled)
  if (clashes.length > 0) return clashes
  await lockItemsOf(tx, tenant_id, resettled)
  const alone = places.filter(({ inherit_reach, old_reach }) => inherit_reach === 0 && old_reach > 0)
  await keepAnAdmin(
    tx,
    tenant_id,
    alone.map(({ id }) => id),
    async () => {
      await writePlaces(tx, tenant_id, places)
      await writeLines(tx, tenant_id, places)
      await takeKeysAlong(tx, tenant_id, resettled)
    },
  )
  return []
}

/** Moves collections without other changes. */
export const moveCollections = (
  tx: Tx,
  tenant_id: string,
  moves: readonly { id: string; parent_id: string | null }[],
): Promise<Refusal[]> => reshapeTrees(tx, tenant_id, moves)

/**
 * Locks everything below the nodes, and the new parents, whose children are counted afterwards. Links wait for their
 * collection's row, so none changes meanwhile.
 */
async function lockCovered(tx: Tx, tenant_id: string, changes: readonly Reshape[]): Promise<Refusal[]> {
  const ids = changes.map(({ id }) => id)
  const parent_ids = [...new Set(changes.flatMap(({ parent_id }) => parent_id ?? []))]
  const large = await tx<Refusal[]>`
    select ancestor_id as id, 'too_large' as code, null as value
      from collections.collection_ancestors where tenant_id = ${tenant_id} and ancestor_id = any(${ids}::uuid[])
     group by ancestor_id having count(*) > ${MAX_COVERED} order by ancestor_id`
  if (large.length > 0) return [...large]
  const locked = await tx<{ id: string }[]>`
    select node.id from collections.collections as node
     where node.tenant_id = ${tenant_id}
       and (node.id = any(${parent_ids}::uuid[])
            or node.id in (select descendant_id from collections.collection_ancestors
                         where tenant_id = ${tenant_id} and ancestor_id = any(${ids}::uuid[])))
     order by node.id for no key update`
  const standing = new Set(locked.map(({ id }) => id))
  return changes
    .filter(({ parent_id }) => parent_id && !standing.has(parent_id))
    .map(({ id }) => ({ id, code: 'parent_not_found', value: null }))
}

async function lockItemsOf(tx: Tx, tenant_id: string, resettled: readonly Place[]) {
  if (resettled.length === 0) return
  await tx`
    select count(*) from (
      select item.id from collections.items as item
       where item.tenant_id = ${tenant_id} and item.external_key is not null and item.id in (
         select item_id from collections.collection_items
          where tenant_id = ${tenant_id} and collection_id = any(${resettled.map(({ id }) => id)}::uuid[]))
       order by item.id for update) as locked`
}

async function writePlaces(tx: Tx, tenant_id: string, places: readonly Place[]) {
  try {
    await tx`
      update collections.collections as node
         set parent_id = place.parent_id, root_id = place.root_id, depth = place.depth,
             inherit_members = place.inherit_members, inherit_reach = place.inherit_reach
        from jsonb_to_recordset(${tx.json(places as unknown as [])}) as place(
               id uuid, parent_id uuid, root_id uuid, depth smallint, inherit_members boolean, inherit_reach smallint)
       where node.id = place.id and node.tenant_id = ${tenant_id}
         and (node.parent_id, node.root_id, node.depth, node.inherit_members, node.inherit_reach)
             is distinct from (place.parent_id, place.root_id, place.depth, place.inherit_members, place.inherit_reach)`
  } catch (error) {
    if (isKeyTaken(error)) throw refusalError([{ id: '', code: 'duplicate_key', value: null }])
    throw error
  }
}

/** Rebuilds the closure by walking up parent_id. */
async function writeLines(tx: Tx, tenant_id: string, places: readonly Place[]) {
  const ids = places.map(({ id }) => id)
  await tx`
    delete from collections.collection_ancestors
     where tenant_id = ${tenant_id} and descendant_id = any(${ids}::uuid[])`
  await tx`
    with recursive line as (
      select id as descendant_id, id as ancestor_id, parent_id, inherit_reach, 0 as distance
        from collections.collections where tenant_id = ${tenant_id} and id = any(${ids}::uuid[])
      union all
      select line.descendant_id, parent.id, parent.parent_id, line.inherit_reach, line.distance + 1
        from line join collections.collections as parent on parent.tenant_id = ${tenant_id} and parent.id = line.parent_id)
    insert into collections.collection_ancestors (tenant_id, ancestor_id, descendant_id, distance, counts)
    select ${tenant_id}::uuid, ancestor_id, descendant_id, distance, distance <= inherit_reach from line`
}

/** A link elsewhere in the new tree may have claimed a key after the check; then everything rolls back. */
async function takeKeysAlong(tx: Tx, tenant_id: string, resettled: readonly Place[]) {
  if (resettled.length === 0) return
  const clashes = await moveKeys(
    tx,
    tenant_id,
    resettled.map(({ id }) => id),
  )
  if (clashes.length > 0)
    throw refusalError(
      clashes.map(({ collection_id, external_key }) => ({
        id: collection_id,
        code: 'duplicate_key',
        value: external_key,
      })),
    )
}
