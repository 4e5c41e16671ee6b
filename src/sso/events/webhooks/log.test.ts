import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { anAdmin, aUser, type Headers } from '#testing/people.ts'
import { answers } from '#testing/receiver.ts'
import { aPartner, type Partner, signatureOf, startEngine, toldIn } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import type { Webhooks } from './engine.ts'
import { recordFacts } from '../facts/facts.ts'
import { webhookHealth } from './health.ts'
import { measureWebhooks } from './metrics.ts'
import { sweepWebhooks } from './retention.ts'
import { paymentCompleted, sessionCreated } from '../facts/telling.ts'

let lyceum: World
let engine: Webhooks
before(async () => {
  lyceum = await buildWorld()
  engine = await startEngine(lyceum)
})

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  headers: Headers,
  payload?: object,
) {
  return lyceum.sso.inject({ method, url: `/api/v1${url}`, headers, ...(payload && { payload }) })
}
const logOf = async ({ site, owner }: Partner, query = '') =>
  (await call('GET', `/webhooks/events?site_code=${site.site_code}${query}`, owner.headers)).json()
const replay = ({ owner }: Partner, event_id: string, body: object = {}) =>
  call('POST', `/webhooks/events/${event_id}/replay`, owner.headers, body)
const pay = ({ site }: Partner) =>
  lyceum.db.transaction((tx) =>
    recordFacts(tx, [
      paymentCompleted(
        { ...site, environment: 'sandbox' },
        {
          order_id: newId(),
          plan: null,
          amount: 1,
          currency: 'USD',
          fulfilled_at: '2026-01-01T00:00:00.000Z',
        },
      ),
    ]),
  )
async function delivered(partner: Partner, times = 1) {
  for (let n = 0; n < times; n++) await pay(partner)
  await eventually(async () => (await logOf(partner, '&status=delivered')).total === times)
}
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

describe('GET /api/v1/webhooks/events', () => {
  test('shows time and result of deliveries, never their content', async () => {
    const partner = await aPartner(lyceum, { behave: answers(200, 'a secret answer') })
    await delivered(partner)
    const log = await logOf(partner)
    const [{ event_id, created_at, delivered_at, attempts, ...delivery }] = log.items
    assert.deepEqual(delivery, {
      event_type: 'payment.completed',
      webhook_id: partner.webhook_id,
      webhook_url: partner.receiver.url,
      site_code: partner.site.site_code,
      status: 'delivered',
      attempt_count: 1,
      max_attempts: 6,
      next_attempt_at: null,
      run: 1,
      replay_of_run: null,
    })
    assert.equal(event_id, partner.bodies()[0]?.event_id)
    assert.ok(delivered_at >= created_at)
    const [{ attempted_at, duration_ms, ...attempt }] = attempts
    assert.deepEqual(attempt, { attempt: 1, response_status: 200, error: null, retry_after: null })
    assert.match(attempted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(duration_ms >= 0 && duration_ms < 5_000)
    assert.ok(!JSON.stringify(log).includes('secret'))
  })

  test('pages newest first, with filters', async () => {
    const partner = await aPartner(lyceum)
    await delivered(partner, 5)
    await lyceum.db.transaction((tx) =>
      recordFacts(tx, [
        sessionCreated(
          { ...partner.site, environment: 'sandbox' },
          {
            session_id: newId(),
            user_id: newId(),
            auth_methods: ['pwd'],
            ip_address: null,
            user_agent: null,
            created_at: '',
          },
        ),
      ]),
    )
    await eventually(async () => (await logOf(partner, '&status=delivered')).total === 6)
    const all = (await logOf(partner)).items as { event_id: string; created_at: string; event_type: string }[]
    assert.deepEqual(
      all.map(({ created_at }) => created_at),
      all
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    )
    const pages = await Promise.all([1, 2, 3].map((page) => logOf(partner, `&per_page=2&page=${page}`)))
    assert.deepEqual(
      pages.flatMap(({ items }) => items),
      all,
    )
    assert.deepEqual([pages[0].total, pages[0].pages], [6, 3])
    const total = async (query: string) => (await logOf(partner, query)).total
    assert.equal(await total('&status=delivered'), 6)
    assert.equal(await total('&status=failed'), 0)
    assert.equal(await total('&event_type=session.created'), 1)
    assert.equal(await total(`&event_id=${all[2]?.event_id}`), 1)
    assert.equal(await total(`&webhook_id=${partner.webhook_id}`), 6)
    assert.equal(await total(`&webhook_id=${randomUUID()}`), 0)
    assert.equal(await total(`&created_after=${all[0]?.created_at}`), 0)
    // Two may be of the same millisecond.
    const later = all.filter(({ created_at }) => created_at > (all[5]?.created_at ?? '')).length
    assert.equal(await total(`&created_after=${all[5]?.created_at}`), later)
    for (const query of [
      'status=lost',
      'event_type=x',
      'event_id=7',
      'created_after=yesterday',
      'per_page=101',
    ])
      assert.equal(
        (await call('GET', `/webhooks/events?${query}`, partner.owner.headers)).statusCode,
        422,
        query,
      )
  })

  test('is for the ADMIN of the site: 401, 403 and 404', async () => {
    const partner = await aPartner(lyceum)
    const path = `/webhooks/events?site_code=${partner.site.site_code}`
    const [stranger, member] = [await anAdmin({ lyceum }), await aUser({ lyceum })]
    await lyceum.db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${member.user_id}, ${partner.site.site_id}, 'USER')`
    assert.equal((await call('GET', path, {})).statusCode, 401)
    assert.equal((await call('GET', path, member.headers)).statusCode, 403)
    assert.equal((await call('GET', path, stranger.headers)).statusCode, 404)
    assert.equal(
      (await call('GET', '/webhooks/events', member.headers)).statusCode,
      403,
      'the own site by default',
    )
  })
})

describe('POST /api/v1/webhooks/events/{event_id}/replay', () => {
  test('sends the same id and bytes, and logs both runs', async () => {
    const partner = await aPartner(lyceum)
    await delivered(partner)
    const [{ event_id }] = (await logOf(partner)).items
    const reply = await replay(partner, event_id)
    assert.equal(reply.statusCode, 202, reply.body)
    const { run, replay_of_run, status, attempt_count } = reply.json()
    assert.deepEqual([run, replay_of_run, status, attempt_count], [2, 1, 'pending', 0])
    await eventually(() => partner.receiver.requests.length === 2)
    const [first, second] = partner.receiver.requests
    assert.ok(first && second && first.body.equals(second.body))
    assert.equal(first.headers['x-sso-event-id'], second.headers['x-sso-event-id'])
    await eventually(async () => (await logOf(partner, '&status=delivered')).total === 2)
    assert.equal((await logOf(partner, `&event_id=${event_id}`)).total, 2)
  })

  test('retries a failed event by the whole schedule', async () => {
    let status = 500
    const partner = await aPartner(lyceum, { behave: (socket, request) => answers(status)(socket, request) })
    await pay(partner)
    await eventually(async () => (await logOf(partner)).items[0]?.status === 'retrying')
    await lyceum.db.pool`
      update sso.webhook_deliveries set max_attempts = 1, next_attempt_at = clock_timestamp()
       where webhook_id = ${partner.webhook_id}`
    engine.runner.wake()
    await eventually(async () => (await logOf(partner)).items[0]?.status === 'failed')
    const [{ event_id }] = (await logOf(partner)).items
    assert.equal((await replay(partner, event_id)).json().max_attempts, 6)
    await eventually(async () => (await logOf(partner, '&status=retrying')).total === 1)
    status = 200
    await lyceum.db.pool`
      update sso.webhook_deliveries set next_attempt_at = clock_timestamp()
       where webhook_id = ${partner.webhook_id} and state = 'pending'`
    engine.runner.wake()
    await eventually(async () => (await logOf(partner, '&status=delivered')).total === 1)
  })

  test('moves a waiting run to now, under concurrency too', async () => {
    let status = 500
    const partner = await aPartner(lyceum, { behave: (socket, request) => answers(status)(socket, request) })
    await pay(partner)
    await eventually(async () => (await logOf(partner)).items[0]?.status === 'retrying')
    const [{ event_id }] = (await logOf(partner)).items
    // Each of the fifty may be attempted on its own: none of these attempts is the last of the run.
    await lyceum.db.pool`
      update sso.webhook_deliveries set max_attempts = 1000 where webhook_id = ${partner.webhook_id}`
    const reply = await replay(partner, event_id)
    assert.deepEqual([reply.statusCode, reply.json().run], [202, 1])
    engine.runner.wake()
    await eventually(() => partner.receiver.requests.length === 2)
    await eventually(async () => (await logOf(partner)).items[0]?.attempt_count === 2)
    const replies = await Promise.all(Array.from({ length: 50 }, () => replay(partner, event_id)))
    assert.ok(replies.every(({ statusCode }) => statusCode === 202))
    assert.equal((await logOf(partner)).total, 1)
    status = 204
    await replay(partner, event_id)
    await eventually(async () => (await logOf(partner)).items[0]?.status === 'delivered')
    await Promise.all(Array.from({ length: 50 }, () => replay(partner, event_id)))
    await eventually(async () => (await logOf(partner, '&status=pending')).total === 0)
    const runs = (await logOf(partner, '&per_page=100')).items.map(({ run }: { run: number }) => run)
    assert.deepEqual(
      runs,
      Array.from({ length: runs.length }, (_, n) => runs.length - n),
    )
  })

  test('attempts again at once when the attempt under way fails', async () => {
    let isWorking = true
    const { promise: replayed, resolve } = Promise.withResolvers<void>()
    const partner = await aPartner(lyceum, {
      behave(socket, request) {
        if (isWorking) return answers(204)(socket, request)
        isWorking = true
        void replayed.then(() => answers(500)(socket, request))
      },
    })
    isWorking = false
    await pay(partner)
    await eventually(() => partner.receiver.requests.length === 1)
    const [{ event_id }] = (await logOf(partner)).items
    assert.equal((await replay(partner, event_id)).statusCode, 202)
    resolve()
    await eventually(async () => (await logOf(partner)).items[0]?.status === 'delivered')
    assert.equal((await logOf(partner)).items[0]?.attempt_count, 2)
  })

  test('answers with a list, or one item for a named endpoint', async () => {
    const first = await aPartner(lyceum)
    const site = { ...first.site, owner: first.owner }
    const second = await aPartner(lyceum, { site })
    await pay(first)
    await eventually(async () => (await logOf(first, '&status=delivered')).total === 2)
    const { event_id } = first.bodies()[0] ?? assert.fail()
    const both = (await replay(first, event_id)).json()
    assert.deepEqual(
      both.items.map(({ webhook_id }: Partner) => webhook_id),
      [first.webhook_id, second.webhook_id],
    )
    const one = (await replay(first, event_id, { webhook_id: second.webhook_id })).json()
    assert.equal(one.webhook_id, second.webhook_id)
    const third = await aPartner(lyceum, { site })
    assert.equal((await replay(first, event_id, { webhook_id: third.webhook_id })).json().run, 1)
    await eventually(() => third.receiver.requests.length === 1)
    assert.equal(toldIn(third.receiver.requests[0] ?? assert.fail()).event_id, event_id)
  })

  test('refuses strangers, unknown ids, members and missing tokens', async () => {
    const partner = await aPartner(lyceum)
    await delivered(partner)
    const [{ event_id }] = (await logOf(partner)).items
    const [stranger, member] = [await anAdmin({ lyceum }), await aUser({ lyceum })]
    await lyceum.db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${member.user_id}, ${partner.site.site_id}, 'USER')`
    const path = (id: string) => `/webhooks/events/${id}/replay`
    const foreign = await call('POST', path(event_id), stranger.headers, {})
    assert.equal(foreign.statusCode, 404)
    for (const id of [randomUUID(), 'x'])
      assert.deepEqual(
        withoutId((await call('POST', path(id), stranger.headers, {})).body),
        withoutId(foreign.body),
      )
    assert.equal((await call('POST', path(event_id), member.headers, {})).statusCode, 403)
    assert.equal((await call('POST', path(event_id), {}, {})).statusCode, 401)
    assert.equal((await replay(partner, event_id, { webhook_id: randomUUID() })).statusCode, 404)
    assert.equal((await replay(partner, event_id, { webhook_id: 'x' })).statusCode, 422)
    assert.equal((await logOf(partner)).total, 1)
    await call('DELETE', `/webhooks/${partner.webhook_id}`, partner.owner.headers)
    const gone = await replay(partner, event_id)
    assert.deepEqual([gone.statusCode, gone.json().code], [409, 'no_endpoint'])
  })
})

describe('POST /api/v1/webhooks/{webhook_id}/test', () => {
  test('sends one signed ping, whatever the subscription, without retry', async () => {
    const partner = await aPartner(lyceum, { events: ['user.created'], behave: answers(500) })
    const reply = await call('POST', `/webhooks/${partner.webhook_id}/test`, partner.owner.headers)
    assert.equal(reply.statusCode, 202, reply.body)
    assert.deepEqual([reply.json().event_type, reply.json().max_attempts], ['ping', 1])
    await eventually(async () => (await logOf(partner)).items[0]?.status === 'failed')
    const [request] = partner.receiver.requests
    assert.ok(request)
    assert.equal(request.headers['x-sso-signature'], signatureOf(partner.secret, request.body))
    assert.deepEqual(toldIn(request).data, { webhook_id: partner.webhook_id })
    assert.equal(partner.receiver.requests.length, 1)
  })
})

describe('a disabled endpoint', () => {
  test('gets held events once it is enabled again', async () => {
    let status = 500
    const partner = await aPartner(lyceum, { behave: (socket, request) => answers(status)(socket, request) })
    await pay(partner)
    await eventually(async () => (await logOf(partner)).items[0]?.status === 'retrying')
    const change = (body: object) =>
      call('PATCH', `/webhooks/${partner.webhook_id}`, partner.owner.headers, body)
    await change({ status: 'disabled' })
    await pay(partner)
    await lyceum.db.pool`
      update sso.webhook_deliveries set next_attempt_at = clock_timestamp()
       where webhook_id = ${partner.webhook_id} and state = 'pending'`
    engine.runner.wake()
    await eventually(async () => (await logOf(partner, '&status=held')).total === 2)
    assert.equal(partner.receiver.requests.length, 1)
    status = 204
    const active = (await change({ status: 'active' })).json()
    assert.equal(active.consecutive_failures, 0)
    await eventually(async () => (await logOf(partner, '&status=delivered')).total === 2)
    assert.equal(partner.receiver.requests.length, 3)
  })

  test('is disabled after five days of failures only on request', async () => {
    const [asked, silent] = [
      await aPartner(lyceum, { behave: answers(500) }),
      await aPartner(lyceum, { behave: answers(500) }),
    ]
    await call('PATCH', `/webhooks/${asked.webhook_id}`, asked.owner.headers, { auto_disable: true })
    const stateOf = async ({ webhook_id, owner }: Partner) =>
      (await call('GET', `/webhooks/${webhook_id}`, owner.headers)).json()
    for (const partner of [asked, silent]) {
      await pay(partner)
      await eventually(async () => (await stateOf(partner)).consecutive_failures === 1)
      assert.ok((await stateOf(partner)).failing_since)
      assert.equal((await stateOf(partner)).status, 'active')
      await lyceum.db.pool`
        update sso.webhook_endpoints set failing_since = clock_timestamp() - interval '5 days 1 s'
         where webhook_id = ${partner.webhook_id}`
      await pay(partner)
      await eventually(async () => (await stateOf(partner)).consecutive_failures === 2)
    }
    assert.equal((await stateOf(asked)).status, 'disabled')
    assert.equal((await stateOf(silent)).status, 'active')
  })
})

test('a deleted endpoint gets nothing more and keeps its log', async () => {
  const partner = await aPartner(lyceum, { behave: answers(500) })
  await pay(partner)
  await eventually(async () => (await logOf(partner)).items[0]?.status === 'retrying')
  await call('DELETE', `/webhooks/${partner.webhook_id}`, partner.owner.headers)
  const { items } = await logOf(partner)
  assert.deepEqual([items[0].status, items[0].next_attempt_at], ['failed', null])
  await lyceum.db
    .pool`update sso.webhook_deliveries set next_attempt_at = clock_timestamp() where webhook_id = ${partner.webhook_id}`
  engine.runner.wake()
  // What is due later is claimed later, so the other was passed over.
  const after = await aPartner(lyceum)
  await pay(after)
  await eventually(() => after.receiver.requests.length === 1)
  assert.equal(partner.receiver.requests.length, 1)
})

test('both secrets sign during a rotation, X-SSO-Signature follows at its end', async () => {
  const partner = await aPartner(lyceum)
  const rotate = async (switch_in_seconds: number) =>
    (
      await call('POST', `/sites/${partner.site.site_id}/webhook-secret/rotate`, partner.owner.headers, {
        switch_in_seconds,
      })
    ).json().webhook_secret as string
  const nextRequest = async () => {
    const before = partner.receiver.requests.length
    await pay(partner)
    await eventually(() => partner.receiver.requests.length > before)
    return partner.receiver.requests.at(-1) ?? assert.fail()
  }
  const signs = (secret: string, { body, headers }: Awaited<ReturnType<typeof nextRequest>>) => {
    try {
      new StandardWebhook(secret).verify(body, headers)
      return true
    } catch {
      return false
    }
  }
  const second = await rotate(3_600)
  const before = await nextRequest()
  assert.equal(before.headers['x-sso-signature'], signatureOf(partner.secret, before.body))
  assert.deepEqual([signs(partner.secret, before), signs(second, before)], [true, true])

  const third = await rotate(3_600) // the second never came to sign, and is forgotten
  const replaced = await nextRequest()
  assert.equal(replaced.headers['x-sso-signature'], signatureOf(partner.secret, replaced.body))
  assert.deepEqual(
    [signs(partner.secret, replaced), signs(second, replaced), signs(third, replaced)],
    [true, false, true],
  )

  const move = (by: string) =>
    lyceum.db.pool`
      update sso.sites set webhook_switch_at = webhook_switch_at - ${by}::interval where site_id = ${partner.site.site_id}`
  await move('1 hour')
  const after = await nextRequest()
  assert.equal(after.headers['x-sso-signature'], signatureOf(third, after.body))
  assert.deepEqual([signs(partner.secret, after), signs(third, after)], [true, true])

  await move('24 hours')
  const over = await nextRequest()
  assert.deepEqual([signs(partner.secret, over), signs(third, over)], [false, true])
  await sweepWebhooks(lyceum.db)
  const [site] = await lyceum.db.pool<{ is_gone: boolean }[]>`
    select webhook_secret_old_enc is null as is_gone from sso.sites where site_id = ${partner.site.site_id}`
  assert.equal(site?.is_gone, true)
})

test('events expire after thirty days with deliveries and attempts', async () => {
  const [partner, waiting] = [await aPartner(lyceum), await aPartner(lyceum, { behave: answers(500) })]
  await delivered(partner, 2)
  await pay(waiting)
  await eventually(async () => (await logOf(waiting)).items[0]?.status === 'retrying')
  const [old, young] = (await logOf(partner)).items as { event_id: string }[]
  const age = (event_id: string | undefined, by: string) =>
    lyceum.db.pool`
      update sso.webhook_events set created_at = clock_timestamp() - ${by}::interval where event_id = ${event_id ?? ''}`
  await age(old?.event_id, '30 days 1 minute')
  await age(young?.event_id, '29 days 23 hours 59 minutes')
  await age((await logOf(waiting)).items[0].event_id, '40 days')
  const attempts = async () =>
    (
      await lyceum.db.pool`
        select from sso.webhook_attempts join sso.webhook_deliveries using (delivery_id)
         where webhook_id = ${partner.webhook_id}`
    ).length
  assert.equal(await attempts(), 2)
  assert.equal(await sweepWebhooks(lyceum.db), 1)
  assert.deepEqual(
    (await logOf(partner)).items.map(({ event_id }: { event_id: string }) => event_id),
    [young?.event_id],
  )
  assert.equal(await attempts(), 1)
  assert.equal((await logOf(waiting)).total, 1, 'what is not told yet stays')
})

describe('the view of an operator', () => {
  test('shows degraded health while a back-channel event is late', async () => {
    const own = await buildWorld()
    const health = () => webhookHealth(own.db)
    const states = async () => (await health()).status
    assert.equal(await states(), 'operational')
    const partner = await aPartner(own)
    await own.db.transaction((tx) =>
      recordFacts(tx, [
        {
          event_type: 'back_channel_logout',
          environment: 'sandbox',
          subject_user_id: null,
          site_ids: [partner.site.site_id],
          data: { session_ids: [] },
        },
      ]),
    )
    assert.equal(await states(), 'operational')
    await own.db.pool`
      update foundation.jobs set run_at = clock_timestamp() - interval '31 s' where priority = 0`
    assert.equal(await states(), 'degraded')
    const texts: Record<string, Record<string, number>> = {}
    const metrics = {
      ...own.parts.metrics,
      gauges: (name: string, _help: string, _label: string, read: () => Promise<Record<string, number>>) => {
        void read().then((values) => (texts[name] = values))
      },
    }
    measureWebhooks(metrics, own.db)
    await eventually(() => Object.keys(texts).length === 2)
    const lag = texts['lyceum_webhook_due_lag_seconds']?.['back_channel'] ?? 0
    assert.ok(lag >= 31 && lag < 40, `${lag} s`)
    await own.db.pool`update foundation.jobs set state = 'held' where priority = 0`
    assert.equal(await states(), 'degraded')
  })

  test('counts waiting, failed and attempted deliveries in /metrics', async (t) => {
    const own = await buildWorld()
    const { startWebhooks } = await import('./engine.ts')
    const running = await startWebhooks({ ...own.parts, signLogout: async () => '' })
    t.after(() => running.stop())
    const partner = await aPartner(own, { behave: answers(500) })
    await own.db.transaction((tx) =>
      recordFacts(tx, [
        paymentCompleted(
          { ...partner.site, environment: 'sandbox' },
          { order_id: newId(), plan: null, amount: 1, currency: 'USD', fulfilled_at: '' },
        ),
      ]),
    )
    await eventually(() => partner.receiver.requests.length === 1)
    const text = await eventually(
      () => own.parts.metrics.text(),
      (seen) => /^lyceum_webhook_attempts_total\{result="http_status"\} 1$/m.test(seen),
    )
    assert.match(text, /^lyceum_webhook_deliveries\{state="pending"\} 1$/m)
    assert.match(text, /^lyceum_webhook_deliveries\{state="failed"\} 0$/m)
    assert.match(text, /^lyceum_webhook_due_lag_seconds\{class="back_channel"\} 0$/m)
  })
})
