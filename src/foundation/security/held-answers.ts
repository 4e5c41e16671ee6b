import { setTimeout as wait } from 'node:timers/promises'
import { clock } from '../clock.ts'
import { limitKey } from '../rate-limit/address-key.ts'

export type Hold = {
  /** Runs the attempt. A result is returned at once; an error for which `isHeld` is true is delayed. */
  error<T>(address: string, isHeld: (error: unknown) => boolean, attempt: () => Promise<T>): Promise<T>
  /** Runs the attempt. Its result and its errors are delayed alike. */
  everything<T>(address: string, attempt: () => Promise<T>): Promise<T>
}

/** Maximum queue of one address. Further attempts get the fixed delay without a place in the queue. */
const MAX_LINE = 60

type Line = { length: number; last: Promise<number> }

/**
 * Delays answers to a fixed time in ms after the request (0: no delay), or its next multiple, against timing attacks.
 * Overlapping attempts of one address leave one fixed time apart, in order of arrival, because together they would
 * reveal how long each took. Holds no connection or hash slot meanwhile.
 */
export function createHold(time: () => number, pause: (ms: number) => Promise<unknown> = wait): Hold {
  const lines = new Map<string, Line>()

  async function run<T>(
    address: string,
    { isHeld, attempt }: { isHeld: (error?: unknown) => boolean; attempt: () => Promise<T> },
  ): Promise<T> {
    const came = clock.monotonic()
    const place = takePlace(lines, limitKey(address))
    let left = -Infinity
    const leave = async () => {
      const from = Math.max(came, await place.before)
      const now = clock.monotonic()
      left = from + time() * Math.max(1, Math.ceil((now - from) / time()))
      // A timer may fire slightly early.
      for (let ms = left - now; ms > 0; ms = left - clock.monotonic()) await pause(Math.ceil(ms))
    }
    try {
      const result = await attempt()
      if (isHeld()) await leave()
      return result
    } catch (error) {
      if (isHeld(error)) await leave()
      throw error
    } finally {
      place.leave(left)
    }
  }

  return {
    error: (address, isHeld, attempt) =>
      time() === 0
        ? attempt()
        : run(address, { isHeld: (error) => error !== undefined && isHeld(error), attempt }),
    everything: (address, attempt) =>
      time() === 0 ? attempt() : run(address, { isHeld: () => true, attempt }),
  }
}

/** `before`: when the latest delayed answer ahead of this one left; -Infinity if there was none. */
function takePlace(lines: Map<string, Line>, key: string) {
  const line = lines.get(key) ?? { length: 0, last: Promise.resolve(-Infinity) }
  const before = line.length < MAX_LINE ? line.last : Promise.resolve(-Infinity)
  const { promise, resolve } = Promise.withResolvers<number>()
  line.length++
  line.last = promise
  lines.set(key, line)
  return {
    before,
    leave(left: number) {
      void before.then((earlier) => {
        resolve(Math.max(left, earlier))
        if (--line.length === 0) lines.delete(key)
      })
    },
  }
}
