import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BusboyFileStream } from '@fastify/busboy'
import { ApiError, badRequest } from '../errors.ts'

export type UploadedFile = {
  path: string
  /** The file name from the sender, without folders: for display only. */
  name: string
  /** Bytes. */
  size: number
  /** Lower-case hex. */
  sha256: string
}
export type UploadRules = {
  /** The largest file in bytes; a larger one is 413. */
  maxBytes: number
  /** Names of the accepted text fields. */
  fields: readonly string[]
  /** The most bytes of a text field, 4,096 unless told. */
  fieldBytes?: number
  /** Unknown text fields are 422 instead of ignored. */
  refuseUnknownFields?: boolean
  /** The only allowed part name of the file; any name if not set. */
  fileField?: string
  /** Where the file is written (mode 0600); it must not exist. The caller removes it, unless this throws. */
  path: string
}

export const malformedBody = (why: string) =>
  badRequest('malformed_multipart', `The body is not valid multipart/form-data: ${why}`)

export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Streams a file to disk, counting and hashing its bytes. 413 if it is larger than allowed. */
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
  const file = createWriteStream(rules.path, { flags: 'wx', mode: 0o600 })
  await pipeline(stream, measure, file).catch(async (error: Error & { code?: string }) => {
    // It may only now be opened. Before it is closed, nobody could remove it for good.
    if (!file.closed) await once(file, 'close')
    // Disk errors have a code; an error without one comes from the parser.
    throw error instanceof ApiError || error.code !== undefined ? error : malformedBody(wordsOf(error))
  })
  return { path: rules.path, name, size, sha256: hash.digest('hex') }
}

export const tooLarge = ({ maxBytes }: UploadRules) =>
  new ApiError(413, 'file_too_large', `The file is larger than ${maxBytes} bytes`)
