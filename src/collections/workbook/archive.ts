import { crc32, createInflateRaw } from 'node:zlib'
import yauzl from 'yauzl'
import { ApiError } from '#foundation/errors.ts'
import { encrypted, LIMITS, notXlsx, tooLarge, unreadable, unsafeArchive } from './workbook.ts'

/** One file of the archive. The central directory and the local header agree on it. */
export type Part = {
  name: string
  method: number
  start: number
  compressed: number
  inflated: number
  crc: number
}

/** `parts` by lower-case name, because part names are case-insensitive. */
export type Archive = { bytes: Buffer; parts: Map<string, Part> }

/**
 * Lists the archive by its central directory only. Refuses overlapping entries and ambiguous names, so that no two
 * readers can see different files. Inflates nothing.
 */
export async function openArchive(bytes: Buffer): Promise<Archive> {
  refuseOtherFormats(bytes)
  try {
    const parts = await listParts(bytes)
    if (!DESCRIBED.some((name) => parts.has(name))) throw notXlsx()
    return { bytes, parts }
  } catch (error) {
    if (error instanceof ApiError) throw error
    // yauzl refuses strong encryption itself, with its own message.
    throw /encrypt/.test(String(error)) ? unsafeArchive('an entry is encrypted') : unreadable(error)
  }
}

/**
 * Inflates a part piece by piece and counts the bytes. Throws as soon as the part exceeds the size in its directory
 * entry or the limits, whatever the directory says.
 */
export async function* inflate({ bytes }: Archive, part: Part, pieceSize = PIECE): AsyncGenerator<Buffer> {
  const packed = bytes.subarray(part.start, part.start + part.compressed)
  let count = 0
  let crc = 0
  for await (const piece of part.method === 0 ? slices(packed, pieceSize) : inflated(packed, pieceSize)) {
    count += piece.length
    if (count > part.inflated) throw unsafeArchive(`${part.name} is larger than the archive says`)
    crc = crc32(piece, crc)
    yield piece
  }
  if (count !== part.inflated) throw unsafeArchive(`${part.name} is smaller than the archive says`)
  if (crc !== part.crc) throw unreadable(new Error(`${part.name}: checksum`))
}

/** Parts that say what the archive is. One is enough. */
const DESCRIBED = ['[content_types].xml', 'mimetype', 'meta-inf/manifest.xml']

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const ZIP = Buffer.from('PK\u0003\u0004', 'latin1')
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

function refuseOtherFormats(bytes: Buffer) {
  if (bytes.subarray(0, 8).equals(OLE)) {
    if (bytes.includes(ENCRYPTED)) throw encrypted()
    throw new ApiError(
      415,
      'legacy_xls',
      'This is a workbook of the format .xls: save it as .xlsx and send it again',
    )
  }
  if (!bytes.subarray(0, 4).equals(ZIP)) throw notXlsx()
}

async function listParts(bytes: Buffer) {
  // Names stay bytes here, so that refusals use our error codes, not the library's messages.
  const zip = await yauzl.fromBufferPromise(bytes, { decodeStrings: false, validateEntrySizes: true })
  if (zip.entryCount > LIMITS.entries) throw tooLarge(`it has more than ${LIMITS.entries} parts`)
  // The library types this as a boolean; it is the offset of the central directory.
  const directory = Number(zip.readEntryCursor)
  const parts = new Map<string, Part>()
  const places: { from: number; to: number }[] = []
  let total = 0
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry)
    if (entry.isEncrypted() || entry.generalPurposeBitFlag & ENCRYPTION_BITS)
      throw unsafeArchive(`${name} is encrypted`)
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
      throw unsafeArchive(`${name} is packed by a method other than deflate`)
    const local = await zip.readLocalFileHeaderPromise(entry)
    if (!local.fileName.equals(entry.fileNameRaw)) throw unsafeArchive('an entry has two names')
    if (local.compressionMethod !== entry.compressionMethod || local.generalPurposeBitFlag & ENCRYPTION_BITS)
      throw unsafeArchive(`${name} is described in two ways`)
    if (parts.has(name.toLowerCase())) throw unsafeArchive(`${name} stands there twice`)
    const { compressedSize: compressed, uncompressedSize: size, compressionMethod: method } = entry
    total += size
    if (total > LIMITS.inflated) throw tooLarge('its parts have more than 512 MiB together')
    const start = local.fileDataStart
    parts.set(name.toLowerCase(), { name, method, start, compressed, inflated: size, crc: entry.crc32 })
    places.push({ from: entry.relativeOffsetOfLocalHeader, to: start + compressed })
  }
  refuseOverlaps(places, directory)
  return parts
}

/** Bit 0 and bit 6 (strong encryption); bit 13 hides the local header. */
const ENCRYPTION_BITS = 0x2041

function nameOf(entry: yauzl.Entry): string {
  const raw = entry.fileNameRaw
  // Some programs of Windows write backslashes. Spreadsheet programs read them as slashes.
  const name = yauzl
    .getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true)
    .replaceAll('\\', '/')
  if (name.includes('\0') || yauzl.validateFileName(name) !== null)
    throw unsafeArchive('an entry has a name that leads out of the archive')
  return name
}

/** Entries that share bytes let a small file become a large one, and be read by others in another way. */
function refuseOverlaps(places: { from: number; to: number }[], directory: number) {
  const ordered = places.toSorted((one, other) => one.from - other.from)
  for (const [index, { to }] of ordered.entries())
    if (to > (ordered[index + 1]?.from ?? directory)) throw unsafeArchive('two of its entries overlap')
}

/** Inflating runs in a thread pool: smaller pieces cost more turns, larger ones make other work wait longer. */
const PIECE = 128 * 2 ** 10

function* slices(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function* inflated(packed: Buffer, chunkSize: number): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize })
  stream.end(packed)
  try {
    yield* stream as AsyncIterable<Buffer>
  } catch (error) {
    // Errors of the consumer arrive in the generator as a return, so this one is from the inflater.
    throw unreadable(error)
  }
}
