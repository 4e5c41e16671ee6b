import { fitsIntoCell, type Value, writeWorkbookInWorker } from './writer.ts'

/** The refused rows of one sheet as sent: one value per header, then the row's errors. */
export type ErrorSheet = {
  name: string
  headers: readonly string[]
  rows: readonly { cells: readonly Value[]; error_code: string; error_message: string }[]
}

/**
 * A workbook of rows to correct and send again: the original sheets and headers, plus two columns that the import
 * ignores.
 */
export const writeErrorWorkbook = (sheets: readonly ErrorSheet[]): Promise<Buffer> =>
  writeWorkbookInWorker(
    sheets.map(({ name, headers, rows }) => ({
      design: {
        name,
        columns: [...headers, 'error_code', 'error_message'].map((header) => ({
          header,
          width: header === 'error_message' ? 60 : 24,
          is_text: true,
        })),
        empty_rows: 0,
      },
      rows: rows.map(({ cells, error_code, error_message }) => [
        ...headers.map((_, index) => shortened(cells[index] ?? null)),
        error_code,
        shortened(error_message),
      ]),
    })),
  )

const shortened = (value: Value) =>
  typeof value === 'string' && !fitsIntoCell(value) ? `${value.slice(0, 32_000)}…` : value
