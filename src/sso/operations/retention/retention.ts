import { isTimeout } from '#foundation/database/database.ts'
import { sweepJobs } from '#foundation/jobs/jobs.ts'
import { queueForgetting } from '../../lifecycle/erasure/afterwards.ts'
import type { SsoParts } from '../../core/parts.ts'
import { BATCH, FIRST_ID, SWEEPS, sweepSessions, turnAuditMonths } from './sweeps.ts'

type Parts = Pick<SsoParts, 'database'>

/** Finished jobs are kept this long as the record of what was sent. */
export const JOB_DAYS = 30

export type SweepName = keyof typeof SWEEPS | 'sessions' | 'jobs'

/** Sweep intervals. Long ones for rows that are kept for days, or where the search scans a whole table. */
export const SCHEDULE: { every_s: number; names: readonly SweepName[] }[] = [
  { every_s: 60, names: ['answers', 'session_bumps', 'mfa_challenges', 'spent_challenges'] },
  {
    every_s: 3_600,
    names: [
      'sandbox_users',
      'refresh_tokens',
      'one_time_tokens',
      'email_changes',
      'unfinished_factors',
      'sms_counts',
      'connection_keys',
      'connection_claims',
      'messages',
      'audit_log_of_sites',
      'audit_log',
      'billed_addresses',
      'payment_events',
      'bulk_erased',
      'bulk_errors',
      'bulk_jobs',
      'jobs',
    ],
  },
  { every_s: 86_400, names: ['sessions'] },
]

/** Delay of the first round, because a starting process has other work to do. */
const FIRST_MS = 60_000

/**
 * Runs the sweeps until stopped, in every process. Rows left over by a crash or because they were locked are found in
 * the next round, so no lease is needed.
 */
export function startSweeps(parts: Parts & Pick<SsoParts, 'log' | 'metrics'>): { stop: () => Promise<void> } {
  const taken = parts.metrics.counters(
    'lyceum_retention_rows_total',
    'Rows that were deleted or blanked because they were old enough, by sweep',
    'sweep',
  )
  let isStopped = false
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()

  async function round(names: readonly SweepName[]) {
    for (const name of names) {
      if (isStopped) return
      try {
        const count = await sweep(parts, name, () => isStopped)
        if (count === 0) continue
        taken.inc(name, count)
        parts.log.info({ sweep: name, rows: count }, 'swept')
      } catch (error) {
        parts.log.error({ err: error, sweep: name }, 'a sweep failed and is repeated with the next round')
      }
    }
  }

  function plan(names: readonly SweepName[], ms: number, then_ms: number) {
    const timer = setTimeout(() => {
      timers.delete(timer)
      const done = round(names).then(() => {
        running.delete(done)
        if (!isStopped) plan(names, then_ms, then_ms)
      })
      running.add(done)
    }, ms).unref()
    timers.add(timer)
  }
  for (const { every_s, names } of SCHEDULE) plan(names, FIRST_MS, every_s * 1_000)

  return {
    stop: async () => {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

/** Runs one sweep in batches until nothing is left or `isStopped`. Returns the number of rows taken. */
export async function sweep({ database }: Parts, name: SweepName, isStopped = () => false): Promise<number> {
  if (name === 'jobs') return sweepJobs(database, JOB_DAYS)
  // A month in use, by a backup for instance, goes line by line now and turns with a later round.
  let swept = name === 'audit_log' ? await turnAuditMonths(database).catch(orZero) : 0
  if (name === 'sessions') {
    for (let after: string | undefined = FIRST_ID; after !== undefined && !isStopped();) {
      const place: string = after
      const { count, next } = await database.transaction((tx) => sweepSessions(tx, place))
      swept += count
      after = next
    }
    return swept
  }
  while (!isStopped()) {
    const count = await database.transaction(async (tx) => {
      const rows = await SWEEPS[name].take(tx)
      await queueForgetting(
        tx,
        rows.flatMap(({ user_id }) => user_id ?? []),
      )
      return rows.count
    })
    swept += count
    if (count < BATCH) break
  }
  return swept
}

function orZero(error: unknown): number {
  if (isTimeout(error)) return 0
  throw error
}
