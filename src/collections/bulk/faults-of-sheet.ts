import { columnName, type SheetFacts } from '../workbook/reader.ts'
import type { Layout } from './layout.ts'
import type { RowError, WarningCode } from './row-error.ts'

/** A line of a .csv that cannot be cut into cells. */
export const MALFORMED = {
  level: 'error',
  column: null,
  header: null,
  code: 'malformed_quotes',
  message: 'The row has a quotation mark that does not belong there, or is never closed',
} as const

type Warned = { sheet: string; row: number | null; code: WarningCode; message: string }
export const warning = ({ sheet, row, code, message }: Warned): RowError => ({
  level: 'warning',
  sheet,
  row,
  column: null,
  header: null,
  code,
  message,
  value: null,
})

/** What is said of a sheet once it is read. */
export function* warningsOf(
  { name: sheet, hidden_rows, first_hidden_row, merges }: SheetFacts,
  layout: Layout | undefined,
): Iterable<RowError> {
  if (hidden_rows > 0)
    yield warning({
      sheet,
      row: first_hidden_row,
      code: 'hidden_rows',
      message: `${hidden_rows} hidden rows were read like the others`,
    })
  for (const { top, left, bottom, right } of merges) {
    const message = `Cells ${columnName(left)}${top}:${columnName(right)}${bottom} are merged: only the first has a value`
    yield {
      ...warning({ sheet, row: top, code: 'merged_cells', message }),
      column: columnName(left),
      header: layout?.columns[left]?.header ?? null,
    }
  }
}
