import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BusboyFileStream } from '@fastify/busboy'
import { ApiError, badRequest } from '../errors.ts'

export type UploadedFile = {
  path: string
  /** As the sender wrote it, without folders: for display only. */
  name: string
  /** Bytes. */
  size: number
  /** Lower-case hex. */
  sha256: string
}
export type UploadRules = {
  /** The largest file, in bytes; one byte more is 413. */
  maxBytes: number
  /** Names of the text fields that are read. */
  fields: readonly string[]
  /** 422 for a text field of another name; otherwise it is ignored. */
  refuseUnknownFields?: boolean
  /** The only name the file may have; without it any. */
  fileField?: string
  /** Where the file is written (mode 0600); must not exist. Whoever calls removes it, unless this throws. */
  path: string
}

export const malformedBody = (why: string) =>
  badRequest('malformed_multipart', `The body is not valid multipart/form-data: ${why}`)

export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Streams a file to disk and measures it. 413 for one that is larger than allowed. */
export async function store(
  stream: BusboyFileStream,
  name: string,
  rules: UploadRules,
): Promise<UploadedFile> {
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > rules.maxBytes) return done(tooLarge(rules))
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(stream, measure, createWriteStream(rules.path, { flags: 'wx', mode: 0o600 })).catch(
    (error: Error & { code?: string }) => {
      // Faults of the disk carry a code; what has none comes from the parser.
      throw error instanceof ApiError || error.code !== undefined ? error : malformedBody(wordsOf(error))
    },
  )
  return { path: rules.path, name, size, sha256: hash.digest('hex') }
}

export const tooLarge = ({ maxBytes }: UploadRules) =>
  new ApiError(413, 'file_too_large', `The file is larger than ${maxBytes} bytes`)
