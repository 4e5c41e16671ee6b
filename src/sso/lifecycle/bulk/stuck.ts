import type { Database } from '#foundation/database.ts'
import type { SsoParts } from '../../core/parts.ts'
import { endJob, lockImports } from './turns.ts'

const BATCH = 1_000
const EVERY_MS = 3_600_000

/** Looks each hour for imports that nothing works on any more, until it is stopped. */
export function startCleanup({ database, log }: Pick<SsoParts, 'database' | 'log'>) {
  let running: Promise<void> | undefined
  const look = async () => {
    try {
      const imports = await endAbandoned(database)
      if (imports > 0) log.error({ imports }, 'imports that nothing worked on any more were ended')
    } catch (error) {
      log.error({ err: error }, 'imports that nothing works on could not be ended')
    }
  }
  const timer = setInterval(() => {
    running ??= look().finally(() => (running = undefined))
  }, EVERY_MS).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/**
 * The queue holds a job that kills its process again and again; the imports behind it must not wait for ever. Safe beside
 * any number of others. Answers how many were ended.
 */
export async function endAbandoned(db: Database): Promise<number> {
  const abandoned = await db.pool<{ job_id: string; site_id: string }[]>`
    select b.job_id, b.site_id from sso.bulk_jobs b left join foundation.jobs q using (job_id)
     where b.is_due and b.finished_at is null and (q.state is null or q.state = any('{failed,held,done}'))
     order by b.job_id limit ${BATCH}`
  for (const job of abandoned)
    await db.transaction(async (tx) => {
      await lockImports(tx, job.site_id)
      await endJob(tx, job, { status: 'failed', failure: 'internal' })
    })
  return abandoned.length
}
