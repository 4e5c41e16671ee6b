import type { Database, Tx } from '../database/database.ts'
import type { Logger } from '../log.ts'
import { noteBegin, noteEnd } from '../threads/watchdog.ts'
import { continueTrace } from '../tracing/tracing.ts'
import { type Job } from './jobs.ts'
import { finish, type Finished } from './finish.ts'
import { release, renew } from './leases.ts'

export type JobContext = {
  job: Job
  db: Database
  /** Aborted when the lease expires or the process stops. Long work must check it between chunks. */
  signal: AbortSignal
  /** Extends the lease by its full length. Throws if another runner has it. */
  renew: () => Promise<void>
}

/** `error` makes it a failed attempt. `record` runs in the transaction that ends the attempt. */
export type JobResult = { error?: string; record?: (tx: Tx, finished: Finished) => Promise<void> }

/**
 * Runs one job, at least once, so it must be idempotent. A throw is a failed attempt, unless `signal` was aborted: then
 * the job is released as if it had not been started.
 */
export type Handler = (context: JobContext) => Promise<JobResult | void>

/** Handlers by kind. Jobs of other kinds are left to other processes. */
export type Handlers = Readonly<Record<string, Handler>>

export type Lease = {
  signal: AbortSignal
  /** Called after the lease was extended. */
  onRenewed: () => void
  /** Called when another runner has the lease; aborts `signal`. */
  onLost: () => void
}

/**
 * Runs one attempt of a claimed job and ends it. Returns the ms until a retry is due, if there is one. Never rejects.
 */
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

  let hasFailed = false
  const workAndFinish = async () => {
    try {
      const result = await work()
      if (!result) {
        await release(db, [job])
        return undefined
      }
      const { error, record } = result
      hasFailed = error !== undefined
      const finished = await finish(db, job, error === undefined ? {} : { error }, record)
      return finished?.state === 'pending' ? finished.due_in_ms : undefined
    } catch (error) {
      hasFailed = true
      // The lease expires and the job runs again.
      log.error({ err: error, job_id, kind }, 'a job could not be finished')
      return undefined
    }
  }
  const span = { name: `job ${kind}`, attributes: { 'lyceum.job.attempt': job.attempts + 1 } }
  return continueTrace(span, job.trace, workAndFinish, () => hasFailed)
}
