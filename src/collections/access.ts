import type { Lane, Pool, Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'

/** In ascending order: each role includes the rights of the roles before it. */
export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

/**
 * The acting user, within one tenant. `request_id` ties log lines to the request; `note` writes an audit log line.
 */
export type Actor = {
  user_id: string
  tenant_id: string
  is_site_admin: boolean
  request_id?: string
  note?: (act: string, facts: Record<string, unknown>) => void
} & Partial<Pick<Caller, 'scope'>>

export type Sql = Lane | Pool | Tx

/** The actor's effective role on one collection, with the ids that later queries need. */
export type Right = {
  collection_id: string
  root_id: string
  /** The effective role: always `admin` for a site admin. */
  role: Role
  /** The role from memberships; null for a site admin who is not a member. */
  my_role: Role | null
}

export const isAtLeast = (role: Role | null, minimum: Role) =>
  role !== null && ROLES.indexOf(role) >= ROLES.indexOf(minimum)

/**
 * A scalar SQL expression: the actor's highest role on the row `node` of collections.collections, from its own
 * memberships and those of the ancestors within `inherit_reach`; null if there is none.
 */
export const roleOn = (sql: Sql, { user_id }: Pick<Actor, 'user_id'>, node = 'node') => sql`
  (select max(membership.role)
     from collections.collection_ancestors as line
     join collections.members as membership
       on membership.tenant_id = line.tenant_id and membership.collection_id = line.ancestor_id and membership.user_id = ${user_id}
    where line.tenant_id = ${sql(`${node}.tenant_id`)} and line.descendant_id = ${sql(`${node}.id`)}
      and line.distance <= ${sql(`${node}.inherit_reach`)})`

/**
 * Whether the actor sees the row `node` of collections.collections: as a member, or as a site admin of its tenant.
 */
export const isVisible = (sql: Sql, actor: Actor, node = 'node') => sql`
  (${sql(`${node}.tenant_id`)} = ${actor.tenant_id}
   and (${actor.is_site_admin}::boolean or exists (
     select from collections.collection_ancestors as line
       join collections.members as membership
         on membership.tenant_id = line.tenant_id and membership.collection_id = line.ancestor_id
        and membership.user_id = ${actor.user_id}
      where line.tenant_id = ${actor.tenant_id} and line.descendant_id = ${sql(`${node}.id`)}
        and line.distance <= ${sql(`${node}.inherit_reach`)})))`

/**
 * A query of (collection_id, my_role) for `with accessible as (…)`: the collections where the actor is a member,
 * directly or by inheritance. With `all`, a site admin gets every collection of the tenant; my_role is null without
 * membership.
 */
export const accessible = (sql: Sql, actor: Actor, scope: 'own' | 'all' = 'own') =>
  scope === 'all' && actor.is_site_admin
    ? sql`
      select node.id as collection_id, held.my_role
        from collections.collections as node
        left join (${ownCollections(sql, actor)}) as held on held.collection_id = node.id
       where node.tenant_id = ${actor.tenant_id}`
    : ownCollections(sql, actor)

const ownCollections = (sql: Sql, { user_id, tenant_id }: Actor) => sql`
  select node.id as collection_id, max(membership.role) as my_role
    from collections.members as membership
    join collections.collection_ancestors as line
      on line.ancestor_id = membership.collection_id and line.tenant_id = membership.tenant_id
    join collections.collections as node on node.id = line.descendant_id and node.tenant_id = ${tenant_id}
   where membership.user_id = ${user_id} and membership.tenant_id = ${tenant_id} and line.distance <= node.inherit_reach
   group by node.id`

/** Like `accessible` of one's own, on the index of the closure alone. */
export const counting = (sql: Sql, { user_id, tenant_id }: Actor) => sql`
  select line.descendant_id as collection_id, max(membership.role) as my_role
    from collections.members as membership
    join collections.collection_ancestors as line
      on line.tenant_id = membership.tenant_id and line.ancestor_id = membership.collection_id and line.counts
   where membership.tenant_id = ${tenant_id} and membership.user_id = ${user_id}
   group by line.descendant_id`

/**
 * Returns the actor's right as of this statement, so call it again after taking locks. 404 `not_found` if the
 * collection is unknown, invisible or in another tenant; 403 `insufficient_role` if it is visible.
 */
export async function requireRole(
  sql: Sql,
  actor: Actor,
  collection_id: string,
  minimum: Role,
): Promise<Right> {
  const [right] = await findRights(sql, actor, [collection_id])
  return judge(actor, right, minimum)
}

/** The rights on many collections in one statement. Collections that the actor cannot see are left out. */
export async function findRights(sql: Sql, actor: Actor, collection_ids: string[]): Promise<Right[]> {
  const rows = await sql<Omit<Right, 'role'>[]>`
    select node.id as collection_id, node.root_id, ${roleOn(sql, actor)} as my_role
      from collections.collections as node
     where node.id = any(${collection_ids}::uuid[]) and node.tenant_id = ${actor.tenant_id}
     order by node.id`
  return rows.flatMap(({ my_role, ...node }) => {
    const role = actor.is_site_admin ? 'admin' : my_role
    return role === null ? [] : [{ ...node, my_role, role }]
  })
}

/** Returns the right if the role is high enough. 404 without a right, 403 `insufficient_role` below the minimum. */
export function judge(actor: Actor, right: Right | undefined, minimum: Role): Right {
  if (!right) throw notFound()
  if (!isAtLeast(right.role, minimum)) throw insufficientRole(minimum)
  logAdminAccess(actor, right.my_role, minimum, { collection_id: right.collection_id })
  return right
}

const logged = new WeakSet<Actor>()

/** Logs an access that a site admin has only by that role, once per request. */
export function logAdminAccess(
  actor: Actor,
  my_role: Role | null,
  minimum: Role,
  where: Record<string, unknown>,
) {
  if (!actor.is_site_admin || isAtLeast(my_role, minimum) || logged.has(actor)) return
  logged.add(actor)
  actor.note?.('acted_as_site_admin', where)
}

export const insufficientRole = (minimum: Role) =>
  forbidden('insufficient_role', `This needs the role ${minimum} on the collection`)
