/** From this many failures in a row on, a lane gets one slot: a dead endpoint must not hold eight. */
const FAILURES_IN_A_ROW = 3
/** Were there more failing lanes than this, forgetting the oldest gives it eight slots until it has failed again. */
const MAX_FAILING_LANES = 10_000

/** Which lanes fail again and again. One success is enough to be no such lane. */
export function countFailures() {
  const inARow = new Map<string, number>()
  return {
    lanes: () => [...inARow].filter(([, count]) => count >= FAILURES_IN_A_ROW).map(([lane]) => lane),
    has: (lane: string) => (inARow.get(lane) ?? 0) >= FAILURES_IN_A_ROW,
    note(lane: string, isDone: boolean) {
      const count = inARow.get(lane) ?? 0
      inARow.delete(lane) // set again, it is the youngest
      if (isDone) return
      inARow.set(lane, count + 1)
      const [oldest] = inARow.size > MAX_FAILING_LANES ? inARow.keys() : []
      if (oldest !== undefined) inARow.delete(oldest)
    },
  }
}
