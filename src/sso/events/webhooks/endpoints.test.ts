import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { overtaken } from '#testing/locks.ts'
import { aColleague, anAdmin, aSite, aUser, type Headers, nobody, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

type Body = Record<string, unknown>
async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  headers: Headers,
  payload?: Body,
) {
  const { sso } = await world()
  return sso.inject({ method, url: `/api/v1${url}`, headers, ...(payload && { payload }) })
}
const register = (headers: Headers, body: Body) => call('POST', '/webhooks', headers, body)
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

/** A sandbox site and the production person who manages it. */
async function aSandbox() {
  const site = await aSite({ environment: 'sandbox' })
  return { ...site, headers: site.owner.headers, at: { site_code: site.site_code } }
}
let port = 20_000
const anUrl = () => `http://127.0.0.1:${port++}/hook`

describe('POST /api/v1/webhooks', () => {
  test('registers an endpoint and shows the secret of the site', async () => {
    const anna = await aUser()
    const made = await call('POST', '/sites', anna.headers, { name: 'Partner', environment: 'sandbox' })
    const { site_code, webhook_secret } = made.json()
    const webhook_url = anUrl()
    const reply = await register(anna.headers, { webhook_url, site_code })
    assert.equal(reply.statusCode, 201, reply.body)
    const { webhook_id, created_at, updated_at, ...webhook } = reply.json()
    assert.match(webhook_id, /^[0-9a-f-]{36}$/)
    assert.ok(created_at && updated_at)
    assert.deepEqual(webhook, {
      site_code,
      webhook_url,
      webhook_secret,
      events: ['*'],
      description: null,
      all_sites: false,
      auto_disable: false,
      status: 'pending',
      confirmed_at: null,
      last_error: null,
      consecutive_failures: 0,
      failing_since: null,
    })
    assert.match(webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const list = await call('GET', `/webhooks?site_code=${site_code}`, anna.headers)
    assert.ok(!list.body.includes(webhook_secret) && !list.body.includes('secret'))
    assert.equal(list.json().total, 1)
  })

  test('refuses an ADMIN demoted while waiting', async () => {
    const [{ headers, owner, site_id, at }, { db }] = [await aSandbox(), await world()]
    const reply = await overtaken(
      db,
      async (tx) => {
        await tx`select from sso.sites where site_id = ${site_id} for no key update`
        await tx`
          update sso.memberships set role = 'USER' where user_id = ${owner.user_id} and site_id = ${site_id}`
      },
      () => register(headers, { webhook_url: anUrl(), ...at }),
    )
    assert.deepEqual([reply.statusCode, reply.json().code], [403, 'admin_required'])
  })

  test('also happens with POST /sites, and sets the domain', async () => {
    const anna = await aUser()
    const webhook_url = anUrl()
    const made = await call('POST', '/sites', anna.headers, { name: 'With a hook', webhook_url })
    assert.equal(made.statusCode, 201, made.body)
    assert.equal(made.json().webhook_url, webhook_url)
    assert.equal(made.json().domain, '127.0.0.1')
    const list = await call('GET', `/webhooks?site_code=${made.json().site_code}`, anna.headers)
    assert.deepEqual(
      list.json().items.map((one: Body) => one['webhook_url']),
      [webhook_url],
    )
    const bad = await call('POST', '/sites', anna.headers, { name: 'x', webhook_url: 'http://10.0.0.1/' })
    assert.equal(bad.statusCode, 422)
  })

  const bad: [body: Body, status: number, code?: string][] = [
    [{}, 400],
    [{ webhook_url: 5 }, 422],
    [{ webhook_url: '' }, 422],
    [{ webhook_url: 'partner.example/hook' }, 422, 'invalid_url'],
    [{ webhook_url: 'ftp://partner.example/hook' }, 422, 'invalid_url'],
    [{ webhook_url: 'https://user:pw@partner.example/' }, 422, 'invalid_url'],
    [{ webhook_url: 'https://partner.example/#x' }, 422, 'invalid_url'],
    [{ webhook_url: 'https://intranet/' }, 422, 'invalid_url'],
    [{ webhook_url: 'http://10.0.0.1/' }, 422, 'address_refused'],
    [{ webhook_url: 'http://169.254.169.254/latest/meta-data/' }, 422, 'address_refused'],
    [{ webhook_url: 'http://0xa9fea9fe/' }, 422, 'address_refused'],
    [{ webhook_url: 'http://[::ffff:10.0.0.1]/' }, 422, 'address_refused'],
    [{ webhook_url: 'http://[64:ff9b::a00:1]/' }, 422, 'address_refused'],
    [{ webhook_url: 'http://[2002:a00:1::1]/' }, 422, 'address_refused'],
    [{ webhook_url: 'http://127.0.0.1:8064/' }, 422, 'invalid_url'],
    [{ webhook_url: 'http://localhost:8066/' }, 422, 'invalid_url'],
    [{ webhook_url: anUrl(), events: [] }, 422],
    [{ webhook_url: anUrl(), events: ['user.*', 'user.deleted'] }, 422],
    [{ webhook_url: anUrl(), events: 'user.*' }, 422],
    [{ webhook_url: anUrl(), all_sites: 'yes' }, 422],
    [{ webhook_url: anUrl(), description: 'x'.repeat(501) }, 422],
  ]
  for (const [body, status, code] of bad)
    test(`refuses ${JSON.stringify(body).slice(0, 80)} with ${status} ${code ?? ''}`, async () => {
      const { headers, at } = await aSandbox()
      const reply = await register(headers, { ...body, ...at })
      assert.equal(reply.statusCode, status, reply.body)
      if (code !== undefined) assert.equal(reply.json().errors[0].code, code)
      const list = await call('GET', `/webhooks?site_code=${at.site_code}`, headers)
      assert.equal(list.json().total, 0, list.body)
    })

  for (const webhook_url of [
    'http://8.8.8.8/',
    'http://127.0.0.1:3000/',
    'https://127.0.0.1/',
    'https://localhost/',
  ])
    test(`refuses ${webhook_url} for a production site with https_required`, async () => {
      const admin = await anAdmin()
      const reply = await register(admin.headers, { webhook_url })
      assert.equal(reply.statusCode, 422, reply.body)
      assert.equal(reply.json().errors[0].code, 'https_required')
    })

  test("accepts https in production, by default for the token's site", async () => {
    const admin = await anAdmin()
    const reply = await register(admin.headers, { webhook_url: 'https://8.8.8.8/hook' })
    assert.equal(reply.statusCode, 201, reply.body)
    assert.equal(reply.json().site_code, admin.site.site_code)
  })

  test('allows an address once and ten per site, under concurrency', async () => {
    const { headers, at } = await aSandbox()
    const webhook_url = anUrl()
    const same = await Promise.all(
      Array.from({ length: 50 }, () => register(headers, { webhook_url, ...at })),
    )
    assert.deepEqual(
      same
        .map((reply) => reply.statusCode)
        .toSorted((a, b) => a - b)
        .slice(0, 2),
      [201, 409],
    )
    assert.equal(same.find((reply) => reply.statusCode === 409)?.json().code, 'webhook_exists')
    const others = await Promise.all(
      Array.from({ length: 50 }, () => register(headers, { webhook_url: anUrl(), ...at })),
    )
    assert.equal(others.filter((reply) => reply.statusCode === 201).length, 9)
    assert.equal(others.find((reply) => reply.statusCode === 409)?.json().code, 'webhook_limit')
    assert.equal((await call('GET', `/webhooks?site_code=${at.site_code}`, headers)).json().total, 10)
  })

  test('is for the ADMIN: 401, 403 for members, 404 otherwise', async () => {
    const admin = await anAdmin()
    const body = { webhook_url: 'https://8.8.8.8/', site_code: admin.site.site_code }
    assert.equal((await register((await nobody()).headers, body)).statusCode, 401)
    assert.equal((await register(admin.site.headers, body)).statusCode, 401, 'a site key is no token')
    const colleague = await aColleague(admin)
    const refused = await register(colleague.headers, body)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'admin_required'])
    const stranger = await anAdmin()
    const [foreign, unknown] = [
      await register(stranger.headers, body),
      await register(stranger.headers, { ...body, site_code: 'no-such-site' }),
    ]
    assert.equal(foreign.statusCode, 404)
    assert.deepEqual(withoutId(foreign.body), withoutId(unknown.body))
  })
})

describe('an endpoint', () => {
  async function anEndpoint() {
    const sandbox = await aSandbox()
    const reply = await register(sandbox.headers, { webhook_url: anUrl(), ...sandbox.at })
    return { ...sandbox, webhook: reply.json() as Body & { webhook_id: string; webhook_url: string } }
  }

  test('can be read, changed and deleted', async () => {
    const { headers, webhook } = await anEndpoint()
    const path = `/webhooks/${webhook.webhook_id}`
    const { webhook_secret: _, ...shown } = webhook
    assert.deepEqual((await call('GET', path, headers)).json(), shown)
    const change = {
      webhook_url: anUrl(),
      events: ['user.*'],
      description: 'mine',
      all_sites: true,
      auto_disable: true,
      status: 'disabled',
    }
    const changed = await call('PATCH', path, headers, change)
    assert.equal(changed.statusCode, 200, changed.body)
    const { updated_at: before, ...rest } = shown
    const { updated_at, ...now } = changed.json()
    assert.ok(updated_at > String(before))
    assert.deepEqual(now, { ...rest, ...change })
    assert.equal((await call('PATCH', path, headers, { description: null })).json().description, null)
    assert.deepEqual((await call('PATCH', path, headers, {})).json().events, ['user.*'])
    assert.equal((await call('DELETE', path, headers)).statusCode, 204)
    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      assert.equal((await call(method, path, headers, method === 'PATCH' ? {} : undefined)).statusCode, 404)
    const again = await register(headers, {
      webhook_url: change.webhook_url,
      site_code: webhook['site_code'],
    })
    assert.equal(again.statusCode, 201, 'its address is free again')
  })

  test('keeps its address when the new one is refused', async () => {
    const { headers, webhook, at } = await anEndpoint()
    const other = (await register(headers, { webhook_url: anUrl(), ...at })).json()
    const path = `/webhooks/${webhook.webhook_id}`
    const refused = await call('PATCH', path, headers, { webhook_url: 'http://192.168.0.1/' })
    assert.equal(refused.statusCode, 422)
    const taken = await call('PATCH', path, headers, { webhook_url: other.webhook_url })
    assert.deepEqual([taken.statusCode, taken.json().code], [409, 'webhook_exists'])
    assert.equal((await call('GET', path, headers)).json().webhook_url, webhook.webhook_url)
    assert.equal((await call('PATCH', path, headers, { status: 'broken' })).statusCode, 422)
    assert.equal((await call('PATCH', path, headers, { events: null })).statusCode, 422)
  })

  test('answers 404 to strangers, 403 to members, and stays unchanged', async () => {
    const { headers, webhook, site_id } = await anEndpoint()
    const path = `/webhooks/${webhook.webhook_id}`
    const [stranger, member] = [await anAdmin(), await aUser()]
    const { db } = await world()
    await db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${member.user_id}, ${site_id}, 'USER')`
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { status: 'disabled' }],
      ['DELETE', '', undefined],
      ['POST', '/test', undefined],
    ] as const) {
      const foreign = await call(method, path + suffix, stranger.headers, body)
      const unknown = await call(method, `/webhooks/${randomUUID()}${suffix}`, stranger.headers, body)
      const malformed = await call(method, `/webhooks/7${suffix}`, stranger.headers, body)
      assert.equal(foreign.statusCode, 404)
      assert.deepEqual(withoutId(foreign.body), withoutId(unknown.body))
      assert.deepEqual(withoutId(foreign.body), withoutId(malformed.body))
      assert.equal((await call(method, path + suffix, member.headers, body)).statusCode, 403)
      assert.equal((await call(method, path + suffix, {}, body)).statusCode, 401)
    }
    const { webhook_secret: _, ...shown } = webhook
    assert.deepEqual((await call('GET', path, headers)).json(), shown)
  })
})

describe('POST /api/v1/sites/{site_id}/webhook-secret/rotate', () => {
  test('is for the ADMIN of the site and is audited', async () => {
    const admin = await anAdmin()
    const path = `/sites/${admin.site.site_id}/webhook-secret/rotate`
    const reply = await call('POST', path, admin.headers, { switch_in_seconds: 60 })
    assert.equal(reply.statusCode, 200, reply.body)
    const { webhook_secret, switch_at, old_valid_until } = reply.json()
    assert.match(webhook_secret, /^whsec_/)
    assert.equal(Date.parse(old_valid_until) - Date.parse(switch_at), 86_400_000)
    const wait = Date.parse(switch_at) - Date.now()
    assert.ok(wait > 50_000 && wait <= 61_000, `${wait} ms`)
    const { db } = await world()
    const acts = await db.pool<{ details: object }[]>`
      select details from sso.audit_log
       where site_id = ${admin.site.site_id} and action = 'webhook_secret.rotated'`
    assert.deepEqual([...acts], [{ details: { switch_in_seconds: 60 } }])
    assert.equal((await call('POST', path, (await aColleague(admin)).headers, {})).statusCode, 403)
    assert.equal((await call('POST', path, (await anAdmin()).headers, {})).statusCode, 404)
    assert.equal((await call('POST', path, {}, {})).statusCode, 401)
    for (const switch_in_seconds of [-1, 86_401, 1.5, '60'])
      assert.equal((await call('POST', path, admin.headers, { switch_in_seconds })).statusCode, 422)
  })
})

test('the database holds no readable secret', async () => {
  const admin = await anAdmin()
  const { webhook_secret } = (await register(admin.headers, { webhook_url: 'https://8.8.8.8/x' })).json()
  const { db } = await world()
  const rows = await db.pool`
    select from sso.sites where position(${Buffer.from(webhook_secret)} in webhook_secret_enc) > 0`
  assert.equal(rows.length, 0)
  const again = await signIn(admin, { at: admin.site })
  assert.ok(again.access_token)
})
