import { Type } from 'typebox'
import { isLoopback } from '#foundation/outbound/addresses.ts'
import { ASSETS_ROUTE, ASSETS_URL, pack, type Packed } from '#foundation/web/assets.ts'
import { type Language, languageOf } from '#foundation/web/client/texts.ts'
import type { App } from '#foundation/http/http.ts'
import { cookieOf } from '#foundation/security/identity.ts'
import { assets } from './assets.ts'
import firstCalls from './first-calls.json' with { type: 'json' }
import { type PageName, pages } from './layout.ts'

const html = {
  200: {
    description: 'A page for people; it holds no data and asks the API for them',
    content: { 'text/html': { schema: Type.String() } },
  },
  304: { description: 'The page is as it was', type: 'null' },
} as object

/** The language of the profile: the page keeps it here (client/profile-language.ts). */
const LANGUAGE_COOKIE = 'lyceum_language'

/** Serves the 14 pages, static and public, and their files. No rate limit applies to them. */
export function pageRoutes(app: App, { ssoUrl }: { ssoUrl: () => string }) {
  for (const { name, path, textIn } of pages) {
    const packed: Partial<Record<Language, Promise<Packed>>> = {}
    app.get(
      path,
      { config: { auth: 'public', limit: 'none', compress: false }, schema: { response: html } },
      async (request, reply) => {
        const kept = cookieOf(request, LANGUAGE_COOKIE)
        const language = languageOf(kept, request.headers['accept-language'])
        packed[language] ??= pack('text/html; charset=utf-8', textIn(language))
        reply.headers({ ...HEADERS, 'Content-Security-Policy': policyOf(name, ssoUrl()) })
        if (cookieOf(request, 'access_token') !== undefined)
          void reply.header('Link', preloads(name, request.url))
        return assets.write(request, reply, await packed[language], 'no-cache', language)
      },
    )
  }
  app.get(ASSETS_URL, ASSETS_ROUTE, assets.answer)
}

/**
 * What the page asks for first (first-calls.json): a browser with a session asks for it beside the scripts of the page,
 * instead of after them. A call whose parameter is not in the address is left to the page.
 */
function preloads(name: PageName, url: string): string {
  const search = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  const templates: readonly string[] = (firstCalls as Partial<Record<PageName, string[]>>)[name] ?? []
  return ['/api/info', ...templates]
    .map((path) =>
      path.replaceAll(/\{(\w+)\}/g, (whole, given: string) => encodeURIComponent(search.get(given) || whole)),
    )
    .filter((path) => !path.includes('%7B'))
    .map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`)
    .join(', ')
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
 * The content security policy: our own files only, no inline script or style, and markup only from the templates of
 * lit-html.
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
    'trusted-types lit-html',
  ].join('; ')
}

/** The origins of the sso. On localhost the visitor may use either host name (client/session.ts). */
function ownAddresses(sso_url: string): string {
  if (!URL.canParse(sso_url)) return ''
  const { origin, hostname, port, protocol } = new URL(sso_url)
  if (hostname !== 'localhost' && !(/^[\d.]+$/.test(hostname) && isLoopback(hostname))) return origin
  return [...new Set([origin, `${protocol}//localhost:${port}`, `${protocol}//127.0.0.1:${port}`])].join(' ')
}
