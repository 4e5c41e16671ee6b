import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { buildWorld, world } from '#testing/world.ts'
import { modulesOf } from './assets.ts'
import { pages } from './layout.ts'

const { learning } = await world()
const SCRIPT_BUDGET = 45_000
const STYLE_BUDGET = 12_000

const read = (url: string, headers: Record<string, string> = {}) => learning.inject({ url, headers })
const filesOf = (page: string) => [
  ...new Set(Array.from(page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g), ([, address = '']) => address)),
]

describe('a page', () => {
  for (const { path, name } of pages)
    test(`${path} needs no token, holds no data, works without script`, async () => {
      const reply = await read(path)
      assert.equal(reply.statusCode, 200)
      assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(reply.body, /<html lang="en">/)
      assert.match(reply.body, /<title>[A-Z].+ · Lyceum<\/title>/)
      assert.equal(reply.body.match(/<h1>/g)?.length, 1)
      assert.match(reply.body, /<noscript>/)
      assert.match(reply.body, /<main id="main"/)
      assert.match(reply.body, /id="page"/)
      assert.doesNotMatch(reply.body, /<script>|<style|style="|\son\w+="|javascript:/)
      assert.ok(reply.body.includes(`pages/client/${name}.ts"></script>`))
    })

  test('allows own scripts only, and calls and forms to us and the sso', async () => {
    const { headers } = await read('/')
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' https: http: data:; connect-src 'self' http://127.0.0.1:8064 http://localhost:8064; base-uri 'none'; form-action 'self' http://127.0.0.1:8064 http://localhost:8064; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'strict-origin-when-cross-origin')
    assert.match(String(headers['permissions-policy']), /camera=\(\)/)
    assert.equal(headers['set-cookie'], undefined)
  })

  test('names only the origin of a public SSO_URL', async () => {
    const lyceum = await buildWorld({ env: { SSO_URL: 'https://login.example.org' } })
    const { headers } = await lyceum.learning.inject({ url: '/channels' })
    assert.match(
      String(headers['content-security-policy']),
      /form-action 'self' https:\/\/login\.example\.org;/,
    )
  })

  test('with a player allows media, captions and three player hosts', async () => {
    for (const { path, name } of pages) {
      const policy = String((await read(path)).headers['content-security-policy'])
      const plays = name === 'episode' || name === 'episode-edit'
      assert.equal(policy.includes("connect-src 'self' https: http:;"), plays, path)
      assert.equal(policy.includes("media-src 'self' https: http: blob:"), plays, path)
      assert.equal(
        policy.includes('frame-src https://www.youtube-nocookie.com https://player.vimeo.com'),
        plays,
      )
    }
  })

  test('is revalidated each time and answered with 304 while unchanged', async () => {
    const first = await read('/grades')
    assert.equal(first.headers['cache-control'], 'no-cache')
    const etag = String(first.headers['etag'])
    const again = await read('/grades', { 'if-none-match': `"other", W/${etag}` })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
    assert.equal((await read('/grades', { 'if-none-match': '"other"' })).statusCode, 200)
  })

  test('comes in the language of its cookie, then of the browser, then in English', async () => {
    const languageOf = async (headers: Record<string, string>) =>
      /<html lang="(\w+)">/.exec((await read('/learning', headers)).body)?.[1]
    assert.equal(await languageOf({}), 'en')
    assert.equal(await languageOf({ 'accept-language': 'fr, es;q=0.5, de;q=0.9' }), 'de')
    const accepted = { 'accept-language': 'de' }
    assert.equal(await languageOf({ ...accepted, cookie: 'a=b; lyceum_language=es' }), 'es')
    for (const nonsense of ['', 'klingon', '__proto__', '"><script>', '%', 'x'.repeat(2_000)])
      assert.equal(await languageOf({ ...accepted, cookie: `lyceum_language=${nonsense}` }), 'de', nonsense)
  })

  test('says everything in German and Spanish', async () => {
    for (const { path } of pages) {
      const [en, de, es] = await Promise.all(
        ['en', 'de', 'es'].map(async (language) => (await read(path, { 'accept-language': language })).body),
      )
      assert.match(de ?? '', /<html lang="de">[^]*>Mein Lernen<[^]*JavaScript, das in diesem Browser/)
      assert.match(es ?? '', /<html lang="es">[^]*>Mi aprendizaje<[^]*JavaScript, que está desactivado/)
      for (const translated of [de, es])
        assert.doesNotMatch(
          translated ?? '',
          /Skip to|My learning|Grades|Suggestions|You are here|Edit /,
          path,
        )
      assert.equal(new Set([en, de, es]).size, 3)
    }
  })

  test('is one copy per language to caches', async () => {
    const inLanguage = (language: string, etag = '') =>
      read('/grades', { 'accept-language': language, 'if-none-match': etag })
    const [en, de] = [await inLanguage('en'), await inLanguage('de')]
    assert.equal(de.headers['vary'], 'Accept-Encoding, Accept-Language, Cookie')
    const etag = String(de.headers['etag'])
    assert.notEqual(etag, en.headers['etag'])
    assert.equal((await inLanguage('de', etag)).statusCode, 304)
    assert.equal((await inLanguage('en', etag)).statusCode, 200)
  })

  test('has no other method and counts against no limit', async () => {
    const reply = await learning.inject({ method: 'POST', url: '/channels', payload: {} })
    assert.equal(reply.statusCode, 405)
    assert.equal(reply.headers['allow'], 'GET, HEAD')
    const lyceum = await buildWorld({ env: { RATE_LIMIT_DEFAULT: '1' } })
    for (let i = 0; i < 5; i++) assert.equal((await lyceum.learning.inject({ url: '/' })).statusCode, 200)
  })
})

describe('the files of the pages', () => {
  test('are small with all imports, gzipped', async () => {
    for (const { path } of pages) {
      const files = filesOf((await read(path)).body)
      let [scripts, styles] = [0, 0]
      for (const file of files) {
        const { rawPayload } = await read(file, { 'accept-encoding': 'gzip' })
        if (/\.[jt]s$/.test(file)) scripts += rawPayload.length
        if (file.endsWith('.css')) styles += rawPayload.length
      }
      assert.ok(scripts > 2_000 && scripts <= SCRIPT_BUDGET, `${path}: ${scripts} bytes of scripts`)
      assert.ok(styles > 2_000 && styles <= STYLE_BUDGET, `${path}: ${styles} bytes of styles`)
    }
  })

  test('are JavaScript without types, and every import exists', async () => {
    const [page] = pages
    assert.ok(page)
    for (const { body: text } of await Promise.all(pages.map(({ path }) => read(path))))
      for (const file of filesOf(text).filter((one) => one.endsWith('.ts'))) {
        const reply = await read(file)
        assert.equal(reply.headers['content-type'], 'text/javascript; charset=utf-8')
        assert.doesNotMatch(reply.body, /^import type|^export type|^type \w+ =/m)
        for (const [, to = ''] of reply.body.matchAll(/from ["'](\.[^"']+)["']/g)) {
          const { pathname } = new URL(to, `http://localhost${file}`)
          assert.ok(
            filesOf(text).includes(pathname),
            `${file} imports ${pathname}, which its page does not name`,
          )
        }
      }
  })

  test('may be cached for a year, in the accepted encoding', async () => {
    const [file = ''] = filesOf((await read('/')).body).filter((one) => one.endsWith('.css'))
    const plain = await read(file)
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(plain.headers['vary'], 'Accept-Encoding')
    const gzip = await read(file, { 'accept-encoding': 'gzip' })
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
    const brotli = await read(file, { 'accept-encoding': 'gzip, br' })
    assert.equal(brotli.headers['content-encoding'], 'br')
    assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
    assert.equal(new Set([plain, gzip, brotli].map(({ headers }) => headers['etag'])).size, 3)
  })

  test('a page of another release gets the files of today, which nobody keeps', async () => {
    const [file = ''] = filesOf((await read('/')).body).filter((one) => one.endsWith('.css'))
    const build = file.split('/')[2] ?? ''
    const other = await read(file.replace(build, '0000000000000000'))
    assert.equal(other.statusCode, 200)
    assert.equal(other.headers['cache-control'], 'no-cache')
    assert.equal(other.body, (await read(file)).body)
  })

  test('other paths and sources answer 404', async () => {
    const [file = ''] = filesOf((await read('/')).body)
    const build = file.split('/')[2] ?? ''
    for (const url of [
      file.replace(build, 'latest'),
      `/assets/${build}/pages/routes.ts`,
      `/assets/${build}/pages/api-types.ts`,
      `/assets/${build}/pages/pages.test.ts`,
      `/assets/${build}/pages/client/csv.test.ts`,
      `/assets/${build}/index.ts`,
      `/assets/${build}/pages/client/..%2f..%2findex.ts`,
      `/assets/${build}/`,
      `/assets/${build}/__proto__`,
    ])
      assert.equal((await read(url)).statusCode, 404, url)
  })

  test('include the playlist player, which no page preloads', async () => {
    const page = (await read('/episode')).body
    const build = filesOf(page)[0]?.split('/')[2] ?? ''
    assert.doesNotMatch(page, /hls/)
    assert.ok(!modulesOf('episode').some((path) => path.includes('hls')))
    const reply = await read(`/assets/${build}/pages/hls.mjs`)
    assert.equal(reply.statusCode, 200)
    assert.match(reply.body, /export\s*\{[^}]*as default/)
  })
})
