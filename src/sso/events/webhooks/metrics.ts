import type { Database } from '#foundation/database/database.ts'
import type { Metrics } from '#foundation/metrics.ts'
import { waitingWork } from './waiting.ts'

/** Metrics for operators: delivery lag, queue size and results of attempts. */
export function measureWebhooks(metrics: Metrics, { pool }: Database) {
  metrics.gauges(
    'lyceum_webhook_due_lag_seconds',
    'How long the oldest webhook job of a class has been due without anybody having taken it',
    'class',
    async () => {
      const [lag] = await pool<{ back_channel: number; lifecycle: number }[]>`
        select coalesce(max(extract(epoch from clock_timestamp() - due_at)) filter (where priority = 0), 0)::float8
                 as back_channel,
               coalesce(max(extract(epoch from clock_timestamp() - due_at)) filter (where priority = 1), 0)::float8
                 as lifecycle
          from ${waitingWork(pool)} as work
         where due_at <= statement_timestamp() and not is_stuck
           and (lease_until is null or lease_until < statement_timestamp())`
      return { ...lag }
    },
  )
  metrics.gauges(
    'lyceum_webhook_deliveries',
    'Webhook deliveries that wait, failed within 30 days, or are held',
    'state',
    async () => {
      const [counts] = await pool<{ pending: number; failed: number; held: number }[]>`
        select (select count(*) from sso.webhook_deliveries where state = 'pending') as pending,
               (select count(*) from sso.webhook_deliveries where state = 'failed') as failed,
               (select count(*) from ${waitingWork(pool)} as work where is_stuck)
                 + (select count(*) from sso.webhook_endpoints w join sso.webhook_deliveries d using (webhook_id)
                     where w.status = 'disabled' and d.state = 'held') as held`
      return { ...counts }
    },
  )
  const attempts = metrics.counters(
    'lyceum_webhook_attempts_total',
    'Webhook attempts by how they ended: delivered, or the cause of the failure',
    'result',
  )
  return { countAttempt: (result: string) => attempts.inc(result) }
}
