import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '../log.ts'

const POLL_MS = 500
/** A retry within this time starts to the millisecond; for a later one the poll is good enough. */
const PUNCTUAL_MS = 15_000
/** A call to a stranger ends after 5 s; a little more for what it records. */
const STOP_MS = 5_100

/**
 * Calls `claim` when it is woken and every half second, never twice at once. Woken while it claims, it claims again.
 * `isRefill`: nobody but the caller itself asked, because it has room again.
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
    wakeIn(ms: number) {
      if (ms <= PUNCTUAL_MS) setTimeout(() => isStopped || wake(), ms).unref()
    },
    /** Resolves when the claim that is under way has ended. */
    async stop() {
      isStopped = true
      clearInterval(poll)
      await claiming
    },
  }
}

/** Waits for work that is under way, for as long as a stop may take. */
export async function waitToStop(work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const time = wait(STOP_MS, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([work.finally(() => over.abort()), time])
}
