import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Tx } from '#foundation/database/database.ts'

/**
 * A race with a fixed winner: `change` holds its locks until `act` waits for one of them, then commits. Returns the
 * result of `act`. Fails if `act` never waits, because then it did not read what changed.
 */
export async function overtaken<T>(
  db: Database,
  change: (tx: Tx) => Promise<unknown>,
  act: () => Promise<T>,
): Promise<T> {
  const acting = await db.pool.begin(async (tx) => {
    await change(tx)
    const answer = act()
    await untilSomebodyWaits(db)
    return { answer }
  })
  return acting.answer
}

/** Fails after two seconds. */
export async function untilSomebodyWaits(db: Database) {
  for (let i = 0; i < 400; i++) {
    const waiting = await db.fast`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length > 0) return
    await sleep(5)
  }
  assert.fail('nobody waited for a lock within two seconds')
}
