import type { Tx } from '#foundation/database/database.ts'
import { MAX_CHILDREN, MAX_DEPTH, type Refusal } from './refusal.ts'

/** A change of a collection's place. Absent fields stay; `parent_id` null makes it a root. */
export type Reshape = { id: string; parent_id?: string | null; inherit_members?: boolean }

/** The new place of a collection, and its old root and reach. */
export type Place = {
  id: string
  parent_id: string | null
  root_id: string
  depth: number
  inherit_members: boolean
  inherit_reach: number
  old_root_id: string
  old_reach: number
  /** The nearest changed collection on the way up, itself included. A fault found here is reported for it. */
  changed_id: string
}

/**
 * Computes the places after the changes by walking up from everything below the changed nodes. A node that meets
 * itself is in a cycle. The walk ends one step beyond the deepest level allowed.
 */
export async function judgePlaces(
  tx: Tx,
  tenant_id: string,
  changes: readonly Reshape[],
): Promise<{ places: Place[]; refusals: Refusal[] }> {
  const sent = changes.map((change) => ({ ...change, is_moved: change.parent_id !== undefined }))
  const walked = await tx<(Place & { is_cycle: boolean; is_crowded: boolean })[]>`
    with recursive
    change as (
      select id, parent_id, is_moved, inherit_members
        from jsonb_to_recordset(${tx.json(sent as unknown as [])}) as change(
               id uuid, parent_id uuid, is_moved boolean, inherit_members boolean)),
    shape as (
      select node.id, node.root_id, node.inherit_reach, change.id as changed_id,
             case when change.is_moved then change.parent_id else node.parent_id end as parent_id,
             coalesce(change.inherit_members, node.inherit_members) as inherit_members
        from collections.collections as node left join change on change.id = node.id
       where node.tenant_id = ${tenant_id}
         and (node.id in (select line.descendant_id from change
                            join collections.collection_ancestors as line on line.tenant_id = ${tenant_id} and line.ancestor_id = change.id)
              or node.id in (select line.ancestor_id from change
                               join collections.collection_ancestors as line
                                 on line.tenant_id = ${tenant_id} and line.descendant_id in (change.id, change.parent_id)))),
    walk as (
      select shape.id as origin, shape.id as here, shape.parent_id as next, shape.inherit_members, shape.changed_id, 0 as distance
        from shape
       where shape.id in (select line.descendant_id from change
                            join collections.collection_ancestors as line on line.tenant_id = ${tenant_id} and line.ancestor_id = change.id)
      union all
      select walk.origin, shape.id, shape.parent_id, shape.inherit_members, shape.changed_id, walk.distance + 1
        from walk join shape on shape.id = walk.next
       where walk.distance <= ${MAX_DEPTH}),
    arrived as (
      select origin as id, max(distance) as depth, (array_agg(here order by distance desc))[1] as root_id,
             min(distance) filter (where next is null or not inherit_members) as inherit_reach,
             bool_or(distance > 0 and here = origin) as is_cycle,
             (array_agg(changed_id order by distance) filter (where changed_id is not null))[1] as changed_id
        from walk group by origin),
    crowded as (
      select change.id,
             row_number() over (partition by change.parent_id order by change.id)
             + (select count(*) from collections.collections as child
                 where child.tenant_id = ${tenant_id} and child.parent_id = change.parent_id
                   and not exists (select from change as other where other.id = child.id and other.is_moved))
             > ${MAX_CHILDREN} as is_crowded
        from change join collections.collections as node on node.tenant_id = ${tenant_id} and node.id = change.id
       where change.is_moved and change.parent_id is not null and change.parent_id is distinct from node.parent_id)
    select arrived.id, shape.parent_id, arrived.root_id, arrived.depth, shape.inherit_members, arrived.inherit_reach,
           shape.root_id as old_root_id, shape.inherit_reach as old_reach, arrived.changed_id, arrived.is_cycle,
           coalesce(crowded.is_crowded, false) as is_crowded
      from arrived join shape on shape.id = arrived.id left join crowded on crowded.id = arrived.id
     order by arrived.id`
  const refusals = new Map<string, Refusal>()
  for (const { changed_id, is_cycle, is_crowded, depth } of walked) {
    const code = is_cycle ? 'cycle' : depth > MAX_DEPTH ? 'too_deep' : is_crowded ? 'too_many_children' : null
    if (code === null || refusals.get(changed_id)?.code === 'cycle') continue
    refusals.set(changed_id, { id: changed_id, code, value: null })
  }
  return { places: walked, refusals: [...refusals.values()] }
}

/** The keys of collections and items that are already taken in their new tree. */
export async function findKeyClashes(
  tx: Tx,
  tenant_id: string,
  resettled: readonly Place[],
): Promise<Refusal[]> {
  if (resettled.length === 0) return []
  const clashes = await tx<Refusal[]>`
    with place as (
      select id, root_id, changed_id
        from jsonb_to_recordset(${tx.json(resettled as unknown as [])}) as place(id uuid, root_id uuid, changed_id uuid)),
    claim as (
      select place.root_id, node.external_key, node.id as holder, place.changed_id, true as is_collection
        from place join collections.collections as node on node.tenant_id = ${tenant_id} and node.id = place.id
       where node.external_key is not null
      union all
      select distinct place.root_id, item.external_key, item.id, place.changed_id, false
        from place
        join collections.collection_items as link on link.tenant_id = ${tenant_id} and link.collection_id = place.id
        join collections.items as item on item.tenant_id = ${tenant_id} and item.id = link.item_id
       where item.external_key is not null)
    select distinct claim.changed_id as id, 'duplicate_key' as code, claim.external_key as value
      from claim
     where exists (select from claim as other
                    where other.root_id = claim.root_id and other.external_key = claim.external_key
                      and other.is_collection = claim.is_collection and other.holder <> claim.holder)
        or (claim.is_collection
            and exists (select from collections.collections as other
                         where other.tenant_id = ${tenant_id} and other.root_id = claim.root_id and other.external_key = claim.external_key
                           and not exists (select from place where place.id = other.id)))
        or (not claim.is_collection
            and exists (select from collections.item_keys as held
                         where held.tenant_id = ${tenant_id} and held.root_id = claim.root_id and held.external_key = claim.external_key
                           and held.item_id <> claim.holder))
     order by id, value`
  return [...clashes]
}
