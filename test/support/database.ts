import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { pino } from 'pino'
import postgres from 'postgres'
import { migrations as collections } from '#collections'
import { type Database, openDatabase } from '#foundation/database.ts'
import { startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { splitSocketHost } from '#foundation/embedded-postgres/url.ts'
import { type MigrationSource, migrate } from '#foundation/migrations.ts'
import { migrations as learning } from '#learning'
import { migrations as sso } from '#sso'

/** `admin` may create databases, `app` is the role the product uses. Both are URLs of the same server. */
export type TestServer = { admin: string; app: string; role: string }

/** Set by scripts/test.ts for the processes of one run, so that they share one server and one migrated template. */
export const TEST_SERVER = 'LYCEUM_TEST_SERVER'
const TEMPLATE = 'lyceum_test_template'

export const allMigrations: MigrationSource[] = [
  { name: 'foundation', folder: join(import.meta.dirname, '../../src/foundation/migrations') },
  sso,
  learning,
  collections,
]

export const inDatabase = (url: string, name: string) =>
  url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)

/** The template of the run: migrated once, cloned by every test process. */
export async function makeTemplate(server: TestServer) {
  await asAdmin(server, async (sql) => {
    await sql.unsafe(`drop database if exists ${TEMPLATE}`)
    await sql.unsafe(`create database ${TEMPLATE} owner ${server.role}`)
  })
  await migrate(inDatabase(server.app, TEMPLATE), allMigrations)
}

export type TestDatabase = { db: Database; url: string; close: () => Promise<void> }

/** A fresh, migrated database of its own; dropped at the end of the process. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await (shared ??= findServer())
  const name = `lyceum_test_${randomBytes(6).toString('hex')}`
  await asAdmin(server, (sql) =>
    sql.unsafe(`create database ${name} template ${TEMPLATE} owner ${server.role}`),
  )
  const url = inDatabase(server.app, name)
  // One process builds many worlds, and a race of fifty may take its time on a busy machine.
  const db = openDatabase({ url, poolSize: 6, idleSeconds: 1, poolWaitMs: 20_000 })
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await db.close()
    await asAdmin(server, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`))
  }
  atEnd.unshift(close)
  return { db, url, close }
}

/** What to undo when the process has run its tests, last made first. */
export const atEnd: (() => Promise<unknown>)[] = []
after(async () => {
  for (const undo of atEnd) await undo()
})

let shared: Promise<TestServer> | undefined

/** The server of the run, or, when a test file runs alone, one of its own. */
async function findServer(): Promise<TestServer> {
  const given = process.env[TEST_SERVER]
  if (given) return JSON.parse(given) as TestServer
  const { server, stop } = await startTestServer()
  atEnd.push(stop)
  await makeTemplate(server)
  return server
}

/** An embedded server in a folder of its own. */
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
  return { server: { admin, app: embedded.url(), role: embedded.connection.username }, stop }
}

async function asAdmin(server: TestServer, work: (sql: postgres.Sql) => Promise<unknown>) {
  const { url, ...socket } = splitSocketHost(server.admin)
  const sql = postgres(url, { ...socket, max: 1, onnotice: () => {} })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}
