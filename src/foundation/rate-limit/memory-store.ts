import { createLog, newestOf, pushTime, rateOf, readLog } from './sliding-log.ts'
import type { Rate, Reading, SlidingLog } from './sliding-log.ts'

/** A rate limit: `limit` hits per `window` seconds (default 60); 0 disables it. */
export type Bucket = { name: string; key: string; limit: number; window?: number }

/** The state of one bucket when it was read; `log` is undefined if the key has no admission. */
export type Place = Reading & { bucket: Bucket; rate: Rate; group: Group; log: KeyLog | undefined }

export type MemoryStore = {
  /** Reads every enabled bucket; `now` in whole monotonic milliseconds. `isAlone` counts in others, and allows no burst then. */
  look(buckets: readonly Bucket[], now: number, isAlone?: boolean): Place[]
  /** Keeps how many more hits than memory the shared store knows of. */
  learn(places: readonly Place[], theirs: readonly Reading[], now: number): void
  /** Records one hit in each place. */
  record(places: readonly Place[], now: number): void
  /** Number of keys, over all bucket names. */
  size(): number
}

/** `others` are hits of other processes, as the shared store told at `toldAt`. */
type Told = { others: number; toldAt: number }
type KeyLog = SlidingLog & Told & { key: string; isFull: boolean; previous: KeyLog; next: KeyLog }

const ASK_AGAIN_MS = 1_000

/**
 * The keys of one bucket name. Each name has its own group, so a flood of addresses evicts no user. Two rings ordered
 * by last admission: keys at their limit (`full`) and the rest (`open`).
 */
type Group = { rate: Rate; logs: Map<string, KeyLog>; open: KeyLog; full: KeyLog; openCount: number }

/**
 * Sliding logs in memory, at most `capacity` keys below their limit per name. Expired keys are evicted first, then the
 * least recently used key below its limit; to regain quota that way a client needs `capacity` other keys. A key at its
 * limit stays until it expires and does not count; its `limit` hits have paid for it.
 */
export function createMemoryStore(capacity = 100_000): MemoryStore {
  const groups = new Map<string, Group>()

  function look(buckets: readonly Bucket[], now: number, isAlone = false): Place[] {
    const places: Place[] = []
    for (const bucket of buckets) {
      if (bucket.limit <= 0) continue
      const group = groupOf(bucket)
      const { rate } = group
      const log = group.logs.get(bucket.key)
      const reading = log ? readLog(log, rate, now) : { count: 0, wait: 0, reset: rate.w }
      const others = isAlone && log ? othersOf(log, rate, now) : 0
      const count = reading.count + others
      const wait = others > 0 && count >= rate.n ? Math.max(ASK_AGAIN_MS, reading.wait) : reading.wait
      places.push({ bucket, rate, group, log, count, wait, reset: reading.reset })
    }
    return places
  }

  function learn(places: readonly Place[], theirs: readonly Reading[], now: number): void {
    places.forEach(({ bucket, group, log, count }, i) => {
      const others = Math.max(0, (theirs[i]?.count ?? 0) - count)
      if (log || others > 0) Object.assign(log ?? addKey(group, bucket.key, now), { others, toldAt: now })
    })
  }

  function record(places: readonly Place[], now: number): void {
    for (const { bucket, rate, group, log: known } of places) {
      // An earlier place of this request may have evicted the log.
      const log = known && known.next !== known ? known : addKey(group, bucket.key, now)
      pushTime(log, now)
      place(group, log, log.count >= rate.n)
    }
  }

  function addKey(group: Group, key: string, now: number): KeyLog {
    const present = group.logs.get(key)
    if (present) return present
    // Checks up to two keys per ring for each new key, so expired keys leave faster than new ones come, without a
    // timer.
    for (const ring of [group.full, group.open])
      for (let i = 0; i < 2 && ring.next !== ring && newestOf(ring.next) <= now - group.rate.w; i++)
        drop(group, ring.next)
    if (group.openCount >= capacity) drop(group, group.open.next)
    const log = createKeyLog(key)
    group.logs.set(key, log)
    group.openCount++
    return log
  }

  function groupOf({ name, limit, window = 60 }: Bucket): Group {
    const known = groups.get(name)
    if (known) {
      if (known.rate.n !== limit || known.rate.w !== window * 1000) known.rate = rateOf(limit, window)
      return known
    }
    const open = createKeyLog('')
    const full = createKeyLog('')
    const group = { rate: rateOf(limit, window), logs: new Map<string, KeyLog>(), open, full, openCount: 0 }
    groups.set(name, group)
    return group
  }

  const size = () => [...groups.values()].reduce((sum, { logs }) => sum + logs.size, 0)
  return { look, learn, record, size }
}

/** Nobody told when these leave the window, so they fade away over its length. */
const othersOf = ({ others, toldAt }: KeyLog, { w }: Rate, now: number): number =>
  Math.max(0, Math.ceil(others * (1 - (now - toldAt) / w)))

/** Moves a log to the most recent end of its ring. */
function place(group: Group, log: KeyLog, isFull: boolean): void {
  if (log.isFull !== isFull) group.openCount += isFull ? -1 : 1
  log.isFull = isFull
  unlink(log)
  const ring = isFull ? group.full : group.open
  log.next = ring
  log.previous = ring.previous
  ring.previous.next = log
  ring.previous = log
}

function drop(group: Group, log: KeyLog): void {
  unlink(log)
  group.logs.delete(log.key)
  if (!log.isFull) group.openCount--
}

function unlink(log: KeyLog): void {
  log.previous.next = log.next
  log.next.previous = log.previous
  log.previous = log
  log.next = log
}

/** A log that is in no ring points to itself. */
function createKeyLog(key: string): KeyLog {
  const log = { ...createLog(), key, isFull: false, others: 0, toldAt: 0 } as KeyLog
  log.previous = log
  log.next = log
  return log
}
