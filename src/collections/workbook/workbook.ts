import type { Delimiter } from '#foundation/csv/records.ts'
import { ApiError } from '#foundation/errors.ts'

/**
 * The kind of a cell. The last five say why it has no value, with row error codes: an error cell, an invalid date,
 * unreadable or too long text, a formula without a stored result (a warning; counts as blank).
 */
export type CellKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'cell_error'
  | 'invalid_date'
  | 'unreadable_text'
  | 'too_long'
  | 'formula_without_value'

export type Cell = {
  /** Column A is 1. */
  column: number
  kind: CellKind
  /**
   * The text form: numbers in shortest round-trip form, or as shown if the format is a pattern of digits; true or false (in a .csv as written); naive dates
   * YYYY-MM-DD[THH:mm:ss], times and durations HH:mm:ss. Without a value, what the cell shows (#N/A, 60), at most 100 characters.
   * Not trimmed, not normalized.
   */
  text: string
  /** The number or boolean itself; otherwise the text. */
  value: string | number | boolean
  /** Whether the number has more than 15 significant digits, so that a spreadsheet program has lost the last ones. */
  imprecise: boolean
}

/** `row` is the number Excel shows. Cells are in ascending order. Blank cells and blank rows are left out. */
export type Row = {
  row: number
  hidden: boolean
  cells: Cell[]
  /** A line of a .csv whose quotation marks are wrong; `cells` is the line cut at its separators. */
  is_malformed?: true
}

export type RowBatch = { sheet: string; rows: Row[] }

/** Rows and columns count from 1; both ends are included. */
export type Merge = { top: number; left: number; bottom: number; right: number }

export type SheetFacts = {
  name: string
  /** The number of rows that are not blank, with the header. */
  rows: number
  /** The first row that is not blank, if it is one of the first ten rows; otherwise null. */
  header_row: number | null
  hidden_rows: number
  /** The first hidden row that is not blank, or null. */
  first_hidden_row: number | null
  /** The first 1,000 merges below the header. A merged header is refused (`merged_header`). */
  merges: Merge[]
  merge_count: number
}

export type Facts = { sheets: SheetFacts[] }

export type HeaderCell = { column: number; text: string }

export type SheetHead = {
  name: string
  hidden: boolean
  /**
   * The first row that is not blank, if it is one of the first ten. `none` if there is no such row; `unknown` if its
   * text is too far back in the file, and then the job checks it.
   */
  header: { row: number; cells: HeaderCell[] } | 'none' | 'unknown'
}

/** Sheets in tab order, without chart sheets and dialogs. */
export type Precheck = {
  sheets: SheetHead[]
  /** Of a .csv, whose only sheet has no name yet. */
  delimiter?: Delimiter
  /** The file is too long to be looked through at once: sheets may follow. */
  is_partial?: true
}

/** The values of error cells that every spreadsheet program knows. */
export const EXCEL_ERRORS: ReadonlySet<string> = new Set([
  '#VALUE!',
  '#REF!',
  '#N/A',
  '#NAME?',
  '#NULL!',
  '#DIV/0!',
  '#NUM!',
])

/** The limits of a workbook (docs/collections.md). Sizes are in bytes. */
export const LIMITS = {
  compressed: 20 * 2 ** 20,
  inflated: 512 * 2 ** 20,
  entries: 2000,
  sharedStrings: 128 * 2 ** 20,
  /** Characters between two tags. No office program writes that many, and the parser holds them in one piece. */
  run: 256 * 2 ** 10,
  cellText: 32_767,
  /** Characters of all cells together, because many cells may use one long string. */
  expandedText: 512 * 2 ** 20,
  columns: 256,
  /** The limit of spreadsheet programs, in UTF-16 units. */
  sheetName: 31,
  header: 255,
  dataRows: 100_000,
  headerWithin: 10,
} as const

/** Refuses the whole file: as the answer before the 202, as `job.error` after it. */
export const fileFault = (code: string, detail: string, cause?: unknown) =>
  new ApiError(422, code, detail, { cause })

export const unreadable = (cause?: unknown) =>
  fileFault('unreadable_workbook', 'The file is damaged: it cannot be read as a workbook', cause)

export const encrypted = () =>
  fileFault('encrypted', 'The workbook is protected by a password: remove it and send the file again')

export const unsafeArchive = (why: string) => fileFault('unsafe_archive', `The file is refused: ${why}`)

export const tooLarge = (why: string) => fileFault('workbook_too_large', `The workbook is too large: ${why}`)

export const notXlsx = () =>
  new ApiError(
    415,
    'not_xlsx',
    'The file is not a workbook: save it as .xlsx, .ods or .csv and send it again',
  )

/** Checked first, because names are compared and repeated in errors. `number` is that of the sheet. */
export function refuseLongName(name: string, number: number) {
  if (name.length > LIMITS.sheetName)
    throw fileFault(
      'sheet_name_too_long',
      `The name of sheet ${number} has more than ${LIMITS.sheetName} characters`,
    )
}

/** Column 28 is AB. */
export function columnName(column: number): string {
  let name = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}
