import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addTotp, challenge, freshStep, mailedCode } from '#testing/mfa.ts'
import { aSite, aUser, type Headers, homeSite, type Person, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()

const post = (path: string, headers: Headers, payload: object) =>
  sso.inject({ method: 'POST', url: `/api/v1/auth/${path}`, headers, payload })
const prove = (headers: Headers, payload: object) => post('reauthenticate', headers, payload)
/** Something that wants a fresh proof. */
const change = ({ headers }: Pick<Person, 'headers'>) =>
  sso.inject({ method: 'POST', url: '/api/v1/mfa/factors', headers, payload: { type: 'totp' } })
const age = ({ session_id }: Person) => db.pool`
  update sso.sessions set proven_at = clock_timestamp() - interval '16 minutes' where session_id = ${session_id}`

async function anOldSession() {
  const anna = await aUser()
  await age(anna)
  assert.equal((await change(anna)).statusCode, 403)
  return anna
}

async function guarded() {
  const anna = await aUser()
  const totp = await addTotp(anna)
  await age(anna)
  return { ...anna, totp }
}

describe('POST /api/v1/auth/reauthenticate', () => {
  test('answers 401 without a token or with a site key alone', async () => {
    assert.equal((await prove({}, { password: 'x' })).statusCode, 401)
    assert.equal((await prove((await homeSite()).headers, { password: 'x' })).statusCode, 401)
  })

  test('answers 403 to the token of a partner site', async () => {
    const there = await aUser({ at: await aSite() })
    const reply = await prove(there.headers, { password: there.password })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'first_party_required'])
  })

  test('the password makes only this session fresh', async () => {
    const anna = await anOldSession()
    const other = await signIn(anna)
    await age(other)
    const reply = await prove(anna.headers, { password: anna.password })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(reply.json(), { mfa_required: false, fresh_for: 900 })
    assert.equal((await change(anna)).statusCode, 201)
    assert.equal((await change(other)).statusCode, 403)
  })

  test('answers 403 to a wrong password, counted, and 400 without one', async () => {
    const anna = await anOldSession()
    assert.equal((await prove(anna.headers, {})).statusCode, 400)
    const reply = await prove(anna.headers, { password: 'not the password' })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
    assert.equal((await change(anna)).statusCode, 403)
  })

  test('asks for the second factor after the password', async () => {
    const anna = await guarded()
    const asked = (await prove(anna.headers, { password: anna.password })).json()
    assert.deepEqual([asked.mfa_required, asked.mfa_methods], [true, ['totp']])
    assert.equal((await change(anna)).statusCode, 403)
    const { mfa_token } = asked
    const wrong = await prove(anna.headers, { mfa_token, code: '000000' })
    assert.deepEqual([wrong.statusCode, wrong.json().code], [403, 'mfa_code_invalid'])
    const right = await prove(anna.headers, { mfa_token, code: anna.totp.code() })
    assert.equal(right.statusCode, 200, right.body)
    assert.equal((await change(anna)).statusCode, 201)
    const spent = await prove(anna.headers, { mfa_token, code: anna.totp.code(1) })
    assert.deepEqual([spent.statusCode, spent.json().code], [403, 'mfa_token_invalid'])
  })

  test('binds its challenge to this session and purpose', async () => {
    const anna = await guarded()
    const site = (await homeSite()).headers
    const own = (await prove(anna.headers, { password: anna.password })).json()
    const entered = await post('mfa/verify', site, { mfa_token: own.mfa_token, code: anna.totp.code() })
    assert.deepEqual([entered.statusCode, entered.json().code], [401, 'mfa_token_invalid'])
    const asked = await challenge(anna, site)
    const crossed = await prove(anna.headers, { mfa_token: asked.mfa_token, code: anna.totp.code() })
    assert.deepEqual([crossed.statusCode, crossed.json().code], [403, 'mfa_token_invalid'])
    const signedIn = (
      await post('mfa/verify', site, { mfa_token: asked.mfa_token, code: anna.totp.code() })
    ).json()
    await freshStep(anna.user_id)
    const other = { authorization: `Bearer ${signedIn.access_token}` }
    const stolen = await prove(other, { mfa_token: own.mfa_token, code: anna.totp.code() })
    assert.equal(stolen.json().code, 'mfa_token_invalid')
    const options = await post('mfa/options', site, { mfa_token: own.mfa_token, method: 'email' })
    assert.equal(options.statusCode, 401)
    assert.equal((await change(anna)).statusCode, 403)
  })

  test('mails a code to people who use codes by e-mail', async () => {
    const anna = await aUser()
    await db.pool`
      update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${anna.user_id}`
    const payload = { type: 'email' }
    const begun = await sso.inject({
      method: 'POST',
      url: '/api/v1/mfa/factors',
      headers: anna.headers,
      payload,
    })
    const activated = await sso.inject({
      method: 'POST',
      url: `/api/v1/mfa/factors/${begun.json().factor_id}/activate`,
      headers: anna.headers,
      payload: { code: await mailedCode(anna.user_id) },
    })
    assert.equal(activated.statusCode, 200, activated.body)
    await age(anna)
    const { mfa_token } = (await prove(anna.headers, { password: anna.password })).json()
    const sent = await post('reauthenticate/options', anna.headers, { mfa_token, method: 'email' })
    assert.equal(sent.statusCode, 200, sent.body)
    const code = await mailedCode(anna.user_id)
    assert.equal((await prove(anna.headers, { mfa_token, code })).statusCode, 200)
    assert.equal((await change(anna)).statusCode, 201)
  })

  test('accepts a factor without password, else asks to choose one', async () => {
    const anna = await guarded()
    const ben = await anOldSession()
    await db.pool`update sso.users set password_hash = null where user_id = any(${[anna.user_id, ben.user_id]})`
    const { mfa_token } = (await prove(anna.headers, {})).json()
    assert.equal((await prove(anna.headers, { mfa_token, code: anna.totp.code() })).statusCode, 200)
    assert.equal((await change(anna)).statusCode, 201)
    const reply = await prove(ben.headers, { password: 'anything at all' })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'password_not_set'])
  })

  test('is written to the audit log', async () => {
    const anna = await anOldSession()
    await prove(anna.headers, { password: anna.password })
    const lines = await db.pool`
      select details from sso.audit_log where subject_user_id = ${anna.user_id} and action = 'session.proven'`
    assert.deepEqual(
      lines.map(({ details }) => details),
      [{ methods: ['pwd'] }],
    )
  })
})

describe('a security notice', () => {
  const kindsOf = async ({ user_id }: Person) =>
    (
      await db.pool<
        { kind: string }[]
      >`select kind from sso.messages where user_id = ${user_id} order by created_at`
    ).map(({ kind }) => kind)

  test('reports a new factor and new recovery codes', async () => {
    const anna = await aUser()
    await addTotp(anna)
    const codes = await sso.inject({
      method: 'POST',
      url: '/api/v1/mfa/recovery-codes',
      headers: anna.headers,
      payload: {},
    })
    assert.equal(codes.statusCode, 201, codes.body)
    assert.deepEqual((await kindsOf(anna)).slice(1), ['factor_added_notice', 'recovery_codes_notice'])
  })

  test('reports a sign-in with an unfamiliar program, except the first', async () => {
    const anna = await aUser()
    const site = (await homeSite()).headers
    const login = (agent: string) =>
      sso.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers: { ...site, 'user-agent': agent },
        payload: { email: anna.email, password: anna.password },
      })
    const told = async () => (await kindsOf(anna)).filter((kind) => kind === 'new_device_notice').length
    assert.equal(await told(), 0)
    await login('Firefox/140.0 (X11)')
    assert.equal(await told(), 1)
    await login('Firefox/141.2 (X11)')
    assert.equal(await told(), 1)
    await login('Chrome/99 (Android)')
    assert.equal(await told(), 2)
  })

  test('reports the third wrong second factor within 15 minutes, once', async () => {
    const anna = await guarded()
    const site = (await homeSite()).headers
    const { mfa_token } = await challenge(anna, site)
    const wrong = () => post('mfa/verify', site, { mfa_token, code: '000000' })
    const told = async () =>
      (await kindsOf(anna)).filter((kind) => kind === 'second_factor_failed_notice').length
    await wrong()
    await wrong()
    assert.equal(await told(), 0)
    await wrong()
    await wrong()
    assert.equal(await told(), 1)
  })
})

describe('a session whose site sets no limit', () => {
  test('ends ninety days after the sign-in, however active', async () => {
    const anna = await aUser()
    const site = (await homeSite()).headers
    await db.pool`
      update sso.sessions set created_at = clock_timestamp() - interval '89 days', auth_time = clock_timestamp() - interval '89 days'
       where session_id = ${anna.session_id}`
    const young = await post('refresh', site, { refresh_token: anna.refresh_token })
    assert.equal(young.statusCode, 200, young.body)
    assert.ok(young.json().refresh_expires_in <= 86_400)
    await db.pool`
      update sso.sessions set auth_time = clock_timestamp() - interval '90 days' where session_id = ${anna.session_id}`
    const old = await post('refresh', site, { refresh_token: young.json().refresh_token })
    assert.deepEqual([old.statusCode, old.json().code], [401, 'refresh_token_expired'])
    const [session] =
      await db.pool`select revoke_reason from sso.sessions where session_id = ${anna.session_id}`
    assert.equal(session?.['revoke_reason'], 'max_age')
  })
})
