import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { one } from '#foundation/database/database.ts'
import { overtaken } from '#testing/locks.ts'
import { mailsTo, tokenFor } from '#testing/mail.ts'
import {
  anAdmin,
  aSite,
  aUser,
  type Headers,
  homeSite,
  nobody,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const fresh = () => `battery staple ${randomBytes(4).toString('hex')}`
const unknown = () => `nobody-${randomBytes(6).toString('hex')}@example.org`

async function post(path: string, payload: object, headers?: Headers) {
  const { sso } = await world()
  return sso.inject({
    method: 'POST',
    url: `/api/v1/auth/${path}`,
    headers: headers ?? (await homeSite()).headers,
    payload,
  })
}
const forgot = (email: string, headers?: Headers) => post('password/forgot', { email }, headers)
const reset = (token: string, password: string, headers?: Headers) =>
  post('password/reset', { token, password }, headers)
const login = (email: string, password: string, at?: TestSite) =>
  post('login', { email, password }, at?.headers)
const refresh = (refresh_token: string) => post('refresh', { refresh_token })
const me = async (person: Person) => {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/users/${person.user_id}`, headers: person.headers })
}

/** The token of a link that the person has just asked for. */
async function resetToken(person: Person, at?: TestSite): Promise<string> {
  const reply = await forgot(person.email, at?.headers)
  assert.equal(reply.statusCode, 202, reply.body)
  return tokenFor(person.email, 'password_reset')
}

const liveSessions = async (user_id: string) => {
  const { db } = await world()
  return (
    await db.pool<{ session_id: string }[]>`
      select session_id from sso.sessions where user_id = ${user_id} and revoked_at is null`
  ).map(({ session_id }) => session_id)
}

const withoutId = (body = '{}') => ({ ...(JSON.parse(body) as object), request_id: undefined })

describe('POST /api/v1/auth/password/forgot', () => {
  test('mails one link to the account in any case of its address', async () => {
    const anna = await aUser()
    const reply = await forgot(anna.email.toUpperCase())
    assert.equal(reply.statusCode, 202)
    assert.deepEqual(reply.json(), { accepted: true })
    const mails = (await mailsTo(anna.email)).filter(({ kind }) => kind === 'password_reset')
    assert.equal(mails.length, 1)
    assert.match(mails[0]?.text ?? '', /http:\/\/127\.0\.0\.1:8064\/reset-password#token=ott_[\w-]{43}\n/)
    const { db } = await world()
    const stored = await db.pool<{ seconds: number }[]>`
      select extract(epoch from expires_at - created_at)::int as seconds from sso.one_time_tokens
       where user_id = ${anna.user_id} and purpose = 'password_reset'`
    assert.deepEqual([...stored], [{ seconds: 1_800 }])
  })

  test('answers alike for unknown, suspended and invalid, without hashing', async () => {
    const [anna, ben, { passwords, db }] = [await aUser(), await aUser(), await world()]
    await db.pool`update sso.users set status = 'suspended' where user_id = ${ben.user_id}`
    const before = passwords.hashCalls()
    const replies = []
    for (const email of [anna.email, unknown(), ben.email, 'no address', ''])
      replies.push(await forgot(email))
    assert.equal(passwords.hashCalls(), before)
    for (const reply of replies) {
      assert.equal(reply.statusCode, 202)
      assert.equal(reply.body, replies[0]?.body)
      assert.deepEqual(
        Object.keys(reply.headers).toSorted(),
        Object.keys(replies[0]?.headers ?? {}).toSorted(),
      )
    }
    assert.deepEqual(
      (await mailsTo(ben.email)).map(({ kind }) => kind),
      ['email_verification'],
    )
  })

  test('mails once a minute per address, also under concurrency', async () => {
    const anna = await aUser()
    const replies = await Promise.all(Array.from({ length: 20 }, () => forgot(anna.email)))
    assert.ok(replies.every(({ statusCode }) => statusCode === 202))
    const count = async () =>
      (await mailsTo(anna.email)).filter(({ kind }) => kind === 'password_reset').length
    assert.equal(await count(), 1)
    const { db } = await world()
    await db.pool`
      update sso.messages set created_at = created_at - interval '61 seconds' where user_id = ${anna.user_id}`
    await forgot(anna.email)
    assert.equal(await count(), 2)
  })

  test('ignores people of the other environment', async () => {
    const [anna, sandbox] = [await aUser(), await aSite({ environment: 'sandbox' })]
    assert.equal((await forgot(anna.email, sandbox.headers)).statusCode, 202)
    assert.ok(!(await mailsTo(anna.email)).some(({ kind }) => kind === 'password_reset'))
  })

  for (const [name, payload, status] of [
    ['no e-mail', {}, 400],
    ['a number as e-mail', { email: 5 }, 422],
    ['a NUL in the e-mail', { email: 'a\u0000@example.org' }, 422],
    ['a list as body', [], 422],
  ] as const)
    test(`refuses ${name} with ${status}`, async () => {
      assert.equal((await post('password/forgot', payload)).statusCode, status)
    })

  test('counts against the strict limit of the address', async () => {
    const own = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } })
    const { headers } = await homeSite(own)
    const ask = () =>
      own.sso.inject({
        method: 'POST',
        url: '/api/v1/auth/password/forgot',
        headers: { ...headers, 'x-sso-client-ip': '203.0.113.7' },
        payload: { email: unknown() },
      })
    const codes = []
    for (let i = 0; i < 13; i++) codes.push((await ask()).statusCode)
    assert.deepEqual(codes.slice(0, 10), Array(10).fill(202))
    assert.equal(codes.at(-1), 429)
  })
})

describe('POST /api/v1/auth/password/reset', () => {
  test('sets the password, verifies the address, ends sessions and tokens', async () => {
    const anna = await aUser()
    const tablet = await signIn(anna)
    const password = fresh()
    const reply = await reset(await resetToken(anna), password)
    assert.equal(reply.statusCode, 204, reply.body)
    assert.equal(reply.body, '')
    assert.deepEqual(await liveSessions(anna.user_id), [])
    for (const person of [anna, tablet]) {
      assert.equal((await me(person)).json().code, 'token_revoked')
      assert.equal((await refresh(person.refresh_token)).statusCode, 401)
    }
    assert.equal((await login(anna.email, anna.password)).statusCode, 401)
    const signedIn = await login(anna.email, password)
    assert.equal(signedIn.statusCode, 200)
    assert.equal(signedIn.json().user.email_verified, true)
    const { db } = await world()
    const [user] = await db.pool`
      select email_proven_at is not null as is_proven from sso.users where user_id = ${anna.user_id}`
    assert.deepEqual({ ...user }, { is_proven: true })
  })

  test('notifies the person and audits who did it', async () => {
    const anna = await aUser()
    await reset(await resetToken(anna), fresh())
    const kinds = (await mailsTo(anna.email)).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['email_verification', 'password_reset', 'password_changed_notice'])
    const { db } = await world()
    const rows = await db.pool<{ action: string; actor_user_id: string | null }[]>`
      select action, actor_user_id from sso.audit_log
       where subject_user_id = ${anna.user_id} and action like 'password.%' order by occurred_at, audit_id`
    assert.deepEqual(
      rows.map(({ action, actor_user_id }) => [action, actor_user_id]),
      [
        ['password.reset_requested', null],
        ['password.reset', anna.user_id],
      ],
    )
  })

  test('admits exactly one of fifty with the link', async () => {
    const anna = await aUser()
    const token = await resetToken(anna)
    const attempts = Array.from({ length: 50 }, fresh)
    const replies = await Promise.all(attempts.map((password) => reset(token, password)))
    const winners = replies.flatMap(({ statusCode }, i) => (statusCode === 204 ? [i] : []))
    assert.equal(winners.length, 1)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 401).length, 49)
    assert.equal((await login(anna.email, attempts[winners[0] ?? -1] ?? '')).statusCode, 200)
  })

  test('works once and voids every other password link', async () => {
    const anna = await aUser()
    const first = await resetToken(anna)
    const { db } = await world()
    await db.pool`
      update sso.messages set created_at = created_at - interval '2 minutes' where user_id = ${anna.user_id}`
    const second = await resetToken(anna)
    assert.notEqual(first, second)
    assert.equal((await reset(second, fresh())).statusCode, 204)
    for (const token of [first, second]) {
      const reply = await reset(token, fresh())
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.json().code, 'token_invalid')
      assert.ok(reply.headers['www-authenticate'])
    }
  })

  test('refuses unknown, old, foreign and misused links alike', async () => {
    const [anna, ben, partner] = [await aUser(), await aUser(), await aSite()]
    const { db } = await world()
    const old = await resetToken(ben)
    await db.pool`
      update sso.one_time_tokens set expires_at = clock_timestamp() - interval '1 second' where user_id = ${ben.user_id}`
    const verification = await tokenFor(anna.email, 'email_verification')
    const token = await resetToken(anna)
    const replies = [
      await reset(`ott_${'a'.repeat(43)}`, fresh()),
      await reset('', fresh()),
      await reset(old, fresh()),
      await reset(verification, fresh()),
      await reset(token, fresh(), partner.headers),
    ]
    for (const reply of replies) {
      assert.equal(reply.statusCode, 401)
      assert.deepEqual(withoutId(reply.body), withoutId(replies[0]?.body))
    }
    assert.equal((await reset(token, fresh())).statusCode, 204)
  })

  test('is void after an address change or suspension', async () => {
    const [anna, ben, { db }] = [await aUser(), await aUser(), await world()]
    const [hers, his] = [await resetToken(anna), await resetToken(ben)]
    const email = unknown()
    await db.pool`update sso.users set email = ${email}, email_fold = ${email} where user_id = ${anna.user_id}`
    await db.pool`update sso.users set status = 'suspended' where user_id = ${ben.user_id}`
    for (const token of [hers, his]) assert.equal((await reset(token, fresh())).statusCode, 401)
  })

  test('answers 422 to a bad password and keeps the link', async () => {
    const anna = await aUser()
    const token = await resetToken(anna)
    for (const [password, status, code] of [
      ['Password123', 422, 'password_too_common'],
      [anna.email, 422, 'password_is_email'],
      ['short', 422, 'validation'],
    ] as const) {
      const reply = await reset(token, password)
      assert.deepEqual([reply.statusCode, reply.json().code], [status, code])
    }
    assert.equal((await post('password/reset', { token })).statusCode, 400)
    assert.equal((await reset(token, fresh())).statusCode, 204)
  })

  test('removes factors older than the first proof of the address', async () => {
    const [anna, ben, { db }] = [await aUser(), await aUser(), await world()]
    await post('email/verify', { token: await tokenFor(ben.email, 'email_verification') })
    for (const { user_id } of [anna, ben]) {
      await db.pool`
        insert into sso.mfa_factors (factor_id, user_id, type, secret_enc, activated_at)
        values (gen_random_uuid(), ${user_id}, 'totp', '\\x00', clock_timestamp())`
      await db.pool`insert into sso.recovery_codes (user_id, code_hmac) values (${user_id}, '\\x00')`
    }
    const factors = async ({ user_id }: Person) =>
      one(
        await db.pool<{ factors: number; codes: number }[]>`
          select (select count(*) from sso.mfa_factors where user_id = ${user_id}) as factors,
                 (select count(*) from sso.recovery_codes where user_id = ${user_id}) as codes`,
      )
    for (const person of [anna, ben])
      assert.equal((await reset(await resetToken(person), fresh())).statusCode, 204)
    assert.deepEqual({ ...(await factors(anna)) }, { factors: 0, codes: 0 })
    assert.deepEqual({ ...(await factors(ben)) }, { factors: 1, codes: 1 })
  })

  test('ends pending sign-ins', async () => {
    const [anna, { db }, site] = [await aUser(), await world(), await homeSite()]
    await db.pool`
      insert into sso.mfa_challenges (token_hash, user_id, site_id, methods, login_id, auth_methods, expires_at)
      values (${randomBytes(32)}, ${anna.user_id}, ${site.site_id}, '{totp}', gen_random_uuid(), '{pwd}',
              clock_timestamp() + interval '5 minutes')`
    await reset(await resetToken(anna), fresh())
    const left = await db.pool`select from sso.mfa_challenges where user_id = ${anna.user_id}`
    assert.equal(left.length, 0)
  })

  test('waits for a lock on the person and sees its changes', async () => {
    const anna = await aUser()
    const [token, { db }] = [await resetToken(anna), await world()]
    const reply = await overtaken(
      db,
      (tx) => tx`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`,
      () => reset(token, fresh()),
    )
    assert.equal(reply.statusCode, 401)
  })

  test('leaves no session from a concurrent sign-in with the old password', async () => {
    for (let round = 0; round < 8; round++) {
      const anna = await aUser()
      const [token, password] = [await resetToken(anna), fresh()]
      const racing = Array.from({ length: 12 }, () => login(anna.email, anna.password))
      const reply = await reset(token, password)
      assert.equal(reply.statusCode, 204)
      const live = await liveSessions(anna.user_id)
      await Promise.all(racing)
      assert.deepEqual(live, [])
      assert.deepEqual(await liveSessions(anna.user_id), [], 'a sign-in came through after the reset')
    }
  })

  test('accepts an invitation', async () => {
    const admin = await anAdmin()
    const { sso, db } = await world()
    const email = unknown()
    const made = await sso.inject({
      method: 'POST',
      url: '/api/v1/users',
      headers: admin.headers,
      payload: { email },
    })
    assert.equal(made.statusCode, 201, made.body)
    const token = await tokenFor(email, 'invitation')
    const [stored] = await db.pool<{ seconds: number }[]>`
      select extract(epoch from expires_at - created_at)::int as seconds from sso.one_time_tokens
       where user_id = ${made.json().user_id}`
    assert.equal(stored?.seconds, 7 * 86_400)
    const password = fresh()
    assert.equal((await reset(token, password, admin.site.headers)).statusCode, 204)
    const signedIn = await login(email, password, admin.site)
    assert.equal(signedIn.statusCode, 200)
    assert.equal(signedIn.json().user.email_verified, true)
    assert.deepEqual(
      (await mailsTo(email)).map(({ kind }) => kind),
      ['invitation'],
    )
  })

  test('needs a site key', async () => {
    const anna = await aUser()
    const token = await resetToken(anna)
    for (const headers of [(await nobody()).headers, anna.headers])
      for (const [path, payload] of [
        ['password/forgot', { email: anna.email }],
        ['password/reset', { token, password: fresh() }],
        ['email/verify', { token }],
        ['email/resend', { email: anna.email }],
      ] as const) {
        const reply = await post(path, payload, headers)
        assert.equal(reply.statusCode, 401, path)
        assert.equal(reply.json().code, 'site_key_missing')
      }
    assert.equal((await reset(token, fresh())).statusCode, 204)
  })
})
