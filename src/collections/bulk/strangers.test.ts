import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aColleague, anAdmin, aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

/** Anna has a collection with a cut collection below it that holds keys. Ben may read the upper one. */
async function aHiddenPlace() {
  const admin = await anAdmin()
  const [anna, ben] = await Promise.all([aColleague(admin), aColleague(admin)])
  const box = await aCollection(anna)
  await join(anna, box, ben, 'viewer')
  const hidden = await call('POST', '/api/collections', anna, {
    name: 'Hidden',
    parent_id: box,
    inherit_members: false,
    external_key: 'TAKEN',
  })
  await anItem(anna, hidden.json().id, { external_key: 'TAKEN' })
  return { anna, ben, box }
}

type Told = { row: number; code: string; message: string }
const told = ({ errors }: { errors: Told[] }) => errors.map(({ code, message }) => [code, message])

describe('A workbook of somebody who may only read', () => {
  test('creates no level of a path below parent_id', async () => {
    const { anna, ben, box } = await aHiddenPlace()
    const job = await bringIn(
      ben,
      {
        Items: [
          ['collection_path', 'name'],
          ['Mine > Deeper', 'Vase'],
        ],
      },
      { options: { parent_id: box, create_missing: 'true' } },
    )
    assert.deepEqual(told(job), [['path_not_found', 'collection_path is not the path of a collection']])
    assert.equal(job.counts.collections.created, 0)
    assert.equal((await call('GET', `/api/collections/${box}`, anna)).json().hierarchy.children_count, 1)
  })

  test('does not reveal keys taken in hidden collections', async () => {
    const { ben, box } = await aHiddenPlace()
    const book = {
      Collections: [
        ['collection_key', 'parent_id', 'name'],
        ['TAKEN', box, 'x'],
        ['FREE', box, 'x'],
      ],
      Items: [
        ['item_key', 'collection_ids', 'name'],
        ['TAKEN', box, 'x'],
        ['FREE', box, 'x'],
      ],
    }
    const [first, second, third, fourth] = told(await bringIn(ben, book, { options: { dry_run: 'true' } }))
    assert.equal(first?.[0], 'forbidden')
    assert.deepEqual(first, second)
    assert.equal(third?.[0], 'forbidden')
    assert.deepEqual(third, fourth)
  })

  test('may reuse a key of the parent tree in an own collection', async () => {
    const { ben, box } = await aHiddenPlace()
    const own = await aCollection(ben)
    const book = {
      Collections: [
        ['collection_id', 'collection_key', 'name'],
        [own, 'TAKEN', 'Mine'],
      ],
    }
    const job = await bringIn(ben, book, { options: { parent_id: box } })
    assert.deepEqual([job.state, told(job)], ['completed', []])
    assert.equal((await call('GET', `/api/collections/${own}`, ben)).json().external_key, 'TAKEN')
  })
})

describe('A workbook of an editor', () => {
  test('reveals that a key is taken, but not by what', async () => {
    const { anna, ben, box } = await aHiddenPlace()
    await call('PATCH', `/api/collections/${box}/members/${ben.user_id}`, anna, { role: 'editor' })
    const job = await bringIn(ben, {
      Collections: [
        ['collection_key', 'parent_id', 'name'],
        ['TAKEN', box, 'x'],
      ],
      Items: [
        ['item_key', 'collection_ids', 'name'],
        ['TAKEN', box, 'x'],
      ],
    })
    assert.deepEqual(told(job), [
      ['duplicate_key', 'collection_key is taken in this tree'],
      ['duplicate_key', 'item_key is taken in this tree'],
    ])
    assert.ok(!JSON.stringify(job).includes('Hidden'))
  })

  test('creates the levels of a path once for two concurrent workbooks', async () => {
    const { anna, ben, box } = await aHiddenPlace()
    await call('PATCH', `/api/collections/${box}/members/${ben.user_id}`, anna, { role: 'editor' })
    const book = {
      Items: [
        ['collection_path', 'name'],
        ['New > Deeper', 'Vase'],
      ],
    }
    const options = { parent_id: box, create_missing: 'true' }
    const jobs = await Promise.all([anna, ben].map((who) => bringIn(who, book, { options })))
    assert.deepEqual(
      jobs.map(({ state }) => state),
      ['completed', 'completed'],
    )
    const { items } = (await call('GET', `/api/collections?ancestor_id=${box}&sort=name`, anna)).json()
    assert.deepEqual(
      items.map(({ name, item_count }: { name: string; item_count: number }) => [name, item_count]),
      [
        ['Deeper', 2],
        ['Hidden', 1],
        ['New', 0],
      ],
    )
  })
})

describe('What no database can keep', () => {
  for (const header of ['_x0000_', '_xD800_', 'meta._x0000_'])
    test(`does not stop an import as header ${header}`, async () => {
      const job = await bringIn(await aUser(), {
        Collections: [
          ['collection_key', 'name', header],
          ['k', 'Box', 'x'],
        ],
      })
      assert.deepEqual([job.state, job.error, job.warning_count], ['completed', null, 1])
    })
})

describe('meta.constructor', () => {
  test('is an ordinary key, also when #CLEAR empties it', async () => {
    const anna = await aUser()
    const book = (value: string) => ({
      Collections: [
        ['collection_key', 'name', 'meta.constructor'],
        ['k', 'Box', value],
      ],
    })
    const keyed = async () =>
      (await call('GET', '/api/collections?external_key=k', anna)).json().items[0].metadata
    await bringIn(anna, book('Eiffel'))
    assert.deepEqual(await keyed(), { constructor: 'Eiffel' })
    await bringIn(anna, book('#CLEAR'))
    assert.deepEqual(Object.keys(await keyed()), [])
  })
})

describe('Rows with an error in each of many long cells', () => {
  test('are stored once, up to 16 MiB, and all reported', async () => {
    const anna = await aUser()
    const [width, rows] = [6, 100]
    const headers = Array.from({ length: width }, (_, column) => `meta.m${column}`)
    // Random text, because repeated text would be refused as a zip bomb.
    const long = headers.map(() => randomBytes(16_000).toString('hex'))
    const job = await bringIn(anna, {
      Collections: [
        ['collection_key', 'name', ...headers],
        ...Array.from({ length: rows }, (_, row) => [`k${row}`, 'Box', ...long]),
      ],
    })
    assert.deepEqual([job.error_count, job.counts.collections.failed], [width * rows, rows])
    const [kept] = await db.pool<{ rows: number; bytes: number }[]>`
      select count(cells)::int as rows, sum(octet_length(cells))::int as bytes
        from collections.job_errors where job_id = ${job.job_id}`
    assert.ok(kept && kept.rows > 80 && kept.rows < rows && kept.bytes <= 16 * 2 ** 20, JSON.stringify(kept))
    const file = await call('GET', `/api/bulk/jobs/${job.job_id}/errors?format=xlsx`, anna)
    assert.equal(file.statusCode, 200)
  })
})
