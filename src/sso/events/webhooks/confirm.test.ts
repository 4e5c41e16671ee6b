import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { verifyWebhook } from 'lyceum/webhook-kit'
import { newId } from '#foundation/ids.ts'
import { atEnd } from '#testing/endings.ts'
import { eventually } from '#testing/eventually.ts'
import { aSite, type Person, type TestSite } from '#testing/people.ts'
import { answers, type Behaviour, startReceiver } from '#testing/receiver.ts'
import { startEngine, toldIn } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import type { Webhooks } from './engine.ts'
import { recordFacts } from '../facts/facts.ts'
import { sweepWebhooks } from './retention.ts'
import { paymentCompleted } from '../facts/telling.ts'

let lyceum: World
let engine: Webhooks
before(async () => {
  lyceum = await buildWorld()
  engine = await startEngine(lyceum)
})

type Endpoint = Awaited<ReturnType<typeof anEndpoint>>

async function aReceiver(behave: Behaviour) {
  const receiver = await startReceiver(behave)
  atEnd(() => receiver.close())
  return receiver
}

/** A sandbox site whose endpoint answers its pings with `status`, which a test may change. */
async function anEndpoint(given: { status?: number; site?: TestSite & { owner: Person } } = {}) {
  const answer = { status: given.status ?? 204 }
  const site = given.site ?? (await aSite({ environment: 'sandbox', lyceum }))
  const receiver = await aReceiver((socket, request) => answers(answer.status)(socket, request))
  const made = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/webhooks',
    headers: site.owner.headers,
    payload: { webhook_url: receiver.url, site_code: site.site_code },
  })
  assert.equal(made.statusCode, 201, made.body)
  return { site, receiver, answer, made: made.json(), path: `/api/v1/webhooks/${made.json().webhook_id}` }
}

const seen = async ({ path, site }: Endpoint) =>
  (await lyceum.sso.inject({ url: path, headers: site.owner.headers })).json()
const change = async ({ path, site }: Endpoint, payload: object) =>
  (await lyceum.sso.inject({ method: 'PATCH', url: path, headers: site.owner.headers, payload })).json()
const pay = ({ site }: Endpoint, times = 1) =>
  lyceum.db.transaction((tx) =>
    recordFacts(
      tx,
      Array.from({ length: times }, () =>
        paymentCompleted(
          { ...site, environment: 'sandbox' },
          { order_id: newId(), plan: null, amount: 1, currency: 'USD', fulfilled_at: '' },
        ),
      ),
    ),
  )
const logOf = async ({ site }: Endpoint, query = '') =>
  (
    await lyceum.sso.inject({
      url: `/api/v1/webhooks/events?site_code=${site.site_code}${query}`,
      headers: site.owner.headers,
    })
  ).json()
const typesAt = ({ receiver }: Endpoint) => receiver.requests.map((request) => toldIn(request).event_type)
const isStatus = (endpoint: Endpoint, status: string) =>
  eventually(async () => (await seen(endpoint)).status === status)
const hold = (endpoint: Endpoint, times: number) =>
  eventually(async () => (await logOf(endpoint, '&status=held')).total === times)

describe('a new endpoint', () => {
  test('gets a signed ping and is active after a 2xx', async () => {
    const endpoint = await anEndpoint()
    assert.deepEqual([endpoint.made.status, endpoint.made.confirmed_at], ['pending', null])
    await isStatus(endpoint, 'active')
    const [{ body, headers } = assert.fail()] = endpoint.receiver.requests
    const ping = verifyWebhook(body, headers, endpoint.made.webhook_secret)
    assert.deepEqual(
      [ping.event_type, ping.data, ping.metadata],
      [
        'ping',
        { webhook_id: endpoint.made.webhook_id },
        { partner_client_id: endpoint.site.site_code, action_required: 'none' },
      ],
    )
    assert.match(headers['x-sso-signature'] ?? '', /^sha256=[0-9a-f]{64}$/)
    assert.ok(headers['webhook-signature'])
    assert.ok((await seen(endpoint)).confirmed_at)
  })

  test('gets a ping when created with POST /sites', async () => {
    const receiver = await aReceiver(answers(204))
    const { owner } = await aSite({ environment: 'sandbox', lyceum })
    const made = await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/sites',
      headers: owner.headers,
      payload: { name: 'With a hook', webhook_url: receiver.url },
    })
    assert.equal(made.statusCode, 201, made.body)
    await eventually(() => receiver.requests.length === 1)
    assert.equal(toldIn(receiver.requests[0] ?? assert.fail()).event_type, 'ping')
  })

  test('stays pending after a failure and retries by schedule', async () => {
    const endpoint = await anEndpoint({ status: 500 })
    const gaps: number[] = []
    for (let attempt = 1; attempt <= 6; attempt++) {
      await eventually(async () => (await logOf(endpoint)).items[0]?.attempt_count === attempt)
      const [job] = await lyceum.db.pool<{ gap: number; state: string }[]>`
        select extract(epoch from d.next_attempt_at - a.finished_at)::float8 as gap, d.state
          from sso.webhook_deliveries d join sso.webhook_attempts a using (delivery_id)
         where d.webhook_id = ${endpoint.made.webhook_id} order by a.claim desc limit 1`
      if (job?.state !== 'pending') break
      gaps.push(Math.round(job.gap))
      await lyceum.db.pool`
        update sso.webhook_deliveries set next_attempt_at = clock_timestamp()
         where webhook_id = ${endpoint.made.webhook_id} and state = 'pending'`
      engine.runner.wake()
    }
    assert.deepEqual(gaps, [30, 120, 600, 3_600, 21_600])
    const { status, last_error } = await seen(endpoint)
    assert.deepEqual([status, last_error], ['pending', 'http_status 500'])
    await pay(endpoint)
    await hold(endpoint, 1)
    assert.deepEqual(new Set(typesAt(endpoint)), new Set(['ping']))
  })

  test('is confirmed by a ping its ADMIN requests', async () => {
    const endpoint = await anEndpoint({ status: 503 })
    await eventually(async () => (await seen(endpoint)).last_error === 'http_status 503')
    endpoint.answer.status = 200
    const url = `${endpoint.path}/test`
    const asked = await lyceum.sso.inject({ method: 'POST', url, headers: endpoint.site.owner.headers })
    assert.equal(asked.statusCode, 202)
    await isStatus(endpoint, 'active')
    assert.equal((await seen(endpoint)).last_error, null)
  })
})

describe('events for a pending endpoint', () => {
  test('are held, and sent once after the first 2xx', async () => {
    const endpoint = await anEndpoint({ status: 500 })
    for (let n = 0; n < 12; n++) await pay(endpoint)
    await hold(endpoint, 12)
    assert.deepEqual(typesAt(endpoint), ['ping'])
    endpoint.answer.status = 204
    await lyceum.sso.inject({
      method: 'POST',
      url: `${endpoint.path}/test`,
      headers: endpoint.site.owner.headers,
    })
    await eventually(async () => (await logOf(endpoint, '&status=delivered')).total === 13)
    const told = endpoint.receiver.requests.map(toldIn).slice(2)
    const ids = told.map(({ event_id }) => event_id)
    assert.deepEqual([told.length, new Set(ids).size], [12, 12])
    const orders = await lyceum.db.pool<{ attempts: number; max_attempts: number }[]>`
      select attempts, max_attempts from sso.webhook_deliveries
       where site_id = ${endpoint.site.site_id} and event_type = 'payment.completed'`
    assert.ok(orders.every(({ attempts, max_attempts }) => attempts === 1 && max_attempts === 6))
  })

  test('are all sent once when recorded during the answer', async () => {
    for (let round = 0; round < 8; round++) {
      const endpoint = await anEndpoint()
      for (let n = 0; n < 6; n++) await pay(endpoint)
      await eventually(async () => (await logOf(endpoint, '&status=delivered')).total === 7)
      assert.equal((await logOf(endpoint, '&status=held')).total, 0)
    }
  })

  test('expire with their retention', async () => {
    const endpoint = await anEndpoint({ status: 500 })
    await pay(endpoint)
    await hold(endpoint, 1)
    await lyceum.db.pool`
      update sso.webhook_events set created_at = created_at - interval '31 days'
       where site_id = ${endpoint.site.site_id} and event_type <> 'ping'`
    assert.equal(await sweepWebhooks(lyceum.db), 1)
    assert.equal((await logOf(endpoint, '&status=held')).total, 0)
  })

  test('are released beyond one batch', async () => {
    const endpoint = await anEndpoint({ status: 500 })
    await pay(endpoint, 600)
    await hold(endpoint, 600)
    endpoint.answer.status = 204
    await lyceum.sso.inject({
      method: 'POST',
      url: `${endpoint.path}/test`,
      headers: endpoint.site.owner.headers,
    })
    await eventually(async () => (await logOf(endpoint, '&status=held')).total === 0)
    await eventually(() => endpoint.receiver.requests.length === 602)
  })
})

describe('an endpoint that moves', () => {
  test('is pending again, and its new address gets held events', async () => {
    const endpoint = await anEndpoint()
    await isStatus(endpoint, 'active')
    const other = await anEndpoint({ status: 500 })
    const moved = await change(endpoint, { webhook_url: `${other.receiver.url}/moved` })
    assert.deepEqual([moved.status, moved.confirmed_at], ['pending', null])
    await pay(endpoint)
    await hold(endpoint, 1)
    other.answer.status = 204
    await lyceum.sso.inject({
      method: 'POST',
      url: `${endpoint.path}/test`,
      headers: endpoint.site.owner.headers,
    })
    await isStatus(endpoint, 'active')
    await eventually(() => typesAt(other).includes('payment.completed'))
    assert.deepEqual(typesAt(endpoint), ['ping'])
  })

  test('stays confirmed when the address is unchanged', async () => {
    const endpoint = await anEndpoint()
    await isStatus(endpoint, 'active')
    assert.equal((await change(endpoint, { webhook_url: endpoint.receiver.url })).status, 'active')
  })

  test('gets its ping after being enabled again', async () => {
    const endpoint = await anEndpoint()
    await isStatus(endpoint, 'active')
    await change(endpoint, { status: 'disabled', webhook_url: `${endpoint.receiver.url}/moved` })
    assert.equal((await change(endpoint, { status: 'active' })).status, 'pending')
    await isStatus(endpoint, 'active')
  })
})
