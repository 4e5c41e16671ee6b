import type { Delimiter } from '#foundation/csv/records.ts'
import { openArchive } from './archive.ts'
import { createTextBudget } from './cell-values.ts'
import { isText, readCsvSheet } from './csv-sheet.ts'
import { readCellFormats } from './number-formats.ts'
import { contentOf, readOdsSheet } from './ods-sheets.ts'
import { readPackage } from './package.ts'
import { readSharedStrings } from './shared-strings.ts'
import { readSheet, type SheetHandler } from './sheet.ts'
import { unreadable } from './workbook.ts'

/** Reads the rows of the sheet of this name, which the only sheet of a .csv always has. */
export type SheetReader = (name: string, handler: SheetHandler) => Promise<void>

/** Opens a workbook of any format, which its bytes tell. `delimiter` is that of a .csv. */
export async function openSheets(bytes: Buffer, delimiter: Delimiter | undefined): Promise<SheetReader> {
  const spend = createTextBudget()
  if (isText(bytes)) return (_, handler) => readCsvSheet(bytes, { delimiter, spend }, handler)
  const archive = await openArchive(bytes)
  const content = await contentOf(archive)
  if (content) return (name, handler) => readOdsSheet(archive, content, { name, spend }, handler)
  const { sheets, sharedStrings, styles, date1904 } = await readPackage(archive)
  const formats = await readCellFormats(archive, styles)
  const strings = await readSharedStrings(archive, sharedStrings)
  return (name, handler) => {
    const sheet = sheets.find((one) => one.name === name)
    if (!sheet) throw unreadable(new Error('no such sheet'))
    return readSheet(archive, sheet.part, { name, formats, strings, date1904, spend }, handler)
  }
}
