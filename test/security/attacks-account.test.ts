import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { addTotp, challenge } from '#testing/mfa.ts'
import { aColleague, anAdmin, aSite, aUser, homeSite, type Person, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

/**
 * Attacks on an account with an insufficient token: one of a partner's site, or one whose session proved too little or
 * too long ago. Each attack once succeeded.
 */
const { sso, db } = await world()

const SSO = 'http://127.0.0.1:8064'
const fresh = () => `new-${randomBytes(5).toString('hex')}@example.org`

/** A person with a first-party session, and the same person signed in at a partner's site. */
async function aPersonAtAPartner() {
  const own = await aUser()
  const site = await aSite()
  return { own, site, there: await signIn(own, { at: site }) }
}

type Call = { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; url: string; payload?: object }
const call = (given: Call, { headers }: Pick<Person, 'headers'>) => sso.inject({ ...given, headers })

/** The parts of an account that an attack would change. */
async function stateOf({ user_id }: Person) {
  const [state] = await db.pool`
    select u.email, u.username, u.phone, u.password_hash, u.metadata, u.status,
           (select count(*)::int from sso.mfa_factors f where f.user_id = u.user_id) as factors,
           (select count(*)::int from sso.recovery_codes c where c.user_id = u.user_id) as codes,
           (select count(*)::int from sso.sites i join sso.tenants t using (tenant_id)
             where t.created_by = u.user_id and i.environment = 'production') as sites
      from sso.users u where u.user_id = ${user_id}`
  return state
}

/** Makes the proof of a session this many minutes older. */
const age = ({ session_id }: Person, minutes: number) => db.pool`
  update sso.sessions
     set auth_time = auth_time - make_interval(mins => ${minutes}), proven_at = proven_at - make_interval(mins => ${minutes})
   where session_id = ${session_id}`

describe("a partner takes over an account with a visitor's token", () => {
  const attacks: [wish: string, page: string, call: (person: Person) => Call][] = [
    [
      'changes the e-mail address',
      '/account/email',
      ({ user_id }) => ({ method: 'PATCH', url: `/api/v1/users/${user_id}`, payload: { email: fresh() } }),
    ],
    [
      'changes the user name',
      '/account',
      ({ user_id }) => ({
        method: 'PATCH',
        url: `/api/v1/users/${user_id}`,
        payload: { username: `u${randomBytes(5).toString('hex')}` },
      }),
    ],
    [
      'changes the phone number',
      '/account',
      ({ user_id }) => ({
        method: 'PATCH',
        url: `/api/v1/users/${user_id}`,
        payload: { phone: '+4930123456' },
      }),
    ],
    [
      'changes the shared metadata',
      '/account',
      ({ user_id }) => ({
        method: 'PATCH',
        url: `/api/v1/users/${user_id}`,
        payload: { metadata: { plan: 'gold' } },
      }),
    ],
    [
      'changes the password',
      '/account/password',
      ({ password }) => ({
        method: 'POST',
        url: '/api/v1/auth/password/change',
        payload: { current_password: password, new_password: 'another horse 77' },
      }),
    ],
    [
      'enrols a second factor',
      '/account',
      () => ({ method: 'POST', url: '/api/v1/mfa/factors', payload: { type: 'totp' } }),
    ],
    ['lists the second factors', '/account', () => ({ method: 'GET', url: '/api/v1/mfa/factors' })],
    [
      'makes recovery codes',
      '/account',
      () => ({ method: 'POST', url: '/api/v1/mfa/recovery-codes', payload: {} }),
    ],
    [
      'exports all data',
      '/account',
      ({ user_id }) => ({ method: 'GET', url: `/api/v1/users/${user_id}/export` }),
    ],
    [
      'erases the account',
      '/account/erase',
      ({ user_id }) => ({ method: 'DELETE', url: `/api/v1/users/${user_id}` }),
    ],
    [
      'registers a production site',
      '/account',
      () => ({ method: 'POST', url: '/api/v1/sites', payload: { name: 'Mine', environment: 'production' } }),
    ],
  ]
  for (const [wish, page, of] of attacks)
    test(`${wish}: 403 with the page that does it`, async () => {
      const { own, there } = await aPersonAtAPartner()
      const before = await stateOf(own)
      const reply = await call(of(there), there)
      assert.equal(reply.statusCode, 403, reply.body)
      assert.equal(reply.json().code, 'first_party_required')
      assert.equal(reply.headers['link'], `<${SSO}${page}>; rel="edit-form"`)
      assert.deepEqual(await stateOf(own), before)
    })

  test('cannot remove a factor', async () => {
    const { own, site } = await aPersonAtAPartner()
    const totp = await addTotp(own)
    const asked = await challenge(own, site.headers)
    const payload = { mfa_token: asked.mfa_token, code: totp.code() }
    const entered = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/mfa/verify',
      headers: site.headers,
      payload,
    })
    const headers = { authorization: `Bearer ${entered.json().access_token}` }
    for (const body of [{}, { password: own.password }]) {
      const url = `/api/v1/mfa/factors/${totp.factor_id}`
      const reply = await call({ method: 'DELETE', url, payload: body }, { headers })
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'first_party_required'])
    }
    assert.equal((await stateOf(own))?.['factors'], 1)
  })

  test('cannot move its own account as ADMIN of its site', async () => {
    const admin = await anAdmin()
    const url = `/api/v1/users/${admin.user_id}`
    for (const payload of [{ email: fresh() }, { metadata: { plan: 'gold' } }]) {
      const reply = await call({ method: 'PATCH', url, payload }, admin)
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'first_party_required'])
    }
  })

  test("cannot learn the person's other sites", async () => {
    const { there, site } = await aPersonAtAPartner()
    const here = [{ site_code: site.site_code, role: 'USER' }]
    const one = await call({ method: 'GET', url: `/api/v1/users/${there.user_id}` }, there)
    assert.deepEqual(one.json().roles, here)
    const list = await call({ method: 'GET', url: '/api/v1/users' }, there)
    assert.deepEqual(list.json().items[0].roles, here)
    const changed = await call(
      { method: 'PATCH', url: `/api/v1/users/${there.user_id}`, payload: { display_name: 'Anna' } },
      there,
    )
    assert.deepEqual([changed.statusCode, changed.json().roles], [200, here])
  })

  test('cannot see sessions at other sites', async () => {
    const { own, there } = await aPersonAtAPartner()
    const reply = await call({ method: 'GET', url: '/api/v1/sessions?status=all' }, there)
    const ids = reply.json().items.map(({ session_id }: { session_id: string }) => session_id)
    assert.deepEqual([reply.json().total, ids], [1, [there.session_id]])
    assert.ok(!reply.body.includes(own.session_id))
  })

  test('cannot end sessions at other sites', async () => {
    const { own, there } = await aPersonAtAPartner()
    const one = await call({ method: 'DELETE', url: `/api/v1/sessions/${own.session_id}` }, there)
    assert.equal(one.statusCode, 404, one.body)
    const all = await call({ method: 'DELETE', url: '/api/v1/sessions' }, there)
    assert.equal(all.statusCode, 204, all.body)
    const alive = await db.pool<{ session_id: string }[]>`
      select session_id from sso.sessions where user_id = ${own.user_id} and revoked_at is null`
    assert.deepEqual(
      alive.map(({ session_id }) => session_id),
      [own.session_id],
    )
  })
})

describe('a weakly proven session takes over the account', () => {
  const removal = (factor_id: string, payload = {}): Call => ({
    method: 'DELETE',
    url: `/api/v1/mfa/factors/${factor_id}`,
    payload,
  })

  test('a password-only session older than the factor cannot remove it', async () => {
    const anna = await aUser()
    const stolen = await signIn(anna)
    const totp = await addTotp(anna)
    for (const body of [{}, { password: anna.password }]) {
      const reply = await call(removal(totp.factor_id, body), stolen)
      assert.ok([401, 403].includes(reply.statusCode), reply.body)
    }
    assert.equal((await stateOf(anna))?.['factors'], 1)
  })

  test('an old session with password cannot remove the factor', async () => {
    const anna = await aUser()
    const totp = await addTotp(anna)
    await age(anna, 16)
    const reply = await call(removal(totp.factor_id, { password: anna.password }), anna)
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
    const codes = {
      method: 'POST',
      url: '/api/v1/mfa/recovery-codes',
      payload: { password: anna.password },
    } as const
    assert.equal((await call(codes, anna)).statusCode, 403)
    assert.deepEqual([(await stateOf(anna))?.['factors'], (await stateOf(anna))?.['codes']], [1, 0])
  })

  test('an old session with password cannot change the password', async () => {
    const anna = await aUser()
    await addTotp(anna)
    await age(anna, 16)
    const payload = { current_password: anna.password, new_password: 'another horse 77' }
    const reply = await call({ method: 'POST', url: '/api/v1/auth/password/change', payload }, anna)
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
  })

  test('a stolen access token cannot erase or rename the account', async () => {
    const anna = await aUser()
    await age(anna, 16)
    const url = `/api/v1/users/${anna.user_id}`
    const erased = await call({ method: 'DELETE', url }, anna)
    assert.deepEqual([erased.statusCode, erased.json().code], [403, 'reauthentication_required'])
    for (const payload of [{ username: `u${randomBytes(5).toString('hex')}` }, { phone: '+4930123456' }]) {
      const changed = await call({ method: 'PATCH', url, payload }, anna)
      assert.deepEqual([changed.statusCode, changed.json().code], [403, 'reauthentication_required'])
    }
    assert.equal((await stateOf(anna))?.['status'], 'active')
  })

  test('a session carried by cookie does not count as fresh', async () => {
    const anna = await aUser()
    const visitor = aVisitor()
    const there = `?return_to=${encodeURIComponent(`${SSO}/status`)}`
    await visitor.submit(`/sign-in${there}`, { name: anna.email, password: anna.password })
    await visitor.get(`/sign-in${there}&site_code=collections`)
    const token = visitor.jar.get('access_token')?.value ?? ''
    assert.equal(
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).site_code,
      'collections',
    )
    const headers = { authorization: `Bearer ${token}` }
    const reply = await call(
      { method: 'POST', url: '/api/v1/mfa/factors', payload: { type: 'totp' } },
      { headers },
    )
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
  })

  test('a session from a hosted code cannot remove factors', async () => {
    const admin = await anAdmin()
    const callback_url = 'https://partner.example.org/callback'
    await db.pool`update sso.sites set callback_url = ${callback_url} where site_id = ${admin.site.site_id}`
    const member = await aColleague(admin)
    const query = `?site_code=${admin.site.site_code}&return_to=${encodeURIComponent(callback_url)}`
    const left = await aVisitor().submit(`/sign-in${query}`, { name: admin.email, password: admin.password })
    const code = new URL(left.headers.location ?? '').searchParams.get('code')
    const entered = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/exchange',
      headers: admin.site.headers,
      payload: { code },
    })
    assert.equal(entered.statusCode, 200, entered.body)
    const headers = { authorization: `Bearer ${entered.json().access_token}` }
    const url = `/api/v1/users/${member.user_id}/mfa`
    const reply = await call({ method: 'DELETE', url, payload: {} }, { headers })
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
  })

  test('a session older than the first factor ends', async () => {
    const anna = await aUser()
    const stolen = await signIn(anna)
    await addTotp(anna)
    const reply = await call({ method: 'GET', url: '/api/v1/sessions' }, stolen)
    assert.equal(reply.statusCode, 401, reply.body)
    const refreshed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: (await homeSite()).headers,
      payload: { refresh_token: stolen.refresh_token },
    })
    assert.equal(refreshed.statusCode, 401, refreshed.body)
  })
})

describe('a fresh session moves the account to a foreign mailbox', () => {
  test('needs access to the new mailbox', async () => {
    const anna = await aUser()
    const email = fresh()
    const reply = await call(
      { method: 'PATCH', url: `/api/v1/users/${anna.user_id}`, payload: { email } },
      anna,
    )
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual([reply.json().email, reply.json().pending_email], [anna.email, email])
    assert.equal((await stateOf(anna))?.['email'], anna.email)
  })
})
