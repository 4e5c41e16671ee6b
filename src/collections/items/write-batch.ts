import type { Tx } from '#foundation/database/database.ts'
import { ApiError, conflict, forbidden, notFound, unprocessable } from '#foundation/errors.ts'
import { type Actor, isAtLeast, requireRole, roleOn, type Role } from '../access.ts'
import { lockGrants } from '../grants.ts'
import { staleVersion } from '../if-match.ts'
import { failed, type Operation, readOperations, type Result, type Step } from './batch.ts'
import { duplicateKey, judgeItem, roleOnItem } from './item.ts'
import { type Clash, lockItems } from './keys.ts'
import {
  createItems,
  dropUnlinked,
  linkItems,
  lockCollections,
  type Pair,
  unlinkItems,
  updateItems,
} from './links.ts'

/** The most links that the deletions of one call may end. */
const MAX_ENDED = 10_000

type Of<Action> = Extract<Step, { action: Action }>
type Batch = {
  tx: Tx
  actor: Actor
  collection_id: string
  end: (step: Step, status: Exclude<Result['status'], 'failed'>, version?: number) => void
  fail: (step: Step, error: ApiError) => void
}

/**
 * Writes up to 1,000 operations in one transaction, each with a result of its own: removals and deletions first, then
 * updates, then new items; the statements do not grow with the operations. Needs editor here, 404 and 403 of the whole.
 */
export async function writeBatch(
  tx: Tx,
  actor: Actor,
  collection_id: string,
  operations: readonly Operation[],
): Promise<Result[]> {
  const { steps, results } = readOperations(operations)
  const batch: Batch = {
    tx,
    actor,
    collection_id,
    end: ({ place, item_id }, status, version) =>
      results.set(place, { status, item_id, version: version ?? null, error: null }),
    fail: ({ place, action, item_id }, error) =>
      results.set(place, failed(action === 'create' ? undefined : item_id, error)),
  }
  const old = steps.filter(({ action }) => action !== 'create')
  const links = await lockAll(batch, old)
  const open = await judgeAll(batch, old)
  await endLinks(batch, open, links)
  await updateAll(
    batch,
    open.filter((step) => step.action === 'update'),
  )
  await createAll(
    batch,
    steps.filter((step) => step.action === 'create'),
  )
  return operations.map((_, place) => {
    const result = results.get(place)
    if (!result) throw new Error('an operation was left without a result')
    return result
  })
}

/** Locks collections, items and memberships, in this order. Returns the links of the items to delete. */
async function lockAll({ tx, actor, collection_id }: Batch, old: readonly Step[]): Promise<readonly Pair[]> {
  const { tenant_id } = actor
  const doomed = old.flatMap(({ action, item_id }) => (action === 'delete' ? item_id : []))
  const read = () => tx<Pair[]>`
    select collection_id, item_id from collections.collection_items
     where tenant_id = ${tenant_id} and item_id = any(${doomed}::uuid[]) order by item_id, collection_id limit ${MAX_ENDED + 1}`
  const before = doomed.length === 0 ? [] : await read()
  if (before.length > MAX_ENDED)
    throw conflict('too_large', `The items to delete stand in more than ${MAX_ENDED} places`)
  const places = new Set([collection_id, ...before.map((link) => link.collection_id)])
  await lockCollections(tx, tenant_id, [...places])
  const ids = old.map(({ item_id }) => item_id)
  await lockItems(tx, tenant_id, ids)
  await lockGrants(tx, actor, [...places], ids)
  await requireRole(tx, actor, collection_id, 'editor')
  const links = doomed.length === 0 ? [] : await read()
  if (links.some((link) => !places.has(link.collection_id)))
    throw conflict('changed_meanwhile', 'An item to delete was added to another collection: send it again')
  return links
}

/** The steps on items that the actor may change, in the version that was named. */
async function judgeAll({ tx, actor, fail }: Batch, old: readonly Step[]): Promise<Step[]> {
  if (old.length === 0) return []
  const rows = await tx<{ id: string; version: number; my_role: Role | null }[]>`
    select item.id, item.version, ${roleOnItem(tx, actor)} as my_role from collections.items as item
     where item.id = any(${old.map(({ item_id }) => item_id)}::uuid[]) and item.tenant_id = ${actor.tenant_id}`
  const found = new Map(rows.map((row) => [row.id, row]))
  return old.flatMap((step) => {
    const row = found.get(step.item_id)
    try {
      if (!row) throw notFound()
      judgeItem(actor, { item_id: row.id, my_role: row.my_role }, 'editor', notFound())
      if (step.version !== undefined && step.version !== row.version) throw staleVersion(row.version)
      return { ...step, version: row.version }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      fail(step, error)
      return []
    }
  })
}

/** A deletion needs editor on every collection that holds the item, those included that the actor does not see. */
async function endLinks(
  { tx, actor, collection_id, end, fail }: Batch,
  open: readonly Step[],
  links: readonly Pair[],
) {
  const steps = open.filter(
    (step): step is Of<'remove' | 'delete'> => step.action === 'remove' || step.action === 'delete',
  )
  if (steps.length === 0) return
  const places = [...new Set(links.map((link) => link.collection_id))]
  const rights = await tx<{ id: string; my_role: Role | null }[]>`
    select node.id, ${roleOn(tx, actor)} as my_role from collections.collections as node
     where node.id = any(${places}::uuid[]) and node.tenant_id = ${actor.tenant_id}`
  const barred = new Set(
    rights.flatMap(({ id, my_role }) => (actor.is_site_admin || isAtLeast(my_role, 'editor') ? [] : id)),
  )
  const held = Map.groupBy(links, ({ item_id }) => item_id)
  const pairs = steps.flatMap((step) => {
    if (step.action === 'remove') return { collection_id, item_id: step.item_id }
    const all = held.get(step.item_id) ?? []
    if (!all.some((link) => barred.has(link.collection_id))) return all
    fail(step, forbidden('insufficient_role', 'It is also in a collection that you may not change'))
    return []
  })
  const { removed, deleted } = await unlinkItems(tx, pairs, actor)
  const [gone, out] = [new Set(deleted), new Set(removed.map(({ item_id }) => item_id))]
  const wanted = new Set(pairs.map(({ item_id }) => item_id))
  for (const step of steps) {
    if (!wanted.has(step.item_id)) continue
    if (gone.has(step.item_id)) end(step, 'deleted')
    else if (out.has(step.item_id)) end(step, 'removed', step.version)
    else fail(step, notFound())
  }
}

async function updateAll({ tx, actor, end, fail }: Batch, steps: readonly Of<'update'>[]) {
  if (steps.length === 0) return
  const { updated, clashes, too_large } = await updateItems(
    tx,
    steps.map(({ change }) => change),
    actor,
  )
  const [isUpdated, isTooLarge, taken] = [new Set(updated), new Set(too_large), byItem(clashes)]
  for (const step of steps) {
    const { item_id, version = 0 } = step
    const clash = taken.get(item_id)
    if (clash) fail(step, duplicateKey(clash))
    else if (isTooLarge.has(item_id))
      fail(
        step,
        unprocessable('metadata', 'invalid_metadata', 'may have at most 50 keys and 32 KiB once merged'),
      )
    else if (isUpdated.has(item_id)) end(step, 'updated', version + 1)
    else end(step, 'unchanged', version)
  }
}

async function createAll({ tx, actor, collection_id, end, fail }: Batch, steps: readonly Of<'create'>[]) {
  if (steps.length === 0) return
  const ids = steps.map(({ item_id }) => item_id)
  await createItems(
    tx,
    steps.map(({ item }) => item),
    actor,
  )
  const { clashes } = await linkItems(
    tx,
    ids.map((item_id) => ({ collection_id, item_id })),
    actor,
    ids,
  )
  const taken = byItem(clashes)
  if (taken.size > 0) await dropUnlinked(tx, actor.tenant_id, [...taken.keys()])
  for (const step of steps) {
    const clash = taken.get(step.item_id)
    if (clash) fail(step, duplicateKey(clash))
    else end(step, 'created', 1)
  }
}

const byItem = (clashes: readonly Clash[]) => Map.groupBy(clashes, ({ item_id }) => item_id)
