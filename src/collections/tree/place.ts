import type { Tx } from '#foundation/database/database.ts'
import { MAX_CHILDREN, MAX_DEPTH, type Refusal } from './refusal.ts'

/** A new collection. The caller generates its id; the parent already exists. */
export type NewCollection = {
  id: string
  parent_id: string | null
  name: string
  description: string | null
  type: string
  external_key: string | null
  metadata: object
  inherit_members: boolean
}

type Maker = { user_id: string; tenant_id: string }

/**
 * Creates collections of one level in three statements: rows, closure, reach, and the maker as direct admin of each
 * that does not inherit. Returns refusals; the others are created. The caller holds the trees at least `shared`
 * (`lockTreesOf`) and has checked the right on the parents.
 */
export async function placeCollections(
  tx: Tx,
  { user_id, tenant_id }: Maker,
  rows: readonly NewCollection[],
): Promise<Refusal[]> {
  if (rows.length === 0) return []
  const parent_ids = [...new Set(rows.flatMap(({ parent_id }) => parent_id ?? []))]
  // Locks the parents until the commit, so that two writers cannot both count 999 children and each add one.
  await tx`
    select id from collections.collections
     where tenant_id = ${tenant_id} and id = any(${parent_ids}::uuid[]) order by id for no key update`
  const placed = await tx<(Refusal | { id: string; code: null })[]>`
    with sent as (
      select id, parent_id, name, description, type, external_key, metadata, inherit_members, place
        from rows from (jsonb_to_recordset(${tx.json(rows as unknown as [])}) as (
               id uuid, parent_id uuid, name text, description text, type text, external_key text, metadata jsonb,
               inherit_members boolean)) with ordinality
             as listed(id, parent_id, name, description, type, external_key, metadata, inherit_members, place)),
    judged as (
      select sent.*, parent.id is not null as has_parent, coalesce(parent.root_id, sent.id) as root_id,
             coalesce(parent.depth + 1, 0) as depth,
             case when parent.id is null or not sent.inherit_members then 0 else parent.inherit_reach + 1 end as inherit_reach,
             case when sent.parent_id is not null and parent.id is null then 'parent_not_found'
                  when parent.depth >= ${MAX_DEPTH} then 'too_deep'
                  when parent.id is not null and row_number() over (partition by sent.parent_id order by sent.place)
                       + (select count(*) from collections.collections as child
                           where child.tenant_id = parent.tenant_id and child.parent_id = parent.id)
                       > ${MAX_CHILDREN} then 'too_many_children' end as code
        from sent left join collections.collections as parent
          on parent.id = sent.parent_id and parent.tenant_id = ${tenant_id}),
    made as (
      insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_members, inherit_reach, name,
                                           description, type, external_key, metadata, created_by)
      select id, ${tenant_id}, parent_id, root_id, depth, inherit_members, inherit_reach, name, description, type,
             external_key, metadata, ${user_id}
        from judged where code is null order by root_id, external_key, id
      on conflict do nothing
      returning id, inherit_reach),
    lines as (
      insert into collections.collection_ancestors (tenant_id, ancestor_id, descendant_id, distance, counts)
      select line.tenant_id, line.ancestor_id, judged.id, line.distance + 1, line.distance + 1 <= judged.inherit_reach
        from made join judged on judged.id = made.id
        join collections.collection_ancestors as line on line.tenant_id = ${tenant_id} and line.descendant_id = judged.parent_id
      union all
      select ${tenant_id}::uuid, id, id, 0, true from made),
    admins as (
      insert into collections.members (tenant_id, collection_id, user_id, role)
      select ${tenant_id}::uuid, id, ${user_id}, 'admin' from made where inherit_reach = 0)
    select judged.id, coalesce(judged.code, case when made.id is null then 'duplicate_key' end) as code,
           judged.external_key as value
      from judged left join made on made.id = judged.id
     order by judged.place`
  return placed.filter((row): row is Refusal => row.code !== null)
}
