import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { PROFILE_FIELDS } from '../../core/profile.ts'

const unique = () => randomBytes(5).toString('hex')
const anAddress = () => `made-${unique()}@example.org`

async function create(payload: object, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ method: 'POST', url: '/api/v1/users', headers, payload })
}

/** What was written to a person, by kind and recipient. */
async function lettersTo(user_id: string) {
  const { db } = await world()
  const letters = await db.pool<{ kind: string; recipient: string; status: string }[]>`
    select kind, recipient, status from sso.messages where user_id = ${user_id} order by created_at, message_id`
  return [...letters]
}

describe('POST /api/v1/users', () => {
  test('creates an account with all given fields that can sign in', async () => {
    const admin = await anAdmin()
    const profile = {
      email: anAddress(),
      username: `u-${unique()}`,
      display_name: 'Anna Schmidt',
      given_name: 'Anna',
      family_name: 'Schmidt',
      phone: '+4930123456',
      locale: 'de-DE',
      time_zone: 'Europe/Berlin',
      avatar_url: 'https://example.org/a.png',
      metadata: { class: { name: '7b' } },
      external_id: 'pupil-1',
    }
    const password = `correct horse ${unique()}`
    const reply = await create({ ...profile, password, role: 'ADMIN' }, admin.headers)
    assert.equal(reply.statusCode, 201, reply.body)
    const user = reply.json()
    assert.deepEqual({ ...user, ...profile }, user)
    assert.deepEqual(user.roles, [{ site_code: admin.site_code, role: 'ADMIN' }])
    assert.equal(user.registration_source, 'admin')
    assert.equal(user.email_verified, false)
    assert.equal(user.member_status, 'active')
    assert.equal(reply.headers['etag'], '"1"')
    assert.ok(!reply.body.includes(password))
    assert.equal((await signIn({ email: profile.email, password }, { at: admin.site })).user_id, user.user_id)
    assert.deepEqual(
      (await lettersTo(user.user_id)).map(({ kind }) => kind),
      ['email_verification'],
    )
  })

  test('invites a person without password, who cannot sign in', async () => {
    const sandbox = await aSite({ environment: 'sandbox' })
    const email = anAddress()
    const { sso } = await world()
    const reply = await create({ email, site_code: sandbox.site_code }, sandbox.owner.headers)
    assert.equal(reply.statusCode, 201, reply.body)
    assert.deepEqual(await lettersTo(reply.json().user_id), [
      { kind: 'invitation', recipient: email, status: 'logged' },
    ])
    for (const password of ['', 'null', 'undefined'])
      assert.equal(
        (
          await sso.inject({
            method: 'POST',
            url: '/api/v1/auth/login',
            headers: sandbox.headers,
            payload: { email, password },
          })
        ).statusCode,
        401,
      )
  })

  test('needs the role ADMIN on a visible site', async () => {
    const [admin, other] = [await anAdmin(), await aSite()]
    const colleague = await aColleague(admin)
    const body = () => ({ email: anAddress() })
    assert.equal((await create(body(), {})).statusCode, 401)
    assert.equal((await create(body(), colleague.headers)).json().code, 'admin_required')
    assert.equal((await create(body(), colleague.headers)).statusCode, 403)
    assert.equal((await create({ ...body(), site_code: other.site_code }, admin.headers)).statusCode, 404)
    assert.equal((await create({ ...body(), site_code: 'no-such-site' }, admin.headers)).statusCode, 404)
  })

  for (const [what, fields, status, code] of [
    ['no e-mail', { email: undefined }, 400, 'required'],
    ['a wrong e-mail', { email: 'a@b' }, 422, 'invalid_email'],
    ['a number as name', { display_name: 5 }, 422, 'wrong_type'],
    ['a short password', { password: 'short' }, 422, 'too_short'],
    ['a common password', { password: 'password123' }, 422, 'password_too_common'],
    ['an unknown role', { role: 'EMPEROR' }, 422, 'unknown_role'],
    ['a long external_id', { external_id: 'x'.repeat(129) }, 422, 'too_long'],
    ['a script as avatar', { avatar_url: 'javascript:alert(1)' }, 422, 'invalid_url'],
    ['an avatar over http', { avatar_url: 'http://example.org/a.png' }, 422, 'invalid_url'],
    ['an avatar with a user', { avatar_url: 'https://a:b@example.org/' }, 422, 'invalid_url'],
    ['a list as metadata', { metadata: [] }, 422, 'wrong_type'],
  ] as const)
    test(`refuses ${what} with ${status} and creates nobody`, async () => {
      const admin = await anAdmin()
      const email = anAddress()
      const reply = await create({ email, ...fields }, admin.headers)
      assert.equal(reply.statusCode, status, reply.body)
      assert.equal(reply.json().errors[0].code, code)
      const { db } = await world()
      assert.deepEqual([...(await db.pool`select from sso.users where email = ${email}`)], [])
    })

  for (const field of ['email', ...PROFILE_FIELDS, 'external_id', 'password', 'role', 'site_code'])
    test(`refuses unstorable text in ${field}`, async () => {
      const admin = await anAdmin()
      for (const odd of ['\u0000', 'a\u0007b', 'abc\u007f', 'x\ud800y']) {
        const reply = await create({ email: anAddress(), [field]: `${odd}` }, admin.headers)
        assert.equal(reply.statusCode, 422, `${field} ${JSON.stringify(odd)}: ${reply.body}`)
      }
    })

  test('never assigns protected fields', async () => {
    const admin = await anAdmin()
    const forged = {
      user_id: '00000000-0000-7000-8000-000000000000',
      session_version: 99,
      version: 99,
      tenant_id: 'x',
      status: 'suspended',
      password_hash: '$argon2id$',
      registration_source: 'register',
      email_verified: true,
      phone_verified: true,
      mfa_enabled: true,
      environment: 'sandbox',
      roles: [{ site_code: 'console', role: 'ADMIN' }],
    }
    const user = (await create({ email: anAddress(), ...forged }, admin.headers)).json()
    for (const [field, value] of Object.entries(forged))
      assert.notDeepEqual(user[field], value, `${field} was assigned`)
    assert.equal(user.session_version, 1)
    assert.equal(user.status, 'active')
  })

  test('admits one of fifty per address, username and external_id', async () => {
    const admin = await anAdmin()
    const [email, username, external_id] = [anAddress(), `u-${unique()}`, unique()]
    for (const [same, code] of [
      [{ email }, 'email_taken'],
      [{ username }, 'username_taken'],
      [{ external_id }, 'external_id_taken'],
    ] as const) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => create({ email: anAddress(), ...same }, admin.headers)),
      )
      assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
      const others = replies.filter(({ statusCode }) => statusCode !== 201)
      assert.ok(others.every((reply) => reply.statusCode === 409 && reply.json().code === code))
    }
  })

  test('allows an external_id at another site', async () => {
    const [one, other] = [await anAdmin(), await anAdmin()]
    for (const admin of [one, other])
      assert.equal((await create({ email: anAddress(), external_id: 'same' }, admin.headers)).statusCode, 201)
  })

  test('allows a sandbox address in production', async () => {
    const sandbox = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: sandbox })
    const admin = await anAdmin()
    assert.equal((await create({ email: tester.email }, admin.headers)).statusCode, 201)
  })
})
