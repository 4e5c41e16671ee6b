import type { Delimiter } from '#foundation/csv/records.ts'
import { openSheets } from './sheets.ts'
import type { SheetHandler } from './sheet.ts'
import { type Facts, fileFault, LIMITS, type Merge, type Row, type SheetFacts } from './workbook.ts'

export type RowReader = {
  /** Rows of `sheet` in file order. Reading waits for its promise. */
  onRows: (sheet: string, rows: Row[]) => void | Promise<void>
  dataRows?: number | undefined
  /** Of a .csv. */
  delimiter?: Delimiter | undefined
}

const MERGES_KEPT = 1000

/** Reads the named sheets in order, in the calling thread; in production that is a worker. */
export async function readWorkbook(
  bytes: Buffer,
  names: readonly string[],
  { onRows, dataRows = LIMITS.dataRows, delimiter }: RowReader,
): Promise<Facts> {
  const readSheet = await openSheets(bytes, delimiter)
  const found: SheetFacts[] = []
  let rowsLeft = dataRows
  for (const name of names) {
    const read = await readDataSheet((handler) => readSheet(name, handler), name, onRows, rowsLeft)
    rowsLeft -= Math.max(0, read.rows - 1)
    found.push(read)
  }
  return { sheets: found }
}

async function readDataSheet(
  readSheet: (handler: SheetHandler) => Promise<void>,
  name: string,
  onRows: RowReader['onRows'],
  dataRows: number,
): Promise<SheetFacts> {
  const facts: SheetFacts = {
    name,
    rows: 0,
    header_row: null,
    hidden_rows: 0,
    first_hidden_row: null,
    merges: [],
    merge_count: 0,
  }
  let headerEnd = 0
  const batches: Row[][] = []
  let batch: Row[] = []
  let characters = 0
  await readSheet({
    row: (row) => {
      if (facts.rows === 0 && row.row <= LIMITS.headerWithin) {
        facts.header_row = row.row
        headerEnd = row.cells.at(-1)?.column ?? 0
      }
      if (++facts.rows - 1 > dataRows)
        throw fileFault('too_many_rows', `The workbook has more than ${LIMITS.dataRows} rows`)
      if (row.hidden) {
        facts.hidden_rows++
        facts.first_hidden_row ??= row.row
      }
      batch.push(row)
      for (const { text } of row.cells) characters += text.length
      if (batch.length < BATCH && characters < BATCH_CHARACTERS) return
      batches.push(batch)
      batch = []
      characters = 0
    },
    merge: (merge) => {
      if (isOverHeader(merge, facts.header_row, headerEnd))
        throw fileFault('merged_header', `Sheet ${name}: cells of the header row are merged`)
      facts.merge_count++
      if (facts.merges.length < MERGES_KEPT) facts.merges.push(merge)
    },
    afterSlice: async () => {
      for (const full of batches.splice(0)) await onRows(name, full)
      return undefined
    },
  })
  for (const full of [...batches, batch]) if (full.length > 0) await onRows(name, full)
  return facts
}

/** The batch size: large enough for few turns, with a limit on characters for long texts. */
const BATCH = 250
const BATCH_CHARACTERS = 2 ** 20

/** Merges come after the rows in the file, so the header is known by now. */
const isOverHeader = ({ top, left, bottom, right }: Merge, headerRow: number | null, headerEnd: number) =>
  headerRow !== null &&
  top <= headerRow &&
  bottom >= headerRow &&
  left <= headerEnd &&
  (left < right || top < bottom)
