import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '#testing/redis.ts'
import {
  createDatabase,
  type DatabaseNode,
  homeOf,
  prepareEtcd,
  preparePatroni,
  preparePgBouncer,
} from './cluster-database.ts'
import { type Disk, isMountable, mountDisk } from './cluster-disk.ts'
import { aPart, type Part, until } from './cluster-processes.ts'

const SERVICES = ['sso', 'learning', 'collections'] as const
type Ports = Record<(typeof SERVICES)[number], number>
export type LyceumNode = Part & {
  ports: Ports
  /** The checkout that its next start takes; by default this one. */
  take: (checkout?: string) => void
  /** Moves its clock by so many hours, where the cluster was opened with `movesClocks`. */
  moveClock: (hours: number) => void
}
export type Cluster = Awaited<ReturnType<typeof openCluster>['starting']>

/**
 * Everything of a highly available Lyceum, on loopback and in one folder. `env` are settings of the Lyceum nodes. `close`
 * ends what runs by then, also during the start; with `isKept` the folder and its logs stay. `hasSmallDisks` gives each
 * PostgreSQL a disk of its own that can be filled, where this user may mount one.
 */
export function openCluster(
  env: Record<string, string> = {},
  { hasSmallDisks = false, movesClocks = false } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'lyceum-cluster-'))
  chmodSync(root, 0o755)
  const running: Part[] = []
  const relays: DatabaseNode['relays'] = []
  const disks = new Map<string, Disk>()
  let isClosing = false
  const close = async (isKept = false) => {
    isClosing = true
    for (const part of running.toReversed()) await part.end('SIGTERM').catch(() => {})
    for (const relay of relays) relay.close()
    for (const disk of disks.values()) disk.remove(isKept)
    if (!isKept) rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  const add = (...parts: Part[]) => {
    if (isClosing) throw new Error('the cluster stops')
    running.push(...parts)
    for (const part of parts) part.start()
  }
  const start = async () => {
    const etcd = await prepareEtcd(root)
    add(...etcd.parts)
    await until('etcd has a leader', etcd.leader)
    const patroni = await preparePatroni(root, etcd.hosts, (home) => {
      if (hasSmallDisks && isMountable) disks.set(home, mountDisk(home))
    })
    relays.push(...patroni.nodes.flatMap((node) => node.relays))
    add(...patroni.nodes)
    await until('PostgreSQL has a primary and a synchronous standby', patroni.isWhole, 120)
    const redis = await prepareRedis(root)
    add(...redis.parts)
    const lyceum = await prepareNodes()
    const proxy = await prepareProxy(root, patroni.nodes, lyceum)
    add(proxy.part)
    await createDatabase((await patroni.primary())?.port ?? 0)
    const pooler = await preparePgBouncer(root, proxy.database)
    add(pooler.part)
    const database = `postgres://lyceum:lyceum@127.0.0.1:${pooler.port}/lyceum`
    const settings = {
      ...env,
      DATABASE_URL: database,
      DATABASE_PREPARE: 'off',
      REDIS_URL: redis.url,
      MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
      TRUSTED_PROXIES: '127.0.0.1/32',
      DRAIN_SECONDS: '2',
      SSO_URL: proxy.addresses.sso,
      LEARNING_URL: proxy.addresses.learning,
      COLLECTIONS_URL: proxy.addresses.collections,
    }
    const nodes = lyceum.map((ports, n) =>
      aNode({ root, name: `lyceum${n + 1}`, ports, settings, movesClocks }),
    )
    for (const node of nodes) {
      add(node)
      await until(`${node.name} is ready`, () => node.said().includes('"ready":true'), 120)
    }
    const firstRun = JSON.parse(readFileSync(join(root, 'lyceum1/first-run.json'), 'utf8')) as FirstRun
    const hasAll = async () =>
      (await Promise.all(Object.values(proxy.addresses).map((one) => fetch(`${one}/readyz`)))).every(
        ({ ok }) => ok,
      )
    await until('HAProxy reaches the services', hasAll)
    return { root, disks, etcd, patroni, redis, proxy, pooler, nodes, firstRun, database }
  }
  const starting = start()
  return { starting, close }
}

export type FirstRun = {
  admin: { email: string; password: string }
  sites: Record<string, { site_key: string }>
}

const prepareNodes = () =>
  Promise.all(
    [1, 2, 3].map(async (): Promise<Ports> => ({
      sso: await freePort(),
      learning: await freePort(),
      collections: await freePort(),
    })),
  )

type NodeGiven = {
  root: string
  name: string
  ports: Ports
  settings: Record<string, string>
  movesClocks: boolean
}

function aNode({ root, name, ports, settings, movesClocks }: NodeGiven): LyceumNode {
  const home = homeOf(root, name)
  const ours = join(import.meta.dirname, '..')
  let checkout = ours
  const clock = join(root, `${name}.clock`)
  const moveClock = (hours: number) => {
    // In one step, so that nobody reads half of it.
    writeFileSync(`${clock}.new`, `${hours < 0 ? '-' : '+'}${Math.abs(hours)}h`, { mode: 0o644 })
    renameSync(`${clock}.new`, clock)
  }
  moveClock(0)
  const env = {
    ...settings,
    ...(movesClocks && {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_CACHE_DURATION: '1',
      // Deadlines are not the clock on the wall.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
    NODE_ID: name,
    DATA_DIR: home,
    SSO_PORT: String(ports.sso),
    LEARNING_PORT: String(ports.learning),
    COLLECTIONS_PORT: String(ports.collections),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  }
  const command = () => [process.execPath, join(checkout, 'src/main.ts')]
  const take = (other = ours) => void (checkout = other)
  return { ports, take, moveClock, ...aPart({ name, home, command, env, isOurs: true }) }
}

/** Debian's package `faketime`. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
export const hasFaketime = existsSync(FAKETIME)

/** One Redis that writes, one that follows, and three Sentinels that exchange them. */
async function prepareRedis(root: string) {
  const ports = await Promise.all([freePort(), freePort()])
  const sentinels = await Promise.all([freePort(), freePort(), freePort()])
  const parts = ports.map((port, n) => {
    const name = `redis${n + 1}`
    const home = homeOf(root, name)
    // A file, because Sentinel writes who is primary into it.
    const follows = n === 0 ? '' : `replicaof 127.0.0.1 ${ports[0]}\n`
    writeFileSync(join(home, 'redis.conf'), `port ${port}\nbind 127.0.0.1\nsave ""\n${follows}`, {
      mode: 0o666,
    })
    return aPart({ name, home, command: ['redis-server', join(home, 'redis.conf')] })
  })
  const watchers = sentinels.map((port, n) => {
    const name = `sentinel${n + 1}`
    const home = homeOf(root, name)
    const lines = [
      `port ${port}\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 ${ports[0]} 2`,
      'sentinel down-after-milliseconds main 2000\nsentinel failover-timeout main 5000\n',
    ]
    writeFileSync(join(home, 'sentinel.conf'), lines.join('\n'), { mode: 0o666 })
    chmodSync(join(home, 'sentinel.conf'), 0o666)
    return aPart({ name, home, command: ['redis-server', join(home, 'sentinel.conf'), '--sentinel'] })
  })
  const hosts = sentinels.map((port) => `127.0.0.1:${port}`).join(',')
  /** Who writes now, as the first Sentinel knows it. */
  const primary = async () => {
    const client = new Redis({ port: sentinels[0] ?? 0, retryStrategy: () => null })
    try {
      const [, port] = (await client.call('SENTINEL', 'get-master-addr-by-name', 'main')) as string[]
      return parts[ports.indexOf(Number(port))]
    } finally {
      client.disconnect()
    }
  }
  return {
    parts: [...parts, ...watchers],
    servers: parts,
    primary,
    url: `redis+sentinel://${hosts}/main`,
  }
}

/** HAProxy asks Patroni who is primary, and the nodes of Lyceum who is ready. */
async function prepareProxy(root: string, databases: readonly DatabaseNode[], nodes: readonly Ports[]) {
  const home = homeOf(root, 'haproxy')
  const database = await freePort()
  const ports = { sso: await freePort(), learning: await freePort(), collections: await freePort() }
  const servers = databases.map(
    ({ name, relays: [data, rest] }) => `  server ${name} 127.0.0.1:${data?.port} check port ${rest?.port}`,
  )
  const services = SERVICES.flatMap((service) => [
    `listen ${service}\n  mode http\n  bind 127.0.0.1:${ports[service]}\n  option forwardfor`,
    '  option httpchk GET /readyz\n  option redispatch\n  retry-on conn-failure',
    ...nodes.map(
      (node, n) => `  server lyceum${n + 1} 127.0.0.1:${node[service]} check inter 500ms fall 2 rise 1`,
    ),
  ])
  const lines = [
    'global\n  maxconn 4000',
    'defaults\n  timeout connect 1s\n  timeout client 1h\n  timeout server 1h\n  timeout check 1s\n  retries 3',
    `listen postgres\n  mode tcp\n  bind 127.0.0.1:${database}\n  option httpchk OPTIONS /primary`,
    '  http-check expect status 200\n  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    ...services,
  ]
  writeFileSync(join(home, 'haproxy.cfg'), `${lines.join('\n')}\n`)
  const part = aPart({ name: 'haproxy', home, command: ['haproxy', '-f', join(home, 'haproxy.cfg')] })
  const at = (port: number) => `http://127.0.0.1:${port}`
  const addresses = { sso: at(ports.sso), learning: at(ports.learning), collections: at(ports.collections) }
  return { part, database, addresses }
}
