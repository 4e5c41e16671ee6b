import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCommand } from '#testing/command.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { answers, startReceiver } from '#testing/receiver.ts'
import { startPair } from '#testing/standby.ts'
import { eventually } from '#testing/eventually.ts'
import { toldIn } from '#testing/webhooks.ts'

const MASTER_KEY = `k1:${randomBytes(32).toString('base64')}`

describe('three services on three databases', () => {
  const dataDir = newDataDir()
  const databases: TestDatabase[] = []
  let relay: Relay
  let product: Product
  let headers: Record<string, string>
  let channel_id: string
  before(async () => {
    for (const _ of ['sso', 'learning', 'collections']) databases.push(await emptyDatabase())
    const [sso = '', LEARNING_DATABASE_URL = '', COLLECTIONS_DATABASE_URL = ''] = databases.map(
      ({ url }) => url,
    )
    relay = await openRelay(sso)
    product = await startProduct(dataDir, {
      DATABASE_URL: relay.url,
      LEARNING_DATABASE_URL,
      COLLECTIONS_DATABASE_URL,
      MASTER_KEY,
    })
    headers = await adminHeaders(product)
    const made = await call(`${product.learning}/api/channels`, { headers, body: { title: 'Apart' } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    channel_id = String(made.body['id'])
  })
  after(async () => {
    await product?.end()
    await relay?.close()
    removeDataDir(dataDir)
  })

  test('keeps in each database only the schemas of its service', async () => {
    const schemas = []
    for (const { db } of databases)
      schemas.push(
        (
          await db.pool<{ nspname: string }[]>`
            select nspname from pg_namespace where nspname in ('foundation', 'sso', 'learning', 'collections') order by 1`
        ).map(({ nspname }) => nspname),
      )
    assert.deepEqual(schemas, [
      ['foundation', 'sso'],
      ['foundation', 'learning'],
      ['collections', 'foundation'],
    ])
  })

  test('refuses a token everywhere at the next request after the sign-out', async () => {
    const { email, password } = product.firstRun.admin
    const atSite = { 'x-sso-site-key': product.firstRun.sites['collections']?.site_key ?? '' }
    const login = { headers: atSite, body: { email, password } }
    const { access_token, refresh_token } = (await call(`${product.sso}/api/v1/auth/login`, login)).body
    const leaving = { authorization: `Bearer ${String(access_token)}` }
    const pages = [`${product.learning}/api/channels`, `${product.collections}/api/collections`]
    const statuses = async () =>
      Promise.all(pages.map(async (page) => (await call(page, { headers: leaving })).status))
    assert.deepEqual(await statuses(), [200, 200])
    await call(`${product.sso}/api/v1/auth/logout`, { headers: atSite, body: { refresh_token } })
    assert.deepEqual(await statuses(), [401, 401])
    headers = await adminHeaders(product)
  })

  test('erases a person in every database', async () => {
    const atSite = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }
    const leaver = { email: 'leaver@example.org', password: 'correct horse battery 9' }
    const registered = await call(`${product.sso}/api/v1/auth/register`, {
      headers: atSite,
      body: { ...leaver, display_name: 'Leaver' },
    })
    const user_id = String(registered.body['user_id'])
    const { body } = await call(`${product.sso}/api/v1/auth/login`, { headers: atSite, body: leaver })
    const own = { authorization: `Bearer ${String(body['access_token'])}` }
    const enrolled = await call(`${product.learning}/api/enroll`, { headers: own, body: { channel_id } })
    assert.ok(enrolled.status < 300, JSON.stringify(enrolled))
    const { pool } = databases[1]!.db
    const count = async () => (await pool`select from learning.enrollments where user_id = ${user_id}`).count
    assert.equal(await count(), 1)
    await call(`${product.sso}/api/v1/users/${user_id}`, {
      method: 'DELETE',
      headers: await adminHeaders(product, 'console'),
    })
    await eventually(async () => (await count()) === 0)
  })

  test('tells of items at the sso, also of those from just before its database was lost', async () => {
    const receiver = await startReceiver(answers(204))
    try {
      const admin = await adminHeaders(product, 'console')
      const made = async (url: string, by: Record<string, string>, body: object) => {
        const reply = await call(url, { headers: by, body })
        assert.ok(reply.status < 300, `${url}: ${reply.status} ${JSON.stringify(reply.body)}`)
        return reply.body
      }
      const site = await made(`${product.sso}/api/v1/sites`, admin, {
        name: 'Museum',
        environment: 'sandbox',
      })
      const webhook = { webhook_url: receiver.url, site_code: site['site_code'], events: ['item.created'] }
      await made(`${product.sso}/api/v1/webhooks`, admin, webhook)
      await eventually(() => receiver.requests.length === 1)
      const key = { 'x-sso-site-key': String(site['site_key']) }
      const person = { email: 'curator@example.org', password: 'correct horse battery 7' }
      await made(`${product.sso}/api/v1/auth/register`, key, person)
      const { access_token } = await made(`${product.sso}/api/v1/auth/login`, key, person)
      const curator = { authorization: `Bearer ${String(access_token)}` }
      const box = await made(`${product.collections}/api/collections`, curator, { name: 'Box' })
      const items = `${product.collections}/api/collections/${String(box['id'])}/items`
      const told = () =>
        receiver.requests
          .map(toldIn)
          .flatMap(({ event_type, data }) => (event_type === 'item.created' ? [data['item_id']] : []))
      const first = await made(items, curator, { name: 'Vase' })
      await eventually(() => told().length === 1)
      const second = await made(items, curator, { name: 'Bowl' })
      await relay.cut()
      assert.equal((await call(items, { headers: curator })).status, 503)
      // The outbox of the collections has found the database of the sso lost.
      await eventually(
        async () => (await call(`${product.learning}/readyz`)).body['status'] === 'database_down',
      )
      await relay.mend()
      await eventually(() => told().length === 2)
      assert.deepEqual(told(), [first['id'], second['id']])
    } finally {
      await receiver.close()
    }
  })

  test('serves the public feed while the database of the sso is lost, and everything when it is back', async () => {
    const published = await call(`${product.learning}/api/channels/${channel_id}`, {
      method: 'PUT',
      headers: { ...headers, 'if-match': '"1"' },
      body: { status: 'published', visibility: 'public' },
    })
    assert.equal(published.status, 200, JSON.stringify(published.body))
    const feed = () => call(`${product.learning}/api/device/feed/${channel_id}`)
    const list = async () => (await call(`${product.learning}/api/channels`, { headers })).status
    const ready = async () => (await call(`${product.learning}/readyz`)).body['status']
    assert.equal((await feed()).status, 200)
    await relay.cut()
    assert.equal(await list(), 503)
    assert.equal((await feed()).status, 200)
    await eventually(async () => (await ready()) === 'database_down')
    await relay.mend()
    await eventually(async () => (await list()) === 200)
    await eventually(async () => (await ready()) === 'ready')
  })
})

test('the program reads a list from its replica, with what was written just before', async () => {
  const dataDir = newDataDir()
  const pair = await startPair()
  const at = (port: number) => `postgres://lyceum:lyceum@127.0.0.1:${port}/lyceum`
  const product = await startProduct(dataDir, {
    DATABASE_URL: at(pair.first.port),
    DATABASE_REPLICA_URL: at(pair.second.port),
    MASTER_KEY,
  })
  try {
    const headers = await adminHeaders(product)
    for (const title of ['One', 'Two', 'Three']) {
      await call(`${product.learning}/api/channels`, { headers, body: { title } })
      const { body } = await call(`${product.learning}/api/channels?q=${title}`, { headers })
      assert.equal(body['total'], 1, JSON.stringify(body))
    }
    // Each list is a transaction there; probes of the connection are not.
    const read = await pair.second.admin(
      `select from pg_stat_activity where usename = 'lyceum' and query ilike 'commit%'`,
    )
    assert.ok(read.length > 0)
  } finally {
    await product.end()
    await pair.close()
    removeDataDir(dataDir)
  }
})

describe('a backup of services with databases apart', () => {
  for (const command of ['backup', 'restore'])
    test(`is refused by ${command} with a sentence`, async () => {
      const { code, stderr } = await runCommand([command, '/tmp/lyceum-never-written'], {
        DATABASE_URL: 'postgres://127.0.0.1/a',
        LEARNING_DATABASE_URL: 'postgres://127.0.0.1/b',
        MASTER_KEY,
      })
      assert.equal(code, 1)
      assert.match(stderr, /one database, but services have their own/)
    })
})

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await testDatabase()
  await database.db.pool`drop schema foundation, sso, learning, collections cascade`
  return database
}

type Relay = { url: string; cut: () => Promise<void>; mend: () => Promise<void>; close: () => Promise<void> }

/** Stands between the program and the socket of a database, so that the database can be lost. */
async function openRelay(url: string): Promise<Relay> {
  const here = new URL(url)
  const socketIn = (folder: string) => join(folder, `.s.PGSQL.${here.port}`)
  const theirs = socketIn(here.searchParams.get('host') ?? '')
  const folder = mkdtempSync(join(tmpdir(), 'lyceum-relay-'))
  here.searchParams.set('host', folder)
  const sockets = new Set<Socket>()
  const forward = (one: Socket, other: Socket) => {
    sockets.add(one)
    one.on('error', () => other.destroy())
    one.on('close', () => {
      sockets.delete(one)
      other.destroy()
    })
    one.pipe(other)
  }
  const open = async () => {
    const opened = createServer((socket) => {
      const next = connect(theirs)
      forward(socket, next)
      forward(next, socket)
    }).listen(socketIn(folder))
    await once(opened, 'listening')
    return opened
  }
  let server = await open()
  const cut = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    url: here.href,
    cut,
    async mend() {
      server = await open()
    },
    async close() {
      await cut()
      rmSync(folder, { recursive: true })
    },
  }
}
