export type CsvCell = string | number | boolean | null

/**
 * What a spreadsheet program, in some language or release, takes for one of = + - @, in every width, and all dashes. Programs
 * and those who paste skip what is unseen, so what follows still starts the cell.
 */
const SIGNED =
  /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*[=﹦＝⁼₌⩵⩶꞊+﹢＋⁺₊﬩➕@﹫＠\p{Pd}\u2212\u207b\u208b➖⁃˗]/uy
const BROKEN = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*[\t\r\n]/uy

/**
 * Whether a formula may start at this index. In locales with a semicolon as the list separator, every semicolon of a
 * comma-separated file starts a new cell.
 */
const startsFormula = (text: string, at: number, isFirst: boolean): boolean =>
  isAt(SIGNED, text, at) || (isFirst && isAt(BROKEN, text, at))

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Text for a CSV file: an apostrophe before each possible formula keeps spreadsheet programs from evaluating it. */
export const withoutFormulas = (text: string): string =>
  text.replaceAll(/^|(?<=;)/g, (_, at: number) => (startsFormula(text, at, at === 0) ? "'" : ''))

/** The text that `withoutFormulas` made harmless. */
export const withFormulas = (text: string): string =>
  text.replaceAll(/^'|(?<=;)'/g, (mark, at: number) => (startsFormula(text, at + 1, at === 0) ? '' : mark))

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
