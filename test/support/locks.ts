import type { Database, Tx } from '#foundation/database/database.ts'
import { eventually } from './eventually.ts'

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

/**
 * A race with a fixed order: `hold` locks a row that both acts need, each comes to it in turn, then both are let go.
 * PostgreSQL gives a row to those who wait for it in the order of their coming.
 */
export async function inTurn<A, B>(
  db: Database,
  hold: (tx: Tx) => Promise<unknown>,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  const acting = await db.pool.begin(async (tx) => {
    await hold(tx)
    const one = first()
    await untilSomebodyWaits(db)
    const other = second()
    await untilSomebodyWaits(db, 2)
    return { answers: Promise.all([one, other]) }
  })
  return acting.answers
}

export const untilSomebodyWaits = (db: Database, most = 1) =>
  eventually(
    () =>
      db.fast`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    (waiting) => waiting.length >= most,
  )
