import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  adminHeaders,
  call,
  isRunning,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'

describe('the first hour of an operator, over HTTP on a real start', () => {
  const dataDir = newDataDir()
  let product: Product
  before(async () => {
    product = await startProduct(dataDir, {}, { isFirst: true })
  })
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })

  test('first-run.json is private and holds admin and three sites', () => {
    assert.equal(statSync(join(product.dataDir, 'first-run.json')).mode & 0o777, 0o600)
    const { admin, sites } = product.firstRun
    assert.deepEqual(Object.keys(admin).toSorted(), ['email', 'password', 'user_id'])
    assert.deepEqual(Object.keys(sites).toSorted(), ['collections', 'console', 'learning'])
    for (const site of Object.values(sites)) {
      assert.deepEqual(Object.keys(site).toSorted(), ['environment', 'site_id', 'site_key', 'webhook_secret'])
      assert.match(site.site_key, /^sso_live_/)
    }
  })

  test('a person registers, publishes a channel with feed, and signs out', async () => {
    const { sso, learning, collections, firstRun } = product
    const partner = { 'x-sso-site-key': firstRun.sites['learning']?.site_key ?? '' }
    const account = { email: 'ada@example.org', password: 'analytical engine 1843' }
    assert.equal((await call(`${sso}/api/v1/auth/register`, { headers: partner, body: account })).status, 201)
    const login = await call(`${sso}/v1/auth/login`, { headers: partner, body: account })
    assert.equal(login.status, 200)
    const { access_token, refresh_token } = login.body
    const person = { authorization: `Bearer ${String(access_token)}` }

    const created = await call(`${learning}/api/channels`, {
      headers: person,
      body: {
        title: 'Notes on the Analytical Engine',
        episodes: [
          { title: 'Note G', video: { url: 'https://media.example.org/note-g.mp4', duration_seconds: 600 } },
        ],
      },
    })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const channel_id = String(created.body['id'])
    const list = await call(`${learning}/api/channels`, { headers: person })
    assert.deepEqual(
      [list.body['total'], list.body['page'], list.body['per_page'], list.body['pages']],
      [1, 1, 20, 1],
    )

    const feed = await call(`${learning}/api/device/feed/${channel_id}`)
    assert.equal(feed.status, 200)
    assert.equal(feed.body['version'], 'https://jsonfeed.org/version/1.1')
    assert.equal(feed.body.items?.length, 1)
    const etag = feed.headers.get('etag') ?? ''
    assert.equal(
      (await fetch(`${learning}/api/device/feed/${channel_id}`, { headers: { 'if-none-match': etag } }))
        .status,
      304,
    )

    assert.equal((await call(`${collections}/api/collections`, { headers: person })).status, 200)
    assert.equal(
      (await call(`${sso}/api/v1/auth/logout`, { headers: partner, body: { refresh_token } })).status,
      200,
    )
    for (const url of [
      `${sso}/api/v1/sessions`,
      `${learning}/api/channels`,
      `${collections}/api/collections`,
    ])
      assert.equal(
        (await call(url, { headers: person })).status,
        401,
        `${url} still lets the signed-out person in`,
      )
    assert.equal(
      (await call(`${sso}/api/v1/auth/refresh`, { headers: partner, body: { refresh_token } })).status,
      401,
    )
  })

  test('a person signs in to collections and sees nothing', async () => {
    const { collections, firstRun } = product
    const { email, password } = firstRun.admin
    const login = await call(`${collections}/api/auth/login`, { body: { email, password } })
    assert.equal(login.status, 200, JSON.stringify(login.body))
    const headers = { authorization: `Bearer ${String(login.body['access_token'])}` }
    assert.equal((await call(`${collections}/api/auth/me`, { headers })).body['email'], email)
    assert.deepEqual((await call(`${collections}/api/collections`, { headers })).body, {
      items: [],
      total: 0,
      page: 1,
      per_page: 20,
      pages: 0,
      next_cursor: null,
    })
    assert.equal((await call(`${collections}/api/auth/logout`, { method: 'POST', headers })).status, 204)
    assert.equal((await call(`${collections}/api/auth/me`, { headers })).status, 401)
  })

  test('a cached feed equals a built one, also in its counts', async () => {
    const { learning } = product
    const headers = await adminHeaders(product)
    const { body } = await call(`${learning}/api/channels`, {
      headers,
      body: {
        title: 'Twice',
        episodes: [{ title: 'One', video: { url: 'https://media.example.org/1.mp4' } }],
      },
    })
    const address = `${learning}/api/device/feed/${String(body['id'])}`
    const whole = await fetch(`${address}?page=1`, { headers: { 'accept-encoding': 'identity' } })
    const early = await fetch(address, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(await early.text(), await whole.text())
    const compared = (reply: Response) =>
      Object.fromEntries([...reply.headers].filter(([name]) => !['date', 'x-request-id'].includes(name)))
    assert.deepEqual(compared(early), compared(whole))
    assert.match(early.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)

    const etag = early.headers.get('etag') ?? ''
    assert.equal((await fetch(address, { headers: { 'if-none-match': etag } })).status, 304)
    const change = (fields: object) =>
      call(`${learning}/api/channels/${String(body['id'])}`, { method: 'PUT', headers, body: fields })
    const changed = await change({ title: 'Twice, changed' })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const after = await fetch(address, { headers: { 'if-none-match': etag } })
    assert.equal(after.status, 200)
    assert.equal(((await after.json()) as { title: string }).title, 'Twice, changed')
    assert.equal((await change({ visibility: 'private' })).status, 200)
    const gone = await fetch(address, { headers: { 'if-none-match': etag } })
    assert.equal(gone.status, 404)
    assert.equal(gone.headers.get('cache-control'), 'no-store')
  })

  test('every service reports its health and metrics', async () => {
    const headers = product.metricsToken ? { authorization: `Bearer ${product.metricsToken}` } : {}
    for (const base of [product.sso, product.learning, product.collections]) {
      assert.equal((await fetch(`${base}/health`)).status, 200)
      assert.equal((await fetch(`${base}/livez`)).status, 200)
      assert.match(
        await (await fetch(`${base}/metrics`, { headers })).text(),
        /lyceum_http_request_duration_seconds_count\{/,
      )
    }
  })

  // A promise of the embedded database: an installation that runs already has one of its own, and no program owns its folder.
  if (!isRunning)
    test('a second program on the same folder is refused', async () => {
      await assert.rejects(startProduct(dataDir), new RegExp(`${product.pid}.*DATABASE_URL`))
      assert.equal((await fetch(`${product.learning}/health`)).status, 200)
    })
})
