import type { Database } from '#foundation/database/database.ts'
import type { Metrics } from '#foundation/metrics.ts'

/** The number of jobs by state. */
export function countImports(metrics: Metrics, { pool }: Database): void {
  metrics.gauges(
    'lyceum_collections_import_jobs',
    'Workbook imports of the last 30 days by state',
    'state',
    async () => {
      const rows = await pool<{ state: string; number: number }[]>`
        select state, count(*)::int as number from collections.jobs group by state`
      return Object.fromEntries(rows.map(({ state, number }) => [state, number]))
    },
  )
}
