import { workbookOf } from './workbooks.ts'

type Cell = string | number | boolean | null
/** Rows by sheet; the first is the header. */
export type Book = Record<string, readonly (readonly Cell[])[]>

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '&#10;')

function cellOf(value: Cell, reference: string): string {
  if (value === null) return ''
  if (typeof value === 'number') return `<c r="${reference}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`
}

/** A workbook with these rows. At most 26 columns. */
export const bookOf = (book: Book): Buffer =>
  workbookOf({
    sheets: Object.entries(book).map(([name, rows]) => ({
      name,
      rows: rows
        .map(
          (row, index) =>
            `<row r="${index + 1}">${row.map((value, column) => cellOf(value, `${String.fromCharCode(65 + column)}${index + 1}`)).join('')}</row>`,
        )
        .join(''),
    })),
  })

const BOUNDARY = 'boundary-of-a-test'

/** A multipart/form-data body with one file and text fields. */
export function formOf(file: Buffer | undefined, fields: Record<string, string> = {}, name = 'book.xlsx') {
  const parts: Buffer[] = Object.entries(fields).map(([field, value]) =>
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`),
  )
  if (file)
    parts.push(
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      ),
      file,
      Buffer.from('\r\n'),
    )
  return {
    payload: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  }
}
