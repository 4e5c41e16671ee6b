import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as openid from 'openid-client'
import { listeningWorld } from '#testing/enterprise.ts'
import { eventually } from '#testing/eventually.ts'
import {
  aColleague,
  anAdmin,
  aSite,
  aUser,
  type Headers,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'

const lyceum = await listeningWorld()
const { sso, db, address } = lyceum

const SCOPES = [
  'users:read',
  'users:write',
  'roles:assign',
  'sessions:revoke',
  'webhooks:manage',
  'bulk:import',
  'payments:read',
  'site:manage',
  'audit:read',
]

type Machine = { owner: Person; admin: Person & { site: TestSite }; site: TestSite; client_secret: string }
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const call = (method: Method, url: string, headers: Headers, payload?: object) =>
  sso.inject({ method, url: `/api/v1${url}`, headers, ...(payload && { payload }) })
const put = ({ admin, site }: Pick<Machine, 'admin' | 'site'>, payload: object, headers = admin.headers) =>
  call('PUT', `/sites/${site.site_id}/openid-client`, headers, { redirect_uris: [], ...payload })

/** A site whose client may act for itself with these scopes. */
async function aMachine(scopes: string[] = SCOPES): Promise<Machine> {
  const { owner, ...site } = await aSite({ lyceum })
  const admin = { ...(await signIn(owner, { at: site, lyceum })), site }
  const reply = await put({ admin, site }, { scopes })
  assert.equal(reply.statusCode, 201, reply.body)
  return { owner, admin, site, client_secret: reply.json().client_secret }
}

async function ask({ site, client_secret }: Machine, fields: Record<string, string> = {}) {
  const basic = Buffer.from(`${site.site_code}:${client_secret}`).toString('base64')
  const reply = await sso.inject({
    method: 'POST',
    url: '/openid/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` },
    payload: new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString(),
  })
  return { status: reply.statusCode, body: reply.json() }
}
async function tokenOf(machine: Machine, scope?: string): Promise<Headers> {
  const { status, body } = await ask(machine, scope === undefined ? {} : { scope })
  assert.equal(status, 200, JSON.stringify(body))
  return { authorization: `Bearer ${body.access_token}` }
}
const statusOf = async (headers: Headers, method: Method, url: string, payload?: object) =>
  (await call(method, url, headers, payload)).statusCode

describe('a token for the back end of a site', () => {
  test('works with openid-client and names the site, no person', async () => {
    const machine = await aMachine(['users:read', 'audit:read'])
    const { site, client_secret } = machine
    const config = await openid.discovery(
      new URL(address),
      site.site_code,
      undefined,
      openid.ClientSecretPost(client_secret),
      { execute: [openid.allowInsecureRequests] },
    )
    assert.ok(config.serverMetadata().grant_types_supported?.includes('client_credentials'))
    assert.ok(config.serverMetadata().scopes_supported?.includes('users:read'))
    const tokens = await openid.clientCredentialsGrant(config, { scope: 'users:read' })
    assert.deepEqual(
      [tokens.scope, tokens.expires_in, tokens.refresh_token, tokens.id_token],
      ['users:read', 1_800, undefined, undefined],
    )
    assert.equal(decodeProtectedHeader(tokens.access_token).typ, 'at+jwt')
    const { sub, email, client_id, permissions, role, exp = 0, iat = 0 } = decodeJwt(tokens.access_token)
    assert.deepEqual(
      [sub, email, client_id, permissions, role, exp - iat],
      [site.site_id, undefined, site.site_code, ['users:read'], 'CLIENT', 1_800],
    )
    const pupil = await aColleague({ site }, lyceum)
    const reply = await openid.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL(`${address}/api/v1/users?site_code=${site.site_code}`),
      'GET',
    )
    const { items } = (await reply.json()) as { items: { user_id: string }[] }
    assert.deepEqual(
      items.map(({ user_id }) => user_id).toSorted(),
      [machine.admin.user_id, pupil.user_id].toSorted(),
    )
  })

  test('has the requested scopes, by default all of the client', async () => {
    const machine = await aMachine(['users:read', 'users:write'])
    assert.equal((await ask(machine)).body.scope, 'users:read users:write')
    assert.equal((await ask(machine, { scope: 'users:write' })).body.scope, 'users:write')
    for (const scope of ['roles:assign', 'users:read roles:assign', 'profile:read', 'openid']) {
      const { status, body } = await ask(machine, { scope })
      assert.deepEqual([status, body.error], [400, 'invalid_scope'], scope)
    }
  })

  test('is refused without scopes, with a wrong secret, or by default', async () => {
    const admin = await anAdmin({ lyceum })
    const reply = await put(
      { admin, site: admin.site },
      { redirect_uris: ['https://partner.example.org/cb'] },
    )
    assert.deepEqual(reply.json().scopes, [])
    const machine = { owner: admin, admin, site: admin.site, client_secret: reply.json().client_secret }
    const { status, body } = await ask(machine)
    assert.deepEqual([status, body.error], [400, 'unauthorized_client'])
    const wrong = await ask({ ...(await aMachine()), client_secret: 'oidc_wrong' })
    assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client'])
    assert.equal((await put(machine, {})).statusCode, 422)
    for (const scopes of [['profile:write'], ['learning:use'], ['*'], ['users:read', 'users:read']])
      assert.equal((await put(machine, { scopes })).statusCode, 422, scopes.join())
  })

  test('permits exactly its scope', async () => {
    const machine = await aMachine()
    const { site } = machine
    const pupil = await aColleague({ site }, lyceum)
    const acts: [scope: string, Method, string, object | undefined, number][] = [
      ['users:read', 'GET', `/users/${pupil.user_id}`, undefined, 200],
      ['users:write', 'PATCH', `/users/${pupil.user_id}`, { display_name: 'By a machine' }, 200],
      [
        'users:write',
        'POST',
        '/users',
        { email: `m-${Math.random()}@example.org`, site_code: site.site_code },
        201,
      ],
      [
        'roles:assign',
        'POST',
        `/users/${pupil.user_id}/roles`,
        { role: 'ADMIN', site_code: site.site_code },
        201,
      ],
      ['webhooks:manage', 'GET', '/webhooks', undefined, 200],
      ['payments:read', 'GET', '/payments/orders', undefined, 200],
      ['site:manage', 'GET', `/sites/${site.site_id}`, undefined, 200],
      ['audit:read', 'GET', `/audit?site_code=${site.site_code}`, undefined, 200],
      ['sessions:revoke', 'DELETE', `/sessions/${pupil.session_id}`, undefined, 204],
    ]
    for (const [scope, method, url, payload, expected] of acts) {
      const without = await tokenOf(machine, SCOPES.filter((one) => one !== scope).join(' '))
      assert.equal(await statusOf(without, method, url, payload), 403, `${method} ${url} without ${scope}`)
      const reply = await call(method, url, await tokenOf(machine, scope), payload)
      assert.equal(reply.statusCode, expected, `${method} ${url} ${reply.body}`)
    }
    const noted = await db.pool`
      select from sso.audit_log where site_id = ${site.site_id} and actor_user_id = ${site.site_id} and action = 'role.assigned'`
    assert.equal(noted.length, 1)
  })

  test('imports people, with roles only if its scope permits', async () => {
    const machine = await aMachine(['bulk:import', 'roles:assign', 'users:write'])
    const upload = async (scope: string, csv: string) => {
      const headers = await tokenOf(machine, scope)
      const part = (name: string, text: string, more = '') =>
        `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`
      const reply = await sso.inject({
        method: 'POST',
        url: '/api/v1/bulk/register',
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
        payload: `${part('site_code', machine.site.site_code)}${part('file', csv, '; filename="p.csv"')}--x--\r\n`,
      })
      return { status: reply.statusCode, body: reply.json(), headers }
    }
    const email = `bulk-${Math.random()}@example.org`
    const refused = await upload('bulk:import', `email,role\n${email},ADMIN\n`)
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
    const created = { email, role: 'ADMIN', site_code: machine.site.site_code }
    assert.equal(
      (await call('POST', '/users', await tokenOf(machine, 'users:write'), created)).statusCode,
      403,
    )
    const { status, body, headers } = await upload('bulk:import', `email\n${email}\n`)
    assert.equal(status, 202, JSON.stringify(body))
    await lyceum.startJobs()
    const job = await eventually(
      async () => (await call('GET', `/bulk/jobs/${body.job_id}`, headers)).json(),
      ({ status: state }) => state === 'completed',
    )
    assert.equal(job.success_count, 1)
  })

  test('reaches no other site of the same ADMIN', async () => {
    const machine = await aMachine()
    const headers = await tokenOf(machine)
    const other = await aSite({ lyceum })
    // A second site of the same person.
    const made = await call('POST', '/sites', machine.owner.headers, { name: 'Second' })
    assert.equal(made.statusCode, 201, made.body)
    const { site_id: second } = made.json()
    const stranger = await aColleague({ site: other }, lyceum)
    for (const [method, url, payload] of [
      ['GET', `/users/${stranger.user_id}`],
      ['PATCH', `/users/${stranger.user_id}`, { display_name: 'x' }],
      ['DELETE', `/users/${stranger.user_id}`],
      ['GET', `/users?site_code=${other.site_code}`],
      ['DELETE', `/sessions/${stranger.session_id}`],
      ['GET', `/sites/${other.site_id}`],
      ['GET', `/sites/${second}`],
      ['PATCH', `/sites/${other.site_id}`, { name: 'x' }],
      ['GET', `/audit?site_code=${other.site_code}`],
      ['POST', `/users/${stranger.user_id}/roles`, { role: 'ADMIN', site_code: other.site_code }],
      ['GET', `/sites/${other.site_id}/keys`],
      ['GET', '/signing-keys'],
      ['GET', '/admin/retention'],
      ['GET', '/audit'],
    ] as [Method, string, object?][]) {
      const reply = await call(method, url, headers, payload)
      const isOwnAudit = url === '/audit' && reply.statusCode === 200
      assert.ok(isOwnAudit || [403, 404].includes(reply.statusCode), `${method} ${url} ${reply.statusCode}`)
      assert.ok(!reply.body.includes(stranger.email))
    }
  })

  test('does nothing that requires a person', async () => {
    const machine = await aMachine()
    const { site } = machine
    const headers = await tokenOf(machine)
    const pupil = await aColleague({ site }, lyceum)
    for (const [method, url, payload] of [
      ['GET', '/sessions'],
      ['GET', '/sites/none'],
      ['POST', '/sites', { name: 'x' }],
      ['GET', '/mfa/factors'],
      ['POST', '/mfa/factors', { type: 'totp' }],
      ['POST', '/mfa/recovery-codes', {}],
      ['DELETE', `/users/${pupil.user_id}/mfa`, {}],
      ['POST', '/users/me/password', { current_password: 'x', new_password: 'y' }],
      ['PUT', `/sites/${site.site_id}/openid-client`, { redirect_uris: [], scopes: SCOPES }],
      ['POST', `/sites/${site.site_id}/openid-client/secret`, {}],
      ['DELETE', `/sites/${site.site_id}/openid-client`],
    ] as [Method, string, object?][]) {
      const status = await statusOf(headers, method, url, payload)
      assert.ok([403, 404].includes(status), `${method} ${url} ${status}`)
    }
    assert.equal(await statusOf(headers, 'GET', `/users/${site.site_id}`), 404)
    const info = await sso.inject({ url: '/openid/userinfo', headers })
    assert.equal(info.statusCode, 403)
    for (const app of [lyceum.learning, lyceum.collections])
      for (const url of ['/api/channels', '/api/collections', '/api/auth/me'])
        assert.ok([401, 403, 404].includes((await app.inject({ url, headers })).statusCode), url)
  })

  test('ends with the secret, scopes, client or site', async () => {
    const ends: ((machine: Machine) => Promise<{ statusCode: number }>)[] = [
      ({ admin, site }) => call('POST', `/sites/${site.site_id}/openid-client/secret`, admin.headers, {}),
      (machine) => put(machine, { scopes: ['users:read'] }),
      ({ admin, site }) => call('DELETE', `/sites/${site.site_id}/openid-client`, admin.headers),
      ({ admin, site }) => call('DELETE', `/sites/${site.site_id}`, admin.headers),
    ]
    for (const end of ends) {
      const machine = await aMachine(['users:read', 'audit:read'])
      const headers = await tokenOf(machine)
      const use = () => statusOf(headers, 'GET', '/users')
      assert.equal(await use(), 200)
      const ended = await end(machine)
      assert.ok(ended.statusCode < 300, String(ended.statusCode))
      assert.equal(await use(), 401)
    }
    const kept = await aMachine(['users:read'])
    const headers = await tokenOf(kept)
    await put(kept, { scopes: ['users:read'], redirect_uris: ['https://partner.example.org/cb'] })
    assert.equal(await statusOf(headers, 'GET', '/users'), 200)
  })

  test('has no member and no session, and appears in no list', async () => {
    const machine = await aMachine()
    await tokenOf(machine)
    const { site, admin } = machine
    for (const table of ['users', 'memberships', 'sessions'] as const) {
      const rows = await db.pool`select from ${db.pool(`sso.${table}`)} where user_id = ${site.site_id}`
      assert.equal(rows.length, 0, table)
    }
    const list = await call('GET', `/users?site_code=${site.site_code}`, admin.headers)
    assert.equal(list.json().total, 1)
  })

  test("neither gains from nor gives power to a person's token", async () => {
    const machine = await aMachine(['users:read'])
    const pupil = await aUser({ at: machine.site, lyceum })
    assert.equal((await put(machine, { scopes: SCOPES }, pupil.headers)).statusCode, 403)
    const [row] = await db.pool<{ scopes: string[] }[]>`
      select scopes from sso.openid_clients where site_id = ${machine.site.site_id}`
    assert.deepEqual(row?.scopes, ['users:read'])
  })

  test('of the console works at the console only', async () => {
    const [console_] = await db.pool<{ site_id: string; site_code: string }[]>`
      select site_id, site_code from sso.sites where site_code = 'console'`
    assert.ok(console_)
    const secret = 'oidc_console'
    const { createHash } = await import('node:crypto')
    await db.pool`
      insert into sso.openid_clients (site_id, secret_hash, redirect_uris, scopes)
      values (${console_.site_id}, ${createHash('sha256').update(secret).digest()}, '{}', ${SCOPES})`
    const machine = { site: console_, client_secret: secret } as unknown as Machine
    const headers = await tokenOf(machine)
    const { site } = await aMachine()
    assert.equal(await statusOf(headers, 'GET', `/sites/${site.site_id}`), 404)
    assert.equal(await statusOf(headers, 'GET', '/signing-keys'), 403)
  })
})
