import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Database } from '#foundation/database/database.ts'
import { testDatabase } from '#testing/database.ts'

/** `node_modules/.bin/node test/schema.test.ts --write` writes the schema that the migrations produce to schema.sql. */
const FILE = join(import.meta.dirname, 'schema.sql')
const SCHEMAS = ['foundation', 'sso', 'learning', 'collections']

test('all migrations together produce test/schema.sql', async () => {
  const { db } = await testDatabase()
  const dump = await dumpSchema(db)
  if (process.argv.includes('--write')) writeFileSync(FILE, dump)
  assert.equal(dump, readFileSync(FILE, 'utf8'))
})

/**
 * The schema as text that reads like SQL; it is only compared, never run. "not null" is shown at its column, because
 * PostgreSQL stores it as a named constraint only from version 18 on. Partitions are left out: they depend on the month.
 */
async function dumpSchema({ pool: sql }: Database): Promise<string> {
  const types = await sql<{ line: string }[]>`
    select format('create type %s as enum (%s);', pg_type.oid::regtype,
                  string_agg(quote_literal(enumlabel), ', ' order by enumsortorder)) as line
      from pg_type join pg_enum on enumtypid = pg_type.oid
     where typnamespace = any(${SCHEMAS}::regnamespace[])
     group by pg_type.oid order by line`
  const functions = await sql<{ line: string }[]>`
    select rtrim(pg_get_functiondef(pg_proc.oid), E'\n') || ';' as line
      from pg_proc where pronamespace = any(${SCHEMAS}::regnamespace[])
     order by pronamespace::regnamespace::text, proname, pg_get_function_identity_arguments(pg_proc.oid)`
  const relations = await sql<{ line: string }[]>`
    select format(E'%s %s (\n%s\n)%s;',
             case relkind when 'r' then 'create table' when 'p' then 'create table' when 'v' then 'create view' when 'm' then 'create materialized view'
                          when 'S' then 'create sequence' else 'create relation ' || relkind::text end,
             pg_class.oid::regclass,
             concat_ws(E',\n',
               (select string_agg(format('  %s %s%s%s', quote_ident(attname), format_type(atttypid, atttypmod),
                         case when attnotnull then ' not null' else '' end,
                         case attgenerated when '' then ' default ' || pg_get_expr(adbin, adrelid)
                                           else ' generated always as (' || pg_get_expr(adbin, adrelid) || ')' end),
                         E',\n' order by attnum)
                  from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
                 where attrelid = pg_class.oid and attnum > 0 and not attisdropped),
               (select string_agg(format('  constraint %s %s', quote_ident(conname), pg_get_constraintdef(pg_constraint.oid)),
                         E',\n' order by position(contype::text in 'pufcx'), conname)
                  from pg_constraint where conrelid = pg_class.oid and contype <> 'n')),
             coalesce(' partition by ' || pg_get_partkeydef(pg_class.oid), '')
             || case when reloptions is null then '' else ' with (' || array_to_string(reloptions, ', ') || ')' end) as line
      from pg_class
     where relnamespace = any(${SCHEMAS}::regnamespace[]) and relkind <> all('{i,I,c,t}') and not relispartition
     order by relnamespace::regnamespace::text, relname`
  const indexes = await sql<{ line: string }[]>`
    select pg_get_indexdef(indexrelid) || ';' as line
      from pg_index join pg_class on pg_class.oid = indexrelid
     where relnamespace = any(${SCHEMAS}::regnamespace[]) and not relispartition
       and not exists (select from pg_constraint where conindid = indexrelid and contype = any('{p,u,x}'))
     order by relnamespace::regnamespace::text, relname`
  const triggers = await sql<{ line: string }[]>`
    select pg_get_triggerdef(pg_trigger.oid) || ';' as line
      from pg_trigger join pg_class on pg_class.oid = tgrelid
     where relnamespace = any(${SCHEMAS}::regnamespace[]) and not tgisinternal
     order by tgrelid::regclass::text, tgname`
  const parts = [types, functions, relations, indexes, triggers].map((rows) =>
    rows.map(({ line }) => line).join('\n'),
  )
  return `-- What all migrations produce. Written by test/schema.test.ts --write; edit the migrations, not this file.\n\n${parts.join('\n\n')}\n`
}
