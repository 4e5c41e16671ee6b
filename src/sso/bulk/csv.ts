import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { CsvError, type Info, parse } from 'csv-parse'
import { ApiError, type FieldError, unprocessable } from '#foundation/errors.ts'

/** What a file may hold beside `email`, which it must (docs/integrating.md). */
export const COLUMNS = [
  'email', 'display_name', 'given_name', 'family_name', 'username', 'phone', 'locale', 'time_zone', 'external_id', 'role',
  'email_verified', 'password_hash',
] as const // prettier-ignore
export type Column = (typeof COLUMNS)[number]

export const MAX_ROWS = 100_000
/** A record of more is a quotation mark that was never closed, or no record of a person. */
const MAX_RECORD_BYTES = 65_536
const MAX_HEADER_BYTES = 16_384
/** So many chunks are kept while the header line is looked for; what begins with more empty lines has none. */
const MAX_HEAD = 8
const SLICE = 32_768
/** A byte order mark, as bytes, and empty lines. */
const LEADING = /^(?:\xef\xbb\xbf)?[\r\n]*/

export type Delimiter = ',' | ';' | '\t'
export type Layout = { delimiter: Delimiter; columns: Column[] }
/** `line` is the physical line where the record starts; the header is line 1. */
export type CsvRecord = { cells: string[]; line: number }
type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/**
 * Reads a file once, chunk by chunk: its layout, and how many records stand below its header. 422 when it is not UTF-8,
 * its header is not one of ours, it is no CSV, or it holds more than MAX_ROWS records.
 */
export async function inspect(chunks: Chunks): Promise<Layout & { total_rows: number }> {
  const source = utf8Only(chunks)
  const head: Buffer[] = []
  let header = ''
  while (head.length < MAX_HEAD && header.length < MAX_HEADER_BYTES && !/[^\r\n]\n/.test(header)) {
    const next = await source.next()
    if (next.done) break
    head.push(next.value)
    header = (header + next.value.toString('latin1', 0, MAX_HEADER_BYTES)).replace(LEADING, '')
  }
  const delimiter = delimiterOf(header)
  const all = async function* () {
    yield* head
    yield* source
  }
  let layout: Layout | undefined
  let total_rows = -1
  for await (const { cells } of readCsv(all(), delimiter)) {
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
  for await (const record of readCsv(chunks, delimiter)) {
    if (!isHeader) yield record
    isHeader = false
  }
}

/** Empty lines are no records. 422 names the line where the text stops being CSV. */
async function* readCsv(chunks: Chunks, delimiter: Delimiter): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    info: true,
  })
  // Its errors come out of the parser as well.
  const feeding = pipeline(Readable.from(inSlices(chunks)), parser).catch(() => {})
  const lineOf = countLines()
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>)
      yield { cells: record, line: lineOf(record, info.lines) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = 'lines' in error ? ` near line ${String(error.lines)}` : ''
    throw unprocessable(
      'file',
      'malformed_csv',
      `is not valid CSV${line}: ${FAULTS[error.code] ?? 'unreadable'}`,
    )
  } finally {
    parser.destroy()
    await feeding
  }
}

/** Some hundred records at a time, with everybody else's turn between them: a large file must not hold up a small request. */
async function* inSlices(chunks: Chunks): AsyncGenerator<Buffer> {
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += SLICE) {
      yield chunk.subarray(start, start + SLICE)
      await setImmediate()
    }
}

const FAULTS: Record<string, string> = {
  INVALID_OPENING_QUOTE: 'a quotation mark inside a cell that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'text behind a closing quotation mark',
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is never closed',
  CSV_MAX_RECORD_SIZE: `a record of more than ${MAX_RECORD_BYTES} bytes; a quotation mark may never be closed`,
}

/** The parser counts CR LF inside a quoted cell as two lines, and tells where a record ends, not where it starts. */
function countLines() {
  let counted_twice = 0
  return (cells: string[], lines: number) => {
    let inside = 0
    for (const cell of cells) {
      if (!cell.includes('\n')) continue
      const breaks = cell.split('\n').length - 1
      inside += breaks
      counted_twice += cell.split('\r\n').length - 1
    }
    return lines - counted_twice - inside
  }
}

async function* utf8Only(chunks: Chunks): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) {
      decoder.decode(chunk, { stream: true })
      yield chunk
    }
    decoder.decode()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw unprocessable('file', 'invalid_encoding', 'must be UTF-8')
  }
}

/** The header line decides: whichever stands there most often outside quotation marks. */
function delimiterOf(text: string): Delimiter {
  const [line = ''] = text.split(/\r?\n/, 1)
  const bare = line.replaceAll(/"[^"]*"/g, '')
  const [best] = ([',', ';', '\t'] as const)
    .map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
    .toSorted((a, b) => b.count - a.count)
  return best?.delimiter ?? ','
}

/** Names are compared in lower case, without blanks around them. */
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
