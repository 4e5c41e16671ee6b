/**
 * Incremental CSV parser (RFC 4180) in linear time: each record is scanned up to a bound, and of surplus cells one is
 * kept. Pages read with it too, so it imports nothing.
 */

export type Delimiter = ',' | ';' | '\t'

/** The words that name the separators. */
export const SEPARATOR_NAMES = ['comma', 'semicolon', 'tab'] as const
export type Separator = (typeof SEPARATOR_NAMES)[number]
export const SEPARATORS: Record<Separator, Delimiter> = { comma: ',', semicolon: ';', tab: '\t' }

type Rules = {
  delimiter: Delimiter
  /** Maximum number of cells to keep. The last one holds the first text of those beyond, so that none is lost unseen. */
  most_cells: number
  /** Maximum length of a record, in UTF-16 units. */
  longest: number
  /** The text is complete. */
  is_last: boolean
}

/** `end`: start of the next record. `extra`: number of cells beyond those kept. */
export type Found =
  | { cells: string[]; is_empty: boolean; extra: number; end: number }
  | { fault: 'quotes'; end: number }
  | { fault: 'too_long' }
  | 'more'

/**
 * Parses the record at `start`. Lines end with LF, CR LF or CR, also inside quoted cells. `quotes`: a misplaced or unclosed
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
    else {
      extra++
      if (isBlank(cells.at(-1))) cells[most_cells - 1] = cell.text
    }
    if (text[cell.end] !== delimiter || cell.end >= text.length) {
      const end = afterLineEnd(text, cell.end, is_last)
      return end === undefined ? 'more' : { cells, is_empty: cell.end === start, extra, end }
    }
    at = cell.end + 1
  }
}

export const isBlank = (text = '') => text.trim() === ''

/** Where the line ends that holds `start`: -1 if that is not within so many characters. */
export function lineEndAt(text: string, start: number, within = Infinity): number {
  for (let at = start; at < text.length && at - start <= within; at++)
    if (text[at] === '\n' || text[at] === '\r') return at
  return -1
}

/** Behind the line end at `at`; undefined while a LF may follow its CR. */
export function afterLineEnd(text: string, at: number, is_last: boolean): number | undefined {
  if (at >= text.length) return at
  if (text[at] !== '\r') return at + 1
  if (at + 1 === text.length && !is_last) return undefined
  return text[at + 1] === '\n' ? at + 2 : at + 1
}

/**
 * Only a quoted cell can continue past the end of a line, so a single overlong line is reported as too_long instead.
 */
function faultAt(text: string, start: number, { longest, is_last }: Rules): Found {
  const line = lineEndAt(text, start, longest)
  if (line >= 0) {
    const end = afterLineEnd(text, line, is_last)
    return end === undefined ? 'more' : { fault: 'quotes', end }
  }
  if (text.length - start > longest) return { fault: 'too_long' }
  return is_last ? { fault: 'quotes', end: text.length } : 'more'
}

/** `end`: position of the delimiter, of the line end or of the end of the text. */
type Cell = { text: string; end: number } | 'wrong' | 'more'

function plainAt(text: string, start: number, { delimiter, is_last }: Rules): Cell {
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === delimiter || character === '\n' || character === '\r')
      return { text: text.slice(start, at), end: at }
    if (character === '"') return 'wrong'
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
    const isEnd = next === undefined || next === delimiter || next === '\n' || next === '\r'
    return isEnd ? { text: text.slice(start + 1, at).replaceAll('""', '"'), end: at + 1 } : 'wrong'
  }
}

/** The separator that a first line names for spreadsheet programs (`sep=;`); undefined for another line. */
export const separatorNamedIn = (line: string): string | undefined => /^"?sep=(.?)"?$/i.exec(line)?.[1]

export const isDelimiter = (text: string): text is Delimiter => text === ',' || text === ';' || text === '\t'

/** The separator of a header line: the one that makes most known names, then the one that makes most cells. */
export function delimiterOf(line: string, isKnown: (name: string) => boolean = () => false): Delimiter {
  const [best] = Object.values(SEPARATORS)
    .map((delimiter) => {
      const found = recordAt(line, 0, { delimiter, most_cells: Infinity, longest: Infinity, is_last: true })
      const cells =
        typeof found === 'object' && 'cells' in found
          ? found.cells
          : line.replaceAll(/"[^"]*"/g, '').split(delimiter)
      return { delimiter, known: cells.filter(isKnown).length, count: cells.length }
    })
    .toSorted((a, b) => b.known - a.known || b.count - a.count)
  return best?.delimiter ?? ','
}
