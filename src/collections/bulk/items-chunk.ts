import type { Actor } from '../access.ts'
import { lockItems, type Pair } from '../items/keys.ts'
import { createItems, linkItems, lockCollections, unlinkItems, updateItems } from '../items/links.ts'
import { lockTreesOf } from '../tree/locks.ts'
import {
  accountEnded,
  type Applying,
  type Chunk,
  holdMemberships,
  isRowFault,
  need,
  openChunk,
  tooManyRounds,
  ROUNDS,
  type RowFault,
} from './apply.ts'
import type { ItemRow } from './items-match.ts'
import { type ItemPlan, planItems } from './items-plan.ts'
import { makeMissing } from './paths.ts'

type Plans = ReadonlyMap<number, ItemPlan>
type Change = Exclude<ItemPlan, RowFault>

/** Brings rows of items in, after all collections; as applyCollections. */
export async function applyItems(applying: Applying, rows: readonly ItemRow[]): Promise<Chunk> {
  const { actor } = applying
  const { chunk, fail } = openChunk(applying, 'items')
  if (!actor) {
    for (const { row } of rows) fail(row, accountEnded('name'))
    return chunk
  }
  const paths = rows.flatMap(({ data }) => data.targets.flatMap((one) => ('path' in one ? [one.path] : [])))
  chunk.tally.collections_created += await makeMissing(applying, paths)
  let open = rows
  for (let round = 1; open.length > 0; round++) {
    if (round > ROUNDS) throw tooManyRounds()
    const plans = await planUnderLocks(applying, actor, open)
    const { losers, removed } = await write(applying, plans)
    chunk.tally.links_removed += removed
    const again: ItemRow[] = []
    for (const row of open) {
      const one = plans.get(row.row)
      if (!one) throw new Error('a row was left without a plan')
      if (isRowFault(one)) {
        fail(row.row, one)
        continue
      }
      const target_id = one.kind === 'create' ? one.new.id : one.id
      // Somebody else has made the same key meanwhile: then the row is a change of that item.
      if (losers.has(target_id)) {
        again.push(row)
        continue
      }
      if (one.kind === 'create') chunk.tally.items_created++
      else {
        chunk.tally[one.change ? 'items_updated' : 'items_unchanged']++
        chunk.tally.links_existing += one.existing
      }
      chunk.tally.links_added += one.linked.length
      // Nobody can have named an item that was not there yet, so no other row needs to find it.
      chunk.ended.push({ row: row.row, state: 'done', target_id: one.kind === 'create' ? null : target_id })
    }
    open = again
  }
  return chunk
}

/** Plans, locks what the plan touches (trees, collections, items, memberships), and plans again until nothing is new. */
async function planUnderLocks(applying: Applying, actor: Actor, rows: readonly ItemRow[]): Promise<Plans> {
  const { tx, author } = applying
  const locked = new Set<string>()
  let plans: Plans = await planItems(applying, actor, rows)
  for (let round = 1; round <= ROUNDS; round++) {
    const { collections, items } = touchedBy(plans)
    if ([...collections, ...items].every((id) => locked.has(id))) return plans
    await lockTreesOf(tx, author.tenant_id, collections, 'shared')
    await lockCollections(tx, author.tenant_id, collections)
    await lockItems(tx, author.tenant_id, items)
    if (applying.holdsMemberships) await holdMemberships(applying, collections)
    for (const id of [...collections, ...items]) locked.add(id)
    plans = await planItems(applying, actor, rows)
  }
  throw tooManyRounds()
}

function touchedBy(plans: Plans) {
  const collections = new Set<string>()
  const items = new Set<string>()
  for (const one of plans.values()) {
    if (isRowFault(one)) continue
    for (const { collection_id } of one.linked) collections.add(collection_id)
    if (one.kind === 'create') continue
    for (const { collection_id } of one.removed) collections.add(collection_id)
    if (one.by !== null) collections.add(one.by)
    if (one.change || one.linked.length > 0 || one.removed.length > 0) items.add(one.id)
  }
  return { collections: [...collections].toSorted(), items: [...items].toSorted() }
}

/** Writes what can be. `losers`: new items whose key somebody else was quicker to take; nothing of them is left. */
async function write(applying: Applying, plans: Plans): Promise<{ losers: Set<string>; removed: number }> {
  const { tx, author } = applying
  const all = [...plans.values()].filter((one): one is Change => !isRowFault(one))
  const created = all.flatMap((one) => (one.kind === 'create' ? one.new : []))
  if (created.length > 0) await createItems(tx, created, author)
  const pairs = all.flatMap(({ linked }) => linked)
  const { clashes, missing } = await linkAll(applying, pairs)
  if (missing.length > 0) throw tooManyRounds()
  const losers = new Set(clashes.map(({ item_id }) => item_id))
  const isNew = new Set(created.map(({ id }) => id))
  if ([...losers].some((id) => !isNew.has(id))) throw tooManyRounds()
  if (losers.size > 0)
    await tx`
      delete from collections.items as item
       where item.id = any(${[...losers]}::uuid[]) and item.tenant_id = ${author.tenant_id}
         and not exists (select from collections.collection_items as link where link.item_id = item.id)`
  const changes = all.flatMap((one) => (one.kind === 'update' && one.change ? one.change : []))
  if (changes.length > 0) {
    const updated = await updateItems(tx, changes, author)
    if (updated.clashes.length + updated.missing.length + updated.too_large.length > 0) throw tooManyRounds()
  }
  const surplus = all.flatMap((one) => (one.kind === 'update' ? one.removed : []))
  const removed = surplus.length === 0 ? 0 : (await unlinkItems(tx, surplus, author)).removed.length
  for (const one of all) {
    if (one.kind === 'create' && losers.has(one.new.id)) continue
    for (const { collection_id } of one.linked) need(applying, collection_id, 'editor')
    if (one.kind === 'create') continue
    if (one.by !== null) need(applying, one.by, 'editor')
    for (const { collection_id } of one.removed) need(applying, collection_id, 'editor')
  }
  return { losers, removed }
}

const linkAll = ({ tx, author }: Applying, pairs: readonly Pair[]) =>
  pairs.length === 0 ? { clashes: [], missing: [] } : linkItems(tx, pairs, author)
