/** A limit in the letters of its definition: counts, and times in whole milliseconds. */
export type Rate = {
  /** Hits per window that always pass. */
  n: number
  /** The window. */
  w: number
  /** The short window that limits bursts above `n`. */
  b: number
  /** A burst passes only with fewer hits than this in the last `b`: twice the rate. */
  k: number
  /** Extra hits that a burst may take above `n`. */
  e: number
}

/** The state of one log before the hit is recorded. Times in milliseconds. */
export type Reading = {
  /** Admissions in the window. */
  count: number
  /** 0 if a hit is admitted now. Otherwise the time until it would be, if no other is admitted first. */
  wait: number
  /** Time until the oldest admission leaves the window; the whole window if there is none. */
  reset: number
}

/** Admission times, oldest first, in a ring buffer whose length is a power of two and that grows as needed. */
export type SlidingLog = { times: Float64Array; head: number; count: number }

const BURST_MS = 5_000
const SMALLEST = 4

/** K = ⌈2·N·B/W⌉ and E = ⌈N·B/W⌉. `limit` hits per `window` seconds, `limit` at least 1. */
export function rateOf(limit: number, window = 60): Rate {
  const w = window * 1000
  return {
    n: limit,
    w,
    b: BURST_MS,
    k: Math.ceil((2 * limit * BURST_MS) / w),
    e: Math.ceil((limit * BURST_MS) / w),
  }
}

export function createLog(): SlidingLog {
  return { times: new Float64Array(SMALLEST), head: 0, count: 0 }
}

/** Drops expired times, then reads. A hit is admitted if and only if c < N, or c < N + E and b < K. */
export function readLog(log: SlidingLog, rate: Rate, now: number): Reading {
  forget(log, now - rate.w)
  return {
    count: log.count,
    wait: waitOf(log, rate, now),
    reset: log.count === 0 ? rate.w : at(log, 0) + rate.w - now,
  }
}

/** Records an admission. `now` must not lie before the last one. */
export function pushTime(log: SlidingLog, now: number): void {
  if (log.count === log.times.length) resize(log, log.count * 2)
  log.times[(log.head + log.count) & (log.times.length - 1)] = now
  log.count++
}

/** The time of the newest admission; -Infinity for an empty log. */
export function newestOf(log: SlidingLog): number {
  return log.count === 0 ? -Infinity : at(log, log.count - 1)
}

function waitOf(log: SlidingLog, { n, w, b, k, e }: Rate, now: number): number {
  const c = log.count
  if (c < n) return 0
  // b < K holds if the K-th admission from the end is outside the last B, or does not exist.
  const kth = c < k ? -Infinity : at(log, c - k)
  if (c < n + e && kth <= now - b) return 0
  const underBurst = Math.max(c < n + e ? now : at(log, c - n - e) + w, kth + b)
  return Math.min(at(log, c - n) + w, underBurst) - now
}

/** Drops every time up to `limit`. Each admission is dropped once, so the amortized cost per hit is one step. */
function forget(log: SlidingLog, limit: number): void {
  if (newestOf(log) <= limit) log.count = 0
  while (log.count > 0 && at(log, 0) <= limit) {
    log.head = (log.head + 1) & (log.times.length - 1)
    log.count--
  }
  // Frees the memory of a past peak. The threshold is a quarter, not a half, so that a log near it does not resize at
  // every hit.
  if (log.times.length > SMALLEST && log.count < log.times.length / 4) {
    let length = SMALLEST
    while (length < log.count * 2) length *= 2
    resize(log, length)
  }
}

function resize(log: SlidingLog, length: number): void {
  const times = new Float64Array(length)
  const straight = log.times.subarray(log.head, log.head + log.count)
  times.set(straight)
  times.set(log.times.subarray(0, log.count - straight.length), straight.length)
  log.times = times
  log.head = 0
}

function at(log: SlidingLog, index: number): number {
  return log.times[(log.head + index) & (log.times.length - 1)] as number
}
