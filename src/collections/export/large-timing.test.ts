import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aUser } from '#testing/people.ts'

const PLACES = 8

/** A tree with `size` collections and twice as many items; returns milliseconds for its export and its list. */
async function timeOf(size: number): Promise<number> {
  const anna = await aUser()
  const keyOf = (n: number) => `c${n % size}`
  const job = await bringIn(anna, {
    Collections: [
      ['collection_key', 'parent_key', 'name'],
      ['root', '', 'Root'],
      ...Array.from({ length: size }, (_, n) => [
        keyOf(n),
        n < 60 ? 'root' : keyOf(Math.floor(n / 60)),
        `Box ${n}`,
      ]),
    ],
    Items: [
      ['item_key', 'name', 'collection_keys'],
      ...Array.from({ length: 2 * size }, (_, n) => [
        `i${n}`,
        `Leaf ${n}`,
        Array.from({ length: PLACES }, (_, place) => keyOf(n * 7 + place * 389)).join(';'),
      ]),
    ],
  })
  assert.equal(job.state, 'completed', JSON.stringify(job.errors))
  const root = job.collections[0]?.id ?? ''
  const began = performance.now()
  const csv = await call('GET', `/api/collections/${root}/export?format=csv&include_subtree=true`, anna)
  assert.equal(csv.statusCode, 200)
  assert.equal(csv.body.split('\r\n').length, 2 * size + 2)
  const list = await call('GET', `/api/collections/${root}/items?include_subtree=true&per_page=5`, anna)
  assert.equal(list.json().total, 2 * size)
  return performance.now() - began
}

test('a tree of 3,000 collections is exported in time that grows with its size only', async () => {
  const [small, large] = [await timeOf(750), await timeOf(3_000)]
  // Compared pair by pair it would take sixteen times as long, and minutes.
  assert.ok(large < 12 * small, `${small} and ${large} ms`)
})
