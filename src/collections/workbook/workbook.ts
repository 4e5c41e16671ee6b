import { ApiError } from '#foundation/errors.ts'

/**
 * What a cell says. The last five say why it has no value, in the words of the row errors: an error cell, a date that
 * is none, text that cannot be read or is longer than a cell may be, and a formula whose stored result is missing (a
 * warning; the cell counts as blank).
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
  /** 1 is A. */
  column: number
  kind: CellKind
  /**
   * As a text column keeps it: numbers by the shortest round trip, padded where the format is nothing but zeros; true
   * and false; naive dates YYYY-MM-DD[THH:mm:ss], times HH:mm:ss. Of a cell without a value: what it shows (#N/A, 60), 100
   * characters at most.
   * Not trimmed, not normalised.
   */
  text: string
  /** A number or boolean as such; else the same as text. */
  value: string | number | boolean
  /** A number of more than 15 significant digits, of which a spreadsheet program has lost the last ones. */
  imprecise: boolean
}

/** `row` is the number Excel shows. Cells ascend; blank ones are left out, and so are rows of nothing but blanks. */
export type Row = { row: number; hidden: boolean; cells: Cell[] }

export type RowBatch = { sheet: string; rows: Row[] }

/** Rows and columns from 1, both ends included. */
export type Merge = { top: number; left: number; bottom: number; right: number }

export type SheetFacts = {
  name: string
  /** Rows that hold something, the header among them. */
  rows: number
  /** The first of these if it is one of the first ten rows, else null. */
  header_row: number | null
  hidden_rows: number
  /** The first hidden row that holds something, or null. */
  first_hidden_row: number | null
  /** The first 1,000 below the header; the header itself may not be merged (`merged_header`). */
  merges: Merge[]
  merge_count: number
}

export type Facts = { sheets: SheetFacts[] }

export type HeaderCell = { column: number; text: string }

export type SheetHead = {
  name: string
  hidden: boolean
  /**
   * The first of the first ten rows that holds something. `none` when there is no such row; `unknown` when the beginning
   * of the sheet did not tell (its text stands too far back in the file): the job then judges it.
   */
  header: { row: number; cells: HeaderCell[] } | 'none' | 'unknown'
}

/** Sheets in the order of their tabs; chart sheets and dialogs are left out. */
export type Precheck = { sheets: SheetHead[] }

/** What a workbook may be (docs/collections.md). Sizes in bytes. */
export const LIMITS = {
  compressed: 20 * 2 ** 20,
  inflated: 512 * 2 ** 20,
  ratio: 100,
  ratioAppliesFrom: 16 * 2 ** 20,
  entries: 2000,
  sharedStrings: 128 * 2 ** 20,
  /** Characters between two tags: no office program writes that, and a parser would have to hold it in one piece. */
  run: 256 * 2 ** 10,
  cellText: 32_767,
  /** Characters of all cells together: one long string may be used by many. */
  expandedText: 512 * 2 ** 20,
  columns: 256,
  /** What spreadsheet programs let somebody type, in UTF-16 units as they count them. */
  sheetName: 31,
  header: 255,
  dataRows: 100_000,
  headerWithin: 10,
} as const

/** The whole file is refused; before the 202 this is the answer, after it `job.error`. */
export const fileFault = (code: string, detail: string, cause?: unknown) =>
  new ApiError(422, code, detail, { cause })

export const unreadable = (cause?: unknown) =>
  fileFault('unreadable_workbook', 'The file is damaged: it cannot be read as an Excel workbook', cause)

export const unsafeArchive = (why: string) => fileFault('unsafe_archive', `The file is refused: ${why}`)

export const tooLarge = (why: string) => fileFault('workbook_too_large', `The workbook is too large: ${why}`)

export const notXlsx = () =>
  new ApiError(415, 'not_xlsx', 'The file is not an Excel workbook: save it as .xlsx and send it again')

/** 28 is AB. */
export function columnName(column: number): string {
  let name = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}
