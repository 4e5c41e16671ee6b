import { Type, type Static } from 'typebox'
import { one, type Pool } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { requireOperator, requireOperatorNow } from '../../core/access/operator.ts'
import { countOldEvents } from '../../events/webhooks/retention.ts'
import { JOB_DAYS, SCHEDULE, type SweepName } from './retention.ts'
import { isOldSession, SWEEPS } from './sweeps.ts'

export type Due = Static<typeof Due>
export const Due = Type.Object({
  items: Type.Array(
    Type.Object({
      sweep: Type.String(),
      rows: Type.Integer(),
      /** Interval of the sweep. */
      every_seconds: Type.Integer(),
    }),
  ),
})

/** Dry run: counts the rows each sweep would take now. 403 for non-operators. */
export async function countDue({ database }: Pick<SsoParts, 'database'>, caller: Caller): Promise<Due> {
  requireOperator(caller)
  await database.transaction((tx) => requireOperatorNow(tx, caller))
  const items: Due['items'] = []
  // Sequential: each count may scan a whole table, and no other work should wait for a connection because of it.
  for (const { every_s, names } of SCHEDULE)
    for (const name of names)
      items.push({ sweep: name, rows: await countOf(database.pool, name), every_seconds: every_s })
  items.push({ sweep: 'webhook_events', rows: await countOldEvents(database.pool), every_seconds: 3_600 })
  return { items }
}

export async function countOf(pool: Pool, name: SweepName): Promise<number> {
  if (name === 'jobs')
    return totalOf(
      await pool`
      select count(*) as total from foundation.jobs
       where state = 'done' and finished_at < statement_timestamp() - make_interval(days => ${JOB_DAYS})`,
    )
  if (name === 'sessions')
    return totalOf(
      await pool`
      select count(*) as total from sso.sessions s join sso.sites i using (site_id) where ${isOldSession(pool)}`,
    )
  return totalOf(await pool`select count(*) as total from (${SWEEPS[name].old(pool)}) as old`)
}

const totalOf = (rows: readonly unknown[]) => (one(rows) as { total: number }).total
