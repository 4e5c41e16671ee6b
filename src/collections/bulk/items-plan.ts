import { isDeepStrictEqual } from 'node:util'
import { newId } from '#foundation/ids.ts'
import { type Actor, isAtLeast } from '../access.ts'
import type { ItemChange, NewItem, Pair } from '../items/links.ts'
import type { Applying } from './apply.ts'
import {
  type Candidates,
  findCandidates,
  headerOf,
  inTree,
  matchOf,
  TAKEN,
  type Item,
  type ItemRow,
  referencesOf,
  targetsOf,
} from './items-match.ts'
import { refuseDoubles } from './landed.ts'
import type { Planned } from './locks.ts'
import type { Node } from './lookup.ts'
import { isSameText, type MergedMetadata, mergedMetadata } from './merged-metadata.ts'
import { resolveReferences } from './references.ts'
import { SHEETS, type StagedItem } from './staged.ts'
import { isRowFault, type RowFault } from './row-error.ts'

/**
 * The change a row asks for, or why it cannot be made. `linked`: new links; `existing`: the number of links already
 * there.
 */
export type ItemPlan =
  | { kind: 'create'; new: NewItem; linked: Pair[]; roots: string[] }
  | {
      kind: 'update'
      id: string
      version: number
      change: ItemChange | undefined
      linked: Pair[]
      existing: number
      removed: Pair[]
      /** The row asks for nothing but the removal. */
      is_removal: boolean
      /** A collection through which the actor may change the item; null if nothing of it changes. */
      by: string | null
      /** The trees that the change affects. */
      roots: string[]
    }
  | RowFault

/** Compares each row with the current state and plans its change. Only reads. */
export async function planItems(
  applying: Applying,
  actor: Actor,
  rows: readonly ItemRow[],
): Promise<Planned<ItemPlan>> {
  const resolve = await resolveReferences(applying, actor, referencesOf(applying, rows))
  const targets = new Map(rows.map((row) => [row.row, targetsOf(applying, row, resolve)] as const))
  const candidates = await findCandidates(applying, actor, rows, targets)
  const plans = new Map<number, ItemPlan>()
  for (const row of rows) {
    const found = targets.get(row.row) ?? []
    plans.set(row.row, isRowFault(found) ? found : planRow(applying, row, found, candidates))
  }
  refuseDoubles(applying.landed, SHEETS.items, rows, {
    targetOf: (row) => {
      const one = plans.get(row)
      return one && !isRowFault(one) && one.kind === 'update' ? one.id : undefined
    },
    refuse: (row, fault) => plans.set(row, fault),
  })
  const roots = new Set([...plans.values()].flatMap((one) => (isRowFault(one) ? [] : one.roots)))
  return { plans, roots, reshapes: false }
}

function planRow(
  applying: Applying,
  row: ItemRow,
  targets: readonly Node[],
  candidates: Candidates,
): ItemPlan {
  const item = matchOf(row, targets, candidates)
  if (item && isRowFault(item)) return item
  if (row.data.action) return planRemoval(row, item, targets, candidates)
  const merged = mergedMetadata(item?.metadata ?? {}, row.data)
  if (isRowFault(merged)) return merged
  return item ? planChange(applying, row, item, merged, targets, candidates) : planNew(row, merged, targets)
}

const headerOfTargets = ({ targets }: StagedItem) => (targets[0] ? headerOf(targets[0]) : 'name')

const mayNot = (data: StagedItem, value: string): RowFault => ({
  code: 'forbidden',
  header: headerOfTargets(data),
  message: 'names a collection that you may not change',
  value,
})

function planNew({ data }: ItemRow, { metadata }: MergedMetadata, targets: readonly Node[]): ItemPlan {
  const locked = targets.find(({ role }) => !isAtLeast(role, 'editor'))
  if (locked) return mayNot(data, locked.external_key ?? locked.id)
  const id = newId()
  const { name, description, key } = data
  return {
    kind: 'create',
    new: { id, name, description: description || null, external_key: key ?? null, metadata },
    linked: targets.map((target) => ({ collection_id: target.id, item_id: id })),
    roots: targets.map(({ root_id }) => root_id),
  }
}

function planChange(
  { options }: Applying,
  { data }: ItemRow,
  item: Item,
  merged: MergedMetadata,
  targets: readonly Node[],
  { holders, links, rights, roots }: Candidates,
): ItemPlan {
  const { id } = item
  const held = links.get(id) ?? []
  const isTarget = new Set(targets.map((target) => target.id))
  const missing = targets.filter((target) => !held.includes(target.id))
  const trees = new Set(targets.map(({ root_id }) => root_id))
  // Links the actor cannot see stay, because removing them would reveal that they exist.
  const surplus =
    options.links === 'add' || data.keeps_links
      ? []
      : held.filter((one) => !isTarget.has(one) && trees.has(roots.get(one) ?? '') && rights.has(one))
  const change = changeOf(data, item, merged)
  const by = held.find((one) => isAtLeast(rights.get(one)?.role ?? null, 'editor')) ?? null
  if ((change || missing.length > 0) && by === null)
    return {
      code: 'forbidden',
      header: 'name',
      message: 'belongs to an item that you may not change',
      value: item.name,
    }
  const locked = missing.find(({ role }) => !isAtLeast(role, 'editor'))
  if (locked) return mayNot(data, locked.external_key ?? locked.id)
  const kept = surplus.find((one) => !isAtLeast(rights.get(one)?.role ?? null, 'editor'))
  if (kept) return mayNot(data, kept)
  const key = change?.external_key ?? item.external_key
  if (key !== null)
    for (const root_id of [...trees, ...held.map((one) => roots.get(one) ?? '')]) {
      const holder = holders.get(inTree(root_id, key))
      if (holder !== undefined && holder !== id) return { ...TAKEN, header: 'item_key', value: key }
    }
  const pair = (collection_id: string): Pair => ({ collection_id, item_id: id })
  const isChanged = change !== undefined || missing.length > 0 || surplus.length > 0
  return {
    kind: 'update',
    id,
    version: item.version,
    change,
    linked: missing.map((target) => pair(target.id)),
    existing: targets.length - missing.length,
    removed: surplus.map(pair),
    is_removal: false,
    by: change || missing.length > 0 ? by : null,
    roots: isChanged ? [...trees, ...held.map((one) => roots.get(one) ?? '')] : [],
  }
}

/** Has the rights that the API asks for: editor on each collection that the item is taken out of. */
function planRemoval(
  { data: { action, key } }: ItemRow,
  item: Item | undefined,
  targets: readonly Node[],
  { links, rights, roots }: Candidates,
): ItemPlan {
  const missing = { header: 'item_key', message: 'names no item that you can see', value: key ?? '' }
  if (!item) return { code: 'not_found', ...missing }
  const held = links.get(item.id) ?? []
  const named = new Set(targets.map(({ id }) => id))
  const left = action === 'delete' ? held : held.filter((one) => named.has(one))
  const message = 'would take the item out of a collection that you may not change'
  if (left.some((one) => !isAtLeast(rights.get(one)?.role ?? null, 'editor')))
    return { code: 'forbidden', header: '_action', message, value: item.name }
  return {
    kind: 'update',
    id: item.id,
    version: item.version,
    change: undefined,
    linked: [],
    existing: 0,
    removed: left.map((collection_id) => ({ collection_id, item_id: item.id })),
    is_removal: true,
    by: null,
    roots: left.map((one) => roots.get(one) ?? ''),
  }
}

/** The fields that differ; undefined if none do. */
function changeOf(
  { name, description, key }: StagedItem,
  item: Item,
  merged: MergedMetadata,
): ItemChange | undefined {
  const change: ItemChange = { id: item.id }
  if (!isSameText(item.name, name)) change.name = name
  const text = description === undefined ? item.description : description || null
  if (!isSameText(item.description ?? '', text ?? '')) change.description = text
  if (key !== undefined && key !== item.external_key) change.external_key = key
  if (!isDeepStrictEqual(merged.metadata, item.metadata)) change.metadata = merged.change
  return Object.keys(change).length > 1 ? change : undefined
}
