import { createHash } from 'node:crypto'
import { type Cell, EXCEL_ERRORS, type Row } from '../workbook/reader.ts'
import type { Layout } from './layout.ts'
import type { ErrorCode } from './row-error.ts'

/** A cell as the errors workbook writes it: a value, an error, or a number that a date format shows. */
export type RawCell = string | number | boolean | null | { error: string } | { date: number }

/** Keeps what a cell is, so that a fault which nobody corrected is a fault again when the workbook comes back. */
export function rawCell({ kind, text, value, imprecise }: Cell): RawCell {
  if (kind === 'cell_error') return { error: EXCEL_ERRORS.has(text) ? text : '#VALUE!' }
  if (kind === 'invalid_date' && Number.isFinite(Number(text))) return { date: Number(text) }
  // The text that is left would be a value, and another one than was sent.
  if (kind === 'invalid_date' || kind === 'unreadable_text' || kind === 'too_long')
    return { error: '#VALUE!' }
  return imprecise || kind === 'boolean' || String(value) === text ? value : text
}

/** The largest row whose cells are kept. A valid row is at most a tenth of this, so larger ones only cost space. */
const KEPT_OF_ROW = 256 * 2 ** 10

/** The cells of a row as read, one value per column; empty if the row is too large to keep. */
export function rawCells({ headers }: Layout, { cells }: Row): RawCell[] {
  if (cells.reduce((size, { text }) => size + text.length, 0) > KEPT_OF_ROW) return []
  const raw: RawCell[] = Array.from({ length: headers.length }, () => null)
  for (const cell of cells) if (cell.column <= raw.length) raw[cell.column - 1] = rawCell(cell)
  return raw
}

/**
 * A digest of what a row says, whatever the order of the columns. The errors workbook carries it, so that a row that
 * comes back is known to be unchanged.
 */
export function checkOf({ columns }: Layout, cells: readonly RawCell[]): string {
  const said = Object.entries(columns).flatMap(([column, { header }]) => {
    const text = textOf(cells[Number(column) - 1] ?? null)
    return text === '' ? [] : [[header, text]]
  })
  const sorted = said.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16)
}

/** Spreadsheet programs change line ends and the type of a cell in a text column; neither is a change. */
function textOf(cell: RawCell): string {
  if (typeof cell !== 'object' || cell === null)
    return String(cell ?? '')
      .replaceAll(/\r\n?/g, '\n')
      .trim()
  return 'error' in cell ? cell.error : String(cell.date)
}

/**
 * The faults that lie in the file alone. Others are judged again, because a missing collection may have come, a right
 * been given or the row of a parent been corrected.
 */
const OF_THE_FILE: readonly ErrorCode[] = [
  'duplicate_key_in_file',
  'cell_error',
  'invalid_date',
  'precision_lost',
  'unreadable_text',
  'too_long',
  'malformed_quotes',
]

/** The code that a row was refused with before, if it still carries it and did not change since. */
export function refusedBefore(
  layout: Layout,
  { cells }: Row,
  raw: readonly RawCell[],
): ErrorCode | undefined {
  const { error_code, error_check } = layout.marks ?? {}
  const at = (column: number | undefined) => cells.find((cell) => cell.column === column)?.text.trim()
  const codes = error_code === undefined ? undefined : at(error_code)?.split(/[\s,]+/)
  const code = codes && OF_THE_FILE.find((one) => codes.includes(one))
  return code && error_check !== undefined && at(error_check) === checkOf(layout, raw) ? code : undefined
}
