import type { Tx } from '#foundation/database/database.ts'
import { type Filling, phrase } from './generate-words.ts'

/**
 * One tree of which the person is admin: a collection for each hundred items, but more than fill a page, ten in each, and items
 * in one or two of them.
 */
export async function fillCollections(tx: Tx, { rows, tenant_id, user_id }: Filling): Promise<void> {
  const last = Math.max(30, Math.floor(rows / 100))
  await tx`
    with recursive tree (n, parent, depth) as (
      select 0, null::int, 0
      union all select child, tree.n, tree.depth + 1 from tree, generate_series(tree.n * 10 + 1, least(tree.n * 10 + 10, ${last}::int)) as child)
    insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_reach, name, description, created_by, created_at, updated_at)
    select pg_temp.id('collection', n), ${tenant_id}, pg_temp.id('collection', parent), pg_temp.id('collection', 0), depth, depth,
           initcap(${phrase(tx, tx`n`, 50, 2)}), ${phrase(tx, tx`n`, 51, 8)}, ${user_id}, at, at
      from tree, lateral (select timestamptz '2025-12-31Z' - n * interval '29 s' as at) as made order by depth`
  // Statistics that know nothing of this tree would let PostgreSQL join row by row.
  await tx`analyze collections.collections`
  await tx`
    with recursive line (tenant_id, descendant_id, ancestor_id, parent_id, distance) as (
      select tenant_id, id, id, parent_id, 0 from collections.collections where root_id = pg_temp.id('collection', 0)
      union all select line.tenant_id, line.descendant_id, up.id, up.parent_id, line.distance + 1
                  from line join collections.collections up on up.id = line.parent_id)
    insert into collections.collection_ancestors (tenant_id, ancestor_id, descendant_id, distance, counts)
    select tenant_id, ancestor_id, descendant_id, distance, true from line`
  await tx`
    insert into collections.members (tenant_id, collection_id, user_id, role)
    values (${tenant_id}, pg_temp.id('collection', 0), ${user_id}, 'admin')`
  await fillItems(tx, { rows, last, tenant_id, user_id })
}

type Items = Pick<Filling, 'rows' | 'tenant_id' | 'user_id'> & { last: number }

async function fillItems(tx: Tx, { rows, last, tenant_id, user_id }: Items) {
  await tx`
    insert into collections.items (id, tenant_id, name, description, external_key, metadata, created_by, created_at, updated_at)
    select pg_temp.id('item', n), ${tenant_id}, initcap(${phrase(tx, tx`n`, 52, 3)}), ${phrase(tx, tx`n`, 53, 8)}, 'key-' || n,
           jsonb_build_object('maker', initcap(pg_temp.word(pg_temp.skewed(n, 54, 2000))), 'year', 1800 + pg_temp.pick(n, 55, 220),
                              'kind', pg_temp.word(pg_temp.skewed(n, 56, 12))), ${user_id}, at, at
      from generate_series(1, ${rows}::int) as n, lateral (select timestamptz '2025-12-31Z' - n * interval '3 s' as at) as made`
  await tx`
    insert into collections.collection_items (tenant_id, collection_id, item_id, added_at, added_by)
    select ${tenant_id}::uuid, pg_temp.id('collection', pg_temp.skewed(n, 57, ${last}::int)), pg_temp.id('item', n), timestamptz '2025-12-31Z' - n * interval '3 s', ${user_id}::uuid
      from generate_series(1, ${rows}::int) as n
    union all
    select ${tenant_id}::uuid, pg_temp.id('collection', ${last}::int - pg_temp.pick(n, 58, least(10, ${last}::int / 2))), pg_temp.id('item', n), timestamptz '2025-12-31Z', ${user_id}::uuid
      from generate_series(1, ${rows}::int, 5) as n
    on conflict do nothing`
  await tx`
    insert into collections.item_keys (tenant_id, root_id, external_key, item_id)
    select ${tenant_id}::uuid, pg_temp.id('collection', 0), 'key-' || n, pg_temp.id('item', n) from generate_series(1, ${rows}::int) as n`
  await tx`analyze collections.collection_items`
  await tx`
    update collections.collections c set item_count = counted.items
      from (select collection_id, count(*) as items from collections.collection_items i
              join collections.collections n on n.id = i.collection_id
             where n.root_id = pg_temp.id('collection', 0) group by collection_id) as counted
     where c.id = counted.collection_id`
}
