import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { runCommand } from '#testing/command.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { testsWith } from '#testing/programs.ts'
import { type RedisServer, startRedis } from '#testing/redis.ts'
import { startPair } from '#testing/standby.ts'
import { eventually } from '#testing/eventually.ts'

type Env = Record<string, string>

const withRedis = testsWith('redis-server or valkey-server', 'the steps from one box to many')

/** The commands of each step, as the document gives them. */
const steps = stepsOf(readFileSync(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8'))
const START = /^(?<settings>(?:[A-Z_]+=\S+ )*)npm start(?: -- (?<args>.*))?$/

describe('docs/operating.md, from one box to many: on one box', () => {
  const dataDir = newDataDir()
  after(() => removeDataDir(dataDir))

  for (const step of ['1. One box', '2. All cores of the box'])
    test(step, async () => {
      const [line = ''] = commandsOf(step)
      const node = await startLine(line, dataDir)
      try {
        for (const service of [node.sso, node.learning, node.collections])
          assert.equal((await call(`${service}/readyz`)).status, 200)
        assert.equal(await statusAt(node, await adminHeaders(node)), 200)
      } finally {
        await node.end()
      }
    })
})

withRedis.describe('docs/operating.md, from one box to many: with a database elsewhere', () => {
  const { before, after, test } = withRedis
  let dataDir: string
  const nodes: Product[] = []
  let redis: RedisServer
  let pair: Awaited<ReturnType<typeof startPair>>
  let env: Env
  before(async () => {
    dataDir = newDataDir()
    ;[redis, pair] = await Promise.all([startRedis(), startPair()])
    await pair.first.admin('create database learning_apart owner lyceum')
    env = exportsOf(commandsOf('3. A database of your own, and several nodes'))
  })
  after(async () => {
    await endAll()
    await redis?.close()
    await pair?.close()
    removeDataDir(dataDir)
  })
  const start = async (line: string) => {
    const node = await startLine(line, dataDir, env)
    nodes.push(node)
    return node
  }
  const endAll = () => Promise.all(nodes.splice(0).map((node) => node.end()))

  /** What the export lines set, with the servers of this test for those of the examples. */
  function exportsOf(lines: string[]): Env {
    const script = lines
      .filter((line) => line.startsWith('export '))
      .join('\n')
      .replace(
        'lyceum:secret@db1.example.org,db2.example.org',
        `lyceum:lyceum@127.0.0.1:${pair.first.port},127.0.0.1:${pair.second.port}`,
      )
      .replace('lyceum:secret@db.example.org', `lyceum:lyceum@127.0.0.1:${pair.first.port}`)
      .replace(
        'lyceum:secret@learning-db.example.org/lyceum',
        `lyceum:lyceum@127.0.0.1:${pair.first.port}/learning_apart`,
      )
      .replace('lyceum:secret@replica.example.org', `lyceum:lyceum@127.0.0.1:${pair.second.port}`)
      .replace('redis://redis.example.org:6379', redis.url)
    const names = [...script.matchAll(/([A-Z_]+)="/g)].map(([, name = '']) => name)
    const text = execFileSync('sh', ['-ec', `${script}\nenv -0`], { encoding: 'utf8' })
    return Object.fromEntries(
      text.split('\0').flatMap((one) => {
        const [name = '', ...value] = one.split('=')
        return names.includes(name) ? [[name, value.join('=')]] : []
      }),
    )
  }

  test('3. A node goes on when another one is killed', async () => {
    const lines = commandsOf('3. A database of your own, and several nodes')
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('export ')),
      ['npm start -- migrate', 'npm start'],
    )
    const migrated = await runCommand(['migrate'], env)
    assert.equal(migrated.code, 0, migrated.stderr)
    const one = await start('npm start')
    const other = await start('npm start')
    const headers = await adminHeaders(one)
    assert.equal(await statusAt(other, headers), 200)
    await one.end('SIGKILL')
    assert.equal(await statusAt(other, headers), 200)
    await endAll()
  })

  test('4. Parts apart', async () => {
    const lines = commandsOf('4. Parts apart')
    assert.equal(lines.length, 3)
    for (const line of lines) await start(line)
    const [sso, learning] = nodes as [Product, Product]
    assert.equal(await statusAt(learning, await adminHeaders(sso)), 200)
    await endAll()
  })

  test('5. Databases apart, and a replica', async () => {
    const lines = commandsOf('5. Databases apart, and a replica')
    env = { ...env, ...exportsOf(lines) }
    assert.ok('LEARNING_DATABASE_URL' in env && 'DATABASE_REPLICA_URL' in env)
    const node = await start(lines.at(-1) ?? '')
    assert.equal(await statusAt(node, await adminHeaders(node)), 200)
    await endAll()
  })

  test('6. A database that survives its machine', async () => {
    const lines = commandsOf('6. A database that survives its machine')
    const { LEARNING_DATABASE_URL: _, DATABASE_REPLICA_URL: __, ...before } = env
    env = { ...before, ...exportsOf(lines) }
    const node = await start(lines.at(-1) ?? '')
    const headers = await adminHeaders(node)
    pair.first.kill()
    await pair.second.promote()
    await eventually(async () => {
      const { status } = await call(`${node.learning}/api/channels`, { headers, body: { title: 'After' } })
      return status === 201
    })
    assert.equal(await statusAt(node, headers), 200)
  })
})

const statusAt = async ({ learning }: Product, headers: Env) =>
  (await call(`${learning}/api/channels`, { headers })).status

async function startLine(line: string, dataDir: string, env: Env = {}): Promise<Product> {
  const { settings = '', args } =
    START.exec(line)?.groups ?? assert.fail(`${line} does not start the program`)
  const given = settings
    .trim()
    .split(' ')
    .filter(Boolean)
    .map((one) => one.split('='))
  return await startProduct(
    dataDir,
    { ...env, ...(Object.fromEntries(given) as Env) },
    { args: args?.split(' ') ?? [] },
  )
}

function commandsOf(step: string): string[] {
  return steps.get(step) ?? assert.fail(`docs/operating.md has no step "${step}"`)
}

function stepsOf(book: string): Map<string, string[]> {
  const [, ...sections] = book.split(/^#{2,3} /m)
  return new Map(
    sections.map((section) => {
      const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text)
      return [section.slice(0, section.indexOf('\n')), blocks.join('').split('\n').filter(Boolean)]
    }),
  )
}
