import { clock } from '#foundation/clock.ts'

const FAILURES = 3
const REST_MS = 10_000
const MAX_KEYS = 10_000

/**
 * Spares everybody the wait for a provider that does not answer: after three failures in a row it is left alone for ten
 * seconds, then one call tries it while the others go on without. Per process; each finds out for itself.
 */
export function createBreaker() {
  const troubled = new Map<string, { failures: number; until: number }>()
  return {
    /** Whether a call may be made now. */
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
