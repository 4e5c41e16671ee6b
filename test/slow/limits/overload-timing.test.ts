import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import autocannon from 'autocannon'
import { eventually } from '#testing/eventually.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'

const IN_FLIGHT = 50
/** A refusal may take this many times as long as the least that any route does. */
const TIMES = 3

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** Calls without a pause, so often or until it is stopped; resolves with how often each status came. */
function flood(url: string, headers: Record<string, string>, connections: number, amount = Infinity) {
  const until = Number.isFinite(amount) ? { amount } : { duration: 60 }
  const instance = autocannon({ url, headers, connections, timeout: 60, ...until })
  const statuses = (async () => {
    const { statusCodeStats = {}, errors } = await instance
    assert.equal(errors, 0)
    return new Map(Object.entries(statusCodeStats).map(([status, { count = 0 }]) => [Number(status), count]))
  })()
  return { statuses, stop: () => (instance as unknown as autocannon.Instance).stop() }
}

/** The event loop counts as late all the time, as on a slow machine. */
describe('the running program under a flood', () => {
  const dataDir = newDataDir()
  let product: Product
  let headers: Record<string, string>
  before(async () => {
    product = await startProduct(dataDir, {
      SHED_IN_FLIGHT: String(IN_FLIGHT),
      SHED_DELAY_MS: '1',
      TRUSTED_PROXIES: '127.0.0.0/8',
      SSO_URL: 'http://127.0.0.1',
      LEARNING_URL: 'http://127.0.0.1',
    })
    headers = await adminHeaders(product)
  })
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })
  const refused = async (service = 'learning') => {
    const metrics = await (await fetch(`${product.sso}/metrics`)).text()
    return Number(
      new RegExp(`^lyceum_requests_shed_total\\{service="${service}"\\} (\\d+)`, 'm').exec(metrics)?.[1],
    )
  }
  const from = (address: string) => ({ ...headers, 'x-forwarded-for': address })

  test('refuses the flood alone', async () => {
    const flooding = flood(`${product.learning}/api/channels`, from('198.51.100.7'), 10 * IN_FLIGHT)
    await eventually(async () => (await refused()) > 0)
    for (let calls = 0; calls < 10; calls++) {
      const { status } = await call(`${product.learning}/api/channels`, { headers: from('203.0.113.9') })
      assert.equal(status, 200)
    }
    await adminHeaders(product)
    const probes = await flood(`${product.learning}/livez`, {}, 20, 200).statuses
    assert.deepEqual([...probes.keys()], [200])
    flooding.stop()
    const statuses = await flooding.statuses
    assert.deepEqual(new Set(statuses.keys()), new Set([200, 503]))

    // What was under way when the flood was stopped has no answer that it counted.
    assert.ok((await refused()) >= (statuses.get(503) ?? 0))
    assert.equal(await refused('sso'), 0)
  })

  test('answers a refusal as fast as anything', async () => {
    const lines = () =>
      product
        .log()
        .split('\n')
        .filter((line) => line.startsWith('{"level":30,"service":"learning"') && line.includes('"status":'))
        .map((line) => JSON.parse(line) as { route: string; status: number; ms: number })
    const times = (route: string, status: number) =>
      lines()
        .filter((line) => line.route === route && line.status === status)
        .map(({ ms }) => ms)
    // The log is written a little later than the answers.
    await eventually(() => times('/api/channels', 503).length > 100 && times('/livez', 200).length > 100)
    const late = times('/api/channels', 503)
    const least = times('/livez', 200)
    const [took, bound] = [median(late), TIMES * median(least)]
    assert.ok(took <= bound, `${took} ms, at most ${bound} ms`)
    assert.ok(!product.log().includes('too much to do'), 'a refusal has no line of its own')
  })

  test('refuses nobody after many uploads were cut off', async () => {
    const { port } = new URL(product.sso)
    const sockets = Array.from({ length: 4 * IN_FLIGHT }, () => connect(Number(port), '127.0.0.1'))
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.write(
        'POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 198.51.100.8\r\n' +
          'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nname=',
      )
    }
    await eventually(() =>
      sockets.every(({ connecting, writableLength }) => !connecting && writableLength === 0),
    )
    await Promise.all(
      sockets.map((socket) => {
        socket.destroy()
        return once(socket, 'close')
      }),
    )
    // The program may hear of some a moment later.
    await eventually(async () => {
      const seen = await flood(`${product.learning}/api/channels`, from('203.0.113.9'), IN_FLIGHT, IN_FLIGHT)
        .statuses
      return !seen.has(503)
    })
    const { statuses } = flood(`${product.learning}/api/channels`, from('203.0.113.9'), IN_FLIGHT, 1_000)
    assert.deepEqual([...(await statuses)], [[200, 1_000]])
  })
})
