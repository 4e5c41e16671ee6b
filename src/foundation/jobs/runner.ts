import { clock } from '../clock.ts'
import type { Database } from '../database.ts'
import type { Logger } from '../log.ts'
import { attempt, type ClaimEnd, type ClaimResult, type Handlers } from './attempt.ts'
import { attemptOfBatch, beginAll, createSettler, type OnWorked } from './batch.ts'
import { type Job, onEnqueued } from './jobs.ts'
import { countFailures } from './failing-lanes.ts'
import { endFlights, type Flight } from './flights.ts'
import { claimNext, claimOfLanes, release } from './leases.ts'

export type { Handler, Handlers } from './attempt.ts'
export type { BatchHandler } from './batch.ts'

export type RunnerOptions = {
  db: Database
  log: Logger
  handlers: Handlers
  /** Jobs whose work is under way at the same time. */
  maxInFlight?: number
  /** That many of these slots are for priority 0 only, so that a crowd of others never makes it wait. */
  urgentSlots?: number
}

export type RunnerStats = {
  in_flight: number
  /** How long the latest jobs had been due when they were claimed; 0 when none was due. */
  due_lag_ms: number
  /** Since the start, by kind. */
  claimEnds: Readonly<Record<string, Partial<Record<ClaimEnd, number>>>>
}

export type Runner = ReturnType<typeof startRunner>

const POLL_MS = 500
/** Jobs that end together make room for one claim together. */
const REFILL_MS = 2
/** Retries within this time are started to the millisecond; for later ones the poll is good enough. */
const PUNCTUAL_MS = 15_000
const PER_LANE = 8
/**
 * Runs due jobs until it is stopped. Signals only make it faster: the poll finds what was enqueued elsewhere, what
 * became due, and what a dead process left behind.
 */
export function startRunner({ db, log, handlers, maxInFlight = 64, urgentSlots = 0 }: RunnerOptions) {
  const kinds = Object.keys(handlers)
  const flights = new Map<string, Flight>() // by lease: a job whose lease ran out may be here twice
  const failures = countFailures()
  const claimEnds: Record<string, Partial<Record<ClaimEnd, number>>> = {}
  const timers = new Set<NodeJS.Timeout>()
  const settle = createSettler({ db, log })
  let dueLagMs = 0
  let claiming: Promise<void> | undefined
  let isAskedAgain = false
  let refill: NodeJS.Timeout | undefined
  let stopping: Promise<void> | undefined

  /** Somebody said that there may be something due which we do not know of. */
  let isAskedBroadly = false
  /** The last look ended because no slot was left. */
  let isShort = false
  /** Lanes that took all they may, and so may have more; those of them that have room again. */
  const full = new Set<string>()
  const freed = new Set<string>()

  const poll = setInterval(() => wake(), POLL_MS)
  const unsubscribe = onEnqueued((enqueued) => {
    if (kinds.some((kind) => enqueued.has(kind))) wake()
  })
  wake()

  /** Looks for anything that is due now, or once more after the claim that is under way. */
  function wake() {
    isAskedBroadly = true
    fill()
  }

  /** Fills the slots that have become free from the lanes that have more. */
  function fill() {
    if (stopping) return
    isAskedAgain = true
    claiming ??= claimWhileAsked().finally(() => (claiming = undefined))
  }

  async function claimWhileAsked() {
    while (isAskedAgain && !stopping) {
      isAskedAgain = false
      const isBroad = isAskedBroadly || isShort
      isAskedBroadly = false
      isShort = false
      try {
        if (isBroad) await claimBroadly()
        await claimFreed(isBroad)
      } catch (error) {
        log.error({ err: error }, 'jobs could not be claimed')
      }
    }
  }

  /** By priority and age, from all lanes but those that fail. Lanes that turn out full leave the others room. */
  async function claimBroadly() {
    dueLagMs = 0
    for (let isMore = true; isMore && !stopping;) {
      const { free, lanes, failing, kept } = slots()
      for (const lane of failing) lanes.set(lane, 0)
      const open = free - urgentSlots - kept
      const isUrgentOnly = open <= 0
      isShort = isUrgentOnly
      const limit = isUrgentOnly ? free : open
      if (limit <= 0 || (isUrgentOnly && urgentSlots === 0)) return
      const asked = clock.monotonic()
      const claimed = await claimNext(db, { kinds, room: PER_LANE, limit, lanes, isUrgentOnly })
      await take(claimed.jobs, asked)
      ;({ isMore } = claimed)
    }
  }

  /** Lanes that fail get one slot each and half of all together, so that they never crowd out those that work. */
  async function claimFreed(isBroad: boolean) {
    const { free, lanes, failing, inFailing } = slots()
    const isFailing = new Set(failing)
    const wanted = new Map<string, number>()
    let forFailing = (maxInFlight >> 1) - inFailing
    for (const lane of isBroad ? new Set([...failing, ...freed]) : freed) {
      const room = lanes.get(lane) ?? PER_LANE
      if (room <= 0 || (isFailing.has(lane) && forFailing-- <= 0)) continue
      wanted.set(lane, room)
    }
    const limit = free - urgentSlots
    if (wanted.size === 0 || stopping) return
    if (limit <= 0) {
      isShort = true
      return
    }
    for (const lane of wanted.keys()) freed.delete(lane)
    const asked = clock.monotonic()
    const jobs = await claimOfLanes(db, { kinds, limit, lanes: wanted })
    isShort ||= jobs.length >= limit
    const counts = Map.groupBy(jobs, (job) => job.lane)
    for (const [lane, room] of wanted) if ((counts.get(lane)?.length ?? 0) < room) full.delete(lane)
    await take(jobs, asked)
  }

  /** `asked` is before the leases began. */
  async function take(jobs: readonly Job[], asked: number) {
    if (stopping) return release(db, jobs)
    for (const { waited_ms } of jobs) dueLagMs = Math.max(dueLagMs, waited_ms)
    startAll(jobs, asked)
    for (const [lane, room] of slots().lanes) if (room <= 0) full.add(lane)
  }

  /** `lanes`: those that have less room than PER_LANE. `kept`: what lanes that work leave to lanes that fail. */
  function slots() {
    const lanes = new Map<string, number>()
    const failing = failures.lanes()
    for (const lane of failing) lanes.set(lane, 1)
    let working = 0
    let inFailing = 0
    for (const { job, isWorking } of flights.values()) {
      if (!isWorking) continue
      working++
      if (failures.has(job.lane)) inFailing++
      lanes.set(job.lane, (lanes.get(job.lane) ?? PER_LANE) - 1)
    }
    const kept = Math.max(0, Math.min(failing.length, maxInFlight >> 3) - inFailing)
    return {
      free: Math.min(maxInFlight - working, maxInFlight + (maxInFlight >> 1) - flights.size),
      lanes,
      failing,
      inFailing,
      kept,
    }
  }

  function startAll(jobs: readonly Job[], asked: number) {
    for (const job of jobs.filter(({ state }) => state === 'held')) {
      count(job, 'held')
      log.error(
        { job_id: job.job_id, kind: job.kind, claims: job.claims },
        'a job never finishes and is held',
      )
    }
    const live = jobs.filter(({ state }) => state !== 'held')
    for (const [kind, ofKind] of Map.groupBy(live, (job) => job.kind)) {
      const handler = handlers[kind]
      if (!handler) throw new Error(`no handler for ${kind}`)
      if (typeof handler === 'function') {
        for (const job of ofKind)
          start(job, asked, (signal, { onRenewed, onLost }) =>
            attempt({ db, log }, handler, job, { signal, onRenewed, onLost }),
          )
      } else {
        const begun = beginAll({ db, log }, handler, ofKind)
        for (const job of ofKind)
          start(job, asked, (signal, { onWorked }) =>
            attemptOfBatch({ log, settle }, handler, { job, begun, signal, onWorked }),
          )
      }
    }
  }

  type Hooks = Record<'onRenewed' | 'onLost', () => void> & { onWorked: OnWorked }

  /** `asked` is before the lease began, so that our timer never runs longer than the lease. */
  function start(job: Job, asked: number, run: (signal: AbortSignal, hooks: Hooks) => Promise<ClaimResult>) {
    const { promise: abandoned, resolve: abandon } = Promise.withResolvers<ClaimResult>()
    const controller = new AbortController()
    const abort = () => controller.abort()
    const runOut = () => {
      abort()
      abandon({ end: 'lost' })
    }
    const timer = setTimeout(runOut, job.lease_seconds * 1_000 - (clock.monotonic() - asked))
    const onWorked: OnWorked = ({ error, postponed_ms }) => {
      noteEnd(flight, postponed_ms === undefined ? error === undefined : undefined)
    }
    const hooks = { onRenewed: () => void timer.refresh(), onLost: abort, onWorked }
    const landed = Promise.race([run(controller.signal, hooks), abandoned]).then(({ end, due_in_ms }) => {
      clearTimeout(timer)
      flights.delete(job.lease_token)
      count(job, end)
      // What was given back is found by the next poll, so that a fault of ours does not become a busy loop.
      if (flight.isWorking && end !== 'released' && end !== 'lost') noteEnd(flight, end === 'done')
      else if (isShort) refill ??= startTimer(REFILL_MS, fill)
      if (due_in_ms !== undefined && due_in_ms <= PUNCTUAL_MS) startTimer(due_in_ms, wake)
    })
    const flight: Flight = { job, isWorking: true, abort, abandon, landed }
    flights.set(job.lease_token, flight)
  }

  /** The work is over and its slot is free. `isDone` undefined: it says nothing about the lane. */
  function noteEnd(flight: Flight, isDone: boolean | undefined) {
    const { lane } = flight.job
    flight.isWorking = false
    if (full.has(lane)) freed.add(lane)
    if (freed.size > 0 || isShort) refill ??= startTimer(REFILL_MS, fill)
    if (isDone !== undefined) failures.note(lane, isDone)
  }

  function startTimer(ms: number, run: () => void) {
    if (stopping) return undefined
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (timer === refill) refill = undefined
      run()
    }, ms)
    timers.add(timer)
    return timer
  }

  function count({ kind }: Job, end: ClaimEnd) {
    const ofKind = (claimEnds[kind] ??= {})
    ofKind[end] = (ofKind[end] ?? 0) + 1
  }

  async function land() {
    clearInterval(poll)
    unsubscribe()
    for (const timer of timers) clearTimeout(timer)
    await endFlights({ db, log }, flights, claiming)
  }

  return {
    /** Call after the commit of a transaction that enqueued: its jobs start at once instead of at the next poll. */
    wake,
    /** Stops claiming and waits for what is under way; resolves within 5.2 s. */
    stop: () => (stopping ??= land()),
    stats: (): RunnerStats => ({
      in_flight: flights.size,
      due_lag_ms: dueLagMs,
      claimEnds: structuredClone(claimEnds),
    }),
  }
}
