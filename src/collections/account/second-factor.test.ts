import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addTotp, challenge, mailedCode } from '#testing/mfa.ts'
import { aUser, homeSite, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { collections, sso, db } = await world()

const post = (url: string, payload: object) => collections.inject({ method: 'POST', url, payload })
const login = ({ email, password }: Person) => post('/api/auth/login', { email, password })
const verify = (payload: object) => post('/api/auth/mfa/verify', payload)

describe('POST /api/auth/login of a person with a second factor', () => {
  test('asks for it and gives no token', async () => {
    const person = await aUser()
    await addTotp(person)
    const reply = await login(person)
    assert.equal(reply.statusCode, 200, reply.body)
    const { mfa_token, ...rest } = reply.json()
    assert.match(mfa_token, /^mfat_/)
    assert.deepEqual(rest, { mfa_required: true, mfa_methods: ['totp'] })
    const tokens = await db.fast`select from collections.sessions where user_id = ${person.user_id}`
    assert.equal(tokens.length, 0)
  })
})

describe('POST /api/auth/mfa/verify', () => {
  test('gives a working token and names the second factor', async () => {
    const person = await aUser()
    const totp = await addTotp(person)
    const { mfa_token } = (await login(person)).json()
    const reply = await verify({ mfa_token, code: totp.code() })
    assert.equal(reply.statusCode, 200, reply.body)
    const { access_token, user, ...rest } = reply.json()
    assert.match(access_token, /^lyc_/)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 43_200 })
    assert.equal(user.account_metadata.mfa_enabled, true)
    assert.equal(reply.headers['cache-control'], 'private, no-store')
    const me = await collections.inject({
      url: '/api/auth/me',
      headers: { authorization: `Bearer ${access_token}` },
    })
    assert.equal(me.statusCode, 200)
  })

  test('gives one of fifty at once a token', async () => {
    const person = await aUser()
    const totp = await addTotp(person)
    const { mfa_token } = (await login(person)).json()
    const code = totp.code()
    const replies = await Promise.all(Array.from({ length: 50 }, () => verify({ mfa_token, code })))
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    const tokens = await db.fast`select from collections.sessions where user_id = ${person.user_id}`
    assert.equal(tokens.length, 1)
  })

  test('answers 401 for a wrong code and a foreign sign-in', async () => {
    const person = await aUser()
    const totp = await addTotp(person)
    const { mfa_token } = (await login(person)).json()
    const wrong = await verify({ mfa_token, code: 'AAAA-AAAA-AAAA-AAAA' })
    assert.deepEqual([wrong.statusCode, wrong.json().code], [401, 'mfa_code_invalid'])
    const { headers } = await homeSite()
    const elsewhere = await challenge(person, headers)
    const foreign = await verify({ mfa_token: elsewhere.mfa_token, code: totp.code() })
    assert.deepEqual([foreign.statusCode, foreign.json().code], [401, 'mfa_token_invalid'])
    const back = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/mfa/verify',
      headers,
      payload: { mfa_token, code: totp.code() },
    })
    assert.equal(back.statusCode, 401)
  })

  for (const [name, payload, field] of [
    ['without a code', { mfa_token: 'x' }, 'code'],
    ['without a token', { code: '123456' }, 'mfa_token'],
    ['with an unknown field', { mfa_token: 'x', code: '123456', method: 'totp' }, 'method'],
    ['with a number as code', { mfa_token: 'x', code: 123_456 }, 'code'],
  ] as const)
    test(`${name} is 422 and names the field`, async () => {
      const reply = await verify(payload)
      assert.equal(reply.statusCode, 422)
      assert.equal(reply.json().errors[0].field, field)
    })
})

describe('POST /api/auth/mfa/email', () => {
  test('mails the code that completes the sign-in', async () => {
    const person = await aUser()
    await db.pool`
      update sso.users set email_verified = true, email_proven_at = clock_timestamp()
       where user_id = ${person.user_id}`
    const begun = await sso.inject({
      method: 'POST',
      url: '/api/v1/mfa/factors',
      headers: person.headers,
      payload: { type: 'email' },
    })
    await sso.inject({
      method: 'POST',
      url: `/api/v1/mfa/factors/${begun.json().factor_id}/activate`,
      headers: person.headers,
      payload: { code: await mailedCode(person.user_id) },
    })
    const { mfa_token, mfa_methods } = (await login(person)).json()
    assert.deepEqual(mfa_methods, ['email'])
    const sent = await post('/api/auth/mfa/email', { mfa_token })
    assert.equal(sent.statusCode, 200, sent.body)
    assert.deepEqual(sent.json(), { sent_to: 'p***@example.org', resend_after: 60 })
    assert.equal((await post('/api/auth/mfa/email', { mfa_token })).statusCode, 429)
    const code = await mailedCode(person.user_id)
    assert.equal((await verify({ mfa_token, code })).statusCode, 200)
  })

  test('answers 401 for a token never issued, 422 without one', async () => {
    assert.equal((await post('/api/auth/mfa/email', { mfa_token: 'mfat_x' })).statusCode, 401)
    assert.equal((await post('/api/auth/mfa/email', {})).statusCode, 422)
  })
})

describe('POST /api/auth/mfa/sms', () => {
  test('is 409 where no SMS provider is set, and for a person without that factor', async () => {
    const person = await aUser()
    await addTotp(person)
    const asked = (await login(person)).json()
    const without = await post('/api/auth/mfa/sms', { mfa_token: asked.mfa_token })
    assert.deepEqual([without.statusCode, without.json().code], [409, 'mfa_method_unavailable'])
    await db.pool`
      insert into sso.mfa_factors (factor_id, user_id, type, phone, activated_at)
      values (gen_random_uuid(), ${person.user_id}, 'sms', '+4930123456', clock_timestamp())`
    const { mfa_token } = (await login(person)).json()
    const reply = await post('/api/auth/mfa/sms', { mfa_token })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'sms_unavailable'])
  })
})
