import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { tokenFor } from '#testing/mail.ts'
import { aSite, aUser, type Person, signIn, type TestSite } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld, type World, world } from '#testing/world.ts'

/**
 * Attacks by the owner of a site on people who never consented to anything. Each attack once succeeded.
 */
const { sso, db } = await world()

const BACK = 'https://club.example.org/back'
const ELSEWHERE = { headers: { 'sec-fetch-site': 'cross-site' } }
const random = () => randomBytes(32).toString('base64url')
const hashOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

type Evil = TestSite & { owner: Person; client_secret: string }

/** A site that a learner created, with a callback and an OpenID client. */
async function anEvilSite(lyceum?: World): Promise<Evil> {
  const { sso, db } = lyceum ?? (await world())
  const site = await aSite(lyceum && { lyceum })
  await db.pool`update sso.sites set callback_url = ${BACK} where site_id = ${site.site_id}`
  const made = await sso.inject({
    method: 'PUT',
    url: `/api/v1/sites/${site.site_id}/openid-client`,
    headers: site.owner.headers,
    payload: { redirect_uris: [BACK] },
  })
  assert.equal(made.statusCode, 201, made.body)
  return { ...site, client_secret: made.json().client_secret }
}

/** A visitor who is signed in at the sso itself. */
async function aSignedIn() {
  const [anna, visitor] = [await aUser(), aVisitor()]
  const reply = await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
  assert.equal(reply.statusCode, 303, reply.body)
  return { anna, visitor }
}
type Visitor = ReturnType<typeof aVisitor>

/** Follows what a browser follows by itself: redirects to our own pages, and pages that refresh at once. */
async function follow(visitor: Visitor, url: string) {
  let reply = await visitor.get(url, ELSEWHERE)
  for (let step = 0; step < 5; step++) {
    const location = reply.headers.location
    const refresh = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(reply.body)?.[1]
    if (typeof location === 'string' && location.startsWith('/'))
      reply = await visitor.get(location, ELSEWHERE)
    else if (refresh !== undefined) reply = await visitor.get(refresh.replaceAll('&amp;', '&'))
    else return reply
  }
  throw new Error('the visit does not end')
}

const authorize = (evil: Evil, verifier: string, more: Record<string, string> = {}) =>
  `/openid/authorize?${new URLSearchParams({
    client_id: evil.site_code,
    redirect_uri: BACK,
    response_type: 'code',
    scope: 'openid email profile phone',
    code_challenge: hashOf(verifier),
    code_challenge_method: 'S256',
    ...more,
  }).toString()}`

/** Fails if the site has anything of the person: a membership, a session or a code. */
async function assertNothingOf(user_id: string, { site_id }: Evil) {
  const rows = await db.pool`
    select 'membership' as what from sso.memberships where user_id = ${user_id} and site_id = ${site_id}
    union all select 'session' from sso.sessions where user_id = ${user_id} and site_id = ${site_id}
    union all select 'code' from sso.sign_in_codes join sso.sessions using (session_id) where site_id = ${site_id}
    union all select 'OpenID code' from sso.openid_codes where site_id = ${site_id}
    union all select 'consent' from sso.consents where user_id = ${user_id} and site_id = ${site_id}`
  assert.deepEqual([...rows], [])
}

const leads = (reply: { headers: NodeJS.Dict<number | string | string[]> }) =>
  String(reply.headers['location'] ?? '')

describe('a site identifies visitors without consent', () => {
  test('through a link to the sign-in page', async () => {
    const [evil, { anna, visitor }] = [await anEvilSite(), await aSignedIn()]
    const reply = await follow(visitor, `/sign-in?site_code=${evil.site_code}`)
    assert.doesNotMatch(leads(reply), /code=/)
    await assertNothingOf(anna.user_id, evil)
  })

  test('through a link to the authorization endpoint', async () => {
    const [evil, { anna, visitor }] = [await anEvilSite(), await aSignedIn()]
    const reply = await follow(visitor, authorize(evil, random()))
    assert.doesNotMatch(leads(reply), /code=/)
    await assertNothingOf(anna.user_id, evil)
  })

  test('through prompt=none: the answer is consent_required', async () => {
    const [evil, { anna, visitor }] = [await anEvilSite(), await aSignedIn()]
    const reply = await follow(visitor, authorize(evil, random(), { prompt: 'none' }))
    assert.equal(new URL(leads(reply)).searchParams.get('error'), 'consent_required')
    await assertNothingOf(anna.user_id, evil)
  })

  test('by the password page, before consent', async () => {
    const [evil, anna] = [await anEvilSite(), await aUser()]
    const reply = await aVisitor().submit(`/sign-in?site_code=${evil.site_code}`, {
      name: anna.email,
      password: anna.password,
    })
    assert.doesNotMatch(leads(reply), /[?&]code=/)
    await assertNothingOf(anna.user_id, evil)
  })

  test('by the sign-up page, before consent', async () => {
    const evil = await anEvilSite()
    const email = `new-${random().slice(0, 8).toLowerCase()}@example.org`
    const reply = await aVisitor().submit(`/sign-up?site_code=${evil.site_code}`, {
      email,
      password: 'battery staple 7',
      display_name: '',
    })
    assert.doesNotMatch(leads(reply), /[?&]code=/)
    const [user] = await db.pool<{ user_id: string }[]>`select user_id from sso.users where email = ${email}`
    await assertNothingOf(user?.user_id ?? '00000000-0000-0000-0000-000000000000', evil)
  })
})

describe('a partner receives more than it asked for', () => {
  test('from userinfo with scope openid alone', async () => {
    const [evil, anna, visitor, verifier] = [await anEvilSite(), await aUser(), aVisitor(), random()]
    const start = await visitor.get(authorize(evil, verifier, { scope: 'openid' }))
    const done = await visitor.allow(
      await visitor.submit(leads(start), { name: anna.email, password: anna.password }),
    )
    const tokens = await redeem(evil, new URL(leads(done)).searchParams.get('code') ?? '', verifier)
    assert.deepEqual(await userinfoOf(tokens.access_token), { sub: anna.user_id })
    assert.equal(decodeJwt(tokens.id_token)['email'], undefined)
  })
})

describe('a code reaches a stranger', () => {
  test('at another path of the callback origin', async () => {
    const evil = await anEvilSite()
    const query = new URLSearchParams({
      site_code: evil.site_code,
      return_to: 'https://club.example.org/redirect?to=https%3A%2F%2Fevil.example',
    })
    assert.equal((await aVisitor().get(`/sign-in?${query.toString()}`)).statusCode, 400)
  })
})

describe('a consent is reused', () => {
  const yes = (body: string) => ({
    form_token: /name="form_token" value="([^"]+)"/.exec(body)?.[1] ?? 'no form',
    decision: 'allow',
  })
  const consentAt = (address: string) => `/sign-in/consent${address.slice(address.indexOf('?'))}`

  test('for another site than named', async () => {
    const [shown, evil, { anna, visitor }] = [await anEvilSite(), await anEvilSite(), await aSignedIn()]
    const { body } = await visitor.get(`/sign-in?site_code=${shown.site_code}`)
    const reply = await visitor.post(`/sign-in/consent?site_code=${evil.site_code}`, yes(body))
    assert.equal(reply.statusCode, 403)
    await assertNothingOf(anna.user_id, evil)
  })

  test('for a wider scope than named', async () => {
    const [evil, { anna, visitor }] = [await anEvilSite(), await aSignedIn()]
    const little = await visitor.get(authorize(evil, random(), { scope: 'openid' }))
    const much = await visitor.get(authorize(evil, random()))
    const { body } = await visitor.get(leads(little))
    assert.equal((await visitor.post(consentAt(leads(much)), yes(body))).statusCode, 403)
    await assertNothingOf(anna.user_id, evil)
  })

  test('for the next person in the same browser', async () => {
    const [evil, { visitor }, ben] = [await anEvilSite(), await aSignedIn(), await aUser()]
    const { body } = await visitor.get(`/sign-in?site_code=${evil.site_code}`)
    await visitor.post('/sign-in/out', {})
    await visitor.submit('/sign-in', { name: ben.email, password: ben.password })
    const reply = await visitor.post(`/sign-in/consent?site_code=${evil.site_code}`, yes(body))
    assert.equal(reply.statusCode, 403)
    await assertNothingOf(ben.user_id, evil)
  })

  for (const [from, headers] of [
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin', { origin: 'https://evil.example' }],
  ] as const)
    test(`by a form that ${from} posts`, async () => {
      const [evil, { anna, visitor }] = [await anEvilSite(), await aSignedIn()]
      const address = `/sign-in?site_code=${evil.site_code}`
      const { body } = await visitor.get(address)
      assert.equal((await visitor.post(consentAt(address), yes(body), { headers })).statusCode, 403)
      await assertNothingOf(anna.user_id, evil)
    })

  test('a second time, with the first cookie', async () => {
    const [evil, anna, visitor] = [await anEvilSite(), await aUser(), aVisitor()]
    const address = `/sign-in?site_code=${evil.site_code}`
    const asked = await visitor.submit(address, { name: anna.email, password: anna.password })
    const cookie = visitor.jar.get('sso_consent')
    assert.ok(cookie)
    const { body } = await visitor.get(leads(asked))
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => visitor.post(consentAt(address), yes(body))),
    )
    visitor.jar.set('sso_consent', cookie)
    replies.push(await visitor.post(consentAt(address), yes(body)))
    assert.equal(replies.filter((reply) => /[?&]code=/.test(leads(reply))).length, 1)
    const sessions = await db.pool`select from sso.sessions where site_id = ${evil.site_id}`
    assert.equal(sessions.length, 1)
  })

  test('with a proof for another site', async () => {
    const [shown, evil, anna, visitor] = [await anEvilSite(), await anEvilSite(), await aUser(), aVisitor()]
    await visitor.submit(`/sign-in?site_code=${shown.site_code}`, {
      name: anna.email,
      password: anna.password,
    })
    const page = await visitor.get(`/sign-in/consent?site_code=${evil.site_code}`)
    assert.match(leads(page), /^\/sign-in\?/)
    await assertNothingOf(anna.user_id, evil)
  })

  test('after a password change', async () => {
    const [evil, anna, visitor] = [await anEvilSite(), await aUser(), aVisitor()]
    const address = `/sign-in?site_code=${evil.site_code}`
    const asked = await visitor.submit(address, { name: anna.email, password: anna.password })
    const { body } = await visitor.get(leads(asked))
    const changed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/password/change',
      headers: anna.headers,
      payload: { current_password: anna.password, new_password: 'another horse 43 staples' },
    })
    assert.ok(changed.statusCode < 300, changed.body)
    assert.doesNotMatch(leads(await visitor.post(consentAt(address), yes(body))), /[?&]code=/)
    await assertNothingOf(anna.user_id, evil)
  })
})

describe("a site stays connected against the person's will", () => {
  test('after it was disconnected', async () => {
    const [evil, { anna, visitor }] = [await anEvilSite(), await aSignedIn()]
    const verifier = random()
    const done = await visitor.allow(
      await follow(visitor, authorize(evil, verifier, { scope: 'openid email offline_access' })),
    )
    const tokens = await redeem(evil, new URL(leads(done)).searchParams.get('code') ?? '', verifier)
    const ended = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/consents/${evil.site_id}`,
      headers: anna.headers,
    })
    assert.equal(ended.statusCode, 204, ended.body)
    assert.equal((await userinfoOf(tokens.access_token)).code, 'token_revoked')
    const [session] = await db.pool<{ revoke_reason: string }[]>`
      select revoke_reason from sso.sessions where site_id = ${evil.site_id} and user_id = ${anna.user_id}`
    assert.equal(session?.revoke_reason, 'consent_revoked')
    const silent = await follow(visitor, authorize(evil, random(), { prompt: 'none', scope: 'openid' }))
    assert.equal(new URL(leads(silent)).searchParams.get('error'), 'consent_required')
    const asked = await follow(visitor, `/sign-in?site_code=${evil.site_code}`)
    assert.match(asked.body, /<h1>Sign in to /)
  })

  test('by pre-creating the account (pre-hijacking)', async () => {
    const evil = await anEvilSite()
    const email = `victim-${random()
      .slice(0, 8)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, 'x')}@example.org`
    const password = 'battery staple 7'
    const made = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      headers: evil.headers,
      payload: { email, password },
    })
    const { user_id } = made.json()
    const visitor = aVisitor()
    await visitor.submit('/forgot-password', { email })
    const token = await tokenFor(email, 'password_reset')
    const fresh = { token, password: 'my own long password 9' }
    assert.equal((await visitor.submit('/reset-password', fresh)).statusCode, 200)
    await visitor.submit('/sign-in', { name: email, password: fresh.password })
    const reply = await follow(visitor, `/sign-in?site_code=${evil.site_code}`)
    assert.match(reply.body, /<h1>Sign in to /)
    assert.equal(
      (await db.pool`select from sso.sessions where user_id = ${user_id} and site_id = ${evil.site_id}`)
        .length,
      0,
    )
  })

  test('by a token that reads or answers consents', async () => {
    const [evil, anna] = [await anEvilSite(), await aUser()]
    const there = await signIn(anna, { at: evil })
    const { headers } = there
    const listed = await sso.inject({ url: '/api/v1/consents', headers })
    assert.deepEqual([listed.statusCode, listed.json().code], [403, 'first_party_required'])
    assert.equal(listed.headers.link, '<http://127.0.0.1:8064/account/sites>; rel="edit-form"')
    const url = `/api/v1/consents/${evil.site_id}`
    assert.equal((await sso.inject({ method: 'DELETE', url, headers })).statusCode, 403)
    const jar = new Map([['access_token', { value: there.access_token, path: '/' }]])
    assert.match(leads(await aVisitor({ jar }).get('/account/sites')), /^\/sign-in\?return_to=/)
  })
})

describe('silent sign-in is automated', () => {
  test('beyond thirty times a minute', async () => {
    const lyceum = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '10' } })
    const [anna, visitor] = [await aUser({ lyceum }), aVisitor({ lyceum })]
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    const statuses = []
    for (let time = 0; time < 31; time++) statuses.push((await visitor.get('/sign-in')).statusCode)
    assert.deepEqual([statuses.slice(0, 30).every((status) => status === 303), statuses[30]], [true, 429])
    const other = aVisitor({ lyceum })
    const ben = await aUser({ lyceum })
    await other.submit('/sign-in', { name: ben.email, password: ben.password })
    assert.equal((await other.get('/sign-in')).statusCode, 303, 'somebody else is not held up')
    const silent = await visitor.get(
      authorize(await anEvilSite(lyceum), random(), { prompt: 'none', scope: 'openid' }),
    )
    const answer = await visitor.get(leads(silent))
    assert.equal(new URL(leads(answer)).searchParams.get('error'), 'temporarily_unavailable')
  })
})

describe('a stolen code', () => {
  const exchange = (evil: Evil, payload: object) =>
    sso.inject({ method: 'POST', url: '/api/v1/auth/exchange', headers: evil.headers, payload })

  /** A code with a PKCE challenge, or without one. */
  async function aCode(evil: Evil, verifier?: string) {
    const [anna, visitor] = [await aUser(), aVisitor()]
    const pkce =
      verifier === undefined ? {} : { code_challenge: hashOf(verifier), code_challenge_method: 'S256' }
    const query = new URLSearchParams({ site_code: evil.site_code, ...pkce })
    const credentials = { name: anna.email, password: anna.password }
    const done = await visitor.allow(await visitor.submit(`/sign-in?${query.toString()}`, credentials))
    return new URL(leads(done)).searchParams.get('code') ?? ''
  }

  test('is useless without the verifier of its browser', async () => {
    const [evil, verifier] = [await anEvilSite(), random()]
    for (const wrong of [{}, { code_verifier: random() }]) {
      const code = await aCode(evil, verifier)
      assert.equal((await exchange(evil, { code, ...wrong })).json().code, 'code_invalid')
      assert.equal((await exchange(evil, { code, code_verifier: verifier })).statusCode, 401, 'it is spent')
    }
    const code = await aCode(evil, verifier)
    assert.equal((await exchange(evil, { code, code_verifier: verifier })).statusCode, 200)
  })

  test('is refused without challenge where a verifier is sent', async () => {
    const evil = await anEvilSite()
    const code = await aCode(evil)
    assert.equal((await exchange(evil, { code, code_verifier: random() })).statusCode, 401)
  })

  test('is refused for an invalid challenge', async () => {
    const evil = await anEvilSite()
    for (const more of [
      { code_challenge: hashOf('x') },
      { code_challenge: 'short', code_challenge_method: 'S256' },
      { code_challenge: hashOf('x'), code_challenge_method: 'plain' },
      { code_challenge_method: 'S256' },
    ]) {
      const query = new URLSearchParams({ site_code: evil.site_code, ...more })
      assert.equal((await aVisitor().get(`/sign-in?${query.toString()}`)).statusCode, 400)
    }
  })
})

async function redeem({ site_code, client_secret }: Evil, code: string, code_verifier: string) {
  const reply = await sso.inject({
    method: 'POST',
    url: '/openid/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${site_code}:${client_secret}`).toString('base64')}`,
    },
    payload: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier,
      redirect_uri: BACK,
    }).toString(),
  })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json()
}

const userinfoOf = async (access_token: string) =>
  (await sso.inject({ url: '/openid/userinfo', headers: { authorization: `Bearer ${access_token}` } })).json()
