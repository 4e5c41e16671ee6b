import { type Static, Type } from 'typebox'
import { ApiError, type FieldError, forbidden, notFound } from '#foundation/errors.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { type Actor, isAtLeast, isVisible, logAdminAccess, type Role, type Sql } from '../access.ts'
import type { Metadata } from '../values.ts'
import type { Clash } from './keys.ts'

export type Item = Static<typeof Item>
export const Item = Type.Object({
  id: Uuid,
  name: Type.String(),
  description: Nullable(Type.String()),
  external_key: Nullable(Type.String()),
  metadata: Type.Unsafe<Metadata>({ type: 'object', additionalProperties: true }),
  collection_ids: Type.Array(Uuid),
  created_by: Nullable(Uuid),
  created_at: Time,
  updated_at: Time,
  version: Type.Integer(),
})

export const etagOf = ({ version }: { version: number }) => `"${version}"`

/** The columns of Item from the row `item` of collections.items, with the collections the actor sees it in. */
export const itemColumns = (sql: Sql, actor: Actor) => sql`
  item.id, item.name, item.description, item.external_key, item.metadata, item.created_by, item.created_at,
  item.updated_at, item.version, ${visibleCollections(sql, actor)} as collection_ids`

/**
 * `offset 0` keeps the order: links first, then their collections. Without statistics PostgreSQL may think that an item
 * has a thousand links, and judges every collection of the tenant instead.
 */
const visibleCollections = (sql: Sql, actor: Actor) => sql`
  array(select seen.id from collections.collection_items as link
         cross join lateral (select node.id from collections.collections as node
                              where node.id = link.collection_id and ${isVisible(sql, actor)} offset 0) as seen
         where link.tenant_id = item.tenant_id and link.item_id = item.id order by seen.id)`

/** The actor's highest role on any collection that holds the row `item`; null if there is none. */
export const roleOnItem = (sql: Sql, { user_id, tenant_id }: Actor) => sql`
  (select max(membership.role)
     from collections.collection_items as link
     join collections.collections as node on node.id = link.collection_id and node.tenant_id = ${tenant_id}
     join collections.collection_ancestors as line
       on line.tenant_id = node.tenant_id and line.descendant_id = node.id and line.distance <= node.inherit_reach
     join collections.members as membership
       on membership.tenant_id = line.tenant_id and membership.collection_id = line.ancestor_id and membership.user_id = ${user_id}
    where link.tenant_id = ${tenant_id} and link.item_id = item.id)`

/** One item and the right on it, from one statement. 404 if it is unknown, invisible or in another tenant; 403. */
export async function requireItem(sql: Sql, actor: Actor, item_id: string, minimum: Role): Promise<Item> {
  const [found] = await sql<(Item & { my_role: Role | null })[]>`
    select ${itemColumns(sql, actor)}, ${roleOnItem(sql, actor)} as my_role
      from collections.items as item
     where item.id = ${item_id} and item.tenant_id = ${actor.tenant_id}`
  if (!found) throw notFound()
  const { my_role, ...item } = found
  judgeItem(actor, { item_id, my_role }, minimum, notFound())
  return item
}

/** Requires each item of a request body to be visible (404 `item_not_found`) and editable (403). */
export async function requireEditable(sql: Sql, actor: Actor, item_ids: readonly string[]): Promise<void> {
  const rows = await sql<{ id: string; my_role: Role | null }[]>`
    select item.id, ${roleOnItem(sql, actor)} as my_role
      from collections.items as item
     where item.id = any(${item_ids as string[]}::uuid[]) and item.tenant_id = ${actor.tenant_id}`
  const roles = new Map(rows.map(({ id, my_role }) => [id, my_role]))
  const absent = new ApiError(404, 'item_not_found', 'The item was not found')
  const isVisibleOne = (id: string) => roles.has(id) && (actor.is_site_admin || roles.get(id) !== null)
  if (!item_ids.every(isVisibleOne)) throw absent
  for (const item_id of item_ids)
    judgeItem(actor, { item_id, my_role: roles.get(item_id) ?? null }, 'editor', absent)
}

type ItemRight = { item_id: string; my_role: Role | null }

/** 404 `absent` without a right, 403 below the minimum. */
export function judgeItem(actor: Actor, { item_id, my_role }: ItemRight, minimum: Role, absent: ApiError) {
  const role = actor.is_site_admin ? 'admin' : my_role
  if (role === null) throw absent
  if (!isAtLeast(role, minimum))
    throw forbidden('insufficient_role', `This needs the role ${minimum} on a collection that holds the item`)
  logAdminAccess(actor, my_role, minimum, { item_id })
}

const NAMED_KEYS = 20

/** 409 that names the first 20 taken keys. */
export function duplicateKey(clashes: readonly Clash[]): ApiError {
  const keys = [...new Set(clashes.map(({ external_key }) => external_key))].slice(0, NAMED_KEYS)
  const errors: FieldError[] = keys.map((value) => ({
    field: 'external_key',
    code: 'duplicate_key',
    message: 'is taken in this tree',
    value,
  }))
  return new ApiError(409, 'duplicate_key', 'Another item of the tree has this external_key', { errors })
}
