import { type Actor, isVisible, logAdminAccess, roleOn, type Sql } from '../access.ts'
import type { Fragment } from '../query/listing.ts'
import type { Collection } from './collection.ts'

/** Which of the fields that need extra lookups to select; all by default. */
type Wanted = { member_count: boolean; hierarchy: boolean }
const ALL: Wanted = { member_count: true, hierarchy: true }

/** The fields of Collection except my_role, for the row `node`, as this actor may see them. */
export const collectionColumns = (sql: Sql, actor: Actor, wanted: Wanted = ALL): Fragment => sql`
  node.id, node.name, node.description, node.type, node.external_key, node.metadata, node.inherit_members,
  node.item_count, ${wanted.member_count ? memberCount(sql) : sql`null`} as member_count,
  ${wanted.hierarchy ? hierarchy(sql, actor) : sql`null`} as hierarchy,
  node.created_by, node.created_at, node.updated_at, node.version`

/** The number of distinct members, direct and inherited. */
const memberCount = (sql: Sql): Fragment => sql`
  (select count(distinct membership.user_id)
     from collections.collection_ancestors as line
     join collections.members as membership
       on membership.tenant_id = line.tenant_id and membership.collection_id = line.ancestor_id
    where line.tenant_id = node.tenant_id and line.descendant_id = node.id and line.distance <= node.inherit_reach)`

/**
 * The unbroken chain of visible ancestors that ends in the parent. Ancestors above a hidden one are left out, except
 * a root that the actor can see by its own membership.
 */
const hierarchy = (sql: Sql, actor: Actor): Fragment => sql`
  (select jsonb_build_object(
            'parent_id', case when chain.hidden_at is distinct from 1 then node.parent_id end,
            'root_id', case when node.parent_id is null or chain.sees_root then node.root_id end,
            'depth', jsonb_array_length(chain.path),
            'path', chain.path,
            'path_truncated', chain.hidden_at is not null,
            'children_count', ${childrenCount(sql, actor)})
     from (select max(seen.hidden_at) as hidden_at, bool_or(seen.is_visible and seen.id = node.root_id) as sees_root,
                  coalesce(jsonb_agg(jsonb_build_object('id', seen.id, 'name', seen.name) order by seen.distance desc)
                             filter (where seen.hidden_at is null or seen.distance < seen.hidden_at), '[]') as path
             from (select upper.id, upper.name, upper.distance, upper.is_visible,
                          min(upper.distance) filter (where not upper.is_visible) over () as hidden_at
                     from (select up.id, up.name, way.distance, ${isVisible(sql, actor, 'up')} as is_visible
                             from collections.collection_ancestors as way
                             join collections.collections as up on up.tenant_id = way.tenant_id and up.id = way.ancestor_id
                            where way.tenant_id = node.tenant_id and way.descendant_id = node.id
                              and way.distance > 0) as upper) as seen) as chain)`

/** Counts the children the actor sees: all that inherit, plus others where the actor is a member. */
const childrenCount = (sql: Sql, { user_id, tenant_id, is_site_admin }: Actor): Fragment => sql`
  (select count(*) from collections.collections as child
    where child.tenant_id = node.tenant_id and child.parent_id = node.id
      and (child.inherit_members or ${is_site_admin}::boolean
           or exists (select from collections.members as own
                       where own.tenant_id = ${tenant_id} and own.collection_id = child.id and own.user_id = ${user_id})))`

/** A collection as the actor sees it, with rights and row from one statement. Undefined if invisible. */
export async function findCollection(
  sql: Sql,
  actor: Actor,
  collection_id: string,
): Promise<Collection | undefined> {
  const [found] = await sql<Collection[]>`
    select ${collectionColumns(sql, actor)}, ${roleOn(sql, actor)} as my_role
      from collections.collections as node
     where node.id = ${collection_id} and node.tenant_id = ${actor.tenant_id} and ${isVisible(sql, actor)}`
  if (found) logAdminAccess(actor, found.my_role, 'viewer', { collection_id })
  return found
}

/**
 * Shows a collection after a change. Falls back to the role before the change, because a move may end the actor's own
 * access.
 */
export async function showChanged(
  sql: Sql,
  actor: Actor,
  { collection_id, my_role }: { collection_id: string; my_role: Collection['my_role'] },
): Promise<Collection> {
  const [shown] = await sql<Collection[]>`
    select ${collectionColumns(sql, actor)}, coalesce(${roleOn(sql, actor)}, ${my_role}::collections.role) as my_role
      from collections.collections as node
     where node.id = ${collection_id} and node.tenant_id = ${actor.tenant_id}`
  if (!shown) throw new Error('a collection that is locked is gone')
  return shown
}
