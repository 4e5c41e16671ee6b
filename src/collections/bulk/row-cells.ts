import { EXAMPLE_PREFIX, MARKS } from '../values.ts'
import type { Cell, Row } from '../workbook/reader.ts'
import { type CellFault, isClear, isFault, isKeep, plainKey, readKey, splitList, unescaped } from './cells.ts'
import type { Layout } from './layout.ts'
import type { Options } from './options.ts'
import type { Places } from './places.ts'
import type { WarningCode } from './row-error.ts'

/** The import options that affect how a row is read. */
export type RowOptions = Pick<
  Options,
  'strict' | 'match' | 'on_blank' | 'parent_id' | 'allow_delete' | 'columns'
>

export type RowRules = {
  options: RowOptions
  types: readonly string[]
  places: Places
  itemKeys: Map<string, number>
}

/** Reports an error or a warning at a cell or row. */
export type Tell = {
  error: (at: Cell | number | undefined, header: string, fault: CellFault) => void
  warn: (at: Cell | number | undefined, header: string | null, code: WarningCode, message: string) => void
}

/** The cells of a row by header. */
export type Cells = {
  /** The cell, if it is not blank and can be read. */
  get: (header: string) => Cell | undefined
  /** The cell whatever it holds, for the column and value of an error. */
  shown: (header: string) => Cell | undefined
  /** Whether an error was already reported for the cell, so that it is not also reported as empty. */
  isRefused: (header: string) => boolean
  isColumn: (header: string) => boolean
}

const REFUSED: Partial<Record<Cell['kind'], CellFault>> = {
  cell_error: { fault: 'cell_error', message: 'holds an error instead of a value' },
  invalid_date: { fault: 'invalid_date', message: 'holds a date that does not exist' },
  unreadable_text: { fault: 'unreadable_text', message: 'holds text that cannot be read' },
  // Only its beginning was kept, which must not take the place of what is stored.
  too_long: { fault: 'too_long', message: 'is longer than 32,767 characters, more than a cell can hold' },
}

export function cellsOf({ columns }: Layout, row: Row, tell: Tell): Cells {
  const shown = new Map<string, Cell>()
  const values = new Map<string, Cell>()
  const refused = new Set<string>()
  for (const cell of row.cells) {
    const header = columns[cell.column]?.header
    if (header === undefined) continue
    shown.set(header, cell)
    const fault = REFUSED[cell.kind]
    if (fault) {
      refused.add(header)
      tell.error(cell, header, fault)
    } else if (cell.kind === 'formula_without_value')
      tell.warn(cell, header, cell.kind, 'The formula has no stored result: the cell counts as empty')
    else if (plainKey(cell.text) !== '') values.set(header, cell)
  }
  const known = new Set(Object.values(columns).map(({ header }) => header))
  return {
    get: (header) => values.get(header),
    shown: (header) => shown.get(header),
    isRefused: (header) => refused.has(header),
    isColumn: (header) => known.has(header),
  }
}

export function read<T>(
  cells: Cells,
  header: string,
  tell: Tell,
  take: (cell: Cell) => T | CellFault,
): T | undefined {
  const cell = cells.get(header)
  if (!cell) return undefined
  const taken = take(unescaped(cell))
  if (!isFault(taken)) return taken
  tell.error(cell, header, taken)
  return undefined
}

/** Undefined leaves the field as it is; null clears it. */
export function clearable<T>(
  cells: Cells,
  header: string,
  { options }: RowRules,
  tell: Tell,
  take: (cell: Cell) => T | CellFault,
): T | null | undefined {
  const cell = cells.get(header)
  if (!cell) {
    const isBlank = cells.isColumn(header) && !cells.isRefused(header)
    return isBlank && options.on_blank === 'clear' ? null : undefined
  }
  if (isKeep(cell)) return undefined
  return isClear(cell) ? null : read(cells, header, tell, take)
}

/** What the row asks for beside its fields. Without `allow_delete` it is refused, because its sender meant to delete. */
export function actionOf<Word extends string>(
  cells: Cells,
  words: readonly Word[],
  { options }: RowRules,
  tell: Tell,
): Word | undefined {
  return read(cells, '_action', tell, ({ text }): Word | CellFault => {
    const word = words.find((one) => one === plainKey(text).toLowerCase())
    if (!word) return { fault: 'invalid_value', message: `must be empty or ${words.join(' or ')}` }
    const message = 'needs the option allow_delete=true of the upload'
    return options.allow_delete ? word : { fault: 'delete_not_allowed', message }
  })
}

/** A blank cell never clears a key, because rows are matched by key; `#CLEAR` does. */
export function keyOf(cells: Cells, header: string, tell: Tell): string | null | undefined {
  if (isClear(cells.get(header))) return null
  return read(cells, header, tell, ({ text, imprecise }) => readKey(text, imprecise))
}

export function isExample(
  key: string | null | undefined,
  cell: Cell | undefined,
  header: string,
  tell: Tell,
): boolean {
  if (!key?.startsWith(EXAMPLE_PREFIX)) return false
  tell.warn(cell, header, 'example_skipped', 'The row is an example of the template and was left out')
  return true
}

/** Reads the parts of a list. Reports unreadable parts and leaves them out. */
export function readEach(
  cells: Cells,
  header: string,
  tell: Tell,
  take: (text: string, imprecise: boolean) => string | CellFault,
): string[] {
  const cell = cells.get(header)
  if (!cell) return []
  const taken: string[] = []
  for (const part of splitList(cell.text)) {
    if (part === MARKS.keep) continue
    const one = take(part, cell.imprecise)
    if (isFault(one)) tell.error(cell, header, { value: part, ...one })
    else taken.push(one)
  }
  return taken
}
