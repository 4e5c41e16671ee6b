import type { Database, Tx } from '#foundation/database/database.ts'
import { type Attempt, LeaseLost } from '#foundation/imports/attempt.ts'
import * as engine from '#foundation/imports/run.ts'
import { analyzeFilled } from '#foundation/imports/staging.ts'
import type { Acting } from '../../core/access/access.ts'
import type { SsoParts } from '../../core/parts.ts'
import { applyNext } from './apply.ts'
import { type Import, IMPORTS, writeEnd } from './imports.ts'
import { type Layout, stageRecords } from './stage.ts'

/** Maximum concurrent imports per process, each of another site, to leave connections for requests. */
const MAX_IN_FLIGHT = 2

/** Runs due imports until stopped. */
export const startBulk = (parts: SsoParts) =>
  engine.startImports(
    { db: parts.database, log: parts.log },
    { imports: IMPORTS, run: (attempt) => run(parts, attempt), write: writeBroken },
    { maxInFlight: MAX_IN_FLIGHT },
  )

/** Ends imports that no process works on any more. */
export const endAbandoned = (db: Database) =>
  engine.endAbandoned(db, { imports: IMPORTS, write: writeBroken })

const writeBroken = (tx: Tx, { job_id }: { job_id: string }, why: 'cancelled' | 'broken') =>
  writeEnd(
    tx,
    job_id,
    why === 'cancelled' ? { status: 'canceled' } : { status: 'failed', failure: 'internal' },
  )

async function run(parts: SsoParts, attempt: Attempt): Promise<void> {
  const task = await begin(attempt)
  await stageRecords(attempt, task)
  let outcome: Awaited<ReturnType<typeof applyNext>>
  do outcome = await applyNext(parts, task, attempt)
  while (outcome === 'more')
  if (!task.dry_run) await analyzeFilled(attempt, ['sso.users', 'sso.memberships'], task.total_rows)
  const end =
    outcome === 'not_admin'
      ? ({ status: 'failed', failure: outcome } as const)
      : ({ status: 'completed' } as const)
  await engine.finish(attempt, (tx) => writeEnd(tx, task.job_id, end))
}

type Begun = Import & Layout

async function begin({ db: { pool }, job_id, lease_token }: Attempt): Promise<Begun> {
  type Row = Omit<Begun, 'acting'> & { created_by: string; acts_at: string | null }
  const [row] = await pool<Row[]>`
    update sso.bulk_jobs j set status = 'processing'
      from sso.sites i
     where j.job_id = ${job_id} and j.lease_token = ${lease_token} and j.finished_at is null and i.site_id = j.site_id
    returning j.job_id, j.site_id, i.site_code, i.tenant_id, i.is_first_party, i.environment, j.on_conflict, j.dry_run, j.emit_events,
              j.delimiter, j.columns, j.total_rows, j.created_by, j.acts_at,
              array(select r.role from sso.roles r where r.site_id = j.site_id order by r.role) as roles`
  if (!row) throw new LeaseLost()
  const { created_by: user_id, acts_at, ...task } = row
  const acting: Acting =
    acts_at === null
      ? { user_id, site_id: task.site_id, site_code: task.site_code, is_first_party: false, role: '' }
      : { user_id, site_id: acts_at, site_code: 'console', is_first_party: true, role: 'ADMIN' }
  return { ...task, acting }
}
