import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { overtaken } from '#testing/locks.ts'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import { aUser, type Headers, homeSite, nobody, type Person, signIn } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const fresh = () => `battery staple ${randomBytes(4).toString('hex')}`

async function post(path: string, payload: object, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ method: 'POST', url: `/api/v1/auth/${path}`, headers, payload })
}
const change = (person: Person, new_password: string, current_password = person.password) =>
  post('password/change', { current_password, new_password }, person.headers)
const login = async (email: string, password: string) =>
  post('login', { email, password }, (await homeSite()).headers)
const refresh = async ({ refresh_token }: Person) =>
  post('refresh', { refresh_token }, (await homeSite()).headers)

describe('POST /api/v1/auth/password/change', () => {
  test('ends other sessions, while this one continues after a refresh', async () => {
    const anna = await aUser()
    const [tablet, password] = [await signIn(anna), fresh()]
    const reply = await change(anna, password)
    assert.equal(reply.statusCode, 204, reply.body)
    assert.equal((await login(anna.email, anna.password)).statusCode, 401)
    assert.equal((await login(anna.email, password)).statusCode, 200)
    assert.equal((await refresh(tablet)).statusCode, 401)
    const { sso } = await world()
    const look = (headers: Headers) => sso.inject({ url: '/api/v1/sessions', headers })
    assert.equal((await look(anna.headers)).json().code, 'token_revoked')
    const renewed = await refresh(anna)
    assert.equal(renewed.statusCode, 200, renewed.body)
    assert.equal((await look({ authorization: `Bearer ${renewed.json().access_token}` })).statusCode, 200)
  })

  test('notifies the person and voids reset links', async () => {
    const anna = await aUser()
    const { headers } = await homeSite()
    await post('password/forgot', { email: anna.email }, headers)
    const token = await tokenFor(anna.email, 'password_reset')
    await change(anna, fresh())
    assert.equal((await mailsTo(anna.email)).at(-1)?.kind, 'password_changed_notice')
    assert.equal((await post('password/reset', { token, password: fresh() }, headers)).statusCode, 401)
  })

  test('answers 403 to a wrong password, with one hash', async () => {
    const [anna, { passwords }] = [await aUser(), await world()]
    for (const wrong of ['something else', '', `${anna.password} `]) {
      const before = passwords.hashCalls()
      const reply = await change(anna, fresh(), wrong)
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'current_password_wrong'])
      assert.equal(passwords.hashCalls() - before, 1)
    }
    const { sso } = await world()
    assert.equal((await sso.inject({ url: '/api/v1/sessions', headers: anna.headers })).statusCode, 200)
    assert.equal((await login(anna.email, anna.password)).statusCode, 200)
  })

  test('throttles wrong guesses: the sixth gets 429', async () => {
    const own = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '1000' } })
    const anna = await aUser({ lyceum: own })
    const codes = []
    for (let i = 0; i < 6; i++) {
      const reply = await own.sso.inject({
        method: 'POST',
        url: '/api/v1/auth/password/change',
        headers: anna.headers,
        payload: { current_password: 'wrong guess', new_password: fresh() },
      })
      codes.push(reply.statusCode)
      if (reply.statusCode === 429) assert.ok(Number(reply.headers['retry-after']) >= 1)
    }
    assert.deepEqual(codes, [403, 403, 403, 403, 403, 429])
  })

  test('admits exactly one of fifty', async () => {
    const anna = await aUser()
    const attempts = Array.from({ length: 50 }, fresh)
    const replies = await Promise.all(attempts.map((password) => change(anna, password)))
    const winners = replies.flatMap(({ statusCode }, i) => (statusCode === 204 ? [i] : []))
    assert.equal(winners.length, 1)
    assert.ok(replies.every(({ statusCode }) => [204, 401, 403].includes(statusCode)))
    assert.equal((await login(anna.email, attempts[winners[0] ?? -1] ?? '')).statusCode, 200)
  })

  test('leaves no session from a concurrent sign-in with the old password', async () => {
    for (let round = 0; round < 8; round++) {
      const anna = await aUser()
      const racing = Array.from({ length: 12 }, () => login(anna.email, anna.password))
      assert.equal((await change(anna, fresh())).statusCode, 204)
      await Promise.all(racing)
      const { db } = await world()
      const live = await db.pool<{ session_id: string }[]>`
        select session_id from sso.sessions where user_id = ${anna.user_id} and revoked_at is null`
      assert.deepEqual(
        live.map(({ session_id }) => session_id),
        [anna.session_id],
      )
    }
  })

  test('waits for a running change and refuses the old password', async () => {
    const [anna, { db, passwords }] = [await aUser(), await world()]
    const other = await passwords.hashPassword(fresh())
    const reply = await overtaken(
      db,
      (tx) => tx`update sso.users set password_hash = ${other} where user_id = ${anna.user_id}`,
      () => change(anna, fresh()),
    )
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'current_password_wrong'])
  })

  test('refuses invalid passwords and names the field', async () => {
    const anna = await aUser()
    for (const [new_password, code] of [
      ['Password123', 'password_too_common'],
      [anna.email, 'password_is_email'],
      ['short', 'validation'],
      ['x'.repeat(129), 'validation'],
    ] as const) {
      const reply = await change(anna, new_password)
      assert.deepEqual([reply.statusCode, reply.json().code], [422, code])
      assert.equal(reply.json().errors[0].field, 'new_password')
    }
    const missing = await post('password/change', { new_password: fresh() }, anna.headers)
    assert.equal(missing.statusCode, 400)
  })

  test('refuses an account without password', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    await db.pool`update sso.users set password_hash = null where user_id = ${anna.user_id}`
    assert.equal((await change(anna, fresh(), '')).statusCode, 403)
  })

  test('needs an access token', async () => {
    const payload = { current_password: 'x', new_password: fresh() }
    for (const headers of [(await nobody()).headers, (await homeSite()).headers])
      assert.equal((await post('password/change', payload, headers)).statusCode, 401)
  })
})
