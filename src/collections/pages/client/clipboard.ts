/**
 * The cells of a text as spreadsheets put it on the clipboard: lines of cells between tabs. A cell in quotes may hold tabs,
 * line ends, and quotes that stand twice. The line end after the last line begins no other.
 */
export function cellsOf(text: string): string[][] {
  const lines: string[][] = [[]]
  let at = 0
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quoted(text, at) : plain(text, at)
    lines.at(-1)?.push(cell)
    if (text[end] === '\t') {
      at = end + 1
      if (at === text.length) lines.at(-1)?.push('')
      continue
    }
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1
    if (at < text.length) lines.push([])
  }
  return lines.map((line) => (line.length === 0 ? [''] : line))
}

type Cell = [cell: string, end: number]

function plain(text: string, from: number): Cell {
  let end = from
  while (end < text.length && !isEdge(text[end])) end++
  return [text.slice(from, end), end]
}

/** A quote that never ends, or ends before other text, is a quote that somebody wrote. */
function quoted(text: string, from: number): Cell {
  const parts: string[] = []
  for (let at = from + 1; ;) {
    const end = text.indexOf('"', at)
    if (end < 0) return plain(text, from)
    parts.push(text.slice(at, end))
    if (text[end + 1] !== '"') {
      const isWhole = end + 1 === text.length || isEdge(text[end + 1])
      return isWhole ? [parts.join('"'), end + 1] : plain(text, from)
    }
    at = end + 2
  }
}

const isEdge = (sign: string | undefined) => sign === '\t' || sign === '\n' || sign === '\r'
