import type { Archive, Part } from './archive.ts'
import { decodeEscapes } from './cell-text.ts'
import { LIMITS, tooLarge } from './workbook.ts'
import { readXml } from './xml.ts'

/** `textAt` is undefined for an index out of range and for text with an unpaired surrogate. */
export type SharedStrings = { textAt: (index: number) => string | undefined; count: () => number }

const NONE: SharedStrings = { textAt: () => undefined, count: () => 0 }

/**
 * Ignores the counts the part declares. With `upTo`, stops at that index or after about 512 KiB, because the sender
 * waits for the header.
 */
export async function readSharedStrings(
  archive: Archive,
  part: Part | undefined,
  upTo = Number.POSITIVE_INFINITY,
): Promise<SharedStrings> {
  if (!part || upTo < 0) return NONE
  if (part.inflated > LIMITS.sharedStrings) throw tooLarge('it has more than 128 MiB of texts')
  const store = createStore()
  let [text, isText, isPhonetic, slices] = ['', false, false, 0]
  await readXml(archive, part, {
    open: (name, _, depth) => {
      if (depth === 1 && name === 'si') text = ''
      if (depth === 2) isPhonetic = name === 'rPh'
      isText = name === 't' && depth <= 3 && !isPhonetic
    },
    text: (piece) => {
      // Longer text is never shown in full, so the rest is dropped.
      if (isText && text.length <= LIMITS.cellText) text += piece
    },
    close: (name, depth) => {
      isText = false
      if (depth === 1 && name === 'si') store.add(text)
    },
    ...(upTo < Number.POSITIVE_INFINITY && {
      pieceSize: SMALL_PIECE,
      afterSlice: () => (store.count() > upTo || ++slices === 64 ? 'stop' : undefined),
    }),
  })
  return store
}

const SMALL_PIECE = 32 * 2 ** 10
const BLOCK = 2 ** 20
const UNREADABLE = 2 ** 32 - 1
const RECENT = 1024

/**
 * Stores texts as UTF-8 outside the heap: millions of short JavaScript strings would take ten times the space. No
 * text crosses a block, so none is copied when the store grows.
 */
function createStore() {
  const blocks: Buffer[] = []
  let [used, count] = [BLOCK, 0]
  let [starts, sizes] = [new Uint32Array(1024), new Uint32Array(1024)]
  const add = (raw: string) => {
    if (count === starts.length) [starts, sizes] = [doubled(starts), doubled(sizes)]
    const text = decodeEscapes(raw)
    const size = Buffer.byteLength(text)
    if (used + size > BLOCK) {
      blocks.push(Buffer.allocUnsafe(BLOCK))
      used = 0
    }
    blocks.at(-1)?.write(text, used)
    starts[count] = (blocks.length - 1) * BLOCK + used
    sizes[count++] = text.isWellFormed() ? size : UNREADABLE
    used += size
  }
  const decodedAt = (index: number) => {
    const start = starts[index] ?? 0
    const size = sizes[index] ?? UNREADABLE
    if (index >= count || size === UNREADABLE) return undefined
    const from = start % BLOCK
    return blocks[Math.floor(start / BLOCK)]?.toString('utf8', from, from + size)
  }
  // Nearby cells repeat texts, so a small cache keeps one string for them.
  const [lately, texts] = [
    new Int32Array(RECENT).fill(-1),
    Array.from<string | undefined>({ length: RECENT }),
  ]
  const textAt = (index: number) => {
    const slot = index % RECENT
    if (lately[slot] !== index) [lately[slot], texts[slot]] = [index, decodedAt(index)]
    return texts[slot]
  }
  return { add, textAt, count: () => count }
}

function doubled(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(list.length * 2)
  longer.set(list)
  return longer
}
