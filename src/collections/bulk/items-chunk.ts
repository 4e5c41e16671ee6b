import type { Pair } from '../items/keys.ts'
import {
  createItems,
  dropUnlinked,
  linkItems,
  lockCollections,
  type Unlinked,
  unlinkItems,
  updateItems,
} from '../items/links.ts'
import { accountEnded, type Applying, type Chunk, need, openChunk } from './apply.ts'
import type { ItemRow } from './items-match.ts'
import { type ItemPlan, planItems } from './items-plan.ts'
import { Overtaken } from './imports.ts'
import { lockUnchanged, planUnderLocks } from './locks.ts'
import { makeMissing } from './paths.ts'
import { isRowFault, type RowFault } from './row-error.ts'

type Plans = ReadonlyMap<number, ItemPlan>
type Change = Exclude<ItemPlan, RowFault>
/** Far more collections than a summary leads to. */
const MANY = 1_000

/** Applies rows of items after all collections, the way applyCollections does. */
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
  while (open.length > 0) {
    const some = open
    const plans = await planUnderLocks(applying, () => planItems(applying, actor, some))
    const { losers, removed, deleted } = await write(applying, plans)
    chunk.tally.links_removed += removed.length
    chunk.tally.deleted_items += deleted.length
    const gone = new Set(deleted)
    const again: ItemRow[] = []
    for (const row of open) {
      const one = plans.get(row.row)
      if (!one) throw new Error('a row was left without a plan')
      if (isRowFault(one)) {
        fail(row.row, one)
        continue
      }
      const target_id = one.kind === 'create' ? one.new.id : one.id
      // Another writer created the same key meanwhile, so the row is planned again as an update of that item.
      if (losers.has(target_id)) {
        again.push(row)
        continue
      }
      if (one.kind === 'create') chunk.tally.items_created++
      else {
        const isChanged = one.change !== undefined || (one.is_removal && one.removed.length > 0)
        if (!gone.has(one.id)) chunk.tally[isChanged ? 'items_updated' : 'items_unchanged']++
        chunk.tally.links_existing += one.existing
      }
      chunk.tally.links_added += one.linked.length
      if (chunk.touched.length < MANY)
        chunk.touched.push(...one.linked.map(({ collection_id }) => collection_id))
      // No other row can refer to an item that is new, so its id is not kept.
      chunk.ended.push({ row: row.row, target_id: one.kind === 'create' ? null : target_id })
    }
    open = again
  }
  return chunk
}

/** Writes the planned rows. `losers`: new items whose key another writer took first; nothing of them is written. */
async function write(applying: Applying, plans: Plans): Promise<Unlinked & { losers: Set<string> }> {
  const { tx, author } = applying
  const all = [...plans.values()].filter((one): one is Change => !isRowFault(one))
  const changed = all.flatMap((one) => (one.kind === 'update' && one.change ? one : []))
  if (changed.length > 0) {
    await lockCollections(
      tx,
      author.tenant_id,
      all.flatMap(({ linked }) => linked.map((pair) => pair.collection_id)),
    )
    await lockUnchanged(applying, 'items', changed)
  }
  const created = all.flatMap((one) => (one.kind === 'create' ? one.new : []))
  if (created.length > 0) await createItems(tx, created, author)
  const pairs = all.flatMap(({ linked }) => linked)
  const { clashes, missing } = await linkAll(
    applying,
    pairs,
    created.map(({ id }) => id),
  )
  if (missing.length > 0) throw new Overtaken()
  const losers = new Set(clashes.map(({ item_id }) => item_id))
  const isNew = new Set(created.map(({ id }) => id))
  if ([...losers].some((id) => !isNew.has(id))) throw new Overtaken()
  if (losers.size > 0) await dropUnlinked(tx, author.tenant_id, [...losers])
  const changes = changed.flatMap(({ change }) => change ?? [])
  if (changes.length > 0) {
    const updated = await updateItems(tx, changes, author)
    if (updated.clashes.length + updated.missing.length + updated.too_large.length > 0) throw new Overtaken()
  }
  const surplus = all.flatMap((one) => (one.kind === 'update' ? one.removed : []))
  const unlinked = surplus.length === 0 ? NOTHING : await unlinkItems(tx, surplus, author)
  for (const one of all) {
    if (one.kind === 'create' && losers.has(one.new.id)) continue
    for (const { collection_id } of one.linked) need(applying, collection_id, 'editor')
    if (one.kind === 'create') continue
    if (one.by !== null) need(applying, one.by, 'editor')
    for (const { collection_id } of one.removed) need(applying, collection_id, 'editor')
  }
  return { losers, ...unlinked }
}

const NOTHING: Unlinked = { removed: [], deleted: [] }

const linkAll = ({ tx, author }: Applying, pairs: readonly Pair[], created: readonly string[]) =>
  pairs.length === 0 ? { clashes: [], missing: [] } : linkItems(tx, pairs, author, created)
