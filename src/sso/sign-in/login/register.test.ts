import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { aSite, aUser, homeSite, nobody, signIn } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const fresh = () => `new-${randomBytes(6).toString('hex')}@example.org`

async function register(payload: object, headers?: Record<string, string>, url = '/api/v1/auth/register') {
  const { sso } = await world()
  return sso.inject({ method: 'POST', url, headers: headers ?? (await homeSite()).headers, payload })
}

describe('POST /api/v1/auth/register', () => {
  test('creates the account in the default role without signing in', async () => {
    const email = fresh()
    const reply = await register({
      email,
      password: 'battery staple 7',
      display_name: 'Zoë Weiß',
      username: `zoe.${email.slice(4, 12)}`,
      phone: '+4930123456',
      locale: 'pt-BR',
      time_zone: 'Europe/Berlin',
      metadata: { class: '7b', tags: ['a', 1, null] },
    })
    assert.equal(reply.statusCode, 201)
    assert.equal(reply.headers['cache-control'], 'no-store')
    const { user_id, user, ...rest } = reply.json()
    assert.deepEqual(rest, {})
    assert.equal(user.user_id, user_id)
    assert.equal(user.email, email)
    assert.equal(user.display_name, 'Zoë Weiß')
    assert.equal(user.email_verified, false)
    assert.deepEqual(user.metadata, { class: '7b', tags: ['a', 1, null] })
    assert.deepEqual(user.roles, [{ site_code: 'learning', role: 'USER' }])
    assert.equal(user.registration_source, 'register')
    assert.equal(user.last_login_at, null)
    assert.ok(!reply.body.includes('argon2'))
    const { db } = await world()
    assert.deepEqual([...(await db.fast`select from sso.sessions where user_id = ${user_id}`)], [])
  })

  test('answers under /v1 as well', async () => {
    assert.equal(
      (await register({ email: fresh(), password: 'battery staple 7' }, undefined, '/v1/auth/register'))
        .statusCode,
      201,
    )
  })

  test('gives an address to one of fifty in any spelling', async () => {
    const email = fresh()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        register({ email: i % 2 ? email : email.toUpperCase(), password: 'battery staple 7' }),
      ),
    )
    const codes = replies.map((reply) => reply.statusCode)
    assert.equal(codes.filter((code) => code === 201).length, 1)
    assert.equal(codes.filter((code) => code === 409).length, 49)
    assert.equal(replies.find((reply) => reply.statusCode === 409)?.json().code, 'email_taken')
    const { db } = await world()
    const rows = await db.fast`select from sso.users where email_fold = ${email}`
    assert.equal(rows.length, 1)
  })

  test('refuses a username differing in case, and stores nothing', async () => {
    const username = `u${randomBytes(5).toString('hex')}`
    await register({ email: fresh(), password: 'battery staple 7', username })
    const email = fresh()
    const reply = await register({ email, password: 'battery staple 7', username: username.toUpperCase() })
    assert.equal(reply.statusCode, 409)
    assert.equal(reply.json().code, 'username_taken')
    const { db } = await world()
    assert.equal((await db.fast`select from sso.users where email_fold = ${email}`).length, 0)
  })

  test('allows one address in both sandbox and production', async () => {
    const [email, sandbox] = [fresh(), await aSite({ environment: 'sandbox' })]
    const ours = await register({ email, password: 'battery staple 7' })
    const theirs = await register({ email, password: 'other staple 8' }, sandbox.headers)
    assert.deepEqual([ours.statusCode, theirs.statusCode], [201, 201])
    assert.notEqual(ours.json().user_id, theirs.json().user_id)
  })

  test('names every invalid field at once', async () => {
    const reply = await register({
      email: 'anna',
      password: 'short',
      display_name: 5,
      given_name: 'x'.repeat(201),
      phone: '030',
      locale: 'english',
      time_zone: 'Berlin',
      username: 'a b',
    })
    assert.equal(reply.statusCode, 422, reply.body)
    const { detail, errors } = reply.json()
    assert.deepEqual(
      errors
        .map(({ field, code, message }: Record<string, string>) => `${field} ${code}: ${message}`)
        .toSorted(),
      [
        'display_name wrong_type: must be text',
        'email invalid_email: must be an address such as name@example.org',
        'given_name too_long: must have at most 200 characters',
        'locale invalid_locale: must be a language tag such as pt-BR',
        'password too_short: must have at least 8 characters',
        'phone invalid_phone: must be a number such as +4930123456',
        'time_zone invalid_time_zone: must be a zone such as Europe/Berlin',
        'username invalid_username: must be 3 to 64 of A-Z a-z 0-9 . _ -',
      ],
    )
    assert.ok(
      errors.every(({ field, message }: Record<string, string>) => detail.includes(`${field}: ${message}`)),
    )
  })

  test('names a common password beside a malformed field', async () => {
    const reply = await register({ email: 'a@example.org', password: 'Password123', display_name: 5 })
    assert.deepEqual(
      reply
        .json()
        .errors.map(({ field }: { field: string }) => field)
        .toSorted(),
      ['display_name', 'password'],
    )
  })

  test('names invalid fields beside missing ones', async () => {
    const reply = await register({ password: 'Password123', locale: 'english' })
    assert.equal(reply.statusCode, 400)
    assert.deepEqual(
      reply
        .json()
        .errors.map(({ code }: { code: string }) => code)
        .toSorted(),
      ['invalid_locale', 'password_too_common', 'required'],
    )
  })

  for (const password of ['AnnaBlume1', 'anna.blume', 'Sunny Meadow School', 'sunny.meadow.school7'])
    test(`refuses a password from own names or the site: ${password}`, async () => {
      const { site_id } = await homeSite()
      const { db } = await world()
      const [{ name } = { name: '' }] = await db.pool<{ name: string }[]>`
        select name from sso.sites where site_id = ${site_id}`
      await db.pool`update sso.sites set name = 'Sunny Meadow School' where site_id = ${site_id}`
      try {
        const profile = { email: 'anna.blume@example.org', given_name: 'Anna', family_name: 'Blume' }
        const reply = await register({ ...profile, password })
        assert.deepEqual([reply.statusCode, reply.json().code], [422, 'password_is_personal'])
      } finally {
        await db.pool`update sso.sites set name = ${name} where site_id = ${site_id}`
      }
    })

  const good = { password: 'battery staple 7' }
  for (const [name, payload, status, code] of [
    ['no e-mail', { ...good }, 400, 'missing_field'],
    ['no password', { email: 'a@example.org' }, 400, 'missing_field'],
    ['a number as password', { email: 'a@example.org', password: 12345678 }, 422, 'validation'],
    ['a short password', { email: 'a@example.org', password: 'sevench' }, 422, 'validation'],
    [
      'a password of 129 characters',
      { email: 'a@example.org', password: 'x'.repeat(129) },
      422,
      'validation',
    ],
    ['a common password', { email: 'a@example.org', password: 'Password123' }, 422, 'password_too_common'],
    [
      'the e-mail as password',
      { email: 'anna.b@example.org', password: 'Anna.B@example.org' },
      422,
      'password_is_email',
    ],
    ['no address', { ...good, email: 'anna' }, 422, 'invalid_email'],
    ['a display form', { ...good, email: 'Anna <a@example.org>' }, 422, 'invalid_email'],
    ['a bad phone', { ...good, email: 'a@example.org', phone: '030 123' }, 422, 'invalid_phone'],
    ['a bad locale', { ...good, email: 'a@example.org', locale: 'english' }, 422, 'invalid_locale'],
    ['a bad zone', { ...good, email: 'a@example.org', time_zone: 'Berlin' }, 422, 'invalid_time_zone'],
    ['a bad username', { ...good, email: 'a@example.org', username: 'a b' }, 422, 'invalid_username'],
    ['a long name', { ...good, email: 'a@example.org', display_name: 'x'.repeat(201) }, 422, 'validation'],
    [
      'large metadata',
      { ...good, email: 'a@example.org', metadata: { a: 'x'.repeat(17_000) } },
      422,
      'too_long',
    ],
    ['a list as metadata', { ...good, email: 'a@example.org', metadata: [] }, 422, 'validation'],
    [
      'a NUL in a name',
      { ...good, email: 'a@example.org', display_name: 'a\u0000b' },
      422,
      'invalid_character',
    ],
    [
      'half a surrogate pair',
      { ...good, email: 'a@example.org', given_name: '\ud800' },
      422,
      'invalid_character',
    ],
    ['a list as body', [], 422, 'validation'],
  ] as const) {
    test(`refuses ${name} with ${status} ${code}`, async () => {
      const reply = await register(payload)
      assert.equal(reply.statusCode, status, reply.body)
      assert.equal(reply.json().code, code)
      assert.equal(typeof reply.json().detail, 'string')
    })
  }

  for (const text of [
    ' leading and trailing ',
    'tab\tand\nline',
    "Robert'); drop table sso.users;--",
    '<script>alert(1)</script>',
    '﷽',
    'ｅｖｉｌ',
    '\u202Eright to left',
    '👩‍👩‍👧‍👦🏳️‍🌈',
    'Ω≈ç√∫˜µ≤',
    '../../etc/passwd',
    '%00%0a',
    '${7*7}',
    'null',
    'NaN',
    '\u2028\u2029',
    '{"__proto__":1}',
    'e\u0301 é',
    '$1 :a ?',
    '\\x00\\',
    'I\u0307stanbul',
  ]) {
    test(`stores ${JSON.stringify(text)} unchanged`, async () => {
      const reply = await register({ ...good, email: fresh(), display_name: text, metadata: { text } })
      assert.equal(reply.statusCode, 201, reply.body)
      assert.equal(reply.json().user.display_name, text)
      assert.deepEqual(reply.json().user.metadata, { text })
    })
  }

  test('never assigns protected fields', async () => {
    const email = fresh()
    const reply = await register({
      ...good,
      email,
      status: 'suspended',
      role: 'ADMIN',
      email_verified: true,
      user_id: 'x',
    })
    assert.equal(reply.json().user.status, 'active')
    assert.equal(reply.json().user.email_verified, false)
    assert.deepEqual((await signIn({ email, ...good })).site_code, 'learning')
    assert.deepEqual(reply.json().user.roles, [{ site_code: 'learning', role: 'USER' }])
  })

  for (const [name, headers] of [
    ['no site key', {}],
    ['a key of the right form that nobody has', { 'x-sso-site-key': `sso_live_${'a'.repeat(49)}` }],
    ['a Bearer token instead of a key', { authorization: 'Bearer x' }],
  ] as const) {
    test(`needs a site key: ${name} is 401 and creates nothing`, async () => {
      const email = fresh()
      const reply = await register({ ...good, email }, { ...(await nobody()).headers, ...headers })
      assert.equal(reply.statusCode, 401)
      assert.ok(reply.headers['www-authenticate'])
      const { db } = await world()
      assert.equal((await db.fast`select from sso.users where email_fold = ${email}`).length, 0)
    })
  }
})

describe('account enumeration', () => {
  test('registering stops after ten answers, free addresses included', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '1000' } })
    const { headers } = await homeSite(lyceum)
    const { email } = await aUser({ lyceum })
    const ask = (address: string, remoteAddress: string) =>
      lyceum.sso.inject({
        method: 'POST',
        url: '/api/v1/auth/register',
        headers,
        remoteAddress,
        payload: { email: address, password: 'battery staple 7' },
      })
    const free = () => `free-${randomBytes(5).toString('hex')}@example.org`
    for (let n = 0; n < 10; n++) {
      assert.equal((await ask(free(), '192.0.2.1')).statusCode, 201)
      assert.equal((await ask(email, '192.0.2.1')).statusCode, 409)
    }
    for (const address of [email, free()]) {
      const refused = await ask(address, '192.0.2.1')
      assert.deepEqual([refused.statusCode, refused.json().code], [429, 'rate_limited'])
      // The limiter lets one above the ten through when the last five seconds were quiet.
      assert.ok(Number(refused.headers['retry-after']) >= 1)
    }
    assert.equal((await ask(email, '192.0.2.2')).statusCode, 409)
  })
})
