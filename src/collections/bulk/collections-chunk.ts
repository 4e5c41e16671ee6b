import { placeCollections } from '../tree/place.ts'
import type { Refusal } from '../tree/refusal.ts'
import { reshapeTrees } from '../tree/reshape.ts'
import { accountEnded, type Applying, type Chunk, need, openChunk } from './apply.ts'
import { type CollectionRow, parentHeader } from './collections-match.ts'
import { type Change, type Plan, planCollections } from './collections-plan.ts'
import { lockUnchanged, planUnderLocks } from './locks.ts'
import { makeMissing } from './paths.ts'
import { isRowFault, type RowFault } from './row-error.ts'

/**
 * Applies rows of one level: their parents exist, have failed, or are not in this file. Locks trees and memberships
 * before it judges each row by itself. The number of statements does not grow with the rows.
 */
export async function applyCollections(applying: Applying, rows: readonly CollectionRow[]): Promise<Chunk> {
  const { actor } = applying
  const { chunk, fail } = openChunk(applying, 'collections')
  if (!actor) {
    for (const { row } of rows) fail(row, accountEnded('name'))
    return chunk
  }
  chunk.tally.collections_created += await makeMissing(applying, pathsOf(rows))
  const plans = await planUnderLocks(applying, () => planCollections(applying, actor, rows))
  const refused = await write(applying, plans)
  for (const row of rows) {
    const one = plans.get(row.row)
    if (!one) throw new Error('a row was left without a plan')
    if (isRowFault(one)) {
      fail(row.row, one)
      continue
    }
    const target_id = one.kind === 'create' ? one.new.id : one.node.id
    const refusal = refused.get(target_id)
    if (refusal) fail(row.row, faultOf(refusal, row))
    else {
      chunk.tally[`collections_${endingOf(one)}`]++
      chunk.ended.push({ row: row.row, target_id })
      chunk.touched.push(target_id)
    }
  }
  return chunk
}

const pathsOf = (rows: readonly CollectionRow[]) =>
  rows.flatMap(({ data: { parent } }) =>
    typeof parent === 'object' && 'path' in parent ? [parent.path] : [],
  )

/** Writes the rows that can be written. Returns refusals by the id of the existing or planned collection. */
async function write(applying: Applying, plans: ReadonlyMap<number, Plan>): Promise<Map<string, Refusal>> {
  const { tx, author } = applying
  const all = [...plans.values()].filter((one): one is Change => !isRowFault(one))
  await lockUnchanged(
    applying,
    'collections',
    all.flatMap((one) => (one.kind === 'update' && (one.is_changed || one.reshape) ? one.node : [])),
  )
  const created = all.flatMap((one) => (one.kind === 'create' ? one.new : []))
  const refused = new Map(
    (await placeCollections(tx, author, created)).map((refusal) => [refusal.id, refusal]),
  )
  let reshapes = all.flatMap((one) => (one.kind === 'update' && one.reshape ? one.reshape : []))
  while (reshapes.length > 0) {
    const refusals = await reshapeTrees(tx, author.tenant_id, reshapes)
    if (refusals.length === 0) break
    for (const refusal of refusals) refused.set(refusal.id, refusal)
    reshapes = reshapes.filter(({ id }) => !refused.has(id))
  }
  const changed = all.flatMap((one) =>
    one.kind === 'update' && (one.is_changed || one.reshape) && !refused.has(one.node.id)
      ? { id: one.node.id, ...one.fields }
      : [],
  )
  if (changed.length > 0)
    await tx`
      update collections.collections as node
         set name = sent.name, description = sent.description, type = sent.type, external_key = sent.external_key,
             metadata = sent.metadata, version = node.version + 1, updated_at = clock_timestamp()
        from jsonb_to_recordset(${tx.json(changed)}) as sent(
               id uuid, name text, description text, type text, external_key text, metadata jsonb)
       where node.id = sent.id and node.tenant_id = ${author.tenant_id}`
  noteNeeds(applying, all, refused)
  return refused
}

function noteNeeds(applying: Applying, plans: readonly Change[], refused: ReadonlyMap<string, Refusal>) {
  for (const one of plans) {
    if (one.kind === 'create') {
      if (one.new.parent_id !== null && !refused.has(one.new.id)) need(applying, one.new.parent_id, 'editor')
      continue
    }
    if (refused.has(one.node.id)) continue
    if (one.is_changed) need(applying, one.node.id, 'editor')
    if (one.reshape?.parent_id) need(applying, one.reshape.parent_id, 'editor')
  }
}

const endingOf = (one: Change) => {
  if (one.kind === 'create') return 'created'
  return one.is_changed || one.reshape ? 'updated' : 'unchanged'
}

function faultOf({ code, value }: Refusal, { data }: CollectionRow): RowFault {
  const isKey = code === 'duplicate_key'
  return {
    code: code === 'parent_not_found' ? 'not_found' : code,
    header: isKey ? 'collection_key' : headerOf(data),
    message: MESSAGES[code],
    ...((value ?? data.key) && { value: value ?? data.key ?? '' }),
  }
}

function headerOf({ parent }: CollectionRow['data']): string {
  if (parent === undefined) return 'inherit_members'
  return parent === 'root' ? 'parent_key' : parentHeader(parent)
}

const MESSAGES: Record<Refusal['code'], string> = {
  parent_not_found: 'names no collection that you can see',
  cycle: 'would put the collection below itself',
  too_deep: 'would put collections more than ten levels deep',
  too_many_children: 'names a collection that has 1,000 children already',
  too_large: 'would move more than 5,000 collections',
  duplicate_key: 'is taken in this tree',
}
