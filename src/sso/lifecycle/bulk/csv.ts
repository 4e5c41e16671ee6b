import { type CsvRules, type Delimiter, readCsv } from '#foundation/csv/read.ts'
import { ApiError, type FieldError, unprocessable } from '#foundation/errors.ts'
import { REGISTERED_FIELDS } from '../../core/profile.ts'

export type { Delimiter } from '#foundation/csv/read.ts'

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
const RULES: CsvRules = {
  // More than the known columns, so that an error can name the unknown ones.
  header_cells: 64,
  longest: 65_536,
  isKnown: (header) => columnNamed(header) !== undefined,
  fault: (code, why) => unprocessable('file', code, why),
}

/** A column without a name is '' and holds no values. */
export type Layout = { delimiter: Delimiter; columns: (Column | '')[] }
type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/**
 * Reads a file once, in chunks, and returns its layout and number of records. `named` is its separator. 422 if it is not UTF-8, has an invalid
 * header, is not CSV, or holds more than MAX_ROWS records.
 */
export async function inspect(chunks: Chunks, named?: Delimiter): Promise<Layout & { total_rows: number }> {
  let layout: Layout | undefined
  let total_rows = -1
  for await (const { cells, delimiter } of readCsv(chunks, { ...RULES, delimiter: named })) {
    layout ??= { delimiter, columns: columnsOf(cells) }
    if (++total_rows > MAX_ROWS)
      throw unprocessable('file', 'too_many_rows', `must hold at most ${MAX_ROWS} records`)
  }
  if (!layout) throw unprocessable('file', 'empty', 'holds no header line')
  return { ...layout, total_rows }
}

/**
 * `line` is the physical line where the record starts; the header is line 1. `is_malformed`: its quotation marks are
 * invalid.
 */
export type CsvRecord = { cells: string[]; line: number; is_malformed?: boolean }

/** The records below the header. */
export async function* readRecords(chunks: Chunks, delimiter: Delimiter): AsyncGenerator<CsvRecord> {
  let isHeader = true
  for await (const { cells, line, is_malformed } of readCsv(chunks, { ...RULES, delimiter })) {
    if (!isHeader) yield is_malformed ? { cells: [], line, is_malformed } : { cells, line }
    isHeader = false
  }
}

/** `E-Mail` is `email`, `Display name` is `display_name`. */
const columnNamed = (header: string): Column | undefined => COLUMNS_BY_NAME.get(bare(header))

const bare = (header: string) => header.toLowerCase().replaceAll(/[\s_-]/g, '')
const COLUMNS_BY_NAME = new Map(COLUMNS.map((column) => [bare(column), column]))

function columnsOf(cells: string[]): (Column | '')[] {
  const names = cells
    .slice(0, cells.findLastIndex((cell) => bare(cell) !== '') + 1)
    .map((cell) => (bare(cell) === '' ? '' : (columnNamed(cell) ?? cell.trim().toLowerCase())))
  const faults: FieldError[] = []
  names.forEach((name, i) => {
    const field = name.slice(0, 50)
    if (name === '') return
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
  return names.filter((name) => name === '' || isColumn(name))
}

const isColumn = (name: string): name is Column => (COLUMNS as readonly string[]).includes(name)
