import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { csvLine } from '#foundation/web/client/csv.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { type KeptError, withMessage } from './bulk-jobs.ts'

const BATCH = 2_000
const HEADER = ['row', 'line', 'field', 'code', 'message']

/**
 * Streams all errors of an import as CSV (RFC 4180). 404 before the first byte unless the caller is ADMIN of its site;
 * the stream ends if they lose that role.
 */
export async function errorsAsCsv(
  db: Database,
  caller: Caller,
  job_id: string,
): Promise<AsyncGenerator<string>> {
  const { fast } = db
  const [job] = await fast`
    select from sso.bulk_jobs j where j.job_id = ${job_id} and j.site_id in (${sitesOfAdmin(fast, caller)})`
  if (!job) throw notFound()
  return readErrors(db, caller, job_id)
}

async function* readErrors({ pool }: Database, caller: Caller, job_id: string): AsyncGenerator<string> {
  yield csvLine(HEADER)
  for (let at = { row: 0, place: -1 }; ;) {
    const rows = await pool<(KeptError & { place: number })[]>`
      select e.row, e.place, e.line, e.field, e.code from sso.bulk_errors e
       where e.job_id = ${job_id} and not e.is_warning and (e.row, e.place) > (${at.row}, ${at.place})
         and exists (select from sso.bulk_jobs j
                      where j.job_id = e.job_id and j.site_id in (${sitesOfAdmin(pool, caller)}))
       order by e.row, e.place limit ${BATCH}`
    const lines = rows
      .map(withMessage)
      .map(({ row, line, field, code, message }) => csvLine([row, line, field, code, message]))
    if (lines.length > 0) yield lines.join('')
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    at = last
  }
}
