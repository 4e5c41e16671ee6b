import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { openOutbound } from '#foundation/outbound/outbound.ts'
import { makeCertificate } from '#testing/certificate.ts'
import { anAdmin, anOperator, aUser, type Headers, type Person } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld, type World, world } from '#testing/world.ts'
import { verifySiteDomain } from '../../partners/sites/domain.ts'

/** SITE_REGISTRATION and the proof of a domain. */
let lyceum: World
let author: Person
let operator: Person

before(async () => {
  lyceum = await buildWorld({ env: { SITE_REGISTRATION: 'approval', OUTBOUND_ALLOW: '127.0.0.0/8' } })
  ;[author, operator] = [await aUser({ lyceum }), await anOperator(lyceum)]
})

const post = (url: string, headers: Headers, payload: object = {}, { sso } = lyceum) =>
  sso.inject({ method: 'POST', url: `/api/v1${url}`, headers, payload })
const register = async (payload: object = {}) => {
  const reply = await post('/sites', author.headers, {
    name: 'School',
    environment: 'production',
    ...payload,
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}
const credentials = { email: 'new@example.org', password: 'correct horse 27' }

describe('a production site that needs approval', () => {
  test('is pending, and nobody signs in with its key', async () => {
    const site = await register()
    assert.equal(site.status, 'pending')
    const key = { 'x-sso-site-key': site.site_key }
    for (const path of ['/auth/register', '/auth/login', '/auth/refresh', '/auth/introspect']) {
      const reply = await post(path, key, { ...credentials, refresh_token: 'x', token: 'x' })
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'site_pending'], path)
    }
    const page = await aVisitor({ lyceum }).get(`/sign-in?site_code=${site.site_code}`)
    assert.equal(page.statusCode, 400)
  })

  test('signs people in once approved by an operator', async () => {
    const site = await register()
    const key = { 'x-sso-site-key': site.site_key }
    const listed = await lyceum.sso.inject({
      url: '/api/v1/admin/sites?status=pending&per_page=100',
      headers: operator.headers,
    })
    const seen = listed.json().items.find(({ site_id }: { site_id: string }) => site_id === site.site_id)
    assert.deepEqual([seen.created_by_email, seen.domain_verified], [author.email, false])
    const url = `/admin/sites/${site.site_id}/approve`
    for (const repeat of [1, 2]) {
      const approved = await post(url, operator.headers)
      assert.deepEqual([approved.statusCode, approved.json().status], [200, 'active'], String(repeat))
    }
    assert.equal(
      (await post('/auth/register', key, { ...credentials, email: 'b@example.org' })).statusCode,
      201,
    )
    const acts = await lyceum.db.pool`
      select action from sso.audit_log where site_id = ${site.site_id} and action = 'site.approved'`
    assert.equal(acts.length, 1)
  })

  test('is approved by operators only', async () => {
    const site = await register()
    const url = `/admin/sites/${site.site_id}/approve`
    assert.equal((await post(url, author.headers)).statusCode, 403)
    assert.equal((await post(url, {})).statusCode, 401)
    assert.equal(
      (await post('/admin/sites/0badc0de-0bad-7bad-8bad-0badc0de0bad/approve', operator.headers)).statusCode,
      404,
    )
    const list = await lyceum.sso.inject({ url: '/api/v1/admin/sites', headers: author.headers })
    assert.equal(list.statusCode, 403)
  })

  test('loses the power of its tokens when approval is revoked', async () => {
    const site = await register()
    await post(`/admin/sites/${site.site_id}/approve`, operator.headers)
    const at = { ...site, headers: { 'x-sso-site-key': site.site_key } }
    const person = await aUser({ at, lyceum })
    const call = () => lyceum.sso.inject({ url: '/api/v1/sessions', headers: person.headers })
    assert.equal((await call()).statusCode, 200)
    const url = `/api/v1/admin/sites/${site.site_id}`
    const payload = { status: 'pending' }
    const back = await lyceum.sso.inject({ method: 'PATCH', url, headers: operator.headers, payload })
    assert.equal(back.statusCode, 200, back.body)
    assert.equal((await call()).statusCode, 401)
  })

  test('needs none in the sandbox or from operators', async () => {
    assert.equal((await register({ environment: 'sandbox' })).status, 'active')
    const own = await post('/sites', operator.headers, { name: 'Own', environment: 'production' })
    assert.equal(own.json().status, 'active')
  })
})

describe('SITE_REGISTRATION', () => {
  test('operators: only operators register production sites', async () => {
    const closed = await buildWorld({ env: { SITE_REGISTRATION: 'operators' } })
    const person = await aUser({ lyceum: closed })
    const reply = await post('/sites', person.headers, { name: 'School', environment: 'production' }, closed)
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'operator_required'])
    assert.equal((await post('/sites', person.headers, { name: 'Try' }, closed)).statusCode, 201)
  })

  test('defaults to approval when the installation is public', async () => {
    const reached = await buildWorld({
      env: { SSO_URL: 'https://sso.example.org', LEARNING_URL: 'https://learning.example.org' },
    })
    const person = await aUser({ lyceum: reached })
    const reply = await post('/sites', person.headers, { name: 'School', environment: 'production' }, reached)
    assert.equal(reply.json().status, 'pending')
  })
})

describe('tenant_id in POST /sites', () => {
  test('names a tenant its token administers, else 404', async () => {
    const shared = await world()
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const own = { name: 'Second', tenant_id: admin.tenant_id }
    const made = await post('/sites', admin.headers, own, shared)
    assert.equal(made.statusCode, 201, made.body)
    assert.equal((await post('/sites', stranger.headers, own, shared)).statusCode, 404)
  })
})

describe('the domain of a site', () => {
  const domain = 'school.example.org'
  const { key, cert } = makeCertificate([domain])
  let published = ''
  const server = createServer({ key, cert }, (request, response) => {
    response.writeHead(request.url === '/.well-known/lyceum-site.txt' ? 200 : 404).end(published)
  })
  const outbound = openOutbound({ ca: cert, resolve: async () => ['127.0.0.1'] })
  before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
  after(async () => {
    await outbound.close()
    server.close()
  })
  const callerOf = async ({ access_token }: Person) => lyceum.gate.verifyAccessToken(access_token)
  const from = { ip_address: '127.0.0.1', user_agent: 'test' }
  const proofOf = async (site_id: string) =>
    (
      await lyceum.sso.inject({ url: `/api/v1/sites/${site_id}/domain-proof`, headers: author.headers })
    ).json()
  const verify = async (site_id: string, method: 'dns' | 'file', records: string[] = []) => {
    const port = (server.address() as AddressInfo).port
    const edges = { outbound, port, resolveTxt: async () => records }
    const parts = { ...lyceum.parts, gate: lyceum.gate } as never
    return verifySiteDomain(parts, edges, await callerOf(author), { site_id, method }, from)
  }

  test('is verified only by a TXT record with its value', async () => {
    const { site_id } = await register({ domain })
    const { txt_value, verified } = await proofOf(site_id)
    assert.equal(verified, false)
    await assert.rejects(verify(site_id, 'dns', ['lyceum-site=wrong']), { code: 'domain_unverified' })
    assert.equal((await verify(site_id, 'dns', [txt_value])).verified, true)
    assert.equal((await proofOf(site_id)).verified, true)
  })

  test('is verified by a file of its web server', async () => {
    const { site_id } = await register({ domain })
    published = 'something else'
    await assert.rejects(verify(site_id, 'file'), { code: 'domain_unverified' })
    published = `${(await proofOf(site_id)).file_content}\n`
    assert.equal((await verify(site_id, 'file')).verified, true)
  })

  test('is not verified by the value of another site', async () => {
    const [first, second] = [await register({ domain }), await register({ domain })]
    const { txt_value } = await proofOf(first.site_id)
    await assert.rejects(verify(second.site_id, 'dns', [txt_value]), { code: 'domain_unverified' })
  })

  test('needs new verification after a change', async () => {
    const { site_id } = await register({ domain })
    await verify(site_id, 'dns', [(await proofOf(site_id)).txt_value])
    const url = `/api/v1/sites/${site_id}`
    const payload = { domain: 'other.example.org' }
    const changed = await lyceum.sso.inject({ method: 'PATCH', url, headers: author.headers, payload })
    assert.deepEqual([changed.statusCode, changed.json().domain_verified], [200, false])
  })

  test('is shown to ADMINs of the site only', async () => {
    const { site_id } = await register({ domain })
    const stranger = await aUser({ lyceum })
    const url = `/api/v1/sites/${site_id}/domain-proof`
    assert.equal((await lyceum.sso.inject({ url, headers: stranger.headers })).statusCode, 404)
    assert.equal((await lyceum.sso.inject({ url })).statusCode, 401)
  })
})
