import type { Database, Tx } from '../database/database.ts'
import type { Logger } from '../log.ts'
import { noteBegin, noteEnd } from '../threads/watchdog.ts'
import { type Job } from './jobs.ts'
import { finish, type Finished } from './finish.ts'
import { release, renew } from './leases.ts'

export type JobContext = {
  job: Job
  db: Database
  /** Aborted when the lease has run out or the process is stopping. Long work looks at it between two chunks. */
  signal: AbortSignal
  /** Prolongs the lease by its own length. Throws when it has passed to somebody else. */
  renew: () => Promise<void>
}

/** `error` makes it a failed attempt; `record` is written in the transaction that ends the attempt, or not at all. */
export type JobResult = { error?: string; record?: (tx: Tx, finished: Finished) => Promise<void> }

/**
 * Does the work of one job, at least once: it may meet work that is already done. A throw is a failed attempt, except
 * after `signal` was aborted: then the job goes back as if it had not been started.
 */
export type Handler = (context: JobContext) => Promise<JobResult | void>

/** By kind. Jobs of other kinds are left to the processes that know them. */
export type Handlers = Readonly<Record<string, Handler>>

export type Lease = {
  signal: AbortSignal
  /** Called when the lease has been prolonged. */
  onRenewed: () => void
  /** Called when it has passed to somebody else; aborts `signal`. */
  onLost: () => void
}

/** One attempt of a claimed job, its end included. Returns in how many milliseconds it is due again, if it is. Never rejects. */
export async function attempt(
  { db, log }: { db: Database; log: Logger },
  handler: Handler,
  job: Job,
  lease: Lease,
): Promise<number | undefined> {
  const { job_id, kind } = job
  const prolong = async () => {
    if (await renew(db, job)) return lease.onRenewed()
    lease.onLost()
    throw new Error('the lease has passed to somebody else')
  }
  const work = async (): Promise<JobResult | undefined> => {
    noteBegin(job, `job ${kind}`)
    try {
      return (await handler({ job, db, signal: lease.signal, renew: prolong })) ?? {}
    } catch (error) {
      if (lease.signal.aborted) return undefined
      log.error({ err: error, job_id, kind }, 'a job threw')
      return { error: error instanceof Error ? error.message : String(error) }
    } finally {
      noteEnd(job)
    }
  }

  try {
    const result = await work()
    if (!result) {
      await release(db, [job])
      return undefined
    }
    const { error, record } = result
    const finished = await finish(db, job, error === undefined ? {} : { error }, record)
    return finished?.state === 'pending' ? finished.due_in_ms : undefined
  } catch (error) {
    // The lease runs out, and the job is done once more.
    log.error({ err: error, job_id, kind }, 'a job could not be finished')
    return undefined
  }
}
