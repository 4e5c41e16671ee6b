/**
 * Incremental CSV parser (RFC 4180) in linear time: each record is scanned up to a bound, and surplus cells are
 * dropped.
 */

export type Delimiter = ',' | ';' | '\t'

type Rules = {
  delimiter: Delimiter
  /** Maximum number of cells to keep. */
  most_cells: number
  /** Maximum length of a record, in UTF-16 units. */
  longest: number
  /** The text is complete. */
  is_last: boolean
}

/** `end`: start of the next record. `extra`: number of dropped cells. */
export type Found =
  | { cells: string[]; is_empty: boolean; extra: number; end: number }
  | { fault: 'quotes'; end: number }
  | { fault: 'too_long' }
  | 'more'

/**
 * Parses the record at `start`. Lines end with LF or CR LF, also inside quoted cells. `quotes`: a misplaced or unclosed
 * quotation mark; its line is skipped and parsing continues on the next one. `more`: the text ends before the record
 * does.
 */
export function recordAt(text: string, start: number, rules: Rules): Found {
  const { delimiter, most_cells, longest, is_last } = rules
  const cells: string[] = []
  let extra = 0
  for (let at = start; ;) {
    const cell = text[at] === '"' ? quotedAt(text, at, rules) : plainAt(text, at, rules)
    const isLonger =
      cell === 'more' ? text.length - start > longest : cell !== 'wrong' && cell.end - start > longest
    if (cell === 'wrong' || isLonger) return faultAt(text, start, rules)
    if (cell === 'more') return is_last ? faultAt(text, start, rules) : 'more'
    if (cells.length < most_cells) cells.push(cell.text)
    else extra++
    if (text[cell.end] !== delimiter || cell.end >= text.length) {
      const width = cell.end >= text.length ? 0 : text[cell.end] === '\n' ? 1 : 2
      return { cells, is_empty: cell.end === start, extra, end: cell.end + width }
    }
    at = cell.end + 1
  }
}

/**
 * Only a quoted cell can continue past the end of a line, so a single overlong line is reported as too_long instead.
 */
function faultAt(text: string, start: number, { longest, is_last }: Rules): Found {
  const line = text.indexOf('\n', start)
  if (line >= 0 && line - start <= longest) return { fault: 'quotes', end: line + 1 }
  if (text.length - start > longest) return { fault: 'too_long' }
  return is_last ? { fault: 'quotes', end: text.length } : 'more'
}

/** `end`: position of the delimiter, of the line end or of the end of the text. */
type Cell = { text: string; end: number } | 'wrong' | 'more'

function plainAt(text: string, start: number, { delimiter, is_last }: Rules): Cell {
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === delimiter || character === '\n') return { text: text.slice(start, at), end: at }
    if (character === '"') return 'wrong'
    if (character !== '\r') continue
    if (text[at + 1] === '\n') return { text: text.slice(start, at), end: at }
    if (at + 1 === text.length && !is_last) return 'more'
  }
  return is_last ? { text: text.slice(start), end: text.length } : 'more'
}

function quotedAt(text: string, start: number, { delimiter, is_last }: Rules): Cell {
  for (let from = start + 1; ;) {
    const at = text.indexOf('"', from)
    if (at < 0 || (at + 1 === text.length && !is_last)) return 'more'
    const next = text[at + 1]
    if (next === '"') {
      from = at + 2
      continue
    }
    if (next === '\r' && at + 2 === text.length && !is_last) return 'more'
    const isEnd = next === undefined || next === delimiter || next === '\n' || text.startsWith('\r\n', at + 1)
    return isEnd ? { text: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 } : 'wrong'
  }
}
