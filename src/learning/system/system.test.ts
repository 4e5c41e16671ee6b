import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anAdmin, aUser } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const { learning } = await world()

describe('GET /health', () => {
  test('reports the database and its latency', async () => {
    const reply = await learning.inject('/health')
    const { status, database, version, uptime_seconds, ...rest } = reply.json()
    assert.deepEqual(
      [reply.statusCode, status, database.status, version, rest],
      [200, 'ok', 'ok', '1.0.0', {}],
    )
    assert.ok(database.response_time_ms >= 0 && Number.isInteger(uptime_seconds))
  })

  test('answers 503 without the database, while /api/info still answers', async () => {
    const dying = await buildWorld()
    await dying.db.close()
    const reply = await dying.learning.inject('/health')
    assert.equal(reply.statusCode, 503)
    assert.deepEqual(
      [reply.json().status, reply.json().database],
      ['down', { status: 'down', response_time_ms: null }],
    )
    assert.equal((await dying.learning.inject('/api/info')).statusCode, 200)
  })
})

describe('GET /metrics', () => {
  test('is for local programs only, whatever a proxy forwards', async () => {
    const env = { TRUSTED_PROXIES: '127.0.0.1', LEARNING_URL: 'http://127.0.0.1:8065' }
    const { sso } = await buildWorld({ env })
    const read = async (remoteAddress: string, headers: Record<string, string> = {}) =>
      (await sso.inject({ url: '/metrics', remoteAddress, headers })).statusCode
    for (const address of ['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'])
      assert.equal(await read(address), 200, address)
    for (const address of ['192.0.2.1', '2001:db8::1']) assert.equal(await read(address), 404, address)
    for (const address of ['127.0.0.1', '192.0.2.1', 'nonsense'])
      assert.equal(await read('127.0.0.1', { 'x-forwarded-for': address }), 404, address)
  })

  test('is for the holder of the token where one is set', async () => {
    const { sso } = await buildWorld({ env: { METRICS_TOKEN: 'secret of the scraper' } })
    const read = async (authorization: string) =>
      (await sso.inject({ url: '/metrics', headers: { host: '10.0.0.1:8064', authorization } })).statusCode
    assert.equal(await read('Bearer secret of the scraper'), 200)
    assert.equal(await read('Bearer another secret'), 404)
  })
})

describe('GET /api/info', () => {
  test('names the service, API version and sign-on address', async () => {
    const reply = await learning.inject('/api/info')
    assert.deepEqual(reply.json(), {
      name: 'Lyceum Learning',
      version: '1.0.0',
      sso_url: 'http://127.0.0.1:8064',
      user: null,
    })
  })

  test('names the caller of a valid token, by header or cookie', async () => {
    const [anna, admin] = [await aUser(), await anAdmin()]
    const info = async (headers: Record<string, string>) =>
      (await learning.inject({ url: '/api/info', headers })).json().user
    assert.deepEqual(await info(anna.headers), {
      id: anna.user_id,
      email: anna.email,
      role: 'USER',
      is_admin: false,
      locale: null,
    })
    assert.deepEqual(await info({ cookie: `access_token=${admin.access_token}` }), {
      id: admin.user_id,
      email: admin.email,
      role: 'ADMIN',
      is_admin: true,
      locale: null,
    })
  })

  test('ignores an invalid token, and a cookie beside a bad header', async () => {
    const { access_token } = await aUser()
    for (const headers of [
      { authorization: 'Bearer nonsense' },
      { cookie: 'access_token=nonsense' },
      { authorization: 'Basic eDp5', cookie: `access_token=${access_token}` },
    ]) {
      const reply = await learning.inject({ url: '/api/info', headers })
      assert.deepEqual([reply.statusCode, reply.json().user], [200, null])
    }
  })
})

describe('limits', () => {
  test('refuse the 101st request of a caller with Retry-After', async () => {
    const limited = await buildWorld({ env: { RATE_LIMIT_DEFAULT: '100' } })
    const [anna, ben] = [await aUser({ lyceum: limited }), await aUser({ lyceum: limited })]
    const get = (headers: Record<string, string>) => limited.learning.inject({ url: '/api/info', headers })
    for (let number = 1; number <= 100; number++) assert.equal((await get(anna.headers)).statusCode, 200)
    const refused = await get(anna.headers)
    assert.deepEqual([refused.statusCode, Object.keys(refused.json())], [429, ['detail']])
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    assert.equal((await get(ben.headers)).statusCode, 200)
    assert.equal((await get({})).statusCode, 200)
    assert.equal((await limited.learning.inject('/health')).headers['ratelimit'], undefined)
  })

  test('allow 300 refused credentials a minute per address, separately', async () => {
    const limited = await buildWorld({ env: { RATE_LIMIT_DEFAULT: '1000' } })
    const guess = () =>
      limited.learning.inject({ url: '/api/channels', headers: { authorization: 'Bearer x' } })
    for (let number = 1; number <= 300; number++) assert.equal((await guess()).statusCode, 401)
    assert.equal((await guess()).statusCode, 429)
    const anna = await aUser({ lyceum: limited })
    assert.equal(
      (await limited.learning.inject({ url: '/api/channels', headers: anna.headers })).statusCode,
      200,
    )
    assert.equal((await limited.learning.inject('/api/info')).statusCode, 200)
  })
})
