import { PassThrough, type Readable } from 'node:stream'
import type { WriteSheet } from 'hucre/xlsx'
import { ZipFile } from 'yazl'
import { inflate, openArchive } from './archive.ts'
import { encodeText } from './cell-text.ts'
import { columnName, LIMITS } from './workbook.ts'

export type Value = string | number | boolean | null
/** `error` is an error cell, `date` a number that is shown as a date. */
export type Written = Value | { error: string } | { date: number }

export type ColumnDesign = {
  header: string
  /** In characters. */
  width: number
  /** Whether cells have the text format, which keeps input as typed: `=1` stays text after editing. */
  is_text: boolean
  /** The values the cells suggest. Other values are allowed. */
  list?: readonly string[]
}

/** Row 1 has the headers. `empty_rows`: the number of formatted rows below the last one. */
export type SheetDesign = { name: string; columns: readonly ColumnDesign[]; empty_rows: number }

/**
 * A workbook whose bytes can be read while its rows arrive. `add` takes rows of one sheet after the other. The library
 * writes all but the rows.
 */
export async function openWorkbook(designs: readonly SheetDesign[]) {
  const { writeXlsx } = await import('hucre/xlsx')
  const archive = await openArchive(Buffer.from(await writeXlsx({ sheets: designs.map(frameOf) })))
  const zip = new ZipFile()
  const sheets: ReturnType<typeof openSheet>[] = []
  for (const part of archive.parts.values()) {
    const bytes = Buffer.concat(await Array.fromAsync(inflate(archive, part)))
    const index = Number(/^xl\/worksheets\/sheet(\d+)\.xml$/.exec(part.name)?.[1]) - 1
    const design = designs[index]
    if (design) zip.addReadStream((sheets[index] = openSheet(design, bytes.toString())).xml, part.name)
    else zip.addBuffer(bytes, part.name)
  }
  zip.end()
  const endBefore = (index: number) => {
    for (const sheet of sheets.slice(0, index)) sheet.end()
  }
  return {
    stream: zip.outputStream as Readable,
    add(index: number, rows: readonly Written[][]) {
      endBefore(index)
      sheets[index]?.add(rows)
    },
    end: () => endBefore(designs.length),
  }
}

/** Three cells only, which have the styles of a header, of a text and of a date. */
const frameOf = ({ name, columns }: SheetDesign): WriteSheet => ({
  name,
  rows: [[0, 0, 0]],
  columns: columns.map(({ width }) => ({ width })),
  cells: new Map([
    ['0,0', { style: { numFmt: '@', font: { bold: true } } }],
    ['0,1', { style: { numFmt: '@' } }],
    ['0,2', { style: { numFmt: 'yyyy-mm-dd' } }],
  ]),
  freezePane: { rows: 1 },
})

/** The XML of a sheet, which begins with what the library wrote around its cells. */
function openSheet({ columns, empty_rows }: SheetDesign, frame: string) {
  const xml = new PassThrough()
  const [before = '', cells = '', after = ''] = frame
    .replace(/<dimension[^<>]*>/, '')
    .split(/<sheetData>|<\/sheetData>/)
  const [header = '0', text = '0', date = '0'] = Array.from(
    cells.matchAll(/ s="(\d+)"/g),
    ([, style]) => style,
  )
  let row = 0
  const rowOf = (write: (column: ColumnDesign, place: string, index: number) => string) => {
    row++
    const written = columns.map((column, index) => write(column, `${columnName(index + 1)}${row}`, index))
    return `<row r="${row}">${written.join('')}</row>`
  }
  xml.write(`${before}<sheetData>${rowOf((column, place) => cellOf(place, column.header, header))}`)
  return {
    xml,
    add(rows: readonly Written[][]) {
      const written = rows.map((values) =>
        rowOf(({ is_text }, place, index) => {
          const value = values[index] ?? null
          if (typeof value !== 'object' || value === null) return cellOf(place, value, is_text ? text : '0')
          if ('date' in value) return `<c r="${place}" s="${date}"><v>${value.date}</v></c>`
          return `<c r="${place}" t="e"><v>${value.error}</v></c>`
        }),
      )
      xml.write(written.join(''))
    },
    end() {
      if (xml.writableEnded) return
      const empty = Array.from({ length: empty_rows }, () =>
        rowOf(({ is_text }, place) => (is_text ? `<c r="${place}" s="${text}"/>` : '')),
      )
      xml.end(`${empty.join('')}</sheetData>${listsOf(columns, row)}${after}`)
    },
  }
}

/** Numbers and booleans have no style, so that they stay what they are in a column of texts. */
function cellOf(place: string, value: Value, style: string): string {
  if (value === null) return ''
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`
  const text = `<t xml:space="preserve">${encodeText(value)}</t>`
  return `<c r="${place}" s="${style}" t="inlineStr"><is>${text}</is></c>`
}

/** The suggested values of the columns that have some, down to row `last`. */
function listsOf(columns: readonly ColumnDesign[], last: number): string {
  const lists = columns.flatMap(({ list = [] }, index) => {
    const [values, letter] = [list.join(','), columnName(index + 1)]
    // Excel stores such a list as one text of at most 255 characters.
    if (last < 2 || values === '' || values.length > 255) return []
    const range = `${letter}2:${letter}${last}`
    return [
      `<dataValidation type="list" allowBlank="1" sqref="${range}"><formula1>"${encodeText(values)}"</formula1></dataValidation>`,
    ]
  })
  const count = lists.length
  return count === 0 ? '' : `<dataValidations count="${count}">${lists.join('')}</dataValidations>`
}

/** Whether a text is short enough for a cell. */
export const fitsIntoCell = (text: string) => text.length <= LIMITS.cellText
