import { clock } from '#foundation/clock.ts'

const FAILURES = 3
const REST_MS = 10_000
const MAX_KEYS = 10_000

/**
 * Circuit breaker for a provider that does not answer. After three failures in a row it blocks calls for ten seconds;
 * then one call tries again while the others stay blocked. State is per process.
 */
export function createBreaker() {
  const troubled = new Map<string, { failures: number; until: number }>()
  return {
    admits(key: string): boolean {
      const state = troubled.get(key)
      if (!state || state.failures < FAILURES) return true
      if (clock.monotonic() < state.until) return false
      state.until = clock.monotonic() + REST_MS
      return true
    },
    note(key: string, hasAnswered: boolean): void {
      const failures = (troubled.get(key)?.failures ?? 0) + 1
      troubled.delete(key)
      if (hasAnswered) return
      troubled.set(key, { failures, until: clock.monotonic() + REST_MS })
      const [eldest] = troubled.keys()
      if (troubled.size > MAX_KEYS && eldest !== undefined) troubled.delete(eldest)
    },
  }
}
