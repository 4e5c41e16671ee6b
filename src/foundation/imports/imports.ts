import type { Tx } from '../database/database.ts'
import { enqueue } from '../jobs/jobs.ts'

/**
 * The import queue of one service. The table `jobs` has job_id, is_due, lease_token, starts, staged_rows,
 * cancel_requested_at, created_at, started_at, finished_at and the column named by `turn`; `files` has job_id, place
 * and content; `unlogged` tables have job_id. Names come from our own code only.
 */
export type Imports = {
  /** Job kind in the queue; the job has the id of the import. */
  kind: string
  jobs: string
  files: string
  /** Tables of staged rows. The rows are deleted when their import ends, like its file. */
  unlogged: readonly string[]
  /** Imports with the same value in this column run one after the other. */
  turn: 'site_id' | 'user_id'
  /** Locks a turn until the end of the transaction. Which import runs changes only under this lock. */
  holdTurn: (tx: Tx, turn_id: string) => Promise<unknown>
  /** Seconds before each retry of an attempt that threw. After the last one the import is given up. */
  delays: readonly number[]
  /** Maximum number of attempts, including those that ended in a crash. */
  maxStarts: number
  /** True if the error means that a concurrent change interfered and the chunk should be retried. */
  isOvertaken: (error: unknown) => boolean
}

/** Seconds; longer than a process needs to notice a lost database. Renewed every ten seconds and before each chunk. */
const LEASE_SECONDS = 30

/** Starts the oldest unfinished import of a turn, unless it has started. Call it under `holdTurn`. */
export async function startNext(tx: Tx, { jobs, turn, kind, delays }: Imports, turn_id: string) {
  const [next] = await tx<{ job_id: string }[]>`
    update ${tx(jobs)} set is_due = true
     where not is_due and job_id = (
             select job_id from ${tx(jobs)}
              where ${tx(turn)} = ${turn_id} and finished_at is null order by created_at, job_id limit 1)
    returning job_id`
  if (!next) return
  const { job_id } = next
  await enqueue(tx, [{ job_id, kind, payload: {}, delays, lease_seconds: LEASE_SECONDS }])
}

export type Turn = { job_id: string; turn_id: string }

/** Ends an import as `write` records it. Deletes its file and staged rows, and starts the next import of the turn. */
export async function endImport<T>(
  tx: Tx,
  imports: Imports,
  { job_id, turn_id }: Turn,
  write: () => Promise<T>,
): Promise<T> {
  await imports.holdTurn(tx, turn_id)
  const written = await write()
  for (const table of [imports.files, ...imports.unlogged])
    await tx`delete from ${tx(table)} where job_id = ${job_id}`
  await startNext(tx, imports, turn_id)
  return written
}

/**
 * Asks an import to stop, unless it has ended. A waiting import ends at once, as `write` records it; a running one
 * stops before its next chunk.
 */
export async function cancelImport(
  tx: Tx,
  imports: Imports,
  { job_id, turn_id }: Turn,
  write: () => Promise<unknown>,
): Promise<{ has_ended: boolean; was_asked: boolean }> {
  const read = (lock = tx``) => tx<{ is_waiting: boolean; has_ended: boolean; was_asked: boolean }[]>`
    select started_at is null as is_waiting, finished_at is not null as has_ended,
           cancel_requested_at is not null as was_asked
      from ${tx(imports.jobs)} where job_id = ${job_id} ${lock}`
  // An attempt that ends its import locks the row first and the turn second; the opposite order here could deadlock
  // with it.
  const [seen] = await read()
  if (seen?.is_waiting) await imports.holdTurn(tx, turn_id)
  const [held] = await read(tx`for no key update`)
  if (!held || held.has_ended || held.was_asked) return held ?? { has_ended: true, was_asked: false }
  await tx`update ${tx(imports.jobs)} set cancel_requested_at = clock_timestamp() where job_id = ${job_id}`
  if (seen?.is_waiting && held.is_waiting) await endImport(tx, imports, { job_id, turn_id }, write)
  return held
}
