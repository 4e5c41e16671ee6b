import type { Lane, Pool, Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'

/** Ascending: who has one may do what those before it may. */
export const ROLES = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof ROLES)[number]

/**
 * Who acts: a person of one tenant. `request_id` joins what is logged about the act with its request, and `note` is how
 * it is logged.
 */
export type Actor = {
  user_id: string
  tenant_id: string
  is_site_admin: boolean
  request_id?: string
  note?: (act: string, facts: Record<string, unknown>) => void
}

export type Sql = Lane | Pool | Tx

/** What an actor may do on a collection and what is needed to go on. */
export type Right = {
  collection_id: string
  root_id: string
  /** What counts: `admin` for a site admin. */
  role: Role
  /** What membership gives; null for a site admin without one. */
  my_role: Role | null
}

export const isAtLeast = (role: Role | null, minimum: Role) =>
  role !== null && ROLES.indexOf(role) >= ROLES.indexOf(minimum)

/**
 * The actor's role on the row `node` of collections.collections: the highest of the memberships on it and on what
 * stands above it as far as `inherit_reach` lets them count; null without any. A scalar expression.
 */
export const roleOn = (sql: Sql, { user_id }: Pick<Actor, 'user_id'>, node = 'node') => sql`
  (select max(membership.role)
     from collections.collection_ancestors as line
     join collections.members as membership
       on membership.collection_id = line.ancestor_id and membership.user_id = ${user_id}
    where line.descendant_id = ${sql(`${node}.id`)} and line.distance <= ${sql(`${node}.inherit_reach`)})`

/** Whether the actor sees the row `node` of collections.collections: a member or, in this tenant, a site admin. */
export const isVisible = (sql: Sql, actor: Actor, node = 'node') => sql`
  (${sql(`${node}.tenant_id`)} = ${actor.tenant_id}
   and (${actor.is_site_admin}::boolean or exists (
     select from collections.collection_ancestors as line
       join collections.members as membership
         on membership.collection_id = line.ancestor_id and membership.user_id = ${actor.user_id}
      where line.descendant_id = ${sql(`${node}.id`)} and line.distance <= ${sql(`${node}.inherit_reach`)})))`

/**
 * A query of (collection_id, my_role) for `with accessible as (…)`: what the actor is a member of, directly or from
 * above. `all`: every collection of the tenant, with a null role where there is none; only for a site admin.
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
    join collections.collection_ancestors as line on line.ancestor_id = membership.collection_id
    join collections.collections as node on node.id = line.descendant_id and node.tenant_id = ${tenant_id}
   where membership.user_id = ${user_id} and line.distance <= node.inherit_reach
   group by node.id`

/**
 * The right of the actor on a collection, as it is in this statement; after locks, ask once more. 404 `not_found` for
 * an unknown, foreign or invisible one, 403 `insufficient_role` for one that is visible.
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

/** What `requireRole` judges, for many collections in one statement; those the actor cannot see are left out. */
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

/** The right if it is enough, else 404 or 403. */
export function judge(actor: Actor, right: Right | undefined, minimum: Role): Right {
  if (!right) throw notFound()
  if (!isAtLeast(right.role, minimum)) throw insufficientRole(minimum)
  logAdminAccess(actor, right.my_role, minimum, { collection_id: right.collection_id })
  return right
}

const logged = new WeakSet<Actor>()

/** A site admin who goes where membership would not let them leaves a line in the log, one per request. */
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
