import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog, pushTime, rateOf, readLog } from './sliding-log.ts'

const W = 60_000
const B = 5_000

/** The definition taken literally: it counts over the whole history and keeps no state but the admission times. */
function admits(history: readonly number[], limit: number, t: number): boolean {
  const K = Math.ceil((2 * limit * B) / W)
  const E = Math.ceil((limit * B) / W)
  const c = history.filter((ts) => ts > t - W && ts <= t).length
  const b = history.filter((ts) => ts > t - B && ts <= t).length
  return c < limit || (c < limit + E && b < K)
}

/** The first moment from `t` on that admits if there are no other requests: only an expiry can change the result. */
function firstAdmission(history: readonly number[], limit: number, t: number): number {
  const departures = history.flatMap((ts) => [ts + B, ts + W]).filter((moment) => moment > t)
  return [t, ...departures.sort((a, b) => a - b)].find((moment) => admits(history, limit, moment)) ?? NaN
}

describe('the sliding log', () => {
  for (const [limit, k, e] of [
    [60, 10, 5],
    [100, 17, 9],
    [10, 2, 1],
    [1, 1, 1],
  ] as const)
    test(`N = ${limit} has K = ${k} and E = ${e}`, () => {
      assert.deepEqual(rateOf(limit), { n: limit, w: W, b: B, k, e })
    })

  test('judges 100,000 random schedules as the definition does', () => {
    const random = seeded(20_260_101)
    for (let schedule = 0; schedule < 100_000; schedule++) {
      const limit = 1 + Math.floor(random() * 14)
      const rate = rateOf(limit)
      const log = createLog()
      const history: number[] = []
      let now = Math.floor(random() * 1e6)
      const steps = limit + 12
      const pace = (1.5 * W) / steps
      for (let step = 0; step < steps; step++) {
        const expected = firstAdmission(history, limit, now)
        const { count, wait, reset } = readLog(log, rate, now)
        const live = history.filter((ts) => ts > now - W)
        const isRight =
          now + wait === expected && count === live.length && now + reset === (live[0] ?? now) + W
        if (!isRight) assert.fail(`N = ${limit}, ${history.join(' ')}, at ${now}: ${count} ${wait} ${reset}`)
        if (wait === 0) {
          history.push(now)
          pushTime(log, now)
        }
        now += nextGap(random, pace, wait)
      }
    }
  })

  test('admits between N and N + E per minute at double rate', () => {
    const rate = rateOf(60)
    const log = createLog()
    const admitted: number[] = []
    for (let now = 0; now < 10 * W; now += 500) {
      const { count, wait } = readLog(log, rate, now)
      assert.ok(wait === 0 || count >= 60)
      if (wait > 0) continue
      pushTime(log, now)
      admitted.push(now)
    }
    for (const end of admitted) assert.ok(admitted.filter((ts) => ts > end - W && ts <= end).length <= 65)
  })

  test('judges 2.4 million admissions exactly and frees their memory', () => {
    const rate = rateOf(1_000_000_000)
    const log = createLog()
    const perMs = 40
    for (let now = 0; now < 1.5 * W; now++)
      for (let i = 0; i < perMs; i++) {
        assert.equal(readLog(log, rate, now).wait, 0)
        pushTime(log, now)
      }
    assert.equal(log.count, perMs * W)
    readLog(log, rate, 3 * W)
    assert.deepEqual([log.count, log.times.length], [0, 4])
  })
})

/** Bursts, a rate near the limit, and the moments around the last reported wait. */
function nextGap(random: () => number, pace: number, wait: number): number {
  const kind = random()
  if (wait > 0 && kind < 0.3) return wait
  if (wait > 1 && kind < 0.5) return wait - 1
  if (kind < 0.6) return Math.floor(random() * 3)
  if (kind < 0.9) return Math.floor(random() * 2 * pace)
  return Math.floor(random() * 2 * W)
}

/** mulberry32: a fixed seed makes a failure reproducible. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
