import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, mock, test } from 'node:test'
import { clock } from '#foundation/clock.ts'
import { aSite, aUser, homeSite } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'

type Attempt = { headers: Record<string, string>; remoteAddress?: string }

const login = (lyceum: World, { headers, remoteAddress = '192.0.2.1' }: Attempt) =>
  lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers,
    remoteAddress,
    // Somebody else each time: guessing one person's password has a limit of its own.
    payload: { email: `nobody-${++people}@example.org`, password: 'x' },
  })
let people = 0

/** N = 10 admits ten, and an eleventh only if the last five seconds held fewer than two. */
async function exhaust(lyceum: World, attempt: Attempt) {
  for (let i = 0; i < 10; i++) assert.equal((await login(lyceum, attempt)).statusCode, 401)
  const reply = await login(lyceum, attempt)
  assert.equal(reply.statusCode, 429)
  assert.ok(Number(reply.headers['retry-after']) >= 1)
  assert.equal(reply.json().code, 'rate_limited')
}

/** Every route of the strict bucket. The name of a new one has to be added here, and one that loses it is missed. */
const AUTH_ENDPOINTS = [
  'GET /sso/:connection_id/start',
  'POST /account/confirm',
  'POST /account/confirm/factor',
  'POST /account/confirm/factor/email',
  'POST /account/confirm/factor/sms',
  'POST /account/email',
  'POST /account/email-confirm',
  'POST /account/email-undo',
  'POST /account/erase',
  'POST /account/export',
  'POST /account/password',
  'POST /account/profile',
  'POST /account/security/activate',
  'POST /account/security/add',
  'POST /account/security/recovery-codes',
  'POST /account/security/remove',
  'POST /account/sessions',
  'POST /api/v1/auth/email/resend',
  'POST /api/v1/auth/email/verify',
  'POST /api/v1/auth/exchange',
  'POST /api/v1/auth/login',
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/mfa/options',
  'POST /api/v1/auth/mfa/verify',
  'POST /api/v1/auth/password/forgot',
  'POST /api/v1/auth/password/reset',
  'POST /api/v1/auth/reauthenticate',
  'POST /api/v1/auth/reauthenticate/options',
  'POST /api/v1/auth/refresh',
  'POST /api/v1/auth/register',
  'POST /forgot-password',
  'POST /reset-password',
  'POST /reset-password/passkey',
  'POST /reset-password/passkey/create',
  'POST /sign-in',
  'POST /sign-in/consent',
  'POST /sign-in/mfa',
  'POST /sign-in/mfa/email',
  'POST /sign-in/mfa/enrol',
  'POST /sign-in/mfa/enrol/activate',
  'POST /sign-in/mfa/sms',
  'POST /sign-in/passkey',
  'POST /sign-up',
  'POST /sign-up/passkey',
  'POST /sign-up/passkey/create',
  'POST /sign-up/password',
  'POST /verify-email',
]

/** A product whose limits see a clock that only the tests move. One for all: people and sites are their own. */
let still: ReturnType<typeof stop> | undefined
async function stopped() {
  const one = await (still ??= stop())
  one.time.now += 120_000
  return one
}

async function stop() {
  const time = { now: clock.monotonic() }
  const fake = mock.method(clock, 'monotonic', () => time.now)
  try {
    return { time, lyceum: await buildWorld({ env: { SSO_RATE_LIMIT_SITE: '60' } }) }
  } finally {
    // The limiter has taken the clock it goes by; everything else asks the real one again.
    fake.mock.restore()
  }
}

describe('the limits of the sso', () => {
  // One product for all; every test calls from addresses of its own.
  let shared: Promise<World> | undefined
  const withAuth = () => (shared ??= buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } }))

  test('admit ten sign-ins a minute per address over all sites', async () => {
    const lyceum = await withAuth()
    const home = await homeSite(lyceum)
    await exhaust(lyceum, home)
    assert.equal((await login(lyceum, { ...home, remoteAddress: '192.0.2.2' })).statusCode, 401)
  })

  test('count a bad key against its address', async () => {
    const lyceum = await withAuth()
    const remoteAddress = '192.0.2.30'
    await exhaust(lyceum, { headers: {}, remoteAddress })
    assert.equal((await login(lyceum, { ...(await homeSite(lyceum)), remoteAddress })).statusCode, 429)
  })

  test('count the user or /64 that a first-party site names', async () => {
    const lyceum = await withAuth()
    const { headers } = await homeSite(lyceum)
    const named = (address: string) => ({
      remoteAddress: '192.0.2.50',
      headers: { ...headers, 'x-sso-client-ip': address },
    })
    await exhaust(lyceum, named('2a01:4f8::1'))
    assert.equal((await login(lyceum, named('2a01:4f8::ffff'))).statusCode, 429)
    assert.equal((await login(lyceum, named('2a01:4f8:0:1::1'))).statusCode, 401)
    assert.equal((await login(lyceum, named('not an address'))).statusCode, 401)
  })

  test('ignore forwarded addresses unless the site opted in', async () => {
    const lyceum = await withAuth()
    const { headers } = await aSite({ lyceum })
    let number = 0
    const forged = () => {
      const address = `198.51.100.${++number}`
      return {
        remoteAddress: '192.0.2.40',
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

  test('share one bucket among sign-in, registration and mail', async () => {
    const lyceum = await withAuth()
    const { headers } = await homeSite(lyceum)
    const counted = lyceum.sso.declaredRoutes.filter(
      ({ url, config }) => config.limit === 'auth' && !url.startsWith('/v1/'),
    )
    assert.deepEqual(counted.map(({ method, url }) => `${method} ${url}`).toSorted(), AUTH_ENDPOINTS)
    const call = ({ method, url }: { method: string; url: string }, remoteAddress: string) =>
      lyceum.sso.inject({
        method: method as 'GET' | 'POST',
        url: url.replace(':connection_id', randomUUID()),
        headers: url.startsWith('/api') ? headers : {},
        remoteAddress,
        ...(method === 'POST' && { payload: {} }),
      })
    for (const [i, route] of counted.entries()) {
      const address = `203.0.113.${i}`
      for (let n = 0; n < 10; n++) assert.notEqual((await call(route, address)).statusCode, 429, route.url)
      assert.equal((await call(route, address)).statusCode, 429, route.url)
    }
    const address = '203.0.113.250'
    for (const route of counted.slice(0, 10)) assert.notEqual((await call(route, address)).statusCode, 429)
    for (const route of counted) assert.equal((await call(route, address)).statusCode, 429, route.url)
  })

  for (const [what, url, of] of [
    ['person', '/v1/sessions', async (lyceum: World) => (await aUser({ lyceum })).headers],
    ['site', '/api/v1/openapi.json', async (lyceum: World) => (await homeSite(lyceum)).headers],
  ] as const)
    test(`admit sixty concurrent calls per ${what} and minute`, async () => {
      const { lyceum } = await stopped()
      const headers = await of(lyceum)
      const ask = () => lyceum.sso.inject({ url, headers })
      // The site's calls that made the person count as well.
      const { headers: first } = await ask()
      const name = what === 'person' ? 'user' : 'site'
      assert.equal(first['ratelimit-policy'], `"${name}";q=60;w=60`)
      const left = Number(/;r=(\d+);/.exec(String(first['ratelimit']))?.[1])
      const replies = await Promise.all(Array.from({ length: left + 5 }, ask))
      assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, left)
      assert.equal(replies.filter(({ statusCode }) => statusCode === 429).length, 5)
      assert.equal((await lyceum.sso.inject({ url: '/status' })).statusCode, 200)
    })

  test('send a Retry-After exact to the millisecond', async () => {
    const { lyceum, time } = await stopped()
    const { headers } = await aUser({ lyceum })
    const ask = () => lyceum.sso.inject({ url: '/v1/sessions', headers })
    await Promise.all(Array.from({ length: 60 }, ask))
    // Ten in five seconds are twice the rate: the burst opens when they are five seconds old, and closes after five.
    for (const [seconds, admitted] of [
      [5, 5],
      [55, 55],
    ] as const) {
      const refused = await ask()
      assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, String(seconds)])
      time.now += seconds * 1_000 - 1
      const early = await ask()
      assert.deepEqual([early.statusCode, early.headers['retry-after']], [429, '1'])
      time.now += 1
      const replies = await Promise.all(Array.from({ length: admitted + 1 }, ask))
      assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, admitted)
    }
  })

  test('allow a short burst, then 65 calls a minute', async () => {
    const { lyceum, time } = await stopped()
    const { headers } = await aUser({ lyceum })
    const ask = async () => (await lyceum.sso.inject({ url: '/v1/sessions', headers })).statusCode
    const pace = async (ms: number) => {
      time.now += ms
      return ask()
    }
    for (let n = 0; n < 120; n++) assert.equal(await pace(1_000), 200)
    let half_seconds = 0
    while ((await pace(500)) === 200) half_seconds++
    assert.ok(half_seconds >= 8 && half_seconds <= 11, `${half_seconds / 2} s`)
    let admitted = 0
    for (let n = 0; n < 240; n++) if ((await pace(500)) === 200) admitted++
    assert.ok(admitted >= 120 && admitted <= 130, `${admitted} in 120 s`)
  })

  test('admit 300 refused credentials a minute per address', async () => {
    const lyceum = await withAuth()
    const headers = { authorization: 'Bearer a.b.c' }
    const ask = () => lyceum.sso.inject({ url: '/api/v1/sessions', headers, remoteAddress: '192.0.2.9' })
    for (let i = 0; i < 300; i++) assert.equal((await ask()).statusCode, 401)
    assert.equal((await ask()).statusCode, 429)
  })

  test('apply to sibling services in the same buckets', async () => {
    const lyceum = await withAuth()
    await exhaust(lyceum, { ...(await homeSite(lyceum)), remoteAddress: '192.0.2.20' })
    const payload = { email: 'somebody@example.org', password: 'x' }
    const reply = await lyceum.collections.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload,
      remoteAddress: '192.0.2.20',
    })
    assert.equal(reply.statusCode, 429)
  })
})
