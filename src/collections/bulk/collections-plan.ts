import { isDeepStrictEqual } from 'node:util'
import { type Actor, isAtLeast } from '../access.ts'
import type { NewCollection } from '../tree/place.ts'
import type { Reshape } from '../tree/judge.ts'
import { mergeMetadata, type Metadata } from '../values.ts'
import { type Applying, isRowFault, type Placed, type RowFault } from './apply.ts'
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
import { type Reference, SHEETS, type StagedCollection } from './staged.ts'

export type CollectionRow = Placed<StagedCollection>

export type Fields = Pick<NewCollection, 'name' | 'description' | 'type' | 'external_key'> & {
  metadata: Metadata
}
/** What is to become of a row, if it can be. */
export type Plan = Change | RowFault
export type Change =
  | { kind: 'create'; new: NewCollection }
  | { kind: 'update'; node: Node; fields: Fields; is_changed: boolean; reshape: Reshape | undefined }

/** What each row asks for against what stands at this moment. Reads only. */
export async function planCollections(
  applying: Applying,
  actor: Actor,
  rows: readonly CollectionRow[],
): Promise<Map<number, Plan>> {
  const parents = await findParents(applying, actor, rows)
  const candidates = await findCandidates(applying, actor, rows, parents)
  const plans = new Map<number, Plan>()
  for (const row of rows) {
    const parent = parents.get(row.row)
    if (parent) plans.set(row.row, isRowFault(parent) ? parent : planRow(applying, row, parent, candidates))
  }
  await refuseDoubles(applying, rows, plans)
  return plans
}

/** Where a row is to stand. `node` is null at the top; not `is_given`: only a new collection is put there. */
type Parent = { node: Node | null; header: string; words: string; is_given: boolean }

async function findParents(
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

type Candidates = {
  byId: ReadonlyMap<string, Node>
  byTreeKey: ReadonlyMap<string, Node>
  byKey: ReadonlyMap<string, Node[]>
  byName: ReadonlyMap<string, Node[]>
}

/** Everything that rows may mean, four statements for all of them. */
async function findCandidates(
  { tx, options, idOf }: Applying,
  actor: Actor,
  rows: readonly CollectionRow[],
  parents: ReadonlyMap<number, Parent | RowFault>,
): Promise<Candidates> {
  const own = rows.map(({ row }) => idOf(SHEETS.collections, row))
  const byId = await nodesById(tx, actor, [...rows.flatMap(({ data }) => data.id ?? []), ...own])
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

/** The collection a row means: by id, then by key, then by name; undefined: none, it is a new one. */
function matchOf(
  { options, idOf }: Applying,
  { row, data }: CollectionRow,
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
  // An attempt before this one has made it.
  const made = byId.get(idOf(SHEETS.collections, row))
  if (made) return made.role === null ? LOST : made
  if (key) {
    const at = { header: 'collection_key', value: key }
    const taken = parent && byTreeKey.get(treeKey({ root_id: parent.root_id, key }))
    if (taken && taken.role !== null) return taken
    // Who may not write to the parent is told that, and not which keys are taken in its tree.
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

const TAKEN = { code: 'duplicate_key', message: 'is taken in this tree' } as const
const LOST: RowFault = {
  code: 'forbidden',
  header: 'name',
  message: 'belongs to a collection that you may not change',
}

function planRow(applying: Applying, row: CollectionRow, parent: Parent, candidates: Candidates): Plan {
  const match = matchOf(applying, row, parent, candidates)
  if (!match) return planNew(applying, row, parent)
  return isRowFault(match) ? match : planChange(applying, row, parent, match, candidates)
}

function planNew(
  { idOf, default_type }: Applying,
  { row, data }: CollectionRow,
  { node: parent, header, words }: Parent,
): Plan {
  if (parent && !isAtLeast(parent.role, 'editor'))
    return { code: 'forbidden', header, message: 'names a collection that you may not change', value: words }
  const metadata = merged({}, data.metadata)
  if (isRowFault(metadata)) return metadata
  return {
    kind: 'create',
    new: {
      id: idOf(SHEETS.collections, row),
      parent_id: parent?.id ?? null,
      name: data.name,
      description: data.description || null,
      type: data.type ?? default_type,
      external_key: data.key ?? null,
      metadata,
      inherit_members: data.inherit_members ?? true,
    },
  }
}

function planChange(
  { default_type }: Applying,
  { data }: CollectionRow,
  parent: Parent,
  node: Node,
  { byTreeKey }: Candidates,
): Plan {
  const metadata = merged(node.metadata, data.metadata)
  if (isRowFault(metadata)) return metadata
  const fields: Fields = {
    name: data.name,
    description: data.description === undefined ? node.description : data.description || null,
    type: data.type === undefined ? node.type : (data.type ?? default_type),
    external_key: data.key === undefined ? node.external_key : data.key,
    metadata,
  }
  const { name, description, type, external_key } = node
  const is_changed = !isDeepStrictEqual(fields, {
    name,
    description,
    type,
    external_key,
    metadata: node.metadata,
  })
  const reshape = reshapeOf(data, parent, node)
  if (is_changed && !isAtLeast(node.role, 'editor'))
    return {
      code: 'forbidden',
      header: 'name',
      message: 'belongs to a collection that you may not change',
      value: node.name,
    }
  if (reshape) {
    const fault = mayReshape(reshape, parent, node)
    if (fault) return fault
  }
  if (fields.external_key !== null && fields.external_key !== external_key)
    for (const root_id of [node.root_id, reshape?.parent_id ? (parent.node?.root_id ?? '') : '']) {
      const holder = byTreeKey.get(treeKey({ root_id, key: fields.external_key }))
      if (holder && holder.id !== node.id)
        return { ...TAKEN, header: 'collection_key', value: fields.external_key }
    }
  return { kind: 'update', node, fields, is_changed, reshape }
}

function reshapeOf({ inherit_members }: StagedCollection, parent: Parent, node: Node): Reshape | undefined {
  const parent_id = parent.node?.id ?? null
  const isMoved = parent.is_given && parent_id !== node.parent_id
  const inherits = inherit_members === null ? true : inherit_members
  const isCut = inherits !== undefined && inherits !== node.inherit_members
  if (!isMoved && !isCut) return undefined
  return { id: node.id, ...(isMoved && { parent_id }), ...(isCut && { inherit_members: inherits }) }
}

function mayReshape(
  { parent_id, inherit_members }: Reshape,
  parent: Parent,
  node: Node,
): RowFault | undefined {
  const header = parent_id === undefined ? 'inherit_members' : parent.header
  const value = parent_id === undefined ? node.name : parent.words
  const forbidden = { code: 'forbidden', header, value } as const
  if (!isAtLeast(node.role, 'admin'))
    return { ...forbidden, message: 'can only be changed by an admin of the collection' }
  if (parent.node && parent_id !== undefined && !isAtLeast(parent.node.role, 'editor'))
    return { ...forbidden, message: 'names a collection that you may not change' }
  if ((parent_id === null || inherit_members === false) && !node.has_direct_admin) {
    const message = 'would leave the collection without an admin of its own'
    return {
      code: 'last_admin',
      header: parent_id === null ? header : 'inherit_members',
      message,
      value: node.name,
    }
  }
  return undefined
}

function merged(stored: Metadata, change: StagedCollection['metadata']): Metadata | RowFault {
  let fault: RowFault | undefined
  const metadata = mergeMetadata(stored, change ?? {}, (_, message) => {
    fault ??= { code: 'invalid_metadata', header: 'name', message: `: the metadata ${message}` }
  })
  return fault ?? metadata
}

/** Two rows of a file that mean the same collection, one by its id perhaps: the first one counts. */
async function refuseDoubles(
  { tx, staging_id }: Applying,
  rows: readonly CollectionRow[],
  plans: Map<number, Plan>,
) {
  const ids = rows.flatMap(({ row }) => {
    const one = plans.get(row)
    return one && !isRowFault(one) && one.kind === 'update' ? one.node.id : []
  })
  const taken = await takenTargets(tx, staging_id, SHEETS.collections, ids)
  for (const { row, data } of rows) {
    const one = plans.get(row)
    if (!one || isRowFault(one) || one.kind === 'create') continue
    const other = taken.get(one.node.id) ?? row
    if (other === row) taken.set(one.node.id, row)
    else plans.set(row, doubleOf('collection', other, data))
  }
}

export function doubleOf(
  what: 'collection' | 'item',
  other: number,
  { id, key }: { id?: string; key?: string | null },
): RowFault {
  return {
    code: 'duplicate_key_in_file',
    header: id === undefined ? `${what}_key` : `${what}_id`,
    message: `means the same ${what} as row ${other}`,
    ...((id ?? key) && { value: id ?? key ?? '' }),
  }
}

/** Which rows, of those already applied, became or changed these. */
export async function takenTargets(
  tx: Applying['tx'],
  staging_id: string,
  sheet: number,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<{ target_id: string; row: number }[]>`
    select target_id, row from collections.staged_rows
     where staging_id = ${staging_id} and sheet = ${sheet} and target_id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ target_id, row }) => [target_id, row]))
}
