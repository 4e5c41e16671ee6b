import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aUser } from '#testing/people.ts'

const COLLECTIONS = 3_000
const ITEMS = 6_000
const PLACES = 8

/** Seconds, where it takes a tenth of that; compared pair by pair it takes minutes. */
const MOST = 10

test('a tree of 3,000 collections is exported and listed in seconds', async () => {
  const anna = await aUser()
  const keyOf = (n: number) => `c${n % COLLECTIONS}`
  const job = await bringIn(anna, {
    Collections: [
      ['collection_key', 'parent_key', 'name'],
      ['root', '', 'Root'],
      ...Array.from({ length: COLLECTIONS }, (_, n) => [
        keyOf(n),
        n < 60 ? 'root' : keyOf(Math.floor(n / 60)),
        `Box ${n}`,
      ]),
    ],
    Items: [
      ['item_key', 'name', 'collection_keys'],
      ...Array.from({ length: ITEMS }, (_, n) => [
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
  assert.equal(csv.body.split('\r\n').length, ITEMS + 2)
  const list = await call('GET', `/api/collections/${root}/items?include_subtree=true&per_page=5`, anna)
  assert.equal(list.json().total, ITEMS)
  assert.ok(performance.now() - began < MOST * 1_000)
})
