import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import {
  aColleague,
  anAdmin,
  aSite,
  aUser,
  nobody,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { addTotp, giveTotp } from '#testing/mfa.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld, world } from '#testing/world.ts'

const { sso, learning, collections, db } = await world()

const HOME = 'https://partner.example.org'
const REDIRECT = `${HOME}/cb?from=lyceum`

type Client = { site: TestSite; owner: Person; client_secret: string }

async function aClient(
  environment: 'sandbox' | 'production' = 'production',
  body: object = {},
): Promise<Client> {
  const { owner, ...site } = await aSite({ environment })
  const reply = await sso.inject({
    method: 'PUT',
    url: `/api/v1/sites/${site.site_id}/openid-client`,
    headers: owner.headers,
    payload: { redirect_uris: [REDIRECT], post_logout_redirect_uris: [`${HOME}/bye`], ...body },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return { site, owner, client_secret: reply.json().client_secret }
}

const verifierOf = () => randomBytes(32).toString('base64url')
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

function authorizeUrl({ site }: Client, verifier: string, more: Record<string, string | undefined> = {}) {
  const parameters = {
    client_id: site.site_code,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'openid email profile',
    state: 'st&te',
    nonce: 'n-1',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...more,
  }
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `/openid/authorize?${new URLSearchParams(given).toString()}`
}

type Visitor = ReturnType<typeof aVisitor>
const OFFLINE = { scope: 'openid email offline_access' }

/** From the client's link to the code, through the sign-in page and the page of consent. */
async function signInAt(
  client: Client,
  person: Person,
  { visitor = aVisitor(), more = {} }: { visitor?: Visitor; more?: Record<string, string | undefined> } = {},
) {
  const verifier = verifierOf()
  const start = await visitor.get(authorizeUrl(client, verifier, more))
  assert.equal(start.statusCode, 303, start.body)
  const proven = await visitor.submit(String(start.headers.location), {
    name: person.email,
    password: person.password,
  })
  const done = await visitor.allow(proven)
  assert.equal(done.statusCode, 303, done.body)
  return { verifier, back: new URL(String(done.headers.location)), visitor }
}

const basic = ({ site, client_secret }: Client) => ({
  authorization: `Basic ${Buffer.from(`${site.site_code}:${client_secret}`).toString('base64')}`,
})

async function post(
  client: Client,
  fields: Record<string, string>,
  headers: Record<string, string> = basic(client),
) {
  const reply = await sso.inject({
    method: 'POST',
    url: '/openid/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  })
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
}

const redeem = (client: Client, code: string, code_verifier: string, more: Record<string, string> = {}) =>
  post(client, { grant_type: 'authorization_code', code, code_verifier, redirect_uri: REDIRECT, ...more })

async function tokensOf(client: Client, person: Person, more: Record<string, string> = {}) {
  const { back, verifier, visitor } = await signInAt(client, person, { more })
  const { status, body } = await redeem(client, back.searchParams.get('code') ?? '', verifier)
  assert.equal(status, 200, JSON.stringify(body))
  return { ...body, visitor, code: back.searchParams.get('code') ?? '', verifier }
}

/** The ID token of a visitor who is signed in at one of our own sites and sees no page. */
async function tokensFromKept(client: Client, visitor: Visitor): Promise<string> {
  const verifier = verifierOf()
  const start = await visitor.get(authorizeUrl(client, verifier))
  const done = await visitor.allow(await visitor.get(String(start.headers.location)))
  assert.equal(done.statusCode, 303, done.body)
  const code = new URL(String(done.headers.location)).searchParams.get('code') ?? ''
  const { body } = await redeem(client, code, verifier)
  return body.id_token
}

const statusOf = async (access_token: string) =>
  (await sso.inject({ url: '/openid/userinfo', headers: { authorization: `Bearer ${access_token}` } }))
    .statusCode

describe('the authorization endpoint', () => {
  test('shows a page instead of redirecting to an unregistered address', async () => {
    const client = await aClient()
    for (const redirect_uri of [
      `${HOME}/cb`,
      `${REDIRECT}&x=1`,
      `${HOME}/cb?from=Lyceum`,
      'https://evil.example.org/',
      '',
      undefined,
    ]) {
      const reply = await aVisitor().get(authorizeUrl(client, verifierOf(), { redirect_uri }))
      assert.equal(reply.statusCode, 400, redirect_uri)
      assert.equal(reply.headers.location, undefined)
      assert.match(String(reply.headers['content-type']), /^text\/html/)
    }
    assert.equal(
      (await aVisitor().get(authorizeUrl(client, verifierOf(), { client_id: 'learning' }))).statusCode,
      400,
    )
  })

  const faults: [string, Record<string, string | undefined>, string][] = [
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['no openid in the scope', { scope: 'email' }, 'invalid_scope'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['an answer in a fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['contradicting prompts', { prompt: 'none login' }, 'invalid_request'],
    ['an odd age', { max_age: '-1' }, 'invalid_request'],
  ]
  for (const [what, more, error] of faults)
    test(`answers ${error} to the client for ${what}`, async () => {
      const client = await aClient()
      const { headers } = await aVisitor().get(authorizeUrl(client, verifierOf(), more))
      const back = new URL(String(headers.location))
      assert.equal(`${back.origin}${back.pathname}`, `${HOME}/cb`)
      assert.deepEqual(
        ['from', 'error', 'state', 'iss', 'code'].map((name) => back.searchParams.get(name)),
        ['lyceum', error, 'st&te', 'http://127.0.0.1:8064', null],
      )
    })

  test('encrypts and authenticates the request between its pages', async () => {
    const client = await aClient()
    const start = await aVisitor().get(authorizeUrl(client, verifierOf()))
    const page = new URL(String(start.headers.location), 'http://127.0.0.1:8064')
    const sealed = page.searchParams.get('openid') ?? ''
    assert.ok(!Buffer.from(sealed, 'base64url').includes('partner.example.org'))
    const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')
    for (const openid of [changed, '', 'x', sealed.slice(0, 40)])
      assert.equal(
        (await aVisitor().get(`/sign-in?${new URLSearchParams({ openid }).toString()}`)).statusCode,
        400,
      )
  })

  test('accepts a request as a form', async () => {
    const client = await aClient()
    const [path = '', query = ''] = authorizeUrl(client, verifierOf()).split('?')
    const ask = (payload: string) =>
      sso.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: HOME },
        payload,
      })
    const reply = await ask(query)
    assert.equal(reply.statusCode, 303, reply.body)
    assert.match(String(reply.headers.location), /^\/sign-in\?site_code=[^&]+&openid=/)
    assert.equal((await ask(query.replace('partner.', 'evil.'))).statusCode, 400)
    assert.equal((await ask(`${query}&scope=openid`)).statusCode, 400)
  })

  test('answers unstorable text with 4xx, not 500', async () => {
    const client = await aClient()
    for (const more of [{ redirect_uri: `${HOME}/\u0000` }, { client_id: '\u0000' }, { state: '\u0000' }]) {
      const { statusCode } = await aVisitor().get(authorizeUrl(client, verifierOf(), more))
      assert.ok(statusCode >= 400 && statusCode < 500, JSON.stringify(more))
    }
  })

  test('does not count a provider sign-in as recent', async () => {
    const client = await aClient()
    const anna = await aUser()
    const visitor = aVisitor()
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    await tokensFromKept(client, visitor)
    const leadsTo = async (more: Record<string, string>) => {
      const start = await visitor.get(authorizeUrl(client, verifierOf(), more))
      return (await visitor.get(String(start.headers.location))).statusCode
    }
    for (const [auth_methods, expected] of [
      [['sso'], 200],
      [['sso', 'otp'], 303],
    ] as const) {
      await db.pool`update sso.sessions set auth_methods = ${auth_methods} where user_id = ${anna.user_id}`
      assert.deepEqual([await leadsTo({}), await leadsTo({ max_age: '200' })], [303, expected])
    }
  })

  test('prompt=none answers login_required or consent_required, else a code', async () => {
    const client = await aClient()
    const anna = await aUser()
    const visitor = aVisitor()
    const silent = async () => {
      const verifier = verifierOf()
      const start = await visitor.get(authorizeUrl(client, verifier, { prompt: 'none' }))
      const { headers } = await visitor.get(String(start.headers.location))
      return { verifier, back: new URL(String(headers.location)) }
    }
    assert.equal((await silent()).back.searchParams.get('error'), 'login_required')
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    assert.equal((await silent()).back.searchParams.get('error'), 'consent_required')
    await tokensFromKept(client, visitor)
    const { back, verifier } = await silent()
    const { status, body } = await redeem(client, back.searchParams.get('code') ?? '', verifier)
    assert.equal(status, 200)
    assert.equal(decodeJwt(body.id_token).sub, anna.user_id)
  })

  test('asks for the password again after max_age, and with prompt=login or select_account', async () => {
    const client = await aClient()
    const anna = await aUser()
    const visitor = aVisitor()
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    await tokensFromKept(client, visitor)
    await db.pool`update sso.sessions set auth_time = auth_time - interval '100 seconds' where user_id = ${anna.user_id}`
    const leadsTo = async (more: Record<string, string>) => {
      const start = await visitor.get(authorizeUrl(client, verifierOf(), more))
      return (await visitor.get(String(start.headers.location))).statusCode
    }
    assert.deepEqual(
      [
        await leadsTo({}),
        await leadsTo({ max_age: '200' }),
        await leadsTo({ max_age: '50' }),
        await leadsTo({ prompt: 'login' }),
        await leadsTo({ prompt: 'select_account' }),
      ],
      [303, 303, 200, 200, 200],
    )
  })

  test('fills in the escaped login_hint', async () => {
    const client = await aClient()
    const visitor = aVisitor()
    const start = await visitor.get(authorizeUrl(client, verifierOf(), { login_hint: '"><b>anna' }))
    const { body } = await visitor.get(String(start.headers.location))
    assert.ok(body.includes('value="&quot;&gt;&lt;b&gt;anna"'))
  })
})

describe('the token endpoint', () => {
  test('issues site tokens and an ID token by scope', async () => {
    const client = await aClient('production')
    const anna = await aUser()
    const { back, verifier } = await signInAt(client, anna)
    assert.deepEqual(
      ['from', 'state', 'iss'].map((name) => back.searchParams.get(name)),
      ['lyceum', 'st&te', 'http://127.0.0.1:8064'],
    )
    const { status, body, headers } = await redeem(client, back.searchParams.get('code') ?? '', verifier)
    assert.equal(status, 200)
    assert.equal(headers['cache-control'], 'no-store')
    assert.deepEqual([body.token_type, body.expires_in, body.scope], ['Bearer', 1800, 'openid profile email'])
    const claims = decodeJwt(body.id_token)
    const { alg, typ } = decodeProtectedHeader(body.id_token)
    assert.deepEqual([alg, typ], ['RS256', 'JWT'])
    assert.deepEqual(
      [claims.iss, claims.aud, claims.sub, claims['nonce'], claims['email'], claims['email_verified']],
      ['http://127.0.0.1:8064', client.site.site_code, anna.user_id, 'n-1', anna.email, false],
    )
    const half = createHash('sha256').update(body.access_token).digest().subarray(0, 16).toString('base64url')
    assert.equal(claims['at_hash'], half)
    assert.equal(claims['sid'], decodeJwt(body.access_token)['sid'])
    assert.equal(await statusOf(body.access_token), 200)
    assert.equal(await statusOf(body.id_token), 401)
  })

  test('names a sandbox issuer for a sandbox client', async () => {
    const client = await aClient('sandbox', { redirect_uris: [REDIRECT, 'http://127.0.0.1:3000/cb'] })
    const anna = await aUser({ at: client.site })
    const { id_token } = await tokensOf(client, anna)
    assert.equal(decodeJwt(id_token).iss, 'http://127.0.0.1:8064/sandbox')
  })

  test('refuses a wrong verifier or address, and kills the code', async () => {
    for (const wrong of [{ code_verifier: verifierOf() }, { redirect_uri: `${HOME}/cb` }]) {
      const client = await aClient()
      const { back, verifier } = await signInAt(client, await aUser())
      const code = back.searchParams.get('code') ?? ''
      const refused = await redeem(client, code, verifier, wrong)
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
      assert.match(refused.body.request_id, /^[0-9a-f-]{36}$/)
      assert.equal(typeof refused.body.detail, 'string')
      assert.equal((await redeem(client, code, verifier)).status, 400)
    }
  })

  test('requires a verifier', async () => {
    const client = await aClient()
    const { back } = await signInAt(client, await aUser())
    const code = back.searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
    for (const more of [{}, { code_verifier: '' }, { code_verifier: 'short' }]) {
      const { status, body } = await post(client, { ...fields, ...more })
      assert.deepEqual([status, body.error], [400, 'invalid_request'])
    }
  })

  test('does without PKCE for a client that says so', async () => {
    const client = await aClient('production', { requires_pkce: false })
    const none = { code_challenge: undefined, code_challenge_method: undefined }
    const codeOf = async (more: Record<string, string | undefined>) => {
      const { back, verifier } = await signInAt(client, await aUser(), { more })
      return { code: back.searchParams.get('code') ?? '', verifier }
    }
    const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT }
    const { code } = await codeOf(none)
    assert.equal((await post(client, { ...fields, code })).status, 200)
    // A verifier without a challenge: somebody took the challenge away. A challenge, once sent, is still held.
    const stripped = await codeOf(none)
    assert.equal((await redeem(client, stripped.code, stripped.verifier)).body.error, 'invalid_grant')
    assert.equal((await post(client, { ...fields, code: stripped.code })).body.error, 'invalid_grant')
    const held = await codeOf({})
    assert.equal((await post(client, { ...fields, code: held.code })).body.error, 'invalid_request')
    assert.equal((await redeem(client, held.code, held.verifier)).status, 200)
  })

  test('ends the session when a code is reused', async () => {
    const client = await aClient()
    const person = await aUser()
    const { access_token, refresh_token, code, verifier } = await tokensOf(client, person, OFFLINE)
    assert.equal(await statusOf(access_token), 200)
    const again = await redeem(client, code, verifier)
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
    assert.equal(await statusOf(access_token), 401)
    assert.equal((await post(client, { grant_type: 'refresh_token', refresh_token })).status, 400)
  })

  test('issues tokens to one of fifty who present a code', async () => {
    const client = await aClient()
    const { back, verifier } = await signInAt(client, await aUser())
    const code = back.searchParams.get('code') ?? ''
    const replies = await Promise.all(Array.from({ length: 50 }, () => redeem(client, code, verifier)))
    assert.ok(replies.filter(({ status }) => status === 200).length <= 1)
    assert.ok(replies.every(({ status, body }) => status === 200 || body.error === 'invalid_grant'))
    const [, rest] = [200, 400].map((status) => replies.filter((reply) => reply.status === status).length)
    assert.ok((rest ?? 0) >= 49)
  })

  test('accepts a code for a minute, from its own client', async () => {
    const [client, other] = [await aClient(), await aClient()]
    const { back, verifier } = await signInAt(client, await aUser())
    const code = back.searchParams.get('code') ?? ''
    assert.equal((await redeem(other, code, verifier)).body.error, 'invalid_grant')
    await db.pool`update sso.openid_codes set created_at = created_at - interval '61 seconds' where site_id = ${client.site.site_id}`
    assert.equal((await redeem(client, code, verifier)).body.error, 'invalid_grant')
  })

  test('issues refresh tokens only with offline_access', async () => {
    const client = await aClient()
    const anna = await aUser()
    const { refresh_token, scope } = await tokensOf(client, anna)
    assert.deepEqual([refresh_token, scope], [undefined, 'openid profile email'])
    const offline = await tokensOf(client, anna, OFFLINE)
    assert.match(offline.refresh_token, /^rt_/)
    assert.equal(offline.scope, 'openid email offline_access')
  })

  test('refreshes once per refresh token', async () => {
    const client = await aClient()
    const { refresh_token } = await tokensOf(client, await aUser(), OFFLINE)
    const refresh = () => post(client, { grant_type: 'refresh_token', refresh_token })
    const replies = await Promise.all(Array.from({ length: 50 }, refresh))
    const won = replies.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    assert.ok(
      replies.every(
        ({ status, body }) => status === 200 || (status === 400 && body.error === 'invalid_grant'),
      ),
    )
    assert.equal(decodeJwt(won[0]?.body.id_token)['nonce'], undefined)
  })

  test('accepts header or body credentials, and answers failures alike', async () => {
    const client = await aClient()
    const { site, client_secret } = client
    const fields = { grant_type: 'refresh_token', refresh_token: 'rt_unknown' }
    const inBody = { client_id: site.site_code, client_secret }
    assert.equal((await post(client, { ...fields, ...inBody }, {})).body.error, 'invalid_grant')
    assert.equal((await post(client, { ...fields, ...inBody })).body.error, 'invalid_request')
    const wrong = await post(client, { ...fields, ...inBody, client_secret: 'oidc_x' }, {})
    const unknown = await post(client, { ...fields, ...inBody, client_id: 'nobody' }, {})
    assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client'])
    assert.match(String(wrong.headers['www-authenticate']), /^Basic /)
    assert.deepEqual({ ...wrong.body, request_id: '' }, { ...unknown.body, request_id: '' })
    assert.equal((await post(client, fields, { authorization: `Basic ${'%'.repeat(9)}` })).status, 401)
    assert.equal((await post(client, fields, {})).status, 401)
    for (const name of ['a\u0000b', 'a%00b'])
      assert.equal(
        (
          await post(client, fields, {
            authorization: `Basic ${Buffer.from(`${name}:x`).toString('base64')}`,
          })
        ).status,
        401,
      )
    const { status } = await post(client, { ...fields, client_id: 'a\u0000b', client_secret: 'x' }, {})
    assert.ok(status >= 400 && status < 500, String(status))
    // The site key is no client secret.
    assert.equal((await post({ ...client, client_secret: site.site_key }, fields)).status, 401)
  })

  test('rejects unknown grants', async () => {
    const client = await aClient()
    assert.equal((await post(client, {})).body.error, 'invalid_request')
    assert.equal((await post(client, { grant_type: 'password' })).body.error, 'unsupported_grant_type')
  })

  test('counts calls per client, and refused ones per address', async () => {
    const limited = await buildWorld({ env: { SSO_RATE_LIMIT_SITE: '2', SSO_RATE_LIMIT_AUTH: '1000' } })
    const ask = () =>
      limited.sso.inject({
        method: 'POST',
        url: '/openid/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'grant_type=refresh_token&client_id=nobody&client_secret=x',
      })
    let last = await ask()
    for (let call = 0; call < 400 && last.statusCode === 401; call++) last = await ask()
    assert.equal(last.statusCode, 429)
    assert.equal(last.json().error, 'temporarily_unavailable')
    assert.ok(Number(last.headers['retry-after']) >= 1)
  })
})

describe('userinfo', () => {
  test('shows the holder of the token, by GET and POST', async () => {
    const client = await aClient()
    const anna = await aUser()
    const { access_token } = await tokensOf(client, anna)
    for (const method of ['GET', 'POST'] as const) {
      const reply = await sso.inject({
        method,
        url: '/openid/userinfo',
        headers: { authorization: `Bearer ${access_token}` },
      })
      const { sub, email } = reply.json()
      assert.deepEqual([sub, email], [anna.user_id, anna.email])
    }
    assert.equal((await sso.inject({ url: '/openid/userinfo' })).statusCode, 401)
  })

  test('respects the scope, also after a refresh', async () => {
    const client = await aClient()
    const anna = await aUser()
    const told = async (access_token: string) =>
      (
        await sso.inject({ url: '/openid/userinfo', headers: { authorization: `Bearer ${access_token}` } })
      ).json()
    const { access_token, refresh_token } = await tokensOf(client, anna, {
      scope: 'openid phone offline_access',
    })
    assert.deepEqual(await told(access_token), { sub: anna.user_id })
    const { body } = await post(client, { grant_type: 'refresh_token', refresh_token })
    assert.deepEqual(await told(body.access_token), { sub: anna.user_id })
    assert.equal(body.scope, 'openid phone offline_access')
    // The same person at the same client, with more.
    const more = await tokensOf(client, anna, { scope: 'openid email offline_access' })
    assert.equal((await told(more.access_token)).email, anna.email)
    assert.deepEqual(
      await told(body.access_token),
      { sub: anna.user_id },
      'the older session stays as it was',
    )
    const later = await post(client, { grant_type: 'refresh_token', refresh_token: more.refresh_token })
    assert.equal(decodeJwt(later.body.id_token)['email'], anna.email)
  })

  test('shows the whole account to non-OpenID sites', async () => {
    const anna = await aUser()
    const reply = await sso.inject({ url: '/openid/userinfo', headers: anna.headers })
    assert.equal(reply.json().email, anna.email)
  })
})

describe('the scope of a session', () => {
  const KNOWN = {
    email: { given: '', fields: ['email', 'email_verified'] },
    phone: { given: '+4930123456', fields: ['phone', 'phone_verified'] },
    profile: {
      given: 'Anna Hidden',
      fields: ['display_name', 'given_name', 'family_name', 'username', 'avatar_url', 'locale', 'time_zone'],
    },
    nothing: { given: 'favourite tea', fields: ['metadata', 'mfa_enabled', 'mfa_methods', 'last_login_at'] },
  }
  const NAMES = ['email', 'phone', 'profile'] as const
  const isEmpty = (value: unknown) => ['null', '""', 'false', '[]', '{}'].includes(JSON.stringify(value))
  /** What every scope shows: the account number, what belongs to the site, and the state of the account. */
  const ALWAYS = [
    'user_id',
    'status',
    'roles',
    'external_id',
    'session_version',
    'version',
    'registration_source',
    'created_at',
    'updated_at',
  ]

  for (const scope of ['openid', ...NAMES.map((name) => `openid ${name}`), `openid ${NAMES.join(' ')}`])
    test(`"${scope}" shows no view of the three services more of the person`, async () => {
      const client = await aClient()
      const anna = await aUser()
      await db.pool`
        update sso.users
           set email_verified = true, email_proven_at = now(), phone = ${KNOWN.phone.given}, phone_verified = true,
               display_name = ${KNOWN.profile.given}, given_name = 'Anna', family_name = 'Hidden',
               username = ${`anna-${anna.user_id.slice(-12)}`}, avatar_url = 'https://img.example.org/a.png',
               locale = 'pt-BR', time_zone = 'Europe/Berlin',
               metadata = ${db.pool.json({ tea: KNOWN.nothing.given })}
         where user_id = ${anna.user_id}`
      const { access_token, refresh_token } = await tokensOf(client, anna, {
        scope: `${scope} offline_access`,
      })
      const headers = { authorization: `Bearer ${access_token}` }
      const { user_id } = anna
      await giveTotp(anna)
      const asSite = { method: 'POST', headers: client.site.headers } as const
      const url = `/api/v1/users/${user_id}`
      const collection = await collections.inject({
        method: 'POST',
        url: '/api/collections',
        headers,
        payload: { name: 'Box' },
      })
      assert.equal(collection.statusCode, 201, collection.body)
      const one = await sso.inject({ url, headers })
      const views = {
        one,
        changed: await sso.inject({
          method: 'PATCH',
          url,
          headers,
          payload: { display_name: KNOWN.profile.given },
        }),
        list: await sso.inject({ url: '/api/v1/users', headers }),
        userinfo: await sso.inject({ url: '/openid/userinfo', headers }),
        introspected: await sso.inject({
          ...asSite,
          url: '/api/v1/auth/introspect',
          payload: { token: access_token },
        }),
        learning: await learning.inject({ url: '/api/info', headers }),
        collections: await collections.inject({ url: '/api/auth/me', headers }),
        members: await collections.inject({
          url: `/api/collections/${collection.json().id}/members`,
          headers,
        }),
        refreshed: await sso.inject({ ...asSite, url: '/api/v1/auth/refresh', payload: { refresh_token } }),
      }
      for (const [view, { statusCode, body }] of Object.entries(views))
        assert.equal(statusCode, 200, `${view} ${body}`)
      const { members, ...own } = views
      const said = [
        JSON.stringify(decodeJwt(access_token)),
        JSON.stringify(decodeJwt(views.refreshed.json().access_token)),
        ...Object.values(own).map(({ body }) => body),
      ]
      const user = views.refreshed.json().user
      const decided = [...ALWAYS, ...Object.values(KNOWN).flatMap(({ fields }) => fields)]
      assert.deepEqual(
        Object.keys(one.json()).filter((field) => !decided.includes(field)),
        [],
      )
      for (const [name, { given, fields }] of Object.entries(KNOWN)) {
        const isAsked = scope.includes(name)
        for (const text of said) assert.ok(isAsked || !text.includes(given || anna.email), `${name}: ${text}`)
        for (const shown of [one.json(), views.changed.json(), views.list.json().items[0], user])
          for (const field of fields)
            assert.equal(isEmpty(shown[field]), !isAsked, `${field}: ${JSON.stringify(shown)}`)
      }
      // The other members of a collection see a name; the address is for whoever may know it.
      assert.equal(members.body.includes(anna.email), scope.includes('email'))
      assert.deepEqual([one.json().user_id, user.user_id], [user_id, user_id])
      const guess = await sso.inject({ url: `/api/v1/users?email=${anna.email}`, headers })
      assert.equal(guess.json().total, scope.includes('email') ? 1 : 0)
    })

  test('without one, as after a sign-in by the documented API, everything is shown', async () => {
    const anna = await signIn(await aUser(), { at: await aSite() })
    const one = await sso.inject({ url: `/api/v1/users/${anna.user_id}`, headers: anna.headers })
    assert.equal(one.json().email, anna.email)
    assert.deepEqual(one.json().metadata, {})
    assert.ok('last_login_at' in one.json())
  })
})

describe('sign-out requested by a client', () => {
  test('ends the whole sign-in and returns to a registered address', async () => {
    for (const [address, expected] of [
      [`${HOME}/bye`, `${HOME}/bye?state=s`],
      ['https://evil.example.org/', undefined],
      [`${HOME}/bye/`, undefined],
    ] as const) {
      const client = await aClient()
      const { access_token, id_token, visitor } = await tokensOf(client, await aUser())
      const query = new URLSearchParams({
        id_token_hint: id_token,
        post_logout_redirect_uri: address,
        state: 's',
      })
      const reply = await visitor.get(`/openid/end-session?${query.toString()}`)
      assert.equal(reply.headers.location, expected)
      assert.equal(reply.statusCode, expected === undefined ? 200 : 303)
      assert.equal(await statusOf(access_token), 401)
    }
  })

  test('ignores an ID token of somebody else', async () => {
    const client = await aClient()
    const [anna, eve] = [await aUser(), await aUser()]
    const { id_token } = await tokensOf(client, eve)
    const visitor = aVisitor()
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    const cookies = [...visitor.jar.keys()].toSorted()
    assert.ok(cookies.includes('access_token'))
    await visitor.get(`/openid/end-session?id_token_hint=${id_token}`)
    assert.deepEqual([...visitor.jar.keys()].toSorted(), cookies)
    const own = await tokensFromKept(client, visitor)
    await visitor.get(`/openid/end-session?id_token_hint=${own}`)
    assert.ok(!visitor.jar.has('access_token'))
  })

  test('never redirects to a deleted site', async () => {
    const client = await aClient()
    const { id_token } = await tokensOf(client, await aUser())
    const deleted = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/sites/${client.site.site_id}`,
      headers: client.owner.headers,
    })
    assert.equal(deleted.statusCode, 204, deleted.body)
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: `${HOME}/bye` })
    const reply = await aVisitor().get(`/openid/end-session?${query.toString()}`)
    assert.deepEqual([reply.statusCode, reply.headers.location], [200, undefined])
  })

  test('asks first without an intact ID token', async () => {
    const client = await aClient()
    const { access_token, id_token } = await tokensOf(client, await aUser())
    const forged = `${id_token.slice(0, -4)}AAAA`
    for (const query of [
      '',
      `?id_token_hint=${forged}`,
      `?id_token_hint=${access_token}`,
      `?id_token_hint=${id_token}&client_id=other`,
    ]) {
      const reply = await aVisitor().get(`/openid/end-session${query}`)
      assert.equal(reply.headers.location, '/sign-in/out')
    }
    assert.equal(await statusOf(access_token), 200)
  })

  test('accepts an expired ID token', async (t) => {
    const client = await aClient()
    const { access_token, id_token, visitor } = await tokensOf(client, await aUser())
    const later = Date.now() + 24 * 3_600_000
    t.mock.method(Date, 'now', () => later)
    const reply = await visitor.get(`/openid/end-session?id_token_hint=${id_token}`)
    t.mock.reset()
    assert.equal(reply.statusCode, 200)
    assert.match(reply.body, /<h1>You are signed out<\/h1>/)
    assert.equal(await statusOf(access_token), 401)
  })

  test('without ID token asks, then returns to the client', async () => {
    for (const [address, expected] of [
      [`${HOME}/bye`, `${HOME}/bye?state=s`],
      ['https://evil.example.org/', undefined],
    ] as const) {
      const client = await aClient()
      const anna = await aUser()
      const visitor = aVisitor()
      await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
      const query = new URLSearchParams({
        client_id: client.site.site_code,
        post_logout_redirect_uri: address,
        state: 's',
      })
      const led = await visitor.get(`/openid/end-session?${query.toString()}`)
      const page = await visitor.get(String(led.headers.location))
      assert.match(page.body, /<h1>Sign out\?<\/h1>/)
      assert.ok(visitor.jar.has('access_token'), 'nothing has ended yet')
      const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(page.body) ?? []
      const done = await visitor.post(action.replaceAll('&amp;', '&'), {})
      assert.equal(done.headers.location, expected)
      assert.ok(!visitor.jar.has('access_token'))
    }
  })
})

describe('prompt=consent', () => {
  test('asks again for earlier consents, and requires a page', async () => {
    const client = await aClient()
    const anna = await aUser()
    const visitor = aVisitor()
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    await tokensFromKept(client, visitor)
    const start = await visitor.get(authorizeUrl(client, verifierOf(), { prompt: 'consent' }))
    const page = await visitor.get(String(start.headers.location))
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /<h1>Sign in to /)
    const done = await visitor.allow(page)
    assert.ok(new URL(String(done.headers.location)).searchParams.has('code'))
    const both = await visitor.get(authorizeUrl(client, verifierOf(), { prompt: 'none consent' }))
    assert.equal(new URL(String(both.headers.location)).searchParams.get('error'), 'invalid_request')
  })

  test('also follows the password', async () => {
    const client = await aClient()
    const anna = await aUser()
    await tokensOf(client, anna)
    const visitor = aVisitor()
    const start = await visitor.get(authorizeUrl(client, verifierOf(), { prompt: 'login consent' }))
    const { headers } = await visitor.submit(String(start.headers.location), {
      name: anna.email,
      password: anna.password,
    })
    assert.match(String(headers.location), /^\/sign-in\/consent\?/)
  })
})

describe('the client of a site', () => {
  const url = ({ site_id }: TestSite) => `/api/v1/sites/${site_id}/openid-client`

  test('is managed by the ADMIN of the site only', async () => {
    const admin = await anAdmin()
    const [member, stranger] = [await aColleague(admin), await anAdmin()]
    const path = url(admin.site)
    const payload = { redirect_uris: [REDIRECT] }
    const send = (
      method: 'GET' | 'PUT' | 'POST' | 'DELETE',
      who: { headers: Record<string, string> },
      at = path,
    ) => sso.inject({ method, url: at, headers: who.headers, ...(method === 'PUT' && { payload }) })
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      assert.equal((await send(method, await nobody())).statusCode, 401)
      assert.equal((await send(method, member)).statusCode, 403)
      assert.equal((await send(method, stranger)).statusCode, 404)
    }
    assert.equal((await send('GET', admin)).statusCode, 404)
    const made = await send('PUT', admin)
    assert.equal(made.statusCode, 201)
    const { client_secret, ...shown } = made.json()
    assert.match(client_secret, /^oidc_[\w-]{43}$/)
    const changed = await send('PUT', admin)
    assert.deepEqual(
      [changed.statusCode, changed.json().client_secret, changed.json().version],
      [200, undefined, 2],
    )
    const { version: _, updated_at: __, ...read } = (await send('GET', admin)).json()
    const { version: ___, updated_at: ____, ...first } = shown
    assert.deepEqual(read, first)
    const renewed = await send('POST', admin, `${path}/secret`)
    assert.equal(renewed.statusCode, 200)
    assert.notEqual(renewed.json().client_secret, client_secret)
    assert.equal((await send('POST', stranger, `${path}/secret`)).statusCode, 404)
    assert.equal((await send('DELETE', admin)).statusCode, 204)
    assert.equal((await send('DELETE', admin)).statusCode, 404)
    assert.equal((await send('POST', admin, `${path}/secret`)).statusCode, 404)
  })

  test('changed by twenty at once with one version is changed once', async () => {
    const { owner, ...site } = await aSite()
    const put = (if_match: string, redirect_uri = REDIRECT) =>
      sso.inject({
        method: 'PUT',
        url: url(site),
        headers: { ...owner.headers, 'if-match': if_match },
        payload: { redirect_uris: [redirect_uri] },
      })
    const early = await put('"1"')
    assert.deepEqual([early.statusCode, early.json().code], [409, 'version_conflict'])
    const made = await sso.inject({
      method: 'PUT',
      url: url(site),
      headers: owner.headers,
      payload: { redirect_uris: [REDIRECT] },
    })
    assert.equal(made.statusCode, 201)
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => put('"1"', `${REDIRECT}?${i}`)))
    const won = replies.filter(({ statusCode }) => statusCode === 200)
    assert.deepEqual([won.length, won[0]?.json().version], [1, 2])
    assert.ok(replies.every(({ statusCode }) => [200, 409].includes(statusCode)))
  })

  test('accepts https, and loopback http in the sandbox', async () => {
    const put = async (environment: 'sandbox' | 'production', payload: object) => {
      const { owner, ...site } = await aSite({ environment })
      return (await sso.inject({ method: 'PUT', url: url(site), headers: owner.headers, payload })).statusCode
    }
    assert.equal(await put('sandbox', { redirect_uris: ['http://localhost:3000/cb'] }), 201)
    for (const redirect_uris of [
      ['http://partner.example.org/cb'],
      ['https://127.0.0.1/cb'],
      ['https://a.example.org/#x'],
      ['javascript:alert(1)'],
      [REDIRECT, REDIRECT],
      [],
    ])
      assert.equal(await put('production', { redirect_uris }), 422, redirect_uris.join())
    assert.equal(await put('production', {}), 400)
    // This one is called by us, so it is judged as a webhook is.
    for (const [environment, backchannel_logout_uri] of [
      ['production', 'http://a.example.org/'],
      ['production', 'https://10.0.0.1/logout'],
      ['production', 'https://[::ffff:169.254.169.254]/'],
      ['sandbox', 'http://192.168.0.1/'],
      ['sandbox', 'http://127.0.0.1:8064/'],
    ] as const)
      assert.equal(
        await put(environment, { redirect_uris: [REDIRECT], backchannel_logout_uri }),
        422,
        backchannel_logout_uri,
      )
  })

  test('uses a renewed secret at once', async () => {
    const client = await aClient()
    const fields = { grant_type: 'refresh_token', refresh_token: 'rt_x' }
    assert.equal((await post(client, fields)).status, 400)
    const reply = await sso.inject({
      method: 'POST',
      url: `${url(client.site)}/secret`,
      headers: client.owner.headers,
    })
    assert.equal((await post(client, fields)).status, 401)
    assert.equal((await post({ ...client, client_secret: reply.json().client_secret }, fields)).status, 400)
  })

  test('signs nobody in once deleted, also on an open page', async () => {
    const client = await aClient()
    const visitor = aVisitor()
    const start = await visitor.get(authorizeUrl(client, verifierOf()))
    await sso.inject({ method: 'DELETE', url: url(client.site), headers: client.owner.headers })
    assert.equal((await visitor.get(String(start.headers.location))).statusCode, 400)
  })
})

test('a sign-in for a client asks for the second factor', async () => {
  const client = await aClient()
  const anna = await aUser()
  const totp = await addTotp(anna)
  const visitor = aVisitor()
  const verifier = verifierOf()
  const start = await visitor.get(authorizeUrl(client, verifier))
  const asked = await visitor.submit(String(start.headers.location), {
    name: anna.email,
    password: anna.password,
  })
  assert.match(String(asked.headers.location), /^\/sign-in\/mfa\?/)
  const done = await visitor.allow(
    await visitor.submit(String(asked.headers.location), { code: totp.code() }),
  )
  const back = new URL(String(done.headers.location))
  const { body } = await redeem(client, back.searchParams.get('code') ?? '', verifier)
  assert.deepEqual(decodeJwt(body.id_token)['amr'], ['pwd', 'otp'])
})
