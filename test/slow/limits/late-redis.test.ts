import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createLog } from '#foundation/log.ts'
import { createLimiter, type Limiter } from '#foundation/rate-limit/limiter.ts'
import { eventually } from '#testing/eventually.ts'
import { testsWith } from '#testing/programs.ts'
import { type RedisServer, startRedis } from '#testing/redis.ts'

const { after, afterEach, before, describe, test } = testsWith(
  'redis-server or valkey-server',
  'the shared limits',
)
const log = createLog('silent')
const N = 60
/** A hit waits so long for an answer that is kept back; the store is lost after twenty times that. */
const PATIENCE = 250
let redis: RedisServer
let relay: Awaited<ReturnType<typeof openRelay>>
/** A node whose answers of Redis can be kept back, and one that reaches Redis at once. */
let far: Limiter, near: Limiter
let keys = 0
const aBucket = () => ({ name: 'site', key: `late-${++keys}`, limit: N })

before(async () => {
  redis = await startRedis()
  relay = await openRelay(Number(new URL(redis.url).port))
  far = createLimiter({
    service: 'sso',
    redisUrl: `redis://127.0.0.1:${relay.port}`,
    log,
    patience: PATIENCE,
  })
  near = createLimiter({ service: 'sso', redisUrl: redis.url, log, patience: PATIENCE })
  await eventually(() => far.state() === 'redis' && near.state() === 'redis')
})
afterEach(() => relay.release())
after(async () => {
  await far?.close()
  await near?.close()
  relay?.close()
  await redis?.close()
})

describe('a node whose shared store answers late', () => {
  test('admits nothing of a limit that others have used up', async () => {
    const bucket = aBucket()
    for (let i = 0; i < N; i++) assert.ok((await near.hit([bucket])).admitted)
    assert.equal((await far.hit([bucket])).admitted, false)
    relay.hold()
    const late = await Promise.all(Array.from({ length: N }, async () => far.hit([bucket])))
    assert.equal(late.filter(({ admitted }) => admitted).length, 0)
    assert.ok(late.every(({ retryAfter }) => retryAfter >= 1))
  })

  test('goes on from the shared count, without a burst', async () => {
    const bucket = aBucket()
    for (let i = 0; i < N - 10; i++) assert.ok((await near.hit([bucket])).admitted)
    assert.ok((await far.hit([bucket])).admitted)
    relay.hold()
    const late = await Promise.all(Array.from({ length: N }, async () => far.hit([bucket])))
    assert.equal(late.filter(({ admitted }) => admitted).length, 9)
  })

  test('has its hits counted in the store, and trusts the store still', async () => {
    const bucket = aBucket()
    assert.ok((await far.hit([bucket])).admitted)
    relay.hold()
    const late = await Promise.all(Array.from({ length: 9 }, async () => far.hit([bucket])))
    assert.ok(late.every(({ admitted }) => admitted))
    assert.equal(far.state(), 'redis')
    for (let i = 0; i < N - 10; i++) assert.ok((await near.hit([bucket])).admitted)
    assert.equal((await near.hit([bucket])).admitted, false)
  })

  test('learns from answers that come late', async () => {
    const bucket = aBucket()
    relay.hold()
    assert.ok((await far.hit([bucket])).admitted)
    for (let i = 0; i < N - 1; i++) assert.ok((await near.hit([bucket])).admitted)
    await far.hit([bucket])
    relay.release()
    // Answers keep their order.
    await far.peek([aBucket()])
    relay.hold()
    assert.equal((await far.hit([bucket])).admitted, false)
  })
})

/** Passes everything on to `target`, and keeps back what `target` says while it holds. */
async function openRelay(target: number) {
  const kept: (() => void)[] = []
  const sockets = new Set<Socket>()
  let isHolding = false
  const server = createServer((client) => {
    const store = connect(target, '127.0.0.1')
    for (const one of [client, store]) sockets.add(one.on('error', () => {}))
    client.on('data', (data) => store.write(data)).on('close', () => store.destroy())
    const pass = (data: Buffer) => client.write(data)
    store.on('data', (data) => (isHolding ? kept.push(() => pass(data)) : pass(data)))
    store.on('close', () => client.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    hold: () => void (isHolding = true),
    release() {
      isHolding = false
      for (const one of kept.splice(0)) one()
    },
    close() {
      server.close()
      for (const one of sockets) one.destroy()
    },
  }
}
