import { isUtf8 } from 'node:buffer'
import { type CsvRecord, type CsvRules, type Delimiter, readCsv } from '#foundation/csv/read.ts'
import { cellsOf, decimalOf, holdsSomething, isImprecise, SHOWN, tooManyColumns } from './cell-values.ts'
import { unmarked } from './csv-marks.ts'
import { isErrorText } from './ods-cell.ts'
import type { SheetHandler } from './sheet.ts'
import { type Cell, fileFault, LIMITS, type Precheck, type Row } from './workbook.ts'

/** Twice what a row can hold that is taken. A longer one is an unclosed quotation mark. */
const LONGEST = 2 ** 17
const LOOKED_AT = 2 ** 16
/** What no text holds; archives and pictures begin with it. */
// oxlint-disable-next-line no-control-regex -- finding them is its purpose
const BINARY = /[\u0000-\u0008\u000B\u000C\u000E-\u001F]/

/** Whether the file is text, as a .csv is. */
export const isText = (bytes: Buffer): boolean =>
  bytes.length > 0 &&
  (encodingOf(bytes) !== 'utf-8' || !BINARY.test(bytes.subarray(0, LOOKED_AT).toString('latin1')))

/** UTF-16 is known by its byte order mark. */
function encodingOf(bytes: Buffer): NonNullable<CsvRules['encoding']> {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0)
  return mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
}

/** What helps to cut a .csv: its separator, or which headers it can have. */
export type CsvHints = Pick<CsvRules, 'delimiter' | 'isKnown'>

/** The header of the only sheet, which has no name. */
export async function headOfCsv(bytes: Buffer, hints: CsvHints): Promise<Precheck> {
  if (encodingOf(bytes) === 'utf-8' && !isUtf8(bytes)) throw faultOf('invalid_encoding', 'must be UTF-8')
  const toRow = rowReader(() => {})
  let delimiter: Delimiter = ','
  for await (const record of readCsv([bytes], rulesOf(bytes, hints))) {
    ;({ delimiter } = record)
    const { row, cells } = toRow(record)
    if (row > LIMITS.headerWithin) break
    if (!cells.some(holdsSomething)) continue
    const header = { row, cells: cells.map(({ column, text }) => ({ column, text })) }
    return { sheets: [{ name: '', hidden: false, header }], delimiter }
  }
  return { sheets: [{ name: '', hidden: false, header: 'none' }], delimiter }
}

export async function readCsvSheet(
  bytes: Buffer,
  { delimiter, spend }: Pick<CsvHints, 'delimiter'> & { spend: (characters: number) => void },
  { row: takeRow, afterSlice }: SheetHandler,
) {
  const toRow = rowReader(spend)
  let read = 0
  for await (const record of readCsv([bytes], rulesOf(bytes, { delimiter }))) {
    const row = toRow(record)
    if (row.cells.some(holdsSomething)) takeRow(row)
    if (++read % SLICE === 0 && (await afterSlice?.()) === 'stop') return
  }
}

const SLICE = 100

const rulesOf = (bytes: Buffer, hints: CsvHints): CsvRules => ({
  ...hints,
  encoding: encodingOf(bytes),
  header_cells: LIMITS.columns + 1,
  longest: LONGEST,
  fault: faultOf,
})

const faultOf = (code: string, why: string) => fileFault(code, `The file ${why}`)

function rowReader(spend: (characters: number) => void) {
  const toCell = cellReader(spend)
  return ({ cells, row, delimiter, is_malformed }: CsvRecord): Row => {
    const texts = is_malformed ? (cells[0] ?? '').split(delimiter, LIMITS.columns) : cells
    const made = texts.flatMap((text, index) => toCell(index + 1, text) ?? [])
    const last = made.at(-1)?.column ?? 0
    if (last > LIMITS.columns) throw tooManyColumns('of the file', last)
    return { row, hidden: false, cells: made, ...(is_malformed && { is_malformed }) }
  }
}

/** A file of texts has no types: what looks like a number, a boolean or an error in a spreadsheet is one. */
function cellReader(spend: (characters: number) => void) {
  const { cell, ...cells } = cellsOf(spend)
  return (column: number, text: string): Cell | undefined => {
    const bare = unmarked(text)
    if (bare !== text) return cells.text(column, bare)
    const number = /^-?\d/.test(text) ? decimalOf(text) : Number.NaN
    // Only what is written as we would write it, or 007 and 1.50 would change.
    if (String(number) === text && !isImprecise(number)) return cells.number(column, number)
    // As a spreadsheet program writes what it could not keep.
    if (/^-?\d\.\d+E\+\d+$/.test(text) && isImprecise(number)) return cells.number(column, number)
    if (FLAGS.has(text)) return cell(column, 'boolean', text, text.toLowerCase() === 'true')
    if (isErrorText(text)) return cell(column, 'cell_error', text.slice(0, SHOWN))
    return cells.text(column, text)
  }
}

const FLAGS: ReadonlySet<string> = new Set(['true', 'false', 'TRUE', 'FALSE'])
