import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { unprocessable } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { acceptMultipart, readUpload, uploadOf } from '#foundation/http/multipart.ts'
import { NoContent, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { newId } from '#foundation/ids.ts'
import type { Learning } from '../learning.ts'
import { CHANNEL_PURPOSES, MAX_BYTES, type Purpose, StoredFile } from './file.ts'
import { keepChannelFile, type Received } from './keep.ts'
import { bytesOf, findAttachment, findChannelFile, type OpenFile } from './read.ts'
import { removeFile } from './remove.ts'
import { dispositionOf, isPicture } from './types.ts'

const Params = Type.Object({ id: Uuid })
const ChannelFile = Type.Object({ channel_id: Uuid, id: Uuid })
const PurposeQuery = Type.Object({ purpose: OneOf([...CHANNEL_PURPOSES]) })
const Bytes = Type.Unsafe<Readable>({
  type: 'string',
  format: 'binary',
  description: 'The bytes of the file',
})

const user = { auth: 'user', permission: 'learning:use', operational: true } as const
/** A page may show many pictures, and each is a small read. */
const shared = { auth: 'optional', limit: 'none', operational: true, compress: false } as const
/** The `config` of a route that takes one file. */
export const upload = { ...user, ...uploadOf(Type.Object({})) }
const read = { 200: Bytes, 304: NoContent }

/** Uploading, reading and removing files. `quota` is the most bytes of a tenant. */
export function fileRoutes(app: App, learning: Learning, quota: number) {
  acceptMultipart(app)
  const { db, viewerOf } = learning
  const store = { db, quota }

  app.post(
    '/api/channels/:id/files',
    {
      config: upload,
      schema: { params: Params, querystring: PurposeQuery, response: { 201: StoredFile } },
    },
    async (request, reply) => {
      const [viewer, channel_id, { purpose }] = [
        viewerOf(callerOf(request)),
        request.params.id,
        request.query,
      ]
      const keep = (file: Received) => keepChannelFile(store, viewer, { channel_id, purpose }, file)
      return reply.code(201).send(await receive(request, purpose, keep))
    },
  )
  app.get(
    '/files/:channel_id/:id',
    { config: shared, schema: { params: ChannelFile, response: read } },
    async (request, reply) => {
      const { caller, params } = request
      return answer(request, reply, await findChannelFile(db, caller && viewerOf(caller), params))
    },
  )
  app.get(
    '/api/files/:id',
    { config: { ...user, compress: false }, schema: { params: Params, response: read } },
    async (request, reply) =>
      answer(request, reply, await findAttachment(db, viewerOf(callerOf(request)), request.params.id)),
  )
  app.delete(
    '/api/files/:id',
    { config: user, schema: { params: Params, response: { 204: NoContent } } },
    async (request, reply) => {
      await removeFile(learning, viewerOf(callerOf(request)), request.params.id)
      return reply.code(204).send(undefined as never)
    },
  )

  function answer(request: FastifyRequest, reply: FastifyReply, file: OpenFile) {
    const etag = `"${file.sha256}"`
    reply.headers({ ...SAFE, etag, 'content-disposition': dispositionOf(file.name, isShown(file)) })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.headers({ 'content-type': file.mime_type, 'content-length': file.size_bytes })
    return reply.send(request.method === 'HEAD' ? undefined : bytesOf(db, file))
  }
}

const isShown = ({ mime_type }: OpenFile) => isPicture(mime_type) || mime_type.startsWith('text/vtt')

/**
 * Whatever the bytes are, a browser runs nothing of them: they are of the type we say, in an origin of their own, and
 * without scripts. A change of rights counts at once, because every use asks again.
 */
const SAFE = {
  'cache-control': 'private, no-cache',
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Streams the one file of the request to disk and hands it over. 413, 415, and 422 without a file. */
export async function receive<T>(
  request: FastifyRequest,
  purpose: Purpose,
  keep: (file: Received) => Promise<T>,
) {
  const path = join(tmpdir(), `lyceum-file-${newId()}`)
  try {
    const { file } = await readUpload(request, { maxBytes: MAX_BYTES[purpose], fields: [], path })
    if (!file) throw unprocessable('file', 'required', 'is required')
    return await keep(file)
  } finally {
    await rm(path, { force: true })
  }
}
