import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { type Claims, signToken } from '#foundation/security/access-tokens.ts'
import { ApiError } from '#foundation/errors.ts'
import { aSite, aUser, homeSite, type Person, signIn, type TestSite } from '#testing/people.ts'
import { type World, world } from '#testing/world.ts'
import { openKeyRing } from './key-ring.ts'
import { createTokens, type SigningSite } from './tokens.ts'

const lyceum = await world()
const { sso, db } = lyceum
const { tokens } = await toolsOf(lyceum)

async function toolsOf({ parts }: World) {
  const ring = await openKeyRing(parts)
  ring.close()
  return { ring, tokens: createTokens(parts, ring) }
}

const statusOf = async (access_token: string) => {
  const reply = await sso.inject({
    url: '/api/v1/sessions',
    headers: { authorization: `Bearer ${access_token}` },
  })
  return reply.statusCode === 200 ? 200 : `${reply.statusCode} ${reply.json().code}`
}

/** A site that signs as told, with a person on it. */
async function signing(token_signing: SigningSite['token_signing'], environment?: 'sandbox') {
  const { owner, ...site } = await aSite(environment ? { environment } : {})
  await db.pool`update sso.sites set token_signing = ${token_signing} where site_id = ${site.site_id}`
  const person = environment ? await aUser({ at: site }) : await signIn(owner, { at: site })
  return { site, person }
}

const jwks = async (path = '') =>
  createLocalJWKSet((await sso.inject({ url: `${path}/.well-known/jwks.json` })).json())

describe('the access token of a sign-in', () => {
  test('has exactly the documented claims, for 30 minutes', async () => {
    const { site, person } = await signing('HS256')
    const claims = decodeJwt<Claims>(person.access_token)
    const { iat, jti, auth_time, ...rest } = claims
    assert.ok(Math.abs(iat - Date.now() / 1_000) < 5 && Math.abs(auth_time - iat) < 5)
    assert.match(jti, /^[\w-]{22}\.[\w-]{22}$/)
    assert.deepEqual(rest, {
      sub: person.user_id,
      email: person.email,
      role: 'ADMIN',
      permissions: rest.permissions,
      site_code: site.site_code,
      tenant_id: site.tenant_id,
      iss: 'http://127.0.0.1:8064',
      aud: site.site_code,
      client_id: site.site_code,
      nbf: iat,
      exp: iat + 1_800,
      sid: person.session_id,
      sv: rest.sv,
      amr: ['pwd'],
      env: 'production',
    })
    assert.ok(rest.permissions.includes('users:write'))
    assert.deepEqual(decodeProtectedHeader(person.access_token), {
      alg: 'HS256',
      kid: `hs-${site.site_id}-1`,
      typ: 'at+jwt',
    })
    assert.equal(await statusOf(person.access_token), 200)
  })

  test('verifies with the jwt_secret of its own site only', async () => {
    const creator = await aUser()
    const [mine, other] = await Promise.all(
      ['mine', 'other'].map(async (name) => {
        const payload = { name, environment: 'production' }
        const url = '/api/v1/sites'
        return (await sso.inject({ method: 'POST', url, headers: creator.headers, payload })).json()
      }),
    )
    const at = { ...mine, headers: { 'x-sso-site-key': mine.site_key } } as TestSite
    const { access_token } = await signIn(creator, { at })
    await jwtVerify(access_token, Buffer.from(mine.jwt_secret, 'base64url'))
    await assert.rejects(jwtVerify(access_token, Buffer.from(other.jwt_secret, 'base64url')))
  })

  test('is RS256 on request and verifies with our JWKS', async () => {
    const { site, person } = await signing('RS256')
    const { payload } = await jwtVerify(person.access_token, await jwks(), {
      issuer: 'http://127.0.0.1:8064',
      audience: site.site_code,
      typ: 'at+jwt',
      algorithms: ['RS256'],
    })
    assert.equal(payload.sub, person.user_id)
    assert.equal(await statusOf(person.access_token), 200)
  })

  test('of a sandbox site has a separate issuer and key', async () => {
    const { person } = await signing('RS256', 'sandbox')
    const { payload } = await jwtVerify(person.access_token, await jwks('/sandbox'))
    assert.equal(payload.iss, 'http://127.0.0.1:8064/sandbox')
    assert.equal(payload['env'], 'sandbox')
    await assert.rejects(jwtVerify(person.access_token, await jwks()))
    assert.equal(await statusOf(person.access_token), 200)
  })

  test('dual gives equal twins, and one logout ends both', async () => {
    const { site } = await signing('dual')
    const someone = await aUser()
    const login = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: site.headers,
      payload: { email: someone.email, password: someone.password },
    })
    const { access_token, access_token_hs256, refresh_token } = login.json()
    assert.equal(decodeProtectedHeader(access_token).alg, 'RS256')
    assert.equal(decodeProtectedHeader(access_token_hs256).alg, 'HS256')
    assert.deepEqual(decodeJwt(access_token_hs256), decodeJwt(access_token))
    assert.deepEqual([await statusOf(access_token), await statusOf(access_token_hs256)], [200, 200])
    const out = { method: 'POST', url: '/api/v1/auth/logout', headers: site.headers } as const
    assert.equal((await sso.inject({ ...out, payload: { refresh_token } })).statusCode, 200)
    assert.deepEqual(
      [await statusOf(access_token), await statusOf(access_token_hs256)],
      ['401 token_revoked', '401 token_revoked'],
    )
  })
})

describe('a partner who signs with the jwt_secret of its own site', () => {
  /** A token as the partner can make it: any claim, the right key. */
  async function forged(person: Person, site: TestSite, changes: Partial<Claims>) {
    const claims = { ...decodeJwt<Claims>(person.access_token), ...changes }
    const [row] = await db.fast<SigningSite[]>`
      select site_id, site_code, tenant_id, environment, token_signing, hs_generation from sso.sites
       where site_id = ${site.site_id}`
    assert.ok(row)
    const secret = createSecretKey(Buffer.from(tokens.jwtSecret(row), 'base64url'))
    return signToken(claims, { kid: `hs-${site.site_id}-${row.hs_generation}`, alg: 'HS256', secret })
  }

  test('is accepted with the claims we issued', async () => {
    const { site, person } = await signing('HS256')
    assert.equal(await statusOf(await forged(person, site, {})), 200)
  })

  test('gains no role or permission by claiming it', async () => {
    const { site } = await signing('HS256')
    const person = await aUser({ at: site })
    const token = await forged(person, site, { role: 'ADMIN', permissions: ['users:write', 'site:manage'] })
    assert.equal(await statusOf(token), '401 token_invalid')
  })

  const lies: [string, (other: Person) => Partial<Claims>, string][] = [
    ['another person', ({ user_id }) => ({ sub: user_id }), '401 token_invalid'],
    ['the session of another site', ({ session_id }) => ({ sid: session_id }), '401 token_invalid'],
    [
      'person and session of another site',
      ({ user_id, session_id }) => ({ sub: user_id, sid: session_id }),
      '401 token_invalid',
    ],
    [
      'another site',
      ({ site_code }) => ({ site_code, aud: site_code, client_id: site_code }),
      '401 token_invalid',
    ],
    ['another tenant', ({ tenant_id }) => ({ tenant_id }), '401 token_invalid'],
    ['the other environment', () => ({ env: 'sandbox' }), '401 token_invalid'],
    ['a session_version to come', () => ({ sv: 2 }), '401 token_invalid'],
    ['a session that is no id', () => ({ sid: "' or true --" }), '401 token_invalid'],
    ['a session nobody has', () => ({ sid: '01890000-0000-7000-8000-000000000000' }), '401 token_invalid'],
  ]
  for (const [name, lie, status] of lies) {
    test(`is refused when claiming ${name}`, async () => {
      const { site, person } = await signing('HS256')
      const other = await aUser({ at: await homeSite() })
      assert.equal(await statusOf(await forged(person, site, lie(other))), status)
      assert.equal(await statusOf(person.access_token), 200)
    })
  }
})

describe('tokens against each other’s environment', () => {
  test('a kid of the other environment is refused', async () => {
    const { ring } = await toolsOf(lyceum)
    const live = await signing('RS256')
    const test = await signing('RS256', 'sandbox')
    for (const [{ person }, environment] of [
      [live, 'sandbox'],
      [test, 'production'],
    ] as const) {
      const { kid, privateKey } = ring.signer(environment)
      const token = await signToken(decodeJwt<Claims>(person.access_token), { kid, alg: 'RS256', privateKey })
      assert.equal(await statusOf(token), '401 token_invalid')
    }
  })
})

describe('tokens on several processes', () => {
  test('verifies at once on other processes, HS256 and RS256', async () => {
    const other = await toolsOf(lyceum)
    for (const mode of ['HS256', 'RS256'] as const) {
      const { person } = await signing(mode)
      const { claims } = await other.tokens.verify(person.access_token)
      assert.equal(claims.sub, person.user_id)
      assert.equal(
        await other.tokens.verify(person.access_token),
        await other.tokens.verify(person.access_token),
      )
    }
  })

  test('with an unknown kid or site is 401', async () => {
    const { person } = await signing('HS256')
    const [, payload, signature] = person.access_token.split('.')
    const header = { alg: 'HS256', kid: 'hs-01890000-0000-7000-8000-000000000000-1', typ: 'at+jwt' }
    const token = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`
    await assert.rejects(
      async () => tokens.verify(token),
      (error) => error instanceof ApiError && error.code === 'token_invalid',
    )
  })
})
