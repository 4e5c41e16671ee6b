import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Logger } from '../log.ts'
import { type Database, isTimeout, type Lane, one, type Tx } from './database.ts'
import { inTurns } from './lists.ts'

/** How long a replica may need to replay what was written before a read (ms); after that the primary reads. */
const PATIENCE_MS = 50
const LOOK_EVERY_MS = 5
/** The bound of every list (`Database.lists`), in seconds. */
const STATEMENT_S = 2

/**
 * The same database, whose lists are read from a replica that has replayed everything that was written when the read
 * began: nobody misses what they have just written, through whichever process. The primary reads while the replica
 * lags, is lost, or is no copy of it.
 */
export function withReplica(primary: Database, replica: Database, log: Logger, patience = 1): Database {
  let isCopy: Promise<boolean> | undefined
  const judge = async () => {
    const [ours, theirs] = await Promise.all([identityOf(primary.fast), identityOf(replica.pool)])
    if (ours !== theirs) log.error('DATABASE_REPLICA_URL is no copy of DATABASE_URL, so it is not used')
    return ours === theirs
  }
  async function newest<T extends readonly postgres.MaybeRow[]>(statement: postgres.PendingQuery<T>) {
    if (!replica.isAvailable()) return undefined
    try {
      isCopy ??= judge()
      if (!(await isCopy)) return undefined
      const written = await primary.fast<{ at: string }[]>`select pg_current_wal_insert_lsn()::text as at`
      const at = (tx: Tx) => readAt(tx, one(written).at, statement, `${STATEMENT_S * patience}s`)
      return (await replica.pool.begin('read only', at)) as T | undefined
    } catch (error) {
      if (isTimeout(error)) throw error
      isCopy = undefined
      if (!replica.noteFailure(error)) log.warn({ err: error }, 'a read of the replica failed')
      return undefined
    }
  }
  return {
    ...primary,
    lists: inTurns(
      async (statement, person) => (await newest(statement)) ?? primary.lists(person, statement),
      patience,
    ),
    close: async () => void (await Promise.all([replica.close(), primary.close()])),
  }
}

/** Undefined if the replica has not replayed up to `position` in time. */
async function readAt<T extends readonly postgres.MaybeRow[]>(
  tx: Tx,
  position: string,
  statement: postgres.PendingQuery<T>,
  statement_timeout: string,
): Promise<T | undefined> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    const [replayed] = await tx<{ is_there: boolean | null }[]>`
      select pg_last_wal_replay_lsn() >= ${position}::pg_lsn as is_there,
             set_config('statement_timeout', ${statement_timeout}, true)`
    if (replayed?.is_there) return (await tx`${statement}`) as unknown as T
    if (waited >= PATIENCE_MS) return undefined
    await sleep(LOOK_EVERY_MS)
  }
}

/** The cluster and the database, which a copy has in common. */
async function identityOf(sql: Lane): Promise<string> {
  const found = await sql<{ id: string }[]>`
    select system_identifier || ' ' || current_database() as id from pg_control_system()`
  return one(found).id
}
