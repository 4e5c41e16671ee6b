import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { bringIn as send, type Book } from '#testing/imports.ts'
import { aColleague, anAdmin, aUser, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
lyceum.startCollectionsJobs()

type Somebody = { headers: Headers }
const bringIn = (person: Somebody, book: Book, options: Record<string, string> = {}) =>
  send(person, book, { options: { allow_delete: 'true', ...options } })
const status = async (person: Somebody, url: string) => (await call('GET', url, person)).statusCode
const errorsOf = (job: { errors: { row: number; header: string; code: string }[] }) =>
  job.errors.map(({ row, header, code }) => [row, header, code])

/** A box with one item that is in another box too. */
async function twoBoxes(person: Somebody) {
  const [box, other] = [await aCollection(person), await aCollection(person, { name: 'Other' })]
  const item = await anItem(person, box, { external_key: 'A' })
  await call('POST', `/api/collections/${other}/items`, person, { item_id: item })
  return { box, other, item }
}

test('without the option a row that deletes is refused', async () => {
  const anna = await aUser()
  const { item } = await twoBoxes(anna)
  const rows: Book = {
    Items: [
      ['item_id', 'name', '_action'],
      [item, 'New', 'delete'],
    ],
  }
  const job = await send(anna, rows)
  assert.deepEqual(errorsOf(job)[0], [2, '_action', 'delete_not_allowed'])
  assert.equal((await call('GET', `/api/items/${item}`, anna)).json().name, 'Vase')
})

test('unlink takes an item out of the collections its row names', async () => {
  const anna = await aUser()
  const { box, other, item } = await twoBoxes(anna)
  const rows = (id: string): Book => ({
    Items: [
      ['item_id', 'collection_ids', '_action'],
      [item, id, 'unlink'],
    ],
  })
  const first = await bringIn(anna, rows(box))
  assert.deepEqual(first.counts.items, { created: 0, updated: 1, unchanged: 0, failed: 0 })
  assert.equal(first.counts.links.removed, 1)
  assert.equal((await bringIn(anna, rows(box))).counts.items.unchanged, 1)
  const last = await bringIn(anna, rows(other))
  assert.deepEqual(last.counts.deleted, { collections: 0, items: 1 })
  assert.equal(await status(anna, `/api/items/${item}`), 404)
})

test('delete takes an item out of every collection', async () => {
  const anna = await aUser()
  const { box, item } = await twoBoxes(anna)
  const rows: Book = {
    Items: [
      ['item_key', 'collection_ids', '_action'],
      ['A', box, ' Delete '],
    ],
  }
  const dry = await bringIn(anna, rows, { dry_run: 'true' })
  assert.deepEqual(dry.counts.deleted, { collections: 0, items: 1 })
  assert.equal(await status(anna, `/api/items/${item}`), 200)
  const job = await bringIn(anna, rows, { mode: 'atomic' })
  assert.deepEqual([job.state, job.counts.deleted], ['completed', dry.counts.deleted])
  assert.equal(await status(anna, `/api/items/${item}`), 404)
  assert.deepEqual(errorsOf(await bringIn(anna, rows)), [[2, 'item_key', 'not_found']])
})

test('collections are deleted last, children and parents together', async () => {
  const anna = await aUser()
  const { box, item } = await twoBoxes(anna)
  const child = await aCollection(anna, { name: 'Child', parent_id: box })
  const lone = await anItem(anna, child)
  const rows: Book = {
    Collections: [
      ['collection_id', 'name', '_action'],
      [box, '', 'delete'],
      [child, '', 'delete'],
    ],
    Items: [
      ['item_id', 'collection_ids', 'name'],
      [item, box, 'Renamed'],
    ],
  }
  for (const options of [{ dry_run: 'true' }, { mode: 'atomic' }]) {
    const job = await bringIn(anna, rows, options)
    assert.equal(job.state, 'completed', JSON.stringify(job.errors))
    assert.deepEqual(job.counts.deleted, { collections: 2, items: 1 })
  }
  for (const url of [`collections/${box}`, `collections/${child}`, `items/${lone}`])
    assert.equal(await status(anna, `/api/${url}`), 404)
  assert.equal((await call('GET', `/api/items/${item}`, anna)).json().name, 'Renamed')
})

test('a collection whose children stay is not deleted', async () => {
  const anna = await aUser()
  const top = await aCollection(anna)
  const middle = await aCollection(anna, { parent_id: top })
  const low = await aCollection(anna, { parent_id: middle })
  const sheet = (...ids: string[]): Book => ({
    Collections: [['collection_id', '_action'], ...ids.map((id) => [id, 'delete'])],
  })
  const job = await bringIn(anna, sheet(top, middle))
  assert.deepEqual(errorsOf(job), [
    [2, '_action', 'has_children'],
    [3, '_action', 'has_children'],
  ])
  assert.equal(await status(anna, `/api/collections/${top}`), 200)
  assert.equal((await bringIn(anna, sheet(top, low, middle))).counts.deleted.collections, 3)
})

test('deleting needs the rights that the API asks for', async () => {
  const admin = await anAdmin()
  const [anna, ben] = [await aColleague(admin), await aColleague(admin)]
  const { box, other, item } = await twoBoxes(anna)
  await join(anna, box, ben, 'editor')
  const job = await bringIn(ben, {
    Collections: [
      ['collection_id', '_action'],
      [box, 'delete'],
      [other, 'delete'],
    ],
    Items: [
      ['item_id', '_action'],
      [item, 'delete'],
    ],
  })
  assert.deepEqual(errorsOf(job), [
    [2, '_action', 'forbidden'],
    [3, 'collection_id', 'not_found'],
    [2, '_action', 'forbidden'],
  ])
  assert.equal(await status(anna, `/api/items/${item}`), 200)
  const stranger = await aUser()
  const theirs = await bringIn(stranger, {
    Collections: [
      ['collection_id', '_action'],
      [box, 'delete'],
    ],
  })
  assert.deepEqual(errorsOf(theirs), [[2, 'collection_id', 'not_found']])
})

test('a row that deletes must name what it means', async () => {
  const anna = await aUser()
  const box = await aCollection(anna)
  const job = await bringIn(anna, {
    Collections: [
      ['collection_key', 'name', '_action'],
      [null, 'Box', 'delete'],
      ['K', 'Box', 'unlink'],
    ],
    Items: [
      ['item_key', 'name', '_action'],
      ['A', 'Vase', 'unlink'],
    ],
  })
  assert.deepEqual(errorsOf(job), [
    [2, 'collection_key', 'required'],
    [3, '_action', 'invalid_value'],
    [2, 'collection_keys', 'required'],
  ])
  assert.equal(await status(anna, `/api/collections/${box}`), 200)
})

test('a row that changes what another one deletes wins', async () => {
  const anna = await aUser()
  const box = await aCollection(anna)
  const job = await bringIn(anna, {
    Collections: [
      ['collection_id', 'name', '_action'],
      [box, '', 'delete'],
      [box, 'Kept', null],
    ],
  })
  assert.deepEqual(errorsOf(job), [[2, 'collection_id', 'duplicate_key_in_file']])
  assert.equal((await call('GET', `/api/collections/${box}`, anna)).json().name, 'Kept')
})

test('items that are linked meanwhile outlive their collection', async () => {
  const anna = await aUser()
  const [box, other] = [await aCollection(anna), await aCollection(anna)]
  const items = await Promise.all(Array.from({ length: 50 }, () => anItem(anna, box)))
  const [job, ...links] = await Promise.all([
    bringIn(anna, {
      Collections: [
        ['collection_id', '_action'],
        [box, 'delete'],
      ],
    }),
    ...items.map((item_id) => call('POST', `/api/collections/${other}/items`, anna, { item_id })),
  ])
  const linked = links.filter(({ statusCode }) => statusCode === 201).length
  assert.equal(job.counts.deleted.items, 50 - linked)
  assert.equal((await call('GET', `/api/collections/${other}`, anna)).json().item_count, linked)
})
