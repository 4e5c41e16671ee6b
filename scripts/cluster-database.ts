import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { freePort } from '#testing/redis.ts'
import { account, aPart, type Part } from './cluster-processes.ts'
import { openRelay } from './cluster-relay.ts'

const BIN = process.env['PG_BIN'] ?? '/usr/lib/postgresql/15/bin'

/** A folder for one part, which belongs to the user that runs it. */
export function homeOf(root: string, name: string, mount: (home: string) => void = () => {}): string {
  const home = join(root, name)
  mkdirSync(home, { mode: 0o700 })
  mount(home)
  if (account) chownSync(home, account.uid, account.gid)
  return home
}

/** Three members of etcd, which elects a new leader when one is lost. */
export async function prepareEtcd(root: string) {
  const members = await Promise.all(
    [1, 2, 3].map(async (n) => ({ name: `etcd${n}`, client: await freePort(), peer: await freePort() })),
  )
  const all = members.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(',')
  const parts = members.map(({ name, client, peer }) => {
    const [own, others] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
    const flags = { 'listen-client-urls': own, 'advertise-client-urls': own, 'listen-peer-urls': others }
    const more = { 'initial-advertise-peer-urls': others, 'initial-cluster': all, name, 'data-dir': 'data' }
    const given = Object.entries({ ...flags, ...more, 'enable-v2': 'true' }).map(
      ([flag, value]) => `--${flag}=${value}`,
    )
    return { client, ...aPart({ name, home: homeOf(root, name), command: ['etcd', ...given] }) }
  })
  const statusOf = async ({ client }: { client: number }) => {
    const options = { method: 'POST', body: '{}', signal: AbortSignal.timeout(1_000) }
    const reply = await fetch(`http://127.0.0.1:${client}/v3/maintenance/status`, options)
    return (await reply.json()) as { header: { member_id: string }; leader?: string }
  }
  const leader = async () => {
    for (const part of parts) {
      const status = await statusOf(part).catch(() => undefined)
      if (status?.leader && status.leader === status.header.member_id) return part
    }
    return undefined
  }
  return { parts, leader, hosts: members.map(({ client }) => `127.0.0.1:${client}`) }
}

export type DatabaseNode = Part & {
  /** Where its files are. */
  home: string
  rest: number
  port: number
  /** The network between HAProxy and this server, for its port and for its REST check. */
  relays: Awaited<ReturnType<typeof openRelay>>[]
}

/** Three servers of PostgreSQL, one of them primary, one at least its synchronous standby. */
export async function preparePatroni(
  root: string,
  etcd: readonly string[],
  mount: (home: string) => void = () => {},
) {
  const nodes: DatabaseNode[] = []
  for (const name of ['pg1', 'pg2', 'pg3']) {
    const [port, rest] = [await freePort(), await freePort()]
    const home = homeOf(root, name, mount)
    writeFileSync(join(home, 'patroni.yml'), JSON.stringify(patroniOf({ name, home, port, rest, etcd })))
    const part = aPart({ name, home, command: ['patroni', join(home, 'patroni.yml')] })
    nodes.push({ ...part, home, port, rest, relays: [await openRelay(port), await openRelay(rest)] })
  }
  const isIn = (role: string) => async (node: DatabaseNode) => {
    const options = { signal: AbortSignal.timeout(1_000) }
    const reply = await fetch(`http://127.0.0.1:${node.rest}/${role}`, options).catch(() => undefined)
    return reply?.status === 200
  }
  const find = async (role: 'primary' | 'synchronous') => {
    for (const node of nodes) if (await isIn(role)(node)) return node
    return undefined
  }
  const primary = () => find('primary')
  const isWhole = async () =>
    (await primary()) &&
    (await find('synchronous')) &&
    (await Promise.all(nodes.map(isIn('health')))).every(Boolean)
  return { nodes, primary, find, isWhole }
}

type Given = { name: string; home: string; port: number; rest: number; etcd: readonly string[] }

/** JSON is YAML too. */
function patroniOf({ name, home, port, rest, etcd }: Given) {
  return {
    scope: 'lyceum',
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    // Not etcd3: with it, Patroni before 3.0.3 writes the leader key without a look at who holds it. A primary that was
    // frozen takes it back, and what its successor acknowledged is rewound (docs/decisions/high-availability.md).
    etcd: { hosts: etcd },
    bootstrap: {
      dcs: {
        ttl: 8,
        loop_wait: 1,
        retry_timeout: 3,
        maximum_lag_on_failover: 1_048_576,
        // A primary that crashed is replaced, not waited for.
        master_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          // A rewind that fails half-way, as on a full disk, leaves nothing that could start: the server is copied anew.
          remove_data_directory_on_rewind_failure: true,
          // After a failover commits wait until a standby follows the new primary: not for its slot, and for 5 s neither.
          use_slots: false,
          parameters: {
            max_connections: 200,
            shared_buffers: '64MB',
            wal_keep_size: '256MB',
            max_wal_size: '256MB',
            min_wal_size: '32MB',
            wal_retrieve_retry_interval: '500ms',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      pg_hba: [
        'host all all 127.0.0.1/32 trust',
        'host replication all 127.0.0.1/32 trust',
        'local all all trust',
      ],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(home, 'data'),
      bin_dir: BIN,
      pgpass: join(home, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: 'postgres' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      parameters: { unix_socket_directories: home },
    },
  }
}

/** Role and database of Lyceum, made on the primary. */
export async function createDatabase(port: number) {
  const sql = postgres({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    max: 1,
    onnotice: () => {},
  })
  try {
    await sql`create role lyceum login password 'lyceum'`
    await sql`create database lyceum owner lyceum`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** PgBouncer with the file that operators are given, on other ports. */
export async function preparePgBouncer(root: string, databasePort: number) {
  const port = await freePort()
  const home = homeOf(root, 'pgbouncer')
  const file = readFileSync(join(import.meta.dirname, '../deploy/pgbouncer.ini'), 'utf8')
    .replaceAll('port=5432', `port=${databasePort}`)
    .replace('listen_port = 6432', `listen_port = ${port}`)
    .replace('/etc/pgbouncer/userlist.txt', join(home, 'userlist.txt'))
  writeFileSync(join(home, 'pgbouncer.ini'), file)
  writeFileSync(join(home, 'userlist.txt'), '"lyceum" "lyceum"\n')
  const part = aPart({ name: 'pgbouncer', home, command: ['pgbouncer', join(home, 'pgbouncer.ini')] })
  return { part, port }
}
