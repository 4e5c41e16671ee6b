import { isDeepStrictEqual } from 'node:util'
import { newId } from '#foundation/ids.ts'
import { type Actor, isAtLeast } from '../access.ts'
import type { NewCollection } from '../tree/place.ts'
import type { Reshape } from '../tree/judge.ts'
import type { Metadata } from '../values.ts'
import type { Applying } from './apply.ts'
import {
  type Candidates,
  type CollectionRow,
  findCandidates,
  findParents,
  matchOf,
  type Parent,
  TAKEN,
} from './collections-match.ts'
import { refuseDoubles } from './landed.ts'
import type { Planned } from './locks.ts'
import { type Node, treeKey } from './lookup.ts'
import { isSameText, mergedMetadata } from './merged-metadata.ts'
import { SHEETS, type StagedCollection } from './staged.ts'
import { isRowFault, type RowFault } from './row-error.ts'

export type Fields = Pick<NewCollection, 'name' | 'description' | 'type' | 'external_key'> & {
  metadata: Metadata
}
/** The change a row asks for, or why it cannot be made. */
export type Plan = Change | RowFault
export type Change =
  | { kind: 'create'; new: NewCollection; parent: Node | null }
  | {
      kind: 'update'
      node: Node
      parent: Node | null
      fields: Fields
      is_changed: boolean
      reshape: Reshape | undefined
    }

/** Compares each row with the current state and plans its change. Only reads. */
export async function planCollections(
  applying: Applying,
  actor: Actor,
  rows: readonly CollectionRow[],
): Promise<Planned<Plan>> {
  const parents = await findParents(applying, actor, rows)
  const candidates = await findCandidates(applying, actor, rows, parents)
  const plans = new Map<number, Plan>()
  for (const row of rows) {
    const parent = parents.get(row.row)
    if (parent) plans.set(row.row, isRowFault(parent) ? parent : planRow(applying, row, parent, candidates))
  }
  refuseDoubles(applying.landed, SHEETS.collections, rows, {
    targetOf: (row) => {
      const one = plans.get(row)
      return one && !isRowFault(one) && one.kind === 'update' ? one.node.id : undefined
    },
    refuse: (row, fault) => plans.set(row, fault),
  })
  return { plans, ...touchedBy(plans) }
}

function touchedBy(plans: ReadonlyMap<number, Plan>) {
  const roots = new Set<string>()
  let reshapes = false
  for (const one of plans.values()) {
    if (isRowFault(one)) continue
    const isMoved = one.kind === 'update' && one.reshape !== undefined
    if (one.kind === 'update' && (one.is_changed || isMoved)) roots.add(one.node.root_id)
    if (one.parent && (one.kind === 'create' || isMoved)) roots.add(one.parent.root_id)
    reshapes ||= isMoved
  }
  return { roots, reshapes }
}

function planRow(applying: Applying, row: CollectionRow, parent: Parent, candidates: Candidates): Plan {
  const match = matchOf(applying, row, parent, candidates)
  if (!match) return planNew(applying, row, parent)
  return isRowFault(match) ? match : planChange(applying, row, parent, match, candidates)
}

function planNew(
  { default_type }: Applying,
  { data }: CollectionRow,
  { node: parent, header, words }: Parent,
): Plan {
  if (parent && !isAtLeast(parent.role, 'editor'))
    return { code: 'forbidden', header, message: 'names a collection that you may not change', value: words }
  const merged = mergedMetadata({}, data)
  if (isRowFault(merged)) return merged
  return {
    kind: 'create',
    parent,
    new: {
      id: newId(),
      parent_id: parent?.id ?? null,
      name: data.name,
      description: data.description || null,
      type: data.type ?? default_type,
      external_key: data.key ?? null,
      metadata: merged.metadata,
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
  const merged = mergedMetadata(node.metadata, data)
  if (isRowFault(merged)) return merged
  const text = data.description === undefined ? node.description : data.description || null
  const fields: Fields = {
    name: isSameText(node.name, data.name) ? node.name : data.name,
    description: isSameText(node.description ?? '', text ?? '') ? node.description : text,
    type: data.type === undefined ? node.type : (data.type ?? default_type),
    external_key: data.key === undefined ? node.external_key : data.key,
    metadata: merged.metadata,
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
  return { kind: 'update', node, parent: parent.node, fields, is_changed, reshape }
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
