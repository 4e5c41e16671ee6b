import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sendRaw } from '#testing/hostile.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { ask, type RawAnswer, startProxy } from '#testing/proxy.ts'
import { tempFolder } from '#testing/temp-folder.ts'

const dataDir = newDataDir()
let product: Product
/** The path of a public channel in the feed. */
let feed = ''
after(async () => {
  await product.end()
  removeDataDir(dataDir)
})

/** Restarts the program with the same data and these settings. */
async function restart(env: Record<string, string>) {
  await product.end()
  product = await startProduct(dataDir, env)
}

const SERVICES = ['sso', 'learning', 'collections'] as const
type Service = (typeof SERVICES)[number]
const EVIL = 'evil.example'
const PUBLIC = { SSO_URL: 'https://sso.example.org', LEARNING_URL: 'https://learn.example.org:8443' }
const HOST_OF = {
  sso: 'sso.example.org',
  learning: 'learn.example.org',
  collections: 'sso.example.org:8066',
} as const

const portOf = (service: Service) => Number(new URL(product[service]).port)
/** The URL of the service on loopback, whatever address it listens on. */
const at = (service: Service, path: string) => `http://127.0.0.1:${portOf(service)}${path}`
/** Whether a header or the body contains the name. */
const repeats = (name: string, { headers, text }: RawAnswer) =>
  `${JSON.stringify(headers)}${text}`.includes(name)

/** One path of each kind: pages, files, health, metrics, API, unknown. */
const PATHS = ['/', '/health', '/metrics', '/sign-in', '/openapi.json', '/api/info', '/api/v1/sessions', '/x']
const FOREIGN = [
  EVIL,
  `${EVIL}:80`,
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'xlocalhost',
  '10.0.0.1',
  '0.0.0.0',
  '[::2]',
]
const NO_HOST = [
  'localhost@evil.example',
  'localhost/evil.example',
  'a b',
  'localhost, evil.example',
  '[::1',
  'a:b',
]

async function refusesForeignHosts(service: Service) {
  for (const path of PATHS)
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      for (const host of FOREIGN) {
        const answer = await ask(at(service, path), { host }, method)
        assert.equal(answer.status, 421, `${method} ${path} of ${host}`)
        assert.ok(!repeats(EVIL, answer))
        assert.equal(answer.headers['cache-control'], 'no-store')
      }
      for (const host of NO_HOST)
        assert.equal(
          (await ask(at(service, path), { host }, method)).status,
          400,
          `${method} ${path} of "${host}"`,
        )
    }
}

describe('a program on loopback', () => {
  before(async () => {
    product = await startProduct(dataDir)
    const { body } = await call(`${product.learning}/api/channels`, {
      headers: await adminHeaders(product),
      body: { title: 'Open', episodes: [{ title: 'First', video: { url: '/1.mp4' } }] },
    })
    feed = `/api/device/feed/${String(body['id'])}`
  })

  test('puts no foreign Host into the feed, built or cached', async () => {
    for (const round of ['fresh', 'from memory']) {
      assert.equal((await ask(at('learning', feed), { host: EVIL })).status, 421, round)
      const own = await ask(at('learning', feed))
      assert.equal(own.status, 200)
      assert.ok(repeats(at('learning', feed), own))
    }
  })

  test('puts no X-Forwarded-Host into the feed', async () => {
    const headers = { 'x-forwarded-host': EVIL, 'x-forwarded-proto': 'https' }
    const answer = await ask(at('learning', feed), headers)
    assert.equal(answer.status, 200)
    assert.ok(!repeats(EVIL, answer))
    assert.ok(repeats(at('learning', feed), answer))
  })

  for (const service of SERVICES)
    test(`refuses a site's own name resolving here, on ${service}`, () => refusesForeignHosts(service))

  test('answers every loopback name on any port', async () => {
    const names = [
      'localhost',
      'LOCALHOST:1',
      '127.0.0.1:9',
      '127.9.9.9',
      '[::1]',
      '[::1]:80',
      'sso.localhost:3000',
    ]
    for (const service of SERVICES)
      for (const host of names) assert.equal((await ask(at(service, '/health'), { host })).status, 200, host)
  })

  test('hides metrics from a proxy on this machine', async () => {
    for (const service of SERVICES) {
      assert.equal((await ask(at(service, '/metrics'))).status, 200)
      for (const adds of [
        { 'x-forwarded-for': '203.0.113.9' },
        { 'x-forwarded-for': '127.0.0.1' },
        { 'x-forwarded-proto': 'https' },
        { 'x-forwarded-anything': '1' },
        { forwarded: 'for=203.0.113.9' },
        { via: '1.1 proxy' },
      ] as Record<string, string>[]) {
        const proxy = await startProxy(product[service], { host: `127.0.0.1:${portOf(service)}`, adds })
        const { status } = await ask(`${proxy.url}/metrics`, { host: 'learn.example.org' })
        assert.equal(status, 404, JSON.stringify(adds))
      }
      const keepsHost = await startProxy(product[service])
      assert.equal((await ask(`${keepsHost.url}/metrics`, { host: 'learn.example.org' })).status, 421)
    }
  })

  test('checks the host of an absolute target, not the Host', async () => {
    const get = async (target: string, host: string) => {
      const head = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      const { text, statuses } = await sendRaw(portOf('learning'), head)
      return { status: statuses[0], text }
    }
    assert.equal((await get(`http://localhost${feed}`, EVIL)).status, 200)
    assert.ok(
      (await get(`http://localhost:8065${feed}?page=1`, EVIL)).text.includes(`http://localhost:8065${feed}`),
    )
    assert.equal((await get('HTTP://LOCALHOST/api/info?x=1', 'localhost')).status, 200)
    assert.equal((await get('http://localhost', 'localhost')).status, 200)
    assert.equal((await get(`http://${EVIL}${feed}`, 'localhost')).status, 421)
    assert.equal((await get(`http://localhost@${EVIL}${feed}`, 'localhost')).status, 400)
    assert.equal((await get(`http://user:secret@localhost${feed}`, 'localhost')).status, 400)
  })

  test('answers 400 to two Hosts, 501 to unknown codings', async () => {
    for (const service of SERVICES)
      for (const path of ['/livez', feed])
        for (const [head, expected] of [
          ['Host: localhost\r\nHost: localhost', 400],
          [`Host: localhost\r\nhost: ${EVIL}`, 400],
          ['Accept: */*', 400],
          ['Host:', 400],
          ['Host: localhost\r\nTransfer-Encoding: gzip, chunked', 501],
          ['Host: localhost\r\nTransfer-Encoding: chunked, chunked', 501],
          ['Host: localhost\r\nTransfer-Encoding: gzip', 501],
          ['Host: localhost\r\nTransfer-Encoding: chunked, identity', 501],
        ] as const)
          for (const method of ['GET', 'POST']) {
            const bytes = `${method} ${path} HTTP/1.1\r\n${head}\r\n\r\n0\r\n\r\n`
            const { statuses, text, isClosed } = await sendRaw(portOf(service), bytes)
            assert.deepEqual(statuses, [expected], `${method} ${path} ${head}: ${text}`)
            assert.ok(isClosed)
          }
  })
})

describe('a program behind a proxy on the same machine', () => {
  before(() => restart({ ...PUBLIC, TRUSTED_PROXIES: '127.0.0.1' }))

  test('builds the feed with its public address', async () => {
    for (const host of ['learn.example.org', 'learn.example.org:443', '127.0.0.1:8065'])
      for (const adds of [
        { 'x-forwarded-host': EVIL, 'x-forwarded-proto': 'http', 'x-forwarded-for': '203.0.113.9' },
        { forwarded: `host=${EVIL};proto=http` },
      ] as Record<string, string>[]) {
        const proxy = await startProxy(product.learning, { host, adds })
        const answer = await ask(`${proxy.url}${feed}`)
        assert.equal(answer.status, 200)
        assert.ok(!repeats(EVIL, answer))
        assert.ok(repeats(`${PUBLIC.LEARNING_URL}${feed}`, answer))
      }
  })

  test('refuses other forwarded hosts', async () => {
    const proxy = await startProxy(product.learning, { adds: { 'x-forwarded-host': 'learn.example.org' } })
    assert.equal((await ask(`${proxy.url}${feed}`, { host: EVIL })).status, 421)
  })
})

describe('a program that listens beyond loopback', () => {
  before(() => restart({ ...PUBLIC, HOST: '0.0.0.0' }))

  for (const service of SERVICES)
    test(`answers only its public host on ${service}`, async () => {
      await refusesForeignHosts(service)
      assert.equal((await ask(at(service, '/health'), { host: HOST_OF[service] })).status, 200)
      for (const host of ['localhost', '127.0.0.1', '[::1]'])
        assert.equal((await ask(at(service, '/health'), { host })).status, 421, host)
    })

  test('keeps the hosts of services apart', async () => {
    assert.equal((await ask(at('sso', '/health'), { host: HOST_OF.learning })).status, 421)
    assert.equal((await ask(at('learning', '/health'), { host: HOST_OF.sso })).status, 421)
  })

  test('lets a load balancer probe only /livez by address', async () => {
    for (const service of SERVICES) {
      assert.equal((await ask(at(service, '/livez'))).status, 200)
      assert.equal((await ask(at(service, '/health'))).status, 421)
      assert.equal((await ask(at(service, '/metrics'))).status, 421)
      const { statuses } = await sendRaw(portOf(service), 'GET /livez HTTP/1.0\r\n\r\n')
      assert.deepEqual(statuses, [200])
    }
  })

  test('hides metrics without token, even locally', async () => {
    for (const service of SERVICES)
      assert.equal((await ask(at(service, '/metrics'), { host: HOST_OF[service] })).status, 404)
  })

  test('serves commands of this machine', async () => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../../src/main.ts'), 'retention', '--sso', at('sso', '')],
      { env: { DATA_DIR: dataDir, HOST: '0.0.0.0', ...PUBLIC }, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let said = ''
    child.stderr.on('data', (part: Buffer) => (said += part.toString()))
    const code = await new Promise((resolve) => child.on('close', resolve))
    assert.deepEqual([code, said], [0, ''])
  })
})

describe('a start without public addresses', () => {
  for (const [what, env, missing] of [
    ['beyond loopback', { HOST: '0.0.0.0' }, 'SSO_URL and LEARNING_URL'],
    ['on every address of IPv6', { HOST: '::', SSO_URL: PUBLIC.SSO_URL }, 'LEARNING_URL'],
    ['behind a proxy', { TRUSTED_PROXIES: '127.0.0.1', LEARNING_URL: PUBLIC.LEARNING_URL }, 'SSO_URL'],
  ] as const)
    test(`fails with one sentence: ${what}`, async () => {
      await assert.rejects(startProduct(tempFolder('edge'), env), ({ message }: Error) => {
        const [first, ...said] = message.trim().split('\n')
        assert.equal(first, 'The program ended (1) before it was ready:')
        assert.equal(said.length, 1)
        assert.ok(said[0]?.startsWith(`${missing} must be set where HOST is not loopback`))
        return true
      })
    })
})
