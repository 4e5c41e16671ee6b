import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '#testing/collections.ts'
import { type Book, bringIn } from '#testing/imports.ts'
import { aUser, type Headers } from '#testing/people.ts'
import { workbookOf } from '#testing/workbooks.ts'
import { world } from '#testing/world.ts'

const { db } = await world()
type Somebody = { headers: Headers }
type Counts = Record<'created' | 'updated' | 'unchanged' | 'failed', number>

const errorsFile = async (person: Somebody, job_id: string) =>
  (await call('GET', `/api/bulk/jobs/${job_id}/errors?format=xlsx`, person)).rawPayload

/** The rows of a sheet as a spreadsheet program of other origin reads them. */
async function rowsOf(bytes: Buffer, sheet = 'Items') {
  const { read, utils } = await import('@e965/xlsx')
  const found = read(bytes, { cellDates: false }).Sheets[sheet]
  assert.ok(found)
  return utils.sheet_to_json<(string | number | boolean | null)[]>(found, { header: 1, defval: null })
}

const aBox = async (person: Somebody, external_key: string): Promise<string> =>
  (await call('POST', '/api/collections', person, { name: 'Box', external_key })).json().id

const itemsIn = (collection_id: string) => db.pool`
  select item.id, item.name, item.external_key, item.metadata, item.version
    from collections.items as item join collections.collection_items as link on link.item_id = item.id
   where link.collection_id = ${collection_id} order by item.id`

const failedOnly = (failed: number): Counts => ({ created: 0, updated: 0, unchanged: 0, failed })

/** One sheet Items of raw cells: `{ e: '#N/A' }` is an error, `{ d: 60 }` a number shown as a date. */
const rawBook = (rows: (string | number | { e: string } | { d: number })[][]) =>
  workbookOf({
    formats: [14],
    sheets: [
      {
        name: 'Items',
        rows: rows.map((row) => `<row>${row.map(rawCell).join('')}</row>`).join(''),
      },
    ],
  })
function rawCell(cell: string | number | { e: string } | { d: number }): string {
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`
  if (typeof cell === 'string') return `<c t="inlineStr"><is><t>${cell}</t></is></c>`
  return 'e' in cell ? `<c t="e"><v>${cell.e}</v></c>` : `<c s="1"><v>${cell.d}</v></c>`
}

test('refused rows that come back uncorrected change nothing', async () => {
  const anna = await aUser()
  const box = await aBox(anna, 'box')
  const first = await bringIn(
    anna,
    rawBook([
      ['item_key', 'collection_keys', 'name', 'meta.year', 'meta.note'],
      ['T1', 'box', 'Harbour', 1850, 'good'],
      ['T1', 'box', 'Untitled', 1900, ' twice \r\n here'],
      ['T2', 'box', { e: '#NAME?' }, 1901, 'note'],
      ['T3', 'box', 'Mill', { e: '#DIV/0!' }, 'note'],
      ['T4', 'box', 'Bridge', { d: 60 }, 'note'],
      ['T5', 'box', 'Tower', { d: -3 }, 'note'],
      [12345678901234567000, 'box', 'Long', 1, 'note'],
      ['T6', 'box', 'Control_x0001_', 1, 'note'],
    ]),
  )
  assert.deepEqual(first.counts.items, { created: 1, updated: 0, unchanged: 0, failed: 7 })
  const before = await itemsIn(box)
  let bytes = await errorsFile(anna, first.job_id)
  for (let round = 0; round < 2; round++) {
    const again = await bringIn(anna, bytes)
    assert.deepEqual(again.counts.items, failedOnly(7), JSON.stringify(again.errors))
    bytes = await errorsFile(anna, again.job_id)
  }
  assert.deepEqual(await itemsIn(box), before)
})

test('faulty cells that were left stay faulty beside a corrected one', async () => {
  const anna = await aUser()
  const box = await aBox(anna, 'box')
  const book = (name: string) =>
    rawBook([
      ['item_key', 'collection_keys', 'name', 'meta.a', 'meta.b'],
      ['T1', 'box', name, { e: '#N/A' }, { d: 60 }],
    ])
  const first = await bringIn(anna, book(''))
  assert.equal(first.counts.items.failed, 1)
  const { read, write } = await import('@e965/xlsx')
  const opened = read(await errorsFile(anna, first.job_id), { cellNF: true })
  const sheet = opened.Sheets['Items']
  assert.ok(sheet)
  assert.deepEqual([sheet['D2'].t, sheet['D2'].w, sheet['E2'].t, sheet['E2'].v], ['e', '#N/A', 'n', 60])
  sheet['C2'] = { t: 's', v: 'Corrected' }
  const again = await bringIn(anna, Buffer.from(write(opened, { type: 'buffer', bookType: 'xlsx' })))
  assert.deepEqual(
    again.errors.map(({ code, header }: { code: string; header: string }) => `${header} ${code}`),
    ['meta.a cell_error', 'meta.b invalid_date'],
  )
  assert.equal((await itemsIn(box)).length, 0)
})

test('a refused row lands once it changed or its error_code is empty', async () => {
  const anna = await aUser()
  await aBox(anna, 'box')
  const headers = ['item_key', 'collection_keys', 'name']
  const first = await bringIn(anna, {
    Items: [headers, ['A', 'box', 'One'], ['A', 'box', 'Two'], ['A', 'box', 'Three'], ['A', 'box', 'Four']],
  })
  assert.equal(first.counts.items.failed, 3)
  const rows = await rowsOf(await errorsFile(anna, first.job_id))
  assert.deepEqual(rows[0], [...headers, 'error_row', 'error_code', 'error_message', 'error_check'])
  assert.deepEqual(
    rows.slice(1).map((row) => [row[3], row[4]]),
    [3, 4, 5].map((row) => [row, 'duplicate_key_in_file']),
  )
  const [head = [], two = [], three = [], four = []] = rows
  // The columns may be in another order; that is no change.
  const turned = [head, two.with(0, 'B'), three.with(4, null), four].map((row) => row.toReversed())
  const again = await bringIn(anna, { Items: turned })
  assert.deepEqual(again.counts.items, { created: 1, updated: 1, unchanged: 0, failed: 1 })
  assert.deepEqual(
    again.errors.map(({ row, header, code }: Record<string, unknown>) => [row, header, code]),
    [[4, 'error_code', 'duplicate_key_in_file']],
  )
})

test('a row refused because of another is judged again', async () => {
  const anna = await aUser()
  const book: Book = {
    Items: [
      ['item_key', 'collection_keys', 'name'],
      ['A', 'late', 'One'],
    ],
  }
  const first = await bringIn(anna, book)
  assert.equal(first.counts.items.failed, 1)
  await aBox(anna, 'late')
  const again = await bringIn(anna, await errorsFile(anna, first.job_id))
  assert.equal(again.counts.items.created, 1, JSON.stringify(again.errors))
})

test('the workbook of errors holds all of 2,500 refused rows', async () => {
  const anna = await aUser()
  await aBox(anna, 'box')
  const many = Array.from({ length: 2_500 }, (_, row) => [
    `k${row}`,
    'box',
    row % 2 === 0 ? null : 'x'.repeat(301),
  ])
  const first = await bringIn(anna, { Items: [['item_key', 'collection_keys', 'name'], ...many] })
  assert.deepEqual([first.error_count, first.errors_truncated], [2_500, false])
  const rows = await rowsOf(await errorsFile(anna, first.job_id))
  assert.deepEqual(
    rows.slice(1).map(([key, , , row]) => [key, row]),
    many.map(([key], row) => [key, row + 2]),
  )
})
