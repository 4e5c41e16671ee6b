import type { Sql } from 'postgres'
import type { Migration } from '#foundation/database/migrations.ts'

/**
 * The end of a snapshot: what depends on the day on which it runs, so it cannot be read from a database. The months of the
 * audit log as sso/0091 makes them.
 */
const BY_DATE: Record<string, string> = {
  sso: `do $$
declare
  ends timestamptz := (date_trunc('month', now() at time zone 'UTC') + interval '2 months') at time zone 'UTC';
begin
  execute format('alter table sso.audit_log attach partition sso.audit_log_earlier for values from (minvalue) to (%L)', ends);
  execute format('create table sso.%I partition of sso.audit_log for values from (%L) to (maxvalue)',
                 to_char(ends at time zone 'UTC', '"audit_log_"YYYY_MM'), ends);
end $$;`,
}
/** Tables that it makes. */
const MONTH = String.raw`_\d{4}_\d\d$`

/**
 * The schema that the migrations of a source have made, as SQL that makes it again. It knows what our migrations use;
 * test/schema.test.ts finds what it does not know. Indexes stand in the order in which they were made, because that decides
 * which of two violated ones PostgreSQL names.
 */
export async function writeSnapshot(sql: Sql, source: string, migrations: Migration[]): Promise<string> {
  const read = async (text: string) => {
    const rows = await sql.unsafe<{ line: string }[]>(text, [source])
    return rows.map(({ line }) => line).join('\n')
  }
  const parts = [
    `create schema ${source};`,
    await read(TYPES),
    await read(functions(false)),
    await read(TABLES),
    await read(functions(true)),
    await read(INDEXES),
    await read(CONSTRAINTS),
    await read(COLUMNS),
    await read(VIEWS),
    await read(TRIGGERS),
    BY_DATE[source] ?? '',
  ]
  return `-- The schema ${source} of an empty database, in place of the migrations below (docs/decisions/schema-snapshot.md).
-- Written by test/schema.test.ts --write: edit the migrations, not this file.
${migrations.map(({ name, sha256 }) => `-- ${name} ${sha256}`).join('\n')}
-- Bodies of functions name tables that are made below.
set local check_function_bodies = off;

${parts.filter((part) => part !== '').join('\n\n')}
`
}

const TYPES = `
  select format('create type %s as enum (%s);', pg_type.oid::regtype,
                string_agg(quote_literal(enumlabel), ', ' order by enumsortorder)) as line
    from pg_type join pg_enum on enumtypid = pg_type.oid
   where typnamespace = $1::regnamespace
   group by pg_type.oid order by pg_type.oid`

/** Bodies that are parsed when the function is made (`return …`) come after the tables that they read. */
const functions = (areAfterTables: boolean) => `
  with recursive late as (
    select objid from pg_depend
     where classid = 'pg_proc'::regclass and refclassid = 'pg_class'::regclass
    union
    select pg_depend.objid from pg_depend join late on refobjid = late.objid
     where classid = 'pg_proc'::regclass and refclassid = 'pg_proc'::regclass)
  select regexp_replace(rtrim(pg_get_functiondef(oid), E'\\n'), '^CREATE OR REPLACE', 'CREATE') || ';' as line
    from pg_proc
   where pronamespace = $1::regnamespace and oid ${areAfterTables ? '' : 'not'} in (select objid from late)
   order by oid`

/** Their keys where they were made before all other indexes, the primary one first: then it is the order here, too. */
const KEYS = `
  select indexrelid, indrelid, conname, contype, pg_get_constraintdef(con.oid) as definition,
         con.oid is not null and not bool_or(con.oid is null) over before
         and (contype = 'p' or not coalesce(bool_or(contype = 'p') over later, false)) as is_inline
    from pg_index
    join pg_class as index on index.oid = indexrelid
    left join pg_constraint as con on conindid = indexrelid and conrelid = indrelid and contype in ('p', 'u', 'x')
   where relnamespace = $1::regnamespace and relname !~ '${MONTH}'
     and indrelid in (select oid from pg_class where relname !~ '${MONTH}')
  window before as (partition by indrelid order by indexrelid),
         later as (partition by indrelid order by indexrelid rows between 1 following and unbounded following)`

/** PostgreSQL stores "not null" as a constraint with a name from version 18 on; before, the name is passed over. */
const TABLES = `
  with keys as (${KEYS})
  select format(E'create %stable %s (\\n%s\\n)%s;', case relpersistence when 'u' then 'unlogged ' else '' end, c.oid::regclass,
           concat_ws(E',\\n',
             (select string_agg(concat_ws(' ', ' ', quote_ident(attname), format_type(atttypid, atttypmod),
                       case when attcollation <> typcollation then 'collate ' || attcollation::regcollation end,
                       case when attnotnull then (
                         select coalesce('constraint ' || quote_ident(min(conname)) || ' ', '') from pg_constraint
                          where conrelid = c.oid and contype = 'n' and conkey = array[attnum]
                            and conname <> relname || '_' || attname || '_not_null') || 'not null' end,
                       case attgenerated when 's' then 'generated always as (' || pg_get_expr(adbin, adrelid) || ') stored'
                                         else 'default ' || pg_get_expr(adbin, adrelid) end,
                       case attidentity when 'a' then 'generated always as identity'
                                        when 'd' then 'generated by default as identity' end),
                       E',\\n' order by attnum)
                from pg_attribute join pg_type on pg_type.oid = atttypid
                left join pg_attrdef on adrelid = attrelid and adnum = attnum
               where attrelid = c.oid and attnum > 0 and not attisdropped),
             (select string_agg('  constraint ' || quote_ident(conname) || ' ' || definition, E',\\n' order by indexrelid)
                from keys where indrelid = c.oid and is_inline),
             (select string_agg(format('  constraint %I %s', conname, pg_get_constraintdef(con.oid)), E',\\n' order by con.oid)
                from pg_constraint as con where conrelid = c.oid and contype = 'c' and convalidated)),
           coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
           || case when reloptions is null then '' else ' with (' || array_to_string(reloptions, ', ') || ')' end) as line
    from pg_class as c
   where relnamespace = $1::regnamespace and relkind in ('r', 'p') and relname !~ '${MONTH}'
   order by c.oid`

const INDEXES = `
  select coalesce('alter table ' || indrelid::regclass || ' add constraint ' || quote_ident(conname) || ' ' || definition,
                  pg_get_indexdef(indexrelid)) || ';' as line
    from (${KEYS}) as keys where not is_inline order by indexrelid`

const CONSTRAINTS = `
  select format('alter table %s add constraint %I %s;', conrelid::regclass, conname, pg_get_constraintdef(con.oid)) as line
    from pg_constraint as con join pg_class on pg_class.oid = conrelid
   where relnamespace = $1::regnamespace and relname !~ '${MONTH}' and conparentid = 0
     and (contype = 'f' or contype = 'c' and not convalidated)
   order by con.oid`

const COLUMNS = `
  select format('alter table %s alter column %I set %s;', attrelid::regclass, attname, setting) as line
    from pg_attribute
    join pg_class as c on c.oid = attrelid
    join pg_type on pg_type.oid = atttypid,
    unnest(array[
      case when attstattarget >= 0 then 'statistics ' || attstattarget end,
      case when attstorage <> typstorage then 'storage ' || case attstorage when 'p' then 'plain' when 'e' then 'external'
                                                              when 'x' then 'extended' else 'main' end end]) as setting
   where relnamespace = $1::regnamespace and relkind in ('r', 'p') and relname !~ '${MONTH}'
     and attnum > 0 and not attisdropped and setting is not null
   order by attrelid, attnum, setting`

const VIEWS = `
  select format(E'create view %s as\\n%s', oid::regclass, pg_get_viewdef(oid)) as line
    from pg_class where relnamespace = $1::regnamespace and relkind = 'v' order by oid`

const TRIGGERS = `
  select pg_get_triggerdef(pg_trigger.oid) || ';' as line
    from pg_trigger join pg_class on pg_class.oid = tgrelid
   where relnamespace = $1::regnamespace and not tgisinternal and tgparentid = 0
   order by pg_trigger.oid`
