import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { serverAccount } from '#foundation/embedded-postgres/account.ts'
import { findBinaries } from '#foundation/embedded-postgres/binaries.ts'
import { freePort } from './redis.ts'

/** One PostgreSQL server on a port of loopback, where the database `lyceum` belongs to the role `lyceum`. */
export type DatabaseServer = {
  port: number
  /** SIGKILL, also for its children: connections are reset. */
  kill: () => void
  /** SIGSTOP: connections stay open, and nothing answers. */
  freeze: () => void
  thaw: () => void
  /** Makes a standby take writes. */
  promote: () => Promise<void>
  /** Runs statements as the superuser. */
  admin: <T extends object[]>(statement: string) => Promise<T>
}

/** A primary and a synchronous standby that follows it. Everything is gone after `close`. */
export async function startPair() {
  const account = serverAccount('/', '/')
  const { initdb, postgres: binary } = findBinaries(account)
  const home = mkdtempSync(join(tmpdir(), 'lyceum-pair-'))
  chmodSync(home, 0o755)
  if (account) chownSync(home, account.uid, account.gid)
  const asAccount = { ...account, cwd: home, env: { LC_ALL: 'C', PATH: process.env['PATH'] } }
  const running: ChildProcess[] = []

  async function start(name: string, port: number): Promise<DatabaseServer> {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${home}`,
      'fsync=off',
    ]
    const flags = ['-D', join(home, name), ...settings.flatMap((one) => ['-c', one])]
    // A group of its own, so that the server's children get its signals too.
    const server = spawn(binary, flags, { ...asAccount, detached: true, stdio: 'ignore' })
    running.push(server)
    const signal = (what: NodeJS.Signals) => groupOf(server.pid ?? 0, what)
    const admin = <T extends object[]>(statement: string) => asSuperuser<T>(port, statement)
    for (let tries = 0; !(await admin('select 1').catch(() => undefined)); tries++) {
      if (tries === 200) throw new Error(`The server ${name} does not start`)
      await sleep(50)
    }
    return {
      port,
      kill: () => signal('SIGKILL'),
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
      promote: async () => void (await admin('select pg_promote()')),
      admin,
    }
  }

  execFileSync(
    initdb,
    ['--username=postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C', '-D', join(home, 'a')],
    {
      ...asAccount,
      stdio: 'ignore',
    },
  )
  const [portA, portB] = [await freePort(), await freePort()]
  // The second folder is a copy of the first one at rest.
  execFileSync('cp', ['-a', join(home, 'a'), join(home, 'b')])
  writeFileSync(join(home, 'b/standby.signal'), '')
  const source = `host=127.0.0.1 port=${portA} user=postgres application_name=b`
  appendFileSync(join(home, 'b/postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, home])
  const first = await start('a', portA)
  const second = await start('b', portB)
  await first.admin(`create role lyceum login password 'lyceum'`)
  await first.admin('create database lyceum owner lyceum')
  await first.admin(`alter system set synchronous_standby_names = 'b'`)
  await first.admin('select pg_reload_conf()')
  const isCopied = async () =>
    (await second.admin(`select from pg_database where datname = 'lyceum'`)).length === 1
  while (!(await isCopied())) await sleep(20)
  return {
    first,
    second,
    async close() {
      for (const { pid } of running) groupOf(pid ?? 0, 'SIGKILL')
      await Promise.all(
        running.map(async (one) => one.exitCode ?? one.signalCode ?? (await once(one, 'exit'))),
      )
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** PostgreSQL puts each of its children into a group of its own, so the group of the server is not enough. */
function groupOf(pid: number, signal: NodeJS.Signals) {
  const family = [pid, ...childrenOf(pid)]
  for (const one of family)
    try {
      process.kill(one, signal)
    } catch {
      // It is gone already.
    }
}

function childrenOf(pid: number): number[] {
  try {
    return execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map(Number)
  } catch {
    return []
  }
}

async function asSuperuser<T extends object[]>(port: number, statement: string): Promise<T> {
  const sql = postgres({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    max: 1,
    connect_timeout: 2,
    onnotice: () => {},
  })
  try {
    return (await sql.unsafe(statement)) as unknown as T
  } finally {
    await sql.end({ timeout: 1 })
  }
}
