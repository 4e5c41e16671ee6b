import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../log.ts'
import { createLimiter } from './limiter.ts'

const log = createLog('silent')

test('a limiter in memory costs the same with a thousand or two million hits', () => {
  const costOf = (size: number) => {
    const time = { now: 1_000_000.25 }
    const limiter = createLimiter({ service: 'sso', log, monotonic: () => time.now })
    const buckets = [{ name: 'site' as const, key: 'a', limit: 1_000_000_000 }]
    const run = (hits: number) => {
      const start = performance.now()
      for (let i = 0; i < hits; i++) {
        time.now += 60_000 / size
        void limiter.hit(buckets)
      }
      return performance.now() - start
    }
    run(Math.max(size, 100_000))
    // The best of eight rounds, because other load on the machine can slow some of them.
    return Math.min(...Array.from({ length: 8 }, () => run(100_000)))
  }
  const ratio = costOf(2_000_000) / costOf(1_000)
  assert.ok(ratio < 3, `${ratio.toFixed(1)} times`)
})
