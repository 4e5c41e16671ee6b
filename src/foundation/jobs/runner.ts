import { setTimeout as wait } from 'node:timers/promises'
import { clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../log.ts'
import { attempt, type Handlers } from './attempt.ts'
import { type Job, onEnqueued } from './jobs.ts'
import { claim, release } from './leases.ts'
import { startPolling, waitToStop } from './polling.ts'

export type { Handler, Handlers } from './attempt.ts'

export type RunnerOptions = {
  db: Database
  log: Logger
  handlers: Handlers
  /** Maximum number of concurrent jobs. */
  maxInFlight?: number
}

export type Runner = ReturnType<typeof startRunner>

type Flight = { job: Job; abort: () => void; abandon: () => void; landed: Promise<void> }

/**
 * Runs due jobs by priority and age until it is stopped. A commit of this process wakes it. The poll finds jobs of
 * other processes, retries, and jobs whose lease expired.
 */
export function startRunner({ db, log, handlers, maxInFlight = 8 }: RunnerOptions) {
  const kinds = Object.keys(handlers)
  const flights = new Set<Flight>()
  /** The last claim filled all slots, so more jobs may be due. */
  let isFull = false
  let stopping: Promise<void> | undefined

  const polling = startPolling(log, async () => {
    const limit = maxInFlight - flights.size
    isFull = limit <= 0
    if (isFull) return
    const asked = clock.monotonic()
    const jobs = await claim(db, { kinds, limit })
    if (stopping) return release(db, jobs)
    isFull = jobs.length === limit
    for (const job of jobs) start(job, asked)
  })
  const unsubscribe = onEnqueued((enqueued) => {
    if (kinds.some((kind) => enqueued.has(kind))) polling.wake()
  })
  polling.wake()

  /** `asked` is a time before the lease began, so that our timer never outlasts the lease. */
  function start(job: Job, asked: number) {
    const { job_id, kind, claims, state } = job
    if (state === 'held') return log.error({ job_id, kind, claims }, 'a job never finishes and is held')
    const handler = handlers[kind]
    if (!handler) throw new Error(`no handler for ${kind}`)
    const { promise: abandoned, resolve: abandon } = Promise.withResolvers<undefined>()
    const controller = new AbortController()
    const abort = () => controller.abort()
    const leaseMs = job.lease_seconds * 1_000 - (clock.monotonic() - asked)
    const timer = setTimeout(() => {
      abort()
      abandon(undefined)
    }, leaseMs)
    const lease = { signal: controller.signal, onRenewed: () => void timer.refresh(), onLost: abort }
    const ended = Promise.race([attempt({ db, log }, handler, job, lease), abandoned])
    const landed = ended.then((due_in_ms) => {
      clearTimeout(timer)
      flights.delete(flight)
      if (due_in_ms !== undefined) polling.wakeIn(due_in_ms)
      if (isFull && !stopping) polling.wake()
    })
    const flight: Flight = { job, abort, abandon: () => abandon(undefined), landed }
    flights.add(flight)
  }

  /** Lets running jobs end in time. The rest are released, and no attempt is counted. */
  async function land() {
    unsubscribe()
    for (const { abort } of flights) abort()
    await waitToStop(polling.stop().then(() => Promise.all([...flights].map(({ landed }) => landed))))
    const left = [...flights]
    if (left.length === 0) return
    const jobs = left.map(({ job }) => job)
    const released = release(db, jobs).catch((error: unknown) => {
      log.error({ err: error }, 'leases could not be given back and will run out')
    })
    await Promise.race([released, wait(100)])
    for (const { abandon } of left) abandon()
  }

  return {
    /** Polls for due jobs now. */
    wake: polling.wake,
    /** Stops claiming and waits for running jobs; resolves within 5.2 s. */
    stop: () => (stopping ??= land()),
  }
}
