import type { Database, Tx } from '../database/database.ts'
import type { Handler } from '../jobs/attempt.ts'
import { startRunner } from '../jobs/runner.ts'
import type { Logger } from '../log.ts'
import {
  type Attempt,
  beginAttempt,
  Cancelled,
  hold,
  LeaseLost,
  takeBackAttempt,
  transact,
} from './attempt.ts'
import { endImport, type Imports, type Turn } from './imports.ts'

/** How a service runs its imports. */
export type ImportWork = {
  imports: Imports
  /** Runs the rest of an import and ends it. */
  run: (attempt: Attempt) => Promise<void>
  /** Records the end of an import that was cancelled or failed too often. */
  write: (tx: Tx, import_: Turn, why: 'cancelled' | 'broken') => Promise<void>
}

const HEARTBEAT_MS = 10_000

/** Runs one attempt at an import. After an error it is retried later, from the progress reached by then. */
export const importHandler =
  ({ imports, run, write }: ImportWork, log: Logger): Handler =>
  async ({ job, db, signal, renew }) => {
    // A lost lease aborts `signal`; if the database is briefly unavailable, the next heartbeat renews.
    const heart = setInterval(() => void renew().catch(() => {}), HEARTBEAT_MS)
    try {
      const begun = await beginAttempt(db, imports, job)
      if (!begun) return
      const attempt: Attempt = { ...begun, signal, renew }
      try {
        if (attempt.starts > imports.maxStarts)
          await end(attempt, false, (tx) => write(tx, attempt, 'broken'))
        else await run(attempt)
      } catch (error) {
        if (error instanceof LeaseLost) return
        if (error instanceof Cancelled)
          return await end(attempt, false, (tx) => write(tx, attempt, 'cancelled'))
        if (signal.aborted) {
          await takeBackAttempt(attempt)
          throw error
        }
        log.error({ err: error, job_id: job.job_id, starts: attempt.starts }, 'an import broke off')
        if (attempt.starts < imports.maxStarts && !(job.attempts >= imports.delays.length)) throw error
        await end(attempt, false, (tx) => write(tx, attempt, 'broken'))
      }
    } finally {
      clearInterval(heart)
    }
  }

/** Ends an import whose lease this attempt holds. Throws Cancelled if the import was asked to stop. */
export const finish = (attempt: Attempt, write: (tx: Tx) => Promise<void>) => end(attempt, true, write)

const end = (attempt: Attempt, heedsCancel: boolean, write: (tx: Tx) => Promise<void>): Promise<void> =>
  transact(attempt.db, async (tx) => {
    if ((await hold(tx, attempt)) && heedsCancel) throw new Cancelled()
    await endImport(tx, attempt.imports, attempt, () => write(tx))
  })

const SWEEP_MS = 3_600_000

/** Runs due imports, `maxInFlight` at a time, and sweeps every hour, until it is stopped. */
export function startImports(
  { db, log }: { db: Database; log: Logger },
  work: ImportWork,
  { maxInFlight, sweep }: { maxInFlight: number; sweep?: () => Promise<unknown> },
): { stop: () => Promise<void> } {
  const { kind } = work.imports
  const runner = startRunner({ db, log, handlers: { [kind]: importHandler(work, log) }, maxInFlight })
  const look = async () => {
    try {
      const imports = await endAbandoned(db, work)
      if (imports > 0) log.error({ imports, kind }, 'imports that nothing worked on any more were ended')
      await sweep?.()
    } catch (error) {
      log.error({ err: error, kind }, 'old imports could not be swept')
    }
  }
  let sweeping = look()
  const timer = setInterval(() => {
    sweeping = look()
  }, SWEEP_MS).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all([runner.stop(), sweeping])
    },
  }
}

const BATCH = 1_000

/**
 * Ends imports whose queue job is gone, finished or held, because those behind them would wait forever, and deletes staged
 * rows without an unfinished import. Safe to run concurrently. Returns the number of ended imports.
 */
export async function endAbandoned(
  db: Database,
  { imports, write }: Pick<ImportWork, 'imports' | 'write'>,
): Promise<number> {
  const { jobs, turn, unlogged } = imports
  const abandoned = await db.pool<Turn[]>`
    select i.job_id, i.${db.pool(turn)} as turn_id
      from ${db.pool(jobs)} i left join foundation.jobs q using (job_id)
     where i.is_due and i.finished_at is null and (q.state is null or q.state = any('{failed,held,done}'))
     order by i.job_id limit ${BATCH}`
  for (const one of abandoned)
    await db.transaction((tx) => endImport(tx, imports, one, () => write(tx, one, 'broken')))
  for (const table of unlogged)
    await db.pool`
      delete from ${db.pool(table)} s
       where not exists (select from ${db.pool(jobs)} i where i.job_id = s.job_id and i.finished_at is null)`
  return abandoned.length
}
