import { randomBytes } from 'node:crypto'
import { clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { type AttemptKey, createAttemptMemory } from './attempt-memory.ts'
import { openSharedAttempts } from './shared-attempts.ts'
import { DOUBT_MS, type Patience } from './shared-link.ts'

export type { AttemptKey, AttemptRule } from './attempt-memory.ts'

/**
 * If let in, the attempt counts as failed until it succeeds or is given back. Otherwise nothing was recorded, and
 * `wait` is the remaining time in milliseconds.
 */
export type Turn =
  | { isLetIn: false; wait: number }
  | {
      isLetIn: true
      /** The credential was right: uncounts the attempt and clears the keys that a success clears. */
      succeed(): Promise<void>
      /** The attempt was neither right nor wrong: uncounts it. */
      giveBack(): Promise<void>
    }

export type AttemptLog = {
  /**
   * Checks all keys together and counts one attempt in each only if all admit it. The count comes before the attempt,
   * so concurrent attempts get no more tries than sequential ones. Never rejects.
   */
  begin(keys: readonly AttemptKey[]): Promise<Turn>
  close(): void
}

type Options = Patience & {
  service: string
  redisUrl?: string | undefined
  log: Logger
  monotonic?: () => number
}

/** Counts failed attempts in memory; with `redisUrl` also in a store that all processes share. */
export function createAttemptLog({
  service,
  redisUrl,
  log,
  monotonic = clock.monotonic,
  patience,
}: Options): AttemptLog {
  const memory = createAttemptMemory()
  const shared = redisUrl === undefined ? undefined : openSharedAttempts(redisUrl, service, log, { patience })
  const now = () => Math.floor(monotonic())
  const process = randomBytes(9).toString('base64url')
  let count = 0

  /**
   * As in limiter.ts: attempts admitted by the shared store are also counted in memory, and memory can veto. A store
   * that lost its data would otherwise grant fresh attempts.
   */
  async function begin(keys: readonly AttemptKey[]): Promise<Turn> {
    const id = `${process}${++count}`
    const theirs = await shared?.begin(id, keys)
    const time = now()
    // Another process saw a success for this key.
    theirs?.clearedAgo.forEach((ago, i) => {
      const key = keys[i]
      if (key && ago !== undefined) memory.forget(key, time - ago)
    })
    if (theirs && theirs.wait > 0) return { isLetIn: false, wait: theirs.wait }
    const wait = memory.waitOf(keys, time)
    if (wait > (theirs ? DOUBT_MS : 0)) {
      if (theirs) await shared?.end(id, keys, false)
      return { isLetIn: false, wait }
    }
    memory.record(id, keys, time)
    const end = async (isRight: boolean) => {
      for (const key of keys)
        if (isRight && key.isClearedBySuccess) memory.forget(key, Infinity)
        else memory.giveBack(id, key)
      await shared?.end(id, keys, isRight)
    }
    return { isLetIn: true, succeed: () => end(true), giveBack: () => end(false) }
  }

  return { begin, close: () => shared?.close() }
}
