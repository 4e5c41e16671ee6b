import type { Tx } from '#foundation/database/database.ts'
import { isSiteAdmin } from '#foundation/security/powers.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import type { Actor } from '../access.ts'
import type { Parse } from '../workbook/reader.ts'
import type { Applying, Chunk } from './apply.ts'
import { applyCollections } from './collections-chunk.ts'
import { applyItems } from './items-chunk.ts'
import { applyDeletions } from './deletions.ts'
import { type Cursor, nextCollections, nextDeletions, nextItems, START } from './rows-next.ts'
import type { Task } from './task.ts'

export type Running = {
  identity: Pick<Identity, 'profiles'>
  types: readonly string[]
  /** Reads a workbook; in a thread of its own unless told otherwise. */
  parse?: Parse | undefined
}
export type Sheet = 'collections' | 'items'
/** What is deleted goes last, when the items have been moved that stay. */
export type Phase = Sheet | 'deletions'
export const sheetOf = (phase: Phase): Sheet => (phase === 'deletions' ? 'collections' : phase)

/** The sender of the file as the sso reports them now. Undefined if they may no longer act in the tenant. */
export async function actorOf({ identity }: Running, task: Task): Promise<Actor | undefined> {
  const { tenant_id, user_id } = task
  const [profile] = await identity.profiles(tenant_id, [user_id])
  if (!profile || profile.status !== 'active' || profile.role === null) return undefined
  // A role at another site of the tenant must not add rights that the upload's token did not have.
  const is_site_admin = task.is_site_admin && isSiteAdmin({ role: profile.role })
  return { tenant_id, user_id, is_site_admin }
}

export const applyingOf = (
  { types }: Running,
  { tenant_id, user_id, options, layout, landed }: Task,
  holdsMemberships: boolean,
): Omit<Applying, 'tx' | 'actor'> => ({
  author: { tenant_id, user_id },
  options,
  landed,
  layouts: layout ?? [],
  default_type: types[0] ?? 'general',
  holdsMemberships,
  needs: new Map(),
  roots: new Set(),
})

/**
 * Visits all rows: collections from the top level down, then items, then collections to delete. `apply` returns the cursor of what it applied.
 */
export async function eachChunk(
  apply: (phase: Phase, after: Cursor) => Promise<Cursor | undefined>,
): Promise<void> {
  for (const phase of ['collections', 'items', 'deletions'] as const)
    for (let cursor: Cursor | undefined = START; cursor;) cursor = await apply(phase, cursor)
}

/** Applies the next chunk of rows of a sheet. Undefined when none are left. */
export async function applyNext(
  tx: Tx,
  applying: Applying,
  { task, phase, after }: { task: Task; phase: Phase; after: Cursor },
): Promise<{ chunk: Chunk; cursor: Cursor } | undefined> {
  const reading = { job_id: task.job_id, landed: applying.landed }
  if (phase === 'deletions') {
    const next = task.options.allow_delete ? await nextDeletions(tx, reading, after) : undefined
    return next && { chunk: await applyDeletions(applying, next.rows), cursor: next.cursor }
  }
  if (phase === 'items') {
    const next = await nextItems(tx, reading, after)
    return next && { chunk: await applyItems(applying, next.rows), cursor: next.cursor }
  }
  const next = await nextCollections(tx, reading, after)
  return next && { chunk: await applyCollections(applying, next.rows), cursor: next.cursor }
}
