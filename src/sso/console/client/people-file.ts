import {
  type Delimiter,
  delimiterOf,
  isBlank,
  isDelimiter,
  recordAt,
  separatorNamedIn,
} from '#foundation/csv/records.ts'
import { recordOf } from '#foundation/web/client/csv.ts'

/* A CSV of people, as a browser reads it: its head for a preview, and single rows by their number. */

/** What `POST /api/v1/bulk/register` takes; `test/browser/console-imports.test.ts` compares the two lists. */
export const IMPORT_COLUMNS = [
  'email',
  'display_name',
  'given_name',
  'family_name',
  'username',
  'phone',
  'locale',
  'time_zone',
  'external_id',
  'role',
  'email_verified',
  'password_hash',
] as const

export const TEMPLATE = `${IMPORT_COLUMNS.join(',')}\r\n`

type CsvText = { header: string[]; rows: string[][]; delimiter: Delimiter; header_end: number }

/**
 * Reads at most `most` rows as the service does; `named` is the separator that somebody chose. `header_end`: where the
 * rows begin in the text. A row with a wrong quotation mark is one cell.
 */
export function readCsv(
  text: string,
  { most = Infinity, named }: { most?: number; named?: Delimiter } = {},
): CsvText {
  const lineAt = (from: number) => text.slice(from).split(/[\r\n]/, 1)[0] ?? ''
  let at = text.startsWith('\uFEFF') ? 1 : 0
  const hint = separatorNamedIn(lineAt(at))
  if (hint !== undefined) at += lineAt(at).length
  while (text[at] === '\r' || text[at] === '\n') at++
  const told = hint !== undefined && isDelimiter(hint) ? hint : undefined
  const delimiter = named ?? told ?? delimiterOf(lineAt(at), (name) => isColumn(columnOf(name)))
  const rules = { delimiter, most_cells: Infinity, longest: Infinity, is_last: true }
  const records: string[][] = []
  let header_end = text.length
  while (at < text.length && records.length <= most) {
    const found = recordAt(text, at, rules)
    if (typeof found === 'string' || !('end' in found)) break
    const cells = 'cells' in found ? found.cells : [text.slice(at, found.end).trimEnd()]
    at = found.end
    if (!cells.every(isBlank) && records.push(cells) === 1) header_end = at
  }
  const [header = [], ...rows] = records
  return { header: header.map((name) => name.trim()), rows, delimiter, header_end }
}

export const isColumn = (name: string) => IMPORT_COLUMNS.some((one) => one === name)

/** `E-Mail` is `email`, `Display name` is `display_name`. */
export function columnOf(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  return IMPORT_COLUMNS.find((one) => one.replaceAll('_', '') === plain) ?? name
}

/** The same file with these names in its header. */
export function renamed(file: Blob, text: string, { header_end, delimiter }: CsvText, names: string[]): Blob {
  const length = new TextEncoder().encode(text.slice(0, header_end)).length
  return new Blob([recordOf(names, delimiter), file.slice(length)], { type: 'text/csv' })
}
