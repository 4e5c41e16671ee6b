import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { onceLetIn } from '#testing/let-in.ts'
import { aColleague, anAdmin, aSite, aUser, type Headers, homeSite, signIn } from '#testing/people.ts'
import { type World, world } from '#testing/world.ts'

async function create(payload: object, headers: Headers, at?: World['sso']) {
  const sso = at ?? (await world()).sso
  return sso.inject({ method: 'POST', url: '/api/v1/sites', headers, payload })
}
async function list(headers: Headers, query = '') {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/sites${query}`, headers })
}
const unique = () => randomBytes(5).toString('hex')

describe('POST /api/v1/sites', () => {
  test('creates a sandbox site by default and shows its secrets once', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const name = `Schule Zürich ${unique()}`
    const reply = await create({ name, callback_url: 'http://localhost:3000/back' }, anna.headers)
    assert.equal(reply.statusCode, 201)
    const site = reply.json()
    assert.equal(site.environment, 'sandbox')
    assert.equal(site.site_code, name.toLowerCase().replace('ü', 'u').replaceAll(' ', '-'))
    assert.equal(site.domain, 'localhost')
    assert.equal(site.role, 'ADMIN')
    assert.match(site.site_key, /^sso_test_[0-9A-Za-z]{49}$/)
    assert.match(site.webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.match(site.jwt_secret, /^[\w-]{43}$/)
    assert.deepEqual(site.site_key_hints, [site.site_key.slice(-4)])
    const listed = await list(anna.headers)
    for (const secret of [site.site_key, site.webhook_secret, site.jwt_secret]) {
      assert.ok(!listed.body.includes(secret))
      const [found] = await db.fast`
        select from sso.sites i join sso.site_keys k using (site_id)
         where i.site_id = ${site.site_id} and (i::text like ${`%${secret}%`} or k::text like ${`%${secret}%`})`
      assert.equal(found, undefined)
    }
  })

  test('gives a key that works at once', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    const { site_key, site_code } = (
      await create({ name: `A ${unique()}`, environment: 'production' }, anna.headers)
    ).json()
    const payload = { email: anna.email, password: anna.password }
    const headers = { 'x-sso-site-key': site_key }
    const reply = await sso.inject({ method: 'POST', url: '/api/v1/auth/login', headers, payload })
    assert.equal(reply.statusCode, 200)
    assert.deepEqual(reply.json().user.roles, [{ site_code, role: 'ADMIN' }])
  })

  test('founds a new tenant for a learner, none for an ADMIN', async () => {
    const [home, learner, admin] = [await homeSite(), await aUser(), await anAdmin()]
    const theirs = (await create({ name: unique(), environment: 'production' }, learner.headers)).json()
    assert.notEqual(theirs.tenant_id, home.tenant_id)
    const named = { name: unique(), environment: 'production', tenant_id: admin.tenant_id }
    const ours = (await create(named, (await signIn(admin)).headers)).json()
    assert.equal(ours.tenant_id, admin.tenant_id)
    const { headers } = await signIn(await aColleague(admin))
    assert.equal((await create({ ...named, name: unique() }, headers)).statusCode, 404)
    const apart = (await create({ name: unique(), environment: 'production' }, headers)).json()
    assert.ok(apart.tenant_id)
    assert.notEqual(apart.tenant_id, admin.tenant_id)
  })

  test('refuses a tenant to an ADMIN demoted since the check', async () => {
    const { db } = await world()
    for (const environment of ['sandbox', 'production']) {
      const admin = await anAdmin()
      const isSandbox = environment === 'sandbox'
      const caller = isSandbox ? admin : await signIn(admin)
      const site = { name: unique(), environment, ...(!isSandbox && { tenant_id: admin.tenant_id }) }
      const [reply] = await onceLetIn(
        await world(),
        [(sso) => create(site, caller.headers, sso)],
        () => db.pool`update sso.memberships set role = 'USER' where user_id = ${admin.user_id}`,
      )
      const refusal = isSandbox ? [403, 'admin_required'] : [404, 'not_found']
      assert.deepEqual([reply?.statusCode, reply?.json().code], refusal)
      const sites = await db.pool`
        select from sso.sites i join sso.tenants t using (tenant_id)
         where coalesce(t.production_tenant_id, t.tenant_id) = ${admin.tenant_id}`
      assert.equal(sites.length, 1)
    }
  })

  test('creates nothing when account or session ended since the check', async () => {
    const [anna, ben, { db }] = [await aUser(), await aUser(), await world()]
    const replies = await onceLetIn(
      await world(),
      [anna, ben].map(
        ({ headers }) =>
          (sso) =>
            create({ name: unique() }, headers, sso),
      ),
      async () => {
        await db.pool`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
        await db.pool`
          update sso.sessions set revoked_at = clock_timestamp(), revoke_reason = 'logout' where user_id = ${ben.user_id}`
      },
    )
    assert.equal(replies.length, 2)
    for (const reply of replies)
      assert.deepEqual([reply.statusCode, reply.json().code], [401, 'token_revoked'])
    for (const { user_id } of [anna, ben])
      assert.equal((await db.pool`select from sso.tenants where created_by = ${user_id}`).length, 0)
  })

  test('puts all sandbox sites of a tenant into one twin', async () => {
    const [admin, { db }] = [await anAdmin(), await world()]
    const replies = await Promise.all(
      Array.from({ length: 19 }, () => create({ name: unique() }, admin.headers)),
    )
    assert.deepEqual(new Set(replies.map((reply) => reply.statusCode)), new Set([201]))
    const twins = await db.fast<{ tenant_id: string }[]>`
      select tenant_id from sso.tenants where production_tenant_id = ${admin.tenant_id}`
    assert.deepEqual(
      new Set(replies.map((reply) => reply.json().tenant_id)),
      new Set(twins.map((row) => row.tenant_id)),
    )
  })

  test('numbers sites of one name and gives a code once', async () => {
    const [admin, name] = [await anAdmin(), `Twin ${unique()}`]
    const codes = await Promise.all(
      Array.from({ length: 5 }, async () => (await create({ name }, admin.headers)).json().site_code),
    )
    const base = name.toLowerCase().replace(' ', '-')
    assert.deepEqual(new Set(codes), new Set([base, `${base}-2`, `${base}-3`, `${base}-4`, `${base}-5`]))
    const site_code = `wanted-${unique()}`
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => create({ name, site_code }, admin.headers)),
    )
    assert.equal(replies.filter((reply) => reply.statusCode === 201).length, 1)
    assert.equal(replies.filter((reply) => reply.json().code === 'site_code_taken').length, 19)
  })

  test('lets a person found twenty tenants, also under concurrency', async () => {
    const anna = await aUser()
    const replies = await Promise.all(
      Array.from({ length: 25 }, () => create({ name: unique() }, anna.headers)),
    )
    assert.equal(replies.filter((reply) => reply.statusCode === 201).length, 20)
    assert.equal(replies.filter((reply) => reply.json().code === 'site_limit').length, 5)
  })

  test('counts the sites of a person over all tenants', async () => {
    const { owner, ...site } = await aSite()
    const admin = await signIn(owner, { at: site })
    const twin = (await create({ name: unique() }, admin.headers)).json()
    assert.equal(twin.environment, 'sandbox')
    assert.notEqual(twin.tenant_id, site.tenant_id)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => create({ name: unique() }, owner.headers)),
    )
    assert.equal(replies.filter((reply) => reply.statusCode === 201).length, 18)
  })

  test('refuses production sites to a sandbox token', async () => {
    const tester = await aUser({ at: await aSite({ environment: 'sandbox' }) })
    const reply = await create({ name: unique(), environment: 'production' }, tester.headers)
    assert.equal(reply.statusCode, 403)
    assert.equal(reply.json().code, 'environment_forbidden')
    assert.equal((await create({ name: unique() }, tester.headers)).statusCode, 201)
    assert.equal((await list(tester.headers, '?environment=production')).json().total, 0)
  })

  for (const [name, payload, status, code] of [
    ['no name', {}, 400, 'missing_field'],
    ['an empty name', { name: '' }, 422, 'validation'],
    ['an unknown environment', { name: 'x', environment: 'staging' }, 422, 'validation'],
    ['an unknown signing', { name: 'x', token_signing: 'none' }, 422, 'validation'],
    ['a code in capitals', { name: 'x', site_code: 'ABC' }, 422, 'invalid_site_code'],
    ['a short code', { name: 'x', site_code: 'ab' }, 422, 'invalid_site_code'],
    ['a domain with a path', { name: 'x', domain: 'a.b/c' }, 422, 'invalid_domain'],
    ['no address as callback', { name: 'x', callback_url: 'back' }, 422, 'invalid_url'],
    ['a script as callback', { name: 'x', callback_url: 'javascript:alert(1)' }, 422, 'invalid_url'],
    ['credentials in the callback', { name: 'x', callback_url: 'https://a:b@c.de/' }, 422, 'invalid_url'],
    [
      'http in production',
      { name: 'x', environment: 'production', callback_url: 'http://a.de/' },
      422,
      'https_required',
    ],
    [
      'loopback in production',
      { name: 'x', environment: 'production', callback_url: 'https://127.1/' },
      422,
      'https_required',
    ],
    [
      '::1 in production',
      { name: 'x', environment: 'production', callback_url: 'https://[::1]/' },
      422,
      'https_required',
    ],
    [
      'localhost in production',
      { name: 'x', environment: 'production', callback_url: 'https://LOCALHOST/' },
      422,
      'https_required',
    ],
  ] as const) {
    test(`refuses ${name} with ${status} ${code} and creates nothing`, async () => {
      const anna = await aUser()
      const reply = await create(payload, anna.headers)
      assert.equal(reply.statusCode, status, reply.body)
      assert.equal(reply.json().code, code)
      assert.equal((await list(anna.headers)).json().total, 1)
    })
  }

  test('needs a token, not a site key', async () => {
    assert.equal((await create({ name: 'x' }, {})).statusCode, 401)
    assert.equal((await create({ name: 'x' }, (await aSite()).headers)).statusCode, 401)
  })
})

describe('GET /api/v1/sites', () => {
  test('shows members the site, and settings only to its ADMIN', async () => {
    const admin = await anAdmin()
    const member = await aColleague(admin)
    const [seen] = (await list(member.headers)).json().items
    assert.deepEqual(Object.keys(seen).toSorted(), [
      'created_at',
      'domain',
      'domain_verified',
      'environment',
      'name',
      'role',
      'site_code',
      'site_id',
      'status',
      'tenant_id',
    ])
    const settings = (await list(admin.headers))
      .json()
      .items.find(({ site_code }: { site_code: string }) => site_code === admin.site_code)
    assert.equal(settings.refresh_reuse_policy, 'tolerant')
    assert.deepEqual(settings.site_key_hints, [admin.site.site_key.slice(-4)])
  })

  test("lists only the caller's sites", async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    await create({ name: unique() }, admin.headers)
    const all = (await list(admin.headers)).json()
    assert.deepEqual([all.total, all.items.length, all.page, all.per_page, all.pages], [2, 2, 1, 20, 1])
    assert.ok(!JSON.stringify(all).includes(stranger.site_code))
    const sandbox = (await list(admin.headers, '?environment=sandbox')).json()
    assert.equal(sandbox.total, 1)
    const second = (await list(admin.headers, '?per_page=1&page=2')).json()
    assert.deepEqual([second.items.length, second.items[0].site_id], [1, all.items[1].site_id])
  })

  test('omits a site that suspended the caller', async () => {
    const [site, anna, { db }] = [await aSite(), await aUser(), await world()]
    await signIn(anna, { at: site })
    await db.pool`
      update sso.memberships set suspended_at = clock_timestamp()
       where user_id = ${anna.user_id} and site_id = ${site.site_id}`
    assert.equal((await list(anna.headers)).json().total, 1)
  })

  for (const query of ['?environment=staging', '?per_page=101', '?page=0'])
    test(`refuses ${query} with 422`, async () => {
      assert.equal((await list((await aUser()).headers, query)).statusCode, 422)
    })

  test('needs a token', async () => {
    assert.equal((await list({})).statusCode, 401)
  })
})
