import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { damaged, FRAME, openFrames, sealFrames, type Sink } from './sealed-file.ts'

/*
 * A backup is a sequence of named parts. Each is a begin frame with its name, data frames that are compressed one by one,
 * and an end frame with its size and SHA-256; a last frame holds the number of parts and a digest of all of them.
 */
const BEGIN = 1
const DATA = 2
const END = 3
const LAST = 4
/** Bytes of a part in one data frame. Incompressible bytes grow by less than the difference to FRAME. */
const CHUNK = FRAME - 4_096

const compress = promisify(zstdCompress)
/** `maxOutputLength` bounds what a hostile frame can unfold to. */
const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress)

export type Bytes = AsyncIterable<Buffer> | Iterable<Buffer>
/** `lines` is the number of line breaks: rows, in a part of COPY text. */
export type PartSize = { bytes: number; lines: number }
export type PartWriter = {
  add(name: string, bytes: Bytes): Promise<PartSize>
  /** Without it the file is incomplete for every reader. */
  finish(): Promise<void>
}

export async function writeParts(sink: Sink, passphrase: string): Promise<PartWriter> {
  const write = await sealFrames(sink, passphrase)
  const all = createHash('sha256')
  let parts = 0
  return {
    async add(name, bytes) {
      await write({ type: BEGIN, payload: Buffer.from(name) })
      const tally = openTally()
      for await (const chunk of inChunks(bytes)) {
        tally.count(chunk)
        await write({ type: DATA, payload: await compress(chunk) })
      }
      const end = tally.end()
      await write({ type: END, payload: Buffer.from(end) })
      all.update(`${name}\n${end}\n`)
      parts++
      return tally.size
    },
    async finish() {
      await write({ type: LAST, payload: Buffer.from(`${parts} ${all.digest('hex')}`) })
    },
  }
}

/** Reads the bytes of a part to their end, where they are compared with the digest. */
export type PartVisitor = (name: string, bytes: AsyncGenerator<Buffer, PartSize>) => Promise<unknown>

/** Reads all parts in order. StartError at the first fault; what a visitor has been given until then was sealed by us. */
export async function readParts(
  file: FileHandle,
  { path, passphrase }: { path: string; passphrase: string },
  visit: PartVisitor,
): Promise<void> {
  const next = await openFrames(file, path, passphrase)
  const all = createHash('sha256')
  for (let parts = 0; ; parts++) {
    const frame = await next()
    if (frame?.type === LAST) {
      const isWhole = frame.payload.toString() === `${parts} ${all.digest('hex')}`
      if (!isWhole || (await next()) !== undefined) throw damaged(path)
      return
    }
    if (frame?.type !== BEGIN) throw damaged(path)
    const name = frame.payload.toString()
    let isRead = false
    const bytes = (async function* () {
      const tally = openTally()
      for (;;) {
        const data = await next()
        if (data?.type === DATA) {
          const chunk = await decompress(data.payload, { maxOutputLength: CHUNK }).catch(() => {
            throw damaged(path)
          })
          tally.count(chunk)
          yield chunk
          continue
        }
        const end = tally.end()
        if (data?.type !== END || data.payload.toString() !== end) throw damaged(path)
        all.update(`${name}\n${end}\n`)
        isRead = true
        return tally.size
      }
    })()
    await visit(name, bytes)
    if (!isRead) throw new Error(`the part ${name} was not read to its end`)
  }
}

/** A whole part as text, for parts that are small by nature. */
export async function textOf(bytes: AsyncIterable<Buffer>, path: string): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > 4 * FRAME) throw damaged(path)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Reads a part to its end and keeps nothing. */
export async function sizeOf(bytes: AsyncGenerator<Buffer, PartSize>): Promise<PartSize> {
  for (;;) {
    const { done, value } = await bytes.next()
    if (done) return value
  }
}

function openTally() {
  const digest = createHash('sha256')
  const size: PartSize = { bytes: 0, lines: 0 }
  return {
    size,
    count(chunk: Buffer) {
      digest.update(chunk)
      size.bytes += chunk.length
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) size.lines++
    },
    end: () => `${size.bytes} ${digest.digest('hex')}`,
  }
}

/** Chunks of exactly CHUNK bytes, the last one excepted. */
async function* inChunks(bytes: Bytes): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(CHUNK)
  let filled = 0
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length;) {
      const copied = piece.copy(buffer, filled, from)
      from += copied
      filled += copied
      if (filled < CHUNK) continue
      yield buffer
      filled = 0
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}
