import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { addTotp } from '#testing/mfa.ts'
import {
  anAdmin,
  aSite,
  aUser,
  homeSite,
  nobody,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { mailsTo } from '#testing/mail.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()

const BACK = 'https://club.example.org/back?from=lyceum'
const credentials = ({ email, password }: Person) => ({ name: email, password })
const signInAt = ({ site_code }: TestSite) => `/sign-in?site_code=${site_code}`

async function aPartner() {
  const site = await aSite()
  await db.pool`update sso.sites set callback_url = ${BACK} where site_id = ${site.site_id}`
  return site
}

async function aSignedIn() {
  const [anna, visitor] = [await aUser(), aVisitor()]
  await visitor.submit('/sign-in', credentials(anna))
  return { anna, visitor }
}

const memberOf = async ({ user_id }: { user_id: string }, { site_id }: TestSite) =>
  (await db.pool`select from sso.memberships where user_id = ${user_id} and site_id = ${site_id}`).length

const consentOf = async ({ user_id }: { user_id: string }, { site_id }: TestSite) =>
  (
    await db.pool<{ scopes: string[]; given_by: string; is_revoked: boolean }[]>`
      select scopes, given_by, revoked_at is not null as is_revoked from sso.consents
       where user_id = ${user_id} and site_id = ${site_id}`
  )[0]

const listOf = async ({ headers }: Person, query = '') =>
  (await sso.inject({ url: `/api/v1/consents${query}`, headers })).json()

const disconnect = ({ headers }: { headers: Record<string, string> }, site_id: string) =>
  sso.inject({ method: 'DELETE', url: `/api/v1/consents/${site_id}`, headers })

describe('the page of consent', () => {
  test('names the site, its operator, the unverified domain and its data', async () => {
    const [site, { anna, visitor }] = [await aPartner(), await aSignedIn()]
    await db.pool`
      update sso.sites set name = 'Chess <Club>', domain = 'bank.example.org' where site_id = ${site.site_id}`
    await db.pool`update sso.tenants set name = 'Gymnasium' where tenant_id = ${site.tenant_id}`
    const { body, headers } = await visitor.get(signInAt(site))
    const text = body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
    assert.match(text, /Sign in to Chess &lt;Club&gt;\?/)
    assert.ok(text.includes(anna.email))
    assert.match(text, /Run by Gymnasium/)
    assert.match(text, /Domain not verified/)
    assert.ok(!text.includes('bank.example.org'), 'a domain of somebody else is not lent to it')
    for (const words of [
      'account number',
      'Your name',
      'Your e-mail address',
      'phone number',
      'while you are away',
    ])
      assert.ok(text.includes(words), words)
    assert.match(
      String(headers['content-security-policy']),
      /form-action 'self' https:\/\/club\.example\.org;/,
    )
    await db.pool`update sso.sites set domain_verified_at = clock_timestamp() where site_id = ${site.site_id}`
    assert.match((await visitor.get(signInAt(site))).body, /bank\.example\.org <span class="mark">verified/)
  })

  test('asks once and stores the agreement', async () => {
    const [site, { anna, visitor }] = [await aPartner(), await aSignedIn()]
    const done = await visitor.allow(await visitor.get(signInAt(site)))
    assert.match(String(done.headers.location), /^https:\/\/club\.example\.org\/back\?from=lyceum&code=code_/)
    assert.deepEqual(await consentOf(anna, site), {
      scopes: ['openid', 'profile', 'email', 'phone', 'offline_access'],
      given_by: 'page',
      is_revoked: false,
    })
    const again = await visitor.get(signInAt(site))
    assert.match(String(again.headers.location), /[?&]code=code_/)
    const [line] = await db.pool<{ details: object }[]>`
      select details from sso.audit_log where action = 'consent.granted' and subject_user_id = ${anna.user_id}`
    assert.deepEqual(line?.details, {
      scopes: ['openid', 'profile', 'email', 'phone', 'offline_access'],
      given_by: 'page',
    })
  })

  test('returns access_denied on cancel and creates nothing', async () => {
    const site = await aPartner()
    const anna = await aUser()
    for (const visitor of [aVisitor(), (await aSignedIn()).visitor]) {
      const shown = visitor.jar.has('sso_refresh')
        ? await visitor.get(signInAt(site))
        : await visitor.submit(signInAt(site), credentials(anna))
      const done = await visitor.decide(shown, 'cancel')
      assert.equal(done.headers.location, `${BACK}&error=access_denied`)
      assert.ok(!visitor.jar.has('sso_consent'))
    }
    const left = await db.pool`
      select from sso.sessions where site_id = ${site.site_id}
      union all select from sso.consents where site_id = ${site.site_id}`
    assert.equal(left.length, 0)
  })

  test('comes after the second factor', async () => {
    const [site, anna, visitor] = [await aPartner(), await aUser(), aVisitor()]
    const totp = await addTotp(anna)
    const asked = await visitor.submit(signInAt(site), credentials(anna))
    assert.match(String(asked.headers.location), /^\/sign-in\/mfa\?/)
    const proven = await visitor.submit(String(asked.headers.location), { code: totp.code() })
    assert.match(String(proven.headers.location), /^\/sign-in\/consent\?/)
    assert.equal(await memberOf(anna, site), 0)
    const done = await visitor.allow(proven)
    const code = new URL(String(done.headers.location)).searchParams.get('code')
    const url = '/api/v1/auth/exchange'
    const reply = await sso.inject({ method: 'POST', url, headers: site.headers, payload: { code } })
    const { access_token } = reply.json()
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
    assert.deepEqual(claims.amr, ['pwd', 'otp'])
  })

  test('lets somebody else sign in without changing the session', async () => {
    const [site, { visitor }, ben] = [await aPartner(), await aSignedIn(), await aUser()]
    const { body } = await visitor.get(signInAt(site))
    const [, other = ''] = /href="([^"]+)">Sign in as somebody else/.exec(body) ?? []
    const kept = visitor.jar.get('sso_refresh')
    const done = await visitor.allow(await visitor.submit(other.replaceAll('&amp;', '&'), credentials(ben)))
    assert.match(String(done.headers.location), /[?&]code=/)
    assert.equal(await memberOf(ben, site), 1)
    assert.equal(visitor.jar.get('sso_refresh'), kept)
  })

  test('is not shown for sites of the network', async () => {
    const { visitor } = await aSignedIn()
    const reply = await visitor.get('/sign-in/consent')
    assert.equal(reply.headers.location, '/sign-in?site_code=learning')
  })

  test('keeps a suspended member out', async () => {
    const [site, anna] = [await aPartner(), await aUser()]
    await db.pool`
      insert into sso.memberships (user_id, site_id, role, suspended_at)
      values (${anna.user_id}, ${site.site_id}, 'USER', clock_timestamp())`
    const reply = await aVisitor().submit(signInAt(site), credentials(anna))
    assert.equal(reply.statusCode, 401)
    assert.match(reply.body, /suspended/)
  })
})

describe('signing up on the page for a partner', () => {
  test('creates the account, but member and bill only after consent', async () => {
    const [site, visitor] = [await aPartner(), aVisitor()]
    const email = `new-${randomBytes(5).toString('hex')}@example.org`
    await visitor.submit(`/sign-up?site_code=${site.site_code}`, { email, display_name: 'Anna' })
    const [mail] = await mailsTo(email)
    const [, path = '', token = ''] = /https?:\/\/[^/]+(\/\S*?)#token=(\S+)/.exec(mail?.text ?? '') ?? []
    const asked = await visitor.submit(path, { token, password: 'battery staple 7' })
    assert.match(String(asked.headers.location), /^\/sign-in\/consent\?/)
    const [user] = await db.pool<{ user_id: string }[]>`select user_id from sso.users where email = ${email}`
    assert.ok(user)
    const billed = () => db.pool`select from sso.billing_ledger where user_id = ${user.user_id}`
    assert.deepEqual([await memberOf(user, site), (await billed()).length], [0, 0])
    const done = await visitor.allow(asked)
    assert.match(String(done.headers.location), /[?&]code=/)
    assert.deepEqual([await memberOf(user, site), (await billed()).length], [1, 1])
  })

  test('reveals only public facts to the partner before consent', async () => {
    const site = await aPartner()
    await db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events)
      values (gen_random_uuid(), ${site.site_id}, 'https://club.example.org/hook', '{user.created}')`
    const email = `new-${randomBytes(5).toString('hex')}@example.org`
    const fields = { email, display_name: 'Anna' }
    await aVisitor().submit(`/sign-up?site_code=${site.site_code}`, fields)
    const [fact] = await db.pool<{ origin_site_id: string | null; data_public: object }[]>`
      select f.origin_site_id, f.data_public from sso.webhook_facts f join sso.users u on u.user_id = f.subject_user_id
       where u.email = ${email} and f.event_type = 'user.created'`
    assert.ok(fact)
    assert.equal(fact.origin_site_id, null, 'no site is told the whole of it')
    assert.ok(!JSON.stringify(fact.data_public).includes(email))
  })
})

describe('the connected sites', () => {
  test('are allowed, given a password or added, newest first', async () => {
    const [allowed, typed, added] = [await aPartner(), await aPartner(), await aPartner()]
    const { anna, visitor } = await aSignedIn()
    await visitor.allow(await visitor.get(signInAt(allowed)))
    await signIn(anna, { at: typed })
    await db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${anna.user_id}, ${added.site_id}, 'USER')`
    const all = await listOf(anna)
    assert.deepEqual(
      all.items.map(({ site_code, given_by }: { site_code: string; given_by: string }) => [
        site_code,
        given_by,
      ]),
      [
        [added.site_code, 'site'],
        [typed.site_code, 'password'],
        [allowed.site_code, 'page'],
      ],
    )
    assert.deepEqual([all.total, all.pages, all.items[0].scopes], [3, 1, []])
    const pages = [await listOf(anna, '?per_page=2'), await listOf(anna, '?per_page=2&page=2')]
    assert.deepEqual(
      pages.flatMap(({ items }) => items),
      all.items,
    )
    const ben = await aUser()
    assert.equal((await listOf(ben)).total, 0)
  })

  test('are private: no token, other people and network sites refused', async () => {
    const [site, anna, ben] = [await aPartner(), await aUser(), await aUser()]
    await signIn(anna, { at: site })
    assert.equal((await disconnect(await nobody(), site.site_id)).statusCode, 401)
    assert.equal((await disconnect(ben, site.site_id)).statusCode, 404)
    assert.equal((await disconnect(anna, (await homeSite()).site_id)).statusCode, 404)
    assert.equal((await disconnect(anna, 'x')).statusCode, 404)
    assert.equal((await consentOf(anna, site))?.is_revoked, false)
    const admin = await anAdmin()
    assert.equal((await disconnect(admin, site.site_id)).statusCode, 403, 'a token of a partner')
  })

  test('end separately: its sessions and its sites learn of it', async () => {
    const [site, other] = [await aPartner(), await aPartner()]
    const anna = await aUser()
    const [here, there] = [await signIn(anna, { at: site }), await signIn(anna, { at: other })]
    await db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events)
      values (gen_random_uuid(), ${site.site_id}, 'https://club.example.org/hook', '{session.revoked}')`
    assert.equal((await disconnect(anna, site.site_id)).statusCode, 204)
    const ended = await db.pool<{ site_id: string }[]>`
      select site_id from sso.sessions where user_id = ${anna.user_id} and revoked_at is not null`
    assert.deepEqual(
      ended.map(({ site_id }) => site_id),
      [site.site_id],
    )
    const { headers } = here
    assert.equal((await sso.inject({ url: '/api/v1/sessions', headers })).statusCode, 401)
    const again = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: other.headers,
      payload: { refresh_token: there.refresh_token },
    })
    assert.equal(again.statusCode, 200, 'the other site goes on')
    const [told] = await db.pool<{ data: { reason: string } }[]>`
      select data from sso.webhook_facts where event_type = 'session.revoked' and subject_user_id = ${anna.user_id}`
    assert.equal(told?.data.reason, 'consent_revoked')
    const fresh = await signIn(anna)
    assert.deepEqual(
      (await listOf(fresh)).items.map(({ site_code }: { site_code: string }) => site_code),
      [other.site_code],
    )
    assert.equal((await disconnect(fresh, site.site_id)).statusCode, 404, 'a repeat finds nothing')
  })

  test('return through a password given there or a new consent', async () => {
    const [site, { anna, visitor }] = [await aPartner(), await aSignedIn()]
    await signIn(anna, { at: site })
    assert.equal((await visitor.get(signInAt(site))).statusCode, 303, 'the password was a yes')
    await disconnect(await signIn(anna), site.site_id)
    const asked = await visitor.get(signInAt(site))
    assert.match(asked.body, /<h1>Sign in to /)
    await signIn(anna, { at: site })
    assert.equal((await consentOf(anna, site))?.is_revoked, false)
    assert.equal((await visitor.get(signInAt(site))).statusCode, 303)
    await disconnect(await signIn(anna), site.site_id)
    await visitor.allow(await visitor.get(signInAt(site)))
    assert.equal((await consentOf(anna, site))?.given_by, 'page')
  })

  test('end for people the site added unasked', async () => {
    const [site, { anna, visitor }] = [await aPartner(), await aSignedIn()]
    await db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${anna.user_id}, ${site.site_id}, 'USER')`
    assert.match((await visitor.get(signInAt(site))).body, /<h1>Sign in to /)
    assert.equal((await disconnect(anna, site.site_id)).statusCode, 204)
    assert.equal((await listOf(await signIn(anna))).total, 0)
    assert.equal(await memberOf(anna, site), 1, 'the site keeps its own record')
  })

  test('are exported with the account and deleted with it', async () => {
    const [site, anna] = [await aPartner(), await aUser()]
    await signIn(anna, { at: site })
    const url = `/api/v1/users/${anna.user_id}`
    const all = (await sso.inject({ url: `${url}/export`, headers: anna.headers })).json()
    assert.deepEqual(
      all.consents.map(({ site_code, given_by }: { site_code: string; given_by: string }) => [
        site_code,
        given_by,
      ]),
      [[site.site_code, 'password']],
    )
    const erased = await sso.inject({ method: 'DELETE', url, headers: (await signIn(anna)).headers })
    assert.equal(erased.statusCode, 204, erased.body)
    assert.equal(await consentOf(anna, site), undefined)
  })
})

describe('/account/sites', () => {
  const page = '/account/sites'

  test('sends signed out visitors to the sign-in page and back', async () => {
    const reply = await aVisitor().get(page)
    const location = new URL(String(reply.headers.location), 'http://127.0.0.1:8064')
    assert.equal(location.pathname, '/sign-in')
    assert.equal(location.searchParams.get('return_to'), `http://127.0.0.1:8064${page}`)
    const { visitor } = await aSignedIn()
    visitor.jar.delete('access_token')
    const round = await visitor.get(String((await visitor.get(page)).headers.location))
    assert.equal(round.headers.location, `http://127.0.0.1:8064${page}`)
    assert.equal((await visitor.get(page)).statusCode, 200)
  })

  test('disconnects by its own form only', async () => {
    const [site, { anna, visitor }, stranger] = [await aPartner(), await aSignedIn(), await aSignedIn()]
    await visitor.allow(await visitor.get(signInAt(site)))
    const { site_id } = site
    const form_token = await visitor.formToken(page)
    const foreign = await stranger.visitor.formToken(page)
    for (const [fields, sent] of [
      [{ form_token: foreign, site_id }, {}],
      [{ form_token: 'x.y', site_id }, {}],
      [{ form_token, site_id }, { headers: { origin: 'https://evil.example' } }],
      [{ form_token, site_id }, { headers: { 'sec-fetch-site': 'cross-site' } }],
    ] as const)
      assert.equal((await visitor.post(page, fields, sent)).statusCode, 403)
    assert.equal((await consentOf(anna, site))?.is_revoked, false)
    const done = await visitor.post(page, { form_token, site_id })
    assert.match(done.body, /role="status">[^<]+ is disconnected/)
    assert.equal((await consentOf(anna, site))?.is_revoked, true)
  })

  test('shows twenty at a time', async () => {
    const { anna, visitor } = await aSignedIn()
    await db.pool`
      with made as (
        insert into sso.sites (site_id, tenant_id, site_code, name, domain, environment, webhook_secret_enc)
        select gen_random_uuid(), tenant_id, 'many-' || n || '-' || ${randomBytes(4).toString('hex')}, 'Many ' || n,
               'x.example', 'production', ''
          from generate_series(1, 25) n, (select tenant_id from sso.tenants where environment = 'production' limit 1) t
        returning site_id)
      insert into sso.consents (user_id, site_id, scopes, given_by)
      select ${anna.user_id}, site_id, '{openid}', 'page' from made`
    const shown = async (url: string) =>
      [...(await visitor.get(url)).body.matchAll(/>(Many \d+)</g)].map(([, name]) => name)
    const [first, second] = [await shown(page), await shown(`${page}?page=2`)]
    assert.deepEqual([first.length, second.length, new Set([...first, ...second]).size], [20, 5, 25])
    assert.match((await visitor.get(page)).body, /href="\/account\/sites\?page=2">Older/)
    assert.match(
      (await visitor.get(`${page}?page=7`)).body,
      /Many/,
      'a page behind the last one is the last one',
    )
  })
})
