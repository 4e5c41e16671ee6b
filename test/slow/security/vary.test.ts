import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { pathOf } from '#testing/hostile.ts'
import { aUser, homeSite } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const ALLOWED = 'https://app.example.org'
const lyceum = await buildWorld({ env: { COLLECTIONS_CORS_ORIGINS: ALLOWED } })
const [anna, site] = [await aUser({ lyceum }), await homeSite(lyceum)]
const made = await lyceum.learning.inject({
  method: 'POST',
  url: '/api/channels',
  headers: anna.headers,
  // Long enough to be compressed.
  payload: {
    title: 'x'.repeat(200),
    episodes: [{ title: 'y'.repeat(200), description: 'z'.repeat(2_000), video: { url: '/1.mp4' } }],
  },
})
assert.equal(made.statusCode, 201, made.body)

const SERVICES = ['sso', 'learning', 'collections'] as const
type Service = (typeof SERVICES)[number]
type Sent = Record<string, string>

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
/** Headers that a reply could depend on, with values that could change it. */
const VARIED: Record<string, string[]> = {
  accept: [BROWSER, 'application/json', 'application/feed+json', 'text/plain', 'image/webp', '*/*;q=0'],
  'accept-encoding': ['gzip', 'br', 'gzip, br', 'identity', 'identity;q=0', '*', 'deflate'],
  'accept-language': ['de', 'en'],
  origin: [ALLOWED, 'https://evil.example', 'http://localhost', 'null'],
  cookie: [`access_token=${anna.access_token}`, 'access_token=nonsense', 'csrf_token=x'],
  authorization: [`Bearer ${anna.access_token}`, 'Bearer nonsense', 'Basic YTpi'],
  'x-sso-site-key': [site.site_key, 'nonsense'],
  'x-csrf-token': ['nonsense'],
  'sec-fetch-site': ['cross-site', 'same-origin', 'none'],
  'sec-fetch-mode': ['navigate', 'cors'],
  'sec-fetch-dest': ['document', 'iframe', 'empty'],
  'sec-fetch-user': ['?1'],
  'sec-purpose': ['prefetch', 'prefetch;prerender'],
  purpose: ['prefetch'],
  'sec-gpc': ['1'],
  'sec-ch-ua-mobile': ['?1'],
  'sec-ch-prefers-color-scheme': ['dark'],
  'save-data': ['on'],
  dnt: ['1'],
  prefer: ['return=minimal'],
  'user-agent': ['Mozilla/5.0 (Windows NT 10.0) Chrome/140', 'curl/8'],
  referer: ['https://evil.example/'],
  'x-requested-with': ['XMLHttpRequest'],
  'x-http-method-override': ['DELETE'],
  'x-forwarded-for': ['203.0.113.9'],
  'x-forwarded-host': ['evil.example'],
  'x-forwarded-proto': ['https'],
  'x-forwarded-prefix': ['/evil'],
  forwarded: ['host=evil.example;proto=https'],
  'x-original-url': ['/evil'],
  via: ['1.1 proxy'],
  range: ['bytes=0-1'],
  'if-none-match': ['"x"', '*'],
  'if-match': ['"x"', '*'],
  'if-modified-since': ['Thu, 01 Jan 2037 00:00:00 GMT'],
  'if-unmodified-since': ['Thu, 01 Jan 1970 00:00:00 GMT'],
  'if-range': ['"x"'],
}

/** Headers that differ between any two replies. */
const OWN = new Set(['date', 'x-request-id', 'ratelimit', 'set-cookie'])

async function fetch(service: Service, url: string, headers: Sent = {}) {
  const reply = await lyceum[service].inject({ url, headers })
  const shown = Object.entries(reply.headers)
    .filter(([name]) => !OWN.has(name))
    .map(([name, value]) => `${name}: ${String(value)}`)
  const print = JSON.stringify([reply.statusCode, shown.toSorted(), reply.rawPayload.toString('base64')])
  const vary = String(reply.headers['vary'] ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
  return { status: reply.statusCode, print, vary, cache: String(reply.headers['cache-control']) }
}

const linkIn = (html: string, pattern: RegExp) =>
  pattern.exec(html)?.[0] ?? assert.fail('the page names no file')

/** One address per public route; a real object where only that is answered from a cache. */
async function addressesOf(service: Service): Promise<string[]> {
  const real: Record<string, string> = {
    '/api/device/feed/:channel_id': `/api/device/feed/${String(made.json().id)}`,
    'sso /assets/:build/*': linkIn((await lyceum.sso.inject('/sign-in')).body, /\/assets\/[^"]+\.css/),
    'learning /assets/:build/*': linkIn((await lyceum.learning.inject('/')).body, /\/assets\/[^"]+\.css/),
  }
  return lyceum[service].declaredRoutes
    .filter(({ method, config: { auth } }) => method === 'GET' && (auth === 'public' || auth === 'optional'))
    .map((route) => real[route.url] ?? real[`${service} ${route.url}`] ?? pathOf(route, randomUUID()))
}

const mayBeStored = (cache: string) => !cache.includes('no-store')
let stored = 0

for (const service of SERVICES)
  describe(`public answers of ${service}`, () => {
    test('depend only on headers that Vary names', async () => {
      for (const url of await addressesOf(service)) {
        let plain = await fetch(service, url)
        const again = await fetch(service, url)
        if (mayBeStored(plain.cache)) stored += 1
        // A page with a token is new each time; no cache may store it.
        if (plain.print !== again.print) {
          assert.ok(!mayBeStored(plain.cache), `${url} changes by itself and may be stored`)
          continue
        }
        for (const [name, values] of Object.entries(VARIED))
          for (const value of values) {
            const other = await fetch(service, url, { [name]: value })
            const what = `${url} with ${name}: ${value.slice(0, 40)}`
            if (other.print === plain.print) continue
            // A reply that changes by itself, such as a measured time, proves nothing and is requested again.
            const now = await fetch(service, url)
            if (now.print !== plain.print) {
              assert.ok(!mayBeStored(now.cache), `${url} changes by itself and may be stored`)
              if ((await fetch(service, url, { [name]: value })).print === now.print) {
                plain = now
                continue
              }
            }
            if (other.status === 304) assert.deepEqual(other.vary, plain.vary, what)
            else assert.ok(plain.vary.includes(name) && other.vary.includes(name), `${what}`)
          }
      }
    })
  })

test('at least 21 pages, files, key sets and feeds are cacheable', () => assert.ok(stored >= 21, `${stored}`))
