import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite, aUser, homeSite, type Person, signIn, type TestSite } from '#testing/people.ts'
import { buildWorld, type World, world } from '#testing/world.ts'

const { sso, db } = await world()

const post = (
  path: string,
  site: Pick<TestSite, 'headers'>,
  payload: object | string,
  type = 'application/json',
) =>
  sso.inject({
    method: 'POST',
    url: `/api/v1/auth/${path}`,
    headers: { ...site.headers, 'content-type': type },
    payload,
  })
const introspect = async (site: TestSite, body: object) => (await post('introspect', site, body)).json()
const isAlive = async ({ headers }: Person) =>
  (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode === 200
const FORM = 'application/x-www-form-urlencoded'

describe('the documents below /.well-known', () => {
  for (const path of ['', '/sandbox']) {
    test(`${path || '/'} publishes only RSA public keys, standby included`, async () => {
      const reply = await sso.inject({ url: `${path}/.well-known/jwks.json` })
      assert.equal(reply.statusCode, 200)
      const { keys } = reply.json()
      const [{ published }] = await db.fast<[{ published: string[] }]>`
        select array_agg(kid order by created_at, kid) as published from sso.signing_keys
         where environment = ${path ? 'sandbox' : 'production'} and state <> 'revoked'`
      assert.deepEqual(
        keys.map(({ kid }: { kid: string }) => kid),
        published,
      )
      for (const key of keys)
        assert.deepEqual(Object.keys(key).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    })

    for (const name of ['jwks.json', 'openid-configuration'])
      test(`${path}/.well-known/${name} is cached for five minutes with ETag`, async () => {
        const url = `${path}/.well-known/${name}`
        const { headers } = await sso.inject({ url })
        assert.equal(headers['cache-control'], 'public, max-age=300')
        const etag = String(headers['etag'])
        const ask = (known: string) => sso.inject({ url, headers: { 'if-none-match': known } })
        for (const known of [etag, `W/${etag}`, `"old", ${etag}`, '*']) {
          const unchanged = await ask(known)
          assert.deepEqual([unchanged.statusCode, unchanged.body], [304, ''])
          assert.equal(unchanged.headers['etag'], etag)
        }
        for (const stale of ['"old"', etag.slice(1, -1), '']) assert.equal((await ask(stale)).statusCode, 200)
      })
  }

  test('publish different keys per environment', async () => {
    const [a, b] = await Promise.all(
      ['', '/sandbox'].map((path) => sso.inject(`${path}/.well-known/jwks.json`)),
    )
    assert.notEqual(a?.json().keys[0].kid, b?.json().keys[0].kid)
    assert.notEqual(a?.headers['etag'], b?.headers['etag'])
  })

  for (const path of ['', '/sandbox'])
    test(`${path || '/'} names its issuer and existing endpoints only`, async () => {
      const metadata = (await sso.inject({ url: `${path}/.well-known/openid-configuration` })).json()
      const { claims_supported, scopes_supported, ...rest } = metadata
      assert.ok(claims_supported.includes('sub') && scopes_supported.includes('openid'))
      const at = (route: string) => `http://127.0.0.1:8064${route}`
      assert.deepEqual(rest, {
        issuer: at(path),
        jwks_uri: at(`${path}/.well-known/jwks.json`),
        authorization_endpoint: at('/openid/authorize'),
        token_endpoint: at('/openid/token'),
        userinfo_endpoint: at('/openid/userinfo'),
        end_session_endpoint: at('/openid/end-session'),
        introspection_endpoint: at('/api/v1/auth/introspect'),
        revocation_endpoint: at('/api/v1/auth/revoke'),
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        ui_locales_supported: ['en', 'de', 'es'],
      })
      for (const url of [
        metadata.authorization_endpoint,
        metadata.userinfo_endpoint,
        metadata.end_session_endpoint,
      ])
        assert.notEqual((await sso.inject(new URL(url).pathname)).statusCode, 404)
      assert.equal((await sso.inject({ method: 'POST', url: '/openid/token', payload: {} })).statusCode, 401)
      for (const url of [metadata.introspection_endpoint, metadata.revocation_endpoint])
        assert.equal((await sso.inject({ method: 'POST', url: new URL(url).pathname })).statusCode, 401)
    })
})

describe('POST /api/v1/auth/introspect', () => {
  test('describes a live token to its own site', async () => {
    const { owner, ...site } = await aSite()
    const { access_token, user_id, session_id, email } = await signIn(owner, { at: site })
    const answer = await introspect(site, { token: access_token })
    const { permissions, sv, iat, nbf, exp, jti, auth_time, ...rest } = answer
    assert.deepEqual(rest, {
      active: true,
      token_type: 'Bearer',
      sub: user_id,
      sid: session_id,
      email,
      role: 'ADMIN',
      site_id: site.site_id,
      site_code: site.site_code,
      tenant_id: site.tenant_id,
      iss: 'http://127.0.0.1:8064',
      aud: site.site_code,
      client_id: site.site_code,
      amr: ['pwd'],
      env: 'production',
    })
    assert.ok(permissions.includes('users:write') && typeof sv === 'number' && typeof jti === 'string')
    assert.ok(exp === iat + 1_800 && nbf === iat && auth_time <= iat)
  })

  test('accepts a form (RFC 7662)', async () => {
    const person = await aUser()
    const reply = await post(
      'introspect',
      await homeSite(),
      `token=${person.access_token}&token_type_hint=x`,
      FORM,
    )
    assert.equal(reply.json().sub, person.user_id)
    const twice = await post('introspect', await homeSite(), `token=a&token=b`, FORM)
    assert.equal(twice.statusCode, 400)
  })

  test('is the only route with a form', async () => {
    const reply = await post('login', await homeSite(), 'email=a@example.org&password=x', FORM)
    assert.equal(reply.statusCode, 415)
  })

  test('reveals only inactive for foreign, revoked and invalid tokens', async () => {
    const { owner, ...site } = await aSite()
    const stranger = await aUser()
    const gone = await signIn(owner, { at: site })
    await sso.inject({ method: 'DELETE', url: `/api/v1/sessions/${gone.session_id}`, headers: gone.headers })
    const { refresh_token, session_id } = await signIn(owner, { at: site })
    for (const body of [
      { token: 'nonsense' },
      { token: '' },
      { token: stranger.access_token },
      { token: gone.access_token },
      { token: refresh_token },
      { session_id },
    ])
      assert.deepEqual(await introspect(site, body), { active: false })
  })

  test('describes tokens of every site to first-party sites', async () => {
    const home = await homeSite()
    for (const environment of ['production', 'sandbox'] as const) {
      const { owner: _owner, ...site } = await aSite({ environment })
      const person = await aUser({ at: site })
      assert.equal((await introspect(home, { token: person.access_token })).sub, person.user_id)
      assert.equal((await introspect(home, { session_id: person.session_id })).env, environment)
    }
  })

  test('tells first-party sites at once that a session ended', async () => {
    const home = await homeSite()
    const person = await aUser()
    const { active, sub, sv, exp } = await introspect(home, { session_id: person.session_id })
    assert.deepEqual([active, sub, typeof sv, exp], [true, person.user_id, 'number', undefined])
    await sso.inject({
      method: 'DELETE',
      url: `/api/v1/sessions/${person.session_id}`,
      headers: person.headers,
    })
    assert.deepEqual(await introspect(home, { session_id: person.session_id }), { active: false })
    assert.deepEqual(await introspect(home, { token: person.access_token }), { active: false })
  })

  for (const [name, body, status] of [
    ['nothing', {}, 400],
    ['a token that is a number', { token: 1 }, 422],
    ['a session_id that is no id', { session_id: 'x' }, 422],
  ] as const)
    test(`answers ${status} to ${name}`, async () => {
      assert.equal((await post('introspect', await homeSite(), body)).statusCode, status)
    })

  for (const path of ['introspect', 'revoke'])
    test(`/auth/${path} needs a site key under both prefixes`, async () => {
      const { headers } = await homeSite()
      const ask = async (prefix: string, given: Record<string, string>) => {
        const url = `${prefix}/auth/${path}`
        return (await sso.inject({ method: 'POST', url, headers: given, payload: { token: 'x' } })).statusCode
      }
      const person = await aUser()
      assert.equal(await ask('/api/v1', {}), 401)
      assert.equal(await ask('/api/v1', person.headers), 401)
      assert.equal(await ask('/api/v1', headers), 200)
      assert.equal(await ask('/v1', headers), 200)
    })
})

describe('the limits of introspection and revocation', () => {
  const limited = () => buildWorld({ env: { SSO_RATE_LIMIT_SITE: '2', SSO_RATE_LIMIT_AUTH: '0' } })
  const call = (lyceum: World, path: string, { headers }: Pick<TestSite, 'headers'>) =>
    lyceum.sso.inject({ method: 'POST', url: `/api/v1/auth/${path}`, headers, payload: { token: 'x' } })

  test('allow a hundred times as many as other calls', async () => {
    const lyceum = await limited()
    const { owner: _owner, ...site } = await aSite({ lyceum })
    for (let i = 0; i < 200; i++) assert.equal((await call(lyceum, 'introspect', site)).statusCode, 200)
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(lyceum, 'introspect', site)))
    const refused = replies.find(({ statusCode }) => statusCode === 429)
    assert.equal(refused?.headers['ratelimit-policy'], '"introspect";q=200;w=60')
    assert.ok(Number(refused?.headers['retry-after']) >= 1)
    const revoked = await call(lyceum, 'revoke', site)
    assert.deepEqual(
      [revoked.statusCode, revoked.headers['ratelimit-policy']],
      [200, '"revoke";q=2;w=60'],
      'revoking has a bucket of its own',
    )
    const login = await call(lyceum, 'login', site)
    assert.equal(login.headers['ratelimit-policy'], '"site";q=2;w=60')
    assert.match(String(login.headers['ratelimit']), /r=1/)
  })

  test('stop a site that revokes too often', async () => {
    const lyceum = await limited()
    const { owner: _owner, ...site } = await aSite({ lyceum })
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await call(lyceum, 'revoke', site)).statusCode)
    assert.deepEqual([statuses.slice(0, 2), statuses.at(-1)], [[200, 200], 429])
  })

  test('do not apply to introspection by first-party sites', async () => {
    const lyceum = await limited()
    const home = await homeSite(lyceum)
    for (let i = 0; i < 250; i++) {
      const { statusCode, headers } = await call(lyceum, 'introspect', home)
      assert.deepEqual([statusCode, headers['ratelimit']], [200, undefined])
    }
  })
})

describe('POST /api/v1/auth/revoke', () => {
  for (const kind of ['refresh_token', 'access_token'] as const)
    test(`ends the session of the ${kind}; a repeat also answers 200`, async () => {
      const person = await aUser()
      const home = await homeSite()
      for (let times = 0; times < 2; times++) {
        const reply = await post('revoke', home, `token=${person[kind]}`, FORM)
        assert.deepEqual([reply.statusCode, reply.body], [200, '{}'])
        assert.equal(await isAlive(person), false)
      }
      const refreshed = await post('refresh', home, { refresh_token: person.refresh_token })
      assert.equal(refreshed.statusCode, 401)
      const [row] = await db.fast<{ session_version: number }[]>`
        select session_version from sso.users where user_id = ${person.user_id}`
      assert.equal(row?.session_version, 2)
    })

  test('accepts a spent refresh token of the session', async () => {
    const person = await aUser()
    const home = await homeSite()
    const { access_token } = (await post('refresh', home, { refresh_token: person.refresh_token })).json()
    assert.equal((await post('revoke', home, { token: person.refresh_token })).statusCode, 200)
    const headers = { authorization: `Bearer ${access_token}` }
    assert.equal((await sso.inject({ url: '/api/v1/sessions', headers })).statusCode, 401)
  })

  test('ignores foreign and invalid tokens with the same answer', async () => {
    const { owner: _owner, ...site } = await aSite()
    const person = await aUser()
    for (const token of [person.access_token, person.refresh_token, 'rt_nonsense', 'nonsense', '']) {
      const reply = await post('revoke', site, { token })
      assert.deepEqual([reply.statusCode, reply.body], [200, '{}'])
    }
    assert.equal(await isAlive(person), true)
  })

  test('answers 400 without a token', async () => {
    assert.equal((await post('revoke', await homeSite(), {})).statusCode, 400)
  })
})
