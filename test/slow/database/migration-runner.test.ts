import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { emptyDatabase, testDatabase } from '#testing/database.ts'
import { tempFolder } from '#testing/temp-folder.ts'
import { untilSomebodyWaits } from '#testing/locks.ts'
import { migrate } from '#foundation/database/migrations.ts'

function aFolder(files: Record<string, string>) {
  const folder = tempFolder('migrations')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('migrations', () => {
  test('run once and in order, also with two starters', async () => {
    const { url, db } = await testDatabase()
    const source = {
      name: 'extra',
      folder: aFolder({
        '0002_row.sql': 'insert into public.first values (1)',
        '0001_table.sql': 'create table public.first (id int primary key)',
      }),
    }
    const ran = await Promise.all([migrate(url, [source]), migrate(url, [source]), migrate(url, [source])])
    assert.deepEqual(ran.flat(), ['extra/0001_table.sql', 'extra/0002_row.sql'])
    assert.equal((await db.pool`select id from public.first`).length, 1)
  })

  test('refuse an edited file by name', async () => {
    const { url } = await testDatabase()
    const folder = aFolder({ '0001_a.sql': 'select 1' })
    await migrate(url, [{ name: 'extra', folder }])
    writeFileSync(join(folder, '0001_a.sql'), 'select 2')
    await assert.rejects(migrate(url, [{ name: 'extra', folder }]), /extra\/0001_a\.sql was edited/)
  })

  test('leave nothing behind on failure and run again next time', async () => {
    const { url, db } = await testDatabase()
    const folder = aFolder({ '0001_half.sql': 'create table public.half (id int); select 1 / 0' })
    await assert.rejects(migrate(url, [{ name: 'extra', folder }]), /division by zero/)
    const [row] = await db.pool<{ made: boolean }[]>`select to_regclass('public.half') is not null as made`
    assert.equal(row?.made, false)
    writeFileSync(join(folder, '0001_half.sql'), 'create table public.half (id int)')
    assert.deepEqual(await migrate(url, [{ name: 'extra', folder }]), ['extra/0001_half.sql'])
  })

  test('build an index concurrently after `-- no-transaction`', async () => {
    const { url } = await testDatabase()
    const folder = aFolder({
      '0001_table.sql': 'create table public.big (id int)',
      '0002_index.sql':
        '-- no-transaction: built beside running requests\ncreate index concurrently big_by_id on public.big (id)',
    })
    assert.equal((await migrate(url, [{ name: 'extra', folder }])).length, 2)
  })

  test('build an index concurrently with two starters', async () => {
    const { url, db } = await testDatabase()
    const folder = aFolder({
      '0001_table.sql':
        'create table public.wide as select id, repeat(md5(id::text), 8) as text from generate_series(1, 50000) as id',
      '0002_index.sql': `-- no-transaction
        drop index concurrently if exists public.wide_by_text;
        create index concurrently wide_by_text on public.wide (text)`,
    })
    const ran = await Promise.all([1, 2, 3].map(() => migrate(url, [{ name: 'extra', folder }])))
    assert.equal(ran.flat().length, 2)
    const [index] = await db.pool<{ is_valid: boolean }[]>`
      select indisvalid as is_valid from pg_index where indexrelid = 'public.wide_by_text'::regclass`
    assert.equal(index?.is_valid, true)
  })

  test('let requests through while they wait for a table', async () => {
    const { url, db } = await testDatabase()
    await db.pool`create table public.busy (id int)`
    const folder = aFolder({ '0001_column.sql': 'alter table public.busy add column name text' })
    const read = Promise.withResolvers<void>()
    const reading = db.pool.begin(async (tx) => {
      await tx`select from public.busy`
      await read.promise
    })
    let isDone = false
    const migrating = migrate(url, [{ name: 'extra', folder }]).then(() => (isDone = true))
    await untilSomebodyWaits(db)
    // None of these waits for the transaction, which ends after them.
    for (let reads = 0; reads < 40; reads++) {
      await untilSomebodyWaits(db)
      await db.fast`select id from public.busy`
    }
    assert.equal(isDone, false)
    read.resolve()
    await Promise.all([reading, migrating])
    await db.pool`select name from public.busy`
  })

  test('bound each wait for a lock, with and without a transaction', async () => {
    const { url, db } = await testDatabase()
    const seen = `as select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`
    const folder = aFolder({
      '0001_inside.sql': `create table public.inside ${seen}`,
      '0002_outside.sql': `-- no-transaction\ncreate table public.outside ${seen}`,
    })
    await migrate(url, [{ name: 'extra', folder }])
    const bounds = { lock: '300ms', statement: '0' }
    assert.deepEqual({ ...(await db.pool`select * from inside`)[0] }, bounds)
    assert.deepEqual({ ...(await db.pool`select * from outside`)[0] }, bounds)
  })
})

describe('a snapshot of the schema', () => {
  const FOUNDATION = {
    name: 'foundation',
    folder: join(import.meta.dirname, '../../../src/foundation/migrations'),
  }
  const FIRST = 'create table public.first (id int)'
  const sha256 = createHash('sha256').update(FIRST).digest('hex')

  /** Two migrations and a snapshot of the first, which can be told from it. */
  function aSource(first = FIRST) {
    const folder = aFolder({
      '0001_first.sql': first,
      '0002_second.sql': 'create table public.second (id int)',
    })
    mkdirSync(join(folder, 'snapshot'))
    const text = `-- 0001_first.sql ${sha256}\n${FIRST};\ncomment on table public.first is 'by the snapshot';\n`
    writeFileSync(join(folder, 'snapshot/schema.sql'), text)
    return { name: 'extra', folder }
  }

  /** What the first table says of its origin, and what is recorded. */
  async function look({ pool: sql }: Awaited<ReturnType<typeof emptyDatabase>>['db']) {
    const [row] = await sql<{ origin: string | null; has_second: boolean }[]>`
      select obj_description('public.first'::regclass) as origin, to_regclass('public.second') is not null as has_second`
    const record = await sql<{ number: number; sha256: string }[]>`
      select number, sha256 from foundation.migrations where source = 'extra' order by number`
    return { ...row, numbers: record.map(({ number }) => number), first: record[0]?.sha256 }
  }
  const WHOLE = { has_second: true, numbers: [1, 2], first: sha256 }

  test('stands for its files on an empty database, and newer files follow, also with two starters', async () => {
    const { url, db } = await emptyDatabase()
    const source = aSource()
    const ran = await Promise.all([1, 2, 3].map(() => migrate(url, [FOUNDATION, source])))
    const names = ran.flat()
    assert.deepEqual(names.slice(-2), ['extra/0001_first.sql', 'extra/0002_second.sql'])
    assert.equal(new Set(names).size, names.length)
    assert.deepEqual(await look(db), { origin: 'by the snapshot', ...WHOLE })
    assert.deepEqual(await migrate(url, [FOUNDATION, source]), [])
  })

  test('is left aside where any migration has run', async () => {
    const { url, db } = await emptyDatabase()
    await migrate(url, [FOUNDATION])
    await migrate(url, [FOUNDATION, aSource()])
    assert.deepEqual(await look(db), { origin: null, ...WHOLE })
  })

  test('is left aside when a file that it stands for was edited or is not wanted', async () => {
    const edited = await emptyDatabase()
    await migrate(edited.url, [FOUNDATION, aSource(`${FIRST} `)])
    assert.equal((await look(edited.db)).origin, null)
    const { url, db } = await emptyDatabase()
    const source = aSource()
    await migrate(url, [FOUNDATION, source], { isWanted: (one) => one.name !== '0001_first.sql' })
    const [row] = await db.pool`select to_regclass('public.first') is null as is_missing`
    assert.equal(row?.['is_missing'], true)
    await migrate(url, [FOUNDATION, source])
    assert.deepEqual(await look(db), { origin: null, ...WHOLE })
  })
})
