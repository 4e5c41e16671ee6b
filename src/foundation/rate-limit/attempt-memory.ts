/** From `limit` attempts in `window` seconds on, the next one has to wait. */
export type AttemptRule = {
  limit: number
  window: number
  /**
   * `doubling`: 1 s from the latest attempt, then 2, 4 … at most 60. `window`: until so many have left the window that
   * fewer than `limit` remain.
   */
  pause: 'doubling' | 'window'
}

/** What attempts are counted under; one key belongs to one rule. */
export type AttemptKey = { key: string; rule: AttemptRule; isClearedBySuccess: boolean }

type Attempt = { id: string; time: number }
type Entry = { rule: AttemptRule; attempts: Attempt[] }

/**
 * Milliseconds until the next attempt is let in, if none is meanwhile; 0: now. `times` are those of the window, oldest
 * first. As attempts leave the window the pause gets shorter, so the first moment is searched over what may have left.
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
 * Attempts by key, in memory. At most `capacity` keys below their limit: the one that was idle longest makes room. Each
 * attempt costs a hash or a looked-up challenge, so filling that takes most of a window. A key at its limit stays until
 * it has expired.
 */
export function createAttemptMemory(capacity = 100_000) {
  // In the order of the latest attempt.
  const open = new Map<string, Entry>()
  const full = new Map<string, Entry>()

  /** The attempts of the window; what has left it is dropped. */
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

  /** Two for one: expired keys go faster than new ones come, without a timer. */
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
    /** The longest pause of all keys, in milliseconds. */
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

    /** Drops the attempts up to `until`. */
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
