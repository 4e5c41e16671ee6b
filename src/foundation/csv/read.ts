import { setImmediate } from 'node:timers/promises'
import {
  afterLineEnd,
  type Delimiter,
  delimiterOf,
  type Found,
  isBlank,
  isDelimiter,
  lineEndAt,
  recordAt,
  separatorNamedIn,
} from './records.ts'

export { type Delimiter, SEPARATOR_NAMES, SEPARATORS } from './records.ts'

const MAX_HEADER = 16_384
/** Maximum characters of empty lines and surplus separators; a file with more holds nothing else. */
const MAX_WASTE = 1_048_576
const SLICE = 32_768

export type CsvRules = {
  /** Named, or known from an earlier reading; otherwise a line `sep=;` or the header line tells. */
  delimiter?: Delimiter | undefined
  /** Whether a header is one of those that such a file can have. */
  isKnown?: (name: string) => boolean
  encoding?: 'utf-8' | 'utf-16le' | 'utf-16be'
  /** The most cells of the header, which sets those of the other records. */
  header_cells: number
  /** A longer record has an unclosed quotation mark, or is no record. */
  longest: number
  /** The error for a file that cannot be read; `why` follows its name. */
  fault: (code: 'invalid_encoding' | 'malformed_csv', why: string) => Error
}

/**
 * `line` is the physical line where the record starts, `row` its number among the records, empty ones included: what a
 * spreadsheet program shows. The header is 1. `is_malformed`: its quotation marks are invalid, and its only cell is
 * the line as written.
 */
export type CsvRecord = {
  cells: string[]
  line: number
  row: number
  delimiter: Delimiter
  is_malformed: boolean
}

/** The records of a file, read once in chunks. Skips records without a value. The fault names the line where it is no longer CSV. */
export async function* readCsv(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  rules: CsvRules,
): AsyncGenerator<CsvRecord> {
  const take = createReader(rules)
  for await (const text of textOf(chunks, rules)) yield* take(text, false)
  yield* take('', true)
}

/** Yields to the event loop every few hundred records, so that a large file does not delay small requests. */
async function* textOf(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { encoding = 'utf-8', fault }: CsvRules,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const chunk of chunks)
      for (let start = 0; start < chunk.length; start += SLICE) {
        yield decoder.decode(chunk.subarray(start, start + SLICE), { stream: true })
        await setImmediate()
      }
    yield decoder.decode()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw fault('invalid_encoding', 'must be UTF-8')
  }
}

/**
 * Parses text incrementally into records. The first one is the header, which sets the number of cells of the others.
 */
function createReader({ delimiter: named, isKnown, header_cells, longest, fault }: CsvRules) {
  let [delimiter, most_cells] = [named, header_cells]
  let [rest, line, row, waste, isHeader] = ['', 1, 1, 0, true]

  const malformed = (why: string) => fault('malformed_csv', `is not valid CSV near line ${line}: ${why}`)
  const spend = (characters: number) => {
    waste += characters
    if (waste > MAX_WASTE) throw malformed('more than 1 MiB of empty lines and separators beyond the columns')
  }

  function cellsOf(found: Exclude<Found, 'more'>, at: number): string[] | undefined {
    if ('fault' in found) {
      if (found.fault === 'too_long') throw malformed(`a record of more than ${longest} characters`)
      if (isHeader) throw malformed('a quotation mark that does not belong there, or is never closed')
      return [rest.slice(at, found.end).replace(/(?:\r\n?|\n)$/, '')]
    }
    spend(found.is_empty ? found.end - at : found.extra)
    if (found.cells.every(isBlank)) return undefined
    if (isHeader) most_cells = found.cells.length + 1
    isHeader = false
    return found.cells
  }

  /** Learns the separator. The answer is where the record begins: behind a line that names it. */
  function beforeHeader(at: number, is_last: boolean): number | 'more' {
    const end = lineEndAt(rest, at, MAX_HEADER)
    if (end < 0 && !is_last && rest.length - at < MAX_HEADER) return 'more'
    const text = rest.slice(at, end < 0 ? at + MAX_HEADER : end)
    const hint = line === 1 ? separatorNamedIn(text) : undefined
    if (hint === undefined) {
      if (!isBlank(text)) delimiter ??= delimiterOf(text, isKnown)
      return at
    }
    const next = afterLineEnd(rest, end < 0 ? rest.length : end, is_last)
    if (next === undefined) return 'more'
    if (!isDelimiter(hint)) throw malformed('it names a separator that is none of comma, semicolon and tab')
    delimiter ??= hint
    line++
    return next
  }

  return function* take(text: string, is_last: boolean): Generator<CsvRecord> {
    rest += text
    let at = 0
    while (at < rest.length) {
      if (isHeader) {
        const begin = beforeHeader(at, is_last)
        if (begin === 'more') break
        at = begin
      }
      // Empty lines before the header parse the same with any separator.
      const separator = delimiter ?? ','
      const found = recordAt(rest, at, { delimiter: separator, most_cells, longest, is_last })
      if (found === 'more') break
      const cells = cellsOf(found, at)
      if (cells) yield { cells, line, row, delimiter: separator, is_malformed: 'fault' in found }
      const end = 'end' in found ? found.end : at
      line += lineEnds(rest, at, end)
      row++
      at = end
    }
    rest = rest.slice(at)
  }
}

function lineEnds(text: string, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at++)
    if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) count++
  return count
}
