import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '#foundation/errors.ts'
import { partsOf, workbookOf, zipOf } from '#testing/workbooks.ts'
import { readWorkbook } from './read-workbook.ts'
import { precheck } from './reader.ts'

/** The errors allowed for a randomly damaged file. */
const CODES = new Set([
  'unreadable_workbook',
  'unsafe_archive',
  'not_xlsx',
  'workbook_too_large',
  'bad_row_numbers',
  'too_many_columns',
  'doctype_refused',
  'too_many_rows',
  'merged_header',
  'legacy_xls',
])

const workbook = {
  sheets: [
    {
      name: 'Items',
      rows: Array.from(
        { length: 40 },
        (_, row) =>
          `<row r="${row + 1}"><c r="A${row + 1}" t="s"><v>${row % 3}</v></c><c r="B${row + 1}" s="1"><v>${row * 1_000}</v></c></row>`,
      ).join(''),
    },
  ],
  strings: '<si><t>a</t></si><si><t>b</t></si><si><r><t>c</t></r></si>',
  formats: [14],
}
const good = workbookOf(workbook)

/** Reads like production, but in this thread, so that no error detail is lost. */
async function fate(bytes: Buffer): Promise<string> {
  try {
    const { sheets } = await precheck(bytes)
    await readWorkbook(
      bytes,
      sheets.slice(0, 1).map(({ name }) => name),
      { onRows: () => {} },
    )
    return 'read'
  } catch (error) {
    assert.ok(error instanceof ApiError, String((error as Error).stack))
    assert.ok(CODES.has(error.code), error.code)
    return error.code
  }
}

describe('a damaged file', () => {
  test('is refused when truncated anywhere', async () => {
    assert.equal(await fate(good), 'read')
    for (let length = 0; length < good.length; length += 7)
      assert.notEqual(await fate(good.subarray(0, length)), 'read', `cut at ${length}`)
  })

  test('with one flipped bit is either read or refused', async () => {
    const seen = new Set<string>()
    for (let at = 0; at < good.length; at += 3) {
      const bytes = Buffer.from(good)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 7))
      seen.add(await fate(bytes))
    }
    assert.ok(seen.has('unreadable_workbook') && seen.has('unsafe_archive'), [...seen].join())
  })

  test('with changed XML under a valid checksum is read or refused', async () => {
    const parts = partsOf(workbook)
    const marks = [
      '<',
      '>',
      '"',
      '&',
      '/',
      ' ',
      '0',
      '9',
      '\u0000',
      '\uFFFD',
      'r',
      ']]>',
      '<!--',
      '<?',
      '&#0;',
    ]
    for (let round = 0; round < 450; round++) {
      const target = round % parts.length
      const changed = parts.map((part, index) => {
        if (index !== target) return part
        const text = String(part.data)
        const at = (round * 7_919) % text.length
        return {
          ...part,
          data: text.slice(0, at) + (marks[round % marks.length] ?? '') + text.slice(at + (round % 3)),
        }
      })
      await fate(zipOf(changed))
    }
  })
})
