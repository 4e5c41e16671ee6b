import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { migrate, type Migration, readMigrations } from '#foundation/database/migrations.ts'
import { blockedBy, rehearse } from '#foundation/database/rehearsal.ts'
import { faultsOf, readShape } from '#testing/breaking.ts'
import { emptyDatabase, testDatabase } from '#testing/database.ts'
import { changedSince, filesOf, previousRelease } from '#testing/previous-release.ts'
import { MIGRATIONS } from '../../../src/cli/database.ts'

const FILE = /^src\/\w+\/migrations\/\d{4}_\w+\.sql$/

/** The previous release runs beside this one, on the schema of this one (docs/decisions/upgrades.md). */
describe('migrations since the previous release', () => {
  const commit = previousRelease()

  test('leave everything that it reads and writes, and lock no table for long', async () => {
    const known = new Set(filesOf(commit, FILE))
    assert.ok(known.size > 50)
    const isKnown = ({ source, name }: Migration) => known.has(`src/${source}/migrations/${name}`)
    const { url } = await emptyDatabase()
    await migrate(url, MIGRATIONS, { isWanted: isKnown })
    const base = await readShape(url)
    const faults: Record<string, string[]> = {}
    for (const migration of readMigrations(MIGRATIONS).filter((one) => !isKnown(one))) {
      const found = await faultsOf(url, migration, base)
      if (found.length > 0) faults[`${migration.source}/${migration.name}`] = found
    }
    assert.deepEqual(faults, {})
  })

  test('make months of the audit log without copying a line or reading one while requests wait', async () => {
    const isNew = ({ source, number }: Migration) => source === 'sso' && (number === 90 || number === 91)
    const { db, url } = await emptyDatabase()
    await migrate(url, MIGRATIONS, { isWanted: (one) => !isNew(one) })
    await db.pool`
      insert into sso.audit_log (audit_id, action, environment, occurred_at)
      values (gen_random_uuid(), 'test', 'sandbox', '2020-02-29Z'), (gen_random_uuid(), 'test', 'sandbox', now())`
    const before =
      await db.pool`select pg_relation_filenode('sso.audit_log') as file, 2 as lines, 2 as counted`
    const blocking = (await rehearse(url, readMigrations(MIGRATIONS).filter(isNew)))
      .flatMap(({ steps }) => steps)
      .flatMap(({ statement, effects }) =>
        effects
          .filter(({ isReadWhole, isRewritten }) => isReadWhole || isRewritten)
          .filter(({ lock }) => blockedBy(lock) !== 'nothing')
          .map(({ table }) => `${table}: ${statement}`),
      )
    assert.deepEqual(blocking, [])
    const after = await db.pool`
      select pg_relation_filenode('sso.audit_log_earlier') as file, (select count(*)::int from sso.audit_log) as lines,
             (select sum(lines)::int from sso.audit_counts where action = 'test') as counted`
    assert.deepEqual(after, before)
  })

  test('are new files', () => {
    assert.deepEqual(changedSince(commit, 'src/*/migrations/*.sql'), [])
  })
})

describe('a migration is refused that', () => {
  for (const [name, text, fault] of [
    ['drops a table', 'drop table learning.suggestions cascade', /^table learning\.suggestions: is gone$/m],
    [
      'drops a column',
      'alter table sso.users drop column locale',
      /^column sso\.users\.locale, text: is gone$/m,
    ],
    [
      'renames a column',
      'alter table sso.users rename locale to tongue',
      /^column sso\.users\.locale, text: is gone$/m,
    ],
    [
      'changes a type',
      'alter table sso.webhook_deliveries alter column trace type varchar(99)',
      /^column sso\.webhook_deliveries\.trace, text: is gone$/m,
    ],
    [
      'drops a function',
      'drop function foundation.search_query',
      /^function foundation\.search_query\(.*: is gone$/m,
    ],
    [
      'drops a key that writes rely on',
      'drop index sso.users_by_email',
      /^unique key of sso\.users, .*: is gone$/m,
    ],
    [
      'adds a column that must be filled',
      'alter table sso.sites add column extra int not null',
      /^column sso\.sites\.extra, integer: has no default/m,
    ],
    [
      'takes the default from a column',
      'alter table foundation.jobs alter column payload drop default',
      /^column foundation\.jobs\.payload, jsonb: has no default/m,
    ],
    [
      'builds an index while writes wait',
      'create index extra on learning.episodes (title)',
      /^learning\.episodes: writes wait until all of it is read/m,
    ],
    [
      'writes a table anew',
      `alter table learning.episodes add column extra uuid default gen_random_uuid()`,
      /^learning\.episodes: reads and writes wait/m,
    ],
    [
      'reads a table while everybody waits',
      'alter table learning.episodes add constraint extra check (length(title) < 9999)',
      /^learning\.episodes: reads and writes wait/m,
    ],
    [
      'changes a whole table in one transaction',
      `update learning.episodes set title = title || '!' where title <> ''`,
      /^learning\.episodes: is changed in one transaction/m,
    ],
    [
      'fills a table that it has locked',
      'alter table learning.episodes add column extra int; update learning.episodes set extra = 1',
      /^learning\.episodes: reads and writes wait/m,
    ],
    [
      'cannot be run again after a kill',
      '-- no-transaction\ncreate index concurrently extra on learning.episodes (title)',
      /^extra: is not dropped before/m,
    ],
  ] as const)
    test(name, async () => {
      assert.match((await faultsIn(text)).join('\n'), fault)
    })

  for (const [name, text] of [
    ['adds a table with its index', 'create table sso.extra (id uuid primary key, name text not null)'],
    ['adds a column that may be null', 'alter table sso.users add column extra text'],
    [
      'adds a column with a constant default',
      `alter table sso.users add column extra int not null default 1`,
    ],
    [
      'builds an index beside running requests',
      '-- no-transaction\ndrop index concurrently if exists sso.extra;\ncreate index concurrently extra on sso.users (locale)',
    ],
    [
      'adds a check without reading, and checks it beside running requests',
      `-- no-transaction\nalter table sso.users add constraint extra check (locale <> 'x') not valid;
       alter table sso.users validate constraint extra`,
    ],
    [
      'says that it removes what nobody reads',
      '-- contract: no release since 9.9 reads it\nalter table sso.users drop column locale',
    ],
  ] as const)
    test(`but not one that ${name}`, async () => assert.deepEqual(await faultsIn(text), []))
})

async function faultsIn(text: string): Promise<string[]> {
  const { url, close } = await testDatabase()
  const base = await readShape(url)
  const migration = { source: 'sso', number: 9_999, name: '9999_extra.sql', sha256: '', text }
  const faults = await faultsOf(url, migration, base)
  await close()
  return faults
}
