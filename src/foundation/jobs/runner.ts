import { setTimeout as wait } from 'node:timers/promises'
import { clock } from '../clock.ts'
import type { Database } from '../database.ts'
import type { Logger } from '../log.ts'
import { attempt, type Ending, type Handlers } from './attempt.ts'
import { claim, type Job, release } from './jobs.ts'

export type { Handler, Handlers } from './attempt.ts'

export type RunnerOptions = { db: Database; log: Logger; handlers: Handlers; maxInFlight?: number }

export type RunnerStats = {
  in_flight: number
  /** How long the latest jobs had been due when they were claimed; 0 when none was due. */
  due_lag_ms: number
  /** Since the start, by kind. */
  endings: Readonly<Record<string, Partial<Record<Ending, number>>>>
}

export type Runner = ReturnType<typeof startRunner>

const POLL_MS = 500
/** Jobs that end together make room for one claim together. */
const REFILL_MS = 5
/** Retries within this time are started to the millisecond; for later ones the poll is good enough. */
const PUNCTUAL_MS = 15_000
const PER_LANE = 8
/** From this many failures in a row on, a lane gets one slot: a dead endpoint must not hold eight. */
const FAILURES_IN_A_ROW = 3
/** Were there more failing lanes than this, forgetting the oldest gives it eight slots until it has failed again. */
const MAX_FAILING_LANES = 10_000
/** A call to a stranger ends after 5 s; a little more for what it records. */
const STOP_MS = 5_100

type Flight = {
  job: Job
  abort: () => void
  abandon: (how: { ending: Ending }) => void
  landed: Promise<void>
}

/**
 * Runs due jobs until it is stopped. Signals only make it faster: the poll finds what was enqueued elsewhere, what
 * became due, and what a dead process left behind.
 */
export function startRunner({ db, log, handlers, maxInFlight = 64 }: RunnerOptions) {
  const kinds = Object.keys(handlers)
  const flights = new Map<string, Flight>() // by lease: a job whose lease ran out may be here twice
  const failures = new Map<string, number>()
  const endings: Record<string, Partial<Record<Ending, number>>> = {}
  const timers = new Set<NodeJS.Timeout>()
  let dueLagMs = 0
  let claiming: Promise<void> | undefined
  let isAskedAgain = false
  let refill: NodeJS.Timeout | undefined
  let stopping: Promise<void> | undefined

  const poll = setInterval(() => wake(), POLL_MS)
  wake()

  /** Claims now, or once more after the claim that is under way. */
  function wake() {
    if (stopping) return
    isAskedAgain = true
    claiming ??= claimWhileAsked().finally(() => (claiming = undefined))
  }

  async function claimWhileAsked() {
    while (isAskedAgain && !stopping) {
      isAskedAgain = false
      try {
        await claimAll()
      } catch (error) {
        log.error({ err: error }, 'jobs could not be claimed')
      }
    }
  }

  /** Fills the free slots. Lanes that turn out full leave the others room, so one pass may take several claims. */
  async function claimAll() {
    let lag = 0
    while (!stopping && flights.size < maxInFlight) {
      const asked = clock.monotonic()
      const jobs = await claim(db, {
        kinds,
        limit: maxInFlight - flights.size,
        lanes: roomByLane(),
        room: PER_LANE,
      })
      if (stopping) return release(db, jobs)
      lag = Math.max(lag, ...jobs.map((job) => job.waited_ms))
      dueLagMs = lag
      for (const job of jobs) start(job, asked)
      if (jobs.length === 0) return
    }
  }

  /** The lanes that have less room than PER_LANE. */
  function roomByLane() {
    const room = new Map<string, number>()
    for (const [lane, inARow] of failures) if (inARow >= FAILURES_IN_A_ROW) room.set(lane, 1)
    for (const { job } of flights.values()) room.set(job.lane, (room.get(job.lane) ?? PER_LANE) - 1)
    return room
  }

  /** `asked` is before the lease began, so that our timer never runs longer than the lease. */
  function start(job: Job, asked: number) {
    if (job.state === 'held') {
      count(job, 'held')
      log.error(
        { job_id: job.job_id, kind: job.kind, claims: job.claims },
        'a job never finishes and is held',
      )
      return
    }
    const { promise: abandoned, resolve: abandon } = Promise.withResolvers<{
      ending: Ending
      due_in_ms?: number
    }>()
    const controller = new AbortController()
    const abort = () => controller.abort()
    const runOut = () => {
      abort()
      abandon({ ending: 'lost' })
    }
    const timer = setTimeout(runOut, job.lease_seconds * 1_000 - (clock.monotonic() - asked))
    const lease = { signal: controller.signal, onRenewed: () => void timer.refresh(), onLost: abort }
    const landed = Promise.race([attempt({ db, log, handlers }, job, lease), abandoned]).then(
      ({ ending, due_in_ms }) => {
        clearTimeout(timer)
        flights.delete(job.lease_token)
        count(job, ending)
        if (ending === 'done') failures.delete(job.lane)
        if (ending === 'retried' || ending === 'failed') noteFailure(job.lane)
        if (due_in_ms !== undefined && due_in_ms <= PUNCTUAL_MS) wakeIn(due_in_ms)
        refill ??= wakeIn(REFILL_MS)
      },
    )
    flights.set(job.lease_token, { job, abort, abandon, landed })
  }

  function noteFailure(lane: string) {
    const inARow = failures.get(lane) ?? 0
    failures.delete(lane) // set again, it is the youngest
    failures.set(lane, inARow + 1)
    const [oldest] = failures.size > MAX_FAILING_LANES ? failures.keys() : []
    if (oldest !== undefined) failures.delete(oldest)
  }

  function wakeIn(ms: number) {
    if (stopping) return undefined
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (timer === refill) refill = undefined
      wake()
    }, ms)
    timers.add(timer)
    return timer
  }

  function count({ kind }: Job, ending: Ending) {
    const ofKind = (endings[kind] ??= {})
    ofKind[ending] = (ofKind[ending] ?? 0) + 1
  }

  /** What is under way may end; what has not ended by then is given back, and no attempt is spent on it. */
  async function land() {
    clearInterval(poll)
    for (const timer of timers) clearTimeout(timer)
    for (const { abort } of flights.values()) abort()
    const late = new AbortController()
    const landed = async () => {
      await claiming
      await Promise.all([...flights.values()].map((flight) => flight.landed))
      late.abort()
    }
    await Promise.race([landed(), wait(STOP_MS, undefined, { signal: late.signal }).catch(() => {})])
    const left = [...flights.values()]
    if (left.length === 0) return
    const jobs = left.map(({ job }) => job)
    const released = release(db, jobs).catch((error: unknown) => {
      log.error({ err: error }, 'leases could not be given back and will run out')
    })
    await Promise.race([released, wait(100)])
    for (const { abandon } of left) abandon({ ending: 'released' })
  }

  return {
    /** Call after the commit of a transaction that enqueued: its jobs start at once instead of at the next poll. */
    wake,
    /** Stops claiming and waits for what is under way; resolves within 5.2 s. */
    stop: () => (stopping ??= land()),
    stats: (): RunnerStats => ({
      in_flight: flights.size,
      due_lag_ms: dueLagMs,
      endings: structuredClone(endings),
    }),
  }
}
