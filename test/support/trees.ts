import assert from 'node:assert/strict'
import type { Database } from '#foundation/database/database.ts'

/**
 * Recomputes everything stored about a tenant's trees except parent_id, inherit_members and links: closure, roots,
 * depths, reach, item_count, item_keys, and an admin for each collection that inherits nothing. Fails with the rows
 * that differ. Returns the number of collections.
 */
export async function assertTreesAreTrue({ pool: sql }: Database, tenant_id: string): Promise<number> {
  const seen = await sql<
    { id: string }[]
  >`select id from collections.collections where tenant_id = ${tenant_id}`
  const lines = await sql`
    with recursive line as (
      select id as descendant_id, id as ancestor_id, parent_id, 0 as distance
        from collections.collections where tenant_id = ${tenant_id}
      union all
      select line.descendant_id, up.id, up.parent_id, line.distance + 1
        from line join collections.collections as up on up.id = line.parent_id where line.distance < 20),
    stored as (
      select kept.ancestor_id, kept.descendant_id, kept.distance
        from collections.collection_ancestors as kept
        join collections.collections as node on node.id = kept.descendant_id and node.tenant_id = ${tenant_id})
    (select 'missing' as fault, ancestor_id, descendant_id, distance from line
     except select 'missing', ancestor_id, descendant_id, distance from stored)
    union all
    (select 'too much', ancestor_id, descendant_id, distance from stored
     except select 'too much', ancestor_id, descendant_id, distance from line)`
  assert.deepEqual([...lines], [], 'the closure is what parent_id says')
  const places = await sql`
    with recursive line as (
      select id, id as here, parent_id as next, inherit_members, 0 as distance
        from collections.collections where tenant_id = ${tenant_id}
      union all
      select line.id, up.id, up.parent_id, up.inherit_members, line.distance + 1
        from line join collections.collections as up on up.id = line.next where line.distance < 20),
    place as (
      select id, max(distance) as depth, (array_agg(here order by distance desc))[1] as root_id,
             min(distance) filter (where next is null or not inherit_members) as inherit_reach
        from line group by id)
    select node.id, node.depth, node.root_id, node.inherit_reach, place.depth as true_depth, place.root_id as true_root,
           place.inherit_reach as true_reach
      from place join collections.collections as node on node.id = place.id
     where (node.depth, node.root_id, node.inherit_reach)
           is distinct from (place.depth::smallint, place.root_id, place.inherit_reach::smallint)`
  assert.deepEqual([...places], [], 'root, depth and reach are what parent_id and inherit_members say')
  const counting = await sql`
    select line.ancestor_id, line.descendant_id
      from collections.collection_ancestors as line
      join collections.collections as node on node.id = line.descendant_id and node.tenant_id = ${tenant_id}
     where line.counts <> (line.distance <= node.inherit_reach)`
  assert.deepEqual([...counting], [], 'a line counts as far as the reach goes')
  const counts = await sql`
    select node.id, node.item_count, count(link.item_id)::int as true_count
      from collections.collections as node left join collections.collection_items as link on link.collection_id = node.id
     where node.tenant_id = ${tenant_id} group by node.id having node.item_count <> count(link.item_id)`
  assert.deepEqual([...counts], [], 'item_count counts the links')
  const keys = await sql`
    with held as (
      select distinct node.root_id, item.external_key, item.id as item_id
        from collections.items as item
        join collections.collection_items as link on link.item_id = item.id
        join collections.collections as node on node.id = link.collection_id
       where item.tenant_id = ${tenant_id} and item.external_key is not null),
    stored as (
      select kept.root_id, kept.external_key, kept.item_id
        from collections.item_keys as kept join collections.items as item on item.id = kept.item_id
       where item.tenant_id = ${tenant_id})
    (select 'missing' as fault, root_id, external_key, item_id from held
     except select 'missing', root_id, external_key, item_id from stored)
    union all
    (select 'too much', root_id, external_key, item_id from stored
     except select 'too much', root_id, external_key, item_id from held)`
  assert.deepEqual([...keys], [], 'item_keys has one row per tree that holds a keyed item')
  const loose = await sql`
    select item.id from collections.items as item
     where item.tenant_id = ${tenant_id}
       and not exists (select from collections.collection_items as link where link.item_id = item.id)`
  assert.deepEqual([...loose], [], 'every item is in a collection')
  const masterless = await sql`
    select node.id from collections.collections as node
     where node.tenant_id = ${tenant_id} and node.inherit_reach = 0
       and not exists (select from collections.members as keeper
                        where keeper.collection_id = node.id and keeper.role = 'admin')`
  assert.deepEqual([...masterless], [], 'what inherits from nowhere has an admin of its own')
  return seen.length
}
