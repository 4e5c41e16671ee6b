import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueue } from './queue.ts'

const isOver = async (promise: Promise<unknown>) => {
  const open = Symbol('open')
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, open))])) !== open
}

test('the queue runs one per key and answers busy when full', async () => {
  const queue = createQueue({ atOnce: 2, waiting: 2 })
  const first = await queue.enter('anna')
  const second = queue.enter('anna')
  const other = await queue.enter('ben')
  const third = queue.enter('cleo')
  assert.throws(() => queue.enter('dora'), { code: 'busy', status: 503 })
  assert.equal(await isOver(second), false)
  other()
  assert.equal(await isOver(third), true)
  assert.equal(await isOver(second), false)
  first()
  assert.equal(await isOver(second), true)
})

test('the queue runs all of fifty, two at a time', async () => {
  const queue = createQueue({ atOnce: 2, waiting: 50 })
  let [running, most] = [0, 0]
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      const leave = await queue.enter()
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      leave()
    }),
  )
  assert.deepEqual([running, most], [0, 2])
})
