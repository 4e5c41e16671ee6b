import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { after, before, describe, test } from 'node:test'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { eventually } from '#testing/eventually.ts'

const LIMIT = 40
/** So many more may pass where the fifty take longer than the last five seconds (sliding-log.ts). */
const EXTRA = 4

describe('two workers on the same ports', () => {
  const dataDir = newDataDir()
  let product: Product
  before(async () => {
    product = await startProduct(dataDir, {
      WORKERS: '2',
      RATE_LIMIT_DEFAULT: String(LIMIT),
      SSO_RATE_LIMIT_AUTH: '1000',
    })
  })
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })

  test('admit 50 concurrent requests like one process', async () => {
    const headers = await adminHeaders(product)
    const statuses = await fifty(() => askOnce(`${product.learning}/api/channels`, { headers }))
    const admitted = statuses.filter((status) => status === 200).length
    assert.ok(admitted >= LIMIT && admitted <= LIMIT + EXTRA, `${admitted} were let in`)
    assert.equal(statuses.filter((status) => status === 429).length, 50 - admitted)
  })

  test('count failed passwords together', async () => {
    const site_key = product.firstRun.sites['learning']?.site_key ?? ''
    const body = JSON.stringify({ email: 'nobody@example.org', password: 'wrong password 1' })
    const headers = { 'x-sso-site-key': site_key, 'content-type': 'application/json' }
    const statuses = await fifty(() => askOnce(`${product.sso}/api/v1/auth/login`, { headers, body }))
    const guesses = statuses.filter((status) => status === 401).length
    // Five, and one more for each second that the fifty take. Two processes that count apart would let in ten.
    assert.ok(guesses >= 5 && guesses < 10, `${guesses} guesses were made`)
    assert.equal(statuses.filter((status) => status === 429).length, 50 - guesses)
  })

  test('add up their metrics', async () => {
    const counted = async () => {
      const text = await (await fetch(`${product.collections}/metrics`)).text()
      assert.equal(text.match(/^# TYPE process_cpu_seconds_total/gm)?.length, 1)
      return livez(text)
    }
    const before = await counted()
    await fifty(() => askOnce(`${product.collections}/livez`))
    assert.equal((await counted()) - before, 50)
  })

  test('both refuse a token at once after its sign-out', async () => {
    const { email, password, user_id } = product.firstRun.admin
    const atSite = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }
    const signedIn = await call(`${product.sso}/api/v1/auth/login`, {
      headers: atSite,
      body: { email, password },
    })
    const { access_token, refresh_token } = signedIn.body
    const headers = { authorization: `Bearer ${String(access_token)}` }
    const me = `${product.sso}/api/v1/users/${user_id}`
    const earlier = await fifty(() => askOnce(me, { headers }))
    assert.deepEqual(new Set(earlier), new Set([200]))
    const ended = await call(`${product.sso}/api/v1/auth/logout`, {
      headers: atSite,
      body: { refresh_token },
    })
    assert.equal(ended.status, 200)
    const later = await fifty(() => askOnce(me, { headers }))
    assert.deepEqual(new Set(later), new Set([401]))
  })

  test('are replaced after SIGKILL while the other one answers', async () => {
    const [killed, other] = workersOf(product.pid)
    assert.ok(killed && other)
    process.kill(killed, 'SIGKILL')
    // Connections that it had been given are lost; what comes after its end reaches the other.
    await eventually(() => !isAlive(killed))
    assert.deepEqual(new Set(await fifty(() => askOnce(`${product.collections}/livez`))), new Set([200]))
    await eventually(() => workersOf(product.pid).length === 2)
    const workers = workersOf(product.pid)
    assert.ok(workers.includes(other) && !workers.includes(killed))
    await eventually(async () => {
      const text = await (await fetch(`${product.collections}/metrics`)).text()
      return text.includes('lyceum_http')
    })
    assert.deepEqual(new Set(await fifty(() => askOnce(`${product.collections}/livez`))), new Set([200]))
  })

  test('end with the supervisor on SIGTERM, which exits with code 0', async () => {
    const workers = workersOf(product.pid)
    assert.equal(workers.length, 2)
    assert.equal(await product.end('SIGTERM'), 0)
    assert.deepEqual(workers.filter(isAlive), [])
  })
})

test('workers end by themselves when their supervisor is killed', async () => {
  const dataDir = newDataDir()
  const product = await startProduct(dataDir, { WORKERS: '2' })
  const workers = workersOf(product.pid)
  await product.end('SIGKILL')
  await eventually(() => workers.filter(isAlive).length === 0)
  const again = await startProduct(dataDir, { WORKERS: '2' })
  assert.equal((await call(`${again.learning}/livez`)).status, 200)
  assert.equal(await again.end('SIGTERM'), 0)
  removeDataDir(dataDir)
})

test('a port that another program uses stops the start of workers with a sentence', async () => {
  const dataDir = newDataDir()
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await assert.rejects(
    startProduct(dataDir, { WORKERS: '2', LEARNING_PORT: String(port) }),
    new RegExp(`Port ${port} of 127.0.0.1 is in use`),
  )
  server.close()
  removeDataDir(dataDir)
})

const fifty = (task: () => Promise<number>) => Promise.all(Array.from({ length: 50 }, task))

const livez = (text: string) =>
  Number(/_count{service="collections",method="GET",route="\/livez",status="200"} (\d+)/.exec(text)?.[1] ?? 0)

/** The status of one request on a connection of its own, so that the system chooses the worker anew. */
function askOnce(
  address: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, connection: 'close' },
      agent: false,
    })
    request.on('response', (reply) => {
      reply.resume()
      reply.on('end', () => resolve(reply.statusCode ?? 0))
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** The processes of Node that this one has started. */
const workersOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('cli/worker.ts'))

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
