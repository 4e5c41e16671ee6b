import { readFile, stat } from 'node:fs/promises'
import { ApiError } from '#foundation/errors.ts'
import { type Archive, openArchive } from './archive.ts'
import { type CsvHints, headOfCsv, isText } from './csv-sheet.ts'
import { contentOf, headsOfOds } from './ods-sheets.ts'
import { readPackage, type SheetPart } from './package.ts'
import { readSharedStrings, type SharedStrings } from './shared-strings.ts'
import { readSheet } from './sheet.ts'
import { LIMITS, type Precheck, type Row, type SheetHead } from './workbook.ts'

/** The most visible sheets checked, and the most 8 KiB slices of each, because the sender waits. */
const HEADS = 8
const SLICES = 32
const PIECE_SIZE = 16 * 2 ** 10

/**
 * Checks what the file is before the upload is accepted; reader.ts lists the errors. `isData` selects the sheets
 * whose header matters; by default every visible one. `isWhole` looks for sheets to the end of any file. `csv` helps to
 * cut a .csv.
 */
export async function precheck(
  file: string | Uint8Array,
  isData: (name: string) => boolean = () => true,
  isWhole = false,
  csv: CsvHints = {},
): Promise<Precheck> {
  const bytes = await bytesOf(file)
  if (isText(bytes)) return headOfCsv(bytes, csv)
  const archive = await openArchive(bytes)
  const content = await contentOf(archive)
  if (content) return headsOfOds(archive, content, { isData, isWhole })
  const { sheets, sharedStrings, date1904 } = await readPackage(archive)
  const looked = new Set(sheets.filter(({ name, hidden }) => !hidden && isData(name)).slice(0, HEADS))
  // Finds the shared strings the heads use before it reads them: a workbook may have a hundred MiB of strings.
  let last = -1
  const textAt = (index: number) => void (last = Math.max(last, index))
  for (const sheet of looked) await readHead(archive, sheet, { textAt }, date1904, () => {})
  const strings = await readSharedStrings(archive, sharedStrings, last)
  const heads: SheetHead[] = []
  for (const sheet of sheets) {
    const { name, hidden } = sheet
    const header = looked.has(sheet) ? await headerOf(archive, sheet, strings, date1904) : 'unknown'
    heads.push({ name, hidden, header })
  }
  return { sheets: heads }
}

async function bytesOf(file: string | Uint8Array): Promise<Buffer> {
  const size = typeof file === 'string' ? (await stat(file)).size : file.length
  if (size > LIMITS.compressed) throw new ApiError(413, 'file_too_large', 'The file has more than 20 MiB')
  return typeof file === 'string'
    ? readFile(file)
    : Buffer.from(file.buffer, file.byteOffset, file.byteLength)
}

async function headerOf(
  archive: Archive,
  sheet: SheetPart,
  strings: SharedStrings,
  date1904: boolean,
): Promise<SheetHead['header']> {
  let header: Row | undefined
  const end = await readHead(archive, sheet, strings, date1904, (row) => (header ??= row))
  if (!header) return end === 'cut' ? 'unknown' : 'none'
  if (header.row > LIMITS.headerWithin) return 'none'
  // A header text may be too far back among the shared strings to be read here.
  if (header.cells.some(({ kind }) => kind === 'unreadable_text')) return 'unknown'
  return { row: header.row, cells: header.cells.map(({ column, text }) => ({ column, text })) }
}

/** Reads rows until one is below the header's range, or until the slice limit. */
async function readHead(
  archive: Archive,
  { name, part }: SheetPart,
  strings: Pick<SharedStrings, 'textAt'>,
  date1904: boolean,
  row: (row: Row) => void,
): Promise<'whole' | 'cut'> {
  let [slices, last, end] = [0, 0, 'whole' as 'whole' | 'cut']
  const context = { name, formats: [], strings, date1904, spend: () => {} }
  await readSheet(archive, part, context, {
    row: (one) => {
      last = one.row
      row(one)
    },
    pieceSize: PIECE_SIZE,
    afterSlice: () => {
      if (last <= LIMITS.headerWithin && ++slices < SLICES) return undefined
      end = 'cut'
      return 'stop'
    },
  })
  return end
}
