import { one, type Tx } from '#foundation/database/database.ts'
import { type Attempt, step } from '#foundation/imports/attempt.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { toldTo } from '../../core/told/told.ts'
import type { SsoParts } from '../../core/parts.ts'
import { createPeople } from './create.ts'
import { type Import, lockSite } from './imports.ts'
import type { Fault, WarningCode } from './person.ts'
import { takeQuota } from './quota.ts'
import { readBatch, sortOut, type StagedRow, tellingRows } from './sort-out.ts'
import { updatePeople } from './update.ts'

/** Records per transaction, which bounds how long others wait for its locks. */
const BATCH = 500

/** Applies the next records and updates the import's counters in one transaction. */
export async function applyNext(
  parts: SsoParts,
  task: Import,
  attempt: Attempt,
): Promise<'more' | 'all' | 'not_admin'> {
  return step(attempt, (tx) => apply(tx, parts, task))
}

async function apply(tx: Tx, { config, told }: SsoParts, task: Import) {
  const { job_id, site_id, tenant_id, dry_run } = task
  const { is_admin, new_people, processed_rows } = await lockRights(tx, task)
  // Checked even when no records are left, so that an import whose uploader lost ADMIN at the very end fails too.
  if (!is_admin) return 'not_admin'
  const rows = await readBatch(tx, task, { after: processed_rows, limit: BATCH })
  const last_answered = await told.lastAnswered(toldTo.admin(task.acting, task), tellingRows(rows))
  const { faults, updates, creations, skipped } = sortOut(task, rows, last_answered)
  const counted = dry_run ? new_people : null
  const allowed = await takeQuota(tx, config, { tenant_id, wanted: creations.length, counted })
  const over_quota = creations.slice(allowed)
  const made = creations.slice(0, allowed)
  for (const { row } of over_quota) faults.set(row, [{ field: null, code: 'import_quota' }])
  if (!dry_run) {
    await createPeople(tx, task, made)
    for (const [row, fault] of await updatePeople(tx, task, updates)) faults.set(row, [fault])
  }
  const unsafe = new Set(made.flatMap(({ row, must_reset_password }) => (must_reset_password ? [row] : [])))
  const notes = notesOn(rows, faults, unsafe)
  const errors = faults.size
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
  return rows.length < BATCH ? 'all' : 'more'
}

/** Closing the site, or revoking the uploader's rights, waits here until the batch is done. */
async function lockRights(tx: Tx, { job_id, site_id, dry_run, acting }: Import) {
  if (!dry_run) {
    await lockSite(tx, site_id)
    await tx`select from sso.users where user_id = ${acting.user_id} for share`
  }
  const rows = await tx<{ is_admin: boolean; new_people: number; processed_rows: number }[]>`
    select new_people, processed_rows,
           exists (select from (${sitesOfAdmin(tx, acting)}) as own where own.site_id = ${site_id}) as is_admin
      from sso.bulk_jobs where job_id = ${job_id}`
  return one(rows)
}

/** The report entries of these records: each invalid field, and each password that was left out. */
function notesOn(
  rows: readonly StagedRow[],
  faults: ReadonlyMap<number, Fault[]>,
  unsafe: ReadonlySet<number>,
) {
  return rows.flatMap(({ row, line }) => {
    const notes = (faults.get(row) ?? []).map((fault, place) => ({
      row,
      line,
      place,
      ...fault,
      is_warning: false,
    }))
    if (!unsafe.has(row)) return notes
    const warning = { field: 'password_hash', code: 'password_reset_required' satisfies WarningCode }
    return [...notes, { row, line, place: notes.length, ...warning, is_warning: true }]
  })
}
