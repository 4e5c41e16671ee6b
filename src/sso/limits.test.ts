import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite, aUser, homeSite } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'

type Attempt = { headers: Record<string, string>; remoteAddress?: string }

const login = (lyceum: World, { headers, remoteAddress = '192.0.2.1' }: Attempt) =>
  lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers,
    remoteAddress,
    payload: { email: 'nobody@example.org', password: 'x' },
  })

/** N = 10 admits ten, and an eleventh only if the last five seconds held fewer than two. */
async function exhaust(lyceum: World, attempt: Attempt) {
  for (let i = 0; i < 10; i++) assert.equal((await login(lyceum, attempt)).statusCode, 401)
  const reply = await login(lyceum, attempt)
  assert.equal(reply.statusCode, 429)
  assert.ok(Number(reply.headers['retry-after']) >= 1)
  assert.equal(reply.json().code, 'rate_limited')
}

describe('the limits of the sso', () => {
  const withAuth = () => buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } })

  test('admit ten sign-ins per address and minute, counted over all sites, and other addresses go on', async () => {
    const lyceum = await withAuth()
    const home = await homeSite(lyceum)
    await exhaust(lyceum, home)
    assert.equal((await login(lyceum, { ...home, remoteAddress: '192.0.2.2' })).statusCode, 401)
  })

  test('make a bad key cost a slot of its address', async () => {
    const lyceum = await withAuth()
    await exhaust(lyceum, { headers: {} })
    assert.equal((await login(lyceum, await homeSite(lyceum))).statusCode, 429)
  })

  test('count the end user a first-party site names, and its whole /64', async () => {
    const lyceum = await withAuth()
    const { headers } = await homeSite(lyceum)
    const named = (address: string) => ({ headers: { ...headers, 'x-sso-client-ip': address } })
    await exhaust(lyceum, named('2a01:4f8::1'))
    assert.equal((await login(lyceum, named('2a01:4f8::ffff'))).statusCode, 429)
    assert.equal((await login(lyceum, named('2a01:4f8:0:1::1'))).statusCode, 401)
    assert.equal((await login(lyceum, named('not an address'))).statusCode, 401)
  })

  test('do not believe a site that has not opted in, nor a forwarding header', async () => {
    const lyceum = await withAuth()
    const { headers } = await aSite({ lyceum })
    let number = 0
    const forged = () => {
      const address = `198.51.100.${++number}`
      return {
        headers: {
          ...headers,
          'x-sso-client-ip': address,
          'x-forwarded-for': address,
          forwarded: `for=${address}`,
        },
      }
    }
    for (let i = 0; i < 10; i++) assert.equal((await login(lyceum, forged())).statusCode, 401)
    assert.equal((await login(lyceum, forged())).statusCode, 429)
  })

  test('admit sixty calls per person and minute, and say how many are left', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_SITE: '60' } })
    const anna = await aUser({ lyceum })
    const ask = () => lyceum.sso.inject({ url: '/v1/sessions', headers: anna.headers })
    const first = await ask()
    assert.equal(first.headers['ratelimit-policy'], '"user";q=60;w=60')
    assert.match(String(first.headers['ratelimit']), /^"user";r=59;t=\d+$/)
    for (let i = 0; i < 59; i++) assert.equal((await ask()).statusCode, 200)
    assert.equal((await ask()).statusCode, 429)
    assert.equal((await lyceum.sso.inject({ url: '/status' })).statusCode, 200)
  })

  test('admit 300 refused credentials per address and minute', async () => {
    const lyceum = await withAuth()
    const headers = { authorization: 'Bearer a.b.c' }
    const ask = () => lyceum.sso.inject({ url: '/api/v1/sessions', headers, remoteAddress: '192.0.2.9' })
    for (let i = 0; i < 300; i++) assert.equal((await ask()).statusCode, 401)
    assert.equal((await ask()).statusCode, 429)
  })

  test('bind the door of the sibling services to the same slots', async () => {
    const lyceum = await withAuth()
    await exhaust(lyceum, { ...(await homeSite(lyceum)), remoteAddress: '192.0.2.20' })
    const payload = { email: 'nobody@example.org', password: 'x' }
    const reply = await lyceum.collections.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload,
      remoteAddress: '192.0.2.20',
    })
    assert.equal(reply.statusCode, 429)
  })
})
