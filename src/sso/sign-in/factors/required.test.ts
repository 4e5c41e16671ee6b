import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { type PublicKeyCredentialCreationOptionsJSON, WebAuthnEmulator } from 'nid-webauthn-emulator'
import { TOTP } from 'otpauth'
import { addTotp, challenge, giveTotp, mailedCode } from '#testing/mfa.ts'
import { aColleague, anAdmin, aUser, type Person, type TestSite } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld } from '#testing/world.ts'

/** Keys belong to a host name, hence a product under one. */
const ORIGIN = 'https://login.school.example'
const HOST = 'login.school.example'
const lyceum = await buildWorld({ env: { SSO_URL: ORIGIN, SITE_REGISTRATION: 'open' } })
const { sso, db } = lyceum
const HOME = 'https://partner.example.org/home'

type Strict = { site: TestSite; admin: Person & { site: TestSite } }

const change = (admin: Person, site: TestSite, payload: object) =>
  sso.inject({ method: 'PATCH', url: `/api/v1/sites/${site.site_id}`, headers: admin.headers, payload })

/** A partner site whose ADMIN has a second factor and asks for one of the others too. */
async function aStrictSite(require_mfa = 'all'): Promise<Strict> {
  const admin = await anAdmin({ lyceum })
  await giveTotp(admin, lyceum)
  const reply = await change(admin, admin.site, { callback_url: HOME, require_mfa })
  assert.equal(reply.json().require_mfa, require_mfa, reply.body)
  return { site: admin.site, admin }
}

const post = (url: string, headers: Record<string, string>, payload: object) =>
  sso.inject({ method: 'POST', url: `/api/v1/auth/${url}`, headers, payload })
const login = ({ email, password }: Person, site: TestSite) =>
  post('login', site.headers, { email, password })
const sessionsAt = async ({ user_id }: Person, { site_id }: TestSite) =>
  (await db.fast`select from sso.sessions where user_id = ${user_id} and site_id = ${site_id}`).length
const codeOf = (secret: string) => new TOTP({ secret, digits: 6, period: 30 }).generate()
const pathOf = ({ site_code }: TestSite) =>
  `?${new URLSearchParams({ site_code, return_to: HOME }).toString()}`
const fromHost = { host: HOST, headers: { 'x-forwarded-proto': 'https', origin: ORIGIN } }

/** A browser whose person gave the right password at the site, and has to set up a factor now. */
async function asked(person: Person, site: TestSite) {
  const visitor = aVisitor({ lyceum })
  const query = pathOf(site)
  const who = { name: person.email, password: person.password }
  const proven = await visitor.submit(`/sign-in${query}`, who, fromHost)
  const reply = await visitor.allow(proven, fromHost)
  assert.deepEqual(
    [reply.statusCode, reply.headers.location],
    [303, `/sign-in/mfa/enrol${query}`],
    reply.body,
  )
  const begin = (type: string) => visitor.submit(`/sign-in/mfa/enrol${query}`, { type }, fromHost)
  const activate = async (page: string, fields: Record<string, string>) => {
    const [form_token = '', factor_id = '', type = ''] = ['form_token', 'factor_id', 'type'].map(
      (name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1],
    )
    const all = { form_token, factor_id, type, ...fields }
    return visitor.post(`/sign-in/mfa/enrol/activate${query}`, all, fromHost)
  }
  return { visitor, begin, activate, query }
}
const secretIn = (page: string) => /<code>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1]?.replaceAll(' ', '') ?? ''

/** `amr` of the session that the code in the partner's address stands for. */
async function amrOf(location: unknown, site: TestSite) {
  const code = new URL(String(location)).searchParams.get('code') ?? ''
  const reply = await post('exchange', site.headers, { code })
  assert.equal(reply.statusCode, 200, reply.body)
  return decodeJwt(reply.json().access_token)['amr']
}

describe('a site that requires a second factor', () => {
  test('refuses API sign-ins without one and links to our page', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    const reply = await login(anna, site)
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'mfa_enrolment_required'])
    assert.equal(reply.headers['link'], `<${ORIGIN}/sign-in?site_code=${site.site_code}>; rel="help"`)
    assert.ok(!reply.body.includes('mfat_'))
    assert.equal(await sessionsAt(anna, site), 0)
    const members =
      await db.fast`select from sso.memberships where user_id = ${anna.user_id} and site_id = ${site.site_id}`
    assert.equal(members.length, 0)
    const wrong = await login({ ...anna, password: 'not the password' }, site)
    assert.deepEqual([wrong.statusCode, wrong.json().code], [401, 'invalid_credentials'])
  })

  test('asks for an existing one like any site', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    const totp = await addTotp(anna, lyceum)
    const { mfa_token } = await challenge(anna, site.headers, lyceum)
    const reply = await post('mfa/verify', site.headers, { mfa_token, code: totp.code() })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(decodeJwt(reply.json().access_token)['amr'], ['pwd', 'otp'])
  })

  test('asks only ADMINs with `admins`, nobody with `none`', async () => {
    const { site, admin } = await aStrictSite('admins')
    const pupil = await aColleague({ site }, lyceum)
    const teacher = await aColleague({ site }, lyceum)
    await db.pool`
      update sso.memberships set role = 'ADMIN' where user_id = ${teacher.user_id} and site_id = ${site.site_id}`
    assert.equal((await login(pupil, site)).statusCode, 200)
    assert.equal((await login(teacher, site)).json().code, 'mfa_enrolment_required')
    assert.equal((await change(admin, site, { require_mfa: 'none' })).statusCode, 200)
    assert.equal((await login(teacher, site)).statusCode, 200)
  })

  test('ends a password-only session at its next refresh', async () => {
    const { site, admin } = await aStrictSite('none')
    const anna = await aColleague({ site }, lyceum)
    const ben = await aColleague({ site }, lyceum)
    const totp = await giveTotp(ben, lyceum)
    const { mfa_token } = await challenge(ben, site.headers, lyceum)
    const proven = (await post('mfa/verify', site.headers, { mfa_token, code: totp.code() })).json()
    await change(admin, site, { require_mfa: 'all' })
    const refreshed = await post('refresh', site.headers, { refresh_token: anna.refresh_token })
    assert.deepEqual([refreshed.statusCode, refreshed.json().code], [401, 'mfa_required'])
    const again = await post('refresh', site.headers, { refresh_token: anna.refresh_token })
    assert.deepEqual([again.statusCode, again.json().code], [401, 'refresh_token_invalid'])
    const gone = await sso.inject({ url: '/api/v1/sessions', headers: anna.headers })
    assert.equal(gone.statusCode, 401)
    const kept = await post('refresh', site.headers, { refresh_token: proven.refresh_token })
    assert.equal(kept.statusCode, 200, kept.body)
  })

  test('accepts no password-only sign-in from another site', async () => {
    const { site, admin } = await aStrictSite('none')
    const anna = await aUser({ lyceum })
    const visitor = aVisitor({ lyceum })
    const who = { name: anna.email, password: anna.password }
    assert.equal((await visitor.submit('/sign-in', who, fromHost)).statusCode, 303)
    const goOn = async () => visitor.allow(await visitor.get(`/sign-in${pathOf(site)}`, fromHost), fromHost)
    assert.match(String((await goOn()).headers.location), /code=code_/)
    await change(admin, site, { require_mfa: 'all' })
    const before = await sessionsAt(anna, site)
    const shown = await goOn()
    assert.equal(shown.statusCode, 200)
    assert.match(shown.body, /name="password"/)
    const client = await sso.inject({
      method: 'PUT',
      url: `/api/v1/sites/${site.site_id}/openid-client`,
      headers: admin.headers,
      payload: { redirect_uris: [HOME] },
    })
    assert.equal(client.statusCode, 201, client.body)
    const query = new URLSearchParams({
      client_id: site.site_code,
      redirect_uri: HOME,
      response_type: 'code',
      scope: 'openid',
      prompt: 'none',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const begun = await visitor.get(`/openid/authorize?${query.toString()}`, fromHost)
    const silent = await visitor.get(String(begun.headers.location), fromHost)
    assert.match(String(silent.headers.location), /error=login_required/)
    assert.equal(await sessionsAt(anna, site), before)
  })

  test('accepts a sign-in from another site that proved a factor', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    const totp = await addTotp(anna, lyceum)
    const visitor = aVisitor({ lyceum })
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password }, fromHost)
    await visitor.submit('/sign-in/mfa', { code: totp.code() }, fromHost)
    const shown = await visitor.get(`/sign-in${pathOf(site)}`, fromHost)
    const reply = await visitor.allow(shown, fromHost)
    assert.deepEqual(await amrOf(reply.headers.location, site), ['pwd', 'otp'])
  })

  test('needs a page to send people to', async () => {
    const admin = await anAdmin({ lyceum })
    for (const payload of [{ require_mfa: 'all' }, { require_mfa: 'admins', callback_url: null }]) {
      const reply = await change(admin, admin.site, payload)
      assert.deepEqual([reply.statusCode, reply.json().code], [422, 'callback_required'], reply.body)
    }
    const { site, admin: strict } = await aStrictSite()
    assert.equal((await change(strict, site, { callback_url: null })).json().code, 'callback_required')
    assert.equal((await change(strict, site, { require_mfa: 'sometimes' })).statusCode, 422)
  })
})

describe('the page that asks for a first factor', () => {
  test('adds an app and signs in by its first code', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    const { visitor, begin, activate, query } = await asked(anna, site)
    const choice = await visitor.get(`/sign-in/mfa/enrol${query}`, fromHost)
    assert.ok(!choice.body.includes('value="email"'), 'the address is not proven')
    const { body } = await begin('totp')
    assert.match(body, /href="otpauth:\/\/totp\//)
    assert.equal((await activate(body, { code: '000000' })).statusCode, 422)
    const done = await activate(body, { code: codeOf(secretIn(body)) })
    assert.deepEqual(await amrOf(done.headers.location, site), ['pwd', 'otp'])
    assert.ok(![...visitor.jar.keys()].some((name) => name.includes('enrol')))
    assert.equal((await login(anna, site)).json().mfa_required, true)
  })

  test('accepts a mailed code for a verified address', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    await db.pool`
      update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${anna.user_id}`
    const { begin, activate } = await asked(anna, site)
    const { body } = await begin('email')
    assert.ok(body.includes(anna.email))
    const done = await activate(body, { code: await mailedCode(anna.user_id, lyceum) })
    assert.deepEqual(await amrOf(done.headers.location, site), ['pwd', 'email'])
  })

  test('accepts a passkey', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    const { begin, activate } = await asked(anna, site)
    const { body } = await begin('webauthn')
    const json = /data-passkey="([^"]+)"/.exec(body)?.[1]?.replaceAll('&quot;', '"') ?? ''
    const options = JSON.parse(json) as PublicKeyCredentialCreationOptionsJSON
    const credential = JSON.stringify(new WebAuthnEmulator().createJSON(ORIGIN, options))
    const done = await activate(body, { credential })
    assert.equal(done.statusCode, 303, done.body)
    assert.deepEqual(await amrOf(done.headers.location, site), ['pwd', 'hwk'])
  })

  test('signs in one of twenty with the same code', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    const { begin, activate } = await asked(anna, site)
    const { body } = await begin('totp')
    const code = codeOf(secretIn(body))
    const replies = await Promise.all(Array.from({ length: 20 }, () => activate(body, { code })))
    const codes = replies.filter(({ headers }) => String(headers.location).includes('code=code_'))
    assert.equal(codes.length, 1)
    assert.equal(await sessionsAt(anna, site), 1)
  })

  test('is useless elsewhere, with another password, or for the API', async () => {
    const [{ site }, { site: other }] = [await aStrictSite(), await aStrictSite()]
    const anna = await aUser({ lyceum })
    const { visitor, query } = await asked(anna, site)
    const mfa_token = [...visitor.jar].find(([name]) => name.includes('enrol'))?.[1].value ?? ''
    assert.match(mfa_token, /^mfat_/)
    const elsewhere = await visitor.submit(`/sign-in/mfa/enrol${query}`, { type: 'totp' }, fromHost)
    assert.equal(elsewhere.statusCode, 200)
    const form_token = await visitor.formToken(`/sign-in/mfa/enrol${query}`)
    const foreign = { form_token, type: 'totp' }
    const moved = await visitor.post(`/sign-in/mfa/enrol${pathOf(other)}`, foreign, fromHost)
    assert.equal(moved.statusCode, 401, moved.body)
    for (const code of ['000000', 'AAAA-AAAA-AAAA-AAAA'])
      assert.equal((await post('mfa/verify', site.headers, { mfa_token, code })).statusCode, 401)
    const renewed = await asked(anna, site)
    await db.pool`delete from sso.mfa_challenges where user_id = ${anna.user_id} and consumed_at is null`
    const page = await renewed.visitor.get(`/sign-in/mfa/enrol${query}`, fromHost)
    assert.deepEqual([page.statusCode, /name="password"/.test(page.body)], [401, true])
    assert.equal(await sessionsAt(anna, site), 0)
  })

  test('never adds a factor by password alone beside an existing one', async () => {
    const { site } = await aStrictSite()
    const anna = await aUser({ lyceum })
    const { begin, activate } = await asked(anna, site)
    const { body } = await begin('totp')
    await addTotp(anna, lyceum)
    const late = await activate(body, { code: codeOf(secretIn(body)) })
    assert.ok(!String(late.headers.location).includes('code='), late.body)
    assert.equal(await sessionsAt(anna, site), 0)
    const reply = await login(anna, site)
    assert.equal(reply.json().mfa_required, true)
  })
})
