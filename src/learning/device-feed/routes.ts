import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { clock } from '#foundation/clock.ts'
import { acceptedCodings } from '#foundation/compression.ts'
import type { Pool } from '#foundation/database.ts'
import type { EarlyAnswer, EarlyRoute } from '#foundation/early-answers.ts'
import { notFound } from '#foundation/errors.ts'
import { onlyHeader } from '#foundation/hosts.ts'
import type { App } from '#foundation/http.ts'
import type { Addressed } from '#foundation/public-address.ts'
import { Uuid } from '#foundation/schemas.ts'
import { buildFeed, type FeedPlace } from './feed.ts'
import { createPageCache, type FeedBytes } from './page-cache.ts'
import { type FeedVersion, tagOf } from './versions.ts'

const Params = Type.Object({ channel_id: Uuid })
const Query = Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) })
const FeedBody = Type.Object({
  version: Type.String(),
  title: Type.String(),
  items: Type.Array(Type.Unknown()),
})

/** The version of each channel as it is at this moment: a point read, or the exact map that stands in for it. */
export type Versions = {
  get(channel_id: string): FeedVersion | undefined | Promise<FeedVersion | undefined>
  peek(channel_id: string): FeedVersion | undefined
  forget(channel_id: string): void
}
export type FeedParts = {
  pool: Pool
  versions: Versions
  addressOf: (request: Addressed) => string
}
export type Feed = { routes: (app: App) => void; early: Omit<EarlyRoute, 'bucketsOf'> }

const URL_PATTERN = '/api/device/feed/:channel_id'
const URL_START = '/api/device/feed/'

/** The device feed: the version is read on every request, the bytes are built once per version (docs/learning.md). */
export function createFeed({ pool, versions, addressOf }: FeedParts): Feed {
  const pageCache = createPageCache()
  const hashOf = rememberLast((base) => createHash('sha256').update(base).digest('base64url').slice(0, 16))

  function placeOf(request: Addressed, channel_id: string, page: number): FeedPlace {
    const base = addressOf(request)
    return { channel_id, page, base, base_hash: hashOf(base) }
  }

  /** The first page as it is in memory, spelled as we spell it; everything else goes the whole way. */
  function answerFromMemory(request: IncomingMessage): EarlyAnswer | undefined {
    const { url = '', rawHeaders } = request
    if (!url.startsWith(URL_START)) return undefined
    const channel_id = url.slice(URL_START.length)
    const version = versions.peek(channel_id)
    if (!version?.is_public || isOver(version)) return undefined
    const host = onlyHeader(rawHeaders, 'host')
    if (host === undefined) return undefined
    const tags = tagsOf(version, placeOf({ headers: { host } }, channel_id, 1))
    const known = unchanged(onlyHeader(rawHeaders, 'if-none-match'), tags)
    if (known) return { status: 304, headers: known }
    const bytes = pageCache.find(channel_id, tags.tag)
    return bytes && coded(request.headers, tags.tag, bytes)
  }

  function routes(app: App) {
    app.get(
      URL_PATTERN,
      {
        config: { auth: 'public', compress: false },
        schema: { params: Params, querystring: Query, response: { 200: FeedBody } as object },
      },
      (request, reply) => {
        const place = placeOf(request, request.params.channel_id, request.query.page)
        const version = currentVersion(versions, place.channel_id)
        if (version instanceof Promise) return version.then((read) => answer(request, reply, place, read))
        return answer(request, reply, place, version)
      },
    )
  }

  function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    place: FeedPlace,
    version: FeedVersion | undefined,
  ) {
    if (!version?.is_public) throw notFound()
    const tags = tagsOf(version, place)
    const known = unchanged(request.headers['if-none-match'], tags)
    if (known) return reply.code(304).headers(known).send()
    const { tag } = tags
    const bytes = pageCache.find(place.channel_id, tag)
    return bytes ? write(request, reply, tag, bytes) : buildThenWrite(request, reply, place, tag)
  }

  async function buildThenWrite(request: FastifyRequest, reply: FastifyReply, place: FeedPlace, tag: string) {
    const [built_tag, bytes] = await pageCache.build(place.channel_id, tag, async () => {
      const built = await buildFeed(pool, place)
      if (!built) throw notFound()
      return built
    })
    return write(request, reply, built_tag, bytes)
  }

  return { routes, early: { url: URL_PATTERN, answer: answerFromMemory } }
}

/** What a 304 repeats (RFC 9110, section 15.4.5). */
const SHARED = {
  'cache-control': 'public, max-age=300, stale-while-revalidate=100',
  vary: 'Accept, Accept-Encoding',
}

/** The entry of the map holds until the next release; both clocks are of one host wherever the map is used. */
const isOver = ({ next_release }: FeedVersion) => next_release !== null && clock.now() >= next_release

function currentVersion(versions: Versions, channel_id: string) {
  const version = versions.get(channel_id)
  if (version === undefined || version instanceof Promise || !isOver(version)) return version
  versions.forget(channel_id)
  return versions.get(channel_id)
}

/** One page's tag, and for each coding the tag as it is sent with the headers of a 304. */
type Tags = { tag: string; page: number; base_hash: string; sent: Map<string, Record<string, string>> }

const lastTags = new WeakMap<FeedVersion, Tags>()

/** Made once for a version in memory: nearly every device asks for the first page under the same address. */
function tagsOf(version: FeedVersion, { page, base_hash }: FeedPlace): Tags {
  const last = lastTags.get(version)
  if (last?.page === page && last.base_hash === base_hash) return last
  const tag = tagOf(version, page, base_hash)
  const sent = [`"${tag}"`, `"${tag}-gz"`, `"${tag}-br"`].map((etag) => [etag, { etag, ...SHARED }] as const)
  const tags = { tag, page, base_hash, sent: new Map(sent) }
  lastTags.set(version, tags)
  return tags
}

/** The headers of 304 when If-None-Match names this page, in whichever coding it was sent (RFC 9110, 13.1.2). */
function unchanged(if_none_match: string | undefined, { sent }: Tags): Record<string, string> | undefined {
  if (if_none_match === undefined) return undefined
  const same = sent.get(if_none_match)
  if (same) return same
  if (if_none_match.trim() === '*') return sent.values().next().value
  const named = if_none_match.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return sent.get(named.find((one) => sent.has(one)) ?? '')
}

function write(request: FastifyRequest, reply: FastifyReply, tag: string, bytes: FeedBytes) {
  const { headers, body } = coded(request.headers, tag, bytes)
  return reply.headers(headers).send(body)
}

/** The bytes in the best coding the caller takes, with the tag of that coding. */
function coded(
  { accept, 'accept-encoding': accept_encoding }: IncomingHttpHeaders,
  tag: string,
  bytes: FeedBytes,
) {
  const codings = acceptedCodings(accept_encoding)
  const brotli = codings.has('br') ? bytes.brotli : undefined
  const body = brotli ?? (codings.has('gzip') ? bytes.gzip : bytes.identity)
  const suffix = body === bytes.identity ? '' : body === brotli ? '-br' : '-gz'
  const headers: Record<string, string> = {
    ...SHARED,
    'access-control-allow-origin': '*',
    'last-modified': bytes.last_modified,
    'content-type': accept?.includes('application/feed+json')
      ? 'application/feed+json'
      : 'application/json; charset=utf-8',
    'content-length': String(body.length),
    etag: `"${tag}${suffix}"`,
  }
  if (suffix) headers['content-encoding'] = suffix === '-br' ? 'br' : 'gzip'
  return { status: 200, headers, body }
}

/** Nearly every request names the same host, so one remembered answer is enough. */
function rememberLast(compute: (text: string) => string) {
  let last = ''
  let answer = compute(last)
  return (text: string) => {
    if (text !== last) [last, answer] = [text, compute(text)]
    return answer
  }
}
