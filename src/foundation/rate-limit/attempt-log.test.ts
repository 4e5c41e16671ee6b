import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog } from '../log.ts'
import { type AttemptKey, type AttemptRule, createAttemptLog } from './attempt-log.ts'
import { createAttemptMemory, pauseAfter } from './attempt-memory.ts'

const WINDOW = 900
const DOUBLING: AttemptRule = { limit: 5, window: WINDOW, pause: 'doubling' }
const CLOSED: AttemptRule = { limit: 10, window: WINDOW, pause: 'window' }

const aKey = (rule = DOUBLING, key = 'anna'): AttemptKey => ({ key, rule, isClearedBySuccess: true })

function aLog() {
  const time = { now: 50_000.5 }
  const log = createAttemptLog({ service: 'test', log: createLog('silent'), monotonic: () => time.now })
  const waitOf = async (...keys: AttemptKey[]) => {
    const turn = await log.begin(keys)
    return turn.isLetIn ? 0 : turn.wait
  }
  return { log, time, waitOf }
}

/** The rule taken literally, evaluated at every moment at which its result can change. */
function firstMoment(history: readonly number[], rule: AttemptRule, now: number): number {
  const isOpen = (t: number) => {
    const live = history.filter((time) => time > t - rule.window * 1_000)
    if (live.length < rule.limit) return true
    if (rule.pause === 'window') return false
    return t >= Math.max(...live) + Math.min(60, 2 ** (live.length - rule.limit)) * 1_000
  }
  const pauses = Array.from({ length: 8 }, (_, n) => Math.min(60, 2 ** n) * 1_000)
  const moments = history.flatMap((time) => [time + rule.window * 1_000, ...pauses.map((ms) => time + ms)])
  return [now, ...moments.filter((moment) => moment > now).toSorted((a, b) => a - b)].find(isOpen) ?? Infinity
}

describe('failed attempts', () => {
  test('pause for 1, 2, 4 … 60 s after five', async () => {
    const { time, waitOf } = aLog()
    for (let n = 0; n < 5; n++) assert.equal(await waitOf(aKey()), 0)
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      assert.equal(await waitOf(aKey()), seconds * 1_000)
      time.now += seconds * 1_000 - 1
      assert.equal(await waitOf(aKey()), 1)
      time.now += 1
      assert.equal(await waitOf(aKey()), 0)
    }
    assert.equal(await waitOf(aKey(DOUBLING, 'ben')), 0)
  })

  test('expire after 15 minutes each and shorten the pause', async () => {
    const { time, waitOf } = aLog()
    for (let n = 0; n < 5; n++) await waitOf(aKey())
    time.now += WINDOW * 1_000 - 1
    for (let n = 0; n < 3; n++) {
      assert.equal(await waitOf(aKey()), n === 0 ? 0 : 1)
    }
    time.now += 1
    for (let n = 0; n < 4; n++) assert.equal(await waitOf(aKey()), 0)
    assert.equal(await waitOf(aKey()), 1_000)
  })

  test('ten under the other rule block the rest of the window', async () => {
    const { time, waitOf } = aLog()
    for (let n = 0; n < 10; n++) {
      assert.equal(await waitOf(aKey(CLOSED)), 0)
      time.now += 1_000
    }
    assert.equal(await waitOf(aKey(CLOSED)), 890_000)
    time.now += 889_999
    assert.equal(await waitOf(aKey(CLOSED)), 1)
    time.now += 1
    assert.equal(await waitOf(aKey(CLOSED)), 0)
    assert.equal(await waitOf(aKey(CLOSED)), 1_000)
  })

  test('vanish when given back, and a success clears allowed keys', async () => {
    const { log, waitOf } = aLog()
    const other: AttemptKey = { ...aKey(CLOSED, 'wide'), isClearedBySuccess: false }
    for (let n = 0; n < 4; n++) await waitOf(aKey(), other)
    for (let n = 0; n < 100; n++) {
      const turn = await log.begin([aKey(), other])
      assert.ok(turn.isLetIn)
      await turn.giveBack()
    }
    const turn = await log.begin([aKey(), other])
    assert.ok(turn.isLetIn)
    assert.equal(await waitOf(aKey()), 1_000)
    await turn.succeed()
    for (let n = 0; n < 5; n++) assert.equal(await waitOf(aKey()), 0)
    for (let n = 0; n < 6; n++) assert.equal(await waitOf(other), 0)
    assert.ok((await waitOf(other)) > 0)
  })

  test('count for no key when one refuses', async () => {
    const { waitOf } = aLog()
    for (let n = 0; n < 5; n++) await waitOf(aKey())
    for (let n = 0; n < 20; n++) assert.equal(await waitOf(aKey(), aKey(CLOSED, 'wide')), 1_000)
    for (let n = 0; n < 10; n++) assert.equal(await waitOf(aKey(CLOSED, 'wide')), 0)
  })

  test('pause as the rule says in 20,000 random schedules', () => {
    const random = seeded(20_260_103)
    for (let schedule = 0; schedule < 20_000; schedule++) {
      const rule: AttemptRule = {
        limit: 1 + Math.floor(random() * 7),
        window: 5 + Math.floor(random() * 200),
        pause: random() < 0.7 ? 'doubling' : 'window',
      }
      const key = aKey(rule)
      const memory = createAttemptMemory()
      const history: number[] = []
      let now = Math.floor(random() * 1e6)
      for (let step = 0; step < 16; step++) {
        const wait = memory.waitOf([key], now)
        const expected = firstMoment(history, rule, now) - now
        if (wait !== expected) assert.fail(`${JSON.stringify(rule)} ${history.join(' ')} at ${now}: ${wait}`)
        if (wait === 0) {
          memory.record(String(step), [key], now)
          history.push(now)
        }
        const kind = random()
        now +=
          wait > 0 && kind < 0.4 ? wait : wait > 1 && kind < 0.6 ? wait - 1 : Math.floor(random() * 20_000)
      }
    }
  })

  test('never ask for a wait until a past time when full', () => {
    assert.equal(pauseAfter([0, 0, 0, 0, 0], DOUBLING, 1_000), 0)
    assert.equal(pauseAfter([0, 0, 0, 0, 0], DOUBLING, 999), 1)
  })
})

describe('the keys of failed attempts in memory', () => {
  test('are bounded: idle keys leave, blocked keys stay', () => {
    const memory = createAttemptMemory(100)
    const keep = aKey(DOUBLING, 'full')
    for (let n = 0; n < 5; n++) memory.record(`${n}`, [keep], 0)
    for (let n = 0; n < 1_000; n++) memory.record('x', [aKey(DOUBLING, `key-${n}`)], 1)
    assert.equal(memory.size(), 101)
    assert.equal(memory.waitOf([keep], 1), 999)
    for (let n = 0; n < 60; n++) memory.record('x', [aKey(DOUBLING, `late-${n}`)], WINDOW * 1_000 + 1)
    assert.equal(memory.size(), 60)
  })

  test('leave nothing behind when all are given back', () => {
    const memory = createAttemptMemory()
    for (let n = 0; n < 50; n++) memory.record(`${n}`, [aKey()], 0)
    for (let n = 0; n < 50; n++) memory.giveBack(`${n}`, aKey())
    assert.equal(memory.size(), 0)
  })
})

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
