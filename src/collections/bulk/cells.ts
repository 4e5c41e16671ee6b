import { isUuid } from '#foundation/ids.ts'
import { normalized } from '#foundation/text.ts'
import { MARKS, MAX_KEY, MAX_METADATA, text as readTidy, tidy } from '../values.ts'
import type { Cell } from '../workbook/reader.ts'
import { withoutInvisible } from './headers.ts'
import type { ErrorCode } from './row-error.ts'

/** Why a cell is refused. `value` is the part to show if it is not the whole cell. */
export type CellFault = { fault: ErrorCode; message: string; value?: string }

export const isFault = (read: unknown): read is CellFault =>
  typeof read === 'object' && read !== null && 'fault' in read

const faulty = (fault: ErrorCode, message: string, value?: string): CellFault => ({
  fault,
  message,
  ...(value !== undefined && { value }),
})

export const isClear = (cell: Cell | undefined) => cell?.text.trim() === MARKS.clear
export const isKeep = (cell: Cell | undefined) => cell?.text.trim() === MARKS.keep

/** Removes one escaping backslash before a mark: `\#CLEAR` stands for the text `#CLEAR`, `\\#CLEAR` for `\#CLEAR`. */
export function unescaped(cell: Cell): Cell {
  const text = cell.text.trim()
  return /^\\+#(?:CLEAR|KEEP)$/.test(text) ? { ...cell, text: text.slice(1), value: text.slice(1) } : cell
}

export type TextRule = { most: number; lines: boolean }

/** Applies the text rules that requests also have. Returns the first fault. */
export function readText(text: string, rule: TextRule): string | CellFault {
  let fault: CellFault | undefined
  const tidied = readTidy(text, rule, (code, message) => {
    fault ??= faulty(code, message)
  })
  return fault ?? tidied
}

export const plainKey = (text: string) => withoutInvisible(normalized(text, 'NFC')).trim()

export function readKey(text: string, imprecise: boolean): string | CellFault {
  if (imprecise)
    return faulty('precision_lost', 'is a number of more than 15 digits, whose last ones were lost')
  return readText(plainKey(text), { most: MAX_KEY, lines: false })
}

export function readId(text: string): string | CellFault {
  const id = plainKey(text)
  return isUuid(id) ? id.toLowerCase() : faulty('not_found', 'is not the id of anything', id)
}

/** Splits at `;` (escaped as `\;`), trims the parts and drops empty ones. */
export function splitList(text: string): string[] {
  return tidy(text)
    .split(/(?<!\\);/)
    .map((part) => part.replaceAll('\\;', ';').trim())
    .filter((part) => part !== '')
}

/** Splits at `>` (escaped as `\>`). */
export function readPath(text: string, maxName: number): string[] | CellFault {
  const names: string[] = []
  for (const part of tidy(text).split(/(?<!\\)>/)) {
    const name = readText(part.replaceAll('\\>', '>'), { most: maxName, lines: false })
    if (isFault(name)) return name
    if (name === '') return faulty('path_not_found', 'names an empty level')
    names.push(name)
  }
  if (names.length > 10) return faulty('too_deep', 'has more than ten levels')
  return names
}

const YES = ['true', 'yes', '1']
const NO = ['false', 'no', '0']

export function readFlag(text: string): boolean | CellFault {
  const word = plainKey(text).toLowerCase()
  if (YES.includes(word)) return true
  if (NO.includes(word)) return false
  return faulty('invalid_value', 'must be TRUE or FALSE')
}

const META_TEXT = { most: MAX_METADATA.text, lines: true }

/** One metadata value: numbers and booleans keep their type, everything else becomes text. */
export function readValue({ kind, value, text }: Cell): string | number | boolean | CellFault {
  if (kind === 'number' && typeof value === 'number' && String(value) === text) return value
  if (kind === 'boolean' && typeof value === 'boolean') return value
  return readText(text, META_TEXT)
}

export function readValues(text: string): string[] | CellFault {
  const values: string[] = []
  for (const part of splitList(text)) {
    const value = readText(part, META_TEXT)
    if (isFault(value)) return value
    values.push(value)
  }
  return values.length > MAX_METADATA.list
    ? faulty('invalid_metadata', `has more than ${MAX_METADATA.list} values`)
    : values
}
