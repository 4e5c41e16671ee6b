import type { Database } from '#foundation/database/database.ts'
import type { Metrics } from '#foundation/metrics.ts'
import { JOB_KINDS } from './afterwards.ts'

/** Metrics for operators: an erasure not finished everywhere after a day needs a person to look at it. */
export function measureErasures(metrics: Pick<Metrics, 'gauges'>, { pool }: Pick<Database, 'pool'>) {
  metrics.gauges(
    'lyceum_erasure_lag_seconds',
    'How long the oldest step that follows an erasure, or the end of a sandbox account, has been waiting',
    'step',
    async () => {
      const rows = await pool<{ kind: string; seconds: number }[]>`
        select k.kind, coalesce(extract(epoch from clock_timestamp() - min(j.created_at)), 0)::float8 as seconds
          from unnest(${Object.values(JOB_KINDS)}::text[]) as k (kind)
          left join foundation.jobs j
            on j.kind = k.kind and j.state = any('{pending,held}') and j.run_at <= statement_timestamp()
         group by k.kind`
      return Object.fromEntries(rows.map(({ kind, seconds }) => [kind.replace('erasure.', ''), seconds]))
    },
  )
}
