import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Tx } from '#foundation/database/database.ts'
import { aSite, aUser, homeSite, type Person, signIn } from '#testing/people.ts'
import { overtaken } from '#testing/locks.ts'
import { world } from '#testing/world.ts'

async function login(payload: object, headers?: Record<string, string>) {
  const { sso } = await world()
  const site = headers ?? (await homeSite()).headers
  return sso.inject({ method: 'POST', url: '/api/v1/auth/login', headers: site, payload })
}
const credentials = ({ email, password }: Person) => ({ email, password })
async function successes({ user_id }: Person) {
  const { db } = await world()
  return db.fast`select from sso.audit_log where action = 'login.succeeded' and subject_user_id = ${user_id}`
}
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

describe('POST /api/v1/auth/login', () => {
  test('answers with tokens, session and the person at this site', async () => {
    const anna = await aUser()
    const reply = await login({ ...credentials(anna), device_name: 'iPad 7' })
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['cache-control'], 'no-store')
    const { access_token, refresh_token, session_id, user, ...rest } = reply.json()
    assert.deepEqual(rest, {
      token_type: 'Bearer',
      expires_in: 1800,
      refresh_expires_in: 2_592_000,
      mfa_required: false,
    })
    assert.match(refresh_token, /^rt_[\w-]{43}$/)
    assert.deepEqual(user.roles, [{ site_code: 'learning', role: 'USER' }])
    assert.ok(user.last_login_at)
    const { sso } = await world()
    const list = await sso.inject({
      url: '/api/v1/sessions',
      headers: { authorization: `Bearer ${access_token}` },
    })
    const [session] = list.json().items
    assert.equal(session.session_id, session_id)
    assert.equal(session.device_name, 'iPad 7')
    assert.equal(session.current, true)
  })

  test('accepts the username, and the address in any case', async () => {
    const { sso } = await world()
    const [email, username] = [
      `Mia.${randomBytes(5).toString('hex')}@Example.org`,
      `Mia.${randomBytes(5).toString('hex')}`,
    ]
    const password = 'battery staple 7'
    const headers = (await homeSite()).headers
    await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      headers,
      payload: { email, username, password },
    })
    assert.equal((await login({ email: email.toUpperCase(), password })).statusCode, 200)
    assert.equal((await login({ username: username.toLowerCase(), password })).statusCode, 200)
  })

  test('takes an address or user name with blanks around it, as registration does', async () => {
    const { sso, collections } = await world()
    const id = randomBytes(5).toString('hex')
    const [email, username, password] = [`mia.${id}@example.org`, `mia.${id}`, 'battery staple 7']
    const headers = (await homeSite()).headers
    const post = (url: string, payload: object) => sso.inject({ method: 'POST', url, headers, payload })
    const made = await post('/api/v1/auth/register', { email: `${email} `, username, password })
    assert.equal(made.statusCode, 201, made.body)
    assert.equal(made.json().user.email, email)
    assert.equal((await post('/api/v1/auth/register', { email: ` ${email}`, password })).statusCode, 409)
    assert.equal((await login({ email: ` ${email}\t`, password })).statusCode, 200)
    assert.equal((await login({ username: `${username} `, password })).statusCode, 200)
    const opaque = await collections.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email: `${email} `, password },
    })
    assert.equal(opaque.statusCode, 200, opaque.body)
    assert.equal((await post('/api/v1/auth/password/forgot', { email: `${email} ` })).statusCode, 202)
    const { db } = await world()
    const mails =
      await db.fast`select from sso.messages where recipient = ${email} and kind = 'password_reset'`
    assert.equal(mails.length, 1)
  })

  test('answers unknown, wrong and empty alike, with one hash', async () => {
    const [anna, { passwords }] = [await aUser(), await world()]
    const attempts = [
      { email: 'nobody-knows@example.org', password: 'battery staple 7' },
      { email: anna.email, password: 'battery staple 8' },
      { email: anna.email, password: '' },
      { username: 'nobody-knows', password: 'battery staple 7' },
      { email: anna.email, password: 'x'.repeat(5_000) },
    ]
    const replies = []
    for (const attempt of attempts) {
      const before = passwords.hashCalls()
      replies.push(await login(attempt))
      assert.equal(passwords.hashCalls() - before, 1)
    }
    for (const reply of replies) {
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.json().code, 'invalid_credentials')
      assert.deepEqual(withoutId(reply.body), withoutId(replies[0]?.body ?? ''))
      assert.deepEqual(
        Object.keys(reply.headers).toSorted(),
        Object.keys(replies[0]?.headers ?? {}).toSorted(),
      )
    }
  })

  test('joins another site at the first sign-in, once', async () => {
    const [anna, site, { db }] = [await aUser(), await aSite(), await world()]
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => login(credentials(anna), site.headers)),
    )
    assert.deepEqual(new Set(replies.map((reply) => reply.statusCode)), new Set([200]))
    assert.deepEqual(replies[0]?.json().user.roles, [{ site_code: site.site_code, role: 'USER' }])
    const members =
      await db.fast`select role from sso.memberships where user_id = ${anna.user_id} and site_id = ${site.site_id}`
    assert.deepEqual([...members], [{ role: 'USER' }])
  })

  test('reveals a suspension only after the right password', async () => {
    const [anna, ben, { db, gate }] = [await aUser(), await aUser(), await world()]
    await db.pool`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
    await db.pool`update sso.memberships set suspended_at = clock_timestamp() where user_id = ${ben.user_id}`
    assert.ok(gate)
    for (const person of [anna, ben]) {
      const wrong = await login({ email: person.email, password: 'battery staple 8' })
      assert.equal(wrong.json().code, 'invalid_credentials')
      const right = await login(credentials(person))
      assert.equal(right.statusCode, 401)
      assert.equal(right.json().code, 'account_suspended')
    }
    const sessions =
      await db.fast`select from sso.sessions where user_id = any(${[anna.user_id, ben.user_id]}::uuid[])`
    assert.equal(sessions.length, 2, 'only the sessions from before the suspension')
    const lines = await db.fast`
      select subject_user_id, actor_user_id, details from sso.audit_log
       where action = 'login.failed' and subject_user_id = any(${[anna.user_id, ben.user_id]}::uuid[])
         and details <> '{}' order by subject_user_id`
    const details = { reason: 'account_suspended' }
    assert.deepEqual(
      [...lines],
      [anna, ben].map(({ user_id }) => ({ subject_user_id: user_id, actor_user_id: null, details })),
    )
  })

  for (const [name, change] of [
    [
      'the password changes',
      (tx: Tx, id: string) => tx`update sso.users set password_hash = 'x' where user_id = ${id}`,
    ],
    [
      'the account is suspended',
      (tx: Tx, id: string) => tx`update sso.users set status = 'suspended' where user_id = ${id}`,
    ],
  ] as const) {
    test(`opens nothing when ${name} during hashing`, async () => {
      const [anna, { db }] = [await aUser(), await world()]
      const reply = await overtaken(
        db,
        (tx) => change(tx, anna.user_id),
        () => login(credentials(anna)),
      )
      assert.equal(reply.statusCode, 401)
      const sessions = await db.fast`select from sso.sessions where user_id = ${anna.user_id}`
      assert.equal(sessions.length, 1, 'only the one from before')
      assert.equal((await successes(anna)).length, 1, 'only that of the one from before')
    })
  }

  test('asks for a second factor added while waiting', async () => {
    const [anna, site, { db }] = [await aUser(), await aSite(), await world()]
    const reply = await overtaken(
      db,
      async (tx) => {
        await tx`select from sso.users where user_id = ${anna.user_id} for no key update`
        await tx`
          insert into sso.mfa_factors (factor_id, user_id, type, email, activated_at)
          values (gen_random_uuid(), ${anna.user_id}, 'email', ${anna.email}, clock_timestamp())`
      },
      () => login(credentials(anna), site.headers),
    )
    assert.deepEqual(reply.json().mfa_methods, ['email'])
    const left = await db.fast`
      select from sso.sessions where user_id = ${anna.user_id} and site_id = ${site.site_id}
       union all select from sso.memberships where user_id = ${anna.user_id} and site_id = ${site.site_id}`
    assert.equal(left.length, 0)
    assert.equal((await successes(anna)).length, 1, 'only that of the one from before')
  })

  test('notices a membership suspended while waiting', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const reply = await overtaken(
      db,
      async (tx) => {
        await tx`select from sso.users where user_id = ${anna.user_id} for no key update`
        await tx`update sso.memberships set suspended_at = clock_timestamp() where user_id = ${anna.user_id}`
      },
      () => login(credentials(anna)),
    )
    assert.equal(reply.json().code, 'account_suspended')
  })

  test('renews a hash with outdated parameters', async () => {
    const [anna, { db, passwords }] = [await aUser(), await world()]
    const [old] = await db.fast<
      { password_hash: string }[]
    >`select password_hash from sso.users where user_id = ${anna.user_id}`
    // The same password under argon2id m=16 t=1, as an import may bring it.
    const { hash } = await import('@node-rs/argon2')
    const imported = await hash(anna.password, { memoryCost: 16, timeCost: 1, parallelism: 1 })
    await db.pool`update sso.users set password_hash = ${imported} where user_id = ${anna.user_id}`
    await signIn(anna)
    const [now] = await db.fast<
      { password_hash: string }[]
    >`select password_hash from sso.users where user_id = ${anna.user_id}`
    assert.notEqual(now?.password_hash, imported)
    assert.notEqual(now?.password_hash, old?.password_hash)
    assert.equal(passwords.needsRehash(now?.password_hash ?? ''), false)
    await signIn(anna)
  })

  test('ignores people of the other environment', async () => {
    const [anna, sandbox] = [await aUser(), await aSite({ environment: 'sandbox' })]
    assert.equal((await login(credentials(anna), sandbox.headers)).statusCode, 401)
    const tester = await aUser({ at: sandbox })
    assert.equal((await login(credentials(tester))).statusCode, 401)
  })

  for (const [name, payload, status, code] of [
    ['no password', { email: 'a@example.org' }, 400, 'missing_field'],
    ['neither e-mail nor username', { password: 'x' }, 400, 'missing_field'],
    ['a number as e-mail', { email: 1, password: 'x' }, 422, 'validation'],
    [
      'a long device name',
      { email: 'a@example.org', password: 'x', device_name: 'x'.repeat(101) },
      422,
      'validation',
    ],
    ['an object as password', { email: 'a@example.org', password: { $ne: null } }, 422, 'validation'],
  ] as const) {
    test(`refuses ${name} with ${status}`, async () => {
      const reply = await login(payload)
      assert.equal(reply.statusCode, status)
      assert.equal(reply.json().code, code)
    })
  }

  test('needs a site key', async () => {
    assert.equal((await login(credentials(await aUser()), {})).statusCode, 401)
  })

  test('audits success and failure without the password', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    await login({ email: anna.email, password: 'a wrong one' })
    const acts = await db.fast<{ action: string; details: object; ip_address: string }[]>`
      select action, details, ip_address from sso.audit_log where subject_user_id = ${anna.user_id} order by audit_id`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['user.registered', 'login.succeeded', 'login.failed'],
    )
    assert.ok(!JSON.stringify(acts).includes('a wrong one'))
  })
})
