import type { Database } from '#foundation/database.ts'
import type { Metrics } from '#foundation/metrics.ts'
import { JOB_KINDS } from '../facts/events.ts'

/** What an operator watches: how late we are, what waits, how attempts end. */
export function measureWebhooks(metrics: Metrics, { pool }: Database) {
  const kinds = Object.values(JOB_KINDS)
  metrics.gauges(
    'lyceum_webhook_due_lag_seconds',
    'How long the oldest webhook job of a class has been due without anybody having taken it',
    'class',
    async () => {
      const [lag] = await pool<{ back_channel: number; lifecycle: number }[]>`
        select coalesce(max(extract(epoch from clock_timestamp() - run_at)) filter (where priority = 0), 0)::float8
                 as back_channel,
               coalesce(max(extract(epoch from clock_timestamp() - run_at)) filter (where priority = 1), 0)::float8
                 as lifecycle
          from unnest(array[0, 1]) as p (priority) cross join lateral (
            select run_at from foundation.jobs j
             where j.state = 'pending' and j.priority = p.priority and j.run_at <= statement_timestamp()
               and j.kind = any(${kinds}) and (j.lease_until is null or j.lease_until < statement_timestamp())
             order by j.run_at limit 1) oldest`
      return { ...lag }
    },
  )
  metrics.gauges(
    'lyceum_webhook_deliveries',
    'Webhook deliveries that wait, failed within 30 days, or are held',
    'state',
    async () => {
      const [counts] = await pool<{ pending: number; failed: number; held: number }[]>`
        select (select count(*) from foundation.jobs
                 where state = 'pending' and kind = ${JOB_KINDS.delivery}) as pending,
               (select count(*) from foundation.jobs
                 where state = 'failed' and kind = ${JOB_KINDS.delivery}) as failed,
               (select count(*) from foundation.jobs where state = 'held' and kind = any(${kinds}))
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
