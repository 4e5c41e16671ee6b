import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { verifyWebhook, WebhookError } from 'lyceum/webhook-kit'
import { newId } from '#foundation/ids.ts'
import { paymentCompleted, recordFacts } from '#sso'
import { atEnd } from '#testing/endings.ts'
import { aSite, aUser, type Person, type TestSite } from '#testing/people.ts'
import { answers, type Behaviour, startReceiver } from '#testing/receiver.ts'
import { eventually } from '#testing/eventually.ts'
import { aPartner, startEngine, toldIn } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'

type Site = TestSite & { owner: Person }

const sandboxSite = (lyceum: World) => aSite({ environment: 'sandbox', lyceum })

async function aReceiver(behave: Behaviour, ...more: [] | [{ port: number }]) {
  const receiver = await startReceiver(behave, ...more)
  atEnd(() => receiver.close())
  return receiver
}

const register = ({ sso }: World, { owner, site_code }: Site, webhook_url: string) =>
  sso.inject({
    method: 'POST',
    url: '/api/v1/webhooks',
    headers: owner.headers,
    payload: { webhook_url, site_code },
  })

const pay = ({ db }: World, { site_id, site_code }: Site, times = 1) =>
  db.transaction((tx) =>
    recordFacts(
      tx,
      Array.from({ length: times }, () =>
        paymentCompleted(
          { site_id, site_code, environment: 'sandbox' },
          { order_id: newId(), plan: null, amount: 1, currency: 'USD', fulfilled_at: '' },
        ),
      ),
    ),
  )

/** Waits until no webhook job is due. */
const quiet = ({ db }: World) =>
  eventually(async () => {
    const due = await db.pool`
      select from foundation.jobs
       where kind like 'webhook.%' and state = 'pending' and run_at < clock_timestamp() + interval '10 s'
       union all select from sso.webhook_deliveries
       where state = 'pending' and next_attempt_at < clock_timestamp() + interval '10 s' limit 1`
    return due.length === 0
  })

/** The largest number of requests within one second. */
function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.max(0, ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 1_000).length))
}

describe("an attacker who wants everybody's events", () => {
  let lyceum: World
  before(async () => {
    lyceum = await buildWorld()
    await startEngine(lyceum)
  })

  test('receives no registrations elsewhere through a sandbox site', async () => {
    const attacker = await aPartner(lyceum)
    const school = await aPartner(lyceum)
    await aUser({ at: school.site, lyceum })
    await eventually(() => school.bodies().some(({ event_type }) => event_type === 'user.created'))
    await quiet(lyceum)
    assert.deepEqual(attacker.bodies(), [])
  })

  test('receives no registrations through an unapproved production site', async () => {
    const site = await aSite({ environment: 'production', lyceum })
    await lyceum.db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
      values (${newId()}, ${site.site_id}, 'https://attacker.example/', '{*}', clock_timestamp())`
    await lyceum.db.pool`update sso.sites set status = 'pending' where site_id = ${site.site_id}`
    await aUser({ lyceum })
    await quiet(lyceum)
    const told = await lyceum.db.pool`
      select from sso.webhook_events where site_id = ${site.site_id} and event_type = 'user.created'`
    assert.equal(told.length, 0)
  })
})

describe('an attacker who floods a third party', () => {
  test('cannot send events to a server that never agreed', async () => {
    const lyceum = await buildWorld()
    await startEngine(lyceum)
    const victim = await aReceiver(answers(404))
    const site = await sandboxSite(lyceum)
    assert.equal((await register(lyceum, site, victim.url)).statusCode, 201)
    for (let n = 0; n < 5; n++) await aUser({ at: site, lyceum })
    await quiet(lyceum)
    const types = victim.requests.map((request) => toldIn(request).event_type)
    assert.deepEqual(types, ['ping'])
  })

  test('cannot move an endpoint to a server that never agreed', async () => {
    const lyceum = await buildWorld()
    await startEngine(lyceum)
    const victim = await aReceiver(answers(404))
    const attacker = await aPartner(lyceum)
    const changed = await lyceum.sso.inject({
      method: 'PATCH',
      url: `/api/v1/webhooks/${attacker.webhook_id}`,
      headers: attacker.owner.headers,
      payload: { webhook_url: victim.url },
    })
    assert.equal(changed.statusCode, 200)
    await pay(lyceum, { ...attacker.site, owner: attacker.owner }, 5)
    await quiet(lyceum)
    assert.deepEqual(
      victim.requests.map((request) => toldIn(request).event_type),
      ['ping'],
    )
  })

  test('gets at most fifty requests a second to one host', async () => {
    const lyceum = await buildWorld({ env: { SSO_WEBHOOK_RATE: '50' } })
    const times: number[] = []
    const victim = await aReceiver((socket, request) => {
      if (toldIn(request).event_type !== 'ping') times.push(performance.now())
      answers(204)(socket, request)
    })
    const sites = await Promise.all(Array.from({ length: 4 }, () => sandboxSite(lyceum)))
    for (const site of sites)
      for (let n = 0; n < 5; n++) await register(lyceum, site, `${victim.url}/${site.site_code}/${n}`)
    await startEngine(lyceum)
    await quiet(lyceum)
    for (const site of sites) await pay(lyceum, site, 8)
    await eventually(() => times.length === 4 * 5 * 8)
    assert.ok(mostInASecond(times) <= 55, `${mostInASecond(times)} requests within a second`)
  })
})

describe('an attacker who targets our own network', () => {
  test('cannot reach this machine from a public sandbox', async () => {
    const env = {
      HOST: '0.0.0.0',
      SSO_URL: 'http://localhost',
      LEARNING_URL: 'http://localhost:8081',
    }
    const lyceum = await buildWorld({ env })
    await startEngine(lyceum)
    const inside = await aReceiver(answers(204))
    const site = await sandboxSite(lyceum)
    const refused = await register(lyceum, site, inside.url)
    assert.equal(refused.statusCode, 422, refused.body)
    assert.equal(refused.json().errors[0].code, 'address_refused')
    await lyceum.db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
      values (${newId()}, ${site.site_id}, ${inside.url}, '{*}', clock_timestamp())`
    await pay(lyceum, site)
    await quiet(lyceum)
    assert.equal(inside.connections(), 0)
  })

  test('cannot reach a well-known internal port of this machine', async () => {
    const lyceum = await buildWorld()
    await startEngine(lyceum)
    const store = await aReceiver(answers(200), { port: 9_200 })
    const site = await sandboxSite(lyceum)
    const refused = await register(lyceum, site, store.url)
    assert.deepEqual([refused.statusCode, refused.json().errors[0].code], [422, 'invalid_url'])
    await lyceum.db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
      values (${newId()}, ${site.site_id}, ${store.url}, '{*}', clock_timestamp())`
    await pay(lyceum, site)
    await quiet(lyceum)
    assert.equal(store.connections(), 0)
  })

  test('cannot reach the host agent of Azure', async () => {
    const lyceum = await buildWorld()
    const site = await sandboxSite(lyceum)
    const refused = await register(lyceum, site, 'http://168.63.129.16/machine?comp=goalstate')
    assert.deepEqual([refused.statusCode, refused.json().errors?.[0].code], [422, 'address_refused'])
  })
})

test('an attacker cannot replay a kept delivery later', async () => {
  const lyceum = await buildWorld()
  await startEngine(lyceum)
  const partner = await aPartner(lyceum)
  await pay(lyceum, { ...partner.site, owner: partner.owner })
  await eventually(() => partner.receiver.requests.length === 1)
  const [{ body, headers } = assert.fail()] = partner.receiver.requests
  const kept = { 'x-sso-event-id': headers['x-sso-event-id'], 'x-sso-signature': headers['x-sso-signature'] }
  const inADay = Date.now() + 86_400_000
  for (const sent of [headers, kept])
    assert.throws(
      () => verifyWebhook(body, sent, partner.secret, { now: inADay }),
      (error) => error instanceof WebhookError && error.code === 'timestamp',
    )
})
