import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { testDatabase } from '#testing/database.ts'
import { migrate } from './migrations.ts'

function aFolder(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-migrations-'))
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
})
