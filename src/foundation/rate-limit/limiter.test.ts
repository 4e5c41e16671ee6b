import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog as createLogger } from '../log.ts'
import { type Bucket, createLimiter, rateLimitHeaders, type Verdict } from './limiter.ts'
import { createMemoryStore } from './memory-store.ts'

const log = createLogger('silent')

/** An in-memory limiter whose clock the test controls. */
function aLimiter() {
  const time = { now: 1_000_000.25 }
  const limiter = createLimiter({ service: 'sso', log, monotonic: () => time.now })
  const hit = (...buckets: Bucket[]): Verdict => {
    const verdict = limiter.hit(buckets)
    assert.ok(!(verdict instanceof Promise), 'memory answers at once')
    return verdict
  }
  return { hit, time, limiter }
}

const site = (key: string, limit = 60): Bucket => ({ name: 'site', key, limit })
const auth = (key: string, limit = 10): Bucket => ({ name: 'auth', key, limit })

describe('the limiter in memory', () => {
  test('admits 60 at full speed and refuses the 61st', () => {
    const { hit } = aLimiter()
    for (let i = 0; i < 60; i++) assert.equal(hit(site('a')).admitted, true)
    assert.equal(hit(site('a')).admitted, false)
    assert.equal(hit(site('b')).admitted, true)
  })

  test('admits exactly at Retry-After, not 1 ms before', () => {
    const { hit, time } = aLimiter()
    for (let i = 0; i < 60; i++) hit(site('a'))
    // Ten in the last 5 s are twice the rate: the burst opens when the tenth-last one is 5 s old.
    assert.equal(hit(site('a')).retryAfter, 5)
    time.now += 4_999
    assert.deepEqual([hit(site('a')).admitted, hit(site('a')).retryAfter], [false, 1])
    time.now += 1
    for (let i = 0; i < 5; i++) assert.equal(hit(site('a')).admitted, true)
    const refused = hit(site('a'))
    assert.deepEqual([refused.admitted, refused.retryAfter], [false, 55])
    time.now += 54_999
    assert.equal(hit(site('a')).admitted, false)
    time.now += 1
    assert.equal(hit(site('a')).admitted, true)
  })

  test('records nothing when one bucket refuses, and names the longest wait', () => {
    const { hit, time } = aLimiter()
    for (let i = 0; i < 10; i++) hit(auth('1.2.3.4'))
    time.now += 2_000
    for (let i = 0; i < 60; i++) hit(site('a'))
    const refused = hit(site('a'), auth('1.2.3.4'), site('b'))
    assert.deepEqual([refused.admitted, refused.retryAfter], [false, 5])
    assert.deepEqual(
      refused.buckets.map(({ remaining }) => remaining),
      [0, 0, 60],
    )
    assert.equal(hit(site('b')).buckets[0]?.remaining, 59)
  })

  test('refused hits do not extend the refusal', () => {
    const { hit, time } = aLimiter()
    for (let i = 0; i < 11; i++) hit(auth('a'))
    for (let i = 0; i < 1_000; i++) assert.equal(hit(auth('a')).admitted, false)
    time.now += 5_000
    assert.equal(hit(auth('a')).admitted, true)
  })

  test('ignores a limit of 0, which sends no header', () => {
    const { hit } = aLimiter()
    for (let i = 0; i < 1_000; i++)
      assert.deepEqual(hit(site('a', 0)), { admitted: true, retryAfter: 0, buckets: [] })
    assert.deepEqual(rateLimitHeaders(hit(site('a', 0))), {})
    assert.equal(hit(site('a', 0), auth('a')).buckets.length, 1)
  })

  test('ten an hour remain ten an hour', () => {
    const { hit, time } = aLimiter()
    const upload: Bucket = { name: 'upload', key: 'anna', limit: 10, window: 3_600 }
    for (let i = 0; i < 10; i++) assert.equal(hit(upload).admitted, true)
    assert.equal(hit(upload).admitted, false)
    time.now += 3_599_999
    // Eleven in all: the burst of one has been open since the sixth second.
    assert.deepEqual([hit(upload).admitted, hit(upload).admitted], [true, false])
    time.now += 1
    assert.equal(hit(upload).admitted, true)
  })

  test('sends the draft headers, one member per bucket', () => {
    const { hit, time } = aLimiter()
    hit(site('a'), auth('x', 1))
    time.now += 1_500
    assert.deepEqual(rateLimitHeaders(hit(site('a'))), {
      'ratelimit-policy': '"site";q=60;w=60',
      ratelimit: '"site";r=58;t=59',
    })
    assert.deepEqual(rateLimitHeaders(hit(site('a'), auth('x', 1))), {
      'ratelimit-policy': '"site";q=60;w=60, "auth";q=1;w=60',
      ratelimit: '"site";r=58;t=59, "auth";r=0;t=59',
      'retry-after': '4',
    })
  })

  test('keeps state per instance and closes without work', async () => {
    const { limiter } = aLimiter()
    assert.equal(limiter.state(), 'memory')
    await limiter.close()
  })
})

describe('the keys in memory', () => {
  const bucket = (key: string, limit = 3): Bucket => ({ name: 'auth', key, limit })

  function aStore(capacity: number) {
    const store = createMemoryStore(capacity)
    const time = { now: 0 }
    const hit = (key: string, limit?: number) => {
      const places = store.look([bucket(key, limit)], time.now)
      if (places.some(({ wait }) => wait > 0)) return false
      store.record(places, time.now)
      return true
    }
    const countOf = (key: string) => store.look([bucket(key)], time.now)[0]?.count
    return { store, time, hit, countOf }
  }

  test('are bounded, and the longest idle one leaves', () => {
    const { store, hit, countOf } = aStore(100)
    for (let i = 0; i < 100; i++) hit(`k${i}`)
    hit('k0')
    for (let i = 0; i < 50; i++) hit(`new${i}`)
    assert.equal(store.size(), 100)
    assert.deepEqual([countOf('k0'), countOf('k1'), countOf('k50'), countOf('k51')], [2, 0, 0, 1])
  })

  test('at their limit survive a flood of new ones', () => {
    const { store, hit, countOf } = aStore(100)
    for (let i = 0; i < 300; i++) for (let n = 0; n < 3; n++) hit(`full${i}`)
    for (let i = 0; i < 10_000; i++) hit(`fresh${i}`)
    for (let i = 0; i < 300; i++) assert.equal(hit(`full${i}`), false)
    assert.equal(store.size(), 400)
    assert.deepEqual([countOf('fresh9900'), countOf('fresh9899')], [1, 0])
    assert.deepEqual([hit('fresh9999'), hit('fresh9999'), hit('fresh9999')], [true, true, false])
  })

  test('expire before others leave, also at their limit', () => {
    const { store, time, hit, countOf } = aStore(100)
    for (let i = 0; i < 200; i++) for (let n = 0; n < 3; n++) hit(`full${i}`)
    for (let i = 0; i < 60; i++) hit(`old${i}`)
    time.now = 30_000
    for (let i = 0; i < 40; i++) hit(`young${i}`)
    time.now = 60_000
    for (let i = 0; i < 60; i++) hit(`fresh${i}`)
    assert.deepEqual([countOf('young0'), countOf('old0')], [1, 0])
    for (let i = 0; i < 100; i++) hit(`more${i}`)
    assert.ok(store.size() <= 100, `${store.size()} keys`)
  })

  test('of one bucket never displace those of another', () => {
    const store = createMemoryStore(10)
    const user = [{ name: 'user', key: 'anna', limit: 60 }]
    store.record(store.look(user, 0), 0)
    for (let i = 0; i < 1_000; i++) store.record(store.look([bucket(`k${i}`)], 0), 0)
    assert.equal(store.look(user, 0)[0]?.count, 1)
    assert.equal(store.size(), 11)
  })
})
