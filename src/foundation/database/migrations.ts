import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { clock } from '../clock.ts'
import { finishBackfillOf } from './backfills.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'
import { splitStatements } from './statements.ts'
import { splitSocketHost } from './url.ts'
import { StartError } from '../start-error.ts'

/** `folder` holds files named NNNN_what.sql; `name` is the PostgreSQL schema that they build. */
export type MigrationSource = { name: string; folder: string }
/** A row of foundation.migrations. */
export type MigrationRecord = { source: string; number: number; sha256: string }
/** `olderText` runs in place of `text` before PostgreSQL 17: the file of the same name in the folder `before-17`. */
export type Migration = MigrationRecord & { name: string; text: string; olderText?: string }

/** A schema that exists while a database is being restored. */
export const RESTORING = 'lyceum_restore'

const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/
/** An arbitrary number that must be the same in every version of Lyceum. */
const LOCK = 7_206_553_241
/**
 * How long a statement waits for a table. Requests queue behind it meanwhile, and the shortest time limit of a request is
 * one second. In between they go on.
 */
const LOCK_WAIT = '300ms'
const BOUNDS = { lock_timeout: LOCK_WAIT, statement_timeout: '0' }
const PAUSE_MS = 300
/** How long to try again, for a table and for another process that migrates. */
const LONGEST_MS = 60_000

type Options = {
  /** Leaves out the others, for a restore that first makes the schema of an earlier version. */
  isWanted?: (migration: Migration) => boolean
  isRestore?: boolean
  /** Runs every file, on an empty database too. */
  isByFiles?: boolean
  /** PostgreSQL itself is asked, so its bounds may come with the connection. A pooler refuses that, before anything runs. */
  isDirect?: boolean
}

/**
 * Applies pending migrations (numbered SQL, forward only) and returns the names of those that ran. Each has its own
 * transaction unless its first line is `-- no-transaction`; then each statement has. Concurrent starts are safe: one
 * migrates, one waits. An edited file is refused. An empty database gets the snapshots of the sources in place of the files
 * that these stand for.
 */
export async function migrate(
  url: string,
  sources: MigrationSource[],
  { isWanted = () => true, isRestore = false, isByFiles = false, isDirect = false }: Options = {},
): Promise<string[]> {
  const sql = connectAlone(url, isDirect ? BOUNDS : {})
  try {
    await takeLock(sql)
    if (!isDirect)
      await sql`select set_config('lock_timeout', ${LOCK_WAIT}, false), set_config('statement_timeout', '0', false)`
    if (!isRestore) await refuseUnfinishedRestore(sql)
    const migrations = readMigrations(sources).filter(isWanted)
    const early = isByFiles ? [] : await runSnapshots(sql, sources, migrations)
    return [...early, ...(await runAll(sql, migrations))]
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** One connection, for migrations and what tells about them. */
export function connectAlone(url: string, parameters: object): postgres.Sql {
  const { url: address, ...socket } = splitSocketHost(url)
  return postgres(address, {
    ...socket,
    max: 1,
    connect_timeout: 2,
    onnotice: () => {},
    connection: { application_name: 'lyceum migrate', ...parameters },
  })
}

/**
 * Asks again and again: `create index concurrently` waits for every statement under way, so it and a statement that waits
 * for the lock would wait for each other.
 */
async function takeLock(sql: postgres.Sql) {
  const until = clock.monotonic() + LONGEST_MS
  for (;;) {
    const [lock] = await sql<{ is_free: boolean }[]>`select pg_try_advisory_lock(${LOCK}::bigint) as is_free`
    if (lock?.is_free) return
    if (clock.monotonic() > until)
      throw new StartError(
        'Another process has been migrating the database for a minute: start when it is done',
      )
    await sleep(100)
  }
}

async function refuseUnfinishedRestore(sql: postgres.Sql) {
  const [found] = await sql`select from pg_namespace where nspname = ${RESTORING}`
  if (found)
    throw new StartError('A restore into this database was not finished: run npm start -- restore again')
}

/** What the database says it has run; nothing for an empty one. */
export async function readRecord(sql: postgres.Sql): Promise<MigrationRecord[]> {
  const [{ known }] =
    (await sql`select to_regclass('foundation.migrations') is not null as known`) as unknown as [
      { known: boolean },
    ]
  return known ? await sql<MigrationRecord[]>`select source, number, sha256 from foundation.migrations` : []
}

/** Those that have not run yet, in the order in which they will. StartError if a file was edited after it ran. */
export function pendingMigrations(migrations: Migration[], done: readonly MigrationRecord[]): Migration[] {
  return migrations.filter((migration) => {
    const before = done.find((row) => row.source === migration.source && row.number === migration.number)
    if (before && before.sha256 !== migration.sha256)
      throw new StartError(
        `The migration ${migration.source}/${migration.name} was edited after it ran; add a new one instead`,
      )
    return !before
  })
}

/** The names of the files that snapshots stood for. */
async function runSnapshots(
  sql: postgres.Sql,
  sources: MigrationSource[],
  migrations: Migration[],
): Promise<string[]> {
  if ((await readRecord(sql)).length > 0) return []
  const ran: string[] = []
  for (const source of sources) {
    const snapshot = readSnapshot(source, migrations)
    // A later one may need what this one would have made.
    if (!snapshot) break
    await runSnapshot(sql, snapshot)
    ran.push(...snapshot.migrations.map(titleOf))
  }
  return ran
}

/** All or nothing, with the record that the files would have left. */
async function runSnapshot(sql: postgres.Sql, { text, migrations }: Snapshot) {
  const rows = migrations.map(({ source, number, name, sha256 }) => ({ source, number, name, sha256 }))
  await sql.begin(async (tx) => {
    await tx.unsafe(text)
    await tx`insert into foundation.migrations ${tx(rows)}`
  })
}

const titleOf = ({ source, name }: Migration) => `${source}/${name}`

async function runAll(sql: postgres.Sql, migrations: Migration[]): Promise<string[]> {
  const [server] = await sql<{ version: number }[]>`
    select current_setting('server_version_num')::int as version`
  const isBefore17 = (server?.version ?? 0) < 170_000
  const ran: string[] = []
  for (const migration of pendingMigrations(migrations, await readRecord(sql))) {
    const { text, olderText = text } = migration
    await finishBackfillOf(sql, text)
    await runOne(sql, { ...migration, text: isBefore17 ? olderText : text })
    ran.push(titleOf(migration))
  }
  return ran
}

async function runOne(sql: postgres.Sql, { source, number, name, text, sha256 }: Migration) {
  const record = (on: postgres.ISql) =>
    on`insert into foundation.migrations (source, number, name, sha256) values (${source}, ${number}, ${name}, ${sha256})`
  if (isWithoutTransaction(text)) {
    for (const statement of splitStatements(text)) await untilLocked(name, () => runAlone(sql, statement))
    await record(sql)
    return
  }
  await untilLocked(name, () =>
    sql.begin(async (tx) => {
      await tx.unsafe(text)
      await record(tx)
    }),
  )
}

export const isWithoutTransaction = (text: string) => text.startsWith('-- no-transaction')

/** `concurrently` waits for transactions, and nobody waits for it. Ended in between it would leave an invalid index. */
async function runAlone(sql: postgres.Sql, statement: string) {
  const isPatient = /\bconcurrently\b/i.test(statement)
  if (isPatient) await sql`set lock_timeout = 0`
  await sql.unsafe(statement)
  if (isPatient) await sql`select set_config('lock_timeout', ${LOCK_WAIT}, false)`
}

/** Tries again while transactions hold a table for longer than LOCK_WAIT, or after a deadlock with one. */
async function untilLocked(name: string, run: () => Promise<unknown>) {
  const until = clock.monotonic() + LONGEST_MS
  for (;;) {
    try {
      await run()
      return
    } catch (error) {
      if (!(error instanceof postgres.PostgresError) || !['55P03', '40P01'].includes(error.code)) throw error
      if (clock.monotonic() > until)
        throw new StartError(`The migration ${name} found its tables in use for a minute: start again later`)
    }
    await sleep(PAUSE_MS)
  }
}

export const readMigrations = (sources: readonly MigrationSource[]) => sources.flatMap(readFolder)

function readFolder({ name: source, folder }: MigrationSource): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => {
      const number = FILE.exec(file)?.[1]
      if (!number) throw new Error(`${source}/${file} is not named NNNN_what.sql`)
      const text = readFileSync(join(folder, file), 'utf8')
      const older = join(folder, 'before-17', file)
      return {
        source,
        number: Number(number),
        name: file,
        text,
        ...(existsSync(older) && { olderText: readFileSync(older, 'utf8') }),
        sha256: createHash('sha256').update(text).digest('hex'),
      }
    })
}
