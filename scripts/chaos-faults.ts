import { setTimeout as sleep } from 'node:timers/promises'
import { until } from './cluster-processes.ts'
import type { Cluster, LyceumNode } from './cluster-run.ts'

export type Fault = {
  name: string
  /** Breaks something, and resolves when it is mended. */ run: () => Promise<void>
}

/** Each breaks one part as the outside world would, and brings it back as an operator or systemd would. */
export function faultsOf({ nodes, patroni, redis, etcd }: Cluster, random: () => number): Fault[] {
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
      async run() {
        const node = await primary()
        for (const relay of node.relays) relay.cut()
        await sleep(5_000)
        for (const relay of node.relays) relay.mend()
      },
    },
    {
      name: 'kill -9 of the Redis that writes',
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
  ]
}
