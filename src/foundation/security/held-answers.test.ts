import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { clock } from '../clock.ts'
import { createHold } from './held-answers.ts'

const TIME = 600

const refusal = new Error('refused')

/** Time that passes only while nothing else is left to do. `timesOf` tells how long each of the attempts took. */
function ownTime(t: TestContext) {
  let now = 0
  let sleepers: { until: number; wake: () => void }[] = []
  t.mock.method(clock, 'monotonic', () => now)
  const pause = (ms: number) =>
    new Promise<void>((wake) => {
      sleepers.push({ until: now + ms, wake })
    })
  const refuseAfter = (ms: number) => async () => {
    await pause(ms)
    throw refusal
  }
  const timeOf = async (attempt: () => Promise<unknown>) => {
    const start = now
    await attempt().catch((error: unknown) => assert.equal(error, refusal))
    return now - start
  }
  const timesOf = async (...attempts: (() => Promise<unknown>)[]) => {
    let isOver = false
    const times = Promise.all(attempts.map(timeOf)).finally(() => (isOver = true))
    for (;;) {
      await new Promise(setImmediate)
      if (isOver) return times
      now = Math.min(...sleepers.map(({ until }) => until))
      const awake = sleepers.filter(({ until }) => until <= now)
      sleepers = sleepers.filter(({ until }) => until > now)
      for (const { wake } of awake) wake()
    }
  }
  const hold = createHold(() => TIME, pause)
  const refuse = (address: string, ms: number) => () => hold.error(address, () => true, refuseAfter(ms))
  return { hold, pause, refuse, refuseAfter, timesOf }
}

describe('a held answer', () => {
  for (const work of [0, 20, 60])
    test(`is sent after ${TIME} ms when the work takes ${work}`, async (t) => {
      const { refuse, timesOf } = ownTime(t)
      assert.deepEqual(await timesOf(refuse('192.0.3.1', work)), [TIME])
    })

  test('is sent at the next multiple when the work takes longer', async (t) => {
    const { refuse, timesOf } = ownTime(t)
    assert.deepEqual(await timesOf(refuse('192.0.2.2', TIME + 10)), [2 * TIME])
  })

  test('is not delayed when the attempt succeeds or fails otherwise', async (t) => {
    const { hold, refuseAfter, timesOf } = ownTime(t)
    const succeed = () =>
      hold.error(
        '192.0.2.3',
        () => true,
        async () => 'yes',
      )
    const fail = () => hold.error('192.0.2.3', () => false, refuseAfter(1))
    assert.deepEqual(await timesOf(succeed, fail), [0, 1])
  })

  test('takes the same time on success where all answers are held', async (t) => {
    const { hold, refuseAfter, timesOf } = ownTime(t)
    for (const attempt of [async () => 'yes', refuseAfter(30)])
      assert.deepEqual(await timesOf(() => hold.everything('192.0.2.4', attempt)), [TIME])
  })

  test('is sent in order per address, however long each takes', async (t) => {
    const { refuse, timesOf } = ownTime(t)
    for (const work of [
      [0, 0, 0],
      [60, 60, 60],
      [60, 0, 60],
    ])
      assert.deepEqual(await timesOf(...work.map((ms) => refuse('192.0.2.5', ms))), [
        TIME,
        2 * TIME,
        3 * TIME,
      ])
  })

  test('does not wait for other addresses', async (t) => {
    const { refuse, timesOf } = ownTime(t)
    const all = ['192.0.2.6', '192.0.2.7', '192.0.2.8'].map((one) => refuse(one, 10))
    assert.deepEqual(await timesOf(...all), [TIME, TIME, TIME])
  })

  test('waits for at most sixty earlier ones', async (t) => {
    const { pause, refuseAfter, timesOf } = ownTime(t)
    const short = createHold(() => 5, pause)
    const refuse100 = () => short.error('192.0.2.9', () => true, refuseAfter(1))
    const times = await timesOf(...Array.from({ length: 100 }, () => refuse100))
    assert.ok(
      times.slice(61).every((ms) => ms < (times[55] ?? 0)),
      times.join(),
    )
  })

  test('is sent at once where the time is 0', async (t) => {
    const { pause, refuseAfter, timesOf } = ownTime(t)
    const off = createHold(() => 0, pause)
    assert.deepEqual(await timesOf(() => off.error('192.0.2.10', () => true, refuseAfter(1))), [1])
  })
})
