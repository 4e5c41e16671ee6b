export type Cell = string | number | null

/**
 * Rows as a CSV file (RFC 4180) for spreadsheets. Has a byte order mark, because Excel detects UTF-8 only by it, and
 * an apostrophe before text that would run as a formula.
 */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('')}`

/** Also after a semicolon, which may separate cells, and with the full-width signs of East Asian settings. */
const FORMULA = /^[=+\-@＝＋－＠\t\r]|(?<=;)[=+\-@＝＋－＠]/g

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = cell.replace(FORMULA, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Offers a text as a file download. `type` is its media type. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoked after the click, because the download has started by then.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
