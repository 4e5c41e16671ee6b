import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCollection, call } from '#testing/collections.ts'
import { bookOf, bringIn, upload } from '#testing/imports.ts'
import { formOf } from '#testing/books.ts'
import { aUser, nobody } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
lyceum.startCollectionsJobs()
type Somebody = Parameters<typeof call>[2]

async function recognise({ headers }: Somebody, file: Buffer | undefined, options?: Record<string, string>) {
  const form = formOf(file, options)
  return lyceum.collections.inject({
    method: 'POST',
    url: '/api/bulk/recognise',
    headers: { ...headers, ...form.headers },
    payload: form.payload,
  })
}
const CSV = Buffer.from('Nr;Titel;Ort;meta.Jahr;Farbe\n7;Vase;D;1871;blau\n')
const columns = JSON.stringify({ NR: 'item_key', titel: 'name', Ort: 'collection_keys', Farbe: null })
type Sheet = { role: string; columns: { column: string; field: string | null; nearest: string | null }[] }
const told = ({ columns: all }: Sheet) => all.map(({ column, field, nearest }) => [column, field, nearest])

test('headers are told with their fields or the nearest name', async () => {
  const anna = await aUser()
  const reply = await recognise(anna, CSV)
  assert.equal(reply.statusCode, 200, reply.body)
  const { sheets, error } = reply.json()
  assert.equal(sheets[0].role, 'collections')
  assert.deepEqual(told(sheets[0])[3], ['D', 'meta.jahr', null])
  assert.deepEqual(told(sheets[0])[1]?.slice(0, 2), ['B', null])
  assert.equal(error.code, 'missing_header')
  assert.equal((await call('GET', '/api/bulk/jobs', anna)).json().total, 0)
})

test('given columns override what is recognised, here and in an upload', async () => {
  const anna = await aUser()
  const { sheets, error } = (await recognise(anna, CSV, { columns })).json()
  assert.equal(error, null)
  assert.equal(sheets[0].role, 'items')
  assert.deepEqual(told(sheets[0]), [
    ['A', 'item_key', null],
    ['B', 'name', null],
    ['C', 'collection_keys', null],
    ['D', 'meta.jahr', null],
    ['E', null, null],
  ])
  await call('POST', '/api/collections', anna, { name: 'Box', external_key: 'D' })
  const job = await bringIn(anna, CSV, { options: { columns } })
  assert.deepEqual([job.state, job.warning_count], ['completed', 0])
  assert.deepEqual(job.options.columns, JSON.parse(columns))
  const [box] = (await call('GET', '/api/collections', anna)).json().items
  const { items } = (await call('GET', `/api/collections/${box.id}/items`, anna)).json()
  assert.deepEqual([items[0].external_key, items[0].name, items[0].metadata], ['7', 'Vase', { jahr: 1871 }])
})

test('a name of the other sheet leaves a header as it was', async () => {
  const anna = await aUser()
  const book = bookOf({
    Collections: [['Key', 'name']],
    Items: [['Key', 'name', 'collection_keys']],
    Notes: [['Key']],
  })
  const { sheets } = (await recognise(anna, book, { columns: '{"key":"item_key"}' })).json()
  assert.deepEqual(
    (sheets as Sheet[]).map(({ role, columns: [first] }) => [role, first?.field]),
    [
      ['collections', null],
      ['items', 'item_key'],
      [null, undefined],
    ],
  )
})

test('a column may be left out for another one of its name', async () => {
  const anna = await aUser()
  const parent_id = await aCollection(anna)
  const csv = Buffer.from('item_key,name,title\nA,old,new\n')
  const taken = { parent_id, columns: '{"title":"name"}' }
  assert.equal((await recognise(anna, csv, taken)).json().error.code, 'duplicate_header')
  assert.equal((await upload(anna, csv, { options: taken })).json().code, 'duplicate_header')
  const job = await bringIn(anna, csv, { options: { parent_id, columns: '{"title":"name","name":null}' } })
  assert.equal(job.counts.items.created, 1)
  const { items } = (await call('GET', `/api/collections/${parent_id}/items`, anna)).json()
  assert.equal(items[0].name, 'new')
})

test('what is no map of headers to fields is refused', async () => {
  const anna = await aUser()
  const many = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`h${index}`, null]))
  for (const wrong of [
    'x',
    '[]',
    'null',
    '{"a":"colour"}',
    '{"a":1}',
    '{"a":"error_code"}',
    '{"a":"meta."}',
    '{"":null}',
    '{"\\u0000":null}',
    '{"\\ud800":null}',
    '{"a":null,"A *":"name"}',
    '{"__proto__":{"a":"name"}}',
    `{"${'x'.repeat(256)}":null}`,
    JSON.stringify(many),
    `{"a":"${'x'.repeat(33_000)}"}`,
  ])
    for (const send of [
      recognise,
      (person: Somebody, file: Buffer, options: Record<string, string>) => upload(person, file, { options }),
    ]) {
      const reply = await send(anna, CSV, { columns: wrong })
      assert.equal(reply.statusCode, 422, `${wrong.slice(0, 50)}: ${reply.body}`)
    }
})

test('a file that cannot be read is refused as in an upload', async () => {
  const anna = await aUser()
  for (const [file, options, status] of [
    [Buffer.from('GIF89a\x01\x00'), {}, 415],
    [undefined, {}, 422],
    [CSV, { colour: 'red' }, 422],
  ] as const)
    assert.equal((await recognise(anna, file, options)).statusCode, status)
  assert.equal((await recognise(await nobody(), CSV)).statusCode, 401)
  const { sheets, error } = (await recognise(anna, bookOf({ Things: [['name']] }))).json()
  assert.deepEqual([sheets[0].role, error.code], [null, 'missing_sheets'])
})
