import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import XLSX from '@e965/xlsx'
import { writeErrorWorkbook } from './error-workbook.ts'
import { readWorkbook } from './read-workbook.ts'
import type { Row } from './reader.ts'
import { openWriter, type SheetDesign, type Value, writeWorkbookInWorker } from './writer.ts'

const design = (...headers: string[]): SheetDesign => ({
  name: 'Items',
  columns: headers.map((header) => ({ header, width: 20, is_text: true })),
  empty_rows: 2,
})

async function rowsOf(bytes: Buffer, sheet = 'Items'): Promise<Row[]> {
  const rows: Row[] = []
  await readWorkbook(bytes, [sheet], { onRows: (_, some) => void rows.push(...some) })
  return rows
}

describe('a written workbook', () => {
  test('H25: writes formula-like texts as text cells', async () => {
    const texts = ['=1+1', '+1', '-1', '@sum', '\tx', "=cmd|' /C calc'!A0", '=HYPERLINK("http://127.0.0.1")']
    const bytes = await writeWorkbookInWorker([{ design: design('name'), rows: texts.map((text) => [text]) }])
    const book = XLSX.read(bytes, { cellNF: true, bookFiles: true, sheetStubs: true })
    for (const [index, text] of texts.entries()) {
      const cell = book.Sheets['Items']?.[`A${index + 2}`] as XLSX.CellObject
      assert.deepEqual([cell.t, cell.v, cell.z, cell.f], ['s', text, '@', undefined])
    }
    const { files } = book as unknown as { files: Record<string, { content?: Uint8Array }> }
    const xml = Buffer.from(files['xl/worksheets/sheet1.xml']?.content ?? []).toString()
    assert.match(xml, /<c r="A2"/)
    assert.doesNotMatch(xml, /<f[ >]/)
    // Input in the rows below stays text too.
    assert.equal((book.Sheets['Items']?.['A9'] as XLSX.CellObject | undefined)?.z, '@')
  })

  test('H26: returns a text that looks like an escape unchanged', async () => {
    const texts = ['_x000D_', 'a_x005F_x000D_b', '_x00e9_', '__x0041__', '_xyz_', '_x000D', '\uFFFE\uFFFF']
    const bytes = await writeWorkbookInWorker([{ design: design('name'), rows: texts.map((text) => [text]) }])
    assert.deepEqual(
      (await rowsOf(bytes)).slice(1).map(({ cells }) => cells[0]?.text),
      texts,
    )
  })

  test('keeps numbers and booleans typed, and error names as text', async () => {
    const values: Value[] = [5, -0.5, true, false, '#REF!', '#N/A', '5', null, 'TRUE']
    const bytes = await writeWorkbookInWorker([
      { design: design(...values.map((_, index) => `h${index}`)), rows: [values] },
    ])
    const [, row] = await rowsOf(bytes)
    assert.deepEqual(
      row?.cells.map(({ column, kind, value }) => [column, kind, value]),
      values.flatMap((value, index) =>
        value === null ? [] : [[index + 1, typeof value === 'string' ? 'text' : typeof value, value]],
      ),
    )
  })

  test('returns refused rows under their own sheets and headers, with reasons', async () => {
    const bytes = await writeErrorWorkbook([
      {
        name: 'Items',
        headers: ['item_key', 'name*', '', 'meta.day'],
        rows: [
          {
            cells: ['007', null, { error: '#N/A' }, { date: 60 }],
            error_row: 7,
            error_code: 'required',
            error_message: 'name is empty',
            error_check: 'abc',
          },
          {
            cells: ['008'],
            error_row: 9,
            error_code: 'too_long',
            error_message: 'x'.repeat(40_000),
            error_check: null,
          },
        ],
      },
    ])
    const [header, first, second] = await rowsOf(bytes)
    assert.deepEqual(
      header?.cells.map(({ column, text }) => [column, text]),
      [
        [1, 'item_key'],
        [2, 'name*'],
        [4, 'meta.day'],
        [5, 'error_row'],
        [6, 'error_code'],
        [7, 'error_message'],
        [8, 'error_check'],
      ],
    )
    assert.deepEqual(
      first?.cells.map(({ column, kind, value }) => [column, kind, value]),
      [
        [1, 'text', '007'],
        [3, 'cell_error', '#N/A'],
        [4, 'invalid_date', '60'],
        [5, 'number', 7],
        [6, 'text', 'required'],
        [7, 'text', 'name is empty'],
        [8, 'text', 'abc'],
      ],
    )
    assert.equal(second?.cells.at(-1)?.text.length, 32_001)
  })

  test('sends rows before the last ones are there', async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => [randomUUID(), n, n % 2 === 0])
    const writer = await openWriter([design('name', 'number', 'flag'), { ...design('name'), name: 'Last' }])
    writer.add(0, rows)
    const pieces: Buffer[] = []
    while (Buffer.concat(pieces).length < 30_000) pieces.push((await once(writer.stream, 'data'))[0])
    writer.stream.on('data', (piece: Buffer) => pieces.push(piece))
    writer.add(1, [['last']])
    writer.finish()
    await once(writer.stream, 'end')
    const bytes = Buffer.concat(pieces)
    const book = XLSX.read(bytes)
    assert.deepEqual(
      XLSX.utils.sheet_to_json(book.Sheets['Items'] ?? {}, { header: 1, blankrows: false }).slice(1),
      rows,
    )
    assert.deepEqual(
      (await rowsOf(bytes, 'Last'))[1]?.cells.map(({ text }) => text),
      ['last'],
    )
  })

  test('writes fifty at once or answers busy, and frees cancelled slots', async () => {
    const dropped = await openWriter([design('name')])
    await once(dropped.stream.destroy(), 'close')
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        writeWorkbookInWorker([{ design: design('name'), rows: [[`n${index}`]] }]),
      ),
    )
    const written = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(written.length, 22)
    for (const one of all) if (one.status === 'rejected') assert.equal(one.reason.code, 'busy')
    for (const bytes of written) assert.equal((await rowsOf(bytes)).length, 2)
  })
})
