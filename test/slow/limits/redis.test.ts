import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLog as createLogger } from '#foundation/log.ts'
import { type Bucket, createLimiter, type Limiter } from '#foundation/rate-limit/limiter.ts'
import { createMemoryStore } from '#foundation/rate-limit/memory-store.ts'
import { STORE_OPTIONS } from '#foundation/rate-limit/shared-link.ts'
import { SCRIPT } from '#foundation/rate-limit/shared-store.ts'
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

async function aLimiter(service = 'sso'): Promise<Limiter> {
  const limiter = createLimiter({ service, redisUrl: redis.url, log })
  leftOpen.push(limiter)
  await until(() => limiter.state() === 'redis', 3_000)
  return limiter
}

async function until(isTrue: () => boolean, ms: number) {
  for (const end = performance.now() + ms; !isTrue(); await sleep(5))
    if (performance.now() > end) throw new Error(`not true within ${ms} ms: ${isTrue.toString()}`)
}

/** Starts all calls before the first one ends. */
function atOnce<T>(count: number, start: (i: number) => T | Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, async (_, i) => start(i)))
}

describe('the shared store', () => {
  test('gets the fixed settings', () => {
    const { enableOfflineQueue, maxRetriesPerRequest, commandTimeout, connectTimeout } = STORE_OPTIONS
    assert.deepEqual(
      { enableOfflineQueue, maxRetriesPerRequest, commandTimeout, connectTimeout },
      { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 1_000, connectTimeout: 500 },
    )
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
    const [one, two] = [await aLimiter(), await aLimiter()]
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
    const limiter = await aLimiter()
    const [tight, wide] = [aBucket(1, { name: 'auth' }), aBucket(N)]
    await limiter.hit([tight])
    for (let i = 0; i < 20; i++) assert.equal((await limiter.hit([tight, wide])).admitted, false)
    assert.equal((await limiter.hit([wide])).buckets[0]?.remaining, N - 1)
  })

  test('shares buckets between services and ignores a limit of 0', async () => {
    const [sso, learning] = [await aLimiter('sso'), await aLimiter('learning')]
    const bucket = aBucket(1)
    assert.deepEqual(
      [(await sso.hit([bucket])).admitted, (await learning.hit([bucket])).admitted],
      [true, true],
    )
    assert.deepEqual(await sso.hit([aBucket(0)]), { admitted: true, retryAfter: 0, buckets: [] })
  })

  test('sends a Retry-After that admits, across processes', async () => {
    const [one, two] = [await aLimiter(), await aLimiter()]
    // N = 2 in six seconds, so K = 4 and E = 2: four pass at once, the fifth waits until the first expires.
    const bucket = aBucket(2, { name: 'short', window: 6 })
    const first = performance.now()
    for (const limiter of [one, two, one, two]) assert.equal((await limiter.hit([bucket])).admitted, true)
    const refused = await one.hit([bucket])
    assert.deepEqual([refused.admitted, refused.retryAfter], [false, 6])
    while (performance.now() - first < 5_900) {
      assert.equal((await two.hit([bucket])).admitted, false)
      await sleep(100)
    }
    await sleep(first + 6_060 - performance.now())
    assert.equal((await two.hit([bucket])).admitted, true)
  })
})

/** Hits `bucket` from 20 callers at once until it is closed. */
function load(limiter: Limiter, bucket: Bucket) {
  const seen = { admitted: 0, refused: 0, slowest: 0, faults: [] as unknown[] }
  let isClosed = false
  async function caller() {
    while (!isClosed) {
      const start = performance.now()
      try {
        if ((await limiter.hit([bucket])).admitted) seen.admitted++
        else seen.refused++
      } catch (error) {
        seen.faults.push(error)
      }
      seen.slowest = Math.max(seen.slowest, performance.now() - start)
      await sleep(5)
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

/** Each fault with its end, and whether hits must degrade. A run is shorter than a window, so at most N + E may pass. */
const FAULTS: [what: string, degrades: boolean, fault: () => Promise<void>][] = [
  [
    'is killed and comes back empty',
    true,
    async () => {
      await redis.kill()
      await sleep(1_000)
      await redis.restart()
    },
  ],
  ['is restarted empty within a moment', true, () => redis.restart()],
  [
    'is stopped and goes on',
    true,
    async () => {
      redis.stop()
      await sleep(1_500)
      redis.continue()
    },
  ],
  [
    'is paused',
    true,
    async () => {
      assert.equal(await redis.command('CLIENT PAUSE 1500 ALL'), '+OK')
      await sleep(1_500)
    },
  ],
  [
    'refuses every write',
    true,
    async () => {
      assert.equal(await redis.command('CONFIG SET maxmemory 1'), '+OK')
      await sleep(1_000)
      assert.equal(await redis.command('CONFIG SET maxmemory 0'), '+OK')
    },
  ],
  [
    'drops every connection',
    true,
    async () => {
      assert.match(await redis.command('CLIENT KILL TYPE normal'), /^:[1-9]/)
    },
  ],
  [
    'loses its data without losing a connection',
    false,
    async () => {
      assert.equal(await redis.command('FLUSHALL'), '+OK')
    },
  ],
  [
    'forgets its scripts',
    false,
    async () => {
      assert.equal(await redis.command('SCRIPT FLUSH'), '+OK')
    },
  ],
]

describe('when the shared store', () => {
  for (const [what, degrades, fault] of FAULTS)
    test(`${what}, limits hold and no hit fails or waits`, { timeout: 30_000 }, async () => {
      const limiter = await aLimiter()
      using loop = monitorEventLoopDelay({ resolution: 5 })
      loop.enable()
      const [used, writing] = [load(limiter, aBucket()), load(limiter, aBucket(1_000_000))]
      const half = aBucket()
      for (let i = 0; i < N / 2; i++) await limiter.hit([half])
      const fresh = load(limiter, aBucket())
      const states = new Set<string>()
      const watch = setInterval(() => states.add(limiter.state()), 1).unref()
      await fault()
      await sleep(100)
      await until(() => limiter.state() === 'redis', 6_000)
      await sleep(300)
      clearInterval(watch)
      await Promise.all([used.close(), fresh.close(), writing.close()])
      if (degrades) assert.ok(states.has('degraded'), 'the fault was felt')
      for (const { seen } of [used, fresh]) {
        assert.ok(seen.admitted >= N && seen.admitted <= N + E, `${seen.admitted} admitted`)
        assert.ok(seen.refused > 100)
      }
      assert.equal(writing.seen.refused, 0)
      // The deadline of 50 ms, plus the time this machine delayed the process.
      const most = 60 + loop.max / 1e6
      for (const { seen } of [used, fresh, writing]) {
        assert.deepEqual(seen.faults, [])
        assert.ok(seen.slowest < most, `an answer took ${seen.slowest} of ${most} ms`)
      }
      // Half a quota used before the fault leaves half a quota after it, even when all of it is requested at once.
      const rest = await atOnce(N, () => limiter.hit([half]))
      assert.equal(rest.filter(({ admitted }) => admitted).length, N / 2)
    })

  test('returns empty, a hit refused in memory is recorded nowhere', async () => {
    const limiter = await aLimiter()
    const bucket = aBucket()
    await atOnce(N, () => limiter.hit([bucket]))
    const list = `{sso}:site:${bucket.key}`
    assert.equal(await redis.command(`LLEN ${list}`), `:${N}`)
    await redis.command('FLUSHALL')
    for (let i = 0; i < 20; i++) {
      const { admitted, retryAfter } = await limiter.hit([bucket])
      assert.deepEqual([admitted, retryAfter], [false, 5])
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

  test('fails, no hit is sent before a successful probe', { timeout: 15_000 }, async () => {
    const limiter = await aLimiter()
    redis.stop()
    await limiter.hit([aBucket()])
    await until(() => limiter.state() === 'degraded', 5_000)
    redis.continue()
    const lost = performance.now()
    while (performance.now() - lost < 1_800) {
      assert.ok(!(limiter.hit([aBucket()]) instanceof Promise), 'memory answers at once')
      await sleep(20)
    }
    await until(() => limiter.state() === 'redis', 1_500)
  })

  for (const [state, prepare] of [
    ['answers', async () => {}],
    ['is stopped', async () => redis.stop()],
    ['is dead', () => redis.kill()],
  ] as const)
    test(`${state}, a closed limiter keeps no process alive`, { timeout: 15_000 }, async () => {
      const program = `
        import { createLimiter } from '#foundation/rate-limit/limiter.ts'
        import { createLog } from '#foundation/log.ts'
        const limiter = createLimiter({ service: 'sso', redisUrl: '${redis.url}', log: createLog('silent') })
        process.stdin.once('data', async () => {
          const verdict = limiter.hit([{ name: 'site', key: 'exit', limit: 9 }])
          await limiter.close()
          if (!(await verdict).admitted) process.exit(3)
        })
        setTimeout(() => console.log(limiter.state()), 400)`
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
        cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      })
      try {
        await once(child.stdout, 'data')
        await prepare()
        await sleep(50)
        const exit = once(child, 'exit')
        const asked = performance.now()
        child.stdin.end('close\n')
        assert.deepEqual(await exit, [0, null])
        assert.ok(performance.now() - asked < 1_500)
      } finally {
        child.kill('SIGKILL')
        redis.continue()
        await redis.restart()
      }
    })
})
