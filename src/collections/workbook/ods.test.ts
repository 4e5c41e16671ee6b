import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '#foundation/errors.ts'
import { parseHere } from '#testing/parse-here.ts'
import { blankEntry, odsOf, odsPartsOf, withParts, type ZipEntry, zipOf } from '#testing/workbooks.ts'
import { precheck, type Row } from './reader.ts'

/** Reads the first sheet like production, but in this thread: pre-check, then the reader. */
async function read(bytes: Buffer) {
  const { sheets } = await precheck(bytes)
  const rows: Row[] = []
  const facts = await parseHere(bytes, {
    sheets: [sheets[0]?.name ?? ''],
    onRows: (batch) => void rows.push(...batch.rows),
  })
  return { rows, facts: facts.sheets[0], sheets }
}

async function refusal(bytes: Buffer): Promise<string> {
  try {
    await read(bytes)
    return 'read'
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return error.code
  }
}

const cell = (attributes: string, shown = '') =>
  `<table:table-cell ${attributes}>${shown === '' ? '' : `<text:p>${shown}</text:p>`}</table:table-cell>`
const text = (shown: string) => cell('office:value-type="string"', shown)
const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`
const rowsOf = async (rows: string) =>
  (await read(odsOf(rows))).rows.map(({ row: number, cells }) => [
    number,
    ...cells.map(({ column, text: shown }) => [column, shown]),
  ])
const cellsOf = async (cells: string) =>
  (await read(odsOf(row(cells)))).rows[0]?.cells.map(({ kind, value }) =>
    kind === 'text' ? value : [kind, value],
  )

describe('cells', () => {
  test('values keep their types and durations count beyond a day', async () => {
    assert.deepEqual(
      await cellsOf(
        cell('office:value-type="float" office:value="1871"', '1,871') +
          cell('office:value-type="percentage" office:value="0.125"', '12.5%') +
          cell('office:value-type="currency" office:value="-3.5"', '-€3.50') +
          cell('office:value-type="float" office:value="1.5E+003"', '1500') +
          cell('office:value-type="boolean" office:boolean-value="true"', 'WAHR') +
          cell('office:value-type="date" office:date-value="1871-03-01"', '1. März') +
          cell('office:value-type="date" office:date-value="2024-03-01T10:20:29.999999997"') +
          cell('office:value-type="time" office:time-value="PT30H15M00S"', '30:15:00') +
          cell('office:value-type="time" office:time-value="PT00H00M59.9999999S"') +
          cell('office:value-type="date" office:date-value="2023-02-29"', 'x') +
          cell('office:value-type="time" office:time-value="-PT1H"') +
          cell('office:value-type="float" office:value="0x10"') +
          cell('office:value-type="void"', 'x') +
          cell('office:value-type="string" office:string-value="whole"', 'who'),
      ),
      [
        ['number', 1871],
        ['number', 0.125],
        ['number', -3.5],
        ['number', 1500],
        ['boolean', true],
        ['date', '1871-03-01'],
        ['date', '2024-03-01T10:20:30'],
        ['date', '30:15:00'],
        ['date', '00:01:00'],
        ['invalid_date', '2023-02-29'],
        ['invalid_date', '-PT1H'],
        ['unreadable_text', '0x10'],
        ['unreadable_text', 'void'],
        'whole',
      ],
    )
  })

  test('booleans that Calc writes as formulas stay booleans', async () => {
    const float = (formula: string, value: number, shown: string) =>
      cell(`table:formula="${formula}" office:value-type="float" office:value="${value}"`, shown)
    assert.deepEqual(
      await cellsOf(
        float('of:=TRUE()', 1, 'WAHR') +
          float('of:=FALSE()', 0, 'FALSE') +
          float('of:=TRUE()+1', 2, '2') +
          float('constructor', 3, '3'),
      ),
      [
        ['boolean', true],
        ['boolean', false],
        ['number', 2],
        ['number', 3],
      ],
    )
  })

  test('leading zeros that a format shows are kept', async () => {
    const { rows } = await read(odsOf(row(cell('office:value-type="float" office:value="7"', '007'))))
    assert.equal(rows[0]?.cells[0]?.text, '007')
  })

  test('numbers shown as a pattern of digits keep what is shown', async () => {
    const float = (value: string, shown: string) =>
      cell(`office:value-type="float" office:value="${value}"`, shown)
    const { rows } = await read(
      odsOf(
        row(
          float('55512', '005-5512') +
            float('2125551234', '(212) 555-1234') +
            float('-5', '(5)') +
            float('42', 'INV-0042') +
            float('7', '7 kg'),
        ),
      ),
    )
    assert.deepEqual(
      rows[0]?.cells.map(({ text: kept }) => kept),
      ['005-5512', '(212) 555-1234', '-5', 'INV-0042', '7'],
    )
  })

  test('a spreadsheet without the part mimetype is known by its manifest', async () => {
    const manifest = (type: string) =>
      `<m:manifest xmlns:m="m"><m:file-entry m:full-path="/" m:media-type="application/vnd.oasis.opendocument.${type}"/></m:manifest>`
    const without = (type: string) =>
      odsOf(row(text('x')), (parts) =>
        withParts({ name: 'META-INF/manifest.xml', data: manifest(type) })(parts).filter(
          ({ name }) => name !== 'mimetype',
        ),
      )
    assert.equal(await refusal(without('spreadsheet')), 'read')
    assert.equal(await refusal(without('text')), 'not_xlsx')
  })

  test('numbers of more than fifteen digits are marked imprecise', async () => {
    const { rows } = await read(odsOf(row(cell('office:value-type="float" office:value="1.2E+019"', 'x'))))
    assert.equal(rows[0]?.cells[0]?.imprecise, true)
  })

  test('failed formulas are errors, and texts like them are texts', async () => {
    assert.deepEqual(
      await cellsOf(
        cell(
          'table:formula="of:=X()" office:value-type="string" office:string-value="" calcext:value-type="error"',
          '#NAME?',
        ) +
          cell('table:formula="of:=1/0" office:value-type="float" office:value="0"', 'Err:508') +
          cell('table:formula="of:=A1" office:value-type="string"', '#N/A') +
          text('#N/A') +
          cell('table:formula="of:=NOW()"') +
          cell('table:formula="of:=1+1" office:value-type="float" office:value="2"', '2'),
      ),
      [
        ['cell_error', '#NAME?'],
        ['cell_error', 'Err:508'],
        ['cell_error', '#N/A'],
        '#N/A',
        ['formula_without_value', ''],
        ['number', 2],
      ],
    )
  })

  test('paragraphs are lines, and comments are no text', async () => {
    const note = '<office:annotation><text:p>a comment</text:p></office:annotation>'
    assert.deepEqual(
      await cellsOf(
        `<table:table-cell office:value-type="string">${note}<text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d</text:p><text:p/><text:p>e <text:span>f<text:a>g</text:a></text:span>\n  h<text:note><text:p>x</text:p></text:note></text:p></table:table-cell>`,
      ),
      ['a  b\tc\nd\n\ne fg h'],
    )
  })
})

describe('rows', () => {
  test('repeated cells and rows are counted, blank ones passed over', async () => {
    assert.deepEqual(
      await rowsOf(
        row(text('a') + cell('table:number-columns-repeated="3"') + text('b')) +
          row(cell('table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1000000"') +
          row(
            cell('table:number-columns-repeated="2" office:value-type="string"', 'c'),
            'table:number-rows-repeated="2"',
          ) +
          row(cell('table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1048576"'),
      ),
      [
        [1, [1, 'a'], [5, 'b']],
        [1_000_002, [1, 'c'], [2, 'c']],
        [1_000_003, [1, 'c'], [2, 'c']],
      ],
    )
  })

  test('groups are read, pictures and covered cells are not', async () => {
    const { rows, facts } = await read(
      odsOf(
        `<table:shapes><x><table:table-row>${text('no')}</table:table-row></x></table:shapes>
         <table:table-header-rows>${row(text('head') + text('er'))}</table:table-header-rows>
         <table:table-row-group><table:table-row-group>${row(`<table:table-cell table:number-columns-spanned="2" office:value-type="string"><text:p>in</text:p><table:table><table:table-row>${text('no')}</table:table-row></table:table></table:table-cell><table:covered-table-cell office:value-type="string"><text:p>no</text:p></table:covered-table-cell>`, 'table:visibility="filter"')}</table:table-row-group></table:table-row-group>
         ${row(text('out'))}`,
      ),
    )
    assert.deepEqual(
      rows.map(({ row: number, hidden, cells }) => [number, hidden, cells.map((one) => one.text)]),
      [
        [1, false, ['head', 'er']],
        [2, true, ['in']],
        [3, false, ['out']],
      ],
    )
    assert.deepEqual(facts?.merges, [{ top: 2, left: 1, bottom: 2, right: 2 }])
  })

  test('hidden sheets, files referred to and changes are no sheets', async () => {
    const sheet = (name: string, style: string) =>
      `<table:table table:name="${name}" table:style-name="${style}">${row(text('name'))}</table:table>`
    const styles =
      '<style:style style:name="t2" style:family="table"><style:table-properties table:display="false"/></style:style>'
    const changes = `<table:tracked-changes>${row(text('no'))}</table:tracked-changes>`
    const body = `${changes}${sheet('Items', 't1')}${sheet('Old', 't2')}${sheet(`'file:///${'x'.repeat(50)}'#$A`, 't1')}`
    const { sheets } = await read(zipOf(odsPartsOf(body, styles)))
    assert.deepEqual(
      sheets.map(({ name, hidden }) => [name, hidden]),
      [
        ['Items', false],
        ['Old', true],
      ],
    )
  })

  test('sheets behind 16 MiB are found by the job', async () => {
    const many = row(text('x'.repeat(1000))).repeat(17_000)
    const sheet = (name: string, rows: string) => `<table:table table:name="${name}">${rows}</table:table>`
    const parts = odsPartsOf(sheet('Long', many) + sheet('Items', row(text('name'))))
    const bytes = zipOf(parts.map((part) => ({ ...part, method: 0 })))
    const names = async (isWhole: boolean) => {
      const { sheets, is_partial } = await precheck(bytes, undefined, isWhole)
      return [sheets.map(({ name }) => name), is_partial]
    }
    assert.deepEqual(await names(false), [['Long'], true])
    assert.deepEqual(await names(true), [['Long', 'Items'], undefined])
  })
})

const contentOf = (content: string) => withParts({ name: 'content.xml', data: content })
const mimetype = (data: string) => withParts({ name: 'mimetype', data })

const LAUGHS = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "ha">${Array.from({ length: 20 }, (_, i) => `<!ENTITY l${i + 1} "&l${i};&l${i};">`).join('')}]><a>&l20;</a>`

const HOSTILE: [string, Buffer, string][] = [
  ['a text filling all rows', odsOf(row(text('x'), 'table:number-rows-repeated="1048576"')), 'too_many_rows'],
  [
    'a text filling all columns',
    odsOf(row(cell('table:number-columns-repeated="16384" office:value-type="string"', 'x'))),
    'too_many_columns',
  ],
  [
    'a long text in 256 columns and 99,999 rows',
    odsOf(
      row(
        cell('table:number-columns-repeated="256" office:value-type="string"', 'x'.repeat(32_000)),
        'table:number-rows-repeated="99999"',
      ),
    ),
    'workbook_too_large',
  ],
  [
    'two thousand million spaces',
    odsOf(row(cell('office:value-type="string"', '<text:s text:c="999999999"/>'.repeat(50)))),
    'read',
  ],
  ['a negative repetition', odsOf(row(text('x'), 'table:number-rows-repeated="-1"')), 'unreadable_workbook'],
  ['a repetition of zero', odsOf(row(text('x'), 'table:number-rows-repeated="0"')), 'unreadable_workbook'],
  [
    'a row behind the last one',
    odsOf(row('', 'table:number-rows-repeated="1048576"') + row(text('x'))),
    'bad_row_numbers',
  ],
  [
    'a document type',
    odsOf('', contentOf('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')),
    'doctype_refused',
  ],
  [
    'cells that are repeated two thousand million times',
    odsOf(row(cell('table:number-columns-repeated="2147483648" office:value-type="string"', 'x'))),
    'unreadable_workbook',
  ],
  [
    'a cell for a thousand million columns',
    odsOf(row(cell('table:number-columns-repeated="999999999" office:value-type="string"', 'x'))),
    'too_many_columns',
  ],
  [
    'a row for a thousand million rows',
    odsOf(row(text('x'), 'table:number-rows-repeated="999999999"')),
    'too_many_rows',
  ],
  ['entities that unfold a million times', odsOf('', contentOf(LAUGHS)), 'doctype_refused'],
  [
    'a document type in UTF-16',
    odsOf('', withParts({ name: 'content.xml', data: Buffer.from(`\uFEFF${LAUGHS}`, 'utf16le') })),
    'doctype_refused',
  ],
  [
    'a document type in the manifest',
    odsOf('', withParts({ name: 'META-INF/manifest.xml', data: LAUGHS })),
    'doctype_refused',
  ],
  [
    'a content twice',
    odsOf('', (parts: ZipEntry[]) => [...parts, { name: 'Content.xml', data: 'x' }]),
    'unsafe_archive',
  ],
  [
    'an entry that is encrypted',
    odsOf('', (parts: ZipEntry[]) => [...parts, { name: 'secret.bin', data: 'x', flags: 0x801 }]),
    'unsafe_archive',
  ],
  ['an unknown entity', odsOf(row(text('&b;'))), 'unreadable_workbook'],
  [
    'other namespaces',
    odsOf('', contentOf('<office:document-content xmlns:office="urn:x"/>')),
    'unreadable_workbook',
  ],
  ['elements too deep', odsOf(row(text('<text:span>'.repeat(70)))), 'unreadable_workbook'],
  ['a text without tags', odsOf(row(text('x'.repeat(300_000)))), 'workbook_too_large'],
  ['a bomb', odsOf(`<!--${' '.repeat(40 * 2 ** 20)}-->`), 'workbook_too_large'],
  [
    'a long name of a sheet',
    zipOf(odsPartsOf(`<table:table table:name="${'x'.repeat(32)}"/>`)),
    'sheet_name_too_long',
  ],
  [
    'two sheets of one name',
    zipOf(odsPartsOf('<table:table table:name="A"/><table:table table:name="a"/>')),
    'unreadable_workbook',
  ],
  ['no content', zipOf(odsPartsOf('').slice(0, 1)), 'unreadable_workbook'],
  ['a text document', odsOf('', mimetype('application/vnd.oasis.opendocument.text')), 'not_xlsx'],
  ['a long type', odsOf('', mimetype('x'.repeat(10_000))), 'not_xlsx'],
  [
    'encryption in the manifest',
    odsOf(
      '',
      withParts({
        name: 'META-INF/manifest.xml',
        data: '<m:manifest xmlns:m="m"><m:encryption-data/></m:manifest>',
      }),
    ),
    'encrypted',
  ],
  [
    'a path out of the archive',
    odsOf('', (parts: ZipEntry[]) => [...parts, { name: '../content.xml', data: 'x' }]),
    'unsafe_archive',
  ],
]

describe('a hostile file', () => {
  for (const [what, bytes, code] of HOSTILE)
    test(`with ${what}: ${code}`, async () => assert.equal(await refusal(bytes), code))

  test('of one gibibyte unfolds nowhere, whether it says so or not', async () => {
    const gibibyte = blankEntry('content.xml', 1024)
    for (const [entry, code] of [
      [gibibyte, 'workbook_too_large'],
      [{ ...gibibyte, size: 15 * 2 ** 20 }, 'workbook_too_large'],
      // Not a part that is read.
      [{ ...gibibyte, name: 'styles.xml', size: 2 ** 20 }, 'read'],
      [{ ...gibibyte, name: 'Pictures/1.svg' }, 'workbook_too_large'],
    ] as const) {
      const before = process.memoryUsage().rss
      assert.equal(
        await refusal(odsOf(row(text('x')), withParts(entry))),
        code,
        `${entry.name} of ${entry.size}`,
      )
      const more = process.memoryUsage().rss - before
      assert.ok(more < 200 * 2 ** 20, `${more} bytes more`)
    }
  })
})
