import { setImmediate } from 'node:timers/promises'
import { type Delimiter, type Found, recordAt } from './records.ts'

export type { Delimiter } from './records.ts'

const MAX_HEADER = 16_384
/** Maximum characters of empty lines and surplus separators; a file with more holds nothing else. */
const MAX_WASTE = 1_048_576
const SLICE = 32_768

export type CsvRules = {
  /** Known from an earlier reading; otherwise the header line tells. */
  delimiter?: Delimiter | undefined
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

/** The records of a file, read once in chunks. Skips empty lines. The fault names the line where it is no longer CSV. */
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
function createReader({ delimiter: known, header_cells, longest, fault }: CsvRules) {
  let [delimiter, most_cells] = [known, header_cells]
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
      return [rest.slice(at, found.end).replace(/\r?\n$/, '')]
    }
    spend(found.is_empty ? found.end - at : found.extra)
    if (found.is_empty) return undefined
    if (isHeader) most_cells = found.cells.length + 1
    isHeader = false
    return found.cells
  }

  return function* take(text: string, is_last: boolean): Generator<CsvRecord> {
    rest += text
    let at = 0
    while (at < rest.length) {
      // Empty lines before the header parse the same with any separator.
      const separator: Delimiter | undefined =
        delimiter ?? (isLineEnd(rest, at) ? ',' : (delimiter = delimiterAt(rest, at, is_last)))
      if (!separator) break
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
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}

const isLineEnd = (text: string, at: number) => text[at] === '\n' || text[at] === '\r'

/** Undefined until the header line is complete. */
function delimiterAt(text: string, at: number, is_last: boolean): Delimiter | undefined {
  const end = text.indexOf('\n', at)
  if (end < 0 && !is_last && text.length - at < MAX_HEADER) return undefined
  return delimiterOf(text.slice(at, Math.min(end < 0 ? text.length : end, at + MAX_HEADER)))
}

/** The separator is the candidate that occurs most often in the header outside quotation marks. */
function delimiterOf(line: string): Delimiter {
  const bare = line.replaceAll(/"[^"]*"/g, '')
  const [best] = ([',', ';', '\t'] as const)
    .map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
    .toSorted((a, b) => b.count - a.count)
  return best?.delimiter ?? ','
}
