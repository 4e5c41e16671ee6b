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
 * The part with the sheets of an OpenDocument spreadsheet, whose type stands in the part mimetype or else in its
 * manifest; undefined for an archive that is none. 415 for a text or a drawing, 422 `encrypted`.
 */
export async function contentOf(archive: Archive): Promise<Part | undefined> {
  const { parts } = archive
  if (parts.has('[content_types].xml')) return undefined
  const [mimetype, manifest] = [parts.get('mimetype'), parts.get('meta-inf/manifest.xml')]
  let type = mimetype && (await typeIn(archive, mimetype))
  if (manifest && manifest.inflated > DESCRIBING_PART) throw tooLarge(`${manifest.name} has more than 1 MiB`)
  if (manifest)
    await readXml(archive, manifest, {
      open: (element, attributes) => {
        if (element === 'encryption-data') throw encrypted()
        if (attributeOf(attributes, 'full-path') === '/') type ??= attributeOf(attributes, 'media-type')
      },
    })
  if (type !== TYPE && type !== `${TYPE}-template`) throw notXlsx()
  const content = parts.get('content.xml')
  if (!content) throw unreadable(new Error('no content.xml'))
  return content
}

async function typeIn(archive: Archive, mimetype: Part): Promise<string> {
  if (mimetype.inflated > TYPE.length + '-template'.length) throw notXlsx()
  return Buffer.concat(await Array.fromAsync(inflate(archive, mimetype))).toString('latin1')
}

/** The attribute of this name with any prefix. */
const attributeOf = (attributes: Record<string, string>, name: string) =>
  Object.entries(attributes).find(([one]) => one.endsWith(`:${name}`))?.[1]

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
