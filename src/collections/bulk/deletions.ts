import { type Actor, isAtLeast } from '../access.ts'
import { emptyCollections } from '../items/links.ts'
import { accountEnded, type Applying, type Chunk, openChunk } from './apply.ts'
import { type CollectionRow, findCandidates, findParents, matchOf } from './collections-match.ts'
import { refuseDoubles } from './landed.ts'
import { type Planned, planUnderLocks } from './locks.ts'
import type { Node } from './lookup.ts'
import { isRowFault, type RowFault } from './row-error.ts'
import { SHEETS } from './staged.ts'

type Plan = Node | RowFault

/**
 * Deletes the collections that these rows name, with the rights of the API: admin on each. A collection whose children
 * stay is refused. Items that are in no other collection go too.
 */
export async function applyDeletions(applying: Applying, rows: readonly CollectionRow[]): Promise<Chunk> {
  const { actor, tx, author, needs } = applying
  const { chunk, fail } = openChunk(applying, 'collections')
  if (!actor) {
    for (const { row } of rows) fail(row, accountEnded('_action'))
    return chunk
  }
  const plans = await planUnderLocks(applying, () => planDeletions(applying, actor, rows))
  const ids: string[] = []
  for (const { row } of rows) {
    const plan = plans.get(row)
    if (!plan) throw new Error('a row was left without a plan')
    if (isRowFault(plan)) fail(row, plan)
    else {
      ids.push(plan.id)
      chunk.ended.push({ row, target_id: plan.id })
    }
  }
  if (ids.length === 0) return chunk
  await tx`
    select count(*) from (
      select id from collections.collections
       where id = any(${ids}::uuid[]) and tenant_id = ${author.tenant_id} order by id for update) as locked`
  const { removed, deleted } = await emptyCollections(tx, ids, author)
  await tx`
    delete from collections.collections where id = any(${ids}::uuid[]) and tenant_id = ${author.tenant_id}`
  // The memberships were held since the rights were judged, and now they are gone.
  for (const id of ids) needs.delete(id)
  chunk.tally.deleted_collections += ids.length
  chunk.tally.deleted_items += deleted.length
  chunk.tally.links_removed += removed.length
  return chunk
}

async function planDeletions(
  applying: Applying,
  actor: Actor,
  rows: readonly CollectionRow[],
): Promise<Planned<Plan>> {
  const parents = await findParents(applying, actor, rows)
  const candidates = await findCandidates(applying, actor, rows, parents)
  const plans = new Map<number, Plan>()
  for (const row of rows) {
    const parent = parents.get(row.row)
    if (!parent) continue
    const match = isRowFault(parent) ? parent : matchOf(applying, row, parent, candidates)
    plans.set(row.row, judged(row, match))
  }
  refuseDoubles(applying.landed, SHEETS.collections, rows, {
    targetOf: (row) => {
      const plan = plans.get(row)
      return plan && !isRowFault(plan) ? plan.id : undefined
    },
    refuse: (row, fault) => plans.set(row, fault),
  })
  await refuseParents(applying, plans)
  const roots = [...plans.values()].flatMap((plan) => (isRowFault(plan) ? [] : plan.root_id))
  // Deleting ends the actor's own right, so it must not be lost before.
  return { plans, roots: new Set(roots), reshapes: true }
}

function judged({ data: { key } }: CollectionRow, match: Plan | undefined): Plan {
  const missing = { header: 'collection_key', message: 'names no collection that you can see' }
  if (!match) return { code: 'not_found', ...missing, value: key ?? '' }
  if (isRowFault(match) || isAtLeast(match.role, 'admin')) return match
  const message = 'can only be asked for by an admin of the collection'
  return { code: 'forbidden', header: '_action', message, value: match.name }
}

/** Refuses what has children that stay, and then whatever is above it. */
async function refuseParents({ tx, author }: Applying, plans: Map<number, Plan>): Promise<void> {
  const rows = new Map<string, number>()
  for (const [row, plan] of plans) if (!isRowFault(plan)) rows.set(plan.id, row)
  if (rows.size === 0) return
  const left = await tx<{ parent_id: string }[]>`
    select distinct parent_id from collections.collections
     where tenant_id = ${author.tenant_id} and parent_id = any(${[...rows.keys()]}::uuid[])
       and id <> all(${[...rows.keys()]}::uuid[])`
  const open: (string | null)[] = left.map(({ parent_id }) => parent_id)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const row = id === null ? undefined : rows.get(id)
    const plan = row === undefined ? undefined : plans.get(row)
    if (row === undefined || !plan || isRowFault(plan)) continue
    open.push(plan.parent_id)
    const message = 'asks to delete a collection that has children: delete them too'
    plans.set(row, { code: 'has_children', header: '_action', message, value: plan.name })
  }
}
