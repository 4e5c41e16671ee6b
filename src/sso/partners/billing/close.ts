import type { Database } from '#foundation/database/database.ts'
import type { SsoParts } from '../../core/parts.ts'
import { CENTS_PER_MONTH, CENTS_PER_REGISTRATION } from '../../core/ledger.ts'

/** Delay after the end of a month before it is closed, so that no transaction begun in it is still open. */
const AFTER_HOURS = 1
const BATCH = 100
const EVERY_MS = 600_000

/**
 * Closes ended months: recounts their usage orders from the ledger and makes them final. An order cannot be paid before
 * that. Safe to run concurrently. Returns the number of closed orders.
 */
export async function closeMonths(db: Database): Promise<number> {
  for (let closed = 0; ;) {
    const rows = await db.pool`
      with due as (
        select order_id, site_id, period_start from sso.orders
         where kind = 'registration_usage' and closed_at is null
           and period_end <= statement_timestamp() - make_interval(hours => ${AFTER_HOURS})
         order by period_end, order_id limit ${BATCH} for update skip locked),
      counted as (
        select order_id, count(*)::int as registrations
          from due join sso.billing_ledger l on l.site_id = due.site_id and l.month = due.period_start
         group by order_id)
      update sso.orders o
         set registrations = c.registrations, closed_at = clock_timestamp(),
             amount = least(${CENTS_PER_REGISTRATION} * c.registrations, ${CENTS_PER_MONTH})
        from counted c where o.order_id = c.order_id`
    closed += rows.count
    if (rows.count < BATCH) return closed
  }
}

/** Closes ended months periodically until stopped. Runs in every process. */
export function startClosing({ database, log }: Pick<SsoParts, 'database' | 'log'>) {
  let closing = Promise.resolve()
  const timer = setInterval(() => {
    closing = closeMonths(database).then(
      (months) => {
        if (months > 0) log.info({ months }, 'usage orders closed')
      },
      (error: unknown) => log.error({ err: error }, 'usage orders could not be closed'),
    )
  }, EVERY_MS).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await closing
    },
  }
}
