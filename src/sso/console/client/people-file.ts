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

type CsvText = { header: string[]; rows: string[][]; delimiter: string; header_end: number }

/** Reads at most `most` rows. `header_end`: where the first record ends in the text. Empty lines are no rows. */
export function readCsv(text: string, most = Infinity): CsvText {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const delimiter = delimiterOf(text.slice(start).split(/[\r\n]/, 1)[0] ?? '')
  const records: string[][] = []
  let [at, header_end] = [start, text.length]
  while (at < text.length && records.length <= most) {
    const record = recordAt(text, at, delimiter)
    at = record.end
    if (record.cells.length === 1 && record.cells[0] === '') continue
    if (records.push(record.cells) === 1) header_end = record.text_end
  }
  const [header = [], ...rows] = records
  return { header: header.map((name) => name.trim()), rows, delimiter, header_end }
}

const delimiterOf = (line: string) =>
  [',', ';', '\t'].reduce((best, one) => (line.split(one).length > line.split(best).length ? one : best))

function recordAt(text: string, start: number, delimiter: string) {
  const cells: string[] = []
  let [cell, isQuoted, at] = ['', false, start]
  for (; at < text.length; at++) {
    const char = text[at] ?? ''
    if (isQuoted && char === '"' && text[at + 1] === '"') cell += text[++at] ?? ''
    else if (char === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (isQuoted) cell += char
    else if (char === delimiter) {
      cells.push(cell)
      cell = ''
    } else if (char === '\n' || char === '\r') break
    else cell += char
  }
  const end = text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1
  return { cells: [...cells, cell], text_end: at, end }
}

/** The same file with these names in its header. */
export function renamed(file: Blob, text: string, { header_end, delimiter }: CsvText, names: string[]): Blob {
  const length = new TextEncoder().encode(text.slice(0, header_end)).length
  return new Blob([recordOf(names, delimiter).slice(0, -2), file.slice(length)], { type: 'text/csv' })
}
