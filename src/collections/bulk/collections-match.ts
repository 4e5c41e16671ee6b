import { type Actor, isAtLeast } from '../access.ts'
import type { Applying, Placed } from './apply.ts'
import {
  type Node,
  nodesById,
  nodesByKey,
  nodesByName,
  nodesByTreeKey,
  placeName,
  type TreeKey,
  treeKey,
} from './lookup.ts'
import { isNode, resolveReferences, wordsOf } from './references.ts'
import type { Reference, StagedCollection } from './staged.ts'
import { isRowFault, type RowFault } from './row-error.ts'

export type CollectionRow = Placed<StagedCollection>

/**
 * The parent of a row. `node` is null for a root. Without `is_given` the parent is a default: only new collections go
 * there.
 */
export type Parent = { node: Node | null; header: string; words: string; is_given: boolean }

export async function findParents(
  applying: Applying,
  actor: Actor,
  rows: readonly CollectionRow[],
): Promise<Map<number, Parent | RowFault>> {
  const { parent_id } = applying.options
  const references = new Map<number, Reference>()
  for (const { row, data, parent_row } of rows) {
    const { parent } = data
    if (parent === 'root') continue
    if (parent)
      references.set(
        row,
        parent_row !== null && 'key' in parent ? { row: parent_row, key: parent.key } : parent,
      )
    else if (parent_id !== null) references.set(row, { id: parent_id })
  }
  const resolve = await resolveReferences(applying, actor, [...references.values()])
  return new Map(
    rows.map(({ row, data }): [number, Parent | RowFault] => {
      const reference = references.get(row)
      const is_given = data.parent !== undefined
      if (!reference) return [row, { node: null, header: 'parent_key', words: '', is_given }]
      const header = parentHeader(reference)
      const words = is_given ? wordsOf(reference) : ''
      const node = resolve(reference)
      if (isNode(node)) return [row, { node, header, words, is_given }]
      const code = node.code === 'collection_failed' ? 'parent_failed' : node.code
      return [row, { code, header, message: node.message, value: words }]
    }),
  )
}

export function parentHeader(reference: Reference): string {
  if ('key' in reference) return 'parent_key'
  return 'id' in reference ? 'parent_id' : 'parent_path'
}

export type Candidates = {
  byId: ReadonlyMap<string, Node>
  byTreeKey: ReadonlyMap<string, Node>
  byKey: ReadonlyMap<string, Node[]>
  byName: ReadonlyMap<string, Node[]>
}

/** Loads every collection the rows may refer to, in four statements. */
export async function findCandidates(
  { tx, options }: Applying,
  actor: Actor,
  rows: readonly CollectionRow[],
  parents: ReadonlyMap<number, Parent | RowFault>,
): Promise<Candidates> {
  const byId = await nodesById(
    tx,
    actor,
    rows.flatMap(({ data }) => data.id ?? []),
  )
  const inTree: TreeKey[] = []
  const anywhere: string[] = []
  const names: { parent_id: string | null; name: string }[] = []
  for (const { row, data } of rows) {
    const parent = parents.get(row)
    if (!parent || isRowFault(parent)) continue
    const { key, id } = data
    const root_ids = [parent.node?.root_id, id === undefined ? undefined : byId.get(id)?.root_id]
    if (key) for (const root_id of root_ids) if (root_id) inTree.push({ root_id, key })
    if (key && id === undefined && !parent.node) anywhere.push(key)
    if (options.match === 'key_or_path' && id === undefined)
      names.push({ parent_id: parent.node?.id ?? null, name: data.name })
  }
  return {
    byId,
    byTreeKey: await nodesByTreeKey(tx, actor, inTree),
    byKey: await nodesByKey(tx, actor, anywhere, null),
    byName: names.length === 0 ? new Map() : await nodesByName(tx, actor, names),
  }
}

/** The existing collection a row refers to: by id, then key, then name. Undefined if the row is a new collection. */
export function matchOf(
  { options }: Applying,
  { data }: CollectionRow,
  { node: parent }: Parent,
  { byId, byTreeKey, byKey, byName }: Candidates,
): Node | RowFault | undefined {
  const { id, key, name } = data
  if (id !== undefined) {
    const node = byId.get(id)
    if (node && node.role !== null) return node
    return {
      code: 'not_found',
      header: 'collection_id',
      message: 'names no collection that you can see',
      value: id,
    }
  }
  if (key) {
    const at = { header: 'collection_key', value: key }
    const taken = parent && byTreeKey.get(treeKey({ root_id: parent.root_id, key }))
    if (taken && taken.role !== null) return taken
    // Without editor on the parent the row fails for that reason, so it cannot reveal which keys the tree uses.
    if (taken && isAtLeast(parent.role, 'editor')) return { ...at, ...TAKEN }
    const [one, other] = parent ? [] : (byKey.get(key) ?? [])
    if (other) return { ...at, code: 'ambiguous_key', message: 'is the key of more than one collection' }
    if (one) return one
  }
  if (options.match !== 'key_or_path') return undefined
  const place = placeName({ parent_id: parent?.id ?? null, name })
  const [one, other] = (byName.get(place) ?? []).filter(({ external_key }) => external_key === null)
  if (!other) return one
  return {
    code: 'ambiguous_path',
    header: 'name',
    message: 'is the name of more than one collection there',
    value: name,
  }
}

/** The key belongs to another collection. */
export const TAKEN = { code: 'duplicate_key', message: 'is taken in this tree' } as const
