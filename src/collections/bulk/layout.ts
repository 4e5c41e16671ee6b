import { SEPARATORS } from '#foundation/csv/records.ts'
import {
  type Cell,
  columnName,
  fileFault,
  LIMITS,
  type Precheck,
  type SheetHead,
} from '../workbook/reader.ts'
import {
  type Column,
  type ColumnNames,
  COLUMNS,
  type Mark,
  meaningOf,
  namesOf,
  plain,
  type SheetRole,
  TARGETS,
} from './headers.ts'
import { nearestHeader } from './nearest-header.ts'
import type { Options } from './options.ts'
import { type RowError, shownValue, storable } from './row-error.ts'

export type SheetPlan = { sheet: string; role: SheetRole }
/** The columns of a sheet by number; column A is 1. */
export type Layout = SheetPlan & {
  header_row: number
  columns: Record<number, Column>
  /** The headers as written, for the errors workbook. A blank header is ''. */
  headers: string[]
  /** The columns of an errors workbook, by number. Older jobs have none. */
  marks?: Partial<Record<Mark, number>>
}

/**
 * The sheets to read, Collections first because items refer to them. Takes visible sheets by name, or the only
 * visible sheet if it names collections for items. 422 `missing_sheets`, unless they may come later in the file.
 */
export function planSheets({ sheets, is_partial }: Precheck, columns: Options['columns']): SheetPlan[] {
  const visible = sheets.filter(({ hidden }) => !hidden)
  const plans: SheetPlan[] = []
  for (const role of ['collections', 'items'] as const) {
    const found = visible.find(({ name }) => plain(name) === role)
    if (found) plans.push({ sheet: found.name, role })
  }
  const [only] = visible
  if (plans.length === 0 && only && visible.length === 1 && !is_partial && holds(only, TARGETS, columns))
    plans.push({ sheet: only.name, role: 'items' })
  if (plans.length === 0 && !is_partial)
    throw fileFault('missing_sheets', 'The workbook has neither a sheet Collections nor a sheet Items')
  return plans
}

/** Gives the only sheet of a .csv the name that its headers ask for. */
export function named(checked: Precheck, columns: Options['columns']): Precheck {
  const [head] = checked.sheets
  if (!checked.delimiter || !head) return checked
  const isItems = holds(head, ONLY_ITEMS, columns)
  return { ...checked, sheets: [{ ...head, name: isItems ? 'Items' : 'Collections' }] }
}

/** How a .csv is cut: by the separator that its sender named, or else where its headers are known. */
export function hintsOf({ separator, columns }: Pick<HeaderRules, 'separator' | 'columns'>) {
  const given = namesOf(columns)
  const isKnown = (text: string) =>
    text.length <= LIMITS.header &&
    (['collections', 'items'] as const).some((role) => meaningOf(plain(text), role, given) !== undefined)
  return { isKnown, delimiter: separator && SEPARATORS[separator] }
}

const ONLY_ITEMS = COLUMNS.items.filter((name) => !(COLUMNS.collections as readonly string[]).includes(name))

/** Whether one of these fields of items is among the headers. */
function holds({ header }: SheetHead, fields: readonly string[], columns: Options['columns']): boolean {
  if (typeof header === 'string') return false
  const given = namesOf(columns)
  return header.cells.some(({ text }) => {
    if (text.length > LIMITS.header) return false
    const meaning = meaningOf(plain(text), 'items', given)
    return typeof meaning === 'object' && meaning !== null && fields.includes(meaning.header)
  })
}

export type HeaderRules = {
  strict: boolean
  has_default_target: boolean
  columns?: Options['columns'] | undefined
  separator?: Options['separator'] | undefined
}

export const rulesOf = ({
  strict,
  columns,
  separator,
  parent_id,
}: Pick<Options, 'strict' | 'columns' | 'separator' | 'parent_id'>): HeaderRules => ({
  strict,
  columns,
  separator,
  has_default_target: parent_id !== null,
})

/**
 * The columns of a sheet, from its first row that is not blank. 422 `header_too_long`, `duplicate_header`,
 * `missing_header`; with `strict` also `unknown_header`, which is otherwise a warning.
 */
export function readLayout(
  { sheet, role }: SheetPlan,
  row: { row: number; cells: readonly Pick<Cell, 'column' | 'text'>[] },
  rules: HeaderRules,
): { layout: Layout; warnings: RowError[] } {
  const columns: Record<number, Column> = {}
  const headers: string[] = []
  const marks: Partial<Record<Mark, number>> = {}
  const seen = new Map<string, string>()
  const unknown: { letter: string; text: string }[] = []
  const given: ColumnNames = namesOf(rules.columns)
  refuseLongHeaders(sheet, row.cells)
  for (const { column, text: written } of row.cells) {
    const text = storable(written)
    while (headers.length < column) headers.push('')
    headers[column - 1] = text.trim()
    const words = plain(text)
    if (words === '') continue
    const letter = columnName(column)
    const meaning = meaningOf(words, role, given)
    if (meaning === null) continue
    if (typeof meaning === 'string') {
      marks[meaning] ??= column
      continue
    }
    if (meaning === undefined) {
      unknown.push({ letter, text: text.trim() })
      continue
    }
    const twin = seen.get(meaning.header)
    if (twin !== undefined)
      throw fileFault(
        'duplicate_header',
        `Columns ${twin} and ${letter} of sheet ${sheet} have the same header ${meaning.header}`,
      )
    seen.set(meaning.header, letter)
    columns[column] = { letter, ...meaning }
  }
  // Rows that only delete need neither.
  const hasAction = seen.has('_action')
  if (!seen.has('name') && !hasAction) throw missingHeader(sheet, 'name')
  if (
    role === 'items' &&
    !rules.has_default_target &&
    !hasAction &&
    !TARGETS.some((target) => seen.has(target))
  )
    throw missingHeader(sheet, 'collection_keys')
  const warnings = unknown.map(({ letter, text }): RowError => {
    const nearest = nearestHeader(plain(text), [...COLUMNS[role], ...seen.keys()])
    const message = `The header is not known and its column is ignored; the nearest known one is ${nearest}`
    if (rules.strict) throw fileFault('unknown_header', `Column ${letter} of sheet ${sheet}: ${message}`)
    return {
      level: 'warning',
      sheet,
      row: row.row,
      column: letter,
      header: shownValue(text),
      code: 'unknown_header',
      message,
      value: null,
    }
  })
  return { layout: { sheet, role, header_row: row.row, columns, headers, marks }, warnings }
}

/** Runs first, before headers are compared or repeated in errors. */
function refuseLongHeaders(sheet: string, cells: readonly Pick<Cell, 'column' | 'text'>[]) {
  const long = cells.find(({ text }) => text.length > LIMITS.header)
  if (long)
    throw fileFault(
      'header_too_long',
      `The header of column ${columnName(long.column)} of sheet ${sheet} has more than ${LIMITS.header} characters`,
    )
}

const missingHeader = (sheet: string, header: string) =>
  fileFault('missing_header', `Sheet ${sheet} has no column ${header}`)

export const headerNotFound = (sheet: string) =>
  fileFault('header_not_found', `None of the first ten rows of sheet ${sheet} holds headers`)
