import { constants, crc32, deflateRawSync } from 'node:zlib'

/** One entry of an archive. Sizes, checksum and method are correct unless given here. */
export type ZipEntry = {
  name: string
  data: Buffer | string
  method?: number
  /** Replaces the compressed data in the archive. */
  packed?: Buffer
  size?: number
  crc?: number
  flags?: number
  localName?: string
  /** The offset that the directory gives for the entry. */
  at?: number
  extra?: Buffer
}

/** Builds an archive byte by byte (APPNOTE 4.3): local headers with data, the directory, the end record. */
export function zipOf(entries: readonly ZipEntry[], { entryCount = entries.length } = {}): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const {
    name,
    data,
    flags = 0x800,
    localName = name,
    at = offset,
    extra = Buffer.alloc(0),
    ...rest
  } of entries) {
    const bytes = Buffer.from(data)
    const { method = 8, size = bytes.length, crc = crc32(bytes) } = rest
    const packed = rest.packed ?? (method === 8 ? deflateRawSync(bytes) : bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc, 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, Buffer.from(localName)])
    local.writeUInt16LE(Buffer.byteLength(localName), 26)
    const central = Buffer.concat([
      Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'),
      common,
      Buffer.alloc(14),
      Buffer.from(name),
      extra,
    ])
    central.writeUInt16LE(Buffer.byteLength(name), 28)
    central.writeUInt16LE(extra.length, 30)
    central.writeUInt32LE(at, 42)
    files.push(local, packed)
    directory.push(central)
    offset += local.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(entryCount, 8)
  end.writeUInt16LE(entryCount, 10)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  )
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, ...directory, end])
}

export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
export const SHEET_MAIN = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'

export type SheetXml = {
  name: string
  state?: 'hidden' | 'veryHidden'
  /** The rows: the content of sheetData. */
  rows?: string
  /** What follows sheetData, such as mergeCells. */
  after?: string
  /** The whole part, instead of both. */
  xml?: string | Buffer
}

export type WorkbookXml = {
  sheets: readonly SheetXml[]
  /** The content of sst. */
  strings?: string
  /** Number formats of the cell formats 1, 2, 3 …: an id or a format code. */
  formats?: readonly (number | string)[]
  date1904?: boolean
  contentType?: string
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** The parts of a workbook as a normal program writes them. Tests replace the parts they want to break by name. */
export function partsOf({
  sheets,
  strings,
  formats,
  date1904,
  contentType = SHEET_MAIN,
}: WorkbookXml): ZipEntry[] {
  const numbered = sheets.map((sheet, index) => ({ ...sheet, id: index + 1 }))
  const parts: ZipEntry[] = [
    {
      name: '[Content_Types].xml',
      data: `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}"/>${numbered.map(({ id }) => override(`worksheets/sheet${id}`, 'worksheet')).join('')}${strings === undefined ? '' : override('sharedStrings', 'sharedStrings')}${formats ? override('styles', 'styles') : ''}</Types>`,
    },
    { name: '_rels/.rels', data: relationships([['rId1', 'officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      data: `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${date1904 ? ' date1904="1"' : ''}/><sheets>${numbered
        .map(
          ({ id, name, state }) =>
            `<sheet name="${name}" sheetId="${id}"${state ? ` state="${state}"` : ''} r:id="rId${id}"/>`,
        )
        .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relationships([
        ...numbered.map(({ id }) => [`rId${id}`, 'worksheet', `worksheets/sheet${id}.xml`] as const),
        ['strings', 'sharedStrings', 'sharedStrings.xml'],
        ['styles', 'styles', 'styles.xml'],
      ]),
    },
    ...numbered.map(({ id, rows = '', after = '', xml }) => ({
      name: `xl/worksheets/sheet${id}.xml`,
      data:
        xml ?? `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData>${after}</worksheet>`,
    })),
  ]
  if (strings !== undefined)
    parts.push({ name: 'xl/sharedStrings.xml', data: `${DECLARATION}<sst xmlns="${MAIN}">${strings}</sst>` })
  if (formats) parts.push({ name: 'xl/styles.xml', data: stylesOf(formats) })
  return parts
}

/** A complete workbook; `change` alters its parts first. */
export const workbookOf = (
  workbook: WorkbookXml,
  change = (parts: ZipEntry[]): ZipEntry[] => parts,
): Buffer => zipOf(change(partsOf(workbook)))

/** A `change` for workbookOf that replaces or adds these parts. */
export const withParts =
  (...others: ZipEntry[]) =>
  (parts: ZipEntry[]): ZipEntry[] => [
    ...parts.filter(({ name }) => !others.some((other) => other.name === name)),
    ...others,
  ]

export const relationships = (all: readonly (readonly [id: string, type: string, target: string])[]) =>
  `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${all
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

const override = (part: string, kind: string) =>
  `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`

const stylesOf = (formats: readonly (number | string)[]) => {
  const ids = formats.map((format, index) => (typeof format === 'number' ? format : 200 + index))
  const codes = formats.map((format, index) =>
    typeof format === 'number'
      ? ''
      : `<numFmt numFmtId="${200 + index}" formatCode="${format.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/>`,
  )
  return `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${ids
    .map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`)
    .join('')}</cellXfs></styleSheet>`
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns'

/** The parts of an OpenDocument spreadsheet around what stands in its body, which may be a whole content.xml. */
export const odsPartsOf = (body: string | Buffer, styles = ''): ZipEntry[] => [
  { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet', method: 0 },
  {
    name: 'content.xml',
    data: Buffer.isBuffer(body)
      ? body
      : `${DECLARATION}<office:document-content ${['office', 'table', 'text', 'style'].map((name) => `xmlns:${name}="${ODF}:${name}:1.0"`).join(' ')} xmlns:calcext="urn:calcext"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${body}</office:spreadsheet></office:body></office:document-content>`,
  },
  {
    name: 'META-INF/manifest.xml',
    data: `<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0"><manifest:file-entry manifest:full-path="/"/></manifest:manifest>`,
  },
]

/** An OpenDocument spreadsheet with one sheet Items of these rows. */
export const odsOf = (rows: string, change = (parts: ZipEntry[]): ZipEntry[] => parts): Buffer =>
  zipOf(change(odsPartsOf(`<table:table table:name="Items">${rows}</table:table>`)))

/** An entry of so many MiB of blanks, from one repeated block of packed ones: it takes no memory here. */
export function blankEntry(name: string, blocks: number): ZipEntry {
  const block = deflateRawSync(Buffer.alloc(2 ** 20, ' '), { finishFlush: constants.Z_SYNC_FLUSH })
  const end = deflateRawSync(Buffer.alloc(0))
  return {
    name,
    data: '',
    packed: Buffer.concat([...Array<Buffer>(blocks).fill(block), end]),
    size: blocks * 2 ** 20,
  }
}
