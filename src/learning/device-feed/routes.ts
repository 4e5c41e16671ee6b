import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Type } from 'typebox'
import { acceptedCodings } from '#foundation/web/compression.ts'
import type { Database } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import type { Addressed } from '#foundation/http/public-address.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { readFeed } from './feed.ts'
import { JsonFeed } from './json-feed.ts'
import { changedAt, readVersion, tagOf } from './versions.ts'

const Params = Type.Object({ channel_id: Uuid })
const Query = Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) })

/** The headers that a 304 repeats (RFC 9110, section 15.4.5). */
const SHARED = {
  'cache-control': 'public, max-age=300, stale-while-revalidate=100',
  vary: 'Accept, Accept-Encoding',
}

export type FeedParts = { db: Database; addressOf: (request: Addressed) => string }

export function feedRoutes(app: App, { db, addressOf }: FeedParts) {
  app.get(
    '/api/device/feed/:channel_id',
    {
      config: { auth: 'public', compress: false },
      schema: { params: Params, querystring: Query, response: { 200: JsonFeed, 304: NoContent } },
    },
    async (request, reply) => {
      const { accept, 'accept-encoding': accept_encoding, 'if-none-match': if_none_match } = request.headers
      const since = request.headers['if-modified-since']
      const place = { ...request.params, ...request.query, base: addressOf(request) }
      if (if_none_match !== undefined || since !== undefined) {
        const version = await readVersion(db.fast, place.channel_id)
        const tag = version && tagOf(version, place)
        const etag = tag && (if_none_match === undefined ? `"${tag}"` : unchanged(if_none_match, tag))
        if (etag && (if_none_match !== undefined || isUnchangedSince(since, changedAt(version))))
          return reply
            .code(304)
            .headers({ ...SHARED, etag })
            .send(undefined)
      }
      const page = await readFeed(db.fast, place)
      if (!page) throw notFound()
      const [coding] = acceptedCodings(accept_encoding)
      if (coding) reply.header('content-encoding', coding)
      reply.headers({
        ...SHARED,
        'access-control-allow-origin': '*',
        'last-modified': page.last_modified,
        'content-type': accept?.includes('application/feed+json')
          ? 'application/feed+json'
          : 'application/json; charset=utf-8',
        etag: `"${page.tag}${coding ? SUFFIX[coding] : ''}"`,
      })
      // A Buffer, because the framework adds a charset to the media type of a string.
      const bytes = Buffer.from(reply.serialize(page.feed) as string)
      return (coding ? await CODE[coding](bytes) : bytes) as never
    },
  )
}

const SUFFIX = { br: '-br', gzip: '-gz' }
/** The highest quality takes a hundred times as long and saves only a tenth. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const CODE = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, QUALITY),
  gzip: promisify<Buffer, Buffer>(gzip),
}

/** Decides only without If-None-Match (RFC 9110, section 13.1.3). A date in the future is ignored. */
function isUnchangedSince(since: string | undefined, changed_at: number): boolean {
  const seconds = Date.parse(since ?? '') / 1_000
  return seconds >= changed_at && seconds * 1_000 <= Date.now()
}

/** The ETag in If-None-Match that names this page in any content coding (RFC 9110, section 13.1.2). */
function unchanged(if_none_match: string, tag: string): string | undefined {
  const sent = ['', '-gz', '-br'].map((suffix) => `"${tag}${suffix}"`)
  if (if_none_match.trim() === '*') return sent[0]
  const named = if_none_match.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return sent.find((etag) => named.includes(etag))
}
