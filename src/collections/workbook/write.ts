import type { CellStyle, WriteSheet } from 'hucre/xlsx'
import { encodeEscapes } from './cell-text.ts'
import { columnName, LIMITS } from './workbook.ts'

export type Value = string | number | boolean | null

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

/** The bytes of a workbook. Takes a second for 50,000 rows, so only writer-thread.ts calls it. */
export async function writeWorkbook(sheets: readonly { design: SheetDesign; rows: readonly Value[][] }[]) {
  const { writeXlsx } = await import('hucre/xlsx')
  return writeXlsx({ sheets: sheets.map(({ design, rows }) => toSheet(design, rows)) })
}

const TEXT: CellStyle = { numFmt: '@' }
const HEADER: CellStyle = { numFmt: '@', font: { bold: true } }

function toSheet({ name, columns, empty_rows }: SheetDesign, rows: readonly Value[][]): WriteSheet {
  const written = [columns.map(({ header }) => header), ...rows.map((row) => row.map(escaped))]
  const blank = columns.map(() => null)
  for (let row = 0; row < empty_rows; row++) written.push(blank)
  const last = 1 + rows.length + empty_rows
  return {
    name,
    rows: written,
    columns: columns.map(({ width, is_text }) => ({ width, ...(is_text && { style: TEXT }) })),
    cells: exceptions(columns, rows),
    freezePane: { rows: 1 },
    dataValidations: columns.flatMap(({ list }, index) => {
      const [values, letter] = [[...(list ?? [])], columnName(index + 1)]
      // Excel stores such a list as one text of at most 255 characters.
      if (last < 2 || values.length === 0 || values.join(',').length > 255) return []
      return { type: 'list', values, allowBlank: true, range: `${letter}2:${letter}${last}` }
    }),
  }
}

const escaped = (value: Value) => (typeof value === 'string' ? encodeEscapes(value) : value)

/**
 * Cells whose style differs from their column: headers, numbers and booleans in text columns, and texts such as
 * #REF!, which the library takes for errors unless they are rich text.
 */
function exceptions(
  columns: readonly ColumnDesign[],
  rows: readonly Value[][],
): NonNullable<WriteSheet['cells']> {
  const cells: NonNullable<WriteSheet['cells']> = new Map()
  for (const index of columns.keys()) cells.set(`0,${index}`, { style: HEADER })
  for (const [index, row] of rows.entries())
    for (const [column, value] of row.entries()) {
      const place = `${index + 1},${column}`
      if (typeof value === 'string') {
        if (value.startsWith('#')) cells.set(place, { richText: [{ text: encodeEscapes(value) }] })
      } else if (value !== null && columns[column]?.is_text) cells.set(place, { style: {} })
    }
  return cells
}

/** Whether a text is short enough for a cell. */
export const fitsIntoCell = (text: string) => text.length <= LIMITS.cellText
