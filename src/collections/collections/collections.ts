import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database.ts'
import { offsetOf, type Page, type PageQuery, page } from '#foundation/paging.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/schemas.ts'

export type Role = Static<typeof Role>
export const Role = OneOf(['viewer', 'editor', 'admin'])

/** Counts and the place in the tree join this list together with the operations that write them. */
export type Collection = Static<typeof Collection>
export const Collection = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Nullable(Type.String()),
  type: Type.String(),
  external_key: Nullable(Type.String()),
  metadata: Type.Object({}, { additionalProperties: true }),
  inherit_members: Type.Boolean(),
  my_role: Role,
  created_by: Nullable(Uuid),
  created_at: Time,
  updated_at: Time,
  version: Type.Integer(),
})

/**
 * What this person is a member of, directly or through a collection above it that inheritance still reaches; changed
 * last comes first. Rights, rows and total are one statement, so that they speak of the same moment; a page past the
 * end has the true total too.
 */
export async function listCollections(
  db: Database,
  tenant_id: string,
  user_id: string,
  query: PageQuery,
): Promise<Page<Collection>> {
  const rows = await db.pool<({ total: number } & (Collection | { id: null }))[]>`
    with accessible as (
      select node.id, max(membership.role) as my_role
        from collections.members as membership
        join collections.collection_ancestors as line on line.ancestor_id = membership.collection_id
        join collections.collections as node on node.id = line.descendant_id
       where membership.user_id = ${user_id} and node.tenant_id = ${tenant_id} and line.distance <= node.inherit_reach
       group by node.id)
    select counted.total, shown.id, shown.name, shown.description, shown.type, shown.external_key, shown.metadata,
           shown.inherit_members, shown.my_role, shown.created_by, shown.created_at, shown.updated_at, shown.version
      from (select count(*) as total from accessible) as counted
      left join lateral (
        select node.id, node.name, node.description, node.type, node.external_key, node.metadata,
               node.inherit_members, accessible.my_role, node.created_by, node.created_at, node.updated_at, node.version
          from accessible
          join collections.collections as node on node.id = accessible.id and node.tenant_id = ${tenant_id}
         order by node.updated_at desc, node.id desc
         limit ${query.per_page} offset ${offsetOf(query)}) as shown on true
     order by shown.updated_at desc, shown.id desc`
  const items = rows.filter((row): row is { total: number } & Collection => row.id !== null)
  return page(items, rows[0]?.total ?? 0, query)
}
