import { buffer } from 'node:stream/consumers'
import { fitsIntoCell, openWriter, type SheetDesign, type Written } from './writer.ts'

/** The refused rows of one sheet as sent: one value per header, then the row's errors. */
export type ErrorSheet = {
  name: string
  headers: readonly string[]
  rows: {
    cells: readonly Written[]
    error_row: number
    error_code: string
    error_message: string
    error_check: string | null
  }[]
}

const OURS = ['error_row', 'error_code', 'error_message', 'error_check'] as const
const SLICE = 500

/**
 * A workbook of rows to correct and send again: the original sheets and headers, plus columns that say what is wrong.
 */
export async function writeErrorWorkbook(sheets: readonly ErrorSheet[]): Promise<Buffer> {
  const designs: SheetDesign[] = sheets.map(({ name, headers }) => ({
    name,
    columns: [...headers, ...OURS].map((header) => ({
      header,
      width: header === 'error_message' ? 60 : 24,
      is_text: true,
    })),
    empty_rows: 0,
  }))
  const writer = await openWriter(designs)
  for (const [sheet, { headers, rows }] of sheets.entries())
    for (let from = 0; from < rows.length; from += SLICE)
      writer.add(
        sheet,
        rows
          .slice(from, from + SLICE)
          .map((row) => [
            ...headers.map((_, index) => shortened(row.cells[index] ?? null)),
            ...OURS.map((name) => shortened(row[name])),
          ]),
      )
  writer.finish()
  return buffer(writer.stream)
}

const shortened = (value: Written) =>
  typeof value === 'string' && !fitsIntoCell(value) ? `${value.slice(0, 32_000)}…` : value
