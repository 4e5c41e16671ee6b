import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCsrf } from '#foundation/web/csrf.ts'
import { clock } from '#foundation/clock.ts'
import { aUser, type Headers, type Person } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const { learning, parts } = await world()

/** Fetches a CSRF token as a browser on loopback does; returns the token and the reply with its cookie. */
async function fetchToken(headers: Headers = {}) {
  const reply = await learning.inject({ url: '/api/csrf-token', headers })
  assert.equal(reply.statusCode, 200)
  return { token: String(reply.json().csrf_token), reply }
}
const signedIn = (person: Person, token?: string) => ({
  cookie: `access_token=${person.access_token}${token === undefined ? '' : `; csrf_token=${token}`}`,
})
const create = (headers: Headers) =>
  learning.inject({ method: 'POST', url: '/api/channels', headers, payload: { title: 'By cookie' } })
const countOf = async ({ headers }: Person) =>
  (await learning.inject({ url: '/api/channels?mine=1', headers })).json().total

describe('GET /api/csrf-token', () => {
  test('sends the token and an equal readable cookie, uncached', async () => {
    const { token, reply } = await fetchToken({ 'accept-encoding': 'gzip' })
    assert.match(token, /^[\w-]{22}\.\d+\.[\w-]{43}$/)
    assert.equal(reply.headers['set-cookie'], `csrf_token=${token}; Max-Age=43200; Path=/; SameSite=Lax`)
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal(reply.headers['content-encoding'], undefined)
    assert.deepEqual(Object.keys(reply.json()), ['csrf_token'])
    assert.notEqual((await fetchToken()).token, token)
  })

  test('refuses an invalid Host header', async () => {
    for (const host of ['a:99999', '1.2.3.999', '[::::]'])
      assert.equal(
        (await learning.inject({ url: '/api/csrf-token', headers: { host } })).statusCode,
        400,
        host,
      )
  })

  test('hardens the cookie on a public address', async () => {
    const elsewhere = await buildWorld({ env: { LEARNING_URL: 'https://learn.example.org' } })
    const reply = await elsewhere.learning.inject({
      url: '/api/csrf-token',
      headers: { host: 'learn.example.org' },
    })
    assert.match(
      String(reply.headers['set-cookie']),
      /^__Host-csrf_token=[^;]+; Max-Age=43200; Path=\/; Secure; SameSite=Lax$/,
    )
  })
})

describe('a write that is signed in by cookie', () => {
  test("passes with the caller's token or one fetched before sign-in", async () => {
    const anna = await aUser()
    for (const { token } of [await fetchToken(signedIn(anna)), await fetchToken()]) {
      const reply = await create({ ...signedIn(anna, token), 'x-csrf-token': token })
      assert.equal(reply.statusCode, 201, reply.body)
    }
  })

  test('passes with the Origin of this site and same-origin', async () => {
    const anna = await aUser()
    const { token } = await fetchToken()
    const reply = await create({
      ...signedIn(anna, token),
      'x-csrf-token': token,
      host: 'localhost:8065',
      origin: 'http://localhost:8065',
      'sec-fetch-site': 'same-origin',
    })
    assert.equal(reply.statusCode, 201, reply.body)
  })

  test('is refused in every forged form and writes nothing', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const { token } = await fetchToken(signedIn(anna))
    const { token: other } = await fetchToken(signedIn(anna))
    const { token: foreign } = await fetchToken(signedIn(ben))
    const [nonce, exp, mac] = token.split('.') as [string, string, string]
    const good = { ...signedIn(anna, token), 'x-csrf-token': token }
    const forged: Record<string, Headers> = {
      'no header': signedIn(anna, token),
      'no cookie': { ...signedIn(anna), 'x-csrf-token': token },
      'header and cookie differ': { ...signedIn(anna, token), 'x-csrf-token': other },
      'token of another person': { ...signedIn(anna, foreign), 'x-csrf-token': foreign },
      'later expiry': tampered(`${nonce}.${Number(exp) + 1}.${mac}`),
      'no mac': tampered(`${nonce}.${exp}.`),
      'one part more': tampered(`${token}.x`),
      empty: tampered(''),
      'cross-site': { ...good, 'sec-fetch-site': 'cross-site' },
      'foreign Origin': { ...good, origin: 'https://evil.example' },
      'null Origin': { ...good, origin: 'null' },
    }
    function tampered(text: string): Headers {
      return { ...signedIn(anna, text), 'x-csrf-token': text }
    }
    for (const [name, headers] of Object.entries(forged)) {
      const reply = await create(headers)
      assert.deepEqual(
        [reply.statusCode, reply.json()],
        [403, { detail: 'CSRF token missing or invalid' }],
        name,
      )
    }
    assert.equal(await countOf(anna), 0)
  })

  test('is refused for every writing method, while reads pass', async () => {
    const anna = await aUser()
    const { id } = (
      await learning.inject({
        method: 'POST',
        url: '/api/channels',
        headers: anna.headers,
        payload: { title: 'Mine' },
      })
    ).json()
    const call = async (method: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'PATCH') =>
      (
        await learning.inject({
          method,
          url: `/api/channels/${id}`,
          headers: signedIn(anna),
          payload: method === 'PUT' ? { title: 'x' } : (undefined as never),
        })
      ).statusCode
    assert.deepEqual(
      [await call('GET'), await call('HEAD'), await call('PUT'), await call('DELETE'), await call('PATCH')],
      [200, 200, 403, 403, 405],
    )
  })

  test('needs no token with Bearer, and a bad Bearer is 401', async () => {
    const anna = await aUser()
    const { token } = await fetchToken(signedIn(anna))
    const good = { ...signedIn(anna, token), 'x-csrf-token': token }
    assert.equal((await create({ ...signedIn(anna), ...anna.headers })).statusCode, 201)
    for (const authorization of ['Bearer garbage', 'Bearer', 'Basic eDp5', ''])
      assert.equal((await create({ ...good, authorization })).statusCode, 401, authorization)
  })

  test('is refused with a token older than twelve hours', async (context) => {
    const anna = await aUser()
    const { token } = await fetchToken(signedIn(anna))
    const headers = { ...signedIn(anna, token), 'x-csrf-token': token }
    const csrf = createCsrf({ key: parts.keys.derive('csrf'), addressOf: () => 'http://localhost:80' })
    const request = { method: 'POST', headers, caller: anna } as never
    csrf.guard(request)
    const later = Date.now() + 43_201_000
    context.mock.method(clock, 'now', () => later)
    assert.throws(() => csrf.guard(request), { status: 403 })
  })

  test('accepts tokens of other processes with the same keys only', async () => {
    const anna = await aUser()
    const { token } = await fetchToken()
    const other = await buildWorld()
    const ben = await aUser({ lyceum: other })
    const foreign = await other.learning.inject({
      method: 'POST',
      url: '/api/channels',
      payload: { title: 'x' },
      headers: { ...signedIn(ben, token), 'x-csrf-token': token },
    })
    assert.equal(foreign.statusCode, 403)
    const csrf = createCsrf({ key: parts.keys.derive('csrf'), addressOf: () => 'http://localhost:80' })
    csrf.guard({
      method: 'POST',
      headers: { ...signedIn(anna, token), 'x-csrf-token': token },
      caller: anna,
    } as never)
  })
})
