import { setImmediate } from 'node:timers/promises'
import { ApiError, type FieldError, unprocessable } from '#foundation/errors.ts'
import { REGISTERED_FIELDS } from '../../core/profile.ts'
import { type Delimiter, type Found, recordAt } from './records.ts'

export type { Delimiter } from './records.ts'

/** The columns a file may have besides the required `email` (docs/integrating.md). */
export const COLUMNS = [
  'email',
  ...REGISTERED_FIELDS,
  'external_id',
  'role',
  'email_verified',
  'password_hash',
] as const
export type Column = (typeof COLUMNS)[number]

export const MAX_ROWS = 100_000
/** A longer record has an unclosed quotation mark, or is not about a person. */
const MAX_RECORD = 65_536
const MAX_HEADER = 16_384
/** More than the known columns, so that an error can name the unknown ones. */
const MAX_HEADER_CELLS = 64
/** Maximum characters of empty lines and surplus separators; a file with more holds nothing else. */
const MAX_WASTE = 1_048_576
const SLICE = 32_768

export type Layout = { delimiter: Delimiter; columns: Column[] }
/**
 * `line` is the physical line where the record starts; the header is line 1. `is_malformed`: its quotation marks are
 * invalid.
 */
export type CsvRecord = { cells: string[]; line: number; is_malformed?: boolean }
type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/**
 * Reads a file once, in chunks, and returns its layout and number of records. 422 if it is not UTF-8, has an invalid
 * header, is not CSV, or holds more than MAX_ROWS records.
 */
export async function inspect(chunks: Chunks): Promise<Layout & { total_rows: number }> {
  let layout: Layout | undefined
  let total_rows = -1
  for await (const { cells, delimiter } of readCsv(chunks)) {
    layout ??= { delimiter, columns: columnsOf(cells) }
    if (++total_rows > MAX_ROWS)
      throw unprocessable('file', 'too_many_rows', `must hold at most ${MAX_ROWS} records`)
  }
  if (!layout) throw unprocessable('file', 'empty', 'holds no header line')
  return { ...layout, total_rows }
}

/** The records below the header. */
export async function* readRecords(chunks: Chunks, delimiter: Delimiter): AsyncGenerator<CsvRecord> {
  let isHeader = true
  for await (const { cells, line, is_malformed } of readCsv(chunks, delimiter)) {
    if (!isHeader) yield { cells, line, ...(is_malformed && { is_malformed }) }
    isHeader = false
  }
}

type Read = CsvRecord & { delimiter: Delimiter }

/** Skips empty lines. 422 names the line where the text is no longer CSV. */
async function* readCsv(chunks: Chunks, delimiter?: Delimiter): AsyncGenerator<Read> {
  const take = createReader(delimiter)
  for await (const text of textOf(chunks)) yield* take(text, false)
  yield* take('', true)
}

/** Yields to the event loop every few hundred records, so that a large file does not delay small requests. */
async function* textOf(chunks: Chunks): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks)
      for (let start = 0; start < chunk.length; start += SLICE) {
        yield decoder.decode(chunk.subarray(start, start + SLICE), { stream: true })
        await setImmediate()
      }
    yield decoder.decode()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw unprocessable('file', 'invalid_encoding', 'must be UTF-8')
  }
}

/**
 * Parses text incrementally into records. The first one is the header, which sets the number of cells of the others.
 */
function createReader(known: Delimiter | undefined) {
  let [delimiter, most_cells] = [known, MAX_HEADER_CELLS]
  let [rest, line, waste, isHeader] = ['', 1, 0, true]

  const spend = (characters: number) => {
    waste += characters
    if (waste > MAX_WASTE)
      throw malformed(line, 'more than 1 MiB of empty lines and separators beyond the columns')
  }

  function toRecord(found: Exclude<Found, 'more'>, length: number): CsvRecord | undefined {
    if ('fault' in found) {
      if (found.fault === 'too_long') throw malformed(line, `a record of more than ${MAX_RECORD} characters`)
      if (isHeader) throw malformed(line, 'a quotation mark that does not belong there, or is never closed')
      return { cells: [], line, is_malformed: true }
    }
    spend(found.is_empty ? length : found.extra)
    if (found.is_empty) return undefined
    if (isHeader) most_cells = found.cells.length + 1
    isHeader = false
    return { cells: found.cells, line }
  }

  return function* take(text: string, is_last: boolean): Generator<Read> {
    rest += text
    let at = 0
    while (at < rest.length) {
      // Empty lines before the header parse the same with any separator.
      const separator: Delimiter | undefined =
        delimiter ?? (isLineEnd(rest, at) ? ',' : (delimiter = delimiterAt(rest, at, is_last)))
      if (!separator) break
      const found = recordAt(rest, at, { delimiter: separator, most_cells, longest: MAX_RECORD, is_last })
      if (found === 'more') break
      const end = 'end' in found ? found.end : at
      const record = toRecord(found, end - at)
      if (record) yield { ...record, delimiter: separator }
      line += lineEnds(rest, at, end)
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

const malformed = (line: number, why: string) =>
  unprocessable('file', 'malformed_csv', `is not valid CSV near line ${line}: ${why}`)

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

/** Names are compared in lower case and trimmed. */
function columnsOf(cells: string[]): Column[] {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  const faults: FieldError[] = []
  names.forEach((name, i) => {
    const field = name.slice(0, 50) || `column ${i + 1}`
    if (!isColumn(name))
      faults.push({ field, code: 'unknown_column', message: `is not a column: ${COLUMNS.join(', ')} are` })
    else if (names.indexOf(name) < i)
      faults.push({ field, code: 'repeated_column', message: 'stands there more than once' })
  })
  if (!names.includes('email'))
    faults.push({ field: 'email', code: 'missing_column', message: 'must be a column' })
  const shown = faults.slice(0, 20)
  const [worst] = shown
  if (worst)
    throw new ApiError(
      422,
      worst.code,
      shown.map(({ field, message }) => `${field}: ${message}`).join('; '),
      {
        errors: shown,
      },
    )
  return names.filter(isColumn)
}

const isColumn = (name: string): name is Column => (COLUMNS as readonly string[]).includes(name)
