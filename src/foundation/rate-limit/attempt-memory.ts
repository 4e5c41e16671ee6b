/** A pause applies from `limit` attempts in `window` seconds on. */
export type AttemptRule = {
  limit: number
  window: number
  /**
   * `doubling`: 1 s from the latest attempt, then 2, 4 … at most 60. `window`: until enough have left the window that
   * fewer than `limit` remain.
   */
  pause: 'doubling' | 'window'
}

/** The key that attempts are counted under; each key has one rule. */
export type AttemptKey = { key: string; rule: AttemptRule; isClearedBySuccess: boolean }

type Attempt = { id: string; time: number }
type Entry = { rule: AttemptRule; attempts: Attempt[] }

/**
 * Milliseconds until the next attempt is admitted if no other comes first; 0 means now. `times` are those of the window,
 * oldest first. The pause shrinks as attempts leave the window, so this searches for the earliest moment.
 */
export function pauseAfter(times: readonly number[], { limit, window, pause }: AttemptRule, now: number) {
  const count = times.length
  if (count < limit) return 0
  const last = times[count - 1] ?? now
  let first = Infinity
  for (let left = count; left >= limit - 1; left--) {
    const since = left === count ? now : (times[count - left - 1] ?? now) + window * 1_000
    if (since >= first) break
    const open = left < limit ? since : pause === 'window' ? Infinity : last + doubled(left - limit)
    first = Math.min(first, Math.max(since, open))
  }
  return first - now
}

const doubled = (times: number) => Math.min(60_000, 1_000 * 2 ** times)

/**
 * Attempts by key, in memory, for at most `capacity` keys below their limit; the least recently used one is evicted.
 * Each attempt costs a hash or a looked-up challenge, so filling the memory takes most of a window. A key at its limit
 * stays until it expires.
 */
export function createAttemptMemory(capacity = 100_000) {
  // Least recent attempt first.
  const open = new Map<string, Entry>()
  const full = new Map<string, Entry>()

  /** The attempts within the window; older ones are dropped. */
  function attemptsOf({ key, rule }: AttemptKey, now: number): Attempt[] {
    const entry = open.get(key) ?? full.get(key)
    if (!entry) return []
    dropExpired(entry, now)
    if (entry.attempts.length < rule.limit && full.delete(key)) open.set(key, entry)
    return entry.attempts
  }

  function store(key: string, entry: Entry) {
    open.delete(key)
    full.delete(key)
    if (entry.attempts.length > 0) (entry.attempts.length < entry.rule.limit ? open : full).set(key, entry)
  }

  /**
   * Checks up to two keys per map for each new key, so expired keys leave faster than new ones come, without a timer.
   */
  function makeRoom(now: number) {
    for (const map of [open, full])
      for (let i = 0; i < 2; i++) {
        const [key, entry] = map.entries().next().value ?? []
        if (key === undefined || !entry) break
        dropExpired(entry, now)
        if (entry.attempts.length > 0) break
        map.delete(key)
      }
    const [idle] = open.size >= capacity ? open.keys() : []
    if (idle !== undefined) open.delete(idle)
  }

  return {
    waitOf(keys: readonly AttemptKey[], now: number): number {
      const waits = keys.map((key) => {
        const times = attemptsOf(key, now).map(({ time }) => time)
        return pauseAfter(times, key.rule, now)
      })
      return Math.max(0, ...waits)
    },

    record(id: string, keys: readonly AttemptKey[], now: number) {
      for (const key of keys) {
        const attempts = attemptsOf(key, now)
        if (attempts.length === 0) makeRoom(now)
        attempts.push({ id, time: now })
        store(key.key, { rule: key.rule, attempts })
      }
    },

    giveBack(id: string, { key, rule }: AttemptKey) {
      const entry = open.get(key) ?? full.get(key)
      if (entry) store(key, { rule, attempts: entry.attempts.filter((attempt) => attempt.id !== id) })
    },

    /** Drops the attempts up to the time `until`. */
    forget({ key, rule }: AttemptKey, until: number) {
      const entry = open.get(key) ?? full.get(key)
      if (entry) store(key, { rule, attempts: entry.attempts.filter(({ time }) => time > until) })
    },

    size: () => open.size + full.size,
  }
}

function dropExpired({ rule, attempts }: Entry, now: number) {
  let gone = 0
  while (gone < attempts.length && (attempts[gone]?.time ?? 0) <= now - rule.window * 1_000) gone++
  attempts.splice(0, gone)
}
