import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bookOf } from '#testing/books.ts'
import { aCollection, call } from '#testing/collections.ts'
import { bringIn, ended, upload } from '#testing/imports.ts'
import { aUser, type Person } from '#testing/people.ts'

/** Three refused rows: no name, a key twice, and a name that is missing beside a long text. */
const LONG = 'x'.repeat(900)
const BOOK = bookOf({
  Items: [
    ['item_key', 'name', 'meta.year', 'description'],
    ['A', '', 1901, LONG],
    ['B', 'Harbour', 1902, null],
    ['B', 'Harbour again', 1903, null],
  ],
})

async function refused(person: Person) {
  const parent_id = await aCollection(person)
  const job = await bringIn(person, BOOK, { options: { parent_id } })
  assert.equal(job.error_count, 2)
  return { parent_id, job_id: job.job_id as string }
}
const mend = (person: { headers: Record<string, string> }, job_id: string, rows: object[]) =>
  call('POST', `/api/bulk/jobs/${job_id}/errors/mended`, person, { rows })
const itemsIn = async (person: Person, id: string) =>
  (await call('GET', `/api/collections/${id}/items?sort=name`, person)).json().items as {
    name: string
    description: string | null
    metadata: object
  }[]

describe('rows that were mended', () => {
  test('are imported with what was typed and all else unchanged', async () => {
    const person = await aUser()
    const { parent_id, job_id } = await refused(person)
    const reply = await mend(person, job_id, [{ sheet: 'Items', row: 2, cells: { B: 'Bridge', C: '1899' } }])
    assert.equal(reply.statusCode, 200)
    const job = await bringIn(person, reply.rawPayload, { options: { parent_id } })
    assert.deepEqual([job.error_count, job.counts.items.created], [0, 1])
    const [bridge] = await itemsIn(person, parent_id)
    assert.deepEqual([bridge?.name, bridge?.description, bridge?.metadata], ['Bridge', LONG, { year: 1899 }])
  })

  test('stay refused when nothing about them changed', async () => {
    const person = await aUser()
    const { parent_id, job_id } = await refused(person)
    const reply = await mend(person, job_id, [{ sheet: 'Items', row: 4, cells: { B: 'Harbour again' } }])
    const job = await bringIn(person, reply.rawPayload, { options: { parent_id } })
    assert.deepEqual([job.error_count, job.errors[0].code], [1, 'duplicate_key_in_file'])
  })

  test('hold texts as texts, whatever they look like', async () => {
    const person = await aUser()
    const { parent_id, job_id } = await refused(person)
    const reply = await mend(person, job_id, [{ sheet: 'Items', row: 2, cells: { B: '=1+1', C: '007' } }])
    await bringIn(person, reply.rawPayload, { options: { parent_id } })
    const [item] = await itemsIn(person, parent_id)
    assert.deepEqual([item?.name, item?.metadata], ['=1+1', { year: '007' }])
  })

  test('are those of the sender alone', async () => {
    const [person, stranger] = [await aUser(), await aUser()]
    const { job_id } = await refused(person)
    const rows = [{ sheet: 'Items', row: 2, cells: { B: 'Mine' } }]
    assert.equal((await mend(stranger, job_id, rows)).statusCode, 404)
    assert.equal((await mend({ headers: {} }, job_id, rows)).statusCode, 401)
  })

  test('must be named by sheet, row and letters', async () => {
    const person = await aUser()
    const { job_id } = await refused(person)
    const good = { sheet: 'Items', row: 2, cells: { B: 'x' } }
    for (const wrong of [
      [],
      [{ ...good, row: 0 }],
      [{ ...good, cells: { B: 5 } }],
      [{ ...good, cells: { '1': 'x' } }],
      [{ ...good, more: true }],
      Array.from({ length: 501 }, () => good),
    ])
      assert.equal((await mend(person, job_id, wrong)).statusCode, 422, JSON.stringify(wrong).slice(0, 80))
  })

  test('of rows that were not refused make an empty workbook', async () => {
    const person = await aUser()
    const { parent_id, job_id } = await refused(person)
    const reply = await mend(person, job_id, [{ sheet: 'Nowhere', row: 9, cells: { B: 'x' } }])
    const sent = await upload(person, reply.rawPayload, { options: { parent_id } })
    if (sent.statusCode === 202) await ended(person, sent.json().job_id as string)
    assert.equal((await itemsIn(person, parent_id)).length, 1)
  })
})
