import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { Actor } from '../access.ts'
import { type ErrorSheet, writeErrorWorkbook } from '../workbook/error-workbook.ts'
import { isMine, noteJob } from './job.ts'
import type { Layout } from './layout.ts'

type Found = { sheet: string; row: number; code: string; message: string; cells: string | null }

/**
 * A workbook of the refused rows as they were sent, with their errors, to be corrected and sent again. Covers the kept
 * errors, at most 1,000. A row too large to keep has empty cells. 404.
 */
export async function buildErrorsFile(
  db: Database,
  actor: Actor,
  job_id: string,
): Promise<{ name: string; bytes: Buffer }> {
  const sql = db.pool
  const [job] = await sql<{ user_id: string; file_name: string; layout: Layout[] | null }[]>`
    select job.user_id, job.file_name, job.layout from collections.jobs as job
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
  const sheets = layouts.flatMap(({ sheet, headers }): ErrorSheet[] => {
    const rows = bySheet.get(sheet)
    return rows ? [{ name: sheet, headers: headers.map(plainHeader), rows: rowsOf(rows) }] : []
  })
  const name = `${job.file_name.replace(/\.xls[xm]$/i, '')} errors`
  // A workbook needs at least one sheet.
  const bytes = await writeErrorWorkbook(
    sheets.length > 0
      ? sheets
      : [{ name: 'Items', headers: ['item_key', 'collection_keys', 'name'], rows: [] }],
  )
  return { name, bytes }
}

/** Merges the errors of one row into one row of the workbook. */
function rowsOf(found: readonly Found[]): ErrorSheet['rows'] {
  return [...Map.groupBy(found, ({ row }) => row).values()].map((ofRow) => ({
    cells: JSON.parse(ofRow.find(({ cells }) => cells !== null)?.cells ?? '[]') as (
      | string
      | number
      | boolean
      | null
    )[],
    error_code: [...new Set(ofRow.map(({ code }) => code))].join(', '),
    error_message: ofRow.map(({ message }) => message).join('; '),
  }))
}

/** Blanks error columns that the file already had, so that they do not appear twice. */
const plainHeader = (header: string) => (/^error[ _-](code|message)$/i.test(header) ? '' : header)
