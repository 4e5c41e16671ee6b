import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import { newId } from '#foundation/ids.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { withoutRequestId } from '#testing/hostile.ts'
import { overtaken } from '#testing/locks.ts'
import { addTotp, challenge, freshStep, type Totp } from '#testing/mfa.ts'
import { aSite, aUser, homeSite, type Headers, type Person, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

type Method = 'GET' | 'POST' | 'DELETE'
async function call(method: Method, path: string, headers: Headers, payload?: object) {
  const { sso } = await world()
  return sso.inject({ method, url: `/api/v1/mfa${path}`, headers, ...(payload && { payload }) })
}
const list = async (headers: Headers) => (await call('GET', '/factors', headers)).json()
const enrol = (headers: Headers, body: object = { type: 'totp' }) => call('POST', '/factors', headers, body)
const activate = (headers: Headers, factor_id: string, payload: object) =>
  call('POST', `/factors/${factor_id}/activate`, headers, payload)
const remove = (headers: Headers, factor_id: string, payload?: object) =>
  call('DELETE', `/factors/${factor_id}`, headers, payload)
const renew = (headers: Headers, payload: object = {}) => call('POST', '/recovery-codes', headers, payload)

/** As if the session had been proven twenty minutes ago. */
async function age({ session_id }: Person, minutes = 20) {
  const { db } = await world()
  await db.pool`
    update sso.sessions set proven_at = clock_timestamp() - make_interval(mins => ${minutes})
     where session_id = ${session_id}`
}

async function guarded(): Promise<Person & { totp: Totp }> {
  const person = await aUser()
  return { ...person, totp: await addTotp(person) }
}

/** Signs in anew with a code of the app. */
async function signInAgain({ totp, ...person }: Person & { totp: Totp }) {
  const { sso } = await world()
  const { headers } = await homeSite()
  const { mfa_token } = await challenge(person, headers)
  await freshStep(person.user_id)
  const payload = { mfa_token, code: totp.code() }
  const reply = await sso.inject({ method: 'POST', url: '/api/v1/auth/mfa/verify', headers, payload })
  assert.equal(reply.statusCode, 200, reply.body)
  const { access_token, refresh_token, session_id } = reply.json()
  return { access_token, refresh_token, session_id, headers: { authorization: `Bearer ${access_token}` } }
}

describe('enrolling an authenticator app', () => {
  test('shows the seed once, and activates with a right code', async () => {
    const anna = await aUser()
    const begun = await enrol(anna.headers, { type: 'totp', name: 'Phone' })
    assert.equal(begun.statusCode, 201, begun.body)
    const { factor_id, secret, otpauth_uri, ...rest } = begun.json()
    assert.deepEqual(rest, { type: 'totp', name: 'Phone', expires_in: 600 })
    assert.match(secret, /^[A-Z2-7]{32}$/)
    assert.ok(otpauth_uri.startsWith('otpauth://totp/Lyceum:'))
    assert.equal(begun.headers['cache-control'], 'no-store')
    const { totp } = { totp: await addTotp(anna) }
    const seen = await list(anna.headers)
    assert.deepEqual(
      seen.items.map((item: { factor_id: string }) => item.factor_id),
      [totp.factor_id],
      'a new beginning of the same type ended the one before',
    )
    assert.deepEqual(Object.keys(seen.items[0]).toSorted(), [
      'activated_at',
      'created_at',
      'factor_id',
      'last_used_at',
      'name',
      'type',
    ])
    assert.ok(!JSON.stringify(seen).includes(totp.secret))
    assert.notEqual(factor_id, totp.factor_id)
  })

  test('spends the activation code', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    const { headers } = await homeSite()
    const { factor_id, secret } = (await enrol(anna.headers)).json()
    const { TOTP } = await import('otpauth')
    const code = new TOTP({ secret }).generate()
    assert.equal((await activate(anna.headers, factor_id, { code })).statusCode, 200)
    const { mfa_token } = await challenge(anna, headers)
    const payload = { mfa_token, code }
    const reply = await sso.inject({ method: 'POST', url: '/api/v1/auth/mfa/verify', headers, payload })
    assert.equal(reply.json().code, 'mfa_code_invalid')
  })

  test('stores the seed encrypted', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const { secret } = (await enrol(anna.headers)).json()
    const { Secret } = await import('otpauth')
    const { hex } = Secret.fromBase32(secret)
    const rows = await db.pool<{ row: string }[]>`
      select f::text as row from sso.mfa_factors f where user_id = ${anna.user_id}`
    assert.equal(rows.length, 1)
    assert.ok(!rows[0]?.row.toLowerCase().includes(hex.toLowerCase()))
    assert.ok(!rows[0]?.row.includes(secret))
  })

  test('succeeds for one of fifty concurrent activations', async () => {
    const anna = await aUser()
    const { factor_id, secret } = (await enrol(anna.headers)).json()
    const { TOTP } = await import('otpauth')
    const code = new TOTP({ secret }).generate()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => activate(anna.headers, factor_id, { code })),
    )
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    assert.deepEqual(
      [...new Set(replies.map((reply) => reply.statusCode))].filter(
        (status) => ![200, 404, 409].includes(status),
      ),
      [],
    )
    const again = await activate(anna.headers, factor_id, { code })
    assert.equal(again.statusCode, 409)
    assert.equal(again.json().code, 'factor_active')
  })

  test('allows five wrong codes and ten minutes', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const { factor_id, secret } = (await enrol(anna.headers)).json()
    const { TOTP } = await import('otpauth')
    const code = new TOTP({ secret }).generate()
    for (let guess = 0; guess < 5; guess++) {
      const reply = await activate(anna.headers, factor_id, { code: 'AAAAAA' })
      assert.equal(reply.statusCode, 422)
      assert.equal(reply.json().code, 'mfa_code_invalid')
    }
    assert.equal((await activate(anna.headers, factor_id, { code })).statusCode, 404)

    const late = (await enrol(anna.headers)).json()
    await db.pool`
      update sso.mfa_factors set created_at = clock_timestamp() - interval '10 minutes'
       where factor_id = ${late.factor_id}`
    const fresh = new TOTP({ secret: late.secret }).generate()
    assert.equal((await activate(anna.headers, late.factor_id, { code: fresh })).statusCode, 404)
    assert.equal((await list(anna.headers)).total, 0)
  })

  test('allows at most ten factors', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    for (let i = 0; i < 10; i++)
      await db.pool`
        insert into sso.mfa_factors (factor_id, user_id, type, secret_enc, activated_at)
        values (${newId()}, ${anna.user_id}, 'totp', '', clock_timestamp())`
    await db.pool`
      update sso.sessions set proven_methods = '{pwd,otp}' where session_id = ${anna.session_id}`
    const reply = await enrol(anna.headers)
    assert.equal(reply.statusCode, 409)
    assert.equal(reply.json().code, 'factor_limit')
  })

  for (const [name, body, status, field] of [
    ['no type', {}, 400, 'type'],
    ['an unknown type', { type: 'fax' }, 422, 'type'],
    ['a number with spaces', { type: 'sms', phone: '+49 30 123456' }, 422, 'phone'],
    ['a long name', { type: 'totp', name: 'x'.repeat(101) }, 422, 'name'],
    ['a number as password', { type: 'totp', password: 1 }, 422, 'password'],
  ] as const)
    test(`refuses ${name} with ${status}`, async () => {
      const reply = await enrol((await aUser()).headers, body)
      assert.equal(reply.statusCode, status)
      assert.equal(reply.json().errors[0].field, field)
    })

  test('answers 400 to activation without its code or answer', async () => {
    const anna = await aUser()
    const { factor_id } = (await enrol(anna.headers)).json()
    assert.equal((await activate(anna.headers, factor_id, {})).statusCode, 400)
    assert.equal((await activate(anna.headers, factor_id, { code: 5 })).statusCode, 422)
  })
})

describe('factors of somebody else', () => {
  test('answer like unknown and malformed ids and stay unchanged', async () => {
    const [anna, ben] = [await guarded(), await aUser()]
    const begun = (await enrol(anna.headers)).json()
    for (const act of [
      (id: string) => activate(ben.headers, id, { code: anna.totp.code() }),
      (id: string) => remove(ben.headers, id),
    ]) {
      const replies = []
      for (const id of [anna.totp.factor_id, begun.factor_id, newId(), 'x']) replies.push(await act(id))
      for (const reply of replies) {
        assert.equal(reply.statusCode, 404)
        assert.equal(withoutRequestId(reply), withoutRequestId(replies[2] ?? reply))
      }
    }
    assert.equal((await list(anna.headers)).total, 2)
    assert.equal((await list(ben.headers)).total, 0)
  })

  test('cannot be seen or removed by operators', async () => {
    const [anna, { firstRun, db }] = [await guarded(), await world()]
    const console = firstRun.sites['console']
    const [site] = await db.fast<{ tenant_id: string }[]>`
      select tenant_id from sso.sites where site_code = 'console'`
    assert.ok(console && site)
    const headers = { 'x-sso-site-key': console.site_key }
    const operator = await signIn(firstRun.admin, {
      at: { ...console, site_code: 'console', tenant_id: site.tenant_id, headers },
    })
    assert.equal((await remove(operator.headers, anna.totp.factor_id)).statusCode, 404)
  })
})

describe('without a token', () => {
  for (const [method, path] of [
    ['GET', '/factors'],
    ['POST', '/factors'],
    ['POST', `/factors/${newId()}/activate`],
    ['DELETE', `/factors/${newId()}`],
    ['POST', '/recovery-codes'],
  ] as const)
    test(`${method} ${path.replace(/[0-9a-f-]{36}/, '{factor_id}')} answers 401, also to a site key`, async () => {
      const payload = method === 'GET' ? undefined : {}
      assert.equal((await call(method, path, {}, payload)).statusCode, 401)
      assert.equal((await call(method, path, (await homeSite()).headers, payload)).statusCode, 401)
    })
})

describe('a change of factors more than fifteen minutes after signing in', () => {
  test('needs the password, and answers 403 instead of 401', async () => {
    const anna = await aUser()
    await age(anna)
    for (const body of [{}, { password: 'not the password' }]) {
      const reply = await enrol(anna.headers, { type: 'totp', ...body })
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
    }
    const reply = await enrol(anna.headers, { type: 'totp', password: anna.password })
    assert.equal(reply.statusCode, 201, reply.body)
  })

  test('needs the factor when one exists, not only the password', async () => {
    const anna = await guarded()
    await age(anna)
    for (const act of [
      (body: object) => enrol(anna.headers, { type: 'totp', ...body }),
      (body: object) => renew(anna.headers, body),
      (body: object) => remove(anna.headers, anna.totp.factor_id, body),
    ])
      for (const body of [{}, { password: 'not the password' }, { password: anna.password }]) {
        const reply = await act(body)
        assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
        assert.match(String(reply.headers['link']), /\/account\/confirm>/)
      }
  })

  test('needs no proof shortly before, but refuses a wrong password', async () => {
    const anna = await aUser()
    const { db } = await world()
    await db.pool`
      update sso.sessions set proven_at = clock_timestamp() - interval '14 minutes 55 seconds'
       where session_id = ${anna.session_id}`
    assert.equal((await enrol(anna.headers)).statusCode, 201)
    assert.equal((await enrol(anna.headers, { type: 'totp', password: 'wrong one' })).statusCode, 403)
  })

  test('is refused when the session ended since the check', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const { factor_id, secret } = (await enrol(anna.headers)).json()
    const reply = await overtaken(
      db,
      async (tx) => {
        await tx`select from sso.users where user_id = ${anna.user_id} for no key update`
        await tx`
          update sso.sessions set revoked_at = clock_timestamp(), revoke_reason = 'logout'
           where user_id = ${anna.user_id}`
      },
      () => activate(anna.headers, factor_id, { code: new TOTP({ secret }).generate() }),
    )
    assert.deepEqual([reply.statusCode, reply.json().code], [401, 'token_revoked'])
    assert.equal((await enrol(anna.headers)).statusCode, 401)
    const [kept] = await db.fast`select activated_at from sso.mfa_factors where user_id = ${anna.user_id}`
    assert.equal(kept?.['activated_at'], null)
  })

  test('does not become recent by a refresh', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    await age(anna)
    const refreshed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: (await homeSite()).headers,
      payload: { refresh_token: anna.refresh_token },
    })
    const headers = { authorization: `Bearer ${refreshed.json().access_token}` }
    assert.equal((await enrol(headers)).statusCode, 403)
  })
})

describe('removing a factor', () => {
  test('ends other sessions, kills access tokens, and notifies the person', async () => {
    const [anna, { db, sso }] = [await guarded(), await world()]
    const other = await signInAgain(anna)
    const asked = await challenge(anna, (await homeSite()).headers)
    assert.equal((await renew(anna.headers)).statusCode, 201)
    const waiting = await challenge(anna, (await homeSite()).headers)
    assert.ok(asked)
    assert.equal((await remove(anna.headers, anna.totp.factor_id)).statusCode, 204)

    for (const headers of [anna.headers, other.headers])
      assert.equal((await call('GET', '/factors', headers)).statusCode, 401)
    const rows = await db.fast<{ session_id: string; revoke_reason: string }[]>`
      select session_id, revoke_reason from sso.sessions
       where user_id = ${anna.user_id} and revoked_at is not null`
    assert.deepEqual([...rows], [{ session_id: other.session_id, revoke_reason: 'factor_removed' }])
    const refreshed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: (await homeSite()).headers,
      payload: { refresh_token: anna.refresh_token },
    })
    assert.equal(refreshed.statusCode, 200, 'the session it was done from lives on')

    const verify = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/mfa/verify',
      headers: (await homeSite()).headers,
      payload: { mfa_token: waiting.mfa_token, code: anna.totp.code() },
    })
    assert.equal(verify.json().code, 'mfa_token_invalid')
    const messages = await db.fast<{ kind: string; recipient: string }[]>`
      select kind, recipient from sso.messages
       where user_id = ${anna.user_id} and kind = 'factor_removed_notice'`
    assert.deepEqual([...messages], [{ kind: 'factor_removed_notice', recipient: anna.email }])
    await signIn(anna)
    assert.equal(
      (await db.fast`select from sso.recovery_codes where user_id = ${anna.user_id}`).length,
      0,
      'the codes went with the last factor',
    )
  })

  test('happens once for fifty concurrent calls and answers 404 afterwards', async () => {
    const anna = await guarded()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => remove(anna.headers, anna.totp.factor_id)),
    )
    const statuses = Map.groupBy(replies, (reply) => reply.statusCode)
    assert.equal(statuses.get(204)?.length, 1)
    assert.deepEqual(
      [...statuses.keys()].filter((status) => ![204, 401, 404].includes(status)),
      [],
    )
    const [{ headers }, { db }] = [await signIn(anna), await world()]
    assert.equal((await remove(headers, anna.totp.factor_id)).statusCode, 404)
    const mails = await db.fast`
      select from sso.messages where user_id = ${anna.user_id} and kind = 'factor_removed_notice'`
    assert.equal(mails.length, 1)
  })

  test('keeps the other factors and the recovery codes', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    await renew(anna.headers)
    const second = await addTotp(anna)
    assert.equal((await remove(anna.headers, anna.totp.factor_id)).statusCode, 204)
    const { mfa_methods } = await challenge(anna, (await homeSite()).headers)
    assert.deepEqual(mfa_methods, ['totp', 'recovery_code'])
    assert.equal((await db.fast`select from sso.recovery_codes where user_id = ${anna.user_id}`).length, 10)
    await signInAgain({ ...anna, totp: second })
  })

  test('ends nothing when the factor was not activated', async () => {
    const anna = await aUser()
    const { factor_id } = (await enrol(anna.headers)).json()
    assert.equal((await remove(anna.headers, factor_id)).statusCode, 204)
    assert.equal((await list(anna.headers)).total, 0)
  })
})

describe('recovery codes', () => {
  test('are ten of eighty bits, shown once, stored as HMAC', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const { codes } = (await renew(anna.headers)).json()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    assert.equal((await list(anna.headers)).recovery_codes_left, 10)
    const rows = await db.pool<{ code_hmac: Buffer }[]>`
      select code_hmac from sso.recovery_codes where user_id = ${anna.user_id}`
    assert.equal(rows.length, 10)
    const plain = new Set(
      codes.flatMap((code: string) => [
        sha256(code).toString('hex'),
        sha256(code.replaceAll('-', '')).toString('hex'),
      ]),
    )
    for (const { code_hmac } of rows) assert.ok(!plain.has(code_hmac.toString('hex')), 'a bare hash')
  })

  test('are invalid once there are new ones', async () => {
    const [anna, { sso }] = [await guarded(), await world()]
    const { headers } = await homeSite()
    const [old] = (await renew(anna.headers)).json().codes
    const [fresh] = (await renew(anna.headers)).json().codes
    const { mfa_token } = await challenge(anna, headers)
    const verify = (code: string) =>
      sso.inject({ method: 'POST', url: '/api/v1/auth/mfa/verify', headers, payload: { mfa_token, code } })
    assert.equal((await verify(old)).statusCode, 401)
    assert.equal((await verify(fresh)).statusCode, 200)
  })

  test('are ten after fifty concurrent renewals', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const replies = await Promise.all(Array.from({ length: 50 }, () => renew(anna.headers)))
    assert.deepEqual(new Set(replies.map((reply) => reply.statusCode)), new Set([201]))
    assert.equal((await db.fast`select from sso.recovery_codes where user_id = ${anna.user_id}`).length, 10)
  })

  test('need a factor', async () => {
    const reply = await renew((await aUser()).headers)
    assert.equal(reply.statusCode, 409)
    assert.equal(reply.json().code, 'mfa_not_enabled')
  })
})

describe('the visibility of a second factor', () => {
  test('siblings see only that the account has one', async () => {
    const [anna, ben, { identity }] = [await guarded(), await aUser(), await world()]
    const profiles = await identity.profiles(anna.tenant_id, [anna.user_id, ben.user_id])
    assert.deepEqual(
      new Map(profiles.map(({ user_id, mfa_enabled }) => [user_id, mfa_enabled])),
      new Map([
        [anna.user_id, true],
        [ben.user_id, false],
      ]),
    )
  })

  test('the audit log shows every change without secrets', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const { codes } = (await renew(anna.headers)).json()
    await remove(anna.headers, anna.totp.factor_id)
    const acts = await db.fast<{ action: string }[]>`
      select action, details from sso.audit_log
       where subject_user_id = ${anna.user_id} and action like 'mfa.%' order by audit_id`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['mfa.factor_added', 'mfa.recovery_codes_renewed', 'mfa.factor_removed'],
    )
    for (const secret of [anna.totp.secret, ...codes]) assert.ok(!JSON.stringify(acts).includes(secret))
  })
})

describe('a factor at a site of another tenant', () => {
  test('is required there too', async () => {
    const [anna, site] = [await guarded(), await aSite()]
    assert.deepEqual((await challenge(anna, site.headers)).mfa_methods, ['totp'])
  })
})
