import { connectAlone, isWithoutTransaction, type Migration } from '#foundation/database/migrations.ts'
import { blockedBy, rehearse, type Step } from '#foundation/database/rehearsal.ts'

/** What is in a database, by description; `true` for a column that every insert has to fill. */
export type Shape = Map<string, boolean>

export async function readShape(url: string): Promise<Shape> {
  const sql = connectAlone(url, {})
  const rows = await sql<{ what: string; is_required: boolean }[]>`
    with ours as (select oid from pg_namespace where nspname !~ '^(pg_|information_schema)')
    select format('table %s', c.oid::regclass) as what, false as is_required
      from pg_class as c where relkind in ('r', 'p', 'v', 'm') and relnamespace in (select oid from ours)
    union all
    select format('column %s.%I, %s', c.oid::regclass, attname, format_type(atttypid, atttypmod)),
           attnotnull and not atthasdef and attidentity = ''
      from pg_attribute join pg_class as c on c.oid = attrelid
     where relkind in ('r', 'p', 'v', 'm') and attnum > 0 and not attisdropped and relnamespace in (select oid from ours)
    union all
    select format('function %s', p.oid::regprocedure), false
      from pg_proc as p where pronamespace in (select oid from ours)
    union all
    select distinct format('unique key of %s, %s', indrelid::regclass, substring(pg_get_indexdef(indexrelid) from ' USING (.*)')),
           false
      from pg_index join pg_class as c on c.oid = indexrelid
     where indisunique and relnamespace in (select oid from ours)`
  await sql.end()
  return new Map(rows.map(({ what, is_required }) => [what, is_required]))
}

/**
 * Runs the migration in the database of `url` and returns why the release that knows only `base` could not run beside it.
 * A file that says `-- contract: reason` removes what no release reads any more, so it may.
 */
export async function faultsOf(url: string, migration: Migration, base: Shape): Promise<string[]> {
  const before = await readShape(url)
  const [rehearsed] = await rehearse(url, [migration])
  const after = await readShape(url)
  if (/^-- contract: .{10,}/m.test(migration.text)) return []
  return [
    ...[...before.keys()]
      .filter((what) => base.has(what) && !after.has(what))
      .map((what) => `${what}: is gone`),
    ...[...after]
      .filter(([what, isRequired]) => isRequired && isNewDuty(what))
      .map(([what]) => `${what}: has no default`),
    ...(rehearsed?.steps ?? []).flatMap((step) => longLocks(step, base)),
    ...notRepeatable(migration.text),
  ]

  /** In a table that the release fills without knowing this. */
  function isNewDuty(what: string): boolean {
    const table = /^column (.*)\.[^.]+, /.exec(what)?.[1] ?? ''
    return base.has(`table ${table}`) && before.get(what) !== true
  }
}

function longLocks({ statement, effects }: Step, base: Shape): string[] {
  return effects
    .filter(
      ({ table, isReadWhole, isRewritten }) => (isReadWhole || isRewritten) && base.has(`table ${table}`),
    )
    .flatMap(({ table, lock }) => {
      const blocked = blockedBy(lock)
      if (blocked !== 'nothing') return [`${table}: ${blocked} wait until all of it is read: ${statement}`]
      return lock === 'ROW EXCLUSIVE' ? [`${table}: is changed in one transaction: ${statement}`] : []
    })
}

/** An index that a kill left half built is in the way of the next attempt. */
const notRepeatable = (text: string): string[] =>
  isWithoutTransaction(text)
    ? Array.from(text.matchAll(/\bcreate (?:unique )?index concurrently (\w+)/gi), ([, name = '']) => name)
        .filter((name) => !new RegExp(`drop index concurrently if exists \\w+\\.${name}\\b`, 'i').test(text))
        .map((name) => `${name}: is not dropped before, so the file cannot be run again`)
    : []
