import { setTimeout as wait } from 'node:timers/promises'

/** How a process starts and stops. */
export type Life = {
  /** Cleanup functions; they run in reverse order. */
  closing: (() => Promise<unknown>)[]
  /** Aborted when the process is asked to stop: it still answers, but balancers should look elsewhere. */
  draining: AbortSignal
  /** Aborted when the process stops; a start in progress then ends at its next step. */
  stopping: AbortSignal
  /** The start, which a stop waits for. */
  starting: Promise<unknown>
  /** Since the start was complete: only then is there somebody to drain for. */
  isServing: boolean
  /** `exitCode`: after a fault nothing is drained. */
  close: (exitCode: number) => Promise<void>
}

export function openLife(drainSeconds: number): Life {
  const draining = new AbortController()
  const stopping = new AbortController()
  const life: Life = {
    closing: [],
    draining: draining.signal,
    stopping: stopping.signal,
    starting: Promise.resolve(),
    isServing: false,
    async close(exitCode) {
      draining.abort()
      if (exitCode === 0 && life.isServing) await wait(drainSeconds * 1_000)
      stopping.abort()
      // A start in progress stops at its next step, and what it has opened by then is closed as well.
      await life.starting.catch(() => {})
      for (const next of life.closing.splice(0).toReversed()) await next()
    },
  }
  return life
}
