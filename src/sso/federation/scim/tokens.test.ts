import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { aColleague, nobody } from '#testing/people.ts'
import { aSchool, type School } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
const { sso, db } = lyceum

const pathOf = ({ site, connection_id }: School) =>
  `/api/v1/sites/${site.site_id}/connections/${connection_id}/scim-tokens`
const ask = (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  headers: Record<string, string>,
  payload?: object,
) => sso.inject({ method, url, headers, ...(payload && { payload }) })

describe('a SCIM token', () => {
  test('is shown once, listed without its text, and dead when revoked', async () => {
    const school = await aSchool(lyceum)
    const { headers } = school.site.owner
    const made = await ask('POST', pathOf(school), headers, { name: 'Entra', expires_in_days: 30 })
    assert.equal(made.statusCode, 201, made.body)
    const { token, token_id, hint, expires_at, scim_url } = made.json()
    assert.equal(scim_url, `http://127.0.0.1:8064/scim/v2/${school.connection_id}`)
    assert.deepEqual([token.slice(-4), token.length, expires_at !== null], [hint, 55, true])
    const mine = { authorization: `Bearer ${token}` }
    assert.equal((await school.call('GET', '/Schemas', undefined, mine)).status, 200)
    const list = await ask('GET', pathOf(school), headers)
    assert.deepEqual(
      list.json().items.map(({ name }: { name: string }) => name),
      ['Directory', 'Entra'],
    )
    assert.ok(!list.body.includes(token))
    const [stored] = await db.pool<{ text: string }[]>`
      select t::text as text from sso.scim_tokens t where token_id = ${token_id}`
    assert.ok(stored && !stored.text.includes(token))
    assert.equal((await ask('DELETE', `${pathOf(school)}/${token_id}`, headers)).statusCode, 204)
    assert.equal((await ask('DELETE', `${pathOf(school)}/${token_id}`, headers)).statusCode, 404)
    assert.equal((await school.call('GET', '/Schemas', undefined, mine)).status, 401)
    const acts = await db.pool<{ action: string }[]>`
      select action from sso.audit_log where site_id = ${school.site.site_id} and action like '%scim%' order by audit_id`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['connection.scim_token_created', 'connection.scim_token_created', 'connection.scim_token_revoked'],
    )
  })

  test('tells when it was last used', async () => {
    const school = await aSchool(lyceum)
    await school.call('GET', '/Schemas')
    await eventually(async () => {
      const { items } = (await ask('GET', pathOf(school), school.site.owner.headers)).json()
      return items[0].last_used_at !== null
    })
  })

  test('is managed by ADMINs of the site on every route', async () => {
    const school = await aSchool(lyceum)
    const other = await aSchool(lyceum)
    const token_id = '01900000-0000-7000-8000-000000000000'
    const routes = [
      ['GET', pathOf(school)],
      ['POST', pathOf(school), { name: 'x' }],
      ['DELETE', `${pathOf(school)}/${token_id}`],
    ] as const
    for (const [who, status] of [
      [await nobody(), 401],
      [await aColleague(school), 403],
      [other.site.owner, 404],
    ] as const)
      for (const [method, url, body] of routes)
        assert.equal((await ask(method, url, who.headers, body)).statusCode, status, `${method} ${url}`)
    const { headers } = school.site.owner
    for (const body of [{}, { name: '' }, { name: 'x', expires_in_days: 0 }])
      assert.ok([400, 422].includes((await ask('POST', pathOf(school), headers, body)).statusCode))
    const [theirs] = (await ask('GET', pathOf(other), other.site.owner.headers)).json().items
    assert.equal((await ask('DELETE', `${pathOf(school)}/${theirs.token_id}`, headers)).statusCode, 404)
  })

  test('is one of five, also when ten are made at once', async () => {
    const school = await aSchool(lyceum)
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        ask('POST', pathOf(school), school.site.owner.headers, { name: 'Many' }),
      ),
    )
    assert.deepEqual(
      made.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [...Array(4).fill(201), ...Array(6).fill(409)],
    )
  })

  test('opens nothing without the plan, with the connection off, or past its end', async () => {
    const school = await aSchool(lyceum)
    const { site, connection_id } = school
    const status = async () => (await school.call('GET', '/Schemas')).status
    await db.pool`update sso.sites set plan = 'starter' where site_id = ${site.site_id}`
    assert.equal(await status(), 403)
    await db.pool`update sso.sites set plan = 'business' where site_id = ${site.site_id}`
    await db.pool`update sso.connections set status = 'disabled' where connection_id = ${connection_id}`
    assert.equal(await status(), 403)
    await db.pool`update sso.connections set status = 'active' where connection_id = ${connection_id}`
    await db.pool`update sso.scim_tokens set expires_at = now() where connection_id = ${connection_id}`
    assert.equal(await status(), 401)
  })
})

describe('the discovery documents', () => {
  test('tell what is supported, in the form of SCIM', async () => {
    const school = await aSchool(lyceum)
    const config = await school.call('GET', '/ServiceProviderConfig')
    assert.match(String(config.headers['content-type']), /^application\/scim\+json/)
    assert.deepEqual(
      ['patch', 'bulk', 'filter', 'sort', 'etag'].map((name) => config.body[name].supported),
      [true, true, true, true, true],
    )
    const types = await school.call('GET', '/ResourceTypes')
    assert.deepEqual(
      types.body['Resources'].map(({ id }: { id: string }) => id),
      ['User', 'Group'],
    )
    const { body } = await school.call('GET', '/Schemas')
    for (const { id, attributes } of body['Resources']) {
      assert.ok(attributes.length > 1)
      assert.equal((await school.call('GET', `/Schemas/${id}`)).body['id'], id)
    }
    assert.equal((await school.call('GET', '/ResourceTypes/User')).body['endpoint'], '/Users')
    assert.equal((await school.call('GET', '/ResourceTypes/Robot')).status, 404)
  })

  test('are closed without a token, with a wrong one, and with that of another connection', async () => {
    const school = await aSchool(lyceum)
    const other = await aSchool(lyceum, { site: school.site })
    for (const path of [
      '/ServiceProviderConfig',
      '/ResourceTypes',
      '/ResourceTypes/User',
      '/Schemas',
      '/Schemas/x',
    ])
      for (const authorization of ['', 'Bearer lyceum_scim_x', `Bearer ${other.token}`, 'Basic YTpi']) {
        const url = `/scim/v2/${school.connection_id}${path}`
        const reply = await sso.inject({ url, headers: authorization === '' ? {} : { authorization } })
        assert.equal(reply.statusCode, 401, `${path} ${authorization}`)
        assert.match(String(reply.headers['content-type']), /^application\/scim\+json/)
        const { schemas, status } = reply.json()
        assert.deepEqual([schemas, status], [['urn:ietf:params:scim:api:messages:2.0:Error'], '401'])
      }
  })

  test('do not take the token of a person', async () => {
    const school = await aSchool(lyceum)
    assert.equal((await school.call('GET', '/Schemas', undefined, school.site.owner.headers)).status, 401)
  })
})
