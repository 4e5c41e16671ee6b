import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '#foundation/database/database.ts'
import { onEnqueued } from '#foundation/jobs/jobs.ts'
import { startPolling, waitToStop } from '#foundation/jobs/polling.ts'
import type { Logger } from '#foundation/log.ts'
import { JOB_KINDS } from '../facts/events.ts'
import { claimDue, type Crew, type Due, giveBack, noteBegin } from './claim.ts'
import { attempt, type DeliveryParts, mayLeave } from './deliver.ts'
import type { HostRate } from './host-rate.ts'
import type { Settle } from './settle.ts'

export type CrewParts = DeliveryParts & {
  db: Database
  log: Logger
  settle: Settle
  rate: HostRate
  hostOf: (url: string) => string
  /** Makes every crew claim after so many ms: a result can move an endpoint from one crew to another. */
  wakeAllIn: (ms: number) => void
}

/** `hasMore`: more may be due than it had room for. After a failure it gets one request at a time until one succeeds. */
type Endpoint = { busy: number; hasMore: boolean; hasFailed: boolean }
const idle = (): Endpoint => ({ busy: 0, hasMore: false, hasFailed: false })

type CrewOptions = {
  crew: Crew
  /** Maximum concurrent requests: a partner may take up to 5 s to answer, and a slot costs next to nothing. */
  slots: number
  /** Maximum concurrent requests per endpoint. */
  perEndpoint: number
}

/** Delay in milliseconds that batches freed slots into one refill. */
const REFILL_MS = 2

/**
 * Sends the due deliveries of one crew until stopped. After a crash, its deliveries are claimed again when their leases
 * expire.
 */
export function startCrew(parts: CrewParts, { crew, slots, perEndpoint }: CrewOptions) {
  const { db, log, rate, hostOf, settle, wakeAllIn } = parts
  const flights = new Map<Due, Promise<void>>()
  /** Per endpoint: the number of requests in flight, and whether more deliveries may be waiting. */
  const endpoints = new Map<string, Endpoint>()
  let busy = 0
  /** More deliveries may be due than there were free slots. */
  let isFull = false
  let refill: NodeJS.Timeout | undefined
  let stopping: Promise<void> | undefined

  const polling = startPolling(log, async (isRefill) => {
    // Results not yet written hold no slot, but their number is limited.
    const limit = Math.min(slots - busy, slots + (slots >> 1) - flights.size)
    const isBroad = !isRefill || isFull
    isFull = limit <= 0
    if (isFull) return
    const rooms = new Map<string, number>()
    for (const [webhook_id, endpoint] of endpoints)
      if (isBroad || endpoint.hasMore)
        rooms.set(webhook_id, (endpoint.hasFailed ? 1 : perEndpoint) - endpoint.busy)
    if (!isBroad && rooms.size === 0) return
    const due = await claimDue(db, { crew, limit, perEndpoint, rooms, isRefill: !isBroad })
    isFull = due.length >= limit
    noteMore(due, rooms)
    if (stopping) return giveBack(db, due)
    await begin(due)
  })
  const unsubscribe = onEnqueued((kinds) => {
    if (kinds.has(JOB_KINDS.delivery)) polling.wake()
  })
  polling.wake()

  /** An endpoint that used all its room may have more deliveries waiting. */
  function noteMore(due: readonly Due[], rooms: ReadonlyMap<string, number>) {
    const given = Map.groupBy(due, ({ webhook_id }) => webhook_id)
    for (const webhook_id of new Set([...rooms.keys(), ...given.keys()])) {
      const endpoint = endpoints.get(webhook_id) ?? idle()
      endpoint.hasMore = (given.get(webhook_id)?.length ?? 0) >= (rooms.get(webhook_id) ?? perEndpoint)
      if (endpoint.hasMore || endpoint.busy > 0) endpoints.set(webhook_id, endpoint)
      else endpoints.delete(webhook_id)
    }
  }

  /** Sends what the host's rate limit allows now. The rest waits its turn and uses up no attempt. */
  async function begin(due: readonly Due[]) {
    try {
      const waits = await rate.take(
        due.filter(mayLeave).map(({ delivery_id, url, is_urgent }) => ({
          delivery_id,
          host: hostOf(url),
          isUrgent: is_urgent,
        })),
      )
      const postponed = due.filter(({ delivery_id }) => waits.has(delivery_id))
      const beginning = due.filter(({ delivery_id }) => !waits.has(delivery_id))
      if (postponed.length > 0) await giveBack(db, postponed, waits)
      for (const ms of new Set(waits.values())) polling.wakeIn(ms)
      if (postponed.length > 0) fillSoon()
      await noteBegin(
        db,
        beginning.filter(({ is_open }) => is_open),
      )
      for (const one of beginning) flights.set(one, deliver(one))
    } catch (error) {
      await giveBack(db, due).catch(() => {})
      throw error
    }
  }

  /** Makes one attempt and records its result. Never rejects. */
  async function deliver(due: Due): Promise<void> {
    const endpoint = endpoints.get(due.webhook_id) ?? idle()
    endpoints.set(due.webhook_id, endpoint)
    endpoint.busy++
    busy++
    const noted = await attempt(parts, due)
    const ending = settle({ due, noted })
    // A failure keeps its slot until it is written, so that the next claim knows that the endpoint fails.
    endpoint.hasFailed = noted.result !== 'delivered'
    if (endpoint.hasFailed) await ending
    endpoint.busy--
    busy--
    if (endpoint.busy === 0 && !endpoint.hasMore) endpoints.delete(due.webhook_id)
    if (endpoint.hasMore || isFull) fillSoon()
    const ended = await ending
    flights.delete(due)
    if (ended?.due_in_ms !== undefined) wakeAllIn(ended.due_in_ms)
    if (crew === 'failing' && ended?.state === 'delivered') wakeAllIn(0)
    if (isFull) fillSoon()
  }

  function fillSoon() {
    refill ??= setTimeout(() => {
      refill = undefined
      if (!stopping) polling.refill()
    }, REFILL_MS)
  }

  /** Waits for requests in flight until the stop deadline, then releases the leases of the rest. */
  async function land() {
    unsubscribe()
    await waitToStop(polling.stop().then(() => Promise.all(flights.values())))
    const left = [...flights.keys()]
    if (left.length === 0) return
    const given = giveBack(db, left).catch((error: unknown) => {
      log.error({ err: error }, 'deliveries could not be given back and wait for their leases')
    })
    await Promise.race([given, wait(100)])
  }

  return { wake: polling.wake, wakeIn: polling.wakeIn, stop: () => (stopping ??= land()) }
}
