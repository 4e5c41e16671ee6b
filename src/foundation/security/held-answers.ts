import { setTimeout as wait } from 'node:timers/promises'
import { clock } from '../clock.ts'
import { limitKey } from '../rate-limit/address-key.ts'

export type Hold = {
  /** Runs the attempt. A result leaves at once, an error that `isHeld` not before its time. */
  error<T>(address: string, isHeld: (error: unknown) => boolean, attempt: () => Promise<T>): Promise<T>
  /** Runs the attempt. Its result and its errors leave at the same time. */
  everything<T>(address: string, attempt: () => Promise<T>): Promise<T>
}

/** Attempts of one address that take their turn; what comes on top of them has its fixed time only. */
const MAX_LINE = 60

type Line = { length: number; last: Promise<number> }

/**
 * Holds answers back until a fixed time after they were asked for, so that the work behind them cannot be read from a
 * watch. What is not ready then leaves at the next whole multiple. Attempts of one address that overlap leave one fixed
 * time after the other, in the order they came: together they would tell how long each of them took. `time`: in ms; 0
 * holds nothing. No connection and no slot for hashes is held meanwhile.
 */
export function createHold(time: () => number): Hold {
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
      // A timer may come a little early.
      for (let ms = left - now; ms > 0; ms = left - clock.monotonic()) await wait(Math.ceil(ms))
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

/** `before`: when the last of those that came earlier left by its fixed time; -Infinity where none did. */
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
