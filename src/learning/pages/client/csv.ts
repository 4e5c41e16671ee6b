export type Cell = string | number | null

/**
 * Rows as a CSV file (RFC 4180) that a spreadsheet opens as it is meant: with a byte order mark, since Excel reads UTF-8
 * only so, and with an apostrophe before text that it would take for a formula.
 */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')}`

/** Also after a semicolon, where it ends a cell, and in the full width of East Asian settings. */
const FORMULA = /^[=+\-@＝＋－＠\t\r]|(?<=;)[=+\-@＝＋－＠]/g

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = cell.replace(FORMULA, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Hands a text to the browser as a file to keep. `type` is its media type. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has begun once the click is over; what it reads is kept until then.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
