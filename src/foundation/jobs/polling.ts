import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '../log.ts'

const POLL_MS = 500
/**
 * A retry due within this time starts to the millisecond; later ones wait for the poll. The longest punctual delay is
 * 15 s; the rest is room for times that the database rounds up.
 */
const PUNCTUAL_MS = 15_500
/** An outbound call ends after 5 s; the rest is time to record its result. */
const STOP_MS = 5_100

/**
 * Calls `claim` when woken and every half second, never concurrently. If woken during a claim, it claims again.
 * `isRefill`: the only reason is that the caller has free capacity again.
 */
export function startPolling(log: Logger, claim: (isRefill: boolean) => Promise<void>) {
  let asked: 'for all' | 'for more' | undefined
  let isStopped = false
  let claiming: Promise<void> | undefined

  async function claimWhileAsked() {
    while (asked && !isStopped) {
      const isRefill = asked === 'for more'
      asked = undefined
      try {
        await claim(isRefill)
      } catch (error) {
        log.error({ err: error }, 'jobs could not be claimed')
      }
    }
    claiming = undefined
  }

  function wake() {
    asked = 'for all'
    claiming ??= claimWhileAsked()
  }

  function refill() {
    asked ??= 'for more'
    claiming ??= claimWhileAsked()
  }

  const poll = setInterval(wake, POLL_MS)
  return {
    wake,
    refill,
    wakeIn: (ms: number) => {
      if (ms <= PUNCTUAL_MS) setTimeout(() => isStopped || wake(), ms).unref()
    },
    /** Resolves when the running claim has ended. */
    async stop() {
      isStopped = true
      clearInterval(poll)
      await claiming
    },
  }
}

/** Waits for running work, at most STOP_MS. */
export async function waitToStop(work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const time = wait(STOP_MS, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([work.finally(() => over.abort()), time])
}
