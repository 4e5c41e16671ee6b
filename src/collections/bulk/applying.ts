import type { Database, Tx } from '#foundation/database.ts'
import type { Logger } from '#foundation/log.ts'
import { isSiteAdmin } from '#foundation/powers.ts'
import type { Identity } from '#foundation/session-gate.ts'
import type { Actor } from '../access.ts'
import type { Applying, Chunk } from './apply.ts'
import type { Attempt, Held } from './attempt.ts'
import { applyCollections } from './collections-chunk.ts'
import { applyItems } from './items-chunk.ts'
import { markRows } from './record.ts'
import { type Cursor, nextCollections, nextItems } from './rows-next.ts'
import { rowIds, SHEETS } from './staged.ts'

export type Running = {
  db: Database
  identity: Pick<Identity, 'profiles'>
  log: Logger
  types: readonly string[]
}

export const keptOf = ({ counts, read_counts }: Pick<Held, 'counts' | 'read_counts'>) => ({
  errors: (read_counts.errors ?? 0) + (counts.errors ?? 0),
  warnings: (read_counts.warnings ?? 0) + (counts.warnings ?? 0),
})

/** Who sent the file, as the sso knows them now; undefined when they may not act in the tenant any more. */
export async function actorOf({ identity }: Running, attempt: Attempt): Promise<Actor | undefined> {
  const { tenant_id, user_id } = attempt
  const [profile] = await identity.profiles(tenant_id, [user_id])
  if (!profile || profile.status !== 'active' || profile.role === null) return undefined
  // A role at another site of the tenant must not add what the token of the upload did not give.
  const is_site_admin = attempt.is_site_admin && isSiteAdmin({ role: profile.role })
  return { tenant_id, user_id, is_site_admin }
}

export async function applyingOf(
  running: Running,
  attempt: Attempt,
  tx: Tx,
  holdsMemberships: boolean,
): Promise<Applying> {
  const { staging_id, options, layout, job_id, created_at, tenant_id, user_id } = attempt
  if (staging_id === null) throw new Error('nothing is staged')
  return {
    tx,
    actor: await actorOf(running, attempt),
    author: { tenant_id, user_id },
    options,
    staging_id,
    layouts: layout ?? [],
    idOf: rowIds(job_id, created_at),
    default_type: running.types[0] ?? 'general',
    holdsMemberships,
    needs: new Map(),
  }
}

type Sheet = 'collections' | 'items'

/** The next rows of a sheet, brought in. Undefined when there are none. */
export async function applyNext(
  applying: Applying,
  sheet: Sheet,
  after: Cursor,
): Promise<{ chunk: Chunk; cursor: Cursor } | undefined> {
  const { tx, staging_id } = applying
  const read = async () => {
    if (sheet === 'items') {
      const next = await nextItems(tx, staging_id, after)
      return next && { chunk: await applyItems(applying, next.rows), cursor: next.cursor }
    }
    const next = await nextCollections(tx, staging_id, after)
    return next && { chunk: await applyCollections(applying, next.rows), cursor: next.cursor }
  }
  const applied = await read()
  if (!applied) return undefined
  // Rows of collections are what others refer to; of items only those matter that two rows may mean.
  const { ended } = applied.chunk
  const noted = sheet === 'items' ? ended.filter(({ target_id }) => target_id !== null) : ended
  if (noted.length > 0) await markRows(tx, staging_id, SHEETS[sheet], noted)
  return applied
}

/** Longer than a request may take, because a chunk is a thousand rows. */
export const extendTimeouts = (tx: Tx) => tx`
  select set_config('statement_timeout', '120s', true), set_config('lock_timeout', '120s', true)`
