import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '#foundation/errors.ts'
import { inspect, readRecords } from './csv.ts'
import { judgeWith } from './person.ts'

const bytes = (text: string) => [Buffer.from(text)]
/** One byte at a time: whatever is cut in two must come out whole. */
const crumbs = (text: string) => Array.from(Buffer.from(text), (byte) => Buffer.of(byte))
const CUTS = [
  ['whole', bytes],
  ['byte by byte', crumbs],
] as const

async function read(text: string, cut: (text: string) => Buffer[] = bytes) {
  const { delimiter, columns, total_rows } = await inspect(cut(text))
  const records = await Array.fromAsync(readRecords(cut(text), delimiter))
  assert.equal(records.length, total_rows)
  return { delimiter, columns, records }
}

async function refusal(given: string | Buffer): Promise<ApiError> {
  try {
    await inspect([Buffer.from(given)])
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  return assert.fail('it was taken')
}

describe('a file', () => {
  for (const [what, text, delimiter] of [
    ['with LF', 'email,display_name\na@x.org,Anna\nb@x.org,Ben\n', ','],
    ['with CR LF', 'email,display_name\r\na@x.org,Anna\r\nb@x.org,Ben\r\n', ','],
    ['with CR', 'email,display_name\ra@x.org,Anna\rb@x.org,Ben\r', ','],
    ['with CR and no last line end', 'email,display_name\ra@x.org,Anna\rb@x.org,Ben', ','],
    ['with CR in quotes', '"email","display_name"\r"a@x.org","Anna"\r"b@x.org","Ben"\r', ','],
    ['with a header spelled by people', 'E-Mail;Display name\na@x.org;Anna\nb@x.org;Ben\n', ';'],
    ['with rows of separators below', 'email,display_name\na@x.org,Anna\nb@x.org,Ben\n,\n , \n,\n', ','],
    ['without a last line end', 'email,display_name\na@x.org,Anna\nb@x.org,Ben', ','],
    ['with a byte order mark', '\ufeffemail,display_name\na@x.org,Anna\nb@x.org,Ben\n', ','],
    ['with semicolons', 'email;display_name\na@x.org;Anna\nb@x.org;Ben\n', ';'],
    ['with tabs', 'email\tdisplay_name\na@x.org\tAnna\nb@x.org\tBen\n', '\t'],
    ['with quotes everywhere', '"email","display_name"\n"a@x.org","Anna"\n"b@x.org","Ben"\n', ','],
    ['with a header in capitals', ' EMAIL ,Display_Name\na@x.org,Anna\nb@x.org,Ben\n', ','],
  ] as const)
    for (const [how, cut] of CUTS)
      test(`${what} reads alike ${how}`, async () => {
        const { records, ...layout } = await read(text, cut)
        assert.deepEqual(layout, { delimiter, columns: ['email', 'display_name'] })
        assert.deepEqual(records, [
          { cells: ['a@x.org', 'Anna'], line: 2 },
          { cells: ['b@x.org', 'Ben'], line: 3 },
        ])
      })

  for (const [name, end] of [
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ] as const)
    test(`numbers physical lines through multi-line cells and empty lines, with ${name}`, async () => {
      const text = [
        'email,display_name',
        'a@x.org,"Anna',
        'Bell"',
        '',
        'b@x.org,Ben',
        '',
        '',
        '"c@x.org","one',
        '',
        'three"',
        'd@x.org,"D',
        'E"',
        'e@x.org,E',
      ].join(end)
      for (const cut of [bytes, crumbs]) {
        const { records } = await read(text, cut)
        assert.deepEqual(
          records.map(({ cells, line }) => [cells[0], line]),
          [
            ['a@x.org', 2],
            ['b@x.org', 5],
            ['c@x.org', 8],
            ['d@x.org', 11],
            ['e@x.org', 13],
          ],
        )
        assert.equal(records[2]?.cells[1], `one${end}${end}three`)
      }
    })

  for (const [what, given, code, word] of [
    ['nothing', '', 'empty', 'file'],
    ['empty lines', '\n\n\r\n', 'empty', 'file'],
    ['three MiB of empty lines', `${'\n'.repeat(3 * 1_048_576)}email;role\n`, 'malformed_csv', '1 MiB'],
    [
      'two MiB of empty lines below the header',
      `email\n${'\r\n'.repeat(1_048_576)}`,
      'malformed_csv',
      '1 MiB',
    ],
    [
      'two MiB of commas in lines',
      `email\n${`${','.repeat(65_000)}\n`.repeat(33)}`,
      'malformed_csv',
      '1 MiB',
    ],
    ['a megabyte of commas in one line', `email\n${','.repeat(1_048_576)}`, 'malformed_csv', '65536'],
    ['a header of a megabyte of commas', ','.repeat(1_048_576), 'malformed_csv', '65536'],
    ['a header of 10,000 names', `email${',x'.repeat(10_000)}\n`, 'unknown_column', 'x'],
    ['no column email', 'display_name\nAnna\n', 'missing_column', 'email'],
    ['an unknown column', 'email,shoe_size\na@x.org,43\n', 'unknown_column', 'shoe_size'],
    ['a column twice', 'email,role,Role\na@x.org,USER,USER\n', 'repeated_column', 'role'],
    ['a separator that none can be', 'sep=^\nemail^role\na@x.org^USER\n', 'malformed_csv', 'separator'],
    ['Latin-1', Buffer.from('email,display_name\na@x.org,Andr\xe9\n', 'latin1'), 'invalid_encoding', 'UTF-8'],
    ['UTF-16', Buffer.from('\ufeffemail\na@x.org\n', 'utf16le'), 'invalid_encoding', 'UTF-8'],
    [
      'half a character at the end',
      Buffer.from('email\na@x.org\nb\xc3', 'latin1'),
      'invalid_encoding',
      'UTF-8',
    ],
    [
      'a header whose quotation mark is never closed',
      'email,"display_name\na@x.org,Anna\n',
      'malformed_csv',
      'line 1',
    ],
    ['a record of a megabyte', `email\n${'x'.repeat(1_000_000)}\n`, 'malformed_csv', '65536'],
    ['100,001 records', `email\n${'a@x.org\n'.repeat(100_001)}`, 'too_many_rows', '100000'],
  ] as const)
    test(`answers 422 ${code} for ${what}`, async () => {
      const error = await refusal(given)
      assert.deepEqual([error.status, error.code], [422, code])
      assert.ok(error.detail.includes(word), error.detail)
    })

  for (const [what, wrong] of [
    ['never closed', 'a@x.org,"Anna'],
    ['with text behind it', 'a@x.org,"An"na'],
    ['within a cell', 'a@x.org,An"na'],
    ['within the first cell', 'a"x.org,Anna'],
    ['before the end of the line', 'a@x.org,Anna"'],
    ['tripled', 'a@x.org,"""'],
  ] as const)
    for (const [how, cut] of CUTS)
      test(`loses one row to a quotation mark ${what}, ${how}`, async () => {
        const lines = ['email,display_name', 'z@x.org,Zoe', wrong, 'b@x.org,Ben', 'c@x.org,Cem']
        for (const end of ['\n', '\r\n', '\r']) {
          const { records } = await read(lines.join(end), cut)
          assert.deepEqual(records, [
            { cells: ['z@x.org', 'Zoe'], line: 2 },
            { cells: [], line: 3, is_malformed: true },
            { cells: ['b@x.org', 'Ben'], line: 4 },
            { cells: ['c@x.org', 'Cem'], line: 5 },
          ])
        }
      })

  test('loses the first row to a quotation mark closed later', async () => {
    const { records } = await read('email,display_name\na@x.org,"Anna\nb@x.org,"Ben"\nc@x.org,Cem\n')
    assert.deepEqual(
      records.map(({ cells, is_malformed }) => (is_malformed ? 'malformed' : cells[0])),
      ['malformed', 'b@x.org', 'c@x.org'],
    )
  })

  test('loses one row to a quotation mark unclosed for 65,536 characters', async () => {
    const { records } = await read(`email\n"a@x.org\n${'b@x.org\n'.repeat(20_000)}`)
    assert.equal(records.length, 20_001)
    assert.deepEqual(
      records.filter(({ is_malformed }) => is_malformed).map(({ line }) => line),
      [2],
    )
  })

  for (const [how, cut] of CUTS)
    test(`tells its separator in the first line, which is no record, ${how}`, async () => {
      for (const first of ['sep=;', 'SEP=;', '"sep=;"'])
        for (const end of ['\n', '\r\n', '\r']) {
          const text = [first, 'email;display_name', 'a@x.org;"Anna, B"', ''].join(end)
          const { records, delimiter } = await read(text, cut)
          assert.deepEqual([delimiter, records], [';', [{ cells: ['a@x.org', 'Anna, B'], line: 3 }]])
        }
    })

  test('is cut where its known columns are, unless a separator is named', async () => {
    const text = 'email;role,a,b,c\n'
    assert.equal((await refusal(text)).detail.includes('role,a,b,c: '), true)
    await assert.rejects(inspect(bytes(text), ','), /email;role: /)
    assert.equal((await inspect(bytes('email\trole\na@x.org\tUSER\n'), '\t')).total_rows, 1)
  })

  test('keeps at most one cell beyond the columns', async () => {
    const { records } = await read(`email,role\na@x.org,USER${',x'.repeat(1_000)}\nb@x.org,USER\n`)
    assert.deepEqual(
      records.map(({ cells }) => cells.length),
      [3, 2],
    )
  })

  test('costs less than three seconds for any 20 MiB', { timeout: 100_000 }, async () => {
    const of = (line: string) => [
      Buffer.from(`email,role\n${line.repeat(Math.floor(20_000_000 / line.length))}`),
    ]
    for (const line of [
      ',',
      '"',
      '\n',
      '"\n',
      '\r',
      '"\r',
      'a\r',
      '"",',
      `a,"${'x\n'.repeat(100)}`,
      'a,"""\n',
      `${'a,'.repeat(100)}\n`,
    ]) {
      const before = process.cpuUsage()
      await inspect(of(line)).catch((error: unknown) => assert.ok(error instanceof ApiError, String(error)))
      const { user, system } = process.cpuUsage(before)
      assert.ok(user + system < 3_000_000, `${JSON.stringify(line.slice(0, 20))}: ${user + system} µs`)
    }
  })

  test('with 100,000 records is read', async () => {
    assert.equal((await inspect([Buffer.from(`email\n${'a@x.org\n'.repeat(100_000)}`)])).total_rows, 100_000)
  })

  test('leaves its source unopened when refused early', async () => {
    let isClosed = false
    const source = async function* () {
      try {
        yield Buffer.from('email,nonsense\n')
        for (;;) yield Buffer.from('a@x.org,1\n'.repeat(1_000))
      } finally {
        isClosed = true
      }
    }
    await assert.rejects(inspect(source()), ApiError)
    assert.ok(isClosed)
  })
})

describe('a record', () => {
  const columns = [
    'email',
    'display_name',
    'username',
    'phone',
    'locale',
    'time_zone',
    'external_id',
    'role',
    'email_verified',
    'password_hash',
  ] as const
  const judge = (...records: Record<string, string>[]) => {
    const take = judgeWith(columns, new Set(['ADMIN', 'USER']))
    return records.map((record, i) =>
      take({ cells: columns.map((column) => record[column] ?? ''), line: i + 2 }),
    )
  }

  for (const [field, text, code] of [
    ['email', '', 'required'],
    ['email', ' \t ', 'required'],
    ['email', 'anna@@x.org', 'invalid_email'],
    ['email', `${'a'.repeat(250)}@x.org`, 'invalid_email'],
    ['display_name', 'x'.repeat(201), 'too_long'],
    ['display_name', 'x\u0000y', 'invalid_character'],
    ['display_name', 'x\u001by', 'invalid_character'],
    ['email', 'a\u0000@x.org', 'invalid_character'],
    ['username', 'a b', 'invalid_username'],
    ['phone', '030 1234', 'invalid_phone'],
    ['locale', 'english', 'invalid_locale'],
    ['time_zone', 'Mars/Olympus', 'invalid_time_zone'],
    ['external_id', 'x'.repeat(129), 'too_long'],
    ['role', 'superuser', 'invalid_role'],
    ['email_verified', 'maybe', 'invalid_boolean'],
    ['password_hash', 'hunter22', 'not_a_hash'],
  ] as const)
    test(`with ${field} ${JSON.stringify(text.slice(0, 20))} is ${code}`, () => {
      const [row] = judge({ email: 'a@x.org', [field]: text })
      assert.deepEqual(row, { row: 1, line: 2, faults: [{ field, code }], person: undefined })
    })

  test('reports every wrong field once', () => {
    const [row] = judge({ email: 'x', phone: '1', role: 'KING', password_hash: 'secret' })
    assert.deepEqual(row?.faults, [
      { field: 'email', code: 'invalid_email' },
      { field: 'phone', code: 'invalid_phone' },
      { field: 'role', code: 'invalid_role' },
      { field: 'password_hash', code: 'not_a_hash' },
    ])
    assert.ok(!JSON.stringify(row).includes('secret'))
  })

  test('is trimmed and composed, with empty as absent', () => {
    const [row] = judge({
      email: ' Anna@X.org\t',
      display_name: '=1+1 a\u0308',
      locale: 'pt_BR',
      external_id: '007',
      email_verified: 'YES',
      username: '',
    })
    assert.deepEqual(row?.person, {
      email: 'Anna@X.org',
      display_name: '=1+1 ä',
      given_name: null,
      family_name: null,
      username: null,
      phone: null,
      locale: 'pt-BR',
      time_zone: null,
      external_id: '007',
      role: null,
      email_verified: true,
      password_hash: null,
    })
  })

  test('accepts 200 characters of two units each', () => {
    assert.deepEqual(judge({ email: 'a@x.org', display_name: '𝔄'.repeat(200) })[0]?.faults, [])
  })

  test('has the error column_count with a wrong number of cells', () => {
    const take = judgeWith(columns, new Set())
    assert.deepEqual(take({ cells: ['a@x.org'], line: 9 }).faults, [{ field: null, code: 'column_count' }])
  })

  test('drops the apostrophe that our own files put before a phone number', () => {
    const [row] = judge({ email: 'a@x.org', phone: "'+493012345678", display_name: "'t Hart" })
    assert.deepEqual([row?.person?.phone, row?.person?.display_name], ['+493012345678', "'t Hart"])
  })

  test('with a value in or behind a column without a name has the error column_count', async () => {
    const { columns: named, records } = await read(
      'email,,role,\na@x.org,x,USER,\nb@x.org,,USER,,,y\nc@x.org,,USER,,\n',
    )
    assert.deepEqual(named, ['email', '', 'role'])
    const take = judgeWith(named, new Set(['USER']))
    assert.deepEqual(
      records.map((record) => take(record).faults.map(({ code }) => code)),
      [['column_count'], ['column_count'], []],
    )
  })

  test('reports malformed quotes before anything else', () => {
    const take = judgeWith(columns, new Set())
    assert.deepEqual(take({ cells: [], line: 9, is_malformed: true }).faults, [
      { field: null, code: 'malformed_quotes' },
    ])
  })

  test('counts as duplicate of a good record, never of a refused', () => {
    const faults = judge(
      { email: 'a@x.org', role: 'KING' },
      { email: 'A@X.org', username: 'Anna', external_id: '1' },
      { email: 'a@x.ORG', external_id: '2' },
      { email: 'b@x.org', external_id: '2', username: 'anna' },
      { email: 'b@x.org', external_id: '2' },
      { email: 'c@x.org', external_id: '01' },
    ).map((row) => row.faults.map(({ field, code }) => `${field} ${code}`))
    assert.deepEqual(faults, [
      ['role invalid_role'],
      [],
      ['email duplicate_in_file'],
      ['username duplicate_in_file'],
      [],
      [],
    ])
  })
})
