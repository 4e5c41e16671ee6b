import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createHold } from './held-answers.ts'

const TIME = 600
/** A timer can be late on a busy machine. It is early at most by the work done before the clock was started. */
const isAbout = (ms: number, expected: number) => ms > 0.9 * expected && ms < expected + 0.8 * TIME

const refusal = new Error('refused')
const refuseAfter = (ms: number) => async () => {
  await wait(ms)
  throw refusal
}

async function timeOf(promise: Promise<unknown>): Promise<number> {
  const start = performance.now()
  await promise.catch((error: unknown) => assert.equal(error, refusal))
  return performance.now() - start
}

describe('a held answer', { concurrency: true }, () => {
  const hold = createHold(() => TIME)
  const refuse = (address: string, ms: number) => timeOf(hold.error(address, () => true, refuseAfter(ms)))

  for (const work of [0, 20, 60])
    test(`is sent after ${TIME} ms when the work takes ${work}`, async () => {
      const ms = await refuse(`192.0.3.${work}`, work)
      assert.ok(isAbout(ms, TIME), `${ms}`)
    })

  test('is sent at the next multiple when the work takes longer', async () => {
    const ms = await refuse('192.0.2.2', TIME + 10)
    assert.ok(isAbout(ms, 2 * TIME), `${ms}`)
  })

  test('is not delayed when the attempt succeeds or fails otherwise', async () => {
    assert.ok(
      (await timeOf(
        hold.error(
          '192.0.2.3',
          () => true,
          async () => 'yes',
        ),
      )) <
        TIME / 2,
    )
    assert.ok((await timeOf(hold.error('192.0.2.3', () => false, refuseAfter(0)))) < TIME / 2)
  })

  test('takes the same time on success where all answers are held', async () => {
    for (const attempt of [async () => 'yes', refuseAfter(30)]) {
      const ms = await timeOf(hold.everything('192.0.2.4', attempt))
      assert.ok(isAbout(ms, TIME), `${ms}`)
    }
  })

  test('is sent in order per address, however long each takes', async () => {
    for (const work of [
      [0, 0, 0],
      [60, 60, 60],
      [60, 0, 60],
    ]) {
      const times = await Promise.all(work.map((ms) => refuse('192.0.2.5', ms)))
      for (const [place, ms] of times.entries())
        assert.ok(isAbout(ms, (place + 1) * TIME), `${work.join()}: ${times.join()}`)
    }
  })

  test('does not wait for other addresses', async () => {
    const times = await Promise.all(['192.0.2.6', '192.0.2.7', '192.0.2.8'].map((one) => refuse(one, 10)))
    for (const ms of times) assert.ok(isAbout(ms, TIME), times.join())
  })

  test('waits for at most sixty earlier ones', async () => {
    const short = createHold(() => 5)
    const refuse100 = () => timeOf(short.error('192.0.2.9', () => true, refuseAfter(0)))
    const times = await Promise.all(Array.from({ length: 100 }, refuse100))
    assert.ok(
      times.slice(61).every((ms) => ms < (times[55] ?? 0)),
      times.join(),
    )
  })

  test('is sent at once where the time is 0', async () => {
    const off = createHold(() => 0)
    assert.ok((await timeOf(off.error('192.0.2.10', () => true, refuseAfter(0)))) < TIME / 2)
  })
})
