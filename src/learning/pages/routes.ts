import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isLoopback } from '#foundation/outbound/addresses.ts'
import { acceptedCodings } from '#foundation/web/compression.ts'
import { notFound } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { build, findAsset, pack, type Packed } from './assets.ts'
import { pages } from './layout.ts'

const html = {
  200: {
    description: 'A page for people; it holds no data and asks the API for them',
    content: { 'text/html': { schema: Type.String() } },
  },
  304: { description: 'The page is as it was', type: 'null' },
} as object

/** Serves the 14 pages, static and public, and their files. No rate limit applies to them. */
export function pageRoutes(app: App, { ssoUrl }: { ssoUrl: () => string }) {
  for (const { name, path, text } of pages) {
    let packed: Promise<Packed> | undefined
    app.get(
      path,
      { config: { auth: 'public', limit: 'none', compress: false }, schema: { response: html } },
      async (request, reply) => {
        packed ??= pack('text/html; charset=utf-8', text)
        reply.headers({ ...HEADERS, 'Content-Security-Policy': policyOf(name, ssoUrl()) })
        return write(request, reply, await packed, 'no-cache')
      },
    )
  }
  app.get(
    '/assets/:build/*',
    {
      config: { auth: 'public', limit: 'none', compress: false, operational: true },
      schema: { hide: true },
    },
    async (request, reply) => {
      const { build: asked, '*': path } = request.params as { build: string; '*': string }
      const asset = asked === build ? findAsset(path) : undefined
      if (!asset) throw notFound()
      return write(request, reply, await asset, 'public, max-age=31536000, immutable')
    },
  )
}

/** Sends the bytes in the best coding the client accepts, or 304 if its copy is current. */
function write(request: FastifyRequest, reply: FastifyReply, packed: Packed, cache: string) {
  const codings = acceptedCodings(request.headers['accept-encoding'])
  const coding = (['br', 'gzip'] as const).find((one) => codings.has(one) && packed[one])
  const etag = `"${build}${coding ? `-${coding}` : ''}"`
  reply.headers({ 'Cache-Control': cache, Vary: 'Accept-Encoding', ETag: etag })
  const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (known?.includes(etag)) return reply.code(304).send()
  if (coding) reply.header('Content-Encoding', coding)
  return reply.type(packed.type).send((coding && packed[coding]) ?? packed.identity)
}

const HEADERS = {
  // Embedded YouTube players need the origin as referrer.
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** Pages with a player. Their media and captions may come from any host the author uses. */
const PLAYERS = new Set(['episode', 'episode-edit'])
const FRAMES = 'https://www.youtube-nocookie.com https://player.vimeo.com https://archive.org'

/**
 * The content security policy: our own files only, no inline script or style, and markup only by our one Trusted
 * Types policy.
 */
function policyOf(name: string, sso_url: string): string {
  const plays = PLAYERS.has(name)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' https: http: data:",
    // The sso renews the session (client/session.ts).
    plays ? "connect-src 'self' https: http:" : `connect-src 'self' ${ownAddresses(sso_url)}`,
    ...(plays ? ["media-src 'self' https: http: blob:", `frame-src ${FRAMES}`] : []),
    "base-uri 'none'",
    `form-action 'self' ${ownAddresses(sso_url)}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lyceum',
  ].join('; ')
}

/** The origins of the sso. On localhost the visitor may use either host name (client/session.ts). */
function ownAddresses(sso_url: string): string {
  if (!URL.canParse(sso_url)) return ''
  const { origin, hostname, port, protocol } = new URL(sso_url)
  if (hostname !== 'localhost' && !(/^[\d.]+$/.test(hostname) && isLoopback(hostname))) return origin
  return [...new Set([origin, `${protocol}//localhost:${port}`, `${protocol}//127.0.0.1:${port}`])].join(' ')
}
