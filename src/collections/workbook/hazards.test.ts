import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '#foundation/errors.ts'
import { parseHere } from '#testing/parse-here.ts'
import {
  blankEntry,
  MAIN,
  partsOf,
  relationships,
  type SheetXml,
  withParts,
  workbookOf,
  type WorkbookXml,
  type ZipEntry,
  zipOf,
} from '#testing/workbooks.ts'
import { readWorkbook } from './read-workbook.ts'
import { type Cell, type Facts, parseInWorker, precheck, type Row, type RowBatch } from './reader.ts'

const MB = 2 ** 20

type Reading = { rows: Row[]; facts: Facts }

/** Reads the first sheet like production, but in this thread: pre-check, then the reader. */
async function read(bytes: Buffer): Promise<Reading> {
  const rows: Row[] = []
  return { facts: await pass(bytes, (batch) => void rows.push(...batch.rows)), rows }
}

async function pass(bytes: Buffer, onRows: (batch: RowBatch) => void): Promise<Facts> {
  const { sheets } = await precheck(bytes)
  return parseHere(bytes, { sheets: [sheets[0]?.name ?? ''], onRows })
}

/** The code of the refusal, which must not cost much memory. */
async function refusal(bytes: Buffer): Promise<string> {
  const before = process.memoryUsage.rss()
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 5)
  try {
    await pass(bytes, () => {})
    return 'read'
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.ok(error.status === 415 || error.status === 413 || error.status === 422)
    return error.code
  } finally {
    clearInterval(watch)
    assert.ok(most < 150 * MB, `the process grew by ${Math.round(most / MB)} MiB`)
  }
}

const shown = ({ kind, text }: Cell) => (kind === 'text' ? text : [kind, text])
/** Rows by number, as texts; cells of another kind as kind and text. */
const table = ({ rows }: Reading) =>
  Object.fromEntries(
    rows.map(({ row, cells }) => [row, Object.fromEntries(cells.map((cell) => [cell.column, shown(cell)]))]),
  )

/** A single sheet with these rows. */
const sheet = (rows: string, rest: Partial<WorkbookXml> & Pick<SheetXml, 'after'> = {}) =>
  workbookOf({ sheets: [{ name: 'Items', rows, ...(rest.after && { after: rest.after }) }], ...rest })
const row = (cells: string, number = 1) => `<row r="${number}">${cells}</row>`
/** A row of cells without references: A, B, C … */
const cellsOf = async (cells: string, rest: Partial<WorkbookXml> = {}) =>
  Object.values(table(await read(sheet(row(cells), rest)))[1] ?? {})

describe('cells', () => {
  test('H1: a formula yields its stored result, or is reported', async () => {
    assert.deepEqual(
      await cellsOf(`
        <c><f>1+1</f><v>2</v></c><c t="str"><f>A1&amp;"x"</f><v>2x</v></c>
        <c><f t="shared" ref="C1:D1" si="0">A1</f><v>3</v></c><c><f t="shared" si="0"/><v>4</v></c>
        <c><f t="array" ref="E1">SUM(A1:B1)</f><v>5</v></c><c><f>NOW()</f></c><c><f>NOW()</f><v></v></c>
        <c t="b"><f>TRUE()</f><v>1</v></c>`),
      [
        ['number', '2'],
        '2x',
        ['number', '3'],
        ['number', '4'],
        ['number', '5'],
        ['formula_without_value', ''],
        ['formula_without_value', ''],
        ['boolean', 'true'],
      ],
    )
  })

  test('H2: distinguishes error cells from texts like #REF!', async () => {
    assert.deepEqual(
      await cellsOf(
        '<c t="e"><v>#REF!</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c><c t="inlineStr"><is><t>#REF!</t></is></c><c t="s"><v>0</v></c>',
        { strings: '<si><t>#N/A</t></si>' },
      ),
      [['cell_error', '#REF!'], ['cell_error', '#DIV/0!'], '#REF!', '#N/A'],
    )
  })

  const DATE_FORMATS = [
    14,
    'yyyy\\-mm\\-dd',
    '[$-407]d. mmmm yyyy;@',
    22,
    '"day "0',
    45,
    '[Red]#,##0',
    30,
    57,
    'h:mm',
  ] as const
  test('H3: reads dates as naive, in both date systems', async () => {
    const number = (style: number, value: string) => `<c s="${style}"><v>${value}</v></c>`
    const cells = [
      number(1, '1'),
      number(2, '59'),
      number(3, '60'),
      number(1, '61'),
      number(4, '24532.5729166667'),
      number(5, '7'),
      number(6, '0.5'),
      number(7, '8'),
      number(8, '36526'),
      number(9, '-5'),
      number(1, '2958465'),
      number(1, '2958466'),
      number(10, '0'),
      number(1, '45000.999999'),
    ].join('')
    const iso =
      '<c t="d"><v>2024-02-29T10:00:00Z</v></c><c t="d"><v>2023-02-29</v></c><c t="d"><v>10:30</v></c>'
    const dates = [
      ['date', '1900-01-01'],
      ['date', '1900-02-28'],
      ['invalid_date', '60'],
      ['date', '1900-03-01'],
      ['date', '1967-03-01T13:45:00'],
      ['number', '7'],
      ['date', '12:00:00'],
      ['number', '8'],
      ['date', '2000-01-01'],
      ['invalid_date', '-5'],
      ['date', '9999-12-31'],
      ['invalid_date', '2958466'],
      ['date', '00:00:00'],
      ['date', '2023-03-16'],
      ['date', '2024-02-29T10:00:00'],
      ['invalid_date', '2023-02-29'],
      ['date', '10:30:00'],
    ]
    assert.deepEqual(await cellsOf(cells + iso, { formats: DATE_FORMATS }), dates)
    assert.deepEqual(
      await cellsOf(
        number(1, '1') + number(1, '60') + number(1, '35064') + number(1, '2957003') + number(1, '2957004'),
        {
          formats: DATE_FORMATS,
          date1904: true,
        },
      ),
      [
        ['date', '1904-01-02'],
        ['date', '1904-03-01'],
        ['date', '2000-01-01'],
        ['date', '9999-12-31'],
        ['invalid_date', '2957004'],
      ],
    )
  })

  test('H3: reads a duration of over 24 hours as hours, not as a date', async () => {
    const formats = ['[h]:mm:ss', '[hh]:mm', '[mm]:ss', 46, '"[h]"d.m.yy', '[h]" h "mm']
    const values = [1.2604166666666667, 60, 0.5, 4.25, 2, -1]
    const cells = values.map((value, index) => `<c s="${index + 1}"><v>${value}</v></c>`).join('')
    const durations = [
      ['date', '30:15:00'],
      ['date', '1440:00:00'],
      ['date', '12:00:00'],
      ['date', '102:00:00'],
      ['date', '1900-01-02'],
      ['invalid_date', '-1'],
    ]
    assert.deepEqual(await cellsOf(cells, { formats }), durations)
    const in1904 = await cellsOf(cells, { formats, date1904: true })
    assert.deepEqual(in1904.slice(0, 4), durations.slice(0, 4))
  })

  test('H4: what looks like a date in a text stays text', async () => {
    assert.deepEqual(
      await cellsOf('<c t="inlineStr"><is><t>03/04/1967</t></is></c><c t="str"><v>1967-04-03</v></c>'),
      ['03/04/1967', '1967-04-03'],
    )
  })

  test('H5: writes numbers in shortest form and reports more than 15 digits', async () => {
    const { rows } = await read(
      sheet(
        row(
          '<c s="1"><v>991</v></c><c><v>990</v></c><c><v>12345678901234600</v></c><c><v>0.1</v></c><c><v>1E5</v></c><c><v>0.30000000000000004</v></c><c s="1"><v>-7</v></c><c><v>123456789012345</v></c><c s="2"><v>42</v></c><c><v>NaN</v></c><c><v>1e999</v></c>',
        ),
        { formats: ['00000', '0'] },
      ),
    )
    assert.deepEqual(
      rows[0]?.cells.map(({ kind, text, value, imprecise }) => [kind, text, value, imprecise]),
      [
        ['number', '00991', 991, false],
        ['number', '990', 990, false],
        ['number', '12345678901234600', 12345678901234600, true],
        ['number', '0.1', 0.1, false],
        ['number', '100000', 100_000, false],
        ['number', '0.30000000000000004', 0.30000000000000004, true],
        ['number', '-00007', -7, false],
        ['number', '123456789012345', 123456789012345, false],
        ['number', '42', 42, false],
        ['unreadable_text', 'NaN', 'NaN', false],
        ['unreadable_text', '1e999', '1e999', false],
      ],
    )
  })

  test('H6: booleans are booleans', async () => {
    assert.deepEqual(await cellsOf('<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="b"><v>7</v></c>'), [
      ['boolean', 'true'],
      ['boolean', 'false'],
      ['unreadable_text', '7'],
    ])
    assert.deepEqual(await cellsOf('<c t="b"><v>true</v></c><c t="b"><v>false</v></c>'), [
      ['boolean', 'true'],
      ['boolean', 'false'],
    ])
  })

  test('text is read wherever a writer has put it in its cell', async () => {
    assert.deepEqual(
      await cellsOf(
        `<c t="inlineStr"><t>bare</t></c><c t="inlineStr"><v>value</v></c><c t="str"><is><t>of a formula</t></is></c>
         <c><is><r><t>without </t></r><r><t>type</t></r></is></c>`,
      ),
      ['bare', 'value', 'of a formula', 'without type'],
    )
  })

  test('numbers whose format is a pattern of digits keep what is shown', async () => {
    const shown = [
      ['000-0000', '55512', '005-5512'],
      ['00000\\-0000', '123456789', '12345-6789'],
      ['000"-"00"-"0000', '12345678', '012-34-5678'],
      ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '5551234', '555-1234'],
      ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', '2125551234', '(212) 555-1234'],
      ['"INV-"0000', '42', 'INV-0042'],
      ['0000;[Red]\\-0000', '-7', '-0007'],
      ['000-0000', '12345678', '1234-5678'],
      ['#,##0', '1234567', '1234567'],
      ['# ##0', '1234567', '1234567'],
      ['0.00', '7', '7'],
      ['0" kg"', '7', '7'],
      ['# ?/?', '7', '7'],
      ['0.00;(0.00)', '-7', '-7'],
      ['000-0000', '1.5', '1.5'],
    ] as const
    const formats = shown.map(([format]) => format)
    const cells = shown.map(([, value], index) => `<c s="${index + 1}"><v>${value}</v></c>`).join('')
    assert.deepEqual(
      await cellsOf(cells, { formats }),
      shown.map(([, , text]) => ['number', text]),
    )
  })

  test('H7: reads shared strings after the sheet, whatever their counts', async () => {
    const data = `<sst xmlns="${MAIN}" count="1" uniqueCount="99999999999"><si><t>one</t></si><si><t>two</t></si></sst>`
    const bytes = workbookOf(
      { sheets: [{ name: 'Items', rows: row('<c t="s"><v>1</v></c><c t="s"><v>0</v></c>') }], strings: '' },
      withParts({ name: 'xl/sharedStrings.xml', data }),
    )
    assert.deepEqual(table(await read(bytes)), { 1: { 1: 'two', 2: 'one' } })
  })

  test('H8: a missing shared string is an error of that cell', async () => {
    assert.deepEqual(
      await cellsOf('<c t="s"><v>1</v></c><c t="s"><v>-1</v></c><c t="s"><v>x</v></c><c t="s"><v>0</v></c>', {
        strings: '<si><t>only</t></si>',
      }),
      [['unreadable_text', ''], ['unreadable_text', ''], ['unreadable_text', ''], 'only'],
    )
  })

  test('H9: joins runs, drops phonetics, decodes escapes and keeps spaces', async () => {
    const rich =
      '<r><rPr><b/></rPr><t>bold </t></r><r><t xml:space="preserve"> plain</t></r><rPh sb="0" eb="1"><t>PHONETIC</t></rPh><phoneticPr fontId="1"/>'
    const texts = [
      `<si>${rich}</si>`,
      '<si><t>a_x000D_b_x005F_x000D_c_x41_</t></si>',
      '<si><t><![CDATA[<b>&amp;]]> &lt;i&gt;</t></si>',
      '<si><t xml:space="preserve">  kept  </t></si>',
      '<si><t>_xD83D__xDE00_</t></si>',
      '<si><t>_xD83D_</t></si>',
    ]
    assert.deepEqual(
      await cellsOf(
        `${texts.map((_, index) => `<c t="s"><v>${index}</v></c>`).join('')}<c t="inlineStr"><is>${rich}</is></c><c t="str"><v>_x0041_</v></c><c t="inlineStr"><is><t>_xDC00_</t></is></c>`,
        { strings: texts.join('') },
      ),
      [
        'bold  plain',
        'a\rb_x000D_c_x41_',
        '<b>&amp; <i>',
        '  kept  ',
        '😀',
        ['unreadable_text', ''],
        'bold  plain',
        'A',
        ['unreadable_text', '\uDC00'],
      ],
    )
  })

  test('H10: reads prefixes, strict OOXML, odd paths and UTF-16', async () => {
    const strict = 'http://purl.oclc.org/ooxml'
    const workbook = `<x:workbook xmlns:x="${strict}/spreadsheetml/main" xmlns:q="${strict}/officeDocument/relationships"><x:sheets><x:sheet name="Items" sheetId="9" q:id="z"/></x:sheets></x:workbook>`
    const xml = `<?xml version="1.0" encoding="UTF-16"?><x:worksheet xmlns:x="${strict}/spreadsheetml/main"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>Ä€😀</x:t></x:is></x:c><x:c><x:v>5</x:v></x:c></x:row><x:row><x:c r="C2"><x:v>6</x:v></x:c><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>`
    const link = (id: string, type: string, target: string) =>
      `<Relationships><Relationship Id="${id}" Type="${strict}/officeDocument/relationships/${type}" Target="${target}"/><Relationship Id="gone" TargetMode="External" Type="a/relationships/sharedStrings" Target="http://127.0.0.1:1/"/></Relationships>`
    const types = `<Types><Override PartName="/Deep/Book.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`
    for (const bytes of [
      Buffer.from(`\uFEFF${xml}`, 'utf16le'),
      Buffer.from(xml, 'utf16le'),
      Buffer.from(`\uFEFF${xml}`, 'utf16le').swap16(),
    ]) {
      const read1 = await read(
        zipOf([
          { name: '[Content_Types].xml', data: types },
          { name: '_rels/.rels', data: link('a', 'officeDocument', '/Deep/Book.xml') },
          { name: 'Deep/_rels/Book.xml.rels', data: link('z', 'worksheet', '../Odd%20Place/S.XML') },
          { name: 'Deep/Book.xml', data: workbook },
          { name: 'odd place/s.xml', data: bytes },
        ]),
      )
      assert.deepEqual(table(read1), {
        1: { 1: 'Ä€😀', 2: ['number', '5'] },
        2: { 3: ['number', '6'], 4: ['number', '7'] },
      })
    }
  })

  test('H22: returns text unchanged, control characters included', async () => {
    assert.deepEqual(await cellsOf('<c t="inlineStr"><is><t>\u200Bz\u00A0_x0001_e\u0301</t></is></c>'), [
      '\u200Bz\u00A0\u0001e\u0301',
    ])
    assert.equal(
      await refusal(sheet(row('<c t="inlineStr"><is><t>\u0001</t></is></c>'))),
      'unreadable_workbook',
    )
    const broken = workbookOf(
      { sheets: [{ name: 'Items' }] },
      withParts({
        name: 'xl/worksheets/sheet1.xml',
        data: Buffer.from(`<worksheet>\u00ff</worksheet>`, 'latin1'),
      }),
    )
    assert.equal(await refusal(broken), 'unreadable_workbook')
  })
})

describe('rows and sheets', () => {
  test('H11: ignores a false dimension and refuses column 257', async () => {
    const far =
      row('<c r="A1"><v>1</v></c>') + row('<c r="IV1048576"><v>2</v></c><c r="XFD1048576" s="1"/>', 1_048_576)
    const xml = `<worksheet xmlns="${MAIN}"><dimension ref="A1:XFD1048576"/><sheetData>${far}</sheetData></worksheet>`
    const bytes = workbookOf({ sheets: [{ name: 'Items', xml }], formats: [0] })
    assert.deepEqual(table(await read(bytes)), {
      1: { 1: ['number', '1'] },
      1048576: { 256: ['number', '2'] },
    })
    assert.equal(await refusal(sheet(row('<c r="IW1"><v>2</v></c>'))), 'too_many_columns')
    assert.equal(await refusal(sheet(row('<c r="XFD1048576"><v>2</v></c>', 1_048_576))), 'too_many_columns')
  })

  const ONE = '<c><v>1</v></c>'
  for (const [what, rows] of [
    ['number 0', row(ONE, 0)],
    ['a number twice', row(ONE) + row(ONE)],
    ['descending numbers', row(ONE, 5) + row(ONE, 4)],
    ['a number that is none', `<row r="1e3">${ONE}</row>`],
    ['a number past the last row', row(ONE, 1_048_577)],
    ['the same cell twice', row('<c r="B1"><v>1</v></c><c r="B1"><v>1</v></c>')],
    ['cells out of order', row('<c r="B1"><v>1</v></c><c r="A1"><v>1</v></c>')],
    ['a cell of another row', row('<c r="B2"><v>1</v></c>')],
    ['a column past the last one', row('<c r="XFE1"><v>1</v></c>')],
    ['a reference that is none', row('<c r="$B$1"><v>1</v></c>')],
  ] as const)
    test(`H12: ${what} is refused`, async () => {
      assert.equal(await refusal(sheet(rows)), 'bad_row_numbers')
    })

  test('H26: refuses a sheet name over 31 characters', async () => {
    const named = (...names: string[]) =>
      workbookOf({ sheets: names.map((name) => ({ name, rows: row(ONE) })) })
    assert.equal(await refusal(named('x'.repeat(31))), 'read')
    assert.equal(await refusal(named('x'.repeat(32))), 'sheet_name_too_long')
    assert.equal(await refusal(named('Items', `Items${' '.repeat(200_000)}*`)), 'sheet_name_too_long')
  })

  test('H19: reports hidden sheets, reads hidden rows', async () => {
    const bytes = workbookOf({
      sheets: [
        {
          name: 'Items',
          rows:
            row(ONE) +
            `<row r="2" hidden="1">${ONE}</row><row r="4" hidden="true">${ONE}</row><row r="5" hidden="1"/>`,
        },
        { name: 'Secret', state: 'veryHidden', rows: row(ONE) },
        { name: 'Old', state: 'hidden' },
      ],
    })
    const { sheets } = await precheck(bytes)
    assert.deepEqual(
      sheets.map(({ name, hidden }) => [name, hidden]),
      [
        ['Items', false],
        ['Secret', true],
        ['Old', true],
      ],
    )
    const { rows, facts } = await read(bytes)
    assert.deepEqual(
      rows.map(({ row: number, hidden }) => [number, hidden]),
      [
        [1, false],
        [2, true],
        [4, true],
      ],
    )
    const [{ hidden_rows, first_hidden_row } = assert.fail()] = facts.sheets
    assert.deepEqual({ hidden_rows, first_hidden_row }, { hidden_rows: 2, first_hidden_row: 2 })
  })

  test('H20: reports merged data and refuses a merged header', async () => {
    const data = row('<c r="A1"><v>1</v></c>') + row('<c r="A2"><v>2</v></c><c r="B2"/>', 2)
    const merged = (ref: string) =>
      sheet(data, { after: `<mergeCells count="9"><mergeCell ref="${ref}"/></mergeCells>` })
    const reading = await read(merged('A2:B3'))
    assert.deepEqual(table(reading), { 1: { 1: ['number', '1'] }, 2: { 1: ['number', '2'] } })
    assert.deepEqual(reading.facts.sheets[0]?.merges, [{ top: 2, left: 1, bottom: 3, right: 2 }])
    assert.equal(await refusal(merged('A1:B1')), 'merged_header')
    assert.equal(await refusal(merged('A1:A2')), 'merged_header')
    // Merges beside the header, and a one-cell merge: neither hides data.
    assert.equal(await refusal(merged('C1:D1')), 'read')
    assert.equal(await refusal(merged('A1')), 'read')
  })

  test('H21: skips empty, blank and merely formatted rows', async () => {
    const tail = Array.from({ length: 500 }, (_, index) =>
      row('<c s="1"/><c t="s" s="1"/>', index + 10),
    ).join('')
    const blanks = row('<c t="inlineStr"><is><t> \u00A0\n</t></is></c><c t="inlineStr"><is><t/></is></c>', 5)
    const { rows, facts } = await read(
      sheet(row(ONE) + row('', 3) + blanks + row(ONE, 7) + tail, { formats: [0] }),
    )
    assert.deepEqual(
      rows.map(({ row: number }) => number),
      [1, 7],
    )
    assert.equal(facts.sheets[0]?.rows, 2)
  })

  test('H23: refuses too many rows while reading, over all sheets', async () => {
    const many = (count: number) => Array.from({ length: count }, () => '<row><c><v>1</v></c></row>').join('')
    assert.equal(await refusal(sheet(many(100_002))), 'too_many_rows')
    assert.equal(await refusal(sheet(many(100_001))), 'read')
    const two = workbookOf({
      sheets: [
        { name: 'Collections', rows: many(6) },
        { name: 'Items', rows: many(7) },
      ],
    })
    const readTwo = (dataRows: number) =>
      readWorkbook(two, ['Collections', 'Items'], { onRows: () => {}, dataRows })
    await assert.rejects(readTwo(10), { code: 'too_many_rows' })
    assert.equal((await readTwo(11)).sheets.length, 2)
  })
})

describe('archives', () => {
  const plain = (rows = row('<c><v>1</v></c>')): WorkbookXml => ({ sheets: [{ name: 'Items', rows }] })
  const bombOf = (blocks: number) => blankEntry('xl/worksheets/sheet1.xml', blocks)

  test('H13: refuses zip bombs and too many parts or texts', async () => {
    assert.equal(await refusal(workbookOf(plain(), withParts(bombOf(600)))), 'workbook_too_large')
    const stored = (index: number): ZipEntry => ({
      name: `xl/media/${index}.bin`,
      data: '',
      size: 270 * MB,
      packed: Buffer.alloc(3 * MB),
    })
    assert.equal(await refusal(workbookOf(plain(), withParts(stored(1), stored(2)))), 'workbook_too_large')
    assert.equal(
      await refusal(workbookOf(plain(), withParts({ ...bombOf(600), size: 1000 }))),
      'unsafe_archive',
    )
    assert.equal(
      await refusal(workbookOf(plain(), withParts({ ...bombOf(100), size: 15 * MB }))),
      'workbook_too_large',
    )
    const entries = Array.from({ length: 2_000 }, (_, index) => ({ name: `xl/media/${index}`, data: '' }))
    assert.equal(await refusal(zipOf([...partsOf(plain()), ...entries])), 'workbook_too_large')
    const texts = { ...bombOf(129), name: 'xl/sharedStrings.xml', packed: Buffer.alloc(2 * MB) }
    assert.equal(
      await refusal(workbookOf(plain(row('<c t="s"><v>0</v></c>')), withParts(texts))),
      'workbook_too_large',
    )
    const large = Buffer.concat([workbookOf(plain()), Buffer.alloc(20 * MB)])
    assert.equal(await refusal(large), 'file_too_large')
  })

  test('a sheet of 57 MB from a small file is read in a quarter of the memory', async () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(100)
    const rows = `<row>${cells}</row>`.repeat(27_000)
    const bytes = workbookOf({ sheets: [{ name: 'Items', rows }], strings: '<si><t>shared</t></si>' })
    assert.ok(rows.length > 56e6 && rows.length > 110 * bytes.length, `${rows.length} from ${bytes.length}`)
    assert.equal((await precheck(bytes)).sheets[0]?.name, 'Items')
    let last: Row | undefined
    const facts = await parseInWorker(bytes, {
      sheets: ['Items'],
      onRows: (batch: RowBatch) => void (last = batch.rows.at(-1) ?? last),
      limits: { heapMb: 64 },
    })
    assert.equal(facts.sheets[0]?.rows, 27_000)
    assert.deepEqual([last?.cells.length, last?.cells.at(-1)?.text], [100, 'shared'])
  })

  test('H14: bounds long, huge and often repeated texts', async () => {
    const huge = 'x'.repeat(600_000)
    assert.equal(
      await refusal(sheet(row(`<c t="inlineStr"><is><t>${huge}</t></is></c>`))),
      'workbook_too_large',
    )
    assert.equal(await refusal(sheet(row(`<!-- ${'<'.repeat(600_000)} -->`))), 'workbook_too_large')
    assert.equal(await refusal(sheet(row(`<c a="${huge}"/>`))), 'workbook_too_large')
    const long = 'y'.repeat(32_767)
    const run = `<r><t>${long}</t></r>`
    const cells = `<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="inlineStr"><is>${run}${run}</is></c>`
    const [whole, over, joined] = await cellsOf(cells, {
      strings: `<si><t>${long}</t></si><si><t>${long}y</t></si>`,
    })
    assert.equal(whole, long)
    assert.deepEqual(
      [over, joined],
      [
        ['too_long', long.slice(0, 100)],
        ['too_long', long.slice(0, 100)],
      ],
    )
    const used = Array.from({ length: 17_000 }, () => '<row><c t="s"><v>0</v></c></row>').join('')
    assert.equal(await refusal(sheet(used, { strings: `<si><t>${long}</t></si>` })), 'workbook_too_large')
  })

  const parts = partsOf(plain())
  const further = (...entries: ZipEntry[]) => zipOf([...parts, ...entries])
  for (const [what, bytes] of [
    ['two entries of one name', further({ name: 'xl/workbook.xml', data: '' })],
    ['names that differ by case', further({ name: 'XL/Workbook.xml', data: '' })],
    ['a way out by backslashes', further({ name: 'xl\\..\\..\\evil.xml', data: '' })],
    ['a name twice, once with backslashes', further({ name: 'xl\\workbook.xml', data: '' })],
    ['a drive with a backslash', further({ name: 'C:\\evil.xml', data: '' })],
    ['a way out', further({ name: '../evil.xml', data: '' })],
    ['a way out inside', further({ name: 'xl/../../evil.xml', data: '' })],
    ['an absolute name', further({ name: '/etc/passwd', data: '' })],
    ['a drive', further({ name: 'C:/evil.xml', data: '' })],
    ['an encrypted entry', further({ name: 'secret.bin', data: 'x', flags: 0x801 })],
    ['strong encryption', further({ name: 'secret.bin', data: 'x', flags: 0x841 })],
    ['another method', further({ name: 'packed.bin', data: 'x', method: 12, packed: Buffer.from('x') })],
    ['two names for one entry', further({ name: 'one.xml', data: '', localName: 'two.xml' })],
    [
      'overlapping entries',
      further({ name: '[Content_Types].xml2', localName: '[Content_Types].xml', data: '', at: 0 }),
    ],
    ['entries over one another', further({ name: parts[0]?.name.toLowerCase() ?? '', data: '', at: 0 })],
    ['a part larger than declared', workbookOf(plain(), (all) => all.map((part) => ({ ...part, size: 10 })))],
    [
      'a part smaller than declared',
      workbookOf(plain(), (all) => all.map((part) => ({ ...part, size: 5000 }))),
    ],
  ] as const)
    test(`H15: ${what} is refused`, async () => {
      assert.equal(await refusal(bytes), 'unsafe_archive')
    })

  test('H15: an entry that overlaps the next one is refused', async () => {
    const bytes = workbookOf(plain())
    // The first directory entry claims a length that reaches into the second file.
    const at = bytes.indexOf('PK\u0001\u0002', 0, 'latin1')
    bytes.writeUInt32LE(bytes.readUInt32LE(at + 20) + 40, at + 20)
    assert.equal(await refusal(bytes), 'unsafe_archive')
  })

  const DOCTYPE = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
  const wide = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
  for (const [what, part] of [
    ['the sheet', { name: 'xl/worksheets/sheet1.xml', data: `${DOCTYPE}<worksheet>&b;</worksheet>` }],
    ['the sheet in UTF-16', { name: 'xl/worksheets/sheet1.xml', data: wide(`${DOCTYPE}<worksheet/>`) }],
    [
      'the sheet far back',
      { name: 'xl/worksheets/sheet1.xml', data: `${' '.repeat(131_066)}${DOCTYPE}<worksheet/>` },
    ],
    ['the workbook part', { name: 'xl/workbook.xml', data: `${DOCTYPE}<workbook/>` }],
    ['the content types', { name: '[Content_Types].xml', data: `${DOCTYPE}<Types/>` }],
    ['the relationships', { name: '_rels/.rels', data: `${DOCTYPE}<Relationships/>` }],
    ['the styles', { name: 'xl/styles.xml', data: `${DOCTYPE}<styleSheet/>` }],
    ['the shared strings', { name: 'xl/sharedStrings.xml', data: `${DOCTYPE}<sst/>` }],
  ] as const)
    test(`H16: refuses a document type in ${what}`, async () => {
      assert.equal(await refusal(workbookOf(plain(), withParts(part))), 'doctype_refused')
    })

  test('H16: refuses unknown entities, accepts text about document types', async () => {
    assert.equal(await refusal(sheet(row('<c t="inlineStr"><is><t>&b;</t></is></c>'))), 'unreadable_workbook')
    assert.deepEqual(await cellsOf('<c t="inlineStr"><is><t>&lt;!DOCTYPE html></t></is></c>'), [
      '<!DOCTYPE html>',
    ])
  })

  const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
  test('H17: tells password-protected files from the old format', async () => {
    const encrypted = Buffer.concat([
      OLE,
      Buffer.alloc(600),
      Buffer.from('EncryptedPackage', 'utf16le'),
      Buffer.alloc(90),
    ])
    assert.equal(await refusal(encrypted), 'encrypted')
    assert.equal(
      await refusal(Buffer.concat([OLE, Buffer.alloc(600), Buffer.from('Workbook', 'utf16le')])),
      'legacy_xls',
    )
  })

  const typed = (contentType: string) => workbookOf({ ...plain(), contentType })
  const VND = 'application/vnd.'
  for (const [what, bytes] of [
    ['nothing', Buffer.alloc(0)],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    [
      '.odt',
      zipOf([
        { name: 'mimetype', data: `${VND}oasis.opendocument.text`, method: 0 },
        { name: 'content.xml', data: '<a/>' },
      ]),
    ],
    ['.xlsb', typed(`${VND}ms-excel.sheet.binary.macroEnabled.main`)],
    ['.docx', typed(`${VND}openxmlformats-officedocument.wordprocessingml.document.main+xml`)],
    ['.xltx', typed(`${VND}openxmlformats-officedocument.spreadsheetml.template.main+xml`)],
    [
      'a package without a document',
      workbookOf(plain(), withParts({ name: '_rels/.rels', data: relationships([]) })),
    ],
  ] as const)
    test(`H18: ${what} is not a workbook`, async () => {
      assert.equal(await refusal(bytes), 'not_xlsx')
    })

  test('parts whose names have backslashes are read', async () => {
    const bytes = zipOf(parts.map((part) => ({ ...part, name: part.name.replaceAll('/', '\\') })))
    assert.deepEqual(table(await read(bytes)), { 1: { 1: ['number', '1'] } })
  })

  test('a sheet of macros, which names no part, is passed over', async () => {
    const change = (all: ZipEntry[]) =>
      all.map((part) =>
        part.name === 'xl/workbook.xml'
          ? { ...part, data: String(part.data).replace('<sheets>', '<sheets><sheet name="Module" r:id=""/>') }
          : part,
      )
    assert.deepEqual(table(await read(workbookOf(plain(), change))), { 1: { 1: ['number', '1'] } })
  })

  test('H18: reads .xlsm and ignores its macros', async () => {
    const bytes = workbookOf(
      { ...plain(), contentType: `${VND}ms-excel.sheet.macroEnabled.main+xml` },
      withParts({ name: 'xl/vbaProject.bin', data: OLE }),
    )
    assert.deepEqual(table(await read(bytes)), { 1: { 1: ['number', '1'] } })
  })

  test('H24: stops a parser that exceeds its memory or time', async () => {
    const deep = workbookOf(plain('<row>'.repeat(100)))
    assert.equal(await refusal(deep), 'unreadable_workbook')
    const wordy = Array.from(
      { length: 60_000 },
      (_, index) => `<row><c t="inlineStr"><is><t>${index}</t></is></c></row>`,
    )
    const bytes = sheet(wordy.join(''))
    const parse = (limits: { timeMs?: number }, onRows = () => {}) =>
      parseInWorker(bytes, { sheets: ['Items'], onRows, limits })
    const greedy =
      'export const createMapper = () => ({ rows: () => { for (const all = []; ; ) all.push(Array(1e5).fill(1.5)) } })'
    await assert.rejects(
      parseInWorker(bytes, {
        sheets: ['Items'],
        onRows: () => {},
        mapper: { module: `data:text/javascript,${encodeURIComponent(greedy)}`, options: {} },
        limits: { heapMb: 64 },
      }),
      { code: 'parser_failed', status: 422 },
    )
    await assert.rejects(parse({ timeMs: 1 }), { code: 'parse_timeout', status: 422 })
    const blocked = AbortSignal.abort(new Error('cancelled'))
    await assert.rejects(
      parseInWorker(bytes, { sheets: ['Items'], onRows: () => {}, signal: blocked }),
      /cancelled/,
    )
    const stop = new AbortController()
    await assert.rejects(
      parseInWorker(bytes, {
        sheets: ['Items'],
        onRows: () => stop.abort(new Error('cancelled')),
        signal: stop.signal,
      }),
      /cancelled/,
    )
    await assert.rejects(
      parse({}, () => assert.fail('the database has gone')),
      /the database has gone/,
    )
    assert.equal((await parse({})).sheets[0]?.rows, 60_000)
  })
})
