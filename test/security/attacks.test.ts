import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, anOperator, aSite, aUser, homeSite, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

/**
 * One test per goal of an attacker. Every attack once succeeded; SECURITY.md has the rules that now refuse it. Attacks
 * that need hostile files, foreign hosts or a browser are in the files beside this one and in test/browser.
 */
const { sso, learning, collections, db, firstRun } = await world()

/** The operator of the installation, signed in at a site that a learner created. */
async function anOperatorAtForeignSite() {
  const site = await aSite()
  const operator = await signIn(firstRun.admin, { at: site })
  return { site, operator }
}

const consoleSite = () => firstRun.sites['console']?.site_id ?? ''

describe('a learner becomes operator through a site of their own', () => {
  test('a foreign token reads no settings of the console', async () => {
    const { operator } = await anOperatorAtForeignSite()
    const reply = await sso.inject({ url: `/api/v1/sites/${consoleSite()}`, headers: operator.headers })
    assert.equal(reply.statusCode, 403, reply.body)
  })

  test('a foreign token creates no key for the console', async () => {
    const { operator } = await anOperatorAtForeignSite()
    const url = `/api/v1/sites/${consoleSite()}/keys`
    const reply = await sso.inject({ method: 'POST', url, headers: operator.headers })
    assert.equal(reply.statusCode, 403, reply.body)
    assert.ok(!reply.body.includes('sso_live_'))
  })

  test('a foreign token grants no role at the console', async () => {
    const { operator, site } = await anOperatorAtForeignSite()
    const reply = await sso.inject({
      method: 'POST',
      url: `/api/v1/users/${site.owner.user_id}/roles`,
      headers: operator.headers,
      payload: { role: 'ADMIN', site_code: 'console' },
    })
    assert.equal(reply.statusCode, 403, reply.body)
    const [granted] = await db.fast`
      select from sso.memberships where user_id = ${site.owner.user_id} and site_id = ${consoleSite()}`
    assert.equal(granted, undefined)
  })

  test('a foreign token lists no people of the console', async () => {
    const { operator } = await anOperatorAtForeignSite()
    const reply = await sso.inject({ url: '/api/v1/users?site_code=console', headers: operator.headers })
    const emails =
      reply.statusCode === 200 ? reply.json().items.map(({ email }: { email: string }) => email) : []
    assert.deepEqual(
      emails.filter((email: string) => email !== firstRun.admin.email),
      [],
    )
  })

  test('a foreign token lists no settings of other sites', async () => {
    const { operator, site } = await anOperatorAtForeignSite()
    const { items } = (await sso.inject({ url: '/api/v1/sites', headers: operator.headers })).json()
    const shown = items.filter((one: object) => 'site_key_hints' in one)
    assert.deepEqual(
      shown.filter(({ site_id }: { site_id: string }) => site_id !== site.site_id),
      [],
    )
  })
})

describe('an ADMIN of one partner site reaches another', () => {
  test('with a token of the first, as ADMIN of both', async () => {
    const first = await anAdmin()
    const second = await anAdmin()
    await db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${first.user_id}, ${second.site.site_id}, 'ADMIN')`
    const member = await aColleague(second)
    const calls = [
      { method: 'PATCH', url: `/api/v1/sites/${second.site.site_id}`, payload: { name: 'Mine' } },
      { method: 'DELETE', url: `/api/v1/sites/${second.site.site_id}` },
      {
        method: 'POST',
        url: '/api/v1/webhooks',
        payload: { webhook_url: 'https://example.com/', site_code: second.site.site_code },
      },
      {
        method: 'POST',
        url: '/api/v1/users',
        payload: {
          email: `new-${randomBytes(5).toString('hex')}@example.org`,
          site_code: second.site.site_code,
        },
      },
    ] as const
    for (const call of calls) {
      const reply = await sso.inject({ ...call, headers: first.headers })
      assert.equal(reply.statusCode, 403, `${call.method} ${call.url}: ${reply.body}`)
    }
    const unseen = [
      { method: 'GET', url: `/api/v1/users/${member.user_id}` },
      { method: 'DELETE', url: `/api/v1/sessions/${member.session_id}` },
      { method: 'DELETE', url: `/api/v1/users/${member.user_id}/sessions` },
    ] as const
    for (const call of unseen) {
      const reply = await sso.inject({ ...call, headers: first.headers })
      assert.equal(reply.statusCode, 404, `${call.method} ${call.url}: ${reply.body}`)
    }
  })

  test('in the same tenant, by changing a shared member', async () => {
    const first = await anAdmin()
    const made = await sso.inject({
      method: 'POST',
      url: '/api/v1/sites',
      headers: first.headers,
      payload: { name: 'Second', environment: 'sandbox' },
    })
    assert.equal(made.statusCode, 201, made.body)
    const [twin] = await db.pool<{ site_id: string }[]>`
      insert into sso.sites (site_id, tenant_id, site_code, name, domain, environment, webhook_secret_enc)
      select gen_random_uuid(), tenant_id, site_code || '-b', name, domain, environment, webhook_secret_enc
        from sso.sites where site_id = ${first.site.site_id} returning site_id`
    await db.pool`
      insert into sso.roles (site_id, role, name, description, permissions, is_admin, is_default)
      select ${twin?.site_id ?? ''}, role, name, description, permissions, is_admin, is_default from sso.roles
       where site_id = ${first.site.site_id}`
    const member = await aColleague(first)
    await db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${member.user_id}, ${twin?.site_id ?? ''}, 'USER')`
    const reply = await sso.inject({
      method: 'PATCH',
      url: `/api/v1/users/${member.user_id}`,
      headers: first.headers,
      payload: { email: `taken-over-${randomBytes(5).toString('hex')}@example.org` },
    })
    assert.equal(reply.statusCode, 403, reply.body)
  })
})

describe('a partner mints tokens with the secret of its own site', () => {
  /** A token of the person, changed and signed again with the site's jwt_secret, which its partner knows. */
  async function forged(changes: Record<string, unknown>) {
    const creator = await aUser()
    const made = await sso.inject({
      method: 'POST',
      url: '/api/v1/sites',
      headers: creator.headers,
      payload: { name: 'Mint', environment: 'sandbox' },
    })
    const { jwt_secret, site_key, ...site } = made.json()
    const at = { ...site, site_key, headers: { 'x-sso-site-key': site_key } }
    const person = await aUser({ at })
    const [header = '', payload = ''] = person.access_token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const input = `${header}.${Buffer.from(JSON.stringify({ ...claims, ...changes })).toString('base64url')}`
    const mac = createHmac('sha256', Buffer.from(jwt_secret, 'base64url')).update(input).digest('base64url')
    return { token: `${input}.${mac}`, claims, at }
  }
  const year = 365 * 86_400
  const now = () => Math.floor(Date.now() / 1_000)

  for (const [wish, changes] of [
    ['one that lives for 28 years', () => ({ exp: now() + 28 * year })],
    ['one that is fresh for ever', () => ({ iat: now(), nbf: now(), exp: now() + 1_700 })],
    ['one with a second factor', () => ({ amr: ['pwd', 'otp'] })],
    ['one with an id of its own', () => ({ jti: '00000000-0000-4000-8000-000000000000' })],
  ] as const)
    test(`${wish}: 401 at all three services`, async () => {
      const { token, at } = await forged(changes())
      const headers = { authorization: `Bearer ${token}` }
      assert.equal((await sso.inject({ url: '/api/v1/sessions', headers })).statusCode, 401)
      assert.equal((await learning.inject({ url: '/api/channels', headers })).statusCode, 401)
      assert.equal((await collections.inject({ url: '/api/auth/me', headers })).statusCode, 401)
      const introspected = await sso.inject({
        method: 'POST',
        url: '/api/v1/auth/introspect',
        headers: at.headers,
        payload: { token },
      })
      assert.deepEqual(introspected.json(), { active: false })
    })
})

describe('what remains allowed', () => {
  test('a console token administers every site for an operator', async () => {
    const operator = await anOperator()
    const site = await aSite()
    const reply = await sso.inject({ url: `/api/v1/sites/${site.site_id}`, headers: operator.headers })
    assert.equal(reply.statusCode, 200, reply.body)
  })

  test('a console token administers only sites of its holder', async () => {
    const owned = await aSite()
    const other = await aSite()
    const site = firstRun.sites['console']
    assert.ok(site)
    const at = {
      ...(await homeSite()),
      ...site,
      site_code: 'console',
      headers: { 'x-sso-site-key': site.site_key },
    }
    const owner = await signIn(owned.owner, { at })
    const own = await sso.inject({ url: `/api/v1/sites/${owned.site_id}`, headers: owner.headers })
    assert.equal(own.statusCode, 200, own.body)
    const foreign = await sso.inject({ url: `/api/v1/sites/${other.site_id}`, headers: owner.headers })
    assert.equal(foreign.statusCode, 404, foreign.body)
  })

  test('an ADMIN administers a partner site with its token', async () => {
    const admin = await anAdmin()
    const member = await aColleague(admin)
    const seen = await sso.inject({ url: `/api/v1/users/${member.user_id}`, headers: admin.headers })
    assert.equal(seen.statusCode, 200, seen.body)
    const changed = await sso.inject({
      method: 'PATCH',
      url: `/api/v1/users/${member.user_id}`,
      headers: admin.headers,
      payload: { display_name: 'Anna' },
    })
    assert.equal(changed.statusCode, 200, changed.body)
  })
})
