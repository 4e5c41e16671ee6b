import { type Cell, columnName, fileFault, LIMITS, tooLarge } from './workbook.ts'

/** The number of characters of a wrong value that an error repeats. */
export const SHOWN = 100

export const holdsSomething = ({ kind, text }: Cell) => kind !== 'text' || text.trim() !== ''

/** Makes cells and counts their characters with `spend`. */
export function cellsOf(spend: (characters: number) => void) {
  const cell = (column: number, kind: Cell['kind'], text: string, value: Cell['value'] = text): Cell => {
    spend(text.length)
    return { column, kind, text, value, imprecise: false }
  }
  return {
    cell,
    /** Undefined if it is blank. */
    text: (column: number, text: string): Cell | undefined => {
      if (text === '') return undefined
      if (text.length > LIMITS.cellText) return cell(column, 'too_long', text.slice(0, SHOWN))
      return cell(column, text.isWellFormed() ? 'text' : 'unreadable_text', text)
    },
    number: (column: number, number: number, text = String(number)): Cell => {
      const made = cell(column, 'number', text, number)
      made.imprecise = isImprecise(number)
      return made
    },
    unreadable: (column: number, text: string) => cell(column, 'unreadable_text', text.slice(0, SHOWN)),
    /** `date` is undefined for what is none, and then `text` is shown. */
    date: (column: number, date: string | undefined, text: string) =>
      cell(column, date === undefined ? 'invalid_date' : 'date', date ?? text.slice(0, SHOWN)),
  }
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** NaN for what is no decimal number. */
export const decimalOf = (text: string) => (DECIMAL.test(text) ? Number(text) : Number.NaN)

/** Spreadsheet programs keep 15 digits; the last digits of a longer integer have become zeros. */
export function isImprecise(number: number): boolean {
  if (Number.isInteger(number)) return Math.abs(number) >= 1e15
  return (String(number).split('e', 1)[0] ?? '').replaceAll(/[-.]/g, '').replace(/^0+/, '').length > 15
}

export const tooManyColumns = (sheet: string, column: number) =>
  fileFault(
    'too_many_columns',
    `Sheet ${sheet} has a value in column ${columnName(column)}; ${LIMITS.columns} columns are read`,
  )

/** Counts characters over all sheets of a workbook. */
export function createTextBudget() {
  let spent = 0
  return (characters: number) => {
    spent += characters
    if (spent > LIMITS.expandedText) throw tooLarge('its cells hold more than 512 MiB of text')
  }
}
