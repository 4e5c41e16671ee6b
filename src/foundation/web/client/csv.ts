export type CsvCell = string | number | boolean | null

/** What a spreadsheet program, in some language or release, takes for one of = + - @: all dashes, and every width. */
const SIGN = String.raw`[=﹦＝⁼₌⩵⩶꞊+﹢＋⁺₊﬩➕@﹫＠\p{Pd}\u2212\u207b\u208b➖⁃˗]`
/** Programs and those who paste skip these, so what follows still starts the cell. */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*`
const START = String.raw`${UNSEEN}(?:[\t\r\n]|${SIGN})`
/** In locales with a semicolon as the list separator, every semicolon of a comma-separated file starts a new cell. */
const FORMULA = new RegExp(`^(?=${START})|(?<=;)(?=${UNSEEN}${SIGN})`, 'gu')
const MARKED = new RegExp(`^'(?=${START})|(?<=;)'(?=${UNSEEN}${SIGN})`, 'gu')

/** Text for a CSV file: an apostrophe before each possible formula keeps spreadsheet programs from evaluating it. */
export const withoutFormulas = (text: string): string => text.replace(FORMULA, "'")

/** The text that `withoutFormulas` made harmless. */
export const withFormulas = (text: string): string => text.replace(MARKED, '')

/** A record of RFC 4180 whose texts are for reading alone. Every CSV of the three services is written by this. */
export const csvLine = (cells: readonly CsvCell[], delimiter = ','): string =>
  recordOf(
    cells.map((cell) => (typeof cell === 'string' ? withoutFormulas(cell) : cell)),
    delimiter,
  )

/** A record of texts that are harmless already. */
export const recordOf = (cells: readonly CsvCell[], delimiter = ','): string => {
  const written = cells.map((cell) => {
    const text = String(cell ?? '')
    return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${written.join(delimiter)}\r\n`
}
