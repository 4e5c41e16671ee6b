import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { emptyDatabase } from '#testing/database.ts'
import type { Migration } from './migrations.ts'
import { rehearse } from './rehearsal.ts'
import { splitStatements } from './statements.ts'

const aMigration = (text: string): Migration => ({
  source: 'extra',
  number: 1,
  name: '0001_extra.sql',
  sha256: '',
  text,
})

/** What each statement of the text does, as `table: LOCK, work`. */
async function effectsOf(text: string): Promise<string[][]> {
  const { db, url, close } = await emptyDatabase()
  await db.pool`create table public.people (id int primary key, name text)`
  await db.pool`create table public.pets (id int primary key, person_id int, age int)`
  const [rehearsed] = await rehearse(url, [aMigration(text)])
  await close()
  return (rehearsed?.steps ?? []).map(({ effects }) =>
    effects.map(({ table, lock, isReadWhole, isRewritten }) =>
      [`${table}: ${lock}`, ...(isReadWhole ? ['reads'] : []), ...(isRewritten ? ['rewrites'] : [])].join(
        ', ',
      ),
    ),
  )
}

describe('a rehearsal tells what a statement does:', () => {
  for (const [text, effects] of [
    ['alter table public.people add column nick text', ['people: ACCESS EXCLUSIVE']],
    ['alter table public.people alter column id type bigint', ['people: ACCESS EXCLUSIVE, reads, rewrites']],
    ['alter table public.people alter column name set not null', ['people: ACCESS EXCLUSIVE, reads']],
    ['create index on public.people (name)', ['people: SHARE, reads']],
    [
      `-- no-transaction\ncreate index concurrently people_by_name on public.people (name)`,
      ['people: SHARE UPDATE EXCLUSIVE'],
    ],
    ['alter table public.people set (fillfactor = 50)', ['people: SHARE UPDATE EXCLUSIVE']],
    [
      `alter table public.pets add constraint owner foreign key (person_id) references public.people not valid`,
      ['people: SHARE ROW EXCLUSIVE', 'pets: SHARE ROW EXCLUSIVE'],
    ],
    [`update public.pets set age = 1 where age is null`, ['pets: ROW EXCLUSIVE, reads']],
    ['drop table public.pets', ['pets: ACCESS EXCLUSIVE']],
    ['create table public.toys (id int primary key)', []],
    [`-- no-transaction\nalter table public.pets add column name text`, ['pets: ACCESS EXCLUSIVE']],
  ] as const)
    test(text.replace('-- no-transaction\n', '').slice(0, 70), async () => {
      assert.deepEqual(await effectsOf(text), [[...effects]])
    })

  test('a lock that is held is named again where a later statement reads', async () => {
    const text = `alter table public.people add column age int; update public.people set age = 1; select 1`
    assert.deepEqual(await effectsOf(text), [
      ['people: ACCESS EXCLUSIVE'],
      ['people: ACCESS EXCLUSIVE, reads'],
      [],
    ])
  })
})

test('statements end at semicolons outside comments, strings and bodies', () => {
  const text = `-- first; it is
    select ';', 'it''s', "a;b" /* ; */ ; create function f() returns int language plpgsql as $body$
    begin return 1; end $body$;
    create function g() returns int begin atomic select 1; select case when true then 2 end; end;
    do $$ begin perform $1$;$1$; end $$ -- last;`
  assert.deepEqual(
    splitStatements(text).map((statement) => statement.replaceAll(/\s+/g, ' ')),
    [
      `select ';', 'it''s', "a;b"`,
      'create function f() returns int language plpgsql as $body$ begin return 1; end $body$',
      'create function g() returns int begin atomic select 1; select case when true then 2 end; end',
      'do $$ begin perform $1$;$1$; end $$',
    ],
  )
})
