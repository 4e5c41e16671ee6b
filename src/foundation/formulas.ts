/** Characters that start a formula in a spreadsheet program; full-width forms count in East Asian locales. */
const START = /^[=+\-@＝＋－＠\t\r]/
/** In locales with a semicolon as the list separator, every semicolon of a comma-separated file starts a new cell. */
const AFTER_SEMICOLON = /;(?=[=+\-@＝＋－＠])/g

/** Text for a CSV file: an apostrophe before each possible formula keeps spreadsheet programs from evaluating it. */
export const withoutFormulas = (text: string): string =>
  text.replace(AFTER_SEMICOLON, ";'").replace(START, "'$&")

/** The text that `withoutFormulas` made harmless. */
export const withFormulas = (text: string): string =>
  text.includes("'")
    ? text.replace(/^'(?=[=+\-@＝＋－＠\t\r])/, '').replaceAll(/;'(?=[=+\-@＝＋－＠])/g, ';')
    : text

/** A record of RFC 4180 without formulas. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  const written = cells.map((cell) => {
    if (cell === null) return ''
    const text = typeof cell === 'string' ? withoutFormulas(cell) : String(cell)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${written.join(',')}\r\n`
}
