import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { testDatabase } from '#testing/database.ts'
import { eventually } from '#testing/eventually.ts'
import { splitSocketHost } from './url.ts'

/** A pool of one connection that the test can cut, for the defects of postgres.js that `patches/` fixes. */
async function oneConnection() {
  const { url } = await testDatabase()
  const { url: address, ...where } = splitSocketHost(url)
  const sockets: Socket[] = []
  const sql = postgres(address, {
    ...where,
    max: 1,
    connect_timeout: 2,
    backoff: () => 0,
    onnotice: () => {},
    ...({
      socket({ host, port, path }: { host: string[]; port: number[]; path?: string }) {
        const socket = path ? connect(path) : connect(port[0] ?? 5_432, host[0])
        sockets.push(socket)
        return socket
      },
    } as object),
  })
  const cut = (error?: Error) => sockets.at(-1)?.destroy(error)
  const isLost = () => sockets.at(-1)?.destroyed
  return { sql, cut, isLost, [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
}

const isOver = { code: 'CONNECTION_CLOSED' }
const within = async <T>(promise: Promise<T>, ms = 30_000) =>
  Promise.race([
    promise,
    sleep(ms, undefined, { ref: false }).then(() => assert.fail('it never settles')),
  ]) as Promise<T>

describe('a connection to the database that is lost', () => {
  test('is reused when a statement was not yet sent', async () => {
    await using one = await oneConnection()
    await one.sql`select 1`
    one.cut()
    // After this the event loop handles closed sockets first, and then what is written now.
    await new Promise(setImmediate)
    await assert.rejects(within(one.sql`select 2`.execute()), isOver)
    const [row] = await within(one.sql`select 3 as n`)
    assert.equal(row?.['n'], 3)
  })

  test('leaks nothing of its transaction into the next', async () => {
    await using one = await oneConnection()
    const { sql } = one
    await sql`drop table if exists public.of_two`
    await sql`create table public.of_two (name text)`
    const { promise: isLost, resolve: lose } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const tried = Promise.withResolvers<void>()
    const first = sql.begin(async (tx) => {
      await tx`select 1`
      begun.resolve()
      await isLost
      await tx`insert into public.of_two values ('of the first')`.finally(tried.resolve)
    })
    await begun.promise
    one.cut()
    await assert.rejects(within(first), isOver)
    const second = sql.begin(async (tx) => {
      await tx`insert into public.of_two values ('of the second')`
      lose()
      await tried.promise
    })
    await within(second)
    const rows = await within(sql<{ name: string }[]>`select name from public.of_two`)
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['of the second'],
    )
  })

  for (const [how, error] of [
    ['closed', undefined],
    ['reset', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
  ] as const)
    test(`settles every statement of its transaction when it is ${how}`, async () => {
      await using one = await oneConnection()
      await using other = await oneConnection()
      const pid = (await one.sql`select pg_backend_pid() as pid`)[0]?.['pid'] as number
      let all: Promise<unknown>[] = []
      const begun = one.sql.begin(async (tx) => {
        await tx`select 1`
        all = Array.from({ length: 150 }, () => tx`select pg_sleep(10)`.execute())
        await Promise.all(all)
      })
      const sleeping = () => other.sql`
        select from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`
      await eventually(sleeping, (rows) => rows.length > 0)
      one.cut(error)
      await assert.rejects(within(begun))
      const settled = await within(Promise.allSettled(all))
      assert.equal(settled.filter(({ status }) => status === 'rejected').length, 150)
      for (let n = 0; n < 3; n++) assert.equal((await within(one.sql`select ${n}::int as n`))[0]?.['n'], n)
    })

  test('fails with an error when every host refuses', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const hosts = `127.0.0.1:${port},127.0.0.1:${port}`
    const sql = postgres(`postgres://somebody@${hosts}/db`, { max: 1, backoff: () => 0 })
    try {
      for (let n = 0; n < 2; n++) await assert.rejects(within(sql`select 1`), { code: 'ECONNREFUSED' })
    } finally {
      await sql.end({ timeout: 0 })
    }
  })

  test('fails with an error when the server closes early', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const sql = postgres(`postgres://somebody@127.0.0.1:${port}/db`, { max: 1, backoff: () => 0 })
    try {
      await assert.rejects(within(sql`select 1`), isOver)
    } finally {
      await sql.end({ timeout: 0 })
      server.close()
    }
  })
})

test('a cursor whose reader is at work while the connection is lost ends no program', async () => {
  await using one = await oneConnection()
  await using other = await oneConnection()
  const pid = (await one.sql`select pg_backend_pid() as pid`)[0]?.['pid'] as number
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const read = async () => {
    for await (const _ of one.sql`select n from generate_series(1, 1000) as n`.cursor(10)) {
      await other.sql`select pg_terminate_backend(${pid})`
      await eventually(one.isLost)
    }
  }
  // It may end as if there were no more rows: whoever needs all of them asks the connection afterwards.
  await within(read()).catch(() => {})
  // Node tells of a rejection when the promises that were due have been served.
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  assert.deepEqual(unhandled, [])
})

test('a transaction behind a full pipeline has its own connection', async () => {
  await using one = await oneConnection()
  const { sql } = one
  await sql`select 1`
  const before = Array.from({ length: 100 }, () => sql`select 1`.execute())
  const begun = sql.begin(
    async (tx) => (await tx`select pg_current_xact_id() as id, pg_sleep(0.05)`)[0]?.['id'],
  )
  const after = sql`select pg_current_xact_id() as id`.execute()
  await within(Promise.all(before))
  assert.notEqual(await within(begun), (await within(after))[0]?.['id'])
})
