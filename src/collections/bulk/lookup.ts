import type { Tx } from '#foundation/database/database.ts'
import { type Actor, isVisible, type Role, roleOn } from '../access.ts'
import type { Metadata } from '../values.ts'

/** A collection that a row of a workbook may refer to. */
export type Node = {
  id: string
  root_id: string
  parent_id: string | null
  name: string
  description: string | null
  type: string
  external_key: string | null
  metadata: Metadata
  inherit_members: boolean
  has_direct_admin: boolean
  version: number
  /** The actor's effective role; null if the collection is invisible to them. */
  role: Role | null
}

const columns = (tx: Tx, actor: Actor) => tx`
  node.id, node.root_id, node.parent_id, node.name, node.description, node.type, node.external_key, node.metadata,
  node.inherit_members, node.version,
  exists (select from collections.members as direct
           where direct.tenant_id = node.tenant_id and direct.collection_id = node.id and direct.role = 'admin') as has_direct_admin,
  case when ${actor.is_site_admin}::boolean then 'admin' else ${roleOn(tx, actor)} end as role`

/** Collections of the tenant by id, including those the actor cannot see. */
export async function nodesById(tx: Tx, actor: Actor, ids: readonly string[]): Promise<Map<string, Node>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<Node[]>`
    select ${columns(tx, actor)} from collections.collections as node
     where node.id = any(${[...new Set(ids)]}::uuid[]) and node.tenant_id = ${actor.tenant_id}
     order by node.id`
  return new Map(rows.map((node) => [node.id, node]))
}

export type TreeKey = { root_id: string; key: string }
export const treeKey = ({ root_id, key }: TreeKey) => `${root_id} ${key}`

/** The collections with these keys in these trees, including those the actor cannot see. */
export async function nodesByTreeKey(
  tx: Tx,
  actor: Actor,
  wanted: readonly TreeKey[],
): Promise<Map<string, Node>> {
  if (wanted.length === 0) return new Map()
  const rows = await tx<Node[]>`
    select ${columns(tx, actor)}
      from unnest(${wanted.map(({ root_id }) => root_id)}::uuid[], ${wanted.map(({ key }) => key)}::text[])
             as wanted(root_id, key)
      join collections.collections as node
        on node.root_id = wanted.root_id and node.external_key = wanted.key and node.tenant_id = ${actor.tenant_id}
     order by node.id`
  return new Map(rows.map((node) => [treeKey({ root_id: node.root_id, key: node.external_key ?? '' }), node]))
}

/** The visible collections with these keys, in one tree or in all. */
export async function nodesByKey(
  tx: Tx,
  actor: Actor,
  keys: readonly string[],
  root_id: string | null,
): Promise<Map<string, Node[]>> {
  if (keys.length === 0) return new Map()
  const trees = root_id === null ? tops(tx, actor, 'home') : tx`home.id = ${root_id}`
  const rows = await tx<Node[]>`
    with tree as (
      select distinct home.root_id
        from collections.collections as home
       where home.tenant_id = ${actor.tenant_id} and ${trees}),
    wanted as (select distinct key from unnest(${[...keys]}::text[]) as key)
    select ${columns(tx, actor)}
      from tree cross join wanted
      join collections.collections as node on node.root_id = tree.root_id and node.external_key = wanted.key
     where node.tenant_id = ${actor.tenant_id} and ${isVisible(tx, actor)}
     order by node.id`
  return Map.groupBy(rows, (node) => node.external_key ?? '')
}

/**
 * Narrows the search for trees. A site admin starts at the roots. Others start at direct memberships, because each
 * top collection they see is one.
 */
const tops = (tx: Tx, { is_site_admin, tenant_id, user_id }: Actor, node: string) =>
  is_site_admin
    ? tx`${tx(`${node}.parent_id`)} is null`
    : tx`${tx(`${node}.id`)} in (
        select collection_id from collections.members where tenant_id = ${tenant_id} and user_id = ${user_id})`

export type PlaceName = { parent_id: string | null; name: string }
export const placeName = ({ parent_id, name }: PlaceName) => `${parent_id ?? 'root'} ${name}`

/**
 * The visible collections with these names: below a parent, or, if that is null, at the top of what the actor sees.
 */
export async function nodesByName(
  tx: Tx,
  actor: Actor,
  wanted: readonly PlaceName[],
): Promise<Map<string, Node[]>> {
  const found = new Map<string, Node[]>()
  const note = (name: string, node: Node) => {
    const others = found.get(name)
    if (others) others.push(node)
    else found.set(name, [node])
  }
  const below = wanted.filter(({ parent_id }) => parent_id !== null)
  if (below.length > 0) {
    const rows = await tx<Node[]>`
      with wanted as (
        select distinct parent_id, name
          from unnest(${below.map(({ parent_id }) => parent_id)}::uuid[], ${below.map(({ name }) => name)}::text[])
                 as wanted(parent_id, name))
      select ${columns(tx, actor)}
        from wanted join collections.collections as node on node.parent_id = wanted.parent_id and node.name = wanted.name
       where node.tenant_id = ${actor.tenant_id} and ${isVisible(tx, actor)}
       order by node.id`
    for (const node of rows) note(placeName(node), node)
  }
  const atTop = wanted.filter(({ parent_id }) => parent_id === null).map(({ name }) => name)
  if (atTop.length > 0) {
    const rows = await tx<Node[]>`
      select ${columns(tx, actor)}
        from collections.collections as node
       where node.tenant_id = ${actor.tenant_id} and node.name = any(${atTop}::text[]) and ${tops(tx, actor, 'node')}
         and (node.parent_id is null
              or not exists (select from collections.collections as parent
                              where parent.tenant_id = node.tenant_id and parent.id = node.parent_id and ${isVisible(tx, actor, 'parent')}))
       order by node.id`
    for (const node of rows) note(placeName({ parent_id: null, name: node.name }), node)
  }
  return found
}
