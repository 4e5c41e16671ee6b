import { cellsOf, decimalOf, SHOWN } from './cell-values.ts'
import { dateOfIso, durationOfIso } from './dates.ts'
import { type Cell, EXCEL_ERRORS } from './workbook.ts'

/** Parses a cell from its attributes and the text it shows; undefined if it is blank. */
export function odsCellReader(spend: (characters: number) => void) {
  const { cell, ...cells } = cellsOf(spend)
  const numberCell = (column: number, value: string, shown: string): Cell => {
    const number = decimalOf(value)
    if (!Number.isFinite(number)) return cells.unreadable(column, value)
    const isPadded = /^-?0\d+$/.test(shown) && Number(shown) === number
    return cells.number(column, number, isPadded || isPattern(shown, number) ? shown : undefined)
  }
  return (column: number, attributes: Record<string, string>, shown: string): Cell | undefined => {
    const isFormula = attributes['table:formula'] !== undefined
    if (attributes['calcext:value-type'] === 'error' || (isFormula && isErrorText(shown)))
      return cell(column, 'cell_error', shown.slice(0, SHOWN))
    const flag = FLAGS.get(attributes['table:formula'] ?? '')
    if (flag !== undefined) return cell(column, 'boolean', String(flag), flag)
    const type = attributes['office:value-type'] ?? (shown === '' ? '' : 'string')
    const given = attributes[VALUES[type] ?? 'office:value'] ?? ''
    switch (type) {
      case 'float':
      case 'percentage':
      case 'currency':
        return numberCell(column, given, shown)
      case 'date':
        return cells.date(column, roundedDate(given), given)
      case 'time':
        return cells.date(column, durationOfIso(given), given)
      case 'boolean':
        if (given !== 'true' && given !== 'false') return cells.unreadable(column, given)
        return cell(column, 'boolean', given, given === 'true')
      case 'string':
        // An attribute holds no line feeds, the paragraphs do.
        return cells.text(column, shown.includes('\n') ? shown : given || shown)
      case '':
        return isFormula ? cell(column, 'formula_without_value', '') : undefined
      default:
        return cells.unreadable(column, type)
    }
  }
}

/** Whether the digits of a number are shown as a name (digit-patterns.ts), not as a quantity. */
function isPattern(shown: string, number: number): boolean {
  const [first, last] = [shown.search(/\d/), /\d\D*$/.exec(shown)?.index ?? 0]
  const inner = shown.slice(first, last + 1)
  if (first < 0 || inner.length > MAX_PATTERN || /[^\d() -]/.test(inner)) return false
  return Number(inner.replaceAll(/\D/g, '')) === number && /^0\d|[-)]/.test(inner)
}

const MAX_PATTERN = 255

/** How Calc writes a boolean that came from an .xlsx: a formula, with the word of its language as what is shown. */
const FLAGS = new Map([
  ['of:=TRUE()', true],
  ['of:=FALSE()', false],
])

const VALUES: Record<string, string> = {
  date: 'office:date-value',
  time: 'office:time-value',
  boolean: 'office:boolean-value',
  string: 'office:string-value',
}

/** What a formula shows that failed, in the words of Excel or of Calc. */
export const isErrorText = (text: string) => EXCEL_ERRORS.has(text) || /^Err:\d{3}$/.test(text)

/** A time of day is a fraction to the programs, so a second may come as 29.999999997. */
function roundedDate(iso: string): string | undefined {
  const date = dateOfIso(iso)
  if (date === undefined || !/T[\d:]{8}\.[5-9]/.test(iso)) return date
  return dateOfIso(new Date(Date.parse(`${iso.slice(0, 19)}Z`) + 1000).toISOString().slice(0, 19))
}
