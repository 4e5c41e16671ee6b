import { type Archive, inflate, type Part } from './archive.ts'
import { readOds } from './ods.ts'
import type { SheetHandler } from './sheet.ts'
import {
  encrypted,
  LIMITS,
  notXlsx,
  type Precheck,
  type SheetHead,
  tooLarge,
  unreadable,
} from './workbook.ts'
import { readXml } from './xml.ts'

const TYPE = 'application/vnd.oasis.opendocument.spreadsheet'
const DESCRIBING_PART = 2 ** 20

/**
 * The part with the sheets of an OpenDocument spreadsheet; undefined for an archive that is none. 415 for a text or a
 * drawing, 422 `encrypted`.
 */
export async function contentOf(archive: Archive): Promise<Part | undefined> {
  const { parts } = archive
  const mimetype = parts.get('mimetype')
  if (!mimetype || parts.has('[content_types].xml')) return undefined
  if (mimetype.inflated > TYPE.length + '-template'.length) throw notXlsx()
  const type = Buffer.concat(await Array.fromAsync(inflate(archive, mimetype))).toString('latin1')
  if (type !== TYPE && type !== `${TYPE}-template`) throw notXlsx()
  const manifest = parts.get('meta-inf/manifest.xml')
  if (manifest && manifest.inflated > DESCRIBING_PART) throw tooLarge(`${manifest.name} has more than 1 MiB`)
  if (manifest)
    await readXml(archive, manifest, {
      open: (element) => {
        if (element === 'encryption-data') throw encrypted()
      },
    })
  const content = parts.get('content.xml')
  if (!content) throw unreadable(new Error('no content.xml'))
  return content
}

/** The most visible sheets checked, and the most 8 KiB slices while the sender waits. */
const HEADS = 8
const SLICES = 2048

/** The sheets and their first rows. Without `isWhole` it reads the first 16 MiB only. */
export async function headsOfOds(
  archive: Archive,
  content: Part,
  { isData, isWhole }: { isData: (name: string) => boolean; isWhole: boolean },
): Promise<Precheck> {
  const sheets: SheetHead[] = []
  const names = new Set<string>()
  let [looked, slices, isCut, isOpen] = [0, 0, false, false]
  await readOds(archive, content, () => {}, {
    sheet: (name, hidden) => {
      if (names.add(name.toLowerCase()).size === sheets.length)
        throw unreadable(new Error('two sheets of one name'))
      if (sheets.length === LIMITS.entries) throw tooLarge(`it has more than ${LIMITS.entries} sheets`)
      isOpen = !hidden && isData(name) && looked++ < HEADS
      sheets.push({ name, hidden, header: isOpen ? 'none' : 'unknown' })
      return isOpen
    },
    row: ({ row, cells }) => {
      const head = sheets.at(-1)
      if (head && row <= LIMITS.headerWithin)
        head.header = { row, cells: cells.map(({ column, text }) => ({ column, text })) }
      isOpen = false
      return 'enough'
    },
    end: () => (isOpen = false),
    afterSlice: () => {
      isCut = !isWhole && ++slices === SLICES
      return isCut ? 'stop' : undefined
    },
  })
  const last = sheets.at(-1)
  if (isCut && isOpen && last) last.header = 'unknown'
  return { sheets, ...(isCut && { is_partial: true }) }
}

/** Reads the rows of one sheet. */
export async function readOdsSheet(
  archive: Archive,
  content: Part,
  { name, spend }: { name: string; spend: (characters: number) => void },
  { row: takeRow, merge, afterSlice, ...pieces }: SheetHandler,
) {
  let [isFound, isOver] = [false, false]
  await readOds(archive, content, spend, {
    sheet: (one) => {
      const isIt = one === name && !isFound
      isFound ||= isIt
      return isIt
    },
    row: (row) => {
      takeRow(row)
      return undefined
    },
    end: () => (isOver = true),
    merge,
    afterSlice: async () => ((await afterSlice?.()) === 'stop' || isOver ? 'stop' : undefined),
    ...pieces,
  })
  if (!isFound) throw unreadable(new Error('no such sheet'))
}
