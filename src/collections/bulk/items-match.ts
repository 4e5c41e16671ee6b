import { type Actor, findRights, isAtLeast, type Right } from '../access.ts'
import type { Metadata } from '../values.ts'
import type { Applying } from './apply.ts'
import type { Node } from './lookup.ts'
import { isNode, type Resolve, wordsOf } from './references.ts'
import type { Reference, StagedItem } from './staged.ts'
import { isRowFault, type RowFault } from './row-error.ts'

export type ItemRow = { row: number; data: StagedItem }

export function referencesOf({ options }: Applying, rows: readonly ItemRow[]): Reference[] {
  const references = rows.flatMap(({ data }) => data.targets)
  return options.parent_id === null ? references : [...references, { id: options.parent_id }]
}

/** The distinct collections a row names. */
export function targetsOf({ options }: Applying, { data }: ItemRow, resolve: Resolve): Node[] | RowFault {
  const { parent_id } = options
  const references =
    data.targets.length > 0 || parent_id === null ? data.targets : [{ id: parent_id } satisfies Reference]
  const known = new Set(references.flatMap((reference) => ('id' in reference ? reference.id : [])))
  const targets = new Map<string, Node>()
  for (const reference of references) {
    const node = resolve(reference, known)
    if (!isNode(node)) return { ...node, header: headerOf(reference), value: wordsOf(reference) }
    targets.set(node.id, node)
  }
  return [...targets.values()]
}

export function headerOf(reference: Reference): string {
  if ('key' in reference) return 'collection_keys'
  return 'id' in reference ? 'collection_ids' : 'collection_path'
}

export type Item = {
  id: string
  name: string
  description: string | null
  external_key: string | null
  metadata: Metadata
  version: number
}
export type Candidates = {
  items: ReadonlyMap<string, Item>
  /** Item ids by tree and key. */
  holders: ReadonlyMap<string, string>
  /** The ids of the collections that hold each item. */
  links: ReadonlyMap<string, string[]>
  /** The actor's rights on the collections concerned; invisible collections are absent. */
  rights: ReadonlyMap<string, Right>
  roots: ReadonlyMap<string, string>
}

export const inTree = (root_id: string, key: string) => `${root_id} ${key}`

/** Loads every item the rows may refer to, with its collections, in five statements. */
export async function findCandidates(
  { tx, author }: Applying,
  actor: Actor,
  rows: readonly ItemRow[],
  targets: ReadonlyMap<number, Node[] | RowFault>,
): Promise<Candidates> {
  const { tenant_id } = author
  const given = rows.flatMap(({ data }) => data.id ?? [])
  const wanted = new Map<string, { root_id: string; key: string }>()
  const want = (root_id: string, key: string) => wanted.set(inTree(root_id, key), { root_id, key })
  const nodes = new Map<string, Node>()
  for (const { row, data } of rows) {
    const found = targets.get(row) ?? []
    if (isRowFault(found)) continue
    for (const node of found) {
      nodes.set(node.id, node)
      if (data.key) want(node.root_id, data.key)
    }
  }
  const links = new Map<string, string[]>()
  const roots = new Map<string, string>([...nodes.values()].map(({ id, root_id }) => [id, root_id]))
  const rights = new Map<string, Right>()
  const note = async (ids: readonly string[]) => {
    const fresh = ids.filter((id) => !links.has(id))
    if (fresh.length === 0) return
    const rows = await tx<{ item_id: string; collection_id: string; root_id: string }[]>`
      select link.item_id, link.collection_id, node.root_id
        from collections.collection_items as link
        join collections.collections as node on node.id = link.collection_id and node.tenant_id = ${tenant_id}
       where link.tenant_id = ${tenant_id} and link.item_id = any(${fresh}::uuid[])
       order by link.item_id, link.collection_id`
    for (const id of fresh) links.set(id, [])
    for (const { item_id, collection_id, root_id } of rows) {
      links.get(item_id)?.push(collection_id)
      roots.set(collection_id, root_id)
    }
  }
  await note([...new Set(given)])
  // A new key of an item found by id must be free in every tree of that item.
  for (const { data } of rows)
    if (data.id !== undefined && data.key)
      for (const collection_id of links.get(data.id) ?? []) want(roots.get(collection_id) ?? '', data.key)
  const keys = await tx<{ root_id: string; external_key: string; item_id: string }[]>`
    select held.root_id, held.external_key, held.item_id
      from unnest(${[...wanted.values()].map(({ root_id }) => root_id)}::uuid[],
                  ${[...wanted.values()].map(({ key }) => key)}::text[]) as wanted(root_id, key)
      join collections.item_keys as held
        on held.tenant_id = ${tenant_id} and held.root_id = wanted.root_id and held.external_key = wanted.key
     order by held.root_id, held.external_key`
  const holders = new Map(
    keys.map(({ root_id, external_key, item_id }) => [inTree(root_id, external_key), item_id]),
  )
  await note([...new Set(holders.values())])
  const items = await tx<Item[]>`
    select id, name, description, external_key, metadata, version from collections.items
     where id = any(${[...links.keys()]}::uuid[]) and tenant_id = ${tenant_id} order by id`
  for (const right of await findRights(tx, actor, [...roots.keys()])) rights.set(right.collection_id, right)
  return { items: new Map(items.map((item) => [item.id, item])), holders, links, rights, roots }
}

/**
 * The existing item a row refers to: by id, then by key in its targets' trees. Undefined if the row is a new item.
 */
export function matchOf(
  { data: { id, key } }: ItemRow,
  targets: readonly Node[],
  { items, holders, links, rights }: Candidates,
): Item | RowFault | undefined {
  const isVisible = (item_id: string) =>
    links.get(item_id)?.some((collection_id) => rights.has(collection_id)) ?? false
  if (id !== undefined) {
    const item = items.get(id)
    if (item && isVisible(id)) return item
    return { code: 'not_found', header: 'item_id', message: 'names no item that you can see', value: id }
  }
  if (!key) return undefined
  // Without editor on the collection the row fails for that reason, so it cannot reveal which keys the tree uses.
  const ids = new Set(
    targets.flatMap(({ root_id, role }) => {
      const holder = holders.get(inTree(root_id, key))
      return holder !== undefined && (isVisible(holder) || isAtLeast(role, 'editor')) ? holder : []
    }),
  )
  const [one] = ids
  if (one === undefined) return undefined
  const at = { header: 'item_key', value: key }
  if (ids.size > 1) return { ...at, code: 'ambiguous_key', message: 'is the key of more than one item' }
  return isVisible(one) ? items.get(one) : { ...at, ...TAKEN }
}

export const TAKEN = { code: 'duplicate_key', message: 'is taken in this tree' } as const
