import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '#testing/eventually.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { testsWith } from '#testing/programs.ts'
import { type RedisServer, startRedis } from '#testing/redis.ts'

const withRedis = testsWith('redis-server or valkey-server', 'the limits of a whole program')
const LIMIT = 40
const PACE_MS = 5
/** ⌈40·5/60⌉ more may pass while the last five seconds are quiet (architecture: exact sliding log). */
const EXTRA = 4

withRedis.describe('limits of the running program while Redis fails under load', () => {
  const { before, after, test } = withRedis
  let dataDir: string
  let redis: RedisServer
  let product: Product
  before(async () => {
    dataDir = newDataDir()
    redis = await startRedis()
    product = await startProduct(dataDir, { REDIS_URL: redis.url, RATE_LIMIT_DEFAULT: String(LIMIT) })
  })
  after(async () => {
    await product.end()
    await redis.close()
    removeDataDir(dataDir)
  })

  test('hold in every minute without 5xx, and no answer waits for Redis', async () => {
    const headers = await adminHeaders(product)
    const statuses = new Map<number, number>()
    let isRunning = true
    const callers = Array.from({ length: 8 }, async () => {
      while (isRunning) {
        const { status } = await call(`${product.learning}/api/channels`, { headers })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        await pause(PACE_MS)
      }
    })
    const answered = async () => {
      const count = () => [...statuses.values()].reduce((sum, one) => sum + one, 0)
      const before = count()
      await eventually(() => count() >= before + 40)
    }
    // Each of the three services has a link of its own to the store.
    const SERVICES = 3
    const told = (what: string) => product.log().split(`shared store of rate limits ${what}`).length - 1
    const haveReturned = (times: number) =>
      eventually(
        () => told('answers again'),
        (count) => count === times,
      )
    const haveFailed = (times: number) =>
      eventually(
        () => told('fails'),
        (count) => count === times,
      )
    await answered()
    await redis.kill()
    await answered()
    await redis.restart() // empty: its count of us is gone, ours is not
    await haveReturned(SERVICES)
    await answered()
    redis.stop()
    await answered()
    // Only a link that is asked notices that the store stands still.
    await haveFailed(SERVICES + 1)
    redis.continue()
    await haveReturned(SERVICES + 1)
    await answered()
    await eventually(() => (statuses.get(429) ?? 0) > 100)
    isRunning = false
    await Promise.all(callers)

    assert.deepEqual(
      [...statuses.keys()].toSorted((a, b) => a - b),
      [200, 429],
    )
    const admitted = statuses.get(200) ?? 0
    assert.ok(
      admitted >= LIMIT && admitted <= LIMIT + EXTRA,
      `${admitted} of at most ${LIMIT + EXTRA} were let in`,
    )
  })

  test('a refusal names the limit and when to retry', async () => {
    const headers = await adminHeaders(product)
    const { status, headers: answer, body } = await call(`${product.learning}/api/channels`, { headers })
    assert.equal(status, 429)
    assert.ok(Number(answer.get('retry-after')) >= 1 && Number(answer.get('retry-after')) <= 60)
    assert.match(answer.get('ratelimit-policy') ?? '', new RegExp(`q=${LIMIT};w=60`))
    assert.deepEqual(Object.keys(body), ['detail'])
  })
})

describe('limits of the cached feed', () => {
  const dataDir = newDataDir()
  let product: Product
  before(async () => {
    product = await startProduct(dataDir, { RATE_LIMIT_DEFAULT: String(LIMIT) })
  })
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })

  test('count per address for every way it is answered', async () => {
    const headers = await adminHeaders(product)
    const body = {
      title: 'Fed',
      episodes: [{ title: 'One', video: { url: 'https://media.example.org/1.mp4' } }],
    }
    const { body: channel } = await call(`${product.learning}/api/channels`, { headers, body })
    const address = `${product.learning}/api/device/feed/${String(channel['id'])}`
    const statuses: number[] = []
    let etag = ''
    for (let n = 0; n < LIMIT + 10; n++) {
      const reply = await fetch(n % 3 === 0 ? `${address}?page=1` : address, {
        headers: n % 3 === 1 ? { 'if-none-match': etag } : {},
      })
      await reply.arrayBuffer()
      if (reply.status === 200) etag = reply.headers.get('etag') ?? ''
      statuses.push(reply.status)
      assert.match(reply.headers.get('ratelimit-policy') ?? '', new RegExp(`q=${LIMIT};w=60`))
    }
    assert.equal(statuses.filter((status) => status !== 429).length, LIMIT)
    assert.deepEqual(new Set(statuses), new Set([200, 304, 429]))
    assert.equal(statuses.at(-1), 429)
  })
})
