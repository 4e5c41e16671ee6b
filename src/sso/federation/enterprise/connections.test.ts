import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aConnection, aPlannedSite, type PlannedSite, unique, verifiedDomain } from '#testing/enterprise.ts'
import { aColleague, anOperator, aSite, aUser, type Headers, nobody } from '#testing/people.ts'
import { startOidcIdp } from '#testing/oidc-idp.ts'
import { startSamlIdp } from '#testing/saml-idp.ts'
import { aVisitor } from '#testing/visitor.ts'
import { world } from '#testing/world.ts'
import { verifyDomain } from './domains.ts'

const lyceum = await world()
const { sso, db } = lyceum

const OIDC = {
  type: 'oidc',
  name: 'School',
  issuer: 'http://127.0.0.1:39997',
  client_id: 'lyceum',
  client_secret: 's3cret-of-the-client',
}
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const call = (method: Method, path: string, headers: Headers, payload?: object) =>
  sso.inject({ method, url: `/api/v1/sites/${path}`, headers, ...(payload && { payload }) })

const aSchool = async (site?: PlannedSite) => {
  const at = site ?? (await aPlannedSite(lyceum))
  const made = await aConnection(lyceum, at, OIDC)
  return {
    site: at,
    headers: at.owner.headers,
    id: made.connection_id,
    path: `${at.site_id}/connections/${made.connection_id}`,
  }
}

describe('the connections of a site', () => {
  test('are managed by the ADMIN and never show the secret', async () => {
    const site = await aPlannedSite(lyceum)
    const { headers } = site.owner
    const made = await call('POST', `${site.site_id}/connections`, headers, OIDC)
    assert.equal(made.statusCode, 201, made.body)
    const { connection_id, redirect_uri, version } = made.json()
    assert.equal(redirect_uri, `http://127.0.0.1:8064/sso/oidc/callback/${connection_id}`)
    const path = `${site.site_id}/connections/${connection_id}`
    const changed = await call('PATCH', path, headers, {
      name: 'Other',
      version,
      attribute_mapping: { email: 'upn' },
    })
    assert.deepEqual([changed.statusCode, changed.json().name, changed.json().version], [200, 'Other', 2])
    assert.equal(
      (await call('PATCH', path, headers, { name: 'Late', version })).json().code,
      'version_conflict',
    )
    const list = await call('GET', `${site.site_id}/connections`, headers)
    const read = await call('GET', path, headers)
    assert.deepEqual(list.json().items, [read.json()])
    assert.deepEqual([read.json().has_client_secret, read.json().attribute_mapping], [true, { email: 'upn' }])
    for (const { body } of [made, changed, list, read]) assert.ok(!body.includes(OIDC.client_secret))
    const [stored] = await db.pool<{ text: string }[]>`
      select encode(client_secret_enc, 'escape') as text from sso.connections where connection_id = ${connection_id}`
    assert.ok(stored && !stored.text.includes(OIDC.client_secret))
    assert.equal((await call('DELETE', path, headers)).statusCode, 204)
    assert.equal((await call('DELETE', path, headers)).statusCode, 404)
    const acts = await db.pool<{ action: string }[]>`
      select action from sso.audit_log where site_id = ${site.site_id} and action like 'connection.%' order by audit_id`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['connection.created', 'connection.changed', 'connection.deleted'],
    )
  })

  test('of SAML state the required signature, those of OpenID cannot', async () => {
    const site = await aPlannedSite(lyceum)
    const { headers } = site.owner
    const all = `${site.site_id}/connections`
    const { metadata_url } = await startSamlIdp()
    const saml = (await call('POST', all, headers, { type: 'saml', name: 'S', metadata_url })).json()
    assert.equal(saml.required_signature, 'either')
    const path = `${all}/${saml.connection_id}`
    const changed = await call('PATCH', path, headers, { required_signature: 'both' })
    assert.equal(changed.json().required_signature, 'both')
    assert.equal((await call('PATCH', path, headers, { required_signature: 'none' })).statusCode, 422)
    const oidc = (await call('POST', all, headers, OIDC)).json()
    assert.ok(!('required_signature' in oidc) && !('encryption_keys' in oidc))
    for (const refused of [
      await call('POST', all, headers, { ...OIDC, required_signature: 'both' }),
      await call('PATCH', `${all}/${oidc.connection_id}`, headers, { required_signature: 'both' }),
      await call('POST', `${all}/${oidc.connection_id}/encryption-keys`, headers, {}),
    ])
      assert.equal(refused.statusCode, 422, refused.body)
  })

  test('are closed to others on every route', async () => {
    const { site, path } = await aSchool()
    const domain = { domain: 'school.example.org' }
    const routes: [Method, string, object?][] = [
      ['GET', `${site.site_id}/connections`],
      ['POST', `${site.site_id}/connections`, OIDC],
      ['GET', path],
      ['PATCH', path, { name: 'x' }],
      ['DELETE', path],
      ['POST', `${path}/test`],
      ['POST', `${path}/encryption-keys`, {}],
      ['POST', `${path}/domains`, domain],
      ['POST', `${path}/domains/school.example.org/verify`, {}],
      ['DELETE', `${path}/domains/school.example.org`],
    ]
    const member = await aColleague({ site })
    const stranger = (await aPlannedSite(lyceum)).owner
    for (const [who, status] of [
      [await nobody(), 401],
      [member, 403],
      [stranger, 404],
    ] as const)
      for (const [method, url, body] of routes)
        assert.equal((await call(method, url, who.headers, body)).statusCode, status, `${method} ${url}`)
    const foreign = (await aSchool()).id
    const bytes = async (id: string) => ({
      ...(await call('GET', `${site.site_id}/connections/${id}`, site.owner.headers)).json(),
      request_id: '',
    })
    assert.deepEqual(await bytes(foreign), await bytes('01900000-0000-7000-8000-000000000000'))
  })

  test('need the Business plan on every route and page', async () => {
    const { site, path, id, headers } = await aSchool()
    await db.pool`update sso.sites set plan = 'starter' where site_id = ${site.site_id}`
    for (const [method, url] of [
      ['GET', `${site.site_id}/connections`],
      ['GET', path],
      ['DELETE', path],
      ['POST', `${path}/test`],
    ] as const)
      assert.deepEqual(
        [(await call(method, url, headers)).statusCode, (await call(method, url, headers)).json().code],
        [403, 'plan_required'],
      )
    assert.equal(
      (await call('POST', `${site.site_id}/connections`, headers, OIDC)).json().code,
      'plan_required',
    )
    assert.equal((await sso.inject({ url: `/sso/${id}/start` })).json().code, 'plan_required')
    const { body } = await aVisitor().get(`/sign-in?site_code=${site.site_code}`)
    assert.ok(!body.includes('Sign in with School'))
  })

  test('need a valid source and callable addresses', async () => {
    const [sandbox, production] = [
      await aPlannedSite(lyceum),
      await aPlannedSite(lyceum, { environment: 'production' }),
    ]
    const saml = { type: 'saml', name: 'School' }
    const bad: [PlannedSite, object, number, string][] = [
      [sandbox, { ...OIDC, issuer: undefined }, 422, 'issuer'],
      [sandbox, { ...OIDC, client_id: undefined }, 422, 'client_id'],
      [sandbox, { ...OIDC, metadata_url: 'https://idp.example.org/m' }, 422, 'metadata_url'],
      [sandbox, { ...OIDC, type: 'ldap' }, 422, 'type'],
      [sandbox, { ...OIDC, name: undefined }, 400, 'name'],
      [sandbox, { ...OIDC, issuer: 'ftp://idp.example.org' }, 422, 'issuer'],
      [sandbox, { ...OIDC, issuer: 'http://127.0.0.1:8064' }, 422, 'issuer'],
      [sandbox, { ...OIDC, issuer: 'http://10.0.0.1' }, 422, 'issuer'],
      [sandbox, { ...OIDC, role_mapping: [{ value: 'x', role: 'NONE' }] }, 422, 'role_mapping'],
      [sandbox, saml, 422, 'metadata_url'],
      [sandbox, { ...saml, metadata_xml: '<x/>' }, 422, 'metadata_xml'],
      [
        sandbox,
        { ...saml, metadata_xml: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>' },
        422,
        'metadata_xml',
      ],
      [production, { ...OIDC, issuer: 'http://idp.example.org' }, 422, 'issuer'],
      [production, { ...saml, metadata_url: 'https://169.254.169.254/latest' }, 422, 'metadata_url'],
      [production, { ...saml, metadata_url: 'https://localhost/m' }, 422, 'metadata_url'],
      [production, { ...saml, metadata_url: 'https://[::ffff:10.0.0.1]/m' }, 422, 'metadata_url'],
      [production, { ...saml, metadata_url: 'https://0x7f.1/m' }, 422, 'metadata_url'],
    ]
    for (const [site, body, status, field] of bad) {
      const reply = await call('POST', `${site.site_id}/connections`, site.owner.headers, body)
      assert.deepEqual([reply.statusCode, reply.json().errors?.[0]?.field], [status, field], reply.body)
    }
    const good = await call('POST', `${production.site_id}/connections`, production.owner.headers, {
      ...OIDC,
      issuer: 'https://idp.example.org',
    })
    assert.equal(good.statusCode, 201, good.body)
  })

  test('bind the secret to its issuer', async () => {
    const { path, headers } = await aSchool()
    const moved = { issuer: 'http://127.0.0.1:39996' }
    assert.deepEqual((await call('PATCH', path, headers, moved)).json().errors[0].field, 'client_secret')
    assert.equal((await call('PATCH', path, headers, { ...moved, client_secret: 'new' })).statusCode, 200)
    assert.equal(
      (await call('PATCH', path, headers, { client_secret: null })).json().has_client_secret,
      false,
    )
  })

  test('are at most twenty, also under concurrency', async () => {
    const site = await aPlannedSite(lyceum)
    const replies = await Promise.all(
      Array.from({ length: 25 }, () => call('POST', `${site.site_id}/connections`, site.owner.headers, OIDC)),
    )
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [...Array.from({ length: 20 }, () => 201), ...Array.from({ length: 5 }, () => 409)],
    )
  })

  test('lead nowhere once disabled or their site is deleted', async () => {
    const { site, id, path, headers } = await aSchool()
    await call('PATCH', path, headers, { status: 'disabled' })
    assert.equal((await sso.inject({ url: `/sso/${id}/start` })).json().code, 'connection_disabled')
    await call('PATCH', path, headers, { status: 'active' })
    await sso.inject({ method: 'DELETE', url: `/api/v1/sites/${site.site_id}`, headers })
    for (const url of [`/sso/${id}/start`, `/sso/oidc/callback/${id}?state=x`, '/sso/nothing/start'])
      assert.equal((await sso.inject({ url })).statusCode, 404, url)
  })
})

describe('the test of a connection', () => {
  test('checks the source: fine, faulty, or 502', async () => {
    const site = await aPlannedSite(lyceum)
    const { headers } = site.owner
    const [idp, saml] = [await startOidcIdp(), await startSamlIdp()]
    const one = await aConnection(lyceum, site, { ...OIDC, issuer: idp.issuer })
    const two = await aConnection(lyceum, site, { type: 'saml', metadata_url: saml.metadata_url })
    const tried = async ({ connection_id }: { connection_id: string }) => {
      const reply = await call('POST', `${site.site_id}/connections/${connection_id}/test`, headers)
      return { status: reply.statusCode, ...reply.json() }
    }
    const wrong = await tried(one)
    assert.deepEqual([wrong.status, wrong.is_ok, typeof wrong.problem], [200, false, 'string'])
    idp.serve({ client_id: 'lyceum', client_secret: 'x', ...one })
    const right = await tried(one)
    assert.deepEqual(
      [right.status, right.is_ok, right.issuer, right.sign_in_url],
      [200, true, idp.issuer, `${idp.issuer}/auth`],
    )
    const metadata = await tried(two)
    assert.deepEqual(
      [metadata.is_ok, metadata.issuer, metadata.sign_in_url],
      [true, saml.entity_id, `${saml.origin}/saml`],
    )
    await Promise.all([idp.close(), saml.close()])
    assert.deepEqual(
      [(await tried(one)).code, (await tried(two)).code],
      ['idp_unreachable', 'idp_unreachable'],
    )
  })
})

describe('the domains of a connection', () => {
  const verify = (path: string, domain: string, headers: Headers, body: object = {}) =>
    call('POST', `${path}/domains/${domain}/verify`, headers, body)

  test('are claimed once, and verified by record or operator', async () => {
    const { path, headers } = await aSchool()
    const domain = `${unique()}.example.org`
    const claimed = await call('POST', `${path}/domains`, headers, { domain: domain.toUpperCase() })
    assert.equal(claimed.statusCode, 201, claimed.body)
    assert.deepEqual(
      [claimed.json().domain, claimed.json().txt_name, claimed.json().verified_at],
      [domain, `_lyceum-challenge.${domain}`, null],
    )
    assert.deepEqual((await call('POST', `${path}/domains`, headers, { domain })).json(), claimed.json())
    assert.equal(
      (await verify(path, domain, headers, { is_override: true })).json().code,
      'operator_required',
    )
    const operator = await anOperator()
    const done = await verify(path, domain, operator.headers, { is_override: true })
    assert.deepEqual([done.statusCode, done.json().verified_by], [200, 'operator'])
    assert.equal((await verify(path, `other-${domain}`, headers)).statusCode, 404)
    assert.equal((await call('DELETE', `${path}/domains/${domain}`, headers)).statusCode, 204)
    assert.equal((await call('DELETE', `${path}/domains/${domain}`, headers)).statusCode, 404)
    for (const bad of ['', 'x', 'a@b.example', '127.0.0.1', 'http://x.example'])
      assert.equal((await call('POST', `${path}/domains`, headers, { domain: bad })).statusCode, 422, bad)
  })

  test('are verified only by their own TXT record', async () => {
    const { site, id, path, headers } = await aSchool()
    const caller = await lyceum.gate.verifyAccessToken(site.owner.access_token)
    const domain = `${unique()}.example.org`
    const { txt_name, txt_value } = (await call('POST', `${path}/domains`, headers, { domain })).json()
    const ids = { site_id: site.site_id, connection_id: id }
    const from = { ip_address: '127.0.0.1', user_agent: '' }
    const asked: string[] = []
    const tried = async (records: string[] | Error) =>
      verifyDomain(
        { database: db },
        { caller, from },
        { ...ids, domain },
        {
          is_override: false,
          async resolveTxt(name) {
            asked.push(name)
            if (records instanceof Error) throw records
            return records
          },
        },
      )
    for (const records of [
      [],
      ['v=spf1 -all'],
      [`${txt_value}x`],
      [`x ${txt_value}`],
      new Error('no such name'),
    ])
      await assert.rejects(tried(records), { code: 'domain_unverified' })
    assert.equal((await tried(['v=spf1 -all', txt_value])).verified_by, 'dns')
    assert.deepEqual([...new Set(asked)], [txt_name])
  })

  test('belong to one connection per site', async () => {
    const one = await aSchool()
    const two = await aSchool(one.site)
    const domain = `${unique()}.example.org`
    assert.equal((await call('POST', `${one.path}/domains`, one.headers, { domain })).statusCode, 201)
    assert.equal(
      (await call('POST', `${two.path}/domains`, two.headers, { domain })).json().code,
      'domain_taken',
    )
    const other = await aSchool()
    assert.equal((await call('POST', `${other.path}/domains`, other.headers, { domain })).statusCode, 201)
  })
})

describe('the sign-in page', () => {
  test('leads an address of a verified domain to its provider', async () => {
    const { site, id } = await aSchool()
    const domain = `${unique()}.example.org`
    const visitor = aVisitor()
    const page = `/sign-in?site_code=${site.site_code}`
    const ask = async (name: string, password = '') => (await visitor.submit(page, { name, password })).body
    assert.ok((await visitor.get(page)).body.includes(`href="/sso/${id}/start?site_code=`))
    const leads = (body: string) => body.includes(`/sso/${id}/start?`) && body.includes('login_hint=zoe%40')
    assert.ok(!leads(await ask(`zoe@${domain}`)))
    await verifiedDomain(lyceum, site, id, domain)
    assert.ok(leads(await ask(`zoe@${domain.toUpperCase()}`)))
    assert.ok(!leads(await ask(`zoe@sub.${domain}`)))
    assert.ok(!leads(await ask('zoe')))
    assert.match(await ask(`zoe@${domain}`, 'a password of ours'), /E-mail address or password is wrong/)
    const elsewhere = await aSite()
    await db.pool`update sso.sites set callback_url = 'https://x.example.org/' where site_id = ${elsewhere.site_id}`
    const other = await visitor.submit(`/sign-in?site_code=${elsewhere.site_code}`, {
      name: `zoe@${domain}`,
      password: '',
    })
    assert.ok(!leads(other.body))
  })

  test('still lets a local user in', async () => {
    const { site } = await aSchool()
    const zoe = await aUser({ at: site })
    const { headers } = await aVisitor().submit(`/sign-in?site_code=${site.site_code}`, {
      name: zoe.email,
      password: zoe.password,
    })
    assert.match(String(headers.location), /code=code_/)
  })
})

describe('the sign-ins of a connection', () => {
  const note = (site_id: string, action: string, details: object, count = 1) => db.pool`
    insert into sso.audit_log (audit_id, action, environment, site_id, occurred_at, ip_address, details)
    select gen_random_uuid(), ${action}, 'production', ${site_id}, now() - n * interval '1 second', '192.0.2.1',
           ${db.pool.json(details as never)} from generate_series(1, ${count}::int) as n`

  test('are its newest fifty, however many others the site has', async () => {
    const school = await aSchool()
    const other = await aConnection(lyceum, school.site, { ...OIDC, name: 'Other' })
    const { site_id } = school.site
    await note(site_id, 'login.failed', { connection_id: other.connection_id }, 400)
    await note(site_id, 'login.succeeded', {}, 400)
    await note(site_id, 'site.changed', { connection_id: school.id }, 3)
    const url = `${school.path}/sign-ins`
    assert.deepEqual((await call('GET', url, school.headers)).json(), { items: [] })
    await note(site_id, 'login.succeeded', { connection_id: school.id }, 40)
    await note(site_id, 'login.second_factor_asked', { connection_id: school.id }, 5)
    await note(
      site_id,
      'login.failed',
      { connection_id: school.id, reason: 'sso_failed', cause: 'expired' },
      40,
    )
    const reply = await call('GET', url, school.headers)
    assert.equal(reply.statusCode, 200, reply.body)
    const { items } = reply.json() as { items: { occurred_at: string; action: string; details: object }[] }
    assert.equal(items.length, 50)
    assert.deepEqual(
      items,
      items.toSorted((a, b) => b.occurred_at.localeCompare(a.occurred_at)),
    )
    assert.ok(
      items.every(({ details }) => (details as { connection_id: string }).connection_id === school.id),
    )
    assert.equal(new Set(items.map(({ action }) => action)).size, 3)
  })

  test('are hidden from strangers, members and other sites', async () => {
    const [school, other] = [await aSchool(), await aSchool()]
    const member = await aUser({ at: school.site })
    const url = `${school.path}/sign-ins`
    assert.equal((await call('GET', url, (await nobody()).headers)).statusCode, 401)
    assert.equal((await call('GET', url, member.headers)).statusCode, 403)
    assert.equal((await call('GET', url, other.headers)).statusCode, 404)
    const borrowed = `${other.site.site_id}/connections/${school.id}/sign-ins`
    assert.equal((await call('GET', borrowed, other.headers)).statusCode, 404)
    assert.equal((await call('GET', url, (await anOperator()).headers)).statusCode, 200)
  })
})
