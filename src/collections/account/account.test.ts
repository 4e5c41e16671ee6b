import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { aCollection, call } from '#testing/collections.ts'
import { withoutRequestId } from '#testing/hostile.ts'
import { anOperator, aUser, homeSite, type Person, signIn } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const { collections, sso, db } = await world()

const login = (account: { email: string; password: string }) =>
  collections.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload: { email: account.email, password: account.password },
  })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const me = (headers: Record<string, string>) => collections.inject({ url: '/api/auth/me', headers })
const logout = (headers: Record<string, string>) =>
  collections.inject({ method: 'POST', url: '/api/auth/logout', headers })
const rowsOf = async (user_id: string) =>
  Array.from(
    await db.pool<{ token_hash: Buffer; sso_session_id: string; session_version: number }[]>`
      select token_hash, sso_session_id, session_version from collections.sessions where user_id = ${user_id}`,
  )

/** A user with an opaque token, beside the session that `aUser` opened at the site learning. */
async function signedIn(): Promise<Person & { token: string; opaque: Record<string, string> }> {
  const person = await aUser()
  const reply = await login(person)
  assert.equal(reply.statusCode, 200, reply.body)
  const token = reply.json().access_token as string
  return { ...person, token, opaque: bearer(token) }
}

/** The sso session that the collections login opened. */
async function boundSession(user_id: string): Promise<string> {
  const [row] = await rowsOf(user_id)
  assert.ok(row)
  return row.sso_session_id
}

describe('POST /api/auth/login', () => {
  test('gives a twelve-hour token and stores only its hash', async () => {
    const person = await aUser()
    const reply = await login(person)
    assert.equal(reply.statusCode, 200, reply.body)
    const { access_token, user, ...rest } = reply.json()
    assert.match(access_token, /^lyc_[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 43_200 })
    assert.equal(user.user_id, person.user_id)
    assert.equal(user.email, person.email)
    assert.equal(user.role, 'user')
    assert.deepEqual(Object.keys(user.account_metadata).toSorted(), [
      'created_at',
      'email_verified',
      'last_login_at',
      'mfa_enabled',
    ])
    assert.deepEqual(
      (await rowsOf(person.user_id)).map(({ token_hash }) => token_hash.toString('hex')),
      [sha256(access_token).toString('hex')],
    )
    assert.equal(reply.headers['cache-control'], 'private, no-store')
    assert.equal(reply.headers['set-cookie'], undefined)
  })

  test('keeps the address and 512 characters of the User-Agent', async () => {
    const person = await aUser()
    const reply = await collections.inject({
      method: 'POST',
      url: '/api/auth/login',
      remoteAddress: '::ffff:192.0.2.7',
      headers: { 'user-agent': 'x'.repeat(9_000) },
      payload: { email: person.email, password: person.password },
    })
    assert.equal(reply.statusCode, 200, reply.body)
    const [row] = await db.fast<{ ip_address: string; length: number }[]>`
      select ip_address, length(user_agent) from sso.sessions where session_id = ${await boundSession(person.user_id)}`
    assert.deepEqual({ ...row }, { ip_address: '192.0.2.7', length: 512 })
  })

  test('answers an unknown address and a wrong password alike', async () => {
    const person = await aUser()
    const wrong = await login({ email: person.email, password: 'not the password' })
    const unknown = await login({ email: 'nobody-at-all@example.org', password: person.password })
    for (const reply of [wrong, unknown]) {
      assert.equal(reply.statusCode, 401, reply.body)
      assert.equal(reply.json().code, 'invalid_credentials')
      assert.ok(reply.headers['www-authenticate'])
    }
    assert.equal(withoutRequestId(wrong), withoutRequestId(unknown))
    assert.deepEqual(await rowsOf(person.user_id), [])
  })

  for (const [name, payload, code, field] of [
    ['without a password', { email: 'a@example.org' }, 'required', 'password'],
    ['without an e-mail', { password: 'x' }, 'required', 'email'],
    [
      'with an unknown field',
      { email: 'a@example.org', password: 'x', remember: true },
      'unknown_field',
      'remember',
    ],
    ['with a number as password', { email: 'a@example.org', password: 5 }, 'wrong_type', 'password'],
    ['with NUL in the e-mail', { email: 'a\u0000@example.org', password: 'x' }, 'invalid_character', 'email'],
  ] as const)
    test(`${name} it is 422 and names the field`, async () => {
      const reply = await collections.inject({ method: 'POST', url: '/api/auth/login', payload })
      assert.equal(reply.statusCode, 422, reply.body)
      assert.deepEqual(
        reply.json().errors.map((error: { field: string; code: string }) => [error.field, error.code]),
        [[field, code]],
      )
    })

  test('deletes expired tokens and keeps valid ones', async () => {
    const [person, other] = [await signedIn(), await signedIn()]
    const second = (await login(person)).json().access_token as string
    await db.pool`
      update collections.sessions set expires_at = clock_timestamp() - interval '1 second'
       where token_hash in (${sha256(person.token)}, ${sha256(other.token)})`
    assert.equal((await login(person)).statusCode, 200)
    assert.deepEqual(await rowsOf(other.user_id), [])
    const kept = (await rowsOf(person.user_id)).map(({ token_hash }) => token_hash.toString('hex'))
    assert.equal(kept.length, 2)
    assert.ok(kept.includes(sha256(second).toString('hex')))
  })
})

describe('a Bearer token', () => {
  test('may be opaque or from the sso, with equal rights', async () => {
    const person = await signedIn()
    const [opaque, jwt] = await Promise.all([me(person.opaque), me(person.headers)])
    assert.equal(opaque.statusCode, 200, opaque.body)
    assert.equal(jwt.statusCode, 200, jwt.body)
    assert.deepEqual(opaque.json(), jwt.json())
    assert.equal(opaque.json().user_id, person.user_id)
  })

  test('answers 401 token_expired after its end', async () => {
    const { opaque, token } = await signedIn()
    await db.pool`update collections.sessions set expires_at = clock_timestamp() - interval '1 second' where token_hash = ${sha256(token)}`
    const reply = await me(opaque)
    assert.equal(reply.statusCode, 401)
    assert.equal(reply.json().code, 'token_expired')
  })

  test('outlives the end of another session of the person', async () => {
    const person = await signedIn()
    const [before] = await rowsOf(person.user_id)
    const ended = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/sessions/${person.session_id}`,
      headers: person.headers,
    })
    assert.equal(ended.statusCode, 204, ended.body)
    assert.equal((await me(person.headers)).statusCode, 401)
    assert.equal((await me(person.opaque)).statusCode, 200)
    const [after] = await rowsOf(person.user_id)
    assert.ok(before && after && after.session_version > before.session_version)
  })

  test('ends with its sso session and leaves no row', async () => {
    const person = await signedIn()
    const ended = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/sessions/${await boundSession(person.user_id)}`,
      headers: person.headers,
    })
    assert.equal(ended.statusCode, 204, ended.body)
    const reply = await me(person.opaque)
    assert.equal(reply.statusCode, 401)
    assert.equal(reply.json().code, 'token_revoked')
    assert.deepEqual(await rowsOf(person.user_id), [])
  })

  test('is read from the Authorization header and nowhere else', async () => {
    const { token, headers } = await signedIn()
    const jwt = headers['authorization']?.slice('Bearer '.length) ?? ''
    for (const request of [
      { url: '/api/auth/me' },
      { url: '/api/auth/me', headers: { cookie: `access_token=${jwt}; token=${token}` } },
      { url: `/api/auth/me?access_token=${jwt}&token=${token}` },
      { url: '/api/auth/me', headers: { authorization: token } },
      { url: '/api/auth/me', headers: { authorization: `Basic ${token}` } },
      { url: '/api/auth/me', headers: bearer(`${jwt}x`) },
      { url: '/api/auth/me', headers: { 'x-access-token': jwt } },
    ]) {
      const reply = await collections.inject(request)
      assert.equal(reply.statusCode, 401, request.url)
      assert.equal(reply.json().code, 'not_authenticated')
      assert.equal(reply.headers['www-authenticate'], 'Bearer')
    }
  })

  test('answers 401 token_revoked for a token never issued', async () => {
    const reply = await me(bearer(`lyc_${'A'.repeat(43)}`))
    assert.equal(reply.statusCode, 401)
    assert.equal(reply.json().code, 'token_revoked')
  })
})

describe('POST /api/auth/logout', () => {
  test('ends the opaque token and its sso session, no other session', async () => {
    const person = await signedIn()
    const other = (await login(person)).json().access_token as string
    const reply = await logout({ ...person.opaque, 'content-type': 'application/json' })
    assert.equal(reply.statusCode, 204, reply.body)
    assert.equal(reply.body, '')
    const after = await me(person.opaque)
    assert.equal(after.statusCode, 401)
    assert.equal(after.json().code, 'token_revoked')
    assert.equal((await me(bearer(other))).statusCode, 200)
    assert.equal((await rowsOf(person.user_id)).length, 1)
  })

  test('with an access token ends that session everywhere', async () => {
    const person = await aUser()
    assert.equal((await logout(person.headers)).statusCode, 204)
    assert.equal((await me(person.headers)).statusCode, 401)
    const atSso = await sso.inject({ url: '/api/v1/sessions', headers: person.headers })
    assert.equal(atSso.statusCode, 401)
    const again = await signIn(person)
    assert.equal((await me(again.headers)).statusCode, 200)
  })

  test('without a token is 401 and ends nothing', async () => {
    const person = await signedIn()
    assert.equal((await logout({})).statusCode, 401)
    assert.equal((await me(person.opaque)).statusCode, 200)
  })

  test('answers 204 or 401 to 50 requests at once', async () => {
    const person = await signedIn()
    const replies = await Promise.all(Array.from({ length: 50 }, () => logout(person.opaque)))
    const statuses = replies.map(({ statusCode }) => statusCode)
    assert.ok(statuses.includes(204))
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 204 && status !== 401),
      [],
    )
    assert.equal((await me(person.opaque)).statusCode, 401)
    assert.deepEqual(await rowsOf(person.user_id), [])
  })
})

/** An opaque token bound to the session of the user's access token. */
async function bindOpaque({ user_id, tenant_id, session_id }: Person): Promise<Record<string, string>> {
  const token = `lyc_${newId()}`
  await db.pool`
    insert into collections.sessions (token_hash, user_id, tenant_id, sso_session_id, session_version)
    values (${sha256(token)}, ${user_id}, ${tenant_id}, ${session_id}, 1)`
  return bearer(token)
}

describe('logout, 50 times', () => {
  test('logout_kills_both_tokens: signing out with either token ends both', async () => {
    const account = await aUser()
    for (let round = 0; round < 50; round++) {
      const person = await signIn(account)
      const opaque = await bindOpaque(person)
      assert.deepEqual([(await me(opaque)).statusCode, (await me(person.headers)).statusCode], [200, 200])
      const beside = round % 2 ? opaque : person.headers
      const replies = await Promise.all([logout(round % 2 ? person.headers : opaque), me(beside), me(beside)])
      assert.equal(replies[0].statusCode, 204)
      for (const headers of [opaque, person.headers]) {
        const reply = await me(headers)
        assert.deepEqual([reply.statusCode, reply.json().code], [401, 'token_revoked'])
      }
    }
  })

  test('other_session_survives_logout: both its tokens keep working', async () => {
    const other = await signedIn()
    for (let round = 0; round < 50; round++) {
      const ending = bearer((await login(other)).json().access_token as string)
      const [ended, ...beside] = await Promise.all([
        logout(ending),
        me(other.opaque),
        me(other.opaque),
        me(other.opaque),
      ])
      assert.equal(ended.statusCode, 204)
      for (const reply of [...beside, await me(other.opaque)]) assert.equal(reply.statusCode, 200, reply.body)
    }
    assert.equal((await me(other.headers)).statusCode, 401)
    const refreshed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: (await homeSite()).headers,
      payload: { refresh_token: other.refresh_token },
    })
    assert.equal(refreshed.statusCode, 200, refreshed.body)
    assert.equal((await me(bearer(refreshed.json().access_token as string))).statusCode, 200)
  })
})

describe('COLLECTIONS_ALLOWED_SITES', () => {
  test('refuses access tokens of other sites, and never the opaque token', async () => {
    const lyceum = await buildWorld({ env: { COLLECTIONS_ALLOWED_SITES: 'console' } })
    const [anna, operator] = [await aUser({ lyceum }), await anOperator(lyceum)]
    const ask = (headers: Record<string, string>) =>
      lyceum.collections.inject({ url: '/api/auth/me', headers })
    const refused = await ask(anna.headers)
    assert.deepEqual([refused.statusCode, refused.json().code], [401, 'not_authenticated'])
    assert.equal((await ask(operator.headers)).statusCode, 200)
    const { email, password } = anna
    const signed = await lyceum.collections.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email, password },
    })
    assert.equal((await ask(bearer(signed.json().access_token as string))).statusCode, 200)
  })
})

describe('an opaque token of a site admin', () => {
  test('reaches every collection of the tenant, unlike that of a user', async () => {
    const [operator, anna] = [await anOperator(), await signedIn()]
    const box = await aCollection(await aUser())
    const url = `/api/collections/${box}/items`
    const opaque = bearer((await login(operator)).json().access_token as string)
    assert.equal((await call('GET', url, { headers: opaque })).statusCode, 200)
    assert.equal((await call('GET', url, { headers: anna.opaque })).statusCode, 404)
  })
})

describe('50 logins of one person at once', () => {
  test('give 50 tokens that all work', async () => {
    const person = await aUser()
    const replies = await Promise.all(Array.from({ length: 50 }, () => login(person)))
    const tokens = new Set(replies.map((reply) => reply.json().access_token as string))
    assert.equal(tokens.size, 50)
    for (const token of tokens) assert.equal((await me(bearer(token))).statusCode, 200)
  })
})
