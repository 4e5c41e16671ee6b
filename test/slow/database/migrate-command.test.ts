import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { migrate, type Migration } from '#foundation/database/migrations.ts'
import { runCommand } from '#testing/command.ts'
import { emptyDatabase } from '#testing/database.ts'
import { MIGRATIONS } from '../../../src/cli/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'lyceum-migrate-'))
// The user of the scratch database enters it.
chmodSync(folder, 0o777)
after(() => rmSync(folder, { recursive: true, force: true }))

/** The command on a database, with a folder for temporary files of its own. */
const run = (url: string, ...args: string[]) => runWith(url, {}, ...args)
const runWith = (url: string, more: Record<string, string>, ...args: string[]) =>
  runCommand(['migrate', ...args], {
    PATH: process.env['PATH'] ?? '',
    TMPDIR: folder,
    DATABASE_URL: url,
    MASTER_KEY: `k:${Buffer.alloc(32).toString('base64')}`,
    LOG_LEVEL: 'warn',
    ...more,
  })

const NEW = ['sso/0030_search.sql', 'collections/0040_lists.sql']
const isOld = ({ source, name }: Migration) => !NEW.includes(`${source}/${name}`)

describe('migrate', () => {
  test('builds an empty database, and does nothing the second time', async () => {
    const { url } = await emptyDatabase()
    const first = await run(url)
    assert.deepEqual([first.code, first.stderr], [0, ''])
    assert.match(first.stdout, /^foundation\/0001_foundation\.sql\n/)
    assert.equal((await run(url)).stdout, 'Nothing to do: the schema is the newest\n')
  })

  test('run twice at once runs each migration once', async () => {
    const { url } = await emptyDatabase()
    const both = await Promise.all([run(url), run(url)])
    assert.deepEqual(
      both.map(({ code, stderr }) => [code, stderr]),
      [
        [0, ''],
        [0, ''],
      ],
    )
    const ran = both.flatMap(({ stdout }) => stdout.match(/^\w+\/\d{4}_.*$/gm) ?? [])
    assert.ok(ran.length > 50)
    assert.equal(new Set(ran).size, ran.length)
  })

  test('refuses an unknown option with its usage', async () => {
    const { code, stderr } = await run('postgres://nobody@127.0.0.1:1/none', '--chekc')
    assert.equal(code, 1)
    assert.match(stderr, /npm start -- migrate \[--check\]/)
  })
})

describe('migrate --check', () => {
  test('names statements, locks and large tables, changes nothing and exits 2', async () => {
    const { db, url } = await emptyDatabase()
    await migrate(url, MIGRATIONS, { isWanted: isOld })
    await db.pool`
      select pg_restore_relation_stats('schemaname', 'sso', 'relname', 'users', 'reltuples', 1234567::real)`
    const state = async () => [
      ...(await db.pool`select source, number from foundation.migrations order by 1, 2`),
      ...(await db.pool`select oid, relname, relfilenode from pg_class order by 1`),
    ]
    const before = await state()
    const { code, stdout, stderr } = await run(url, '--check')
    assert.deepEqual([code, stderr], [2, ''])
    const lines = stdout.split('\n')
    assert.deepEqual(
      lines.filter((line) => /^\w+\//.test(line)),
      ['sso/0030_search.sql, in one transaction', 'collections/0040_lists.sql, in one transaction'],
    )
    const after = (start: string) => lines[lines.findIndex((line) => line.trim().startsWith(start)) + 1]
    assert.equal(
      after('alter table sso.users'),
      '    ACCESS EXCLUSIVE on sso.users; blocks reads and writes; writes it anew; 1,234,567 rows: LARGE',
    )
    assert.equal(
      after('create index items_by_name'),
      '    SHARE on collections.items; blocks writes; reads all of it; 0 rows',
    )
    assert.deepEqual(await state(), before)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('exits 0 when nothing would run', async () => {
    const { url } = await emptyDatabase()
    await migrate(url, MIGRATIONS)
    const { code, stdout, stderr } = await run(url, '--check')
    assert.deepEqual([code, stdout, stderr], [0, 'Nothing to do: the schema is the newest\n', ''])
  })

  test('says how far a backfill is', async () => {
    const { db, url } = await emptyDatabase()
    await migrate(url, MIGRATIONS)
    await db.pool`insert into foundation.backfills (step, expected, changed) values ('sso.fill', 2000000, 1500)`
    const { code, stdout, stderr } = await run(url, '--check')
    assert.deepEqual([code, stdout, stderr], [2, 'Backfill sso.fill: 1,500 of about 2,000,000 rows\n', ''])
  })

  test('names each database where services have their own', async () => {
    const [main, apart] = [await emptyDatabase(), await emptyDatabase()]
    const more = { LEARNING_DATABASE_URL: apart.url }
    assert.equal((await runWith(main.url, more)).code, 0)
    assert.equal((await runWith(main.url, more, '--check')).code, 0)
    await apart.db.pool`drop schema learning cascade`
    await apart.db.pool`delete from foundation.migrations where source = 'learning'`
    const { code, stdout } = await runWith(main.url, more, '--check')
    assert.equal(code, 2)
    assert.match(stdout, /^The database of foundation, learning:\n/)
    assert.doesNotMatch(stdout, /^sso\//m)
  })

  test('rehearses every migration there is', async () => {
    const { url } = await emptyDatabase()
    const { code, stdout, stderr } = await run(url, '--check')
    assert.deepEqual([code, stderr], [2, ''])
    assert.ok((stdout.match(/^\w+\/\d{4}_/gm) ?? []).length > 50)
  })

  test('says in a sentence that the database does not answer', async () => {
    const { code, stderr } = await run('postgres://nobody@127.0.0.1:1/none', '--check')
    assert.equal(code, 1)
    assert.match(stderr, /^The database does not answer \(.*\): check DATABASE_URL\n$/)
  })
})
