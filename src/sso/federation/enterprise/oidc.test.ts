import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import {
  aConnection,
  aPlannedSite,
  aWalker,
  exchange,
  HOME,
  listeningWorld,
  unique,
  verifiedDomain,
} from '#testing/enterprise.ts'
import { giveTotp } from '#testing/mfa.ts'
import { tokenFor } from '#testing/mail.ts'
import { startOidcIdp } from '#testing/oidc-idp.ts'
import { aUser } from '#testing/people.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { createTold } from '../../core/told/told.ts'
import type { SsoParts } from '../../core/parts.ts'
import { purposeOf } from '../../sign-in/consent/purpose.ts'
import { admit } from './admit.ts'
import { requireProvider } from './provider.ts'

const lyceum = await listeningWorld()
const { sso, db, address } = lyceum

async function aSchool({
  site: given,
  ...more
}: { site?: Awaited<ReturnType<typeof aPlannedSite>> } & Record<string, unknown> = {}) {
  const site = given ?? (await aPlannedSite(lyceum))
  const idp = await startOidcIdp()
  const client = { client_id: 'lyceum', client_secret: `secret-${unique()}` }
  const connection = await aConnection(lyceum, site, { type: 'oidc', issuer: idp.issuer, ...client, ...more })
  idp.serve({ ...client, ...connection })
  const person = {
    sub: `p-${unique()}`,
    email: `zoe-${unique()}@school.example`,
    email_verified: true,
    name: 'Zoë Ñ',
  }
  idp.state.person = person
  const start = `${address}/sso/${connection.connection_id}/start`
  return { site, idp, connection, client, start, person, id: connection.connection_id }
}
type School = Awaited<ReturnType<typeof aSchool>>

const isCallback = ({ pathname }: URL) => pathname.startsWith('/sso/oidc/callback/')
const isAtIdp = (school: School) => (url: URL) => url.href.startsWith(`${school.idp.issuer}/auth`)

/** Signs the school's person in. */
async function enter(school: School) {
  const { url } = await aWalker().walk(school.start)
  assert.ok(url.href.startsWith(`${HOME}?code=code_`), url.href)
  const { status, body } = await exchange(lyceum, school.site, url)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const statusOf = async (access_token: string) =>
  (await sso.inject({ url: '/api/v1/sessions', headers: { authorization: `Bearer ${access_token}` } }))
    .statusCode

/** What a program sees. */
async function ask(url: string) {
  const response = await fetch(url, { redirect: 'manual' })
  return {
    status: response.status,
    body: (await response.json()) as Record<string, string>,
    headers: response.headers,
  }
}

describe('a sign-in at an OpenID provider', () => {
  test('creates the account, then finds it again, with a code', async () => {
    const school = await aSchool()
    const { url } = await aWalker().walk(school.start)
    assert.ok(url.href.startsWith(`${HOME}?code=code_`), url.href)
    const first = await exchange(lyceum, school.site, url)
    assert.equal(first.status, 200)
    const { user } = first.body
    assert.deepEqual(
      [user.email, user.display_name, user.registration_source, user.email_verified, user.roles],
      [school.person.email, 'Zoë Ñ', 'sso_jit', false, [{ site_code: school.site.site_code, role: 'USER' }]],
    )
    assert.deepEqual(decodeJwt(first.body.access_token)['amr'], ['sso'])
    const again = await enter(school)
    assert.equal(again.user.user_id, user.user_id)
    assert.notEqual(again.session_id, first.body.session_id)
    assert.equal((await exchange(lyceum, school.site, url)).status, 401)
  })

  test('opens the account that the directory of the connection made, and no other with that address', async () => {
    const school = await aSchool()
    const { site, id, person } = school
    await verifiedDomain(lyceum, site, id, 'school.example')
    const made = await sso.inject({
      method: 'POST',
      url: `/api/v1/sites/${site.site_id}/connections/${id}/scim-tokens`,
      headers: site.owner.headers,
      payload: { name: 'Directory' },
    })
    const provision = (userName: string) =>
      sso.inject({
        method: 'POST',
        url: `/scim/v2/${id}/Users`,
        headers: { authorization: `Bearer ${made.json().token}` },
        payload: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName },
      })
    const provisioned = await provision(person.email)
    assert.equal(provisioned.statusCode, 201, provisioned.body)
    assert.equal((await enter(school)).user.user_id, provisioned.json().id)
    // Whoever made this account knows its password.
    const squatter = await aUser({ at: site, lyceum })
    const email = `eva-${unique()}@school.example`
    await db.pool`update sso.users set email = ${email}, email_fold = ${email} where user_id = ${squatter.user_id}`
    assert.equal((await provision(email)).statusCode, 201)
    school.idp.state.person = { ...person, sub: `p-${unique()}`, email }
    const { body } = await aWalker().walk(school.start)
    assert.match(body, /is not known to be yours/)
  })

  test('sets first-party cookies and returns to the wanted page', async () => {
    const school = await aSchool()
    await db.pool`update sso.sites set is_first_party = true where site_id = ${school.site.site_id}`
    const walker = aWalker()
    const target = `${address}/sign-in/done?x=1`
    const { url, status } = await walker.walk(
      `${school.start}?${new URLSearchParams({ return_to: target }).toString()}`,
    )
    assert.deepEqual([url.href, status], [target, 200])
    assert.equal(await statusOf(decodeURIComponent(walker.jar.get('access_token')?.value ?? '')), 200)
    assert.ok(walker.jar.get('sso_refresh'))
  })

  test('asks for our second factor where one exists', async () => {
    const school = await aSchool()
    const { user } = await enter(school)
    await giveTotp(user, lyceum)
    const { url, status, body } = await aWalker().walk(school.start)
    assert.deepEqual([url.pathname, status], ['/sign-in/mfa', 200])
    assert.match(body, /Confirm that it is you/)
  })

  test('returns to the OpenID client that started it', async () => {
    const school = await aSchool()
    const made = await sso.inject({
      method: 'PUT',
      url: `/api/v1/sites/${school.site.site_id}/openid-client`,
      headers: school.site.owner.headers,
      payload: { redirect_uris: [`${HOME}/cb`] },
    })
    assert.equal(made.statusCode, 201, made.body)
    const query = new URLSearchParams({
      client_id: school.site.site_code,
      redirect_uri: `${HOME}/cb`,
      response_type: 'code',
      scope: 'openid',
      state: 's1',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const walker = aWalker()
    const page = await walker.walk(`${address}/openid/authorize?${query.toString()}`)
    const link = new RegExp(`href="(/sso/${school.id}/start[^"]+)"`)
      .exec(page.body)?.[1]
      ?.replaceAll('&amp;', '&')
    assert.ok(link, page.body)
    const { url } = await walker.walk(`${address}${link}`)
    assert.ok(url.href.startsWith(`${HOME}/cb?code=`), url.href)
    assert.equal(url.searchParams.get('state'), 's1')
  })

  test('creates one account for fifty concurrent first sign-ins', async () => {
    const school = await aSchool()
    const visits = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const walker = aWalker()
        return { walker, back: (await walker.walk(school.start, isCallback)).url }
      }),
    )
    const ends = await Promise.all(visits.map(async ({ walker, back }) => (await walker.walk(back.href)).url))
    assert.deepEqual([...new Set(ends.map(({ pathname }) => pathname))], ['/partner'])
    const [count] = await db.pool<{ people: number; identities: number }[]>`
      select count(distinct u.user_id) as people, count(distinct i.identity_id) as identities
        from sso.users u left join sso.identities i using (user_id) where u.email = ${school.person.email}`
    assert.deepEqual(count, { people: 1, identities: 1 })
  })

  test('answers one of fifty requests to the same callback', async () => {
    const school = await aSchool()
    const walker = aWalker()
    const { url } = await walker.walk(school.start, isCallback)
    const replies = await Promise.all(Array.from({ length: 50 }, () => walker.request(url)))
    const statuses = replies.map(({ response }) => response.status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [303, ...Array.from({ length: 49 }, () => 401)])
  })
})

describe('an attack on a sign-in at an OpenID provider', () => {
  test('is refused in another browser and leaves the real one working', async () => {
    const school = await aSchool()
    const walker = aWalker()
    const { url } = await walker.walk(school.start, isCallback)
    const other = aWalker()
    await other.walk(school.start, isAtIdp(school))
    for (const thief of [aWalker(), other]) assert.equal((await thief.request(url)).response.status, 401)
    assert.ok((await walker.walk(url.href)).url.href.startsWith(HOME))
  })

  const changes: [string, (url: URL) => void][] = [
    ['another state', (url) => url.searchParams.set('state', 'x'.repeat(43))],
    ['no state', (url) => url.searchParams.delete('state')],
    ['a code of somebody else', (url) => url.searchParams.set('code', 'x'.repeat(43))],
    [
      'the issuer of another provider (RFC 9207)',
      (url) => url.searchParams.set('iss', 'https://other.example.org'),
    ],
    [
      'an error in place of a code',
      (url) => [url.searchParams.delete('code'), url.searchParams.set('error', 'access_denied')],
    ],
  ]
  for (const [what, change] of changes)
    test(`is refused with ${what}`, async () => {
      const school = await aSchool()
      const walker = aWalker()
      const { url } = await walker.walk(school.start, isCallback)
      change(url)
      const { response, body } = await walker.request(url)
      assert.deepEqual([response.status, body.includes('code_')], [401, false])
      assert.match(body, /Try again/)
    })

  for (const name of ['nonce', 'code_challenge'])
    test(`is refused when the ${name} was changed on the way`, async () => {
      const school = await aSchool()
      const walker = aWalker()
      const { url } = await walker.walk(school.start, isAtIdp(school))
      url.searchParams.set(name, 'a'.repeat(43))
      assert.equal((await walker.walk(url.href)).status, 401)
    })

  test('refuses an answer of another provider (mix-up)', async () => {
    const [honest, evil] = [await aSchool(), await aSchool()]
    const walker = aWalker()
    const [a, b] = [
      (await walker.walk(honest.start, isCallback)).url,
      (await walker.walk(evil.start, isCallback)).url,
    ]
    const crossed = new URL(b)
    crossed.search = a.search
    assert.equal((await walker.request(crossed)).response.status, 401)
    const [stateOfEvil, codeOfHonest] = [new URL(b), a.searchParams.get('code') ?? '']
    stateOfEvil.searchParams.set('code', codeOfHonest)
    assert.equal((await walker.request(stateOfEvil)).response.status, 401)
    // It was never shown to the evil provider's token address as one it could redeem.
    assert.ok((await walker.walk(a.href)).url.href.startsWith(HOME))
  })

  test('never redirects to an address the site does not own', async () => {
    const school = await aSchool()
    for (const return_to of [
      'https://evil.example.org/',
      '//evil.example.org',
      'http://127.0.0.1:39999@evil.example.org/',
      'javascript:alert(1)',
      `${HOME}/deep`,
    ]) {
      const { status, headers } = await ask(
        `${school.start}?${new URLSearchParams({ return_to }).toString()}`,
      )
      assert.deepEqual([status, headers.get('location')], [400, null], return_to)
    }
    await db.pool`update sso.sites set return_urls = ${[`${HOME}/deep`]} where site_id = ${school.site.site_id}`
    const { url } = await aWalker().walk(
      `${school.start}?${new URLSearchParams({ return_to: `${HOME}/deep?x=1` }).toString()}`,
    )
    assert.ok(url.href.startsWith(`${HOME}/deep?x=1&code=`), url.href)
  })

  const now = () => Math.floor(Date.now() / 1_000)
  const tokens: [string, (school: School, good: Record<string, unknown>) => Promise<string>, number][] = [
    ['is signed by the provider and right', ({ idp }, good) => idp.sign(good), 303],
    ['names another issuer', ({ idp }, good) => idp.sign({ ...good, iss: 'https://other.example.org' }), 401],
    ['is for another client', ({ idp }, good) => idp.sign({ ...good, aud: 'other' }), 401],
    [
      'is for another client beside us, in its name',
      ({ idp }, good) => idp.sign({ ...good, aud: ['lyceum', 'other'], azp: 'other' }),
      401,
    ],
    ['has expired', ({ idp }, good) => idp.sign({ ...good, iat: now() - 900, exp: now() - 300 }), 401],
    ['carries no nonce', ({ idp }, good) => idp.sign({ ...good, nonce: undefined }), 401],
    [
      'names somebody by what no database keeps',
      ({ idp, person }, good) => idp.sign({ ...good, sub: (person.sub = 'a\u0000b') }),
      401,
    ],
    [
      'names somebody by half a character',
      ({ idp, person }, good) => idp.sign({ ...good, sub: (person.sub = 'a\ud800') }),
      401,
    ],
    [
      'names somebody by a book',
      ({ idp, person }, good) => idp.sign({ ...good, sub: (person.sub = unique().repeat(200)) }),
      401,
    ],
    ['names nobody', ({ idp }, good) => idp.sign({ ...good, sub: undefined }), 401],
    [
      'is not signed',
      async (_, good) =>
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(good)).toString('base64url')}.`,
      401,
    ],
    [
      'is signed with the client secret',
      ({ client }, good) =>
        new SignJWT(good)
          .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
          .sign(Buffer.from(client.client_secret)),
      401,
    ],
    ['is signed by another key', async (_, good) => (await startOidcIdp()).sign(good), 401],
  ]
  for (const [what, make, expected] of tokens)
    test(`${expected === 303 ? 'accepts' : 'refuses'} an ID token that ${what}`, async () => {
      const school = await aSchool()
      const walker = aWalker()
      const { url } = await walker.walk(school.start, isAtIdp(school))
      const good = {
        iss: school.idp.issuer,
        aud: 'lyceum',
        sub: school.person.sub,
        email: school.person.email,
        iat: now(),
        exp: now() + 300,
        nonce: url.searchParams.get('nonce'),
      }
      const id_token = await make(school, good)
      school.idp.state.fault = (request, response) => {
        const answers: Record<string, object> = {
          '/token': { access_token: 'x', token_type: 'Bearer', id_token },
          '/me': { sub: school.person.sub },
        }
        const answer = answers[request.url ?? '']
        if (answer)
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
        return answer !== undefined
      }
      const back = new URL(school.connection.redirect_uri)
      back.search = new URLSearchParams({
        code: 'c',
        state: url.searchParams.get('state') ?? '',
        iss: school.idp.issuer,
      }).toString()
      assert.equal((await walker.request(back)).response.status, expected)
    })
})

describe('an unreachable provider', () => {
  test('answers 502 with a retry link and leaves local users alone', async () => {
    const school = await aSchool()
    await school.idp.close()
    const { status, body, headers } = await ask(school.start)
    assert.deepEqual(
      [status, body['code'], body['request_id']],
      [502, 'idp_unreachable', headers.get('x-request-id')],
    )
    const page = await aWalker().walk(
      `${school.start}?${new URLSearchParams({ return_to: `${HOME}?deep=1` }).toString()}`,
    )
    assert.equal(page.status, 502)
    assert.match(page.body, new RegExp(`href="/sso/${school.id}/start\\?return_to=[^"]+">Try again`))
    await aUser({ lyceum, at: school.site })
  })

  test('is served from a day-old description and keys', async () => {
    const school = await aSchool()
    await enter(school)
    await db.pool`update sso.connection_documents set fetched_at = fetched_at - interval '23 hours' where connection_id = ${school.id}`
    school.idp.state.fault = (request, response) => {
      const isDown = /well-known|jwks/.test(request.url ?? '')
      if (isDown) response.writeHead(503).end()
      return isDown
    }
    await enter(school)
    await db.pool`update sso.connection_documents set fetched_at = fetched_at - interval '2 hours' where connection_id = ${school.id}`
    assert.equal((await aWalker().walk(school.start)).status, 502)
  })

  test('answers 502 within five seconds, then at once', async () => {
    const school = await aSchool()
    school.idp.state.fault = () => true
    const times = await Promise.all(
      [1, 2, 3].map(async () => {
        const began = performance.now()
        assert.equal((await ask(school.start)).status, 502)
        return performance.now() - began
      }),
    )
    assert.ok(
      times.every((ms) => ms < 5_000),
      times.join(),
    )
    school.idp.state.paths = []
    const { status } = await ask(school.start)
    assert.deepEqual([status, school.idp.state.paths], [502, []])
  })

  test('answers 502 for a failing token address, 401 for nonsense', async () => {
    const school = await aSchool()
    const failsWith = (status: number) => {
      school.idp.state.fault = (request, response) => {
        if (request.url !== '/token') return false
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
        return true
      }
    }
    for (const [upstream, ours] of [
      [500, 502],
      [429, 502],
      [400, 401],
      [200, 401],
    ] as const) {
      failsWith(upstream)
      assert.equal((await aWalker().walk(school.start)).status, ours, String(upstream))
    }
    school.idp.state.fault = undefined
    await enter(school)
  })
})

describe('an address with an existing account', () => {
  const cases: [string, { proven: boolean; domain: boolean; vouched: boolean }, boolean][] = [
    ['is linked when all three vouch for it', { proven: true, domain: true, vouched: true }, true],
    ['is not linked when we never proved it', { proven: false, domain: true, vouched: true }, false],
    ["is not linked when the domain is nobody's", { proven: true, domain: false, vouched: true }, false],
    [
      'is not linked when the provider does not vouch for it',
      { proven: true, domain: true, vouched: false },
      false,
    ],
  ]
  for (const [what, { proven, domain, vouched }, isLinked] of cases)
    test(what, async () => {
      const school = await aSchool()
      const ben = await aUser({ lyceum, at: school.site })
      if (proven)
        await db.pool`update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${ben.user_id}`
      if (domain) await verifiedDomain(lyceum, school.site, school.id, 'example.org')
      school.idp.state.person = { sub: 'ben', email: ben.email.toUpperCase(), email_verified: vouched }
      const { url, status, body } = await aWalker().walk(school.start)
      const { total } = (
        await db.pool<{ total: number }[]>`
        select count(*) as total from sso.identities where user_id = ${ben.user_id}`
      )[0] ?? { total: -1 }
      assert.equal(total, isLinked ? 1 : 0)
      if (!isLinked) return assert.deepEqual([status, body.includes('already')], [409, true])
      assert.equal((await exchange(lyceum, school.site, url)).body.user.user_id, ben.user_id)
    })

  test('stays with the first of two issuers naming it', async () => {
    const first = await aSchool()
    const second = await aSchool({ site: first.site })
    const { user } = await enter(first)
    second.idp.state.person = { ...first.person }
    assert.equal((await aWalker().walk(second.start)).status, 409)
    second.idp.state.person = { ...first.person, email: `other-${unique()}@school.example` }
    assert.notEqual((await enter(second)).user.user_id, user.user_id)
  })
})

describe('a person from a provider', () => {
  test('gets and loses roles by groups, except the last ADMIN', async () => {
    const school = await aSchool({
      role_attribute: 'groups',
      role_mapping: [{ value: 'staff', role: 'ADMIN' }],
    })
    const roleOf = ({ user }: { user: { roles: { role: string }[] } }) => user.roles[0]?.role
    school.idp.state.person = { ...school.person, groups: ['pupils', 'staff'] }
    const staff = await enter(school)
    assert.equal(roleOf(staff), 'ADMIN')
    school.idp.state.person = { ...school.person, groups: ['pupils'] }
    assert.equal(roleOf(await enter(school)), 'USER')
    assert.equal(await statusOf(staff.access_token), 401)
    school.idp.state.person = { ...school.person, groups: ['staff'] }
    await enter(school)
    await db.pool`update sso.memberships set role = 'USER' where site_id = ${school.site.site_id} and user_id = ${school.site.owner.user_id}`
    school.idp.state.person = { ...school.person, groups: [] }
    assert.equal(roleOf(await enter(school)), 'ADMIN')
  })

  test('is refused when suspended, without address or without plan', async () => {
    const school = await aSchool()
    const { user } = await enter(school)
    await db.pool`update sso.memberships set suspended_at = clock_timestamp() where user_id = ${user.user_id}`
    assert.equal((await aWalker().walk(school.start)).status, 401)
    await db.pool`update sso.memberships set suspended_at = null where user_id = ${user.user_id}`
    await db.pool`update sso.users set status = 'suspended' where user_id = ${user.user_id}`
    assert.equal((await aWalker().walk(school.start)).status, 401)
    school.idp.state.person = { sub: `q-${unique()}` }
    assert.equal((await aWalker().walk(school.start)).status, 401)
    school.idp.state.person = { sub: `r-${unique()}`, email: `r-${unique()}@school.example` }
    const walker = aWalker()
    const { url } = await walker.walk(school.start, isCallback)
    await db.pool`update sso.sites set plan = 'starter' where site_id = ${school.site.site_id}`
    assert.equal((await walker.request(url)).response.status, 403)
    assert.equal((await ask(school.start)).body['code'], 'plan_required')
  })

  test('is not found again after an erasure', async () => {
    const school = await aSchool()
    const { user } = await enter(school)
    const { headers } = school.site.owner
    const gone = await sso.inject({ method: 'DELETE', url: `/api/v1/users/${user.user_id}`, headers })
    assert.equal(gone.statusCode, 204, gone.body)
    assert.equal((await db.pool`select from sso.identities where user_id = ${user.user_id}`).count, 0)
    assert.notEqual((await enter(school)).user.user_id, user.user_id)
  })
})

describe('a reset of the password', () => {
  test('removes identities linked before the address was proven (pre-hijacking)', async () => {
    const school = await aSchool()
    const { user } = await enter(school)
    const { headers } = school.site
    const post = (path: string, payload: object) =>
      sso.inject({ method: 'POST', url: `/api/v1/auth/${path}`, headers, payload })
    await post('password/forgot', { email: user.email })
    const token = await tokenFor(user.email, 'password_reset', lyceum)
    const done = await post('password/reset', { token, password: 'the owner takes it over' })
    assert.equal(done.statusCode, 204, done.body)
    assert.equal((await db.pool`select from sso.identities where user_id = ${user.user_id}`).count, 0)
    assert.equal((await aWalker().walk(school.start)).status, 409)
  })
})

describe('a logout token of the provider', () => {
  const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
  const goodOf = ({ idp, person }: School, more: object = {}) => ({
    iss: idp.issuer,
    aud: 'lyceum',
    sub: person.sub,
    iat: Math.floor(Date.now() / 1_000),
    jti: unique(),
    events: { [EVENT]: {} },
    ...more,
  })
  const tell = async ({ connection }: School, logout_token: string) =>
    (
      await fetch(connection.backchannel_logout_uri, {
        method: 'POST',
        body: new URLSearchParams({ logout_token }),
      })
    ).status

  test('ends the sessions of its identity once and tells their site', async () => {
    const school = await aSchool()
    const told = await sso.inject({
      method: 'POST',
      url: '/api/v1/webhooks',
      headers: school.site.owner.headers,
      payload: { webhook_url: 'http://127.0.0.1:39998/hook', site_code: school.site.site_code },
    })
    assert.equal(told.statusCode, 201, told.body)
    const [one, two] = [await enter(school), await enter(school)]
    const token = await school.idp.sign(goodOf(school), 'logout+jwt')
    assert.equal(await tell(school, token), 200)
    assert.deepEqual([await statusOf(one.access_token), await statusOf(two.access_token)], [401, 401])
    const facts = await db.pool<{ event_type: string }[]>`
      select distinct event_type from sso.webhook_facts where subject_user_id = ${one.user.user_id} order by 1`
    assert.deepEqual(
      facts.map(({ event_type }) => event_type),
      ['back_channel_logout', 'session.created', 'session.revoked', 'user.created'],
    )
    const later = await enter(school)
    assert.equal(await tell(school, token), 200)
    assert.equal(await statusOf(later.access_token), 200)
  })

  test('ends only the session it names', async () => {
    const school = await aSchool()
    const [one, two] = [await enter(school), await enter(school)]
    const [named] = await db.pool<{ idp_session: string }[]>`
      select l.idp_session from sso.identity_sign_ins l join sso.sessions s using (login_id)
       where s.session_id = ${one.session_id}`
    assert.ok(named?.idp_session)
    const { sub: _, ...claims } = goodOf(school, { sid: named.idp_session })
    assert.equal(await tell(school, await school.idp.sign(claims)), 200)
    const states = await db.pool<{ is_over: boolean }[]>`
      select revoked_at is not null as is_over from sso.sessions
       where session_id = any(${[one.session_id, two.session_id]}) order by session_id = ${two.session_id}`
    assert.deepEqual(
      states.map(({ is_over }) => is_over),
      [true, false],
    )
  })

  test('ends nothing when invalid', async () => {
    const school = await aSchool()
    const { access_token } = await enter(school)
    const other = await startOidcIdp()
    const good = goodOf(school)
    const bad = [
      await other.sign(good),
      await school.idp.sign({ ...good, aud: 'x' }),
      await school.idp.sign({ ...good, iss: 'x' }),
      await school.idp.sign({ ...good, events: {} }),
      await school.idp.sign({ ...good, nonce: 'n' }),
      await school.idp.sign({ ...good, sub: 'a\u0000b' }),
      await school.idp.sign({ ...good, sid: 'a\u0000b' }),
      await school.idp.sign({ ...good, iat: good.iat - 3_600 }),
      await school.idp.sign({ ...good, sub: undefined }),
      'x',
    ]
    for (const token of bad) assert.equal(await tell(school, token), 400, token)
    assert.equal(await statusOf(access_token), 200)
  })
})

test('a first enterprise sign-in bills a production site once', async () => {
  const billed = async (environment: 'sandbox' | 'production') => {
    const site = await aPlannedSite(lyceum, { environment })
    const connection = await aConnection(lyceum, site, {
      type: 'oidc',
      issuer: 'https://idp.example.org',
      client_id: 'lyceum',
      client_secret: 'x',
    })
    const provider = await requireProvider(db, connection.connection_id)
    const told = createTold(lyceum.parts, lyceum.parts.limits.limiter('sso'))
    const parts = { ...lyceum.parts, gate: lyceum.gate, told } as SsoParts
    const proof = {
      issuer: 'https://idp.example.org',
      subject: `p-${unique()}`,
      attributes: { email: [`zoe-${unique()}@school.example`] },
      idp_session: null,
    }
    const [seen] = await db.pool<Site[]>`
      select site_id, site_code, tenant_id, environment, is_first_party, trust_client_ip from sso.sites
       where site_id = ${site.site_id}`
    assert.ok(seen)
    for (let time = 0; time < 2; time++)
      await admit(
        parts,
        seen,
        { provider, proof },
        {
          from: { ip_address: '127.0.0.1', user_agent: '' },
          purpose: purposeOf({ site: seen }),
        },
      )
    const rows = await db.pool`
      select registrations, amount from sso.orders where site_id = ${site.site_id} and kind = 'registration_usage'`
    return [...rows]
  }
  assert.deepEqual(await billed('production'), [{ registrations: 1, amount: 5 }])
  assert.deepEqual(await billed('sandbox'), [])
})

describe('what the provider said last', () => {
  const claimsOf = async ({ site, id }: School, headers = site.owner.headers) => {
    const reply = await sso.inject({ url: `/api/v1/sites/${site.site_id}/connections/${id}/claims`, headers })
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json() as { told_at: string | null; attributes: { name: string; values: string[] }[] }
  }
  const valueOf = async (school: School, name: string) =>
    (await claimsOf(school)).attributes.find((one) => one.name === name)?.values

  test('is shown to the ADMIN, sealed, of the last person only', async () => {
    const school = await aSchool()
    assert.deepEqual(await claimsOf(school), { told_at: null, attributes: [] })
    await enter(school)
    assert.deepEqual(await valueOf(school, 'email'), [school.person.email])
    const next = { sub: `p-${unique()}`, email: `next-${unique()}@school.example`, name: 'x'.repeat(900) }
    school.idp.state.person = next
    await enter(school)
    assert.deepEqual(await valueOf(school, 'email'), [next.email])
    assert.deepEqual(await valueOf(school, 'name'), ['x'.repeat(200)])
    const [kept] = await db.pool<{ claims_enc: Buffer }[]>`
      select claims_enc from sso.connection_claims where connection_id = ${school.id}`
    assert.ok(kept && !kept.claims_enc.includes(next.email) && !kept.claims_enc.includes('school.example'))
    await db.pool`update sso.connection_claims set expires_at = now() where connection_id = ${school.id}`
    assert.deepEqual(await claimsOf(school), { told_at: null, attributes: [] })
  })

  test('is there too when the sign-in was refused for it', async () => {
    const school = await aSchool({ attribute_mapping: { email: 'upn' } })
    await aWalker().walk(school.start)
    assert.deepEqual(await valueOf(school, 'email'), [school.person.email])
  })

  test('goes with the person', async () => {
    const school = await aSchool()
    await enter(school)
    const [user] = await db.pool<{ user_id: string }[]>`
      select user_id from sso.identities where connection_id = ${school.id}`
    const { headers } = school.site.owner
    const erased = await sso.inject({ method: 'DELETE', url: `/api/v1/users/${user?.user_id}`, headers })
    assert.equal(erased.statusCode, 204, erased.body)
    assert.deepEqual(await claimsOf(school), { told_at: null, attributes: [] })
  })

  test('is nothing for members and other sites', async () => {
    const [school, other] = [await aSchool(), await aSchool()]
    await enter(school)
    const url = `/api/v1/sites/${school.site.site_id}/connections/${school.id}/claims`
    const member = await aUser({ at: school.site, lyceum })
    for (const [headers, status] of [
      [{}, 401],
      [member.headers, 403],
      [other.site.owner.headers, 404],
    ] as const)
      assert.equal((await sso.inject({ url, headers })).statusCode, status)
  })
})
