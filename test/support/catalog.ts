import type { Sql } from 'postgres'

/** Where each catalog says in which schema its rows are, and what of a row is written out, because it holds numbers of columns. */
const CATALOGS: Record<string, { of: string; told?: string }> = {
  pg_namespace: { of: 'one.oid' },
  pg_class: { of: 'relnamespace', told: "pg_get_expr(relpartbound, one.oid), case relkind when 'v' then pg_get_viewdef(one.oid) end, pg_get_partkeydef(one.oid)" },
  // An index keeps the names that its columns had when it was made.
  pg_attribute: { of: "case when attstattarget >= 0 or attrelid not in (select indexrelid from pg_index) then attrelid end" },
  pg_attrdef: { of: 'adrelid', told: '(select attname from pg_attribute where attrelid = adrelid and attnum = adnum), pg_get_expr(adbin, adrelid)' },
  pg_index: { of: 'indrelid', told: 'pg_get_indexdef(indexrelid)' },
  pg_constraint: { of: 'connamespace', told: 'pg_get_constraintdef(one.oid)' },
  pg_proc: { of: 'pronamespace', told: 'pg_get_functiondef(one.oid)' },
  // Parentheses go: "(a or b) or c" is "a or b or c" when the text that PostgreSQL tells is parsed again.
  pg_trigger: { of: 'tgrelid', told: "regexp_replace(pg_get_triggerdef(one.oid), '[()]+', '', 'g')" },
  pg_type: { of: 'typnamespace' },
  pg_enum: { of: 'enumtypid' },
  pg_sequence: { of: 'seqrelid' },
  pg_collation: { of: 'collnamespace' },
  pg_statistic_ext: { of: 'stxnamespace', told: 'pg_get_statisticsobjdef(one.oid)' },
  pg_rewrite: { of: 'ev_class' },
  pg_policy: { of: 'polrelid', told: 'pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)' },
  pg_inherits: { of: 'inhparent' },
  pg_description: { of: 'objoid', told: '(select attname from pg_attribute where attrelid = objoid and attnum = objsubid)' },
  pg_seclabel: { of: 'objoid' },
  pg_default_acl: { of: 'defaclnamespace' },
  pg_cast: { of: 'castfunc' },
  pg_operator: { of: 'oprnamespace' },
  pg_opclass: { of: 'opcnamespace' },
  pg_ts_config: { of: 'cfgnamespace' },
  pg_ts_dict: { of: 'dictnamespace' },
} // prettier-ignore

/** Numbers of objects, files and columns, and how large or old something is: two equal schemas differ in them. */
const UNLIKE = /^(oid|relfilenode|relpages|reltuples|relall\w+|relfrozenxid|relminmxid|relnatts|relhastriggers|attnum|attmissingval|atthasmissing|indcheckxmin|adnum|conkey|confkey|conbin|indkey|indexprs|indpred|adbin|tgattr|tgqual|relpartbound|ev_action|ev_qual|prosqlbody|proargdefaults|stxkeys|stxexprs|enumsortorder|polqual|polwithcheck|objsubid)$/ // prettier-ignore

/** Names of internal objects that hold numbers. */
const NUMBERED = /\b(pg_toast_|RI_ConstraintTrigger_[ac]_)\d+/g

type Row = Record<string, unknown>

/**
 * Everything that PostgreSQL knows about the objects of these schemas: the rows of all catalogs with names in place of
 * numbers, and the rows of our tables but `except`. Two databases with the same lines behave alike. Times are told as
 * "some time", because rows may carry that of their making.
 */
export async function describeSchemas(
  sql: Sql,
  schemas: readonly string[],
  except: string,
): Promise<string[]> {
  const names = await nameEverything(sql, schemas)
  const ours = [...names.keys()]
  const found: string[] = []
  for (const [catalog, { of, told = 'null' }] of Object.entries(CATALOGS)) {
    const rows = await sql.unsafe<{ row: Row; told: unknown }[]>(
      `select to_jsonb(one) as row, jsonb_build_array(${told}) as told from ${catalog} as one where ${of}::text = any($1)`,
      [ours],
    )
    for (const { row, told: text } of rows) {
      if (row['attisdropped'] === true) continue
      found.push(
        `${catalog} ${JSON.stringify(plain(row, names))} ${JSON.stringify(text).replaceAll(NUMBERED, '$1')}`,
      )
    }
  }
  const tables = sql`(
    select oid from pg_class
     where relnamespace::regnamespace::text = any(${schemas}) and relkind = any('{r,p,v,m,f}'))`
  const orders = await sql<{ line: string }[]>`
    select attrelid::regclass || ': ' || string_agg(attname, ', ' order by attnum) as line
      from pg_attribute where attrelid in ${tables} and attnum > 0 and not attisdropped group by attrelid`
  const indexes = await sql<{ line: string }[]>`
    select indrelid::regclass || ': ' || string_agg(indexrelid::regclass::text, ', ' order by indexrelid) as line
      from pg_index where indrelid in ${tables} group by indrelid`
  found.push(
    ...orders.map(({ line }) => `columns of ${line}`),
    ...indexes.map(({ line }) => `indexes of ${line}`),
  )
  const filled = await sql<{ name: string }[]>`
    select oid::regclass::text as name from pg_class
     where oid in ${tables} and relkind = 'r' and oid <> ${except}::regclass`
  for (const { name } of filled) {
    const rows = await sql.unsafe<{ line: string }[]>(
      `select regexp_replace(to_jsonb(one)::text, '\\d{4}-\\d\\d-\\d\\dT[^"]+', 'some time', 'g') as line from ${name} as one`,
    )
    found.push(...rows.map(({ line }) => `row of ${name} ${line}`))
  }
  return found.toSorted()
}

/** The names of our objects by their numbers. */
async function nameEverything(sql: Sql, schemas: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql<{ oid: string; name: string }[]>`
    with ours as (select oid from pg_namespace where nspname = any(${schemas})),
    tables as (select oid, reltoastrelid from pg_class where relnamespace in (select oid from ours))
    select oid::text, oid::regnamespace::text as name from ours
    union all select oid::text, oid::regclass::text from tables
    union all select reltoastrelid::text, 'toast of ' || oid::regclass from tables where reltoastrelid <> 0
    union all select indexrelid::text, 'index of toast of ' || oid::regclass from tables join pg_index on indrelid = reltoastrelid
    union all select oid::text, 'type ' || oid::regtype from pg_type where typnamespace in (select oid from ours)
    union all select oid::text, oid::regprocedure::text from pg_proc where pronamespace in (select oid from ours)
    union all select oid::text, conrelid::regclass || ' ' || conname from pg_constraint where connamespace in (select oid from ours)
    union all select oid::text, tgrelid::regclass || ' ' || tgname from pg_trigger where tgrelid in (select oid from tables)`
  return new Map(rows.map(({ oid, name }) => [oid, name.replace(/RI_\w+_\d+$/, 'of a foreign key')]))
}

/** Numbers come as text: one, or several with a space between. */
function plain(row: Row, names: Map<string, string>): Row {
  const tell = (value: unknown) =>
    typeof value === 'string' && /^\d+( \d+)*$/.test(value)
      ? value.replaceAll(/\d+/g, (number) => names.get(number) ?? number)
      : typeof value === 'string'
        ? value.replaceAll(NUMBERED, '$1')
        : value
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => !UNLIKE.test(column))
      .map(([column, value]) => [column, tell(value)]),
  )
}

/**
 * PostgreSQL keeps bodies such as `return …` parsed, and what it tells of them changes a little when it is parsed again.
 * Afterwards functions are told as if they came from what was told of them.
 */
export async function parseBodiesAgain(sql: Sql, schemas: readonly string[]): Promise<void> {
  const bodies = await sql<{ text: string }[]>`
    select pg_get_functiondef(oid) as text from pg_proc
     where prosqlbody is not null and pronamespace::regnamespace::text = any(${schemas})`
  for (const { text } of bodies) await sql.unsafe(text)
}
