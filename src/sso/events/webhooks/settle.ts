import { setImmediate as turnOver, setTimeout as wait } from 'node:timers/promises'
import { type Database, isConnectionLoss, type Tx } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Logger } from '#foundation/log.ts'
import type { Attempted, Ended } from './record-attempts.ts'

/**
 * Returns undefined if the lease has passed to another process, or the result could not be written; the event is then
 * sent again.
 */
export type Settle = (attempted: Attempted) => Promise<Ended | undefined>

type Record = (tx: Tx, attempted: readonly Attempted[]) => Promise<ReadonlyMap<string, Ended>>
type Waiting = { attempted: Attempted; resolve: (ended: Ended | undefined) => void }

const MOST_AT_ONCE = 250
/** Two transactions share one disk flush, and new results need not wait for the previous transaction. */
const WRITERS = 2
/**
 * While the database is unavailable or full, results wait as long as a lease; after that other processes take over.
 */
const RETRIES = { every_ms: 200, times: 50 }

/**
 * Writes the results of attempts in groups: those that end while two transactions are running share the next one,
 * without extra delay. A result that cannot be written does not block the others.
 */
export function createSettler({ db, log, record }: { db: Database; log: Logger; record: Record }): Settle {
  const waiting: Waiting[] = []
  let writers = 0

  async function writeAll() {
    writers++
    while (waiting.length > 0) {
      await turnOver()
      const some = waiting.splice(0, MOST_AT_ONCE)
      if (some.length > 0) await writeSome(some)
    }
    writers--
  }

  async function writeSome(some: readonly Waiting[]): Promise<void> {
    try {
      const ended = await patiently(() =>
        db.transaction((tx) =>
          record(
            tx,
            some.map(({ attempted }) => attempted),
          ),
        ),
      )
      for (const { attempted, resolve } of some) resolve(ended.get(attempted.due.delivery_id))
    } catch (error) {
      if (some.length > 1 && !isAway(error)) {
        for (const one of some) await writeSome([one])
        return
      }
      log.error({ err: error, deliveries: some.length }, 'the ends of attempts could not be recorded')
      for (const { resolve } of some) resolve(undefined)
    }
  }

  return (attempted) =>
    new Promise((resolve) => {
      waiting.push({ attempted, resolve })
      if (writers < WRITERS) void writeAll()
    })
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let time = 1; ; time++) {
    try {
      return await work()
    } catch (error) {
      if (time === RETRIES.times || !isAway(error)) throw error
      await wait(RETRIES.every_ms)
    }
  }
}

const isAway = (error: unknown) =>
  isConnectionLoss(error) || (error instanceof ApiError && error.status === 503)
