import { clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { type Bucket, createMemoryStore, type Place } from './memory-store.ts'
import { DOUBT_MS, type Patience } from './shared-link.ts'
import { openSharedStore } from './shared-store.ts'
import type { Reading } from './sliding-log.ts'

export type { Bucket }

/** `window` and `reset` in whole seconds; `reset` is the time until the oldest admission leaves the window. */
export type BucketState = { name: string; limit: number; window: number; remaining: number; reset: number }

/** `retryAfter` in whole seconds: at least 1 when refused, else 0. Disabled buckets are not in `buckets`. */
export type Verdict = { admitted: boolean; retryAfter: number; buckets: BucketState[] }

export type Limiter = {
  /**
   * Checks all buckets together and records one hit in each only if all admit. Never rejects. Synchronous when memory
   * decides, so the hot path needs no promise.
   */
  hit(buckets: readonly Bucket[]): Verdict | Promise<Verdict>
  /** Whether a hit would be admitted; records nothing. */
  peek(buckets: readonly Bucket[]): Verdict | Promise<Verdict>
  /** Who decides: memory by configuration, the shared store, or memory because the shared store does not answer. */
  state(): 'memory' | 'redis' | 'degraded'
  close(): Promise<void>
}

type Options = Patience & {
  service: string
  redisUrl?: string | undefined
  log: Logger
  monotonic?: () => number
}

/** A rate limiter with an exact sliding log in memory; with `redisUrl` all processes share one. */
export function createLimiter({
  service,
  redisUrl,
  log,
  monotonic = clock.monotonic,
  patience,
}: Options): Limiter {
  const memory = createMemoryStore()
  const now = () => Math.floor(monotonic())

  function askMemory(buckets: readonly Bucket[], isHit: boolean): Verdict {
    const time = now()
    const places = memory.look(buckets, time, true)
    const admitted = longestWait(places) === 0
    if (admitted && isHit) memory.record(places, time)
    return verdictOf(places, places, admitted)
  }
  const hitMemory = (buckets: readonly Bucket[]) => askMemory(buckets, true)
  const peekMemory = (buckets: readonly Bucket[]) => askMemory(buckets, false)
  if (redisUrl === undefined)
    return { hit: hitMemory, peek: peekMemory, state: () => 'memory', close: async () => {} }

  const store = openSharedStore(redisUrl, service, log, { patience })

  /**
   * The shared store decides. Every hit it admits is also recorded in memory, and memory can veto: a store that lost
   * its data or missed hits in an outage would grant a fresh quota. A complete store holds all that memory holds, so
   * there is no veto. While an answer is late, memory decides alone, and what it cannot know is recorded in the store.
   */
  async function hitShared(buckets: readonly Bucket[]): Promise<Verdict> {
    const before = memory.look(buckets, now())
    // A hit that memory refuses must not be recorded in the store, or it would use up quota.
    const mayRecord = longestWait(before) <= DOUBT_MS
    let isLate = false
    try {
      return await store.ask(before, mayRecord, ({ admits, readings }) => {
        const time = now()
        // Read again, because other hits were admitted meanwhile.
        const own = memory.look(buckets, time)
        memory.learn(own, readings, time)
        const admitted = mayRecord && admits && longestWait(own) <= DOUBT_MS
        if (admitted && !isLate) memory.record(own, time)
        const merged = own.map((mine, i) => merge(mine, readings[i] ?? mine))
        return verdictOf(own, merged, admitted)
      })
    } catch {
      isLate = true
      return hitMemory(buckets)
    }
  }

  async function peekShared(buckets: readonly Bucket[]): Promise<Verdict> {
    const places = memory.look(buckets, now())
    if (longestWait(places) > 0) return verdictOf(places, places, false)
    try {
      return await store.ask(places, false, ({ admits, readings }) => verdictOf(places, readings, admits))
    } catch {
      return peekMemory(buckets)
    }
  }

  return {
    peek: (buckets) => (store.isShared() ? peekShared(buckets) : peekMemory(buckets)),
    hit: (buckets) =>
      store.isShared() && buckets.some(({ limit }) => limit > 0) ? hitShared(buckets) : hitMemory(buckets),
    state: () => (store.isShared() ? 'redis' : 'degraded'),
    close: async () => store.close(),
  }
}

/**
 * The headers of every limited answer: RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), one
 * member per bucket, and Retry-After on a refusal. Nothing for a request without a limit.
 */
export function rateLimitHeaders({ admitted, retryAfter, buckets }: Verdict): Record<string, string> {
  if (buckets.length === 0) return {}
  return {
    'ratelimit-policy': buckets.map((one) => `"${one.name}";q=${one.limit};w=${one.window}`).join(', '),
    ratelimit: buckets.map((one) => `"${one.name}";r=${one.remaining};t=${one.reset}`).join(', '),
    ...(!admitted && { 'retry-after': String(retryAfter) }),
  }
}

/** Throws 429 if the request is over a limit. */
export function refuseOver(verdict: Verdict, what = 'requests'): void {
  if (verdict.admitted) return
  const detail = `Too many ${what}, come back in ${verdict.retryAfter} s`
  throw new ApiError(429, 'rate_limited', detail, { headers: rateLimitHeaders(verdict) })
}

/** The store's reading counts, unless memory knows of more than clock differences can explain. */
function merge(mine: Reading, theirs: Reading): Reading {
  const fuller = theirs.count >= mine.count ? theirs : mine
  return {
    count: fuller.count,
    wait: theirs.wait + DOUBT_MS >= mine.wait ? theirs.wait : mine.wait,
    reset: fuller.reset,
  }
}

const longestWait = (readings: readonly Reading[]) => Math.max(0, ...readings.map(({ wait }) => wait))

function verdictOf(places: readonly Place[], readings: readonly Reading[], admitted: boolean): Verdict {
  const buckets = places.map(({ bucket: { name, limit }, rate }, i): BucketState => {
    const { count, reset } = readings[i] as Reading
    const remaining = Math.max(0, limit - count - (admitted ? 1 : 0))
    return { name, limit, window: rate.w / 1000, remaining, reset: Math.ceil(reset / 1000) }
  })
  const retryAfter = admitted ? 0 : Math.max(1, Math.ceil(longestWait(readings) / 1000))
  return { admitted, retryAfter, buckets }
}
