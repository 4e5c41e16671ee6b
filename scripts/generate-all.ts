import type { Database, Tx } from '#foundation/database/database.ts'
import { fillCollections } from './generate-collections.ts'
import { fillLearning } from './generate-learning.ts'
import { fillSso, type Seal } from './generate-sso.ts'
import { createWords, type Filling } from './generate-words.ts'

export const SERVICES = ['sso', 'learning', 'collections'] as const
export type Service = (typeof SERVICES)[number]

/**
 * Fills the services, each in one transaction and side by side where the pool has connections, and gathers statistics, so that
 * plans are those of a database that has run for long.
 */
export async function generate(
  db: Pick<Database, 'pool'>,
  filling: Filling,
  seal: Seal,
  services: readonly Service[] = SERVICES,
): Promise<void> {
  const fill = {
    sso: (tx: Tx) => fillSso(tx, filling, seal),
    learning: (tx: Tx) => fillLearning(tx, filling),
    collections: (tx: Tx) => fillCollections(tx, filling),
  }
  const filled = await Promise.allSettled(
    services.map((service) =>
      db.pool.begin(async (tx) => {
        await tx`set local statement_timeout = 0`
        await createWords(tx, filling.seed)
        await fill[service](tx)
      }),
    ),
  )
  for (const one of filled) if (one.status === 'rejected') throw one.reason
  const lane = await db.pool.reserve()
  try {
    await lane`set statement_timeout = 0`
    await lane`vacuum (analyze)`
  } finally {
    await lane`reset statement_timeout`
    lane.release()
  }
}
