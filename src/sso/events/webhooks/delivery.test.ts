import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { jwtVerify } from 'jose'
import { verifyWebhook } from 'lyceum/webhook-kit'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { aSite, aUser, signIn } from '#testing/people.ts'
import { answers, type Received } from '#testing/receiver.ts'
import {
  aPartner,
  logoutKey,
  type Partner,
  signatureOf,
  startEngine,
  toldIn,
  untilQuiet,
} from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import type { Webhooks } from './engine.ts'
import { eventIdOf } from './envelope.ts'
import { eraseEventsOf, type Fact, recordFact, recordFacts } from '../facts/facts.ts'
import { paymentCompleted, roleAssigned, userAccountDeleted, userUpdated } from '../facts/telling.ts'
import { profileIn } from '../../core/profile.ts'

let lyceum: World
let engine: Webhooks
before(async () => {
  lyceum = await buildWorld()
  engine = await startEngine(lyceum)
})

const at = '2026-01-02T03:04:05.678Z'
const tell = (...facts: Fact[]) => lyceum.db.transaction((tx) => recordFacts(tx, facts))
/** A fact for one partner only. */
const aFact = ({ site }: Partner, more: Partial<Fact> = {}): Fact => ({
  ...paymentCompleted(
    { ...site, environment: 'sandbox' },
    { order_id: newId(), plan: 'business', amount: 1, currency: 'USD', fulfilled_at: at },
  ),
  ...more,
})
const typesAt = (partner: Partner) => partner.bodies().map(({ event_type }) => event_type)
const logOf = async ({ site, owner }: Partner, query = '') =>
  (
    await lyceum.sso.inject({
      url: `/api/v1/webhooks/events?site_code=${site.site_code}${query}`,
      headers: owner.headers,
    })
  ).json()
const statusOf = async (partner: Partner) => (await logOf(partner)).items[0]?.status
const makeDue = ({ webhook_id }: Partner) =>
  lyceum.db
    .pool`update sso.webhook_deliveries set next_attempt_at = clock_timestamp() where webhook_id = ${webhook_id} and state = 'pending'`
const inOrder = (requests: readonly Received[]) => requests.map(toldIn).map(({ data }) => data['order_id'])

describe('a delivered event', () => {
  test('is the documented envelope with the stored bytes', async () => {
    const partner = await aPartner(lyceum)
    const fact = aFact(partner)
    await tell(fact)
    await eventually(() => partner.receiver.requests.length === 1)
    const [request] = partner.receiver.requests
    assert.ok(request)
    const { event_id, timestamp, ...told } = toldIn(request)
    assert.deepEqual(told, {
      event_type: 'payment.completed',
      data: fact.data,
      metadata: {
        partner_client_id: partner.site.site_code,
        action_required: 'activate_plan',
      },
      api_version: 'v1',
    })
    assert.deepEqual(Object.keys(toldIn(request)), [
      'event_type',
      'timestamp',
      'data',
      'metadata',
      'event_id',
      'api_version',
    ])
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(request.headers['x-sso-event-id'], event_id)
    assert.equal(request.headers['content-type'], 'application/json')
    assert.equal(request.headers['user-agent'], 'Lyceum-Webhooks')
    const [stored] = await lyceum.db.pool<{ body: Buffer }[]>`
      select body from sso.webhook_events where event_id = ${event_id}`
    assert.ok(stored?.body.equals(request.body))
  })

  test('verifies with openssl, standardwebhooks and the kit, Unicode included', async () => {
    const partner = await aPartner(lyceum)
    const data = {
      text: 'Zoë ✓ 𝒳 \u2028 "\\\n',
      numbers: [0.1, -0, 1e21, 9007199254740991],
      empty: '',
      deep: [[{}]],
    }
    await tell(aFact(partner, { data }))
    await eventually(() => partner.receiver.requests.length === 1)
    const [{ body, headers } = assert.fail()] = partner.receiver.requests
    const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', partner.secret, '-hex'], {
      input: body,
    })
    assert.equal(headers['x-sso-signature'], `sha256=${openssl.toString().trim().split(' ').at(-1)}`)
    assert.equal(headers['x-sso-signature'], signatureOf(partner.secret, body))
    new StandardWebhook(partner.secret).verify(body, headers)
    assert.throws(() =>
      new StandardWebhook(partner.secret).verify(Buffer.concat([body, Buffer.from(' ')]), headers),
    )
    assert.equal(verifyWebhook(body, headers, partner.secret).event_id, headers['x-sso-event-id'])
  })

  test('leaves when it is committed, not at the next poll, and never after a rollback', async (t) => {
    const partner = await aPartner(lyceum)
    await engine.stop()
    // No poll ever happens.
    t.mock.timers.enable({ apis: ['setInterval'] })
    engine = await startEngine(lyceum)
    await assert.rejects(
      lyceum.db.transaction(async (tx) => {
        await recordFact(tx, aFact(partner))
        throw new Error('it did not happen')
      }),
    )
    const fact = aFact(partner)
    await tell(fact)
    await eventually(() => partner.receiver.requests.length === 1)
    await untilQuiet(lyceum, partner)
    assert.deepEqual(inOrder(partner.receiver.requests), [fact.data['order_id']])
    await engine.stop()
    t.mock.timers.reset()
    engine = await startEngine(lyceum)
  })

  test('a thousand ids sort by creation, with one delivery each', async () => {
    const partner = await aPartner(lyceum)
    const facts = Array.from({ length: 1_000 }, () => aFact(partner))
    for (let n = 0; n < 1_000; n += 50) await tell(...facts.slice(n, n + 50))
    await eventually(() => partner.receiver.requests.length === 1_000)
    const byId = partner.bodies().toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1))
    assert.deepEqual(
      byId.map(({ data }) => data['order_id']),
      facts.map(({ data }) => data['order_id']),
    )
  })

  test('has a UUIDv7 derived from change and site', () => {
    const [fact, other] = [newId(), newId()]
    const id = eventIdOf(fact, 'a')
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(id, eventIdOf(fact, 'a'))
    assert.equal(new Set([id, eventIdOf(fact, 'b'), eventIdOf(other, 'a')]).size, 3)
    assert.equal(id.slice(0, 18), fact.slice(0, 18))
  })
})

describe('the recipients of an event', () => {
  test('registering in a sandbox tells its tenant, details only the origin', async () => {
    const [origin, stranger] = [await aPartner(lyceum), await aPartner(lyceum)]
    const other = await aPartner(lyceum, {
      site: { ...(await siteOfTenant(origin)), owner: origin.owner },
    })
    const elsewhere = await aSite({ environment: 'production', lyceum })
    await lyceum.db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
      values (${newId()}, ${elsewhere.site_id}, 'https://127.0.0.1:1/', '{*}', clock_timestamp())`
    const anna = await aUser({ at: origin.site, lyceum })
    await eventually(
      () => typesAt(origin).includes('user.created') && typesAt(other).includes('user.created'),
    )
    const told = (partner: Partner) =>
      partner.bodies().find(({ event_type }) => event_type === 'user.created')?.data
    assert.equal(told(origin)?.['email'], anna.email)
    assert.deepEqual(Object.keys(told(other) ?? {}).toSorted(), [
      'created_at',
      'origin_site_code',
      'sso_subject_id',
    ])
    assert.ok(!JSON.stringify(other.bodies()).includes(anna.email))
    assert.deepEqual(stranger.bodies(), [], 'anybody can make a sandbox site')
    const rows = await lyceum.db.pool`
      select from sso.webhook_events where site_id = ${elsewhere.site_id} and subject_user_id = ${anna.user_id}`
    assert.equal(rows.length, 0, 'production hears nothing of the sandbox')
  })

  test('signing in and out reaches the site with a valid token', async () => {
    const [partner, other] = [await aPartner(lyceum), await aPartner(lyceum)]
    const anna = await aUser({ at: partner.site, lyceum })
    const reply = await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers: partner.site.headers,
      payload: { refresh_token: anna.refresh_token },
    })
    assert.equal(reply.statusCode, 200)
    await eventually(() => typesAt(partner).length === 4)
    assert.deepEqual(typesAt(partner).toSorted(), [
      'back_channel_logout',
      'session.created',
      'session.revoked',
      'user.created',
    ])
    const [logout] = partner.bodies().filter(({ event_type }) => event_type === 'back_channel_logout')
    const { logout_token, ...data } = logout?.data ?? {}
    assert.deepEqual(data, {
      sso_subject_id: anna.user_id,
      session_ids: [anna.session_id],
      all_sessions: true,
      session_version: 2,
      initiating_site_code: partner.site.site_code,
    })
    const { payload, protectedHeader } = await jwtVerify(String(logout_token), logoutKey.publicKey, {
      audience: partner.site.site_code,
      issuer: 'https://sso.test/sandbox',
      subject: anna.user_id,
      typ: 'logout+jwt',
      algorithms: ['RS256'],
    })
    assert.equal(protectedHeader.kid, logoutKey.kid)
    assert.deepEqual(payload['events'], { 'http://schemas.openid.net/event/backchannel-logout': {} })
    assert.equal(payload['sid'], anna.session_id)
    assert.equal(payload['nonce'], undefined)
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 120)
    await untilQuiet(lyceum, other)
    assert.deepEqual(typesAt(other), [], 'a site without a session hears nothing of it')
  })

  test('ending all sessions reaches each site with its own', async () => {
    const [here, there] = [await aPartner(lyceum), await aPartner(lyceum)]
    const anna = await aUser({ at: here.site, lyceum })
    const second = await signIn(anna, { at: there.site, lyceum })
    await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers: here.site.headers,
      payload: { refresh_token: anna.refresh_token, everywhere: true },
    })
    const logoutAt = (partner: Partner) =>
      partner.bodies().filter(({ event_type }) => event_type === 'back_channel_logout')
    await eventually(() => logoutAt(here).length === 1 && logoutAt(there).length === 1)
    assert.deepEqual(logoutAt(here)[0]?.data['session_ids'], [anna.session_id])
    assert.deepEqual(logoutAt(there)[0]?.data['session_ids'], [second.session_id])
    assert.equal(logoutAt(there)[0]?.data['initiating_site_code'], here.site.site_code)
  })

  test('all_sites covers exactly its own tenant', async () => {
    const admin = await aSite({ environment: 'sandbox', lyceum })
    const first = await aPartner(lyceum, { site: admin })
    const twin = await siteOfTenant(first)
    const [all, own] = [
      await aPartner(lyceum, { site: { ...twin, owner: admin.owner }, all_sites: true }),
      await aPartner(lyceum, { site: { ...(await siteOfTenant(first)), owner: admin.owner } }),
    ]
    const assignment = { user_id: newId(), role: 'USER', permissions: [], assigned_by: null, assigned_at: at }
    const site = { ...first.site, environment: 'sandbox' } as const
    await tell(
      aFact(first),
      roleAssigned(site, assignment),
      userUpdated('sandbox', [site.site_id], PROFILE, []),
      {
        ...aFact(first),
        event_type: 'back_channel_logout',
        data: { sso_subject_id: newId(), session_ids: [] },
      },
    )
    await eventually(() => typesAt(first).length === 4 && typesAt(all).length === 2)
    await untilQuiet(lyceum, all, own)
    assert.deepEqual(typesAt(all).toSorted(), ['payment.completed', 'role.assigned'])
    assert.equal(all.bodies()[0]?.metadata['partner_client_id'], all.site.site_code)
    assert.deepEqual(typesAt(own), [])
  })

  test('an endpoint gets what it subscribed to, exactly or by family', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    const partner = await aPartner(lyceum, { site, events: ['role.assigned', 'payment.*'] })
    const facts = [
      aFact(partner),
      userUpdated('sandbox', [site.site_id], PROFILE, []),
      roleAssigned(
        { ...site, environment: 'sandbox' },
        { user_id: newId(), role: 'USER', permissions: [], assigned_by: null, assigned_at: at },
      ),
    ]
    await tell(...facts)
    await eventually(() => typesAt(partner).length === 2)
    await untilQuiet(lyceum, partner)
    assert.deepEqual(typesAt(partner).toSorted(), ['payment.completed', 'role.assigned'])
  })

  test('endpoints of a site share id and bytes; later ones get none', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    const [first, second] = [await aPartner(lyceum, { site }), await aPartner(lyceum, { site })]
    await engine.runner.stop()
    await tell(aFact(first))
    const late = await aPartner(lyceum, { site })
    engine = await startEngine(lyceum)
    await eventually(() => first.receiver.requests.length === 1 && second.receiver.requests.length === 1)
    await untilQuiet(lyceum, first, second, late)
    assert.ok(first.receiver.requests[0]?.body.equals(second.receiver.requests[0]?.body ?? Buffer.alloc(0)))
    assert.equal(late.receiver.requests.length, 0)
  })

  test('a repeated fan-out creates every event once', async () => {
    const partner = await aPartner(lyceum)
    await tell(aFact(partner), aFact(partner))
    await eventually(() => partner.receiver.requests.length === 2)
    await lyceum.db.pool`
      update foundation.jobs set state = 'pending', finished_at = null, run_at = clock_timestamp()
       where kind = 'webhook.fan_out' and state = 'done'`
    engine.runner.wake()
    await eventually(async () => {
      const rows = await lyceum.db.pool`
        select from foundation.jobs where kind = 'webhook.fan_out' and state = 'pending'`
      return rows.length === 0
    })
    await untilQuiet(lyceum, partner)
    assert.equal(partner.receiver.requests.length, 2)
    assert.equal((await logOf(partner)).total, 2)
  })
})

describe('a failed attempt', () => {
  const SCHEDULES = [
    ['lifecycle', [30, 120, 600, 3_600, 21_600], (partner: Partner) => aFact(partner)],
    [
      'back-channel',
      [1, 5, 15],
      ({ site }: Partner) =>
        userAccountDeleted('sandbox', [site.site_id], {
          user_id: newId(),
          reason_code: 'admin_erasure',
          ccpa_drop_request: false,
          gdpr_erasure_request: true,
        }),
    ],
  ] as const
  for (const [name, delays, factFor] of SCHEDULES)
    test(`${name} retries after exactly 0, ${delays.join(', ')} s, then fails`, async () => {
      const partner = await aPartner(lyceum, { behave: answers(500) })
      await tell(factFor(partner))
      const gaps = [0]
      for (let attempt = 1; attempt <= delays.length + 1; attempt++) {
        await eventually(async () => (await logOf(partner)).items[0]?.attempt_count === attempt)
        const [job] = await lyceum.db.pool<{ gap: number; state: string }[]>`
          select extract(epoch from d.next_attempt_at - a.finished_at)::float8 as gap, d.state
            from sso.webhook_deliveries d join sso.webhook_attempts a using (delivery_id)
           where d.webhook_id = ${partner.webhook_id} order by a.claim desc limit 1`
        if (job?.state !== 'pending') break
        gaps.push(Math.round(job.gap * 10) / 10)
        await untilQuiet(lyceum, partner)
        assert.equal(partner.receiver.requests.length, attempt, 'not before its time')
        // The virtual clock: its time comes now.
        await makeDue(partner)
        engine.runner.wake()
      }
      assert.deepEqual(gaps, [0, ...delays])
      assert.equal(partner.receiver.requests.length, delays.length + 1)
      const [first, ...rest] = partner.receiver.requests
      for (const request of rest) {
        assert.ok(request.body.equals(first?.body ?? Buffer.alloc(0)))
        assert.equal(request.headers['x-sso-event-id'], first?.headers['x-sso-event-id'])
        assert.equal(request.headers['x-sso-signature'], first?.headers['x-sso-signature'])
      }
      const { items } = await logOf(partner)
      assert.equal(items[0].status, 'failed')
      assert.equal(items[0].next_attempt_at, null)
      assert.deepEqual(
        items[0].attempts.map(({ attempt, response_status, error }: Record<string, unknown>) => [
          attempt,
          response_status,
          error,
        ]),
        gaps.map((_, n) => [n + 1, 500, 'http_status']),
      )
    })

  test('is retried until the first 2xx', async () => {
    let calls = 0
    const partner = await aPartner(lyceum, {
      behave: (socket, request) =>
        answers(++calls < 3 ? 503 : 201, '', { 'retry-after': '120' })(socket, request),
    })
    await tell(aFact(partner))
    await eventually(async () => (await statusOf(partner)) === 'retrying')
    for (const attempts of [1, 2]) {
      await eventually(async () => (await logOf(partner)).items[0].attempt_count === attempts)
      await makeDue(partner)
      engine.runner.wake()
    }
    await eventually(async () => (await statusOf(partner)) === 'delivered')
    const [delivery] = (await logOf(partner)).items
    assert.deepEqual(
      delivery.attempts.map(({ response_status, retry_after }: Record<string, unknown>) => [
        response_status,
        retry_after,
      ]),
      [
        [503, '120'],
        [503, '120'],
        [201, '120'],
      ],
    )
    assert.ok(delivery.delivered_at)
    assert.equal(partner.receiver.requests.length, 3)
  })

  for (const status of [204, 299])
    test(`treats ${status} as success`, async () => {
      const partner = await aPartner(lyceum, { behave: answers(status) })
      await tell(aFact(partner))
      await eventually(async () => (await statusOf(partner)) === 'delivered')
    })
  for (const status of [301, 302, 400, 404, 410, 429, 500])
    test(`treats ${status} as failure and retries`, async () => {
      const partner = await aPartner(lyceum, {
        behave: answers(status, '', { location: 'http://169.254.169.254/' }),
      })
      await tell(aFact(partner))
      await eventually(async () => (await statusOf(partner)) === 'retrying')
      const [{ attempts }] = (await logOf(partner)).items
      assert.deepEqual([attempts[0].response_status, attempts[0].error], [status, 'http_status'])
    })

  test('reports a failed deletion in the transaction that ends it', async (t) => {
    const own = await buildWorld()
    const failed: unknown[] = []
    const partner = await aPartner(own, { behave: answers(500) })
    const { startWebhooks } = await import('./engine.ts')
    const running = await startWebhooks({
      ...own.parts,
      signLogout: async () => '',
      onDeletionFailed: async (_, deliveries) => void failed.push(...deliveries),
    })
    t.after(() => running.stop())
    await own.db.transaction((tx) =>
      recordFact(
        tx,
        userAccountDeleted('sandbox', [partner.site.site_id], {
          user_id: newId(),
          reason_code: 'user_initiated_erasure',
          ccpa_drop_request: false,
          gdpr_erasure_request: true,
        }),
      ),
    )
    await eventually(async () => {
      await own.db.pool`
        update sso.webhook_deliveries set next_attempt_at = clock_timestamp()
         where state = 'pending' and lease_token is null`
      return failed.length === 1
    })
    assert.equal(partner.receiver.requests.length, 4)
    const event_id = toldIn(partner.receiver.requests[0] ?? assert.fail()).event_id
    assert.deepEqual(failed, [{ site_id: partner.site.site_id, event_id, webhook_url: partner.receiver.url }])
  })
})

describe('an erased person', () => {
  test('blanks delivered events at once, pending ones when they end', async () => {
    let status = 500
    const partner = await aPartner(lyceum, { behave: (socket, request) => answers(status)(socket, request) })
    const subject_user_id = newId()
    const [done, waiting, unsent, kept] = Array.from({ length: 4 }, () => aFact(partner, { subject_user_id }))
    if (!done || !waiting || !unsent || !kept) return assert.fail()
    status = 204
    await tell(done)
    await eventually(async () => (await statusOf(partner)) === 'delivered')
    status = 500
    await tell(waiting)
    await eventually(async () => (await statusOf(partner)) === 'retrying')
    status = 204
    await lyceum.db.transaction(async (tx) => {
      await recordFact(tx, unsent)
      await eraseEventsOf(tx, subject_user_id)
      await recordFact(tx, kept)
    })
    await eventually(() => partner.receiver.requests.length === 4)
    const blank = async () =>
      (
        await lyceum.db.pool<{ is_blank: boolean }[]>`
          select body is null as is_blank from sso.webhook_events
           where subject_user_id = ${subject_user_id} order by event_id`
      ).map(({ is_blank }) => is_blank)
    await eventually(async () => (await blank()).join() === 'true,false,true,false')
    await makeDue(partner)
    engine.runner.wake()
    await eventually(async () => (await blank()).join() === 'true,true,true,false')
    const events = await lyceum.db.pool<{ event_id: string }[]>`
      select event_id from sso.webhook_events where subject_user_id = ${subject_user_id} order by event_id`
    const replays = await Promise.all(
      events.map(({ event_id }) =>
        lyceum.sso.inject({
          method: 'POST',
          url: `/api/v1/webhooks/events/${event_id}/replay`,
          headers: partner.owner.headers,
          payload: {},
        }),
      ),
    )
    assert.deepEqual(
      replays.map((reply) => [reply.statusCode, reply.json().code]),
      [
        [409, 'event_erased'],
        [409, 'event_erased'],
        [409, 'event_erased'],
        [202, undefined],
      ],
    )
  })
})

const PROFILE = {
  user_id: newId(),
  email: 'a@example.org',
  email_verified: true,
  ...profileIn({}),
  version: 1,
}

/** Another site in the tenant of the partner's. */
async function siteOfTenant({ site, owner }: Partner) {
  const code = `twin-${createHash('sha256').update(newId()).digest('hex').slice(0, 8)}`
  const made = await aSite({ environment: 'sandbox', lyceum })
  await lyceum.db.pool`
    update sso.sites set tenant_id = ${site.tenant_id}, site_code = ${code}, domain = ${code}
     where site_id = ${made.site_id}`
  await lyceum.db.pool`
    insert into sso.memberships (user_id, site_id, role) values (${owner.user_id}, ${made.site_id}, 'ADMIN')`
  const { owner: _, ...rest } = made
  return { ...rest, tenant_id: site.tenant_id, site_code: code }
}
