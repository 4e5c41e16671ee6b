import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { overtaken } from '#testing/locks.ts'
import { addTotp, challenge, freshStep, giveTotp, type Totp } from '#testing/mfa.ts'
import { aSite, aUser, homeSite, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'

async function verify(payload: object, headers?: Record<string, string>) {
  const { sso } = await world()
  const site = headers ?? (await homeSite()).headers
  return sso.inject({ method: 'POST', url: '/api/v1/auth/mfa/verify', headers: site, payload })
}
const ask = async (person: Person) => challenge(person, (await homeSite()).headers)

/** Somebody with an authenticator app. */
async function guarded(): Promise<Person & { totp: Totp }> {
  const person = await aUser()
  return { ...person, totp: await addTotp(person) }
}

/** Six digits that are no code of this minute. */
function wrongCode(totp: Totp): string {
  const near = new Set([-2, -1, 0, 1, 2].map((offset) => totp.code(offset)))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((six) => !near.has(six)) ?? ''
}

async function recoveryCodes({ headers }: Person): Promise<string[]> {
  const { sso } = await world()
  const reply = await sso.inject({ method: 'POST', url: '/api/v1/mfa/recovery-codes', headers, payload: {} })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().codes
}

describe('POST /api/v1/auth/login of a person with a second factor', () => {
  test('names the methods and returns no token, person or session', async () => {
    const [anna, { sso, db }] = [await guarded(), await world()]
    const before = await db.fast`select last_login_at from sso.users where user_id = ${anna.user_id}`
    const reply = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: (await homeSite()).headers,
      payload: { email: anna.email, password: anna.password },
    })
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['cache-control'], 'no-store')
    const { mfa_token, ...rest } = reply.json()
    assert.match(mfa_token, /^mfat_[\w-]{43}$/)
    assert.deepEqual(rest, { mfa_required: true, mfa_expires_in: 300, mfa_methods: ['totp'] })
    const sessions = await db.fast`select from sso.sessions where user_id = ${anna.user_id}`
    assert.equal(sessions.length, 1, 'only the one from before')
    const after = await db.fast`select last_login_at from sso.users where user_id = ${anna.user_id}`
    assert.deepEqual([...after], [...before])
  })

  test('ignores a factor that was not activated', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    await sso.inject({
      method: 'POST',
      url: '/api/v1/mfa/factors',
      headers: anna.headers,
      payload: { type: 'totp' },
    })
    const reply = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: (await homeSite()).headers,
      payload: { email: anna.email, password: anna.password },
    })
    assert.equal(reply.json().mfa_required, false)
  })

  test('refuses a suspended member without opening a challenge', async () => {
    const [anna, { sso, db }] = [await guarded(), await world()]
    await db.pool`update sso.memberships set suspended_at = clock_timestamp() where user_id = ${anna.user_id}`
    const reply = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: (await homeSite()).headers,
      payload: { email: anna.email, password: anna.password },
    })
    assert.equal(reply.statusCode, 401)
    assert.equal(reply.json().code, 'account_suspended')
    assert.equal((await db.fast`select from sso.mfa_challenges where user_id = ${anna.user_id}`).length, 0)
  })

  test('stores only the hash of the mfa_token', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const { mfa_token } = await ask(anna)
    const rows = await db.pool<{ row: string }[]>`
      select c::text as row from sso.mfa_challenges c where user_id = ${anna.user_id}`
    assert.equal(rows.length, 1)
    assert.ok(!JSON.stringify(rows).includes(mfa_token.slice(5)))
  })
})

describe('POST /api/v1/auth/mfa/verify', () => {
  test('opens the requested session and records its proof', async () => {
    const [anna, { sso }] = [await guarded(), await world()]
    const asked = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: (await homeSite()).headers,
      payload: { email: anna.email, password: anna.password, device_name: 'iPad 7' },
    })
    const reply = await verify({ mfa_token: asked.json().mfa_token, code: anna.totp.code() })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.headers['cache-control'], 'no-store')
    const { access_token, refresh_token, session_id, user, mfa_required } = reply.json()
    assert.equal(mfa_required, false)
    assert.match(refresh_token, /^rt_/)
    assert.equal(user.user_id, anna.user_id)
    const { amr, sid } = decodeJwt(access_token)
    assert.deepEqual([amr, sid], [['pwd', 'otp'], session_id])
    const list = await sso.inject({
      url: '/api/v1/sessions',
      headers: { authorization: `Bearer ${access_token}` },
    })
    const [session] = list.json().items
    assert.deepEqual(
      [session.session_id, session.device_name, session.auth_methods],
      [session_id, 'iPad 7', ['pwd', 'otp']],
    )
    assert.equal(user.last_login_at, session.created_at)
  })

  test('joins another site only after the right code', async () => {
    const [anna, site, { db }] = [await guarded(), await aSite(), await world()]
    const members = async () =>
      (
        await db.fast`select from sso.memberships where user_id = ${anna.user_id} and site_id = ${site.site_id}`
      ).length
    const { mfa_token } = await challenge(anna, site.headers)
    assert.equal(await members(), 0)
    assert.equal((await verify({ mfa_token, code: anna.totp.code() }, site.headers)).statusCode, 200)
    assert.equal(await members(), 1)
  })

  test('gives one of fifty right codes a session', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const { mfa_token } = await ask(anna)
    const code = anna.totp.code()
    const replies = await Promise.all(Array.from({ length: 50 }, () => verify({ mfa_token, code })))
    const statuses = Map.groupBy(replies, (reply) => reply.statusCode)
    assert.equal(statuses.get(200)?.length, 1)
    assert.deepEqual(
      [...statuses.keys()].filter((status) => ![200, 401, 429].includes(status)),
      [],
    )
    const sessions = await db.fast`select from sso.sessions where user_id = ${anna.user_id}`
    assert.equal(sessions.length, 2)
    await freshStep(anna.user_id)
    const again = await verify({ mfa_token: (await ask(anna)).mfa_token, code })
    assert.equal(again.statusCode, 200, 'those that lost were no guesses')
  })

  test('accepts a time step once across challenges, never an earlier', async () => {
    const anna = await guarded()
    const [first, second] = [await ask(anna), await ask(anna)]
    const code = anna.totp.code(1)
    assert.equal((await verify({ ...first, code })).statusCode, 200)
    for (const spent of [code, anna.totp.code(0)]) {
      const reply = await verify({ mfa_token: second.mfa_token, code: spent })
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.json().code, 'mfa_code_invalid')
    }
  })

  test('admits one of ten challenges with the same code', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(anna)))
    const code = anna.totp.code()
    const replies = await Promise.all(asked.map(({ mfa_token }) => verify({ mfa_token, code })))
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    const sessions = await db.fast`select from sso.sessions where user_id = ${anna.user_id}`
    assert.equal(sessions.length, 2)
  })

  test('voids the token with the fifth wrong code', async () => {
    const anna = await guarded()
    const { mfa_token } = await ask(anna)
    for (let guess = 0; guess < 5; guess++) {
      const reply = await verify({ mfa_token, code: wrongCode(anna.totp) })
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.json().code, 'mfa_code_invalid')
    }
    const reply = await verify({ mfa_token, code: anna.totp.code() })
    assert.equal(reply.statusCode, 401)
    assert.equal(reply.json().code, 'mfa_token_invalid')
  })

  test('checks at most five of fifty concurrent guesses', async () => {
    const anna = await guarded()
    const { mfa_token } = await ask(anna)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => verify({ mfa_token, code: wrongCode(anna.totp) })),
    )
    const judged = replies.filter((reply) => reply.json().code === 'mfa_code_invalid')
    assert.ok(judged.length <= 5, `${judged.length} guesses`)
    assert.equal((await verify({ mfa_token, code: anna.totp.code() })).statusCode, 401)
  })

  test('answers 429 after ten wrong codes, also with new tokens', async () => {
    const anna = await guarded()
    for (let round = 0; round < 2; round++) {
      const { mfa_token } = await ask(anna)
      for (let guess = 0; guess < 5; guess++)
        assert.equal((await verify({ mfa_token, code: wrongCode(anna.totp) })).statusCode, 401)
    }
    const reply = await verify({ mfa_token: (await ask(anna)).mfa_token, code: anna.totp.code() })
    assert.equal(reply.statusCode, 429)
    assert.equal(reply.json().code, 'too_many_attempts')
    assert.ok(Number(reply.headers['retry-after']) > 800)
    const ben = await guarded()
    assert.equal((await verify({ ...(await ask(ben)), code: ben.totp.code() })).statusCode, 200)
  })

  test('refuses expired tokens and those of other sites or environments', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const [site, sandbox] = [await aSite(), await aSite({ environment: 'sandbox' })]
    const code = anna.totp.code()
    const { mfa_token } = await ask(anna)
    for (const headers of [site.headers, sandbox.headers]) {
      const reply = await verify({ mfa_token, code }, headers)
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.json().code, 'mfa_token_invalid')
    }
    await db.pool`
      update sso.mfa_challenges set expires_at = clock_timestamp() - interval '1 second' where user_id = ${anna.user_id}`
    assert.equal((await verify({ mfa_token, code })).json().code, 'mfa_token_invalid')
    await db.pool`
      update sso.mfa_challenges set expires_at = clock_timestamp() + interval '1 second'
       where user_id = ${anna.user_id}`
    assert.equal((await verify({ mfa_token, code })).statusCode, 200)
    assert.equal((await verify({ mfa_token, code })).json().code, 'mfa_token_invalid', 'spent')
  })

  test('keeps factors of the two environments apart', async () => {
    const sandbox = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: sandbox })
    const totp = await giveTotp(tester)
    const { mfa_token } = await challenge(tester, sandbox.headers)
    assert.equal((await verify({ mfa_token, code: totp.code() })).statusCode, 401)
    assert.equal((await verify({ mfa_token, code: totp.code() }, sandbox.headers)).statusCode, 200)
  })

  for (const [name, form] of [
    ['a blank', (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['a hyphen', (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ['blanks around it', (code: string) => ` ${code}\n`],
  ] as const)
    test(`accepts a code of the app with ${name}`, async () => {
      const { totp, ...anna } = await guarded()
      const reply = await verify({ ...(await ask(anna)), code: form(totp.code()) })
      assert.equal(reply.statusCode, 200, reply.body)
    })

  test('accepts a recovery code once, in any copied form', async () => {
    const anna = await guarded()
    const [first = '', second = ''] = await recoveryCodes(anna)
    const asked = await ask(anna)
    assert.deepEqual(asked.mfa_methods, ['totp', 'recovery_code'])
    const reply = await verify({ ...asked, code: ` ${first.toLowerCase().replaceAll('-', ' ')}` })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(decodeJwt(reply.json().access_token)['amr'], ['pwd', 'recovery'])
    const again = await verify({ ...(await ask(anna)), code: first })
    assert.equal(again.json().code, 'mfa_code_invalid')

    const twice = await Promise.all([ask(anna), ask(anna)])
    const replies = await Promise.all(twice.map(({ mfa_token }) => verify({ mfa_token, code: second })))
    assert.deepEqual(new Set(replies.map((one) => one.statusCode)), new Set([200, 401]))
  })

  test('opens one session for five right codes, spending one', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const codes = await recoveryCodes(anna)
    const { mfa_token } = await ask(anna)
    const replies = await Promise.all(codes.slice(0, 5).map((code) => verify({ mfa_token, code })))
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    assert.equal((await db.fast`select from sso.sessions where user_id = ${anna.user_id}`).length, 2)
    const left = await db.fast`
      select from sso.recovery_codes where user_id = ${anna.user_id} and used_at is null`
    assert.equal(left.length, 9)
  })

  test('refuses the recovery code of somebody else', async () => {
    const [anna, ben] = [await guarded(), await guarded()]
    const [code] = await recoveryCodes(anna)
    await recoveryCodes(ben)
    assert.equal((await verify({ ...(await ask(ben)), code })).json().code, 'mfa_code_invalid')
    assert.equal((await verify({ ...(await ask(anna)), code })).statusCode, 200)
  })

  test('refunds a guess or recovery code that came too late', async () => {
    const anna = await guarded()
    const [code = ''] = await recoveryCodes(anna)
    const asked = await ask(anna)
    assert.equal((await verify({ ...asked, code: wrongCode(anna.totp) })).statusCode, 401)
    assert.equal((await verify({ ...asked, code: anna.totp.code() })).statusCode, 200)
    assert.equal((await verify({ ...asked, code })).json().code, 'mfa_token_invalid')
    assert.equal((await verify({ ...(await ask(anna)), code })).statusCode, 200)
  })

  test('accepts codes only for their own, existing method', async () => {
    const anna = await guarded()
    const { mfa_token } = await ask(anna)
    for (const method of ['recovery_code', 'email'])
      assert.equal(
        (await verify({ mfa_token, code: anna.totp.code(), method })).json().code,
        'mfa_code_invalid',
      )
    assert.equal((await verify({ mfa_token, code: anna.totp.code(), method: 'totp' })).statusCode, 200)
  })

  for (const [name, change, code] of [
    ['the challenges of the person are deleted', 'delete', 'mfa_token_invalid'],
    ['the account is suspended', 'suspend', 'mfa_token_invalid'],
    ['the membership is suspended', 'suspend member', 'account_suspended'],
  ] as const)
    test(`opens nothing when ${name} while waiting`, async () => {
      const [anna, { db }] = [await guarded(), await world()]
      const { mfa_token } = await ask(anna)
      const reply = await overtaken(
        db,
        async (tx) => {
          await tx`select from sso.users where user_id = ${anna.user_id} for no key update`
          if (change === 'delete') await deleteChallenges(tx, anna.user_id)
          else if (change === 'suspend')
            await tx`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
          else
            await tx`update sso.memberships set suspended_at = clock_timestamp() where user_id = ${anna.user_id}`
        },
        () => verify({ mfa_token, code: anna.totp.code() }),
      )
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.json().code, code)
      assert.equal((await db.fast`select from sso.sessions where user_id = ${anna.user_id}`).length, 1)
    })

  for (const [name, payload, status, code] of [
    ['no token', { code: '123456' }, 400, 'missing_field'],
    ['neither code nor credential', { mfa_token: 'mfat_x' }, 400, 'missing_field'],
    ['a number as code', { mfa_token: 'mfat_x', code: 123456 }, 422, 'validation'],
    ['an unknown method', { mfa_token: 'mfat_x', code: '123456', method: 'fax' }, 422, 'validation'],
    ['a text as credential', { mfa_token: 'mfat_x', credential: 'x' }, 422, 'validation'],
    ['a token nobody was given', { mfa_token: 'mfat_x', code: '123456' }, 401, 'mfa_token_invalid'],
  ] as const)
    test(`refuses ${name} with ${status}`, async () => {
      const reply = await verify(payload)
      assert.equal(reply.statusCode, status)
      assert.equal(reply.json().code, code)
    })

  test('needs a site key, not a Bearer token', async () => {
    const anna = await guarded()
    const { mfa_token } = await ask(anna)
    for (const headers of [{}, anna.headers])
      assert.equal((await verify({ mfa_token, code: anna.totp.code() }, headers)).statusCode, 401)
  })

  test('audits question, failure and success without the code', async () => {
    const [anna, { db }] = [await guarded(), await world()]
    const { mfa_token } = await ask(anna)
    const wrong = wrongCode(anna.totp)
    await verify({ mfa_token, code: wrong })
    await verify({ mfa_token, code: anna.totp.code() })
    const acts = await db.fast<{ action: string; details: object }[]>`
      select action, details from sso.audit_log
       where subject_user_id = ${anna.user_id} and action like 'login.%' order by audit_id`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['login.succeeded', 'login.second_factor_asked', 'login.second_factor_failed', 'login.succeeded'],
    )
    assert.ok(!JSON.stringify(acts).includes(wrong))
  })
})
