import type { Database, Tx } from '#foundation/database/database.ts'
import { fillCollections } from './generate-collections.ts'
import { fillLearning } from './generate-learning.ts'
import { fillSso, type Seal } from './generate-sso.ts'
import { createWords, type Filling } from './generate-words.ts'

export const SERVICES = ['sso', 'learning', 'collections'] as const
export type Service = (typeof SERVICES)[number]

/** From this many rows on, a table is filled without its indexes, and its rows must not be used meanwhile. */
const MANY = 200_000

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
    learning: (tx: Tx) =>
      fillLearning(tx, { ...filling, people: filling.rows, rows: filling.channels ?? filling.rows }),
    collections: (tx: Tx) => fillCollections(tx, { ...filling, rows: filling.items ?? filling.rows }),
  }
  const { rows, progress = rows, items = rows, events = rows } = filling
  const isMany = Math.max(rows, progress, items, events) >= MANY
  const filled = await Promise.allSettled(
    services.map((service) =>
      db.pool.begin(async (tx) => {
        await tx`set local statement_timeout = 0`
        await createWords(tx, filling.seed)
        if (isMany) await leaveOut(tx, service)
        await fill[service](tx)
        if (isMany) await makeAgain(tx)
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

/**
 * Drops the foreign keys and the indexes that are not unique, until the end of the transaction: many rows are sorted at once for a
 * tenth of what it costs to put each into its place.
 */
export async function leaveOut(tx: Tx, service: Service): Promise<void> {
  await tx`set local maintenance_work_mem = '1GB'`
  await tx`
    create temporary table left_out on commit drop as
    select 2 as step, format('alter table %s drop constraint %I', conrelid::regclass, conname) as drops,
           format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as makes
      from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = ${service}::regnamespace
    union all
    select 1, format('drop index %s', indexrelid::regclass), replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
      from pg_index join pg_class on pg_class.oid = indexrelid
     where relnamespace = ${service}::regnamespace and not indisunique
       and not exists (select from pg_inherits where inhrelid = indexrelid)`
  await tx`do $$ declare one text; begin for one in select drops from left_out loop execute one; end loop; end $$`
}

export const makeAgain = (tx: Tx) =>
  tx`do $$ declare one text; begin for one in select makes from left_out order by step loop execute one; end loop; end $$`
