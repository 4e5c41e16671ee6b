import type { Tx } from '#foundation/database.ts'
import { newId } from '#foundation/ids.ts'
import type { Job as QueueJob } from '#foundation/jobs/jobs.ts'
import { foldEmail } from '#foundation/text.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import type { SsoParts } from '../../core/parts.ts'
import { takenBy } from '../../people/person/insert.ts'
import { createPeople } from './create.ts'
import type { Fault, Person, Row, WarningCode } from './person.ts'
import { takeQuota } from './quota.ts'
import { findKnown, sortOut } from './sort-out.ts'
import type { Candidate, Import } from './task.ts'
import { lockImports } from './turns.ts'
import { updatePeople } from './update.ts'

export type Outcome = 'applied' | 'canceled' | 'not_admin'

/** The lease is somebody else's, or the import is not where we thought: whoever has it goes on. */
const lost = () => new Error('the import has passed to somebody else')

/** A write of somebody else between our look and our insert, so many times in a row. */
const MAX_CLASHES = 10

/**
 * Applies the next records in one transaction, with the counters that say how far the import is: a crash neither repeats
 * nor skips a record. `after` is the row the batch follows. Nothing happens when the import was canceled or its uploader
 * is no longer ADMIN of the site. Throws when the lease is lost.
 */
export async function applyBatch(
  parts: SsoParts,
  task: Import,
  lease: Pick<QueueJob, 'job_id' | 'lease_token'>,
  { after, rows }: { after: number; rows: readonly Row[] },
): Promise<Outcome> {
  for (let clashes = 0; ; clashes++) {
    try {
      return await parts.database.transaction((tx) => apply(tx, { parts, task, lease, after, rows }))
    } catch (error) {
      if (!takenBy(error) || clashes >= MAX_CLASHES) throw error
    }
  }
}

type Batch = {
  parts: SsoParts
  task: Import
  lease: Pick<QueueJob, 'job_id' | 'lease_token'>
  after: number
  rows: readonly Row[]
}

async function apply(tx: Tx, batch: Batch): Promise<Outcome> {
  const { parts, task, rows } = batch
  const { job_id, site_id, tenant_id, dry_run } = task
  const held = await hold(tx, batch)
  if (typeof held === 'string') return held
  const candidates = rows.flatMap(({ row, person }) => (person ? [asCandidate(row, person)] : []))
  const { faults, updates, creations, skipped } = sortOut(
    task,
    candidates,
    await findKnown(tx, task, candidates),
  )
  const counted = dry_run ? held.new_people : null
  const allowed = await takeQuota(tx, parts.config, { tenant_id, wanted: creations.length, counted })
  const over_quota = creations.slice(allowed)
  const made = creations.slice(0, allowed)
  for (const { row } of over_quota) faults.set(row, [{ field: null, code: 'import_quota' }])
  if (!dry_run) {
    await createPeople(tx, task, made)
    for (const [row, fault] of await updatePeople(tx, task, updates)) faults.set(row, [fault])
  }
  const unsafe = new Set(made.flatMap(({ row, must_reset_password }) => (must_reset_password ? [row] : [])))
  const notes = notesOn(rows, faults, unsafe)
  const errors = new Set(notes.flatMap(({ row, is_warning }) => (is_warning ? [] : [row]))).size
  await tx`
    with noted as (
      insert into sso.bulk_errors (job_id, row, place, line, field, code, is_warning)
      select ${job_id}, row, place, line, field, code, is_warning
        from json_to_recordset(${JSON.stringify(notes)}::text::json) as e (
             row int, place smallint, line int, field text, code text, is_warning boolean))
    update sso.bulk_jobs
       set processed_rows = processed_rows + ${rows.length}, error_count = error_count + ${errors},
           skipped_count = skipped_count + ${skipped},
           success_count = success_count + ${rows.length - errors - skipped}, new_people = new_people + ${made.length},
           over_quota_count = over_quota_count + ${over_quota.length}, warning_count = warning_count + ${unsafe.size}
     where job_id = ${job_id} and site_id = ${site_id}`
  return 'applied'
}

/** Locks the import where we think it is, and says what keeps it from going on. Throws when it is somebody else's. */
async function hold(
  tx: Tx,
  { task, lease, after }: Batch,
): Promise<{ new_people: number } | Exclude<Outcome, 'applied'>> {
  const { job_id, site_id } = task
  // The lock keeps the lease ours until the commit: who would take it over skips what is locked.
  const [held] = await tx`
    select from foundation.jobs
     where job_id = ${job_id} and lease_token = ${lease.lease_token} and state = 'pending' for no key update`
  if (!held) throw lost()
  // Roles are counted under the lock of the site, which comes first. Whoever closes the site, or takes its rights from the
  // uploader, waits for one of the two and is answered when the batch is done.
  if (!task.dry_run) {
    await lockImports(tx, site_id)
    await tx`select from sso.users where user_id = ${task.acting.user_id} for share`
  }
  const [job] = await tx<{ is_canceled: boolean; new_people: number }[]>`
    select cancel_requested_at is not null as is_canceled, new_people from sso.bulk_jobs
     where job_id = ${job_id} and site_id = ${site_id} and status = 'processing' and processed_rows = ${after}
       for no key update`
  if (!job) throw lost()
  if (job.is_canceled) return 'canceled'
  const [admin] = await tx`
    select from (${sitesOfAdmin(tx, task.acting)}) as own where own.site_id = ${site_id}`
  return admin ? job : 'not_admin'
}

/** What the report says of these records: each wrong field, and the passwords that were left out. */
function notesOn(rows: readonly Row[], faults: ReadonlyMap<number, Fault[]>, unsafe: ReadonlySet<number>) {
  return rows.flatMap(({ row, line, faults: own }) => {
    const wrong = own.length > 0 ? own : (faults.get(row) ?? [])
    const notes = wrong.map((fault, place) => ({ row, line, place, ...fault, is_warning: false }))
    if (!unsafe.has(row)) return notes
    const warning = { field: 'password_hash', code: 'password_reset_required' satisfies WarningCode }
    return [...notes, { row, line, place: notes.length, ...warning, is_warning: true }]
  })
}

const asCandidate = (row: number, person: Person): Candidate => ({
  ...person,
  row,
  user_id: newId(),
  email_fold: foldEmail(person.email),
  username_fold: person.username?.toLowerCase() ?? null,
})
