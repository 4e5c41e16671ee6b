import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aUser } from '#testing/people.ts'

const rowsOf = async (person: Parameters<typeof call>[2], job_id: string, query = '') =>
  (await call('GET', `/api/bulk/jobs/${job_id}/errors?include=row${query}`, person)).json()

test('each refused row is told once a page, with its headers', async () => {
  const anna = await aUser()
  const { job_id } = await bringIn(anna, {
    Items: [
      ['item_key', 'Collection keys', 'name', 'colour', 'meta.year'],
      ['A', 'NIX', 'x'.repeat(400), null, 1871],
      ['B', 'NIX', 'Vase', 'blue', true],
    ],
  })
  const { items, total } = await rowsOf(anna, job_id, '&level=error')
  const cell = (column: string, header: string, text: string) => ({ column, header, text })
  assert.equal(total, 2)
  type Shown = { row: number; code: string; column: string; cells: unknown }
  assert.deepEqual(
    (items as Shown[]).map(({ row, code, column, cells }) => [row, code, column, cells]),
    [
      [
        2,
        'too_long',
        'C',
        [
          cell('A', 'item_key', 'A'),
          cell('B', 'Collection keys', 'NIX'),
          cell('C', 'name', 'x'.repeat(100)),
          cell('E', 'meta.year', '1871'),
        ],
      ],
      [
        3,
        'not_found',
        'B',
        [
          cell('A', 'item_key', 'B'),
          cell('B', 'Collection keys', 'NIX'),
          cell('C', 'name', 'Vase'),
          cell('D', 'colour', 'blue'),
          cell('E', 'meta.year', 'true'),
        ],
      ],
    ],
  )
})

test('a row with errors on two pages is told on both', async () => {
  const anna = await aUser()
  const { job_id } = await bringIn(anna, {
    Items: [
      ['item_key', 'item_id', 'collection_keys', 'name'],
      ['A', 'no id', 'NIX', null],
    ],
  })
  for (const page of [1, 2]) {
    const { items } = await rowsOf(anna, job_id, `&level=error&per_page=1&page=${page}`)
    assert.equal(items[0].cells.length, 3)
  }
})

test('a row that is too large to keep is null, warnings have none', async () => {
  const anna = await aUser()
  const wide = Array.from({ length: 9 }, () => 'y'.repeat(32_000))
  const { job_id } = await bringIn(anna, {
    Items: [
      ['collection_keys', 'name', ...wide.map((_, index) => `meta.t${index}`)],
      ['NIX', 'Vase', ...wide],
    ],
  })
  const { items } = await rowsOf(anna, job_id)
  const firstOf = (level: string) => items.find((one: { level: string }) => one.level === level)
  assert.equal(firstOf('error').cells, null)
  assert.ok(!('cells' in firstOf('warning')))
})

test('nobody else sees the rows', async () => {
  const [anna, ben] = [await aUser(), await aUser()]
  const { job_id } = await bringIn(anna, {
    Items: [
      ['collection_keys', 'name'],
      ['NIX', 'Vase'],
    ],
  })
  assert.equal((await call('GET', `/api/bulk/jobs/${job_id}/errors?include=row`, ben)).statusCode, 404)
  assert.equal((await call('GET', `/api/bulk/jobs/${job_id}/errors?include=all`, anna)).statusCode, 422)
})
