import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { isConnectionLoss } from './database.ts'
import { splitSocketHost } from './url.ts'
import { StartError } from '../start-error.ts'

/** `folder` holds files named NNNN_what.sql; `name` is the PostgreSQL schema that they build. */
export type MigrationSource = { name: string; folder: string }
/** A row of foundation.migrations. */
export type MigrationRecord = { source: string; number: number; sha256: string }
export type Migration = MigrationRecord & { name: string; text: string }

/** A schema that exists while a database is being restored. */
export const RESTORING = 'lyceum_restore'

const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/
/** An arbitrary number that must be the same in every version of Lyceum. */
const LOCK = 7_206_553_241

type Options = {
  /** Leaves out the others, for a restore that first makes the schema of an earlier version. */
  isWanted?: (migration: Migration) => boolean
  isRestore?: boolean
}

/**
 * Applies pending migrations (numbered SQL, forward only) and returns the names of those that ran. Each has its own
 * transaction unless its first line is `-- no-transaction`. Concurrent starts are safe: one migrates, one waits. An
 * edited file is refused.
 */
export async function migrate(
  url: string,
  sources: MigrationSource[],
  { isWanted = () => true, isRestore = false }: Options = {},
): Promise<string[]> {
  const { url: address, ...socket } = splitSocketHost(url)
  const sql = postgres(address, {
    ...socket,
    max: 1,
    connect_timeout: 2,
    onnotice: () => {},
    connection: { application_name: 'lyceum migrate', lock_timeout: 2_000 },
  })
  try {
    await sql`select pg_advisory_lock(${LOCK})`.catch(retryLock(sql))
    if (!isRestore) await refuseUnfinishedRestore(sql)
    return await runAll(sql, readMigrations(sources).filter(isWanted))
  } catch (error) {
    if (isConnectionLoss(error))
      throw new StartError(`The database does not answer (${(error as Error).message}): check DATABASE_URL`)
    throw error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** lock_timeout also limits the wait for the advisory lock, and another process may migrate for longer than that. */
const retryLock = (sql: postgres.Sql) => async () => {
  await sql`set lock_timeout = '60s'`
  await sql`select pg_advisory_lock(${LOCK})`
  await sql`set lock_timeout = '2s'`
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

async function runAll(sql: postgres.Sql, migrations: Migration[]): Promise<string[]> {
  const ran: string[] = []
  for (const migration of pendingMigrations(migrations, await readRecord(sql))) {
    await runOne(sql, migration)
    ran.push(`${migration.source}/${migration.name}`)
  }
  return ran
}

async function runOne(sql: postgres.Sql, { source, number, name, text, sha256 }: Migration) {
  const record = (on: postgres.ISql) =>
    on`insert into foundation.migrations (source, number, name, sha256) values (${source}, ${number}, ${name}, ${sha256})`
  if (text.startsWith('-- no-transaction')) {
    await sql.unsafe(text)
    await record(sql)
    return
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.begin(async (tx) => {
        await tx.unsafe(text)
        await record(tx)
      })
      return
    } catch (error) {
      // 55P03: a running request held the table for longer than lock_timeout. Requests must not queue behind the
      // migration, so it retries.
      if (attempt === 30 || !(error instanceof postgres.PostgresError) || error.code !== '55P03') throw error
    }
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
      return {
        source,
        number: Number(number),
        name: file,
        text,
        sha256: createHash('sha256').update(text).digest('hex'),
      }
    })
}
