import {
  type Cell,
  columnName,
  type Facts,
  holdsSomething,
  LIMITS,
  type Mapper,
  type Posted,
  type Row,
} from '../workbook/reader.ts'
import { createPlaces } from './places.ts'
import { type Layout, headerNotFound, readLayout, rulesOf, type SheetPlan } from './layout.ts'
import { type ErrorCode, KEPT, type RowError, shownValue } from './row-error.ts'
import { MALFORMED, warning, warningsOf } from './faults-of-sheet.ts'
import type { CellFault } from './cells.ts'
import { rawCells, refusedBefore } from './refused-again.ts'
import type { RowOptions, Tell } from './row-cells.ts'
import { readCollectionRow, readItemRow } from './rows.ts'
import { copyLine } from '#foundation/imports/copy-line.ts'
import { SHEETS, type StagedCollection } from './staged.ts'

export type MapperOptions = {
  job_id: string
  plans: SheetPlan[]
  hidden_sheets: string[]
  options: RowOptions
  types: readonly string[]
}

/** The counts of reading so far. They are exact, although only some errors and warnings are kept. */
export type ReadCounts = {
  rows: number
  errors: number
  warnings: number
  collections_failed: number
  items_failed: number
}
export type MappedBatch = {
  counts: ReadCounts
  found: RowError[]
  layouts: Layout[]
  /** Lines for COPY, or null if there are none. */
  rows: Uint8Array | null
  places: Uint8Array | null
  /** The number of rows that should be staged so far. */
  staged: number
  is_last: boolean
}

/** Runs in the reader's thread. Turns rows into staged lines and unreadable cells into errors. */
export function createMapper(given: unknown): Mapper {
  const { job_id, plans, hidden_sheets, options, types } = given as MapperOptions
  const counts: ReadCounts = { rows: 0, errors: 0, warnings: 0, collections_failed: 0, items_failed: 0 }
  const layouts = new Map<string, Layout>()
  const places = createPlaces()
  const itemKeys = new Map<string, number>()
  const headerless = new Set<string>()
  let found: RowError[] = []
  let staged = 0

  const keep = (fault: RowError) => {
    const isError = fault.level === 'error'
    const number = isError ? ++counts.errors : ++counts.warnings
    if (number <= KEPT[fault.level]) found.push(fault)
  }
  for (const sheet of hidden_sheets)
    keep(warning({ sheet, row: null, code: 'hidden_sheet', message: 'The sheet is hidden and was not read' }))

  function layoutOf(sheet: string, rows: Row[]): Layout {
    const known = layouts.get(sheet)
    if (known) return known
    const plan = plans.find((one) => one.sheet === sheet)
    const header = rows.shift()
    if (!plan || !header || header.row > LIMITS.headerWithin) throw headerNotFound(sheet)
    const { layout, warnings } = readLayout(plan, header, rulesOf(options))
    for (const one of warnings) keep(one)
    layouts.set(sheet, layout)
    return layout
  }

  function mapRow(layout: Layout, row: Row): string {
    let isFailed = false
    const tell: Tell = {
      error: (at, header, { fault, message, value }) => {
        isFailed = true
        keep({
          level: 'error',
          sheet: layout.sheet,
          row: row.row,
          column: letterOf(layout, at, header),
          header,
          code: fault,
          message: `${header} ${message}`,
          value: shownValue(value ?? (typeof at === 'object' ? at.text : undefined)),
        })
      },
      warn: (at, header, code, message) => {
        const value = shownValue(typeof at === 'object' ? at.text : undefined)
        const column = header === null ? null : letterOf(layout, at, header)
        keep({ ...warning({ sheet: layout.sheet, row: row.row, code, message }), column, header, value })
      },
    }
    counts.rows++
    const raw = rawCells(layout, row)
    const { role } = layout
    const sheet = SHEETS[role]
    const refuse = () => {
      staged++
      counts[`${role}_failed`]++
      return copyLine([job_id, sheet, row.row, null, JSON.stringify(raw)])
    }
    if (row.is_malformed) {
      keep({ ...MALFORMED, sheet: layout.sheet, row: row.row, value: shownValue(row.cells[0]?.text) })
      return refuse()
    }
    tellHeaderless(layout, row)
    const before = refusedBefore(layout, row, raw)
    // It is not read, so that its key means the row that landed.
    if (before && UNREAD.has(before)) {
      tell.error(layout.marks?.error_code, 'error_code', unchanged(before))
      return refuse()
    }
    const rules = { options, types, places, itemKeys }
    const read =
      role === 'collections'
        ? readCollectionRow(layout, row, rules, tell)
        : readItemRow(layout, row, rules, tell)
    if (read === 'skipped') return ''
    if (before && !isFailed) tell.error(layout.marks?.error_code, 'error_code', unchanged(before))
    const isPlaced = role === 'collections' && !read.action
    if (isPlaced) place(row.row, read as StagedCollection, isFailed)
    staged++
    if (isFailed) counts[`${role}_failed`]++
    return copyLine([job_id, sheet, row.row, isFailed ? null : JSON.stringify(read), JSON.stringify(raw)])
  }

  /** Values below no header are not read: their first one says so. */
  function tellHeaderless({ sheet, headers }: Layout, { row, cells }: Row) {
    for (const cell of cells) {
      const place = `${cell.column} ${sheet}`
      if (headers[cell.column - 1] || headerless.has(place) || !holdsSomething(cell)) continue
      headerless.add(place)
      const message = 'The column has values and no header: it is not read'
      const [column, value] = [columnName(cell.column), shownValue(cell.text)]
      keep({ ...warning({ sheet, row, code: 'no_header', message }), column, value })
    }
  }

  function place(row: number, { parent }: StagedCollection, is_failed: boolean) {
    const parent_key = typeof parent === 'object' && 'key' in parent ? parent.key : undefined
    const path_levels = typeof parent === 'object' && 'path' in parent ? parent.path.length : 0
    places.add({ row, parent_key, path_levels, is_failed })
  }

  function post(rows: string, placed: string, is_last: boolean): Posted {
    const value: MappedBatch = {
      counts: { ...counts },
      found,
      layouts: is_last ? [...layouts.values()] : [],
      rows: bytesOf(rows),
      places: bytesOf(placed),
      staged,
      is_last,
    }
    found = []
    const transfer = [value.rows, value.places].flatMap((bytes) => bytes?.buffer ?? [])
    return { value, transfer: transfer as ArrayBuffer[] }
  }

  return {
    rows: ({ sheet, rows }) => {
      const rest = [...rows]
      const layout = layoutOf(sheet, rest)
      return post(rest.map((row) => mapRow(layout, row)).join(''), '', false)
    },
    end: ({ sheets }: Facts) => {
      for (const facts of sheets) {
        if (!layouts.has(facts.name)) throw headerNotFound(facts.name)
        for (const fault of warningsOf(facts, layouts.get(facts.name))) keep(fault)
      }
      const collections = layouts.values().find(({ role }) => role === 'collections')
      const { order, misplaced } = places.settle()
      for (const { row, key, code, message } of misplaced) {
        if (!collections) break
        counts.collections_failed++
        keep({
          level: 'error',
          sheet: collections.sheet,
          row,
          column: letterOf(collections, undefined, 'parent_key'),
          header: 'parent_key',
          code,
          message,
          value: shownValue(key),
        })
      }
      const lines = order.map(({ row, parent_row, level }) => copyLine([job_id, level, row, parent_row]))
      return post('', lines.join(''), true)
    },
  }
}

const encoder = new TextEncoder()
const bytesOf = (text: string) => (text === '' ? null : encoder.encode(text))

function letterOf(layout: Layout, at: Cell | number | undefined, header: string): string | null {
  if (at !== undefined) return columnName(typeof at === 'number' ? at : at.column)
  return Object.values(layout.columns).find((column) => column.header === header)?.letter ?? null
}

/** Refused again without being read. */
const UNREAD: ReadonlySet<ErrorCode> = new Set(['duplicate_key_in_file', 'malformed_quotes'])

const unchanged = (fault: ErrorCode): CellFault => ({
  fault,
  message: `is still ${fault} and the row did not change: correct the row, or empty its error_code`,
})
