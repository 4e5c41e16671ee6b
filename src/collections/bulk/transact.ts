import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Tx } from '#foundation/database.ts'
import { ApiError } from '#foundation/errors.ts'

const RETRIES = { every_ms: 200, times: 50 }

/** One transaction. Requests that wait for the database are told to come back; a job comes back by itself. */
export async function transact<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let time = 1; ; time++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'busy' || time === RETRIES.times) throw error
      await wait(RETRIES.every_ms)
    }
  }
}
