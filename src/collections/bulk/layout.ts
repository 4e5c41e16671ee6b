import { normalized } from '#foundation/text.ts'
import {
  type Cell,
  columnName,
  fileFault,
  LIMITS,
  type Precheck,
  type SheetHead,
} from '../workbook/reader.ts'
import { joined, nearestHeader } from './nearest-header.ts'
import { type RowError, shownValue, storable } from './row-error.ts'

export type SheetRole = 'collections' | 'items'

const COLUMNS = {
  collections: [
    'collection_id',
    'collection_key',
    'parent_id',
    'parent_key',
    'parent_path',
    'name',
    'description',
    'type',
    'inherit_members',
    '_action',
  ],
  items: [
    'item_id',
    'item_key',
    'collection_ids',
    'collection_keys',
    'collection_path',
    'name',
    'description',
    '_action',
  ],
} as const
/** The columns that our errors workbook adds. They are no fields, so it can be corrected and sent again. */
const MARKS = ['error_row', 'error_code', 'error_message', 'error_check'] as const
type Mark = (typeof MARKS)[number]
const TARGETS = ['collection_ids', 'collection_keys', 'collection_path'] as const

export type Field = (typeof COLUMNS)[SheetRole][number]
/** What a column holds: a field, or one metadata key (a single value or a list of texts). */
export type Column = { letter: string; header: string } & (
  | { field: Field }
  | { meta: string; isList: boolean }
)

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

const INVISIBLE = /[\u200B-\u200D\u2060\uFEFF]/g

export const withoutInvisible = (text: string) => text.replace(INVISIBLE, '')

/** Normalizes a header for comparison: NFKC, lower case, no star, no invisible characters. */
function plain(text: string): string {
  const bare = withoutInvisible(normalized(text, 'NFKC')).toLowerCase().trim()
  return bare.endsWith('*') ? bare.slice(0, -1).trimEnd() : bare
}

/**
 * The sheets to read, Collections first because items refer to them. Takes visible sheets by name, or the only
 * visible sheet if it names collections for items. 422 `missing_sheets`, unless they may come later in the file.
 */
export function planSheets({ sheets, is_partial }: Precheck): SheetPlan[] {
  const visible = sheets.filter(({ hidden }) => !hidden)
  const plans: SheetPlan[] = []
  for (const role of ['collections', 'items'] as const) {
    const found = visible.find(({ name }) => plain(name) === role)
    if (found) plans.push({ sheet: found.name, role })
  }
  const [only] = visible
  if (plans.length === 0 && only && visible.length === 1 && !is_partial && mayHoldItems(only))
    plans.push({ sheet: only.name, role: 'items' })
  if (plans.length === 0 && !is_partial)
    throw fileFault('missing_sheets', 'The workbook has neither a sheet Collections nor a sheet Items')
  return plans
}

/** Gives the only sheet of a .csv the name that its headers ask for. */
export function named(checked: Precheck): Precheck {
  const [head] = checked.sheets
  if (!checked.is_csv || !head) return checked
  const isItems = typeof head.header !== 'string' && head.header.cells.some(({ text }) => isOfItems(text))
  return { ...checked, sheets: [{ ...head, name: isItems ? 'Items' : 'Collections' }] }
}

const ONLY_ITEMS = COLUMNS.items.filter((name) => !(COLUMNS.collections as readonly string[]).includes(name))

const isOfItems = (header: string) =>
  header.length <= LIMITS.header && (ONLY_ITEMS as readonly string[]).includes(joined(plain(header)))

function mayHoldItems({ header }: SheetHead): boolean {
  if (typeof header === 'string') return false
  return header.cells.some(
    ({ text }) =>
      text.length <= LIMITS.header && (TARGETS as readonly string[]).includes(joined(plain(text))),
  )
}

export type HeaderRules = { strict: boolean; has_default_target: boolean }

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
  refuseLongHeaders(sheet, row.cells)
  for (const { column, text: written } of row.cells) {
    const text = storable(written)
    while (headers.length < column) headers.push('')
    headers[column - 1] = text.trim()
    const words = plain(text)
    if (words === '') continue
    const letter = columnName(column)
    const meaning = meaningOf(words, role)
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

type Meaning = { header: string } & ({ field: Field } | { meta: string; isList: boolean })

/** Whether a header is a column that our errors workbook adds. */
export const isMark = (header: string): boolean => markOf(joined(plain(header))) !== undefined

const markOf = (name: string): Mark | undefined => MARKS.find((one) => one === name)

function meaningOf(words: string, role: SheetRole): Meaning | Mark | undefined {
  const name = joined(words)
  const mark = markOf(name)
  if (mark) return mark
  const field = COLUMNS[role].find((one) => one === name)
  if (field) return { field, header: field }
  if (!words.startsWith('meta.')) return undefined
  const { key, isList } = metaOf(words.slice('meta.'.length).trim())
  const meta = key.replace(/\s+/g, '_')
  if (/[\r\n]/.test(key) || !/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(meta)) return undefined
  return { meta, isList, header: isList ? `meta.${meta}[]` : `meta.${meta}` }
}

/** Parses `key` or `key[]`; spaces are allowed before and inside the brackets. */
function metaOf(text: string): { key: string; isList: boolean } {
  if (!text.endsWith(']')) return { key: text, isList: false }
  const inner = text.slice(0, -1).trimEnd()
  return inner.endsWith('[')
    ? { key: inner.slice(0, -1).trimEnd(), isList: true }
    : { key: text, isList: false }
}
