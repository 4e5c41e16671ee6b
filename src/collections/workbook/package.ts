import { posix } from 'node:path'
import { type Archive, type Part } from './archive.ts'
import { notXlsx, refuseLongName, tooLarge, unreadable } from './workbook.ts'
import { readXml } from './xml.ts'

export type SheetPart = { name: string; hidden: boolean; part: Part }

/** The content of the workbook part and the relationships. Parts are found through these, never by a fixed path. */
export type Package = {
  sheets: SheetPart[]
  sharedStrings: Part | undefined
  styles: Part | undefined
  date1904: boolean
}

type Relationship = { type: string; target: string }

/** The size limit of parts read while the sender waits. Any real workbook has a few kilobytes in them. */
const DESCRIBING_PART = 4 * 2 ** 20

const WORKBOOK_TYPES = new Set([
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
  'application/vnd.ms-excel.sheet.macroenabled.main+xml',
])

export async function readPackage(archive: Archive): Promise<Package> {
  const contentTypeOf = await readContentTypes(archive)
  const [office] = [...(await readRelationships(archive, '')).values()].filter(({ type }) =>
    isOfType(type, 'officeDocument'),
  )
  const workbook = office && archive.parts.get(office.target.toLowerCase())
  if (!workbook || !WORKBOOK_TYPES.has(contentTypeOf(workbook.name))) throw notXlsx()
  const relationships = await readRelationships(archive, workbook.name)
  const partOf = ({ target }: Relationship) => archive.parts.get(target.toLowerCase())
  const only = (type: string) => {
    const [found] = [...relationships.values()].filter((one) => isOfType(one.type, type))
    return found && partOf(found)
  }
  const { entries, date1904 } = await readWorkbook(archive, workbook)
  const sheets: SheetPart[] = []
  for (const { id, name, hidden } of entries) {
    const relationship = relationships.get(id)
    if (!relationship) throw unreadable(new Error('a sheet without relationship'))
    if (!isOfType(relationship.type, 'worksheet')) continue
    const part = partOf(relationship)
    if (!part) throw unreadable(new Error('a sheet without part'))
    sheets.push({ name, hidden, part })
  }
  const names = new Set(sheets.map(({ name }) => name.toLowerCase()))
  if (names.size < sheets.length) throw unreadable(new Error('two sheets of one name'))
  return { sheets, sharedStrings: only('sharedStrings'), styles: only('styles'), date1904 }
}

/** Transitional and strict OOXML differ only before this word. */
const isOfType = (type: string, word: string) => type.endsWith(`/relationships/${word}`)

async function readContentTypes(archive: Archive) {
  const byName = new Map<string, string>()
  const byExtension = new Map<string, string>()
  await readDescribing(archive, requirePart(archive, '[content_types].xml'), (name, attributes) => {
    const type = attributes['ContentType']?.toLowerCase() ?? ''
    if (name === 'Override') byName.set(attributes['PartName']?.slice(1).toLowerCase() ?? '', type)
    if (name === 'Default') byExtension.set(attributes['Extension']?.toLowerCase() ?? '', type)
  })
  return (partName: string) => {
    const name = partName.toLowerCase()
    return byName.get(name) ?? byExtension.get(posix.extname(name).slice(1)) ?? ''
  }
}

/** Relationships by id; targets are part names. External targets are ignored. `source` '' is the package. */
async function readRelationships(archive: Archive, source: string): Promise<Map<string, Relationship>> {
  const folder = posix.dirname(source)
  const part = archive.parts.get(posix.join(folder, '_rels', `${posix.basename(source)}.rels`).toLowerCase())
  const found = new Map<string, Relationship>()
  if (!part) return found
  await readDescribing(archive, part, (name, { Id, Type, Target, TargetMode }) => {
    if (name !== 'Relationship' || TargetMode === 'External' || !Id || !Type || !Target) return
    const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target)
    found.set(Id, { type: Type, target: isEscaped(target) ? decodeURIComponent(target) : target })
  })
  return found
}

const isEscaped = (target: string) =>
  /^(?:[^%]|%[0-7][0-9A-Fa-f])*%/.test(target) && !/%(?![0-7][0-9A-Fa-f])/.test(target)

async function readWorkbook(archive: Archive, workbook: Part) {
  const entries: { id: string; name: string; hidden: boolean }[] = []
  let date1904 = false
  await readDescribing(archive, workbook, (element, attributes, depth) => {
    if (element === 'workbookPr' && depth === 1) date1904 = isTrue(attributes['date1904'])
    if (element !== 'sheet' || depth !== 2) return
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1]
    const { name, state = 'visible' } = attributes
    if (id === undefined || !name) throw unreadable(new Error('a sheet without name or id'))
    // An old sheet of macros. It holds no rows.
    if (id === '') return
    refuseLongName(name, entries.length + 1)
    entries.push({ id, name, hidden: state !== 'visible' })
  })
  return { entries, date1904 }
}

export const isTrue = (flag: string | undefined) => flag === '1' || flag === 'true' || flag === 'on'

function requirePart({ parts }: Archive, name: string): Part {
  const part = parts.get(name)
  if (!part) throw unreadable(new Error(`no ${name}`))
  return part
}

async function readDescribing(
  archive: Archive,
  part: Part,
  open: (name: string, attributes: Record<string, string>, depth: number) => void,
) {
  if (part.inflated > DESCRIBING_PART) throw tooLarge(`${part.name} has more than 4 MiB`)
  await readXml(archive, part, { open })
}
