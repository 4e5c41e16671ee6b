import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workbookOf } from '#testing/workbooks.ts'
import { parseInWorker, precheck } from './reader.ts'

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
const row = (cells: string, number: number) => `<row r="${number}">${cells}</row>`

describe('precheck', () => {
  test('reports name, visibility and first row of each sheet', async () => {
    const bytes = workbookOf({
      sheets: [
        { name: 'Read &amp; me', rows: row(text('Hello'), 1) },
        {
          name: 'Items',
          rows: row(text(' '), 1) + row('<c r="B3" t="s"><v>1</v></c><c t="s"><v>0</v></c>', 3),
        },
        { name: 'Late', rows: row(text('x'), 11) },
        { name: 'Empty', rows: '<row r="4"><c s="1"/></row>' },
        { name: 'Old', state: 'hidden', rows: row(text('x'), 1) },
        { name: 'Odd', rows: row('<c t="s"><v>99</v></c>', 1) },
        {
          name: 'Long',
          rows: Array.from({ length: 30_000 }, (_, index) => row('<c s="1"/>', index + 1)).join(''),
        },
      ],
      strings: '<si><t>name</t></si><si><t>item_key</t></si>',
      formats: [49],
    })
    const header = (number: number, ...cells: [number, string][]) => ({
      row: number,
      cells: cells.map(([column, value]) => ({ column, text: value })),
    })
    const { sheets } = await precheck(bytes)
    assert.deepEqual(
      sheets.map((sheet) => [sheet.name, sheet.hidden, sheet.header]),
      [
        ['Read & me', false, header(1, [1, 'Hello'])],
        ['Items', false, header(3, [2, 'item_key'], [3, 'name'])],
        ['Late', false, 'none'],
        ['Empty', false, 'none'],
        ['Old', true, 'unknown'],
        ['Odd', false, 'unknown'],
        ['Long', false, 'unknown'],
      ],
    )
    const { sheets: some } = await precheck(bytes, (name) => name === 'Items')
    assert.deepEqual(
      some.map(({ header: head }) => typeof head),
      ['string', 'object', 'string', 'string', 'string', 'string', 'string'],
    )
  })

  test('reads files like bytes and refuses more than 20 MiB', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lyceum-workbook-'))
    try {
      const bytes = workbookOf({ sheets: [{ name: 'Items', rows: row(text('name'), 1) }] })
      await writeFile(join(folder, 'good'), bytes)
      await writeFile(join(folder, 'large'), Buffer.alloc(20 * 2 ** 20 + 1))
      assert.deepEqual(await precheck(join(folder, 'good')), await precheck(bytes))
      await assert.rejects(precheck(join(folder, 'large')), { status: 413, code: 'file_too_large' })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('parseInWorker', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `<row>${text(`n${index}`)}</row>`).join('')
  const bytes = workbookOf({
    sheets: [
      { name: 'Collections', rows: many(3) },
      { name: 'Items', rows: many(2_000) },
    ],
  })

  test('returns the named sheets in order, batch by batch', async () => {
    const seen: string[] = []
    let inside = 0
    const facts = await parseInWorker(bytes, {
      sheets: ['Items', 'Collections'],
      onRows: async ({ sheet, rows }) => {
        assert.equal(++inside, 1)
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(...rows.map(({ cells }) => `${sheet} ${cells[0]?.text}`))
        inside--
      },
    })
    const names = (sheet: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${sheet} n${index}`)
    assert.deepEqual(seen, [...names('Items', 2_000), ...names('Collections', 3)])
    assert.deepEqual(
      facts.sheets.map(({ name, rows }) => [name, rows]),
      [
        ['Items', 2_000],
        ['Collections', 3],
      ],
    )
    assert.ok(bytes.length > 0 && bytes.subarray(0, 2).toString() === 'PK')
  })

  test('runs a mapper in the worker thread and returns its results', async () => {
    const mapper = (body: string) =>
      `data:text/javascript,${encodeURIComponent(`
      import { ApiError } from ${JSON.stringify(import.meta.resolve('#foundation/errors.ts'))}
      export function createMapper({ word }) { let count = 0; return { ${body} } }`)}`
    const counting = mapper(`
      rows: ({ rows }) => { count += rows.length; return undefined },
      end: ({ sheets }) => { const bytes = new TextEncoder().encode(word + count + sheets.length); return { value: bytes, transfer: [bytes.buffer] } }`)
    const got: Uint8Array[] = []
    await parseInWorker<Uint8Array>(bytes, {
      sheets: ['Items'],
      onRows: (batch) => void got.push(batch),
      mapper: { module: counting, options: { word: 'rows: ' } },
    })
    assert.deepEqual(
      got.map((one) => Buffer.from(one).toString()),
      ['rows: 20001'],
    )
    const refusing = mapper(
      `rows: () => { throw new ApiError(422, 'missing_header', word) }, end: () => undefined`,
    )
    await assert.rejects(
      parseInWorker(bytes, {
        sheets: ['Items'],
        onRows: () => {},
        mapper: { module: refusing, options: { word: 'no name' } },
      }),
      { status: 422, code: 'missing_header', detail: 'no name' },
    )
    const broken = mapper(`rows: () => count.x.y, end: () => undefined`)
    await assert.rejects(
      parseInWorker(bytes, { sheets: ['Items'], onRows: () => {}, mapper: { module: broken, options: {} } }),
      { code: 'parser_failed' },
    )
  })
})
