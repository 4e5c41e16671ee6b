import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { type Archive, inflate, type Part } from './archive.ts'
import { fileFault, LIMITS, tooLarge, unreadable } from './workbook.ts'

type Stop = 'stop' | undefined

/** `depth` is 0 for the root element. Names have no prefix. */
export type XmlHandler = {
  open: (name: string, attributes: Record<string, string>, depth: number) => void
  close?: (name: string, depth: number) => void
  /** Text and CDATA, possibly in several pieces. */
  text?: (text: string) => void
  /** Called after every 8 KiB, and waited for; 'stop' ends the reading. */
  afterSlice?: () => Stop | Promise<Stop>
  /** The number of bytes inflated at once; about 100 KiB by default. */
  pieceSize?: number
}

/** Parses little at a time, because a few bytes can refer to a long shared string: rows are larger than their XML. */
const SLICE = 8 * 2 ** 10

/** Deeper than any element of a workbook. The parser keeps open elements in memory. */
const DEPTH = 64

/**
 * Reads one part safely. Each piece is counted (archive.ts), decoded and checked for a document type before the
 * parser sees it. Bounds what the parser buffers: one long text, attribute or comment.
 */
export async function readXml(
  archive: Archive,
  part: Part,
  { open, close, text, afterSlice, pieceSize }: XmlHandler,
) {
  const parser = new SaxesParser({ position: false, xmlns: false })
  let [depth, kept] = [0, 0]
  parser.on('opentag', ({ name, attributes }) => {
    kept = 0
    if (depth === DEPTH) throw unreadable(new Error(`${part.name}: deeper than ${DEPTH} elements`))
    open(localName(name), attributes, depth++)
  })
  parser.on('closetag', ({ name }) => {
    kept = 0
    depth--
    close?.(localName(name), depth)
  })
  if (text) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  // Errors of the callbacks are their own, not faults of the file.
  parser.on('error', (error) => {
    throw unreadable(error)
  })
  const refuseDoctype = createDoctypeGuard()
  for await (const piece of textOf(inflate(archive, part, pieceSize))) {
    refuseDoctype(piece)
    for (let at = 0; at < piece.length; at += SLICE) {
      const slice = piece.slice(at, at + SLICE)
      kept += slice.length
      parser.write(slice)
      if (kept > LIMITS.run) throw tooLarge('it has one text of more than 256 KiB')
      if (afterSlice && (await afterSlice()) === 'stop') return
    }
  }
  parser.close()
}

const localName = (name: string) => {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

const DOCTYPE = '<!DOCTYPE'

/** Finds a document type even across two pieces. */
function createDoctypeGuard() {
  let tail = ''
  return (piece: string) => {
    if ((tail + piece).includes(DOCTYPE))
      throw fileFault('doctype_refused', 'The file is refused: it has a document type definition')
    tail = (tail + piece).slice(-DOCTYPE.length)
  }
}

/**
 * OOXML is UTF-8 or UTF-16, as the first bytes tell. Ignores the encoding of the XML declaration, so that no two
 * readers can see different texts.
 */
async function* textOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  let wide: TextDecoder | undefined
  let isFirst = true
  for await (const piece of pieces) {
    let bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
    rest = bytes.subarray(bytes.length)
    if (isFirst) {
      if (bytes.length < 4) {
        rest = bytes
        continue
      }
      isFirst = false
      wide = wideDecoder(bytes)
      if (bytes.subarray(0, 3).equals(UTF8_MARK)) bytes = bytes.subarray(3)
    }
    if (wide) {
      yield decoded(wide, bytes)
      continue
    }
    const end = wholeCharacters(bytes)
    rest = bytes.subarray(end)
    const whole = bytes.subarray(0, end)
    if (!isUtf8(whole)) throw unreadable(new Error('not UTF-8'))
    yield whole.toString('utf8')
  }
  if (wide) yield decoded(wide)
  else if (rest.length > 0) throw unreadable(new Error('ends within a character'))
}

const UTF8_MARK = Buffer.from('efbbbf', 'hex')

function decoded(wide: TextDecoder, bytes?: Buffer): string {
  try {
    return wide.decode(bytes, { stream: bytes !== undefined })
  } catch (error) {
    throw unreadable(error)
  }
}

/** Detects UTF-16 by its byte order mark, or by the zero byte beside the first `<`. */
function wideDecoder(bytes: Buffer): TextDecoder | undefined {
  const start = bytes.readUInt16BE(0)
  if (start === 0xfffe || start === 0x3c00) return new TextDecoder('utf-16le', { fatal: true })
  if (start === 0xfeff || start === 0x003c) return new TextDecoder('utf-16be', { fatal: true })
  return undefined
}

/** The length up to which the bytes are whole UTF-8 characters. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}
