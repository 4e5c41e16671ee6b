import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { isConnectionLoss } from './database.ts'
import { splitSocketHost } from './url.ts'
import { StartError } from '../start-error.ts'

/** `folder` holds files named NNNN_what.sql; `name` is the PostgreSQL schema that they build. */
export type MigrationSource = { name: string; folder: string }
type Migration = { source: string; number: number; name: string; text: string; sha256: string }

const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/
/** An arbitrary number that must be the same in every version of Lyceum. */
const LOCK = 7_206_553_241

/**
 * Applies pending migrations (numbered SQL, forward only) and returns the names of those that ran. Each has its own
 * transaction unless its first line is `-- no-transaction`. Concurrent starts are safe: one migrates, one waits. An
 * edited file is refused.
 */
export async function migrate(url: string, sources: MigrationSource[]): Promise<string[]> {
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
    return await runAll(sql, sources.flatMap(readFolder))
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

async function runAll(sql: postgres.Sql, migrations: Migration[]): Promise<string[]> {
  const [{ known }] =
    (await sql`select to_regclass('foundation.migrations') is not null as known`) as unknown as [
      { known: boolean },
    ]
  const done = known
    ? await sql<
        { source: string; number: number; sha256: string }[]
      >`select source, number, sha256 from foundation.migrations`
    : []
  const ran: string[] = []
  for (const migration of migrations) {
    const before = done.find((row) => row.source === migration.source && row.number === migration.number)
    if (!before) {
      await runOne(sql, migration)
      ran.push(`${migration.source}/${migration.name}`)
    } else if (before.sha256 !== migration.sha256) {
      throw new StartError(
        `The migration ${migration.source}/${migration.name} was edited after it ran; add a new one instead`,
      )
    }
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
