import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, anOperator, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()

type Managed = { site_id: string; name: string } & Record<string, unknown>
const ask = (headers: Headers, query: Record<string, string> = {}) =>
  sso.inject({ url: `/api/v1/sites/managed?${new URLSearchParams(query).toString()}`, headers })
async function read(headers: Headers, query?: Record<string, string>) {
  const reply = await ask(headers, query)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json() as { items: Managed[]; total: number; next_cursor: string | null }
}
const idsOf = ({ items }: { items: Managed[] }) => items.map(({ site_id }) => site_id)

describe('GET /api/v1/sites/managed', () => {
  test('shows an ADMIN their own sites with members and the last use of the key', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    await aColleague(admin)
    const { items, total } = await read(admin.headers)
    const [site] = items
    assert.deepEqual([total, idsOf({ items })], [1, [admin.site.site_id]])
    assert.deepEqual([site?.['members'], site?.['created_by_email']], [2, null])
    assert.equal(typeof site?.['key_used_at'], 'string')
    assert.ok(!JSON.stringify(items).includes(other.site.site_code))
    const newcomer = await signIn(await aUser())
    assert.deepEqual((await read(newcomer.headers)).items, [])
  })

  test('shows an operator every site and who made it, found by a part of name, code or domain', async () => {
    const [operator, admin] = [await anOperator(), await anAdmin()]
    const { site_id, site_code } = admin.site
    await db.pool`update sso.sites set name = 'Ärger 50%', domain = 'x.example.org' where site_id = ${site_id}`
    for (const q of [site_code, 'ärger 50%', 'X.EXAMPLE'])
      assert.ok(idsOf(await read(operator.headers, { q, per_page: '100' })).includes(site_id), q)
    const found = await read(operator.headers, { q: site_code })
    assert.deepEqual([found.total, found.items[0]?.['created_by_email']], [1, admin.email])
    assert.equal((await read(operator.headers, { q: site_code, environment: 'sandbox' })).total, 0)
    assert.equal((await read(operator.headers, { q: site_code, status: 'pending' })).total, 0)
  })

  test('finds one site by its id, with what it has, for those who may see it alone', async () => {
    const [operator, admin, stranger] = [await anOperator(), await anAdmin(), await anAdmin()]
    const { site_id } = admin.site
    const url = `/api/v1/sites/${site_id}/openid-client`
    const payload = { redirect_uris: ['https://club.example.org/callback'] }
    for (const [headers, has_openid_client] of [
      [operator.headers, false],
      [admin.headers, true],
    ] as const) {
      if (has_openid_client) await sso.inject({ method: 'PUT', url, headers, payload })
      const { items, total } = await read(headers, { site_id })
      assert.deepEqual([total, idsOf({ items })], [1, [site_id]])
      const [site] = items
      assert.deepEqual([site?.['has_openid_client'], site?.['is_first_party']], [has_openid_client, false])
    }
    assert.equal((await read(stranger.headers, { site_id })).total, 0)
    const home = (await read(operator.headers, { q: 'learning' })).items
    assert.ok(home.some(({ is_first_party }) => is_first_party))
  })

  test('goes on behind a cursor, newest first, each site once', async () => {
    const operator = await anOperator()
    const made = [await aSite(), await aSite(), await aSite()].map(({ site_id }) => site_id)
    const seen: string[] = []
    let cursor: string | null = ''
    for (; cursor !== null;) {
      const page = await read(operator.headers, { per_page: '2', ...(cursor && { cursor }) })
      seen.push(...idsOf(page))
      ;({ next_cursor: cursor } = page)
    }
    assert.deepEqual(seen.slice(0, 3), made.toReversed())
    assert.deepEqual([seen.length, new Set(seen).size], [(await read(operator.headers)).total, seen.length])
  })

  test('no longer shows a site to who lost its ADMIN, nor a deleted one', async () => {
    const [admin, gone] = [await anAdmin(), await anAdmin()]
    const operator = await anOperator()
    for (const [{ user_id }, role] of [
      [await aColleague(admin), 'ADMIN'],
      [admin, 'USER'],
    ] as const) {
      const payload = { role, site_code: admin.site.site_code }
      const url = `/api/v1/users/${user_id}/roles`
      const reply = await sso.inject({ method: 'POST', url, headers: operator.headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
    }
    assert.deepEqual((await read(await freshly(admin))).items, [])
    const url = `/api/v1/sites/${gone.site.site_id}`
    assert.equal((await sso.inject({ method: 'DELETE', url, headers: gone.headers })).statusCode, 204)
    assert.deepEqual((await read(await freshly(gone))).items, [])
  })

  test('refuses nobody with 401 and a wrong query with 422', async () => {
    const admin = await anAdmin()
    assert.equal((await ask({})).statusCode, 401)
    for (const query of [{ q: '' }, { status: 'x' }, { environment: 'x' }, { cursor: 'x' }, { site_id: 'x' }])
      assert.equal((await ask(admin.headers, query as never)).statusCode, 422)
  })
})

/** A token of the network for the person, which reaches all their sites. */
const freshly = async (person: Parameters<typeof signIn>[0]) => (await signIn(person)).headers

describe('is_apart in POST /sites', () => {
  test('gives the site a tenant of its own, also for an ADMIN', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const make = (headers: Headers, payload: object) =>
      sso.inject({ method: 'POST', url: '/api/v1/sites', headers, payload })
    const own = (await make(admin.headers, { name: 'Own', environment: 'sandbox' })).json()
    const [twin] = await db.pool`
      select production_tenant_id from sso.tenants where tenant_id = ${own.tenant_id}`
    assert.equal(twin?.['production_tenant_id'], admin.tenant_id)
    for (const environment of ['production', 'sandbox']) {
      const apart = (await make(operator.headers, { name: 'Apart', environment, is_apart: true })).json()
      const [tenant] = await db.pool`
        select production_tenant_id, (select count(*)::int from sso.sites i where i.tenant_id = t.tenant_id) as sites
          from sso.tenants t where tenant_id = ${apart.tenant_id}`
      assert.deepEqual(tenant, { production_tenant_id: null, sites: 1 })
    }
    const both = await make(operator.headers, { name: 'Both', tenant_id: own.tenant_id, is_apart: true })
    assert.deepEqual([both.statusCode, both.json().errors[0].field], [422, 'is_apart'])
  })
})
