import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
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
import { eventually } from '#testing/eventually.ts'

describe('the program in four processes on one database', () => {
  const dataDir = newDataDir()
  const nodes: Product[] = []
  let database: TestDatabase
  let sso: Product, learning: Product, collections: Product
  before(async () => {
    database = await testDatabase()
    const common = { DATABASE_URL: database.url, MASTER_KEY: `k1:${randomBytes(32).toString('base64')}` }
    const start = async (part: string, more: Record<string, string> = {}) => {
      const node = await startProduct(
        dataDir,
        { ...common, ...more, NODE_ID: `the ${part}` },
        { args: [part] },
      )
      nodes.push(node)
      return node
    }
    sso = await start('sso')
    const at = { SSO_URL: sso.sso }
    learning = await start('learning', at)
    collections = await start('collections', at)
    await start('jobs', at)
  })
  after(async () => {
    for (const node of nodes) await node.end()
    removeDataDir(dataDir)
  })

  test('prints only the addresses of its own services', () => {
    assert.deepEqual(
      nodes.map((node) => ['sso', 'learning', 'collections'].filter((name) => name in node)),
      [['sso'], ['learning'], ['collections'], []],
    )
  })

  test('takes a token of the sso everywhere, and refuses it after the sign-out', async () => {
    const { email, password } = sso.firstRun.admin
    const atSite = { 'x-sso-site-key': sso.firstRun.sites['collections']?.site_key ?? '' }
    const { body } = await call(`${sso.sso}/api/v1/auth/login`, {
      headers: atSite,
      body: { email, password },
    })
    const headers = { authorization: `Bearer ${String(body['access_token'])}` }
    const pages = [`${learning.learning}/api/channels`, `${collections.collections}/api/collections`]
    const statuses = async () =>
      Promise.all(pages.map(async (page) => (await call(page, { headers })).status))
    assert.deepEqual(await statuses(), [200, 200])
    await call(`${sso.sso}/api/v1/auth/logout`, {
      headers: atSite,
      body: { refresh_token: body['refresh_token'] },
    })
    assert.deepEqual(await statuses(), [401, 401])
  })

  test('erases a person at the siblings, though no service runs jobs', async () => {
    const headers = await adminHeaders(sso)
    const registered = await call(`${sso.sso}/api/v1/auth/register`, {
      headers: { 'x-sso-site-key': sso.firstRun.sites['learning']?.site_key ?? '' },
      body: { email: 'leaver@example.org', password: 'correct horse battery 9', display_name: 'Leaver' },
    })
    const user_id = String(registered.body['user_id'])
    const erased = await call(`${sso.sso}/api/v1/users/${user_id}`, { method: 'DELETE', headers })
    assert.ok(erased.status < 300, JSON.stringify([registered.body, erased.body]))
    const { pool } = database.db
    // One of the steps is repeated two minutes later, so it stays.
    await eventually(async () => {
      const due = await pool`
        select from foundation.jobs
         where kind like 'erasure.%' and state = 'pending' and run_at <= statement_timestamp()`
      return due.length === 0
    })
    const [left] = await pool<{ waiting: number }[]>`
      select count(*)::int as waiting from foundation.jobs where kind like 'erasure.%' and state = 'pending'`
    assert.equal(left?.waiting, 1)
    const [row] = await pool<
      { email: string | null }[]
    >`select email from sso.users where user_id = ${user_id}`
    assert.equal(row?.email ?? null, null)
  })

  test('names the node that answers in /status, for operators only', async () => {
    const headers = await adminHeaders(sso, 'console')
    assert.equal((await call(`${sso.sso}/status`, { headers })).body['node_id'], 'the sso')
    assert.ok(!('node_id' in (await call(`${sso.sso}/status`)).body))
    assert.match(sso.log(), /"node_id":"the sso"/)
  })
})

describe('a process that drains', () => {
  test('says so in /readyz and goes on answering for DRAIN_SECONDS', async () => {
    const dataDir = newDataDir()
    const product = await startProduct(dataDir, { DRAIN_SECONDS: '4' })
    const ready = () => call(`${product.learning}/readyz`)
    assert.deepEqual((await ready()).body, { status: 'ready' })
    const headers = await adminHeaders(product)
    const ended = product.end('SIGTERM')
    await eventually(async () => (await ready()).status === 503)
    assert.deepEqual((await ready()).body, { status: 'starting_or_stopping' })
    for (let asked = 0; asked < 5; asked++)
      assert.equal((await call(`${product.learning}/api/channels`, { headers })).status, 200)
    assert.equal(await ended, 0)
    const [, stopping = ''] = /"time":"?([^",]+)[^\n]*"stopping"/.exec(product.log()) ?? []
    const drained = Date.now() - (Number(stopping) || Date.parse(stopping))
    assert.ok(drained >= 4_000, `${drained} ms`)
    removeDataDir(dataDir)
  })
})

describe('naming parts', () => {
  for (const [args, settings, sentence] of [
    [['sso'], {}, /Parts of the program need DATABASE_URL/],
    [
      ['learning'],
      { DATABASE_URL: 'postgres://x/y', MASTER_KEY: `a:${'A'.repeat(43)}=` },
      /SSO_URL must be set/,
    ],
    [['sso', 'everything'], {}, /npm start -- sso jobs/],
  ] as const)
    test(`refuses ${args.join(' ')} with a sentence`, async () => {
      const { code, stderr } = await runCommand(args, settings)
      assert.equal(code, 1)
      assert.match(stderr, sentence)
    })
})
