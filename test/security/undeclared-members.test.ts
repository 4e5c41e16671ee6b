import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { Clean } from 'typebox/value'
import type { App } from '#foundation/http/http.ts'
import {
  anAdmin,
  anOperator,
  aUser,
  homeSite,
  type Headers,
  type Person,
  type TestSite,
} from '#testing/people.ts'
import { aPerson, aSchool, GROUP } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

/** Mass assignment: the tests send every column of every table to the routes that write; none of it may be stored. */
const lyceum = await world()
const { sso, learning, collections, db } = lyceum

type Column = { table: string; name: string; type: string }
const columns = await db.pool<Column[]>`
  select table_schema || '.' || table_name as table, column_name as name, data_type as type
    from information_schema.columns where table_schema in ('sso', 'learning', 'collections')
   order by 1, 2`

/** Values that occur nowhere else, one per type. Booleans are checked by name below. */
const WORD = `planted-${randomBytes(6).toString('hex')}`
const ID = '0badc0de-0bad-7bad-8bad-0badc0de0bad'
const NUMBER = 1_987_654_321
const TIME = '1999-09-09T09:09:09.999Z'
const valueOf = (type: string) =>
  ({ boolean: true, uuid: ID, integer: NUMBER, bigint: NUMBER, ARRAY: [WORD], jsonb: { [WORD]: WORD } })[
    type
  ] ?? (type.startsWith('timestamp') ? TIME : WORD)
const planted = Object.fromEntries(columns.map(({ name, type }) => [name, valueOf(type)]))

const isTraced = (text: string) => [WORD, ID, String(NUMBER), '1999-09-09'].some((one) => text.includes(one))

/** The tables that contain one of these values. */
async function tracesOf(): Promise<string[]> {
  const found: string[] = []
  for (const table of new Set(columns.map((column) => column.table))) {
    const [schema = '', name = ''] = table.split('.')
    const rows = await db.pool<{ text: string }[]>`
      select t::text as text from ${db.pool(`${schema}.${name}`)} t
       where t::text ~ ${`${WORD}|${ID}|${NUMBER}|1999-09-09`} limit 1`
    if (rows.length > 0) found.push(table)
  }
  return found
}

const unique = () => randomBytes(5).toString('hex')
type Call = {
  app: App
  method: 'POST' | 'PATCH' | 'PUT'
  url: string
  headers: Headers
  payload: Record<string, unknown>
}

let admin: Person & { site: TestSite }
let operator: Person
let author: Person
before(async () => {
  admin = await anAdmin()
  operator = await anOperator()
  author = await aUser()
})

/** The directory of a school may set what its schemas declare, in any case, and nothing else. */
async function scimCalls(): Promise<Call[]> {
  const school = await aSchool(lyceum)
  const own = { name: { givenName: 'Anna' }, locale: 'de', active: true, id: null, meta: null, members: [] }
  const person = { ...aPerson(school), ...own }
  const group = { schemas: [GROUP], displayName: 'Pupils', ...own }
  const [user, made] = [
    await school.call('POST', '/Users', aPerson(school)),
    await school.call('POST', '/Groups', { ...group, displayName: 'Staff' }),
  ]
  const { headers, connection_id } = school
  return (
    [
      ['POST', 'Users', person],
      ['PUT', `Users/${user.body.id}`, { ...person, userName: user.body.userName }],
      ['POST', 'Groups', group],
      ['PUT', `Groups/${made.body.id}`, { ...group, displayName: 'Staff' }],
    ] as const
  ).map(([method, path, payload]) => ({
    app: sso,
    method,
    url: `/scim/v2/${connection_id}/${path}`,
    headers,
    payload,
  }))
}

/** Valid bodies with an attacker's extra members. Members that a schema declares keep their valid value. */
async function calls(): Promise<Call[]> {
  const user = admin.headers
  const home = (await homeSite()).headers
  const channel = await learning.inject({
    method: 'POST',
    url: '/api/channels',
    headers: operator.headers,
    payload: { title: 'Algebra', episodes: [{ title: 'One' }] },
  })
  const { id: channel_id = '' } = channel.json()
  return [
    {
      app: sso,
      method: 'POST',
      url: '/api/v1/auth/register',
      headers: home,
      payload: { email: `a-${unique()}@example.org`, password: `right horse ${unique()}` },
    },
    {
      app: sso,
      method: 'POST',
      url: '/api/v1/sites',
      headers: author.headers,
      payload: { name: `Site ${unique()}`, environment: 'sandbox' },
    },
    {
      app: sso,
      method: 'POST',
      url: '/api/v1/users',
      headers: user,
      payload: { email: `b-${unique()}@example.org` },
    },
    {
      app: sso,
      method: 'PATCH',
      url: `/api/v1/users/${author.user_id}`,
      headers: author.headers,
      payload: { display_name: 'Anna' },
    },
    {
      app: sso,
      method: 'PATCH',
      url: `/api/v1/sites/${admin.site.site_id}`,
      headers: user,
      payload: { name: 'Renamed' },
    },
    {
      app: sso,
      method: 'POST',
      url: '/api/v1/webhooks',
      headers: user,
      payload: { webhook_url: 'https://example.com/hook' },
    },
    {
      app: sso,
      method: 'PUT',
      url: `/api/v1/sites/${admin.site.site_id}/openid-client`,
      headers: user,
      payload: { redirect_uris: ['https://example.com/back'] },
    },
    ...(await scimCalls()),
    {
      app: learning,
      method: 'POST',
      url: '/api/channels',
      headers: operator.headers,
      payload: { title: 'Geometry' },
    },
    {
      app: learning,
      method: 'PATCH',
      url: `/api/channels/${channel_id}`,
      headers: operator.headers,
      payload: { title: 'Algebra II' },
    },
    {
      app: learning,
      method: 'PUT',
      url: `/api/channels/${channel_id}`,
      headers: operator.headers,
      payload: { title: 'Algebra III' },
    },
    {
      app: collections,
      method: 'POST',
      url: '/api/collections',
      headers: author.headers,
      payload: { name: 'Mine' },
    },
  ]
}

describe('a learner stores a field reserved for operators', () => {
  test('by sending every column of every table', async () => {
    let accepted = 0
    for (const { app, payload, ...call } of await calls()) {
      const route = app.declaredRoutes.find(
        ({ method, url }) =>
          method === call.method && new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(call.url),
      )
      if (!route) continue
      const declared = Object.keys(
        (route.schema.body as { properties?: object } | undefined)?.properties ?? {},
      )
      const hostile = Object.fromEntries(Object.entries(planted).filter(([name]) => !declared.includes(name)))
      const reply = await app.inject({ ...call, payload: { ...hostile, ...payload } })
      if (app === collections)
        assert.equal(reply.statusCode, 422, `${call.method} ${call.url}: ${reply.body}`)
      else {
        assert.ok(reply.statusCode < 300, `${call.method} ${call.url}: ${reply.body}`)
        accepted++
      }
      assert.ok(!isTraced(reply.body), `${call.method} ${call.url}: ${reply.body}`)
    }
    assert.ok(accepted >= 8, `only ${accepted} routes were tried`)
    assert.deepEqual(await tracesOf(), [])
    const [raised] = await db.pool<{ sites: number; people: number }[]>`
      select (select count(*)::int from sso.sites where is_first_party
                and site_code not in ('console', 'learning', 'collections')) as sites,
             (select count(*)::int from sso.users where phone_verified) as people`
    assert.deepEqual(raised, { sites: 0, people: 0 })
  })

  test('in POST /sites: is_first_party and trust_client_ip are ignored', async () => {
    const payload = {
      name: `Site ${unique()}`,
      environment: 'production',
      is_first_party: true,
      trust_client_ip: true,
      plan: 'enterprise',
    }
    const reply = await sso.inject({ method: 'POST', url: '/api/v1/sites', headers: author.headers, payload })
    assert.equal(reply.statusCode, 201, reply.body)
    const [site] = await db.pool`
      select is_first_party, trust_client_ip, plan from sso.sites where site_id = ${reply.json().site_id}`
    assert.deepEqual({ ...site }, { is_first_party: false, trust_client_ip: false, plan: 'starter' })
  })

  test('in PATCH /sites: trust_client_ip is refused', async () => {
    const url = `/api/v1/sites/${admin.site.site_id}`
    const payload = { trust_client_ip: true }
    const refused = await sso.inject({ method: 'PATCH', url, headers: admin.headers, payload })
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'operator_required'])
    const granted = await sso.inject({ method: 'PATCH', url, headers: operator.headers, payload })
    assert.deepEqual([granted.statusCode, granted.json().trust_client_ip], [200, true])
  })
})

describe('a handler', () => {
  for (const app of [sso, learning, collections])
    for (const { method, url, schema, config } of app.declaredRoutes)
      // Names of SCIM come in any case, so resourceIn (scim/values.ts) chooses; the test above sends them all.
      if (schema.body && !(config.auth === 'connection' && !('properties' in (schema.body as object))))
        test(`of ${method} ${url} receives declared fields only`, () => {
          const body = schema.body as TSchema & { properties?: object }
          const left = Clean(body, { ...planted, [WORD]: true }) as object
          assert.ok(!(WORD in left))
          if (body.properties)
            assert.deepEqual(
              Object.keys(left).filter((name) => !(name in (body.properties ?? {}))),
              [],
            )
        })
})
