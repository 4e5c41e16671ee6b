import { randomBytes } from 'node:crypto'
import { clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { type AttemptKey, createAttemptMemory } from './attempt-memory.ts'
import { openSharedAttempts } from './shared-attempts.ts'
import { DOUBT_MS } from './shared-link.ts'

export type { AttemptKey, AttemptRule } from './attempt-memory.ts'

/**
 * Let in: the attempt counts as failed from now on, until it is given back or succeeds. Otherwise `wait` says how many
 * milliseconds are left; nothing was recorded.
 */
export type Turn =
  | { isLetIn: false; wait: number }
  | {
      isLetIn: true
      /** The attempt was right: what it counted is given back, and keys that a success clears are cleared. */
      succeed(): Promise<void>
      /** The attempt was neither right nor wrong. */
      giveBack(): Promise<void>
    }

export type AttemptLog = {
  /**
   * Tests all keys together and counts one attempt in each only if all let it in. Counting comes before the attempt, so
   * that of any number at once no more are let in than one after the other. Never rejects.
   */
  begin(keys: readonly AttemptKey[]): Promise<Turn>
  close(): void
}

type Options = { service: string; redisUrl?: string | undefined; log: Logger; monotonic?: () => number }

/** Failed attempts in memory; with `redisUrl` shared with every other process. */
export function createAttemptLog({
  service,
  redisUrl,
  log,
  monotonic = clock.monotonic,
}: Options): AttemptLog {
  const memory = createAttemptMemory()
  const shared = redisUrl === undefined ? undefined : openSharedAttempts(redisUrl, service, log)
  const now = () => Math.floor(monotonic())
  const process = randomBytes(9).toString('base64url')
  let count = 0

  /**
   * As in limiter.ts: every attempt the shared store lets in is counted in memory too, and memory vetoes what it knows to
   * be too much, since a store that lost its data would hand out fresh attempts.
   */
  async function begin(keys: readonly AttemptKey[]): Promise<Turn> {
    const id = `${process}${++count}`
    const theirs = await shared?.begin(id, keys)
    const time = now()
    // A success that another process saw.
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
