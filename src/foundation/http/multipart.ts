import { rm } from 'node:fs/promises'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { FastifyRequest, FastifySchema } from 'fastify'
import { type TObject, Type } from 'typebox'
import { ApiError, badRequest, unprocessable } from '../errors.ts'
import type { App } from './http.ts'
import {
  malformedBody,
  store,
  tooLarge,
  type UploadedFile,
  type UploadRules,
  wordsOf,
} from './store-upload.ts'
import { isCleanText } from '../text.ts'

export type { UploadedFile, UploadRules } from './store-upload.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is `multipart/form-data`, read by `readUpload`. On other routes such a body is 415. */
    upload?: boolean
  }
}

export type Upload = { fields: Record<string, string>; file: UploadedFile | undefined }

/** Lets the route read the body itself, because a file is streamed to disk and never held in memory. */
export function acceptMultipart(app: App) {
  app.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    if (request.routeOptions.config.upload) done(null)
    else done(new ApiError(415, 'unsupported_media_type', 'Content-Type must be application/json'))
  })
}

/**
 * For `config` of a route that calls `readUpload`: describes the body in OpenAPI as text fields and one file. No schema
 * validates it, because it is streamed.
 */
export const uploadOf = (fields: TObject, fileField = 'file') => ({
  upload: true,
  swaggerTransform: ({ schema, url }: { schema: FastifySchema; url: string }) => ({
    url,
    schema: {
      ...schema,
      consumes: ['multipart/form-data'],
      body: Type.Object({
        [fileField]: Type.String({ format: 'binary' }),
        ...Type.Partial(fields).properties,
      }),
    },
  }),
})

const FIELD_BYTES = 4096
/** What boundaries and part headers may add to the file size. */
const ENVELOPE_BYTES = 256 * 1024

/**
 * Streams one file to disk and returns it with the text fields (RFC 7578). 400 `malformed_multipart`, 413
 * `file_too_large`, 415 for another content type, 422 for a repeated, overlong, unclean or unknown field. On error it
 * removes the file and discards the rest of the body, so that the client reads the response.
 */
export async function readUpload(request: FastifyRequest, rules: UploadRules): Promise<Upload> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\b/i.test(type))
    throw new ApiError(415, 'unsupported_media_type', 'Content-Type must be multipart/form-data')
  if (Number(request.headers['content-length']) > rules.maxBytes + ENVELOPE_BYTES) throw tooLarge(rules)
  const parser = openParser(type, rules)
  try {
    return await readParts(request, parser, rules)
  } catch (error) {
    await rm(rules.path, { force: true })
    throw error
  } finally {
    request.raw.unpipe(parser)
    request.raw.resume()
  }
}

function openParser(type: string, { maxBytes, fieldBytes = FIELD_BYTES }: UploadRules): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        // One byte above the limit, to tell a file that is too large from one that just fits.
        fileSize: maxBytes + 1,
        files: 2,
        fields: 32,
        parts: 34,
        fieldSize: fieldBytes,
        fieldNameSize: 100,
        headerPairs: 16,
        headerSize: 8192,
      },
    })
  } catch {
    throw badRequest('malformed_multipart', 'The Content-Type names no boundary')
  }
}

function readParts(request: FastifyRequest, parser: BusboyInstance, rules: UploadRules): Promise<Upload> {
  const fields = new Map<string, string>()
  let file: Promise<UploadedFile> | undefined
  let arriving: BusboyFileStream | undefined
  let isRefused = false
  return new Promise<Upload>((resolve, reject) => {
    const refuse = (error: Error) => {
      isRefused = true
      request.raw.unpipe(parser)
      arriving?.destroy(error)
      // Wait until the file is closed, or the write could create it again after its removal.
      if (file)
        file.then(
          () => reject(error),
          () => reject(error),
        )
      else reject(error)
    }
    const malformed = (why: string) => refuse(badRequest('malformed_multipart', why))
    parser.on('field', (name, value, _nameTruncated, isTruncated) => {
      if (!rules.fields.includes(name)) {
        if (rules.refuseUnknownFields)
          refuse(unprocessable(name.slice(0, 100), 'unknown_field', 'is not known'))
        return
      }
      if (fields.has(name)) refuse(unprocessable(name, 'repeated', 'is given more than once'))
      else if (isTruncated)
        refuse(unprocessable(name, 'too_long', `must be at most ${rules.fieldBytes ?? FIELD_BYTES} bytes`))
      else if (!isCleanText(value))
        refuse(unprocessable(name, 'invalid_character', 'contains a character that is not allowed'))
      else fields.set(name, value)
    })
    parser.on('file', (name, stream, filename) => {
      stream.on('error', () => {})
      // The parser goes on to the end of what it has read; nobody would remove this file.
      if (isRefused) stream.resume()
      else if (file) {
        stream.resume()
        malformed('Exactly one file is expected')
      } else if (rules.fileField !== undefined && name !== rules.fileField) {
        stream.resume()
        const why = `the file belongs into the part ${rules.fileField}`
        refuse(unprocessable(name.slice(0, 100), 'unknown_field', why))
      } else {
        arriving = stream
        file = store(stream, filename, rules)
        file.catch(refuse)
      }
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => malformed('The body has too many parts'))
    parser.on('error', (error) => refuse(malformedBody(wordsOf(error))))
    parser.on('finish', () => {
      if (!file) resolve({ fields: Object.fromEntries(fields), file: undefined })
      else file.then((stored) => resolve({ fields: Object.fromEntries(fields), file: stored }), reject)
    })
    request.raw.once('aborted', () => malformed('The body ended early'))
    request.raw.once('error', () => malformed('The body ended early'))
    request.raw.pipe(parser)
  })
}
