import type { Database } from '#foundation/database.ts'
import type { Handler, JobContext } from '#foundation/jobs/attempt.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import type { Acting } from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { applyBatch } from './apply.ts'
import { type Column, type Delimiter, readRecords } from './csv.ts'
import { judgeHashes } from './hashes.ts'
import { judgeWith, type Row } from './person.ts'
import { startCleanup } from './stuck.ts'
import type { Import } from './task.ts'
import { type End, endJob, JOB_KIND, lockImports } from './turns.ts'

/** Records applied in one transaction: nobody waits longer for a lock than these take. */
export const BATCH = 500
/** Imports under way in a process, of as many sites: they must leave the connections to those who wait for an answer. */
const MAX_IN_FLIGHT = 2

/** Does the imports that are due, until it is stopped. */
export function startBulk(parts: SsoParts): { stop: () => Promise<void> } {
  const { database: db, log } = parts
  const runner = startRunner({
    db,
    log,
    handlers: { [JOB_KIND]: importHandler(parts) },
    maxInFlight: MAX_IN_FLIGHT,
  })
  const cleanup = startCleanup(parts)
  return {
    stop: async () => {
      await Promise.all([runner.stop(), cleanup.stop()])
    },
  }
}

/** Goes on where the import stands. What it throws is tried again, from where it stands by then. */
const importHandler =
  (parts: SsoParts): Handler =>
  async (context) => {
    const { job, db, signal } = context
    const { job_id } = job
    let task: Begun | undefined
    try {
      task = await begin(db, job_id)
      // Canceled before its turn came.
      if (!task) return
      const begun = task
      const end = await importAll(parts, begun, context)
      return { record: (tx) => finishImport(tx, begun, end) }
    } catch (error) {
      if (signal.aborted || !task) throw error
      const begun = task
      parts.log.error({ err: error, job_id }, 'an import stopped and goes on later')
      return {
        error: error instanceof Error ? error.message : String(error),
        record: async (tx, { state }) => {
          if (state === 'failed') await finishImport(tx, begun, { status: 'failed', failure: 'internal' })
        },
      }
    }
  }

type Begun = Import & { delimiter: Delimiter; columns: Column[]; processed_rows: number; roles: string[] }

async function begin({ pool }: Database, job_id: string): Promise<Begun | undefined> {
  type Row = Omit<Begun, 'acting'> & { created_by: string; acts_at: string | null }
  const [row] = await pool<Row[]>`
    update sso.bulk_jobs j
       set status = 'processing', started_at = coalesce(j.started_at, clock_timestamp())
      from sso.sites i
     where j.job_id = ${job_id} and j.finished_at is null and i.site_id = j.site_id
    returning j.job_id, j.site_id, i.site_code, i.tenant_id, i.environment, j.on_conflict, j.dry_run, j.emit_events,
              j.delimiter, j.columns, j.processed_rows, j.created_by, j.acts_at,
              array(select r.role from sso.roles r where r.site_id = j.site_id order by r.role) as roles`
  if (!row) return undefined
  const { created_by: user_id, acts_at, ...task } = row
  const acting: Acting =
    acts_at === null
      ? { user_id, site_id: task.site_id, site_code: task.site_code, is_first_party: false, role: '' }
      : { user_id, site_id: acts_at, site_code: 'console', is_first_party: true, role: 'ADMIN' }
  return { ...task, acting }
}

/** The stored file is read from its start each time; records that were applied before are judged again and passed over. */
async function importAll(parts: SsoParts, task: Begun, { job, db, signal, renew }: JobContext): Promise<End> {
  const judge = judgeWith(task.columns, new Set(task.roles))
  const settleHashes = judgeHashes()
  let after = task.processed_rows
  let rows: Row[] = []
  const apply = async (): Promise<End | undefined> => {
    signal.throwIfAborted()
    const settled = await settleHashes(rows)
    await renew()
    const outcome = await applyBatch(parts, task, job, { after, rows: settled })
    after += rows.length
    rows = []
    if (outcome === 'canceled') return { status: 'canceled' }
    return outcome === 'not_admin' ? { status: 'failed', failure: 'not_admin' } : undefined
  }
  for await (const record of readRecords(storedChunks(db, task.job_id), task.delimiter)) {
    const row = judge(record)
    if (row.row <= task.processed_rows) continue
    rows.push(row)
    if (rows.length < BATCH) continue
    const end = await apply()
    if (end) return end
  }
  // Also when none are left: an import that is canceled or whose uploader was demoted at the very end is so.
  return (await apply()) ?? { status: 'completed' }
}

async function* storedChunks({ pool }: Database, job_id: string): AsyncGenerator<Buffer> {
  for (let place = 0; ; place++) {
    const [chunk] = await pool<{ content: Buffer }[]>`
      select content from sso.bulk_files where job_id = ${job_id} and place = ${place}`
    if (!chunk) return
    yield chunk.content
  }
}

async function finishImport(tx: Parameters<typeof endJob>[0], task: Import, end: End) {
  await lockImports(tx, task.site_id)
  const ended = await endJob(tx, task, end)
  if (!ended) return
  const { created_by, ...details } = ended
  const { job_id, site_id, environment } = task
  await recordAct(
    tx,
    {
      action: 'bulk.ended',
      environment,
      site_id,
      actor_user_id: created_by,
      subject_user_id: null,
      details: { job_id, ...details },
    },
    undefined,
  )
}
