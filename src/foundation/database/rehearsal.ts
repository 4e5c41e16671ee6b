import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { connectAlone, isWithoutTransaction, type Migration } from './migrations.ts'
import { splitStatements } from './statements.ts'

/** What a statement does to a table that was there before all of them. */
export type Effect = {
  table: string
  /** The strongest lock held by now, as PostgreSQL writes it: ACCESS EXCLUSIVE. */
  lock: string
  /** The statement reads the whole table, or writes it anew, so it takes longer the larger the table is. */
  isReadWhole: boolean
  isRewritten: boolean
}
export type Step = { statement: string; effects: Effect[] }
type Rehearsed = { migration: Migration; steps: Step[] }

/** From weak to strong. */
const LOCKS = [
  'ACCESS SHARE',
  'ROW SHARE',
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'EXCLUSIVE',
  'ACCESS EXCLUSIVE',
]
/** What a request cannot do while somebody holds this lock on its table. */
export const blockedBy = (lock: string): 'nothing' | 'writes' | 'reads and writes' =>
  lock === 'ACCESS EXCLUSIVE'
    ? 'reads and writes'
    : LOCKS.indexOf(lock) >= LOCKS.indexOf('SHARE')
      ? 'writes'
      : 'nothing'

type Table = { oid: number; name: string }
/** `scans` counts within a transaction; `file` changes when the table is written anew. */
type State = { modes: string[]; scans: number; file: number | null }

/**
 * Really runs migrations in a database that serves nobody else and has the schema from before them, and reads what each
 * statement locks, reads and rewrites. There are no rows, so it says nothing about time.
 */
export async function rehearse(url: string, pending: readonly Migration[]): Promise<Rehearsed[]> {
  const [sql, second] = [connectAlone(url, {}), connectAlone(url, {})]
  try {
    const tables = await sql<Table[]>`
      select oid::int8::float8 as oid, oid::regclass::text as name from pg_class
       where relkind in ('r', 'p', 'm') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'`
    const rehearsed: Rehearsed[] = []
    for (const migration of pending) {
      const statements = splitStatements(migration.text)
      const steps = isWithoutTransaction(migration.text)
        ? await runApart({ sql, second, tables }, statements)
        : ((await sql.begin((tx) => runTogether(tx, tables, statements))) as Step[])
      rehearsed.push({ migration, steps })
    }
    return rehearsed
  } finally {
    await Promise.all([sql, second].map((one) => one.end({ timeout: 5 })))
  }
}

async function runTogether(
  tx: postgres.TransactionSql,
  tables: Table[],
  statements: string[],
): Promise<Step[]> {
  const steps: Step[] = []
  let before = await readStates(tx, tables)
  for (const statement of statements) {
    await tx.unsafe(statement)
    const after = await readStates(tx, tables)
    const effects = tables.flatMap(({ oid, name }) => effectOf(name, before.get(oid), after.get(oid)))
    steps.push({ statement, effects })
    before = after
  }
  return steps
}

async function readStates(tx: postgres.TransactionSql, tables: Table[]): Promise<Map<number, State>> {
  const rows = await tx<(State & { oid: number })[]>`
    select t.oid::int8::float8 as oid, pg_relation_filenode(t.oid)::int8::float8 as file,
           coalesce(pg_stat_get_xact_numscans(t.oid), 0)::float8 as scans,
           array(select mode from pg_locks
                  where relation = t.oid and pid = pg_backend_pid() and locktype = 'relation') as modes
      from unnest(${tables.map(({ oid }) => oid)}::oid[]) as t (oid)`
  return new Map(rows.map((row) => [row.oid, row]))
}

function effectOf(table: string, before?: State, after?: State): Effect[] {
  if (!before || !after) return []
  const isReadWhole = after.scans > before.scans
  const isRewritten = after.file !== null && after.file !== before.file
  if (!isReadWhole && !isRewritten && after.modes.length === before.modes.length) return []
  return [{ table, lock: strongest(after.modes), isReadWhole, isRewritten }]
}

type Apart = { sql: postgres.Sql; second: postgres.Sql; tables: Table[] }

async function runApart({ sql, second, tables }: Apart, statements: string[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const statement of statements) {
    try {
      const [step] = (await sql.begin((tx) => runTogether(tx, tables, [statement]))) as Step[]
      if (step) steps.push(step)
    } catch (error) {
      // 25001: it runs in no transaction.
      if (!(error instanceof postgres.PostgresError) || error.code !== '25001') throw error
      steps.push({ statement, effects: await watch({ sql, second, tables }, statement) })
    }
  }
  return steps
}

/**
 * The locks of a statement that ends its own transactions. It waits for a transaction that has written to all tables, and
 * while it waits its locks can be read.
 */
async function watch({ sql, second, tables }: Apart, statement: string): Promise<Effect[]> {
  const [self] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  let isOver = false
  const { running, locks } = (await second.begin(async (tx) => {
    const names = tables.map(({ name }) => name).join(', ')
    if (names !== '') await tx.unsafe(`lock table ${names} in row exclusive mode`)
    const run = sql.unsafe(statement).then(() => (isOver = true))
    run.catch(() => (isOver = true))
    while (!isOver) {
      const [waiting] = await tx`select from pg_locks where pid = ${self?.pid ?? 0} and not granted`
      if (waiting) break
      await sleep(5)
    }
    const held = await tx<{ oid: number; mode: string }[]>`
      select relation::int8::float8 as oid, mode from pg_locks
       where pid = ${self?.pid ?? 0} and locktype = 'relation'`
    return { running: { run }, locks: held }
  })) as { running: { run: Promise<unknown> }; locks: { oid: number; mode: string }[] }
  await running.run
  return tables.flatMap(({ oid, name }) => {
    const modes = locks.filter((lock) => lock.oid === oid).map(({ mode }) => mode)
    if (modes.length === 0) return []
    return [{ table: name, lock: strongest(modes), isReadWhole: false, isRewritten: false }]
  })
}

/** ShareUpdateExclusiveLock becomes SHARE UPDATE EXCLUSIVE. */
function strongest(modes: readonly string[]): string {
  const names = modes.map((mode) =>
    mode
      .replace(/Lock$/, '')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toUpperCase(),
  )
  return names.toSorted((one, other) => LOCKS.indexOf(other) - LOCKS.indexOf(one))[0] ?? ''
}
