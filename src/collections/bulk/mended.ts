import { type Static, Type } from 'typebox'
import type { RawCell } from './refused-again.ts'

const MAX_ROWS = 500
const MAX_CELLS = 100

/** Cells of refused rows by the letters of their columns, as somebody typed them; a row is named by its sheet and number. */
export const MendedRows = Type.Object(
  {
    rows: Type.Array(
      Type.Object(
        {
          sheet: Type.String({ maxLength: 255 }),
          row: Type.Integer({ minimum: 1, maximum: 1_048_576 }),
          cells: Type.Record(Type.String({ pattern: '^[A-Z]{1,3}$' }), Type.String({ maxLength: 32_000 }), {
            maxProperties: MAX_CELLS,
            additionalProperties: false,
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_ROWS },
    ),
  },
  { additionalProperties: false },
)

/** What was typed, by sheet and row. */
export type Mended = ReadonlyMap<string, ReadonlyMap<number, RawCell>>
export const placeOf = (sheet: string, row: number) => `${row} ${sheet}`

export const mendedOf = ({ rows }: Static<typeof MendedRows>): Mended =>
  new Map(
    rows.map(({ sheet, row, cells }) => [
      placeOf(sheet, row),
      new Map(Object.entries(cells).map(([letters, text]) => [columnNumber(letters) - 1, typed(text)])),
    ]),
  )

/** `A` is 1, `AA` is 27. */
const columnNumber = (letters: string) =>
  Array.from(letters, (one) => one.charCodeAt(0) - 64).reduce((sum, one) => sum * 26 + one, 0)

/** As a spreadsheet program takes it: numbers that are written as we would write them, flags, and texts. */
function typed(text: string): RawCell {
  const bare = text.trim()
  if (bare === '') return null
  if (bare === 'true' || bare === 'false') return bare === 'true'
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(bare) && String(Number(bare)) === bare ? Number(bare) : text
}
