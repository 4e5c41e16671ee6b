import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createExactCache } from './exact-cache.ts'

type Row = { text: string; owner: string }

/** A table of one process, with loads that end when the test says so. */
function table({ max = 100 } = {}) {
  const rows = new Map<string, Row>()
  const pending: (() => void)[] = []
  const state = { isExact: true, loads: 0, holds: false }
  const cache = createExactCache<string, Row>({
    load: async (key) => {
      state.loads++
      const seen = rows.get(key)
      if (state.holds) await new Promise<void>((resolve) => pending.push(resolve))
      return seen
    },
    isExact: () => state.isExact,
    max,
    groupOf: ({ owner }) => owner,
  })
  return { rows, state, cache, release: () => pending.splice(0).forEach((resolve) => resolve()) }
}

describe('the exact cache', () => {
  test('answers the second time from memory', async () => {
    const { rows, state, cache } = table()
    rows.set('a', { text: 'one', owner: 'x' })
    assert.equal((await cache.get('a'))?.text, 'one')
    assert.equal(cache.get('a'), rows.get('a'))
    assert.equal(state.loads, 1)
  })

  test('peeks without loading, and finds nothing while others write', async () => {
    const { rows, state, cache } = table()
    rows.set('a', { text: 'one', owner: 'x' })
    assert.equal(cache.peek('a'), undefined)
    assert.equal(state.loads, 0)
    await cache.get('a')
    assert.equal(cache.peek('a')?.text, 'one')
    state.isExact = false
    assert.equal(cache.peek('a'), undefined)
    assert.equal(state.loads, 1)
  })

  test('loads again after a forget', async () => {
    const { rows, cache } = table()
    rows.set('a', { text: 'one', owner: 'x' })
    await cache.get('a')
    rows.set('a', { text: 'two', owner: 'x' })
    cache.forget('a')
    assert.equal((await cache.get('a'))?.text, 'two')
  })

  test('does not cache a missing value', async () => {
    const { rows, cache } = table()
    assert.equal(await cache.get('a'), undefined)
    rows.set('a', { text: 'one', owner: 'x' })
    assert.equal((await cache.get('a'))?.text, 'one')
  })

  for (const [name, forget] of [
    ['forget', (cache: ReturnType<typeof table>['cache']) => cache.forget('a')],
    ['forgetGroup', (cache: ReturnType<typeof table>['cache']) => cache.forgetGroup('x')],
    ['clear', (cache: ReturnType<typeof table>['cache']) => cache.clear()],
  ] as const) {
    test(`drops a load that overlaps a ${name}`, async () => {
      const { rows, state, cache, release } = table()
      rows.set('a', { text: 'one', owner: 'x' })
      state.holds = true
      const early = cache.get('a')
      rows.set('a', { text: 'two', owner: 'x' })
      forget(cache)
      const late = cache.get('a')
      release()
      assert.equal((await early)?.text, 'one')
      assert.equal((await late)?.text, 'two')
      assert.equal((cache.get('a') as Row).text, 'two')
      assert.equal(state.loads, 2)
    })
  }

  test('a load older than a forget never replaces a newer one', async () => {
    const { rows, state, cache, release } = table()
    rows.set('a', { text: 'one', owner: 'x' })
    state.holds = true
    const early = cache.get('a')
    state.holds = false
    rows.set('a', { text: 'two', owner: 'x' })
    cache.forget('a')
    await cache.get('a')
    release()
    await early
    assert.equal((cache.get('a') as Row).text, 'two')
  })

  test('50 concurrent callers cause one load', async () => {
    const { rows, state, cache } = table()
    rows.set('a', { text: 'one', owner: 'x' })
    const answers = await Promise.all(Array.from({ length: 50 }, async () => cache.get('a')))
    assert.ok(answers.every((row) => row?.text === 'one'))
    assert.equal(state.loads, 1)
  })

  test('never returns older data than the last write, in 20,000 steps', async () => {
    const { rows, cache } = table({ max: 3 })
    const owners = { a: 'x', b: 'x', c: 'y', d: 'y' }
    const written = new Map<string, number>()
    const readers: Promise<void>[] = []
    let seed = 1
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let step = 1; step <= 20_000; step++) {
      const key = (['a', 'b', 'c', 'd'] as const)[random(4)] ?? 'a'
      if (random(3) === 0) {
        rows.set(key, { text: String(step), owner: owners[key] })
        if (random(2)) cache.forget(key)
        else cache.forgetGroup(owners[key])
        written.set(key, step)
      } else {
        const since = written.get(key) ?? 0
        readers.push(
          Promise.resolve(cache.get(key)).then((row) => assert.ok(Number(row?.text ?? 0) >= since)),
        )
      }
      if (random(4) === 0) await Promise.resolve()
    }
    await Promise.all(readers)
  })

  test('reports a failed load to its callers and retries next time', async () => {
    let attempt = 0
    const cache = createExactCache<string, number>({
      load: () => (attempt++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve(attempt)),
      isExact: () => true,
      max: 10,
    })
    await assert.rejects(async () => cache.get('a'), /away/)
    assert.equal(await cache.get('a'), 2)
  })

  test('always asks the database while others may write', async () => {
    const { rows, state, cache } = table()
    rows.set('a', { text: 'one', owner: 'x' })
    await cache.get('a')
    state.isExact = false
    rows.set('a', { text: 'two', owner: 'x' })
    assert.equal((await cache.get('a'))?.text, 'two')
    assert.equal((await cache.get('a'))?.text, 'two')
    assert.equal(state.loads, 3)
    state.isExact = true
    assert.equal((await cache.get('a'))?.text, 'two')
    assert.equal(state.loads, 4)
  })

  test('drops the oldest beyond its bound', async () => {
    const { rows, state, cache } = table({ max: 2 })
    for (const key of ['a', 'b', 'c']) {
      rows.set(key, { text: key, owner: 'x' })
      await cache.get(key)
    }
    assert.equal((cache.get('c') as Row).text, 'c')
    assert.equal((cache.get('b') as Row).text, 'b')
    await cache.get('a')
    assert.equal(state.loads, 4)
  })
})
