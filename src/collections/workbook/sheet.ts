import type { Archive, Part } from './archive.ts'
import { decodeEscapes } from './cell-text.ts'
import { cellsOf, decimalOf, holdsSomething, SHOWN, tooManyColumns } from './cell-values.ts'
import { shownAs } from './digit-patterns.ts'
import { dateOfIso, dateOfSerial, durationOfSerial } from './dates.ts'
import type { CellFormats } from './number-formats.ts'
import { isTrue } from './package.ts'
import type { SharedStrings } from './shared-strings.ts'
import { type Cell, fileFault, LIMITS, type Merge, type Row } from './workbook.ts'
import { readXml, type XmlHandler } from './xml.ts'

/** What is needed to read the cells of a sheet. `spend` counts the characters of the whole workbook. */
export type SheetContext = {
  name: string
  formats: CellFormats
  strings: Pick<SharedStrings, 'textAt'>
  date1904: boolean
  spend: (characters: number) => void
}

export type SheetHandler = Pick<XmlHandler, 'afterSlice' | 'pieceSize'> & {
  /** Called for each row that is not blank. */
  row: (row: Row) => void
  merge?: (merge: Merge) => void
}

/** Reads the rows of a sheet in file order. Refuses the file if a row's number is missing, wrong or repeated. */
export async function readSheet(
  archive: Archive,
  part: Part,
  context: SheetContext,
  { row: takeRow, merge, ...pieces }: SheetHandler,
) {
  const toCell = cellReader(context)
  const badNumbers = (place: string) =>
    fileFault(
      'bad_row_numbers',
      `Sheet ${context.name}: rows and cells are not numbered in order at ${place}`,
    )
  let isInData = false
  let row: Row = { row: 0, hidden: false, cells: [] }
  let [rowText, column] = ['0', 0]
  const raw: RawCell = { type: '', style: 0, value: '', inline: '', hasValue: false, hasFormula: false }
  let target: 'value' | 'inline' | undefined
  let isPhonetic = false

  const openRow = ({ r, hidden }: Record<string, string>) => {
    const number = r === undefined ? row.row + 1 : /^\d{1,7}$/.test(r) ? Number(r) : 0
    if (number <= row.row || number > MAX_ROW) throw badNumbers(`row ${r}, after row ${row.row}`)
    row = { row: number, hidden: isTrue(hidden), cells: [] }
    rowText = String(number)
    column = 0
  }
  const openCell = ({ r, s, t = 'n' }: Record<string, string>) => {
    const next = r === undefined ? column + 1 : columnOf(r, rowText)
    if (next <= column || next > MAX_COLUMN) throw badNumbers(`cell ${r} of row ${row.row}`)
    column = next
    raw.type = t
    raw.style = s === undefined ? 0 : Number(s)
    raw.value = raw.inline = ''
    raw.hasValue = raw.hasFormula = false
  }
  const closeCell = () => {
    const cell = toCell(column, raw)
    if (!cell) return
    if (column > LIMITS.columns) throw tooManyColumns(context.name, column)
    row.cells.push(cell)
  }

  await readXml(archive, part, {
    open: (name, attributes, depth) => {
      if (depth === 1) isInData = name === 'sheetData'
      if (depth === 2 && name === 'mergeCell' && merge) merge(mergeOf(attributes['ref'] ?? ''))
      if (!isInData) return
      if (depth === 2 && name === 'row') openRow(attributes)
      else if (depth === 3 && name === 'c') openCell(attributes)
      else if (depth === 4) {
        target = name === 't' ? 'inline' : undefined
        if (name === 'v') {
          target = 'value'
          raw.hasValue = true
        } else if (name === 'f') raw.hasFormula = true
      } else if (depth === 5) {
        isPhonetic = name === 'rPh'
        target = name === 't' ? 'inline' : undefined
      } else if (depth === 6) target = name === 't' && !isPhonetic ? 'inline' : undefined
    },
    text: (text) => {
      // A cell may have any number of text runs. Beyond the limit only the fact that it is too long matters.
      if (target && raw[target].length <= LIMITS.cellText) raw[target] += text
    },
    close: (name, depth) => {
      target = undefined
      if (!isInData) return
      if (depth === 3 && name === 'c') closeCell()
      else if (depth === 2 && name === 'row' && row.cells.some(holdsSomething)) takeRow(row)
    },
    ...pieces,
  })
}

export const MAX_ROW = 1_048_576
const MAX_COLUMN = 16_384

/** The column of a reference such as AB12; 0 if it is invalid or names another row. */
function columnOf(reference: string, row: string): number {
  let [column, at] = [0, 0]
  for (; at < 3; at++) {
    const code = reference.charCodeAt(at)
    if (!(code >= 65 && code <= 90)) break
    column = column * 26 + code - 64
  }
  return reference.length === at + row.length && reference.endsWith(row) ? column : 0
}

/** Parses A1:B2 or a single cell; anything else covers nothing. */
function mergeOf(ref: string): Merge {
  const [from = '', to = from] = ref.split(':')
  const place = (text: string) => {
    const [, letters, digits] = /^([A-Z]{1,3})(\d{1,7})$/.exec(text) ?? []
    return { column: letters === undefined ? 0 : columnOf(`${letters}1`, '1'), row: Number(digits ?? 0) }
  }
  const [start, end] = [place(from), place(to)]
  return { top: start.row, left: start.column, bottom: end.row, right: end.column }
}

type RawCell = {
  type: string
  style: number
  value: string
  inline: string
  hasValue: boolean
  hasFormula: boolean
}

/** Parses a cell; undefined if it is blank. */
function cellReader({ formats, strings, date1904, spend }: SheetContext) {
  const { cell, ...cells } = cellsOf(spend)
  const numberCell = (column: number, { value, style }: RawCell): Cell => {
    const number = decimalOf(value)
    if (!Number.isFinite(number)) return cells.unreadable(column, value)
    const format = formats[style] ?? 'general'
    if (format === 'date' || format === 'duration') {
      const date = format === 'date' ? dateOfSerial(number, date1904) : durationOfSerial(number)
      return cells.date(column, date, String(number))
    }
    return cells.number(column, number, format === 'general' ? undefined : shownAs(format, number))
  }
  const flagCell = (column: number, flag: boolean | undefined, value: string) =>
    flag === undefined ? cells.unreadable(column, value) : cell(column, 'boolean', String(flag), flag)
  return (column: number, raw: RawCell): Cell | undefined => {
    const { type, value, inline, hasValue, hasFormula } = raw
    // Some writers leave out the type, or the element around the text.
    if (type === 'inlineStr' || (inline !== '' && !hasValue))
      return cells.text(column, decodeEscapes(inline || value))
    if (!hasValue || (value === '' && type !== 'str'))
      return hasFormula ? cell(column, 'formula_without_value', '') : undefined
    switch (type) {
      case 'n':
        return numberCell(column, raw)
      case 's': {
        const text = /^\d{1,9}$/.test(value) ? strings.textAt(Number(value)) : undefined
        if (text === undefined) return cells.unreadable(column, '')
        return cells.text(column, text)
      }
      case 'str':
        return cells.text(column, decodeEscapes(value))
      case 'b':
        return flagCell(column, FLAGS.get(value), value)
      case 'e':
        return cell(column, 'cell_error', value.slice(0, SHOWN))
      case 'd':
        return cells.date(column, dateOfIso(value), value)
      default:
        return cells.unreadable(column, value)
    }
  }
}

const FLAGS = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])
