import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import postgres from 'postgres'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { splitSocketHost } from '#foundation/database/url.ts'
import { migrate } from '#foundation/database/migrations.ts'
import { MIGRATIONS } from '../../src/cli/database.ts'

/** URLs of one server: `admin` may create databases, `app` is the role that the product uses. */
export type TestServer = { admin: string; app: string; role: string }

/** Set by scripts/test.ts so that all processes of a run share one server and one migrated template. */
export const TEST_SERVER = 'LYCEUM_TEST_SERVER'
export const TEMPLATE = 'lyceum_test_template'

export const inDatabase = (url: string, name: string) =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)

/** Creates the template database: migrated once per run, cloned by every test process. */
export async function makeTemplate(server: TestServer) {
  await asAdmin(server, async (sql) => {
    await sql.unsafe(`drop database if exists ${TEMPLATE}`)
    await sql.unsafe(`create database ${TEMPLATE} owner ${server.role}`)
  })
  await migrate(inDatabase(server.app, TEMPLATE), MIGRATIONS)
}

/** Starts an embedded server in a new folder. */
export async function startTestServer(): Promise<{ server: TestServer; stop: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lyceum-test-'))
  const embedded = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) })
  const { username, password } = embedded.admin
  const admin = embedded
    .url('postgres')
    .replace(/\/\/[^@]*@/, `//${encodeURIComponent(username)}:${encodeURIComponent(password)}@`)
  const stop = async () => {
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const server = { admin, app: embedded.url(), role: embedded.connection.username }
  await asAdmin(server, async (sql) => {
    // These rows need not survive a crash. Suites that kill the program start their own servers with these settings on.
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
      await sql.unsafe(`alter system set ${setting} = off`)
    await sql`select pg_reload_conf()`
    // Tests open thousands of connections; each would cost both sides 4,096 rounds of hashing.
    await sql`set scram_iterations = 1`
    for (const { username: role, password: secret } of [embedded.admin, embedded.connection])
      await sql.unsafe(`alter role "${role}" password '${secret}'`)
  })
  return { server, stop }
}

export async function asAdmin(server: TestServer, work: (sql: postgres.Sql) => Promise<unknown>) {
  const { url, ...socket } = splitSocketHost(server.admin)
  const sql = postgres(url, { ...socket, max: 1, onnotice: () => {} })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}
