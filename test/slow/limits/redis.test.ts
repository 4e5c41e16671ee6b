import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLog as createLogger } from '#foundation/log.ts'
import { type Bucket, createLimiter, type Limiter } from '#foundation/rate-limit/limiter.ts'
import { createMemoryStore } from '#foundation/rate-limit/memory-store.ts'
import { STORE_OPTIONS } from '#foundation/rate-limit/shared-link.ts'
import { SCRIPT } from '#foundation/rate-limit/shared-store.ts'
import { eventually } from '#testing/eventually.ts'
import { testsWith } from '#testing/programs.ts'
import { type RedisServer, startRedis } from '#testing/redis.ts'
import { Redis } from 'ioredis'

const { after, afterEach, before, describe, test } = testsWith(
  'redis-server or valkey-server',
  'the shared limits',
)
const log = createLogger('silent')
const N = 60
const E = 5
/** For tests of a store that works: a busy machine makes none of its answers late. */
const PATIENCE = 1_500
/** Between two hits of a caller, so that the others and the store have their turn. */
const PACE_MS = 5
/** Between two questions of somebody who waits for seconds. */
const STEP_MS = 100
let redis: RedisServer
let keys = 0

before(async () => void (redis = await startRedis()))
after(() => redis.close())

/** Resources to close, even when a test fails. */
const leftOpen: { close(): unknown }[] = []
afterEach(async () => {
  redis.continue()
  for (const one of leftOpen.splice(0)) await one.close()
})

/** A bucket with a unique key. */
const aBucket = (limit = N, more: Partial<Bucket> = {}): Bucket => ({
  name: 'site',
  key: `key-${++keys}`,
  limit,
  ...more,
})

async function aLimiter(service = 'sso', patience?: number): Promise<Limiter> {
  const limiter = createLimiter({ service, redisUrl: redis.url, log, patience })
  leftOpen.push(limiter)
  await eventually(() => limiter.state() === 'redis')
  return limiter
}

/** Starts all calls before the first one ends. */
function atOnce<T>(count: number, start: (i: number) => T | Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, async (_, i) => start(i)))
}

describe('the shared store', () => {
  test('gets the fixed settings', () => {
    const { enableOfflineQueue, maxRetriesPerRequest } = STORE_OPTIONS
    assert.deepEqual([enableOfflineQueue, maxRetriesPerRequest], [false, 0])
    const { commandTimeout, connectTimeout, disconnectTimeout } = STORE_OPTIONS
    assert.deepEqual([commandTimeout, connectTimeout, disconnectTimeout], [1_000, 500, 100])
  })

  test('judges random schedules over several buckets as in memory', async () => {
    const clockLine = "local t=redis.call('TIME'); local now=t[1]*1000+math.floor(t[2]/1000)"
    assert.equal(SCRIPT.split(clockLine).length, 2)
    const client = new Redis(redis.url)
    leftOpen.push({ close: () => client.disconnect() })
    client.defineCommand('hit', { lua: SCRIPT.replace(clockLine, 'local now=tonumber(ARGV[#ARGV-1])') })
    const memory = createMemoryStore()
    let seed = 20_260_102
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    let refused = 0
    let admitted = 0
    for (let schedule = 0; schedule < 150; schedule++) {
      const pool = [1, 2, 3].map(() => aBucket(1 + random(14)))
      // Each name has one limit, as in the services.
      for (const bucket of pool) bucket.name = `limit-${bucket.limit}`
      let now = 1_700_000_000_000 + random(1e9)
      for (let step = 0; step < 40; step++) {
        const buckets = pool.slice(0, 1 + random(3))
        const places = memory.look(buckets, now)
        const admits = places.every(({ wait }) => wait === 0)
        const rates = places.flatMap(({ rate: { n, w, b, k, e } }) => [n, w, b, k, e])
        const mayRecord = random(8) > 0
        const names = buckets.map(({ name, key }) => `{equal}:${name}:${key}`)
        const answer = await client.hit(names.length, ...names, ...rates, now, mayRecord ? 1 : 0)
        assert.deepEqual(answer, [
          admits ? 1 : 0,
          places.map(({ count, wait, reset }) => [count, wait, reset]),
        ])
        if (admits && mayRecord) memory.record(places, now)
        if (admits) admitted++
        else refused++
        const longest = Math.max(...places.map(({ wait }) => wait))
        const kind = random(10)
        if (longest > 0 && kind < 3) now += longest
        else if (longest > 0 && kind < 5) now += longest - 1
        else if (kind < 7) now += random(3)
        else now += random(20_000)
      }
    }
    assert.ok(refused > 500 && admitted > 500, `${refused} refused, ${admitted} admitted`)
  })

  test('admits 50 concurrent hits of two processes like one', async () => {
    const [one, two] = [await aLimiter('sso', PATIENCE), await aLimiter('sso', PATIENCE)]
    for (const limit of [10, 30, 50]) {
      const bucket = aBucket(limit)
      const verdicts = await atOnce(50, (i) => (i % 2 ? one : two).hit([bucket]))
      assert.equal(verdicts.filter(({ admitted }) => admitted).length, limit)
      assert.deepEqual(
        verdicts
          .filter(({ admitted }) => admitted)
          .map(({ buckets }) => buckets[0]?.remaining)
          .toSorted((a = 0, b = 0) => a - b),
        Array.from({ length: limit }, (_, left) => left),
      )
    }
  })

  test('records a refused request in no bucket', async () => {
    const limiter = await aLimiter('sso', PATIENCE)
    const [tight, wide] = [aBucket(1, { name: 'auth' }), aBucket(N)]
    await limiter.hit([tight])
    for (let i = 0; i < 20; i++) assert.equal((await limiter.hit([tight, wide])).admitted, false)
    assert.equal((await limiter.hit([wide])).buckets[0]?.remaining, N - 1)
  })

  test('shares buckets between services and ignores a limit of 0', async () => {
    const [sso, learning] = [await aLimiter('sso', PATIENCE), await aLimiter('learning', PATIENCE)]
    const bucket = aBucket(1)
    assert.deepEqual(
      [(await sso.hit([bucket])).admitted, (await learning.hit([bucket])).admitted],
      [true, true],
    )
    assert.deepEqual(await sso.hit([aBucket(0)]), { admitted: true, retryAfter: 0, buckets: [] })
  })

  test('sends a Retry-After that admits, across processes', async () => {
    const [one, two] = [await aLimiter('sso', PATIENCE), await aLimiter('sso', PATIENCE)]
    // N = 2 in six seconds, so K = 4 and E = 2: four pass at once, the fifth waits until the first expires.
    const bucket = aBucket(2, { name: 'short', window: 6 })
    const begun = performance.now()
    assert.equal((await one.hit([bucket])).admitted, true)
    const first = performance.now()
    for (const limiter of [two, one, two]) assert.equal((await limiter.hit([bucket])).admitted, true)
    for (;;) {
      const asked = performance.now()
      const { admitted, retryAfter } = await two.hit([bucket])
      if (admitted) break
      // Whoever waits as long as they were told is let in.
      assert.ok(
        asked < first + 6_060 && performance.now() + 1_000 * retryAfter >= begun + 5_990,
        `${retryAfter} s`,
      )
      await pause(STEP_MS)
    }
    assert.ok(performance.now() >= begun + 5_990)
  })
})

/** Hits `bucket` from 20 callers at once until it is closed. */
function load(limiter: Limiter, bucket: Bucket) {
  const seen = { admitted: 0, refused: 0, faults: [] as unknown[] }
  let isClosed = false
  async function caller() {
    while (!isClosed) {
      try {
        if ((await limiter.hit([bucket])).admitted) seen.admitted++
        else seen.refused++
      } catch (error) {
        seen.faults.push(error)
      }
      await pause(PACE_MS)
    }
  }
  const callers = Promise.all(Array.from({ length: 20 }, caller))
  const close = async () => {
    isClosed = true
    await callers
  }
  leftOpen.unshift({ close })
  return { seen, close }
}

const ok = async (command: string) => assert.equal(await redis.command(command), '+OK')
const nothing = async () => {}
/**
 * Each fault with its end, and whether hits must degrade: then it ends once they do. A run is shorter than a window, so
 * at most N + E may pass.
 */
const FAULTS: [what: string, degrades: boolean, fault: () => Promise<void>, end: () => Promise<void>][] = [
  ['is killed and comes back empty', true, () => redis.kill(), () => redis.restart()],
  ['is restarted empty within a moment', true, () => redis.restart(), nothing],
  ['is stopped and goes on', true, async () => redis.stop(), async () => redis.continue()],
  ['is paused', true, () => ok('CLIENT PAUSE 1500 ALL'), nothing],
  ['refuses every write', true, () => ok('CONFIG SET maxmemory 1'), () => ok('CONFIG SET maxmemory 0')],
  [
    'drops every connection',
    true,
    async () => assert.match(await redis.command('CLIENT KILL TYPE normal'), /^:[1-9]/),
    nothing,
  ],
  ['loses its data without losing a connection', false, () => ok('FLUSHALL'), nothing],
  ['forgets its scripts', false, () => ok('SCRIPT FLUSH'), nothing],
]

describe('when the shared store', () => {
  for (const [what, degrades, fault, end] of FAULTS)
    test(`${what}, limits hold and no hit fails or waits`, async () => {
      const limiter = await aLimiter()
      const [used, writing] = [load(limiter, aBucket()), load(limiter, aBucket(1_000_000))]
      const half = aBucket()
      for (let i = 0; i < N / 2; i++) await limiter.hit([half])
      const fresh = load(limiter, aBucket())
      /** Every caller is answered again, whether the store is back or not: no hit waits for it. */
      const goOn = async () => {
        const before = writing.seen.admitted
        await eventually(() => writing.seen.admitted >= before + 60)
      }
      const felt = degrades ? eventually(() => limiter.state() === 'degraded') : nothing()
      await fault()
      await felt
      await goOn()
      await end()
      await eventually(() => limiter.state() === 'redis')
      await goOn()
      await eventually(() => used.seen.refused > 100 && fresh.seen.refused > 100)
      await Promise.all([used.close(), fresh.close(), writing.close()])
      for (const { seen } of [used, fresh]) {
        assert.ok(seen.admitted >= N && seen.admitted <= N + E, `${seen.admitted} admitted`)
      }
      assert.equal(writing.seen.refused, 0)
      for (const { seen } of [used, fresh, writing]) assert.deepEqual(seen.faults, [])
      // Half a quota used before the fault leaves half a quota after it, even when all of it is requested at once.
      const rest = await atOnce(N, () => limiter.hit([half]))
      assert.equal(rest.filter(({ admitted }) => admitted).length, N / 2)
    })

  test('returns empty, a hit refused in memory is recorded nowhere', async () => {
    const limiter = await aLimiter('sso', PATIENCE)
    const bucket = aBucket()
    await atOnce(N, () => limiter.hit([bucket]))
    const list = `{sso}:site:${bucket.key}`
    assert.equal(await redis.command(`LLEN ${list}`), `:${N}`)
    await redis.command('FLUSHALL')
    for (let i = 0; i < 20; i++) {
      const { admitted, retryAfter } = await limiter.hit([bucket])
      assert.equal(admitted, false)
      assert.ok(retryAfter >= 1 && retryAfter <= 5, `${retryAfter} s`)
    }
    assert.equal(await redis.command(`LLEN ${list}`), ':0')
  })

  test('is absent from the start, limits hold in memory', async () => {
    const limiter = createLimiter({ service: 'sso', redisUrl: 'redis://127.0.0.1:1', log })
    leftOpen.push(limiter)
    const bucket = aBucket()
    for (let i = 0; i < N; i++) {
      const verdict = limiter.hit([bucket])
      assert.ok(!(verdict instanceof Promise) && verdict.admitted)
    }
    assert.equal((await limiter.hit([bucket])).admitted, false)
    assert.equal(limiter.state(), 'degraded')
  })

  test('fails, no hit is sent before a successful probe', async () => {
    const limiter = await aLimiter()
    redis.stop()
    await limiter.hit([aBucket()])
    await eventually(() => limiter.state() === 'degraded')
    redis.continue()
    for (; limiter.state() === 'degraded'; await turn())
      assert.ok(!(limiter.hit([aBucket()]) instanceof Promise), 'memory answers at once')
    assert.equal(limiter.state(), 'redis')
  })

  for (const [state, prepare] of [
    ['answers', async () => {}],
    ['is stopped', async () => redis.stop()],
    ['is dead', () => redis.kill()],
  ] as const)
    test(`${state}, a closed limiter keeps no process alive`, async () => {
      const program = `
        import { createLimiter } from '#foundation/rate-limit/limiter.ts'
        import { createLog } from '#foundation/log.ts'
        const limiter = createLimiter({ service: 'sso', redisUrl: '${redis.url}', log: createLog('silent') })
        process.stdin.once('data', async () => {
          const verdict = limiter.hit([{ name: 'site', key: 'exit', limit: 9 }])
          await limiter.close()
          if (!(await verdict).admitted) process.exit(3)
        })
        const look = setInterval(() => {
          if (limiter.state() !== 'redis') return
          clearInterval(look)
          console.log('shared')
        }, 5)`
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
        cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      })
      try {
        await once(child.stdout, 'data')
        await prepare()
        const exit = once(child, 'exit')
        child.stdin.end('close\n')
        assert.deepEqual(await exit, [0, null])
      } finally {
        child.kill('SIGKILL')
        redis.continue()
        await redis.restart()
      }
    })
})
