import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { call } from '#testing/collections.ts'
import { bringIn, ended, upload } from '#testing/imports.ts'
import { aUser, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
lyceum.startCollectionsJobs()

type Somebody = { headers: Headers }
const example = (name: string) =>
  readFileSync(new URL(`../../../test/support/examples/${name}`, import.meta.url))

const aBox = async (person: Somebody, external_key = 'D'): Promise<string> =>
  (await call('POST', '/api/collections', person, { name: 'Box', external_key })).json().id

async function itemsIn(person: Somebody, collection_id: string) {
  const { items } = (await call('GET', `/api/collections/${collection_id}/items?sort=name`, person)).json()
  return (items as Record<string, unknown>[]).map(({ external_key, name, description, metadata }) => ({
    external_key,
    name,
    description,
    metadata,
  }))
}
const errorsOf = (job: { errors: { row: number; header: string; code: string }[] }) =>
  job.errors.map(({ row, header, code }) => [row, header, code])

test('an .ods that Calc wrote is imported with its types', async () => {
  const anna = await aUser()
  const job = await bringIn(anna, example('calc.ods'), { name: 'calc.ods' })
  assert.equal(job.state, 'completed_with_errors')
  assert.deepEqual(job.counts.collections, { created: 1, updated: 0, unchanged: 0, failed: 0 })
  assert.deepEqual(errorsOf(job), [
    [8, 'name', 'cell_error'],
    [8, 'meta.year', 'cell_error'],
  ])
  const [box] = (await call('GET', '/api/collections', anna)).json().items
  assert.equal(box.name, 'Dépôt')
  assert.deepEqual(await itemsIn(anna, box.id), [
    {
      external_key: '00007',
      name: 'Harbour at dawn',
      description: 'Two   spaces\nanda tab',
      metadata: { found: '1871-03-01', length: '30:15:00', share: 0.125, shown: true, year: 1871 },
    },
    {
      external_key: 'B',
      name: 'Merged',
      description: null,
      metadata: { found: '1999-12-31T10:20:30', length: '00:15:00', shown: false, year: 1871 },
    },
  ])
  const again = await bringIn(anna, example('calc.ods'))
  assert.deepEqual(again.counts.items, { created: 0, updated: 0, unchanged: 2, failed: 1 })
  const { items } = (await call('GET', `/api/bulk/jobs/${job.job_id}/errors?level=warning`, anna)).json()
  assert.deepEqual((items as { code: string }[]).map(({ code }) => code).toSorted(), [
    'hidden_rows',
    'hidden_sheet',
    'merged_cells',
  ])
})

test('a .csv that Calc wrote is imported as sheet Items', async () => {
  const anna = await aUser()
  const box = await aBox(anna)
  const job = await bringIn(anna, example('calc-items.csv'), { name: 'items.csv' })
  assert.deepEqual(errorsOf(job), [
    [8, 'name', 'cell_error'],
    [8, 'meta.year', 'cell_error'],
  ])
  const [first] = await itemsIn(anna, box)
  assert.deepEqual(first?.metadata, {
    found: '03/01/1871',
    length: '30:15:00',
    share: '12.5%',
    shown: true,
    year: 1871,
  })
})

test('the errors workbook of a .csv is imported after correction', async () => {
  const anna = await aUser()
  const box = await aBox(anna)
  const job = await bringIn(anna, example('calc-items.csv'), { name: 'items.csv' })
  const reply = await call('GET', `/api/bulk/jobs/${job.job_id}/errors?format=xlsx`, anna)
  assert.match(String(reply.headers['content-disposition']), /filename="items-errors\.xlsx"/)
  const { read, utils, write } = await import('@e965/xlsx')
  const sheet = read(reply.rawPayload).Sheets['Items']
  assert.ok(sheet)
  const rows = utils.sheet_to_json<Record<string, unknown>>(sheet)
  assert.deepEqual(
    rows.map((row) => [row['error_row'], row['item_key'], row['collection_keys']]),
    [[8, 'C', 'D']],
  )
  const corrected = utils.json_to_sheet(rows.map((row) => ({ ...row, name: 'Mended', 'meta.year': 1900 })))
  for (const bookType of ['ods', 'csv'] as const) {
    const book = utils.book_new(corrected, 'Items')
    const { counts } = await bringIn(anna, Buffer.from(write(book, { type: 'buffer', bookType })))
    assert.equal(counts.items.failed, 0, bookType)
  }
  assert.deepEqual((await itemsIn(anna, box)).at(-1)?.name, 'Merged')
  assert.ok((await itemsIn(anna, box)).some(({ name }) => name === 'Mended'))
})

const wide = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
const TEXT =
  'item_key;collection_keys;Name *;description;meta.year\r\n007;D;Vase;"blue; \r\n""deep""";1871\r\n'
for (const [what, bytes] of [
  ['with semicolons', Buffer.from(TEXT)],
  ['with a byte order mark', Buffer.from(`\uFEFF${TEXT}`)],
  ['in UTF-16', wide(TEXT)],
  ['in UTF-16, big-endian', wide(TEXT).swap16()],
  ['with tabs', Buffer.from(TEXT.replaceAll(/;(?! )/g, '\t'))],
  ['with commas', Buffer.from(TEXT.replaceAll(/;(?! )/g, ','))],
  ['with lines that end in CR', Buffer.from(TEXT.replaceAll('\r\n', '\r'))],
  ['with its separator in a first line', Buffer.from(`sep=;\r\n${TEXT}`)],
] as const)
  test(`a .csv ${what} is recognised by its header`, async () => {
    const anna = await aUser()
    const box = await aBox(anna)
    const job = await bringIn(anna, bytes)
    assert.equal(job.state, 'completed', JSON.stringify(job))
    assert.deepEqual(await itemsIn(anna, box), [
      { external_key: '007', name: 'Vase', description: 'blue; \n"deep"', metadata: { year: 1871 } },
    ])
  })

test('a .csv is cut where its known columns are, or where its sender says', async () => {
  const anna = await aUser()
  const box = await aBox(anna)
  const titles = { key: 'Nr. (a, b, c)', place: 'Ort (d, e)', name: 'Titel (kurz, Pflicht, x)' }
  const columns = JSON.stringify({
    [titles.key]: 'item_key',
    [titles.place]: 'collection_keys',
    [titles.name]: 'name',
  })
  const csv = Buffer.from(`${Object.values(titles).join(';')}\nA;D;Vase\n`)
  assert.equal((await bringIn(anna, csv, { options: { columns } })).state, 'completed')
  const crooked = Buffer.from(
    'item_key;collection_keys;name;meta.a,meta.b,meta.c,meta.d,meta.e,name\nB;D;Pot;1\n',
  )
  const guessed = await bringIn(anna, crooked, { options: { dry_run: 'true' } })
  assert.equal(guessed.counts.items.created, 0)
  const named = await bringIn(anna, crooked, { options: { separator: 'semicolon' } })
  assert.deepEqual(named.counts.items, { created: 1, updated: 0, unchanged: 0, failed: 0 })
  assert.equal((await upload(anna, csv, { options: { separator: '|' } })).statusCode, 422)
  assert.equal((await itemsIn(anna, box)).length, 2)
})

test('values in columns without a header are told, once for each column', async () => {
  const anna = await aUser()
  await aBox(anna)
  for (const bytes of [
    Buffer.from('item_key,collection_keys,,name\nA,D,x,Vase\nB,D,y,Pot,z\n'),
    {
      Items: [
        ['item_key', 'collection_keys', '', 'name'],
        ['A', 'D', 'x', 'Vase'],
        ['B', 'D', 'y', 'Pot', 'z'],
      ],
    },
  ]) {
    const job = await bringIn(anna, bytes)
    const { items } = (await call('GET', `/api/bulk/jobs/${job.job_id}/errors?level=warning`, anna)).json()
    assert.deepEqual(
      (items as { row: number; column: string; code: string; value: string }[]).map((one) => [
        one.row,
        one.column,
        one.code,
        one.value,
      ]),
      [
        [2, 'C', 'no_header', 'x'],
        [3, 'E', 'no_header', 'z'],
      ],
    )
  }
})

test('a .csv without columns of items holds collections', async () => {
  const anna = await aUser()
  const job = await bringIn(anna, Buffer.from('collection_key,parent_key,name\nB,A,Below\nA,,Above\n'))
  assert.deepEqual(job.counts.collections, { created: 2, updated: 0, unchanged: 0, failed: 0 })
})

test('a stray quotation mark refuses its row only', async () => {
  const anna = await aUser()
  const box = await aBox(anna)
  const csv = 'item_key,collection_keys,name\nA,D,12" nail\nB,D,Vase\nC,D,"open\nE,D,Pot\n'
  const job = await bringIn(anna, Buffer.from(csv))
  assert.deepEqual(errorsOf(job), [
    [2, null, 'malformed_quotes'],
    [4, null, 'malformed_quotes'],
  ])
  assert.deepEqual(job.counts.items, { created: 2, updated: 0, unchanged: 0, failed: 2 })
  const reply = await call('GET', `/api/bulk/jobs/${job.job_id}/errors?format=xlsx`, anna)
  const again = await bringIn(anna, reply.rawPayload)
  assert.deepEqual(errorsOf(again), [
    [2, 'error_code', 'malformed_quotes'],
    [3, 'error_code', 'malformed_quotes'],
  ])
  assert.equal((await itemsIn(anna, box)).length, 2)
})

test('an export to .csv comes back without a change', async () => {
  const anna = await aUser()
  const box = await aBox(anna)
  await call('POST', `/api/collections/${box}/items`, anna, {
    name: '=SUM(1)',
    external_key: '007',
    description: '-5; -6 ;@x\n"y"',
    metadata: { year: 1871, code: '1.50', low: -3, shown: true, tags: ['a', 'b;c'] },
  })
  for (const sheet of ['items', 'collections']) {
    const csv = await call('GET', `/api/collections/${box}/export?format=csv&sheet=${sheet}`, anna)
    const { counts, errors } = await bringIn(anna, csv.rawPayload)
    assert.equal(counts[sheet].unchanged, 1, JSON.stringify([counts, errors]))
  }
})

test('a .csv that turns into something else fails whole', async () => {
  const anna = await aUser()
  const start = wide('item_key,name,collection_keys\nA,B,C\n')
  const row = wide('A,B,C\n').subarray(2)
  const rows = Array.from({ length: 5000 }, () => row)
  const lone = Buffer.concat([...rows, Buffer.alloc(100, 'd8', 'hex')])
  const reply = await upload(anna, Buffer.concat([start, lone]))
  assert.equal(reply.statusCode, 202)
  const { state, error } = await ended(anna, reply.json().job_id)
  assert.deepEqual([state, error.code], ['failed', 'invalid_encoding'])
  const long = `item_key,name\nA,${'x'.repeat(200_000)}\n`
  const job = await bringIn(anna, Buffer.from(long), { options: { parent_id: await aBox(anna) } })
  assert.deepEqual([job.state, job.error.code], ['failed', 'malformed_csv'])
})
