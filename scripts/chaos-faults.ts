import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { until } from './cluster-processes.ts'
import { type Cluster, hasFaketime, type LyceumNode } from './cluster-run.ts'

export type Fault = {
  name: string
  /** Breaks something, and resolves when it is mended. */ run: () => Promise<void>
  /** Only its mending can end it, so the recovery is counted from there. */ lastsUntilMended?: true
  /** Each node may count its limits by itself meanwhile. */ partsLimits?: true
}

/** Each breaks one part as the outside world would, and brings it back as an operator or systemd would. */
export function faultsOf(
  { nodes, patroni, redis, etcd, disks }: Cluster,
  random: () => number,
  release: string,
): Fault[] {
  const any = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const primary = () => until('a primary', patroni.primary, 60)
  const restart = async (node: LyceumNode) => {
    node.start()
    await until(`${node.name} is ready`, () => node.said().includes('"ready":true'), 60)
  }
  return [
    {
      name: 'kill -9 of a Lyceum node',
      async run() {
        const node = any(nodes)
        await node.end('SIGKILL')
        await sleep(3_000)
        await restart(node)
      },
    },
    {
      name: 'kill -9 of the primary PostgreSQL and its Patroni',
      async run() {
        const node = await primary()
        await node.end('SIGKILL')
        await sleep(20_000)
        node.start()
      },
    },
    {
      name: 'SIGSTOP of the primary PostgreSQL and its Patroni for 20 s',
      async run() {
        const node = await primary()
        node.freeze()
        await sleep(20_000)
        node.thaw()
      },
    },
    {
      name: 'the network between HAProxy and the primary cut for 5 s',
      lastsUntilMended: true,
      async run() {
        const node = await primary()
        for (const relay of node.relays) relay.cut()
        await sleep(5_000)
        for (const relay of node.relays) relay.mend()
      },
    },
    {
      name: 'kill -9 of the Redis that writes',
      partsLimits: true,
      async run() {
        const server = (await redis.primary()) ?? any(redis.servers)
        await server.end('SIGKILL')
        await sleep(10_000)
        server.start()
      },
    },
    {
      name: "kill -9 of etcd's leader",
      async run() {
        const member = await until('a leader of etcd', etcd.leader)
        await member.end('SIGKILL')
        await sleep(5_000)
        member.start()
      },
    },
    {
      name: 'restart of all Lyceum nodes, one by one',
      async run() {
        for (const node of nodes) {
          await node.end('SIGTERM')
          await restart(node)
          await sleep(1_500)
        }
      },
    },
    {
      name: 'all Lyceum nodes exchanged for the previous release, one by one, and back',
      // The previous release counts by itself as soon as an answer of Redis is late.
      partsLimits: true,
      async run() {
        for (const checkout of [release, undefined])
          for (const node of nodes) {
            await node.end('SIGTERM')
            node.take(checkout)
            await restart(node)
            await sleep(1_500)
          }
      },
    },
    ...(disks.size > 0 ? [fullDisk('primary'), fullDisk('synchronous')] : []),
    ...(hasFaketime ? [movedClock(1), movedClock(-1)] : []),
  ]

  function fullDisk(role: 'primary' | 'synchronous'): Fault {
    const part = role === 'primary' ? 'the primary' : 'the synchronous standby'
    return {
      name: `the disk of ${part} PostgreSQL full for 20 s`,
      async run() {
        const node = await until(part, () => patroni.find(role), 60)
        const disk = disks.get(node.home)
        disk?.fill()
        try {
          const end = performance.now() + 20_000
          // The segments of the log that lie ready for use are soon used up.
          while (performance.now() < end) {
            const writer = await patroni.primary()
            if (writer && (await patroni.find(role)) === node) await switchSegment(writer.port)
            await sleep(500)
          }
        } finally {
          disk?.empty()
        }
        // What ended for want of space is started again, as systemd does.
        if (!node.isRunning()) node.start()
      },
    }
  }

  function movedClock(hours: number): Fault {
    return {
      name: `the clock of a Lyceum node moved by ${hours > 0 ? '+' : '−'}1 h for 20 s`,
      // Its own tokens and those of others are an hour apart as long as that lasts.
      lastsUntilMended: true,
      async run() {
        const node = any(nodes)
        node.moveClock(hours)
        await sleep(20_000)
        node.moveClock(0)
      },
    }
  }
}

async function switchSegment(port: number) {
  const options = {
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    max: 1,
    connect_timeout: 1,
  }
  const sql = postgres({ ...options, onnotice: () => {} })
  try {
    await Promise.race([sql`select pg_switch_wal()`, sleep(1_000)])
  } catch {
    // It is the fault that makes it fail.
  } finally {
    await sql.end({ timeout: 0 })
  }
}
