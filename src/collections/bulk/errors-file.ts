import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { Actor } from '../access.ts'
import { type ErrorSheet, writeErrorWorkbook } from '../workbook/error-workbook.ts'
import { isCut, isMine, noteJob } from './job.ts'
import { isMark } from './headers.ts'
import type { Layout } from './layout.ts'
import { type Mended, placeOf } from './mended.ts'
import { checkOf, type RawCell } from './refused-again.ts'

type Job = { user_id: string; file_name: string; layout: Layout[] | null; is_cut: boolean }
type Found = { sheet: string; row: number; code: string; message: string; cells: string | null }

/**
 * A workbook of the refused rows as they were sent, with their errors, to be corrected and sent again. Covers the kept
 * errors. If there were more, or a row was too large to keep its cells, a message says so. With `mended` only those rows,
 * with the cells that were typed. 404.
 */
export async function buildErrorsFile(
  db: Database,
  actor: Actor,
  job_id: string,
  mended?: Mended,
): Promise<{ name: string; bytes: Buffer }> {
  const sql = db.pool
  const [job] = await sql<Job[]>`
    select job.user_id, job.file_name, job.layout, ${isCut(sql, 'error')} as is_cut from collections.jobs as job
     where job.job_id = ${job_id} and ${isMine(sql, actor)}`
  if (!job) throw notFound()
  noteJob(actor, job_id, job.user_id)
  const found = await sql<Found[]>`
    select found.sheet, found.row, found.code, found.message, found.cells
      from collections.job_errors as found
      join collections.jobs as job on job.job_id = found.job_id and ${isMine(sql, actor)}
     where found.job_id = ${job_id} and found.level = 'error' and found.row is not null
     order by found.row, found.seq`
  const bySheet = Map.groupBy(found, ({ sheet }) => sheet)
  const layouts = job.layout ?? []
  const sheets = layouts.flatMap((layout) => {
    const rows = bySheet.get(layout.sheet)
    return rows ? sheetOf(layout, rows, mended) : []
  })
  const [first] = sheets[0]?.rows ?? []
  if (first && job.is_cut) first.error_message = `${NOT_ALL}; ${first.error_message}`
  const name = `${job.file_name.replace(/\.(?:xls[xm]|ods|[ct]sv|txt)$/i, '')} errors`
  // A workbook needs at least one sheet.
  const bytes = await writeErrorWorkbook(
    sheets.length > 0
      ? sheets
      : [{ name: 'Items', headers: ['item_key', 'collection_keys', 'name'], rows: [] }],
  )
  return { name, bytes }
}

const NOT_ALL = 'More errors were found than are kept: correct these rows, then send the whole file again'
const NO_CELLS = 'its cells were too much to keep, they stand in the file that was sent'

/** Merges the errors of one row into one row. Leaves out error columns that the file already had. */
function sheetOf(layout: Layout, found: readonly Found[], mended?: Mended): ErrorSheet[] {
  const kept = [...layout.headers.keys()].filter((index) => !isMark(layout.headers[index] ?? ''))
  const rows = [...Map.groupBy(found, ({ row }) => row)].flatMap(([error_row, ofRow]) => {
    const typed = mended?.get(placeOf(layout.sheet, error_row))
    if (mended && !typed) return []
    const sent = ofRow.find(({ cells }) => cells !== null && cells !== '[]')?.cells
    const cells = sent ? (JSON.parse(sent) as RawCell[]) : []
    const messages = ofRow.map(({ message }) => message)
    return {
      cells: kept.map((index) => (typed?.has(index) ? typed.get(index) : cells[index]) ?? null),
      error_row,
      error_code: [...new Set(ofRow.map(({ code }) => code))].join(', '),
      error_message: (sent ? messages : [...messages, NO_CELLS]).join('; '),
      error_check: sent ? checkOf(layout, cells) : null,
    }
  })
  const headers = kept.map((index) => layout.headers[index] ?? '')
  return rows.length === 0 ? [] : [{ name: layout.sheet, headers, rows }]
}
