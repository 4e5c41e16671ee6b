import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { overtaken } from '#testing/locks.ts'
import {
  aColleague,
  anAdmin,
  anOperator,
  aSite,
  aUser,
  type Headers,
  homeSite,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { world } from '#testing/world.ts'

type Method = 'GET' | 'PATCH' | 'DELETE'

async function call(method: Method, site_id: string, headers: Headers, payload?: object) {
  const { sso } = await world()
  return sso.inject({ method, url: `/api/v1/sites/${site_id}`, headers, ...(payload && { payload }) })
}
const change = (site_id: string, payload: object, headers: Headers) =>
  call('PATCH', site_id, headers, payload)

async function refresh(refresh_token: string, at: TestSite) {
  const { sso } = await world()
  return sso.inject({
    method: 'POST',
    url: '/api/v1/auth/refresh',
    headers: at.headers,
    payload: { refresh_token },
  })
}
async function login(account: { email: string; password: string }, at: TestSite) {
  const { sso } = await world()
  const { email, password } = account
  return sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: at.headers,
    payload: { email, password },
  })
}
async function isSignedIn(headers: Headers) {
  const { sso } = await world()
  return (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode === 200
}
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

describe('a site', () => {
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    test(`only its ADMIN can ${method}: 401, 403, 404 otherwise`, async () => {
      const admin = await anAdmin()
      const { site_id } = admin.site
      const [member, stranger, outsider] = [await aColleague(admin), await anAdmin(), await aUser()]
      const payload = method === 'PATCH' ? { name: 'Taken over' } : undefined
      assert.equal((await call(method, site_id, {}, payload)).statusCode, 401)
      assert.equal((await call(method, site_id, admin.site.headers, payload)).statusCode, 401)
      const refused = await call(method, site_id, member.headers, payload)
      assert.deepEqual([refused.statusCode, refused.json().code], [403, 'admin_required'])
      for (const { headers } of [stranger, outsider]) {
        const foreign = await call(method, site_id, headers, payload)
        assert.equal(foreign.statusCode, 404)
        for (const id of [randomUUID(), 'x']) {
          const unknown = await call(method, id, headers, payload)
          assert.deepEqual(withoutId(unknown.body), withoutId(foreign.body))
        }
      }
      const seen = await call('GET', site_id, admin.headers)
      assert.deepEqual([seen.statusCode, seen.json().version], [200, 1])
    })

  test('is managed by its production owner, or the operator', async () => {
    const [sandbox, operator] = [await aSite({ environment: 'sandbox' }), await anOperator()]
    for (const { headers } of [sandbox.owner, operator]) {
      const seen = await call('GET', sandbox.site_id, headers)
      assert.deepEqual([seen.statusCode, seen.json().role], [200, 'ADMIN'])
    }
    assert.equal((await change(sandbox.site_id, { name: 'Ours' }, sandbox.owner.headers)).json().name, 'Ours')
  })

  test('is not managed by a suspended or former ADMIN', async () => {
    const { db } = await world()
    for (const lost of [{ suspended_at: new Date() }, { role: 'USER' }]) {
      const { owner, site_id } = await aSite()
      await db.pool`
        update sso.memberships set ${db.pool(lost)} where user_id = ${owner.user_id} and site_id = ${site_id}`
      const reply = await change(site_id, { name: 'Mine' }, owner.headers)
      assert.equal(reply.statusCode, 'role' in lost ? 403 : 404)
    }
  })
})

describe('PATCH /api/v1/sites/{site_id}', () => {
  test('refuses an ADMIN demoted while waiting', async () => {
    const [{ owner, site_id }, { db }] = [await aSite(), await world()]
    const reply = await overtaken(
      db,
      async (tx) => {
        await tx`select from sso.sites where site_id = ${site_id} for no key update`
        await tx`
          update sso.memberships set role = 'USER' where user_id = ${owner.user_id} and site_id = ${site_id}`
      },
      () => change(site_id, { name: 'Mine' }, owner.headers),
    )
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'admin_required'])
  })

  test('changes named fields, raises the version, keeps the rest', async () => {
    const admin = await anAdmin()
    const { site_id } = admin.site
    const before = (await call('GET', site_id, admin.headers)).json()
    const given = {
      name: 'Schule am See',
      domain: 'see.example.org',
      callback_url: 'https://see.example.org/back',
      token_signing: 'dual',
      refresh_reuse_policy: 'strict',
      retention_days: 30,
      session_max_days: 7,
    }
    const reply = await change(site_id, { ...given, version: 1 }, admin.headers)
    assert.equal(reply.statusCode, 200, reply.body)
    const after = reply.json()
    assert.deepEqual(after, { ...before, ...given, version: 2, updated_at: after.updated_at })
    assert.deepEqual((await call('GET', site_id, admin.headers)).json(), after)
    const cleared = await change(
      site_id,
      { callback_url: null, retention_days: null, session_max_days: null },
      admin.headers,
    )
    const { callback_url, retention_days, session_max_days, name, version } = cleared.json()
    assert.deepEqual([callback_url, retention_days, session_max_days], [null, null, null])
    assert.deepEqual([name, version], [given.name, 3])
  })

  test('changes nothing for equal values or unknown fields', async () => {
    const admin = await anAdmin()
    const { site_id } = admin.site
    const { name } = (await call('GET', site_id, admin.headers)).json()
    for (const payload of [
      {},
      { name },
      { site_code: 'other', plan: 'enterprise', is_first_party: true, role: 'USER' },
    ]) {
      const reply = await change(site_id, payload, admin.headers)
      assert.equal(reply.statusCode, 200)
      assert.deepEqual(
        [reply.json().version, reply.json().plan, reply.json().site_code],
        [1, 'starter', admin.site_code],
      )
    }
  })

  test('answers 409 to an outdated version, in body or If-Match', async () => {
    const admin = await anAdmin()
    const [{ sso }, { site_id }] = [await world(), admin.site]
    await change(site_id, { name: 'One' }, admin.headers)
    const stale = await change(site_id, { name: 'Two', version: 1 }, admin.headers)
    assert.deepEqual([stale.statusCode, stale.json().code], [409, 'version_conflict'])
    const url = `/api/v1/sites/${site_id}`
    for (const [tag, status] of [
      ['"1"', 409],
      ['two', 422],
      ['"1", W/"2"', 200],
    ] as const) {
      const headers = { ...admin.headers, 'if-match': tag }
      const reply = await sso.inject({ method: 'PATCH', url, headers, payload: { name: 'Three' } })
      assert.equal(reply.statusCode, status)
    }
  })

  test('accepts one of fifty with the same version', async () => {
    const admin = await anAdmin()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        change(admin.site.site_id, { name: `Name ${i}`, version: 1 }, admin.headers),
      ),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 409).length, 49)
  })

  test('is audited with the names of the fields', async () => {
    const [admin, { db }] = [await anAdmin(), await world()]
    await change(admin.site.site_id, { name: 'New', session_max_days: 3 }, admin.headers)
    const lines = await db.fast`
      select actor_user_id, details from sso.audit_log
       where site_id = ${admin.site.site_id} and action = 'site.changed'`
    assert.deepEqual(
      [...lines],
      [{ actor_user_id: admin.user_id, details: { changed: ['name', 'session_max_days'] } }],
    )
  })

  for (const [name, payload, code] of [
    ['an empty name', { name: '' }, 'validation'],
    ['no name', { name: null }, 'validation'],
    ['http in production', { callback_url: 'http://a.de/' }, 'https_required'],
    ['loopback in production', { callback_url: 'https://127.0.0.1/' }, 'https_required'],
    ['a script as callback', { callback_url: 'javascript:alert(1)' }, 'invalid_url'],
    ['a domain with a path', { domain: 'a.b/c' }, 'invalid_domain'],
    ['an unknown signing', { token_signing: 'none' }, 'validation'],
    ['an unknown policy', { refresh_reuse_policy: 'lax' }, 'validation'],
    ['zero days of age', { session_max_days: 0 }, 'validation'],
    ['eleven years of retention', { retention_days: 4_000 }, 'validation'],
    ['a version in words', { version: 'one' }, 'validation'],
  ] as const)
    test(`refuses ${name} with 422 ${code} and changes nothing`, async () => {
      const admin = await anAdmin()
      const reply = await change(
        admin.site.site_id,
        { refresh_reuse_policy: 'strict', ...payload },
        admin.headers,
      )
      assert.deepEqual([reply.statusCode, reply.json().code], [422, code], reply.body)
      const seen = (await call('GET', admin.site.site_id, admin.headers)).json()
      assert.deepEqual([seen.version, seen.refresh_reuse_policy], [1, 'tolerant'])
    })

  test('allows http and localhost on a sandbox site', async () => {
    const { owner, site_id } = await aSite({ environment: 'sandbox' })
    const reply = await change(site_id, { callback_url: 'http://localhost:3000/' }, owner.headers)
    assert.equal(reply.statusCode, 200)
  })

  test('sets the algorithm and maximum session age', async () => {
    const admin = await anAdmin()
    const session = await signIn(admin, { at: admin.site })
    await change(admin.site.site_id, { token_signing: 'dual', session_max_days: 2 }, admin.headers)
    const next = (await refresh(session.refresh_token, admin.site)).json()
    assert.ok(next.access_token_hs256)
    assert.equal(next.refresh_expires_in <= 2 * 86_400 && next.refresh_expires_in > 2 * 86_400 - 60, true)
    const fresh = (await login(admin, admin.site)).json()
    assert.equal(fresh.refresh_expires_in, 2 * 86_400)
    await change(admin.site.site_id, { session_max_days: null }, admin.headers)
    const later = (await refresh(next.refresh_token, admin.site)).json()
    assert.equal(later.refresh_expires_in, 2_592_000)
  })
})

describe('DELETE /api/v1/sites/{site_id}', () => {
  test('ends its key, sessions and tokens, and keeps accounts', async () => {
    const [admin, { db }] = [await anAdmin(), await world()]
    const member = await aColleague(admin)
    const elsewhere = await signIn(member)
    assert.equal((await call('DELETE', admin.site.site_id, admin.headers)).statusCode, 204)
    for (const { headers } of [admin, member, elsewhere]) assert.equal(await isSignedIn(headers), false)
    assert.equal((await login(member, admin.site)).statusCode, 401)
    assert.equal((await refresh(member.refresh_token, admin.site)).statusCode, 401)
    assert.equal((await refresh(elsewhere.refresh_token, await homeSite())).statusCode, 200)
    const states = await db.fast`
      select distinct revoke_reason from sso.sessions where site_id = ${admin.site.site_id}`
    assert.deepEqual([...states], [{ revoke_reason: 'site_deleted' }])
  })

  test('ends more sessions than fit one transaction', async () => {
    const [admin, { db }] = [await anAdmin(), await world()]
    const { site_id } = admin.site
    const member = await aColleague(admin)
    await db.pool`
      insert into sso.sessions (session_id, login_id, user_id, site_id, auth_methods, expires_at)
      select gen_random_uuid(), gen_random_uuid(), ${member.user_id}, ${site_id}, '{pwd}', now() + interval '1 day'
        from generate_series(1, 2500)`
    assert.equal((await call('DELETE', site_id, admin.headers)).statusCode, 204)
    const [left] = await db.fast`
      select count(*) filter (where revoked_at is null) as live, count(*) as total from sso.sessions
       where site_id = ${site_id}`
    assert.deepEqual(left, { live: 0, total: 2502 })
  })

  test('is final: 404, unlisted, and its code stays taken', async () => {
    const { owner, ...site } = await aSite()
    const { sso } = await world()
    assert.equal((await call('DELETE', site.site_id, owner.headers)).statusCode, 204)
    for (const method of ['GET', 'DELETE', 'PATCH'] as const)
      assert.equal(
        (await call(method, site.site_id, owner.headers, method === 'PATCH' ? {} : undefined)).statusCode,
        404,
      )
    const listed = await sso.inject({ url: '/api/v1/sites', headers: owner.headers })
    assert.ok(!listed.body.includes(site.site_id))
    const payload = { name: 'Again', site_code: site.site_code }
    const again = await sso.inject({ method: 'POST', url: '/api/v1/sites', headers: owner.headers, payload })
    assert.deepEqual([again.statusCode, again.json().code], [409, 'site_code_taken'])
  })

  test('happens once for fifty concurrent calls', async () => {
    const { owner, site_id } = await aSite()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call('DELETE', site_id, owner.headers)),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 204).length, 1)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 404).length, 49)
  })

  test('leaves no working token under concurrent sign-ins and refreshes', async () => {
    for (let round = 0; round < 10; round++) {
      const admin = await anAdmin()
      const people = await Promise.all(Array.from({ length: 4 }, () => aColleague(admin)))
      const [deleted, ...replies] = await Promise.all([
        call('DELETE', admin.site.site_id, admin.headers),
        ...people.map((person) => login(person, admin.site)),
        ...people.map((person) => refresh(person.refresh_token, admin.site)),
      ])
      assert.equal(deleted?.statusCode, 204)
      for (const reply of replies) {
        assert.ok([200, 401].includes(reply.statusCode), reply.body)
        if (reply.statusCode === 200)
          assert.equal(await isSignedIn({ authorization: `Bearer ${reply.json().access_token}` }), false)
      }
    }
  })

  test('refuses a site of the network', async () => {
    const [operator, home] = [await anOperator(), await homeSite()]
    const reply = await call('DELETE', home.site_id, operator.headers)
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'first_party_site'])
  })
})

describe('POST /api/v1/sites', () => {
  test('numbers a name that a hundred sites share', async () => {
    const [operator, { sso, db }] = [await anOperator(), await world()]
    const name = `Much used ${randomBytes(4).toString('hex')}`
    const create = async () =>
      sso.inject({ method: 'POST', url: '/api/v1/sites', headers: operator.headers, payload: { name } })
    const codes = new Set<string>()
    const replies = await Promise.all(Array.from({ length: 50 }, create))
    for (const reply of replies) codes.add(reply.json().site_code)
    assert.equal(codes.size, 50)
    const base = name.toLowerCase().replaceAll(' ', '-')
    await db.pool`
      insert into sso.sites (site_id, tenant_id, site_code, name, domain, environment, webhook_secret_enc)
      select gen_random_uuid(), (select tenant_id from sso.sites where site_code = ${base}), ${base} || '-' || n, ${name},
             'x', 'sandbox', '' from generate_series(51, 100) n`
    const next = await create()
    assert.equal(next.statusCode, 201)
    assert.match(next.json().site_code, new RegExp(`^${base}-\\d{5}$`))
  })
})
