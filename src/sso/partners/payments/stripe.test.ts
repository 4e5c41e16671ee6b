import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import Stripe from 'stripe'
import { anAdmin, anOperator, aSite } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const secret = `whsec_${randomBytes(24).toString('hex')}`
const lyceum = await buildWorld({ env: { STRIPE_WEBHOOK_SECRET: secret } })

type EventObject = Record<string, unknown>
const eventOf = (type: string, object: EventObject, more: object = {}) => ({
  id: `evt_${randomBytes(12).toString('hex')}`,
  object: 'event',
  api_version: '2026-01-28',
  created: Math.floor(Date.now() / 1_000),
  livemode: true,
  type,
  data: { object },
  ...more,
})

/** Posts as Stripe does; the header is made by Stripe's own library. */
async function post(event: object, header?: Partial<Stripe.WebhookTestHeaderOptions> | string, sent = event) {
  const payload = JSON.stringify(event)
  const signature =
    typeof header === 'string'
      ? header
      : Stripe.webhooks.generateTestHeaderString({ payload, secret, ...header })
  return lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/payments/stripe',
    headers: { 'content-type': 'application/json', ...(signature && { 'stripe-signature': signature }) },
    payload: JSON.stringify(sent),
  })
}

async function anOrder({ environment = 'production' }: { environment?: 'sandbox' | 'production' } = {}) {
  const site =
    environment === 'sandbox' ? await aSite({ environment, lyceum }) : (await anAdmin({ lyceum })).site
  const operator = await anOperator(lyceum)
  const amount = environment === 'sandbox' ? 0 : 4_900
  const made = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/admin/orders',
    headers: operator.headers,
    payload: { site_code: site.site_code, plan: 'business', amount },
  })
  assert.equal(made.statusCode, 201, made.body)
  const { order_id } = made.json()
  const read = async () => {
    const url = `/api/v1/payments/orders/${order_id}`
    return (await lyceum.sso.inject({ url, headers: operator.headers })).json()
  }
  const move = (status: string) =>
    lyceum.sso.inject({
      method: 'POST',
      url: `/api/v1/admin/orders/${order_id}/transition`,
      headers: operator.headers,
      payload: { status },
    })
  const session = {
    object: 'checkout.session',
    metadata: { order_id },
    payment_status: 'paid',
    currency: 'usd',
  }
  const intent = {
    object: 'payment_intent',
    metadata: { order_id },
    amount_received: amount,
    currency: 'usd',
  }
  const charge = { object: 'charge', metadata: { order_id }, refunded: true }
  return {
    order_id: order_id as string,
    site_id: site.site_id,
    read,
    move,
    status: async () => (await read()).status as string,
    paid: () => eventOf('checkout.session.completed', { ...session, amount_total: amount }),
    session: (type: string, more: EventObject = {}) =>
      eventOf(`checkout.session.${type}`, { ...session, amount_total: amount, ...more }),
    intent: (type: string, more: EventObject = {}) =>
      eventOf(`payment_intent.${type}`, { ...intent, ...more }),
    refund: (more: EventObject = {}) => eventOf('charge.refunded', { ...charge, ...more }),
  }
}

const outcomeOf = async ({ id }: { id: string }) => {
  const [row] = await lyceum.db.pool<{ outcome: string }[]>`
    select outcome from sso.payment_events where event_id = ${id}`
  return row?.outcome
}

describe('POST /api/v1/payments/stripe', () => {
  test('pays and fulfils the named order and sets the plan', async () => {
    const order = await anOrder()
    const event = order.paid()
    const reply = await post(event)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(reply.json(), { received: true })
    const { status, paid_at, fulfilled_at } = await order.read()
    assert.deepEqual([status, paid_at !== null, fulfilled_at !== null], ['fulfilled', true, true])
    const [site] = await lyceum.db.pool`select plan from sso.sites where site_id = ${order.site_id}`
    assert.equal(site?.['plan'], 'business')
    assert.equal(await outcomeOf(event), 'done')
  })

  test('refuses wrong, missing, old and foreign signatures', async () => {
    const order = await anOrder()
    const event = order.paid()
    const payload = JSON.stringify(event)
    const old = Math.floor(Date.now() / 1_000) - 301
    const good = Stripe.webhooks.generateTestHeaderString({ payload, secret })
    const replies = [
      await post(event, ''),
      await post(event, 'nonsense'),
      await post(event, good.replace(/v1=.{4}/, 'v1=0000')),
      await post(event, good.replace('v1=', 'v0=')),
      await post(event, { timestamp: old }),
      await post(event, { secret: 'whsec_another' }),
      await post(event, good, { ...event, type: 'payment_intent.succeeded' }),
    ]
    for (const reply of replies) {
      assert.equal(reply.statusCode, 401, reply.body)
      assert.equal(reply.json().code, 'signature_invalid')
      assert.equal(reply.headers['www-authenticate'], 'Stripe-Signature')
    }
    assert.equal(await order.status(), 'pending')
    assert.equal((await post(event, { timestamp: old + 20 })).statusCode, 200)
  })

  test('handles a repeated event once, also under concurrency', async () => {
    const order = await anOrder()
    const event = order.paid()
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(event)))
    assert.ok(replies.every(({ statusCode }) => statusCode === 200))
    assert.equal(await order.status(), 'fulfilled')
    assert.equal((await post(event)).statusCode, 200)
    const [audit] = await lyceum.db.pool<{ steps: number }[]>`
      select count(*)::int as steps from sso.audit_log
       where action = 'order.changed' and details->>'order_id' = ${order.order_id}`
    assert.equal(audit?.steps, 2)
  })

  test('treats two equivalent events as one payment', async () => {
    const order = await anOrder()
    const [one, other] = [order.paid(), order.intent('succeeded')]
    const replies = await Promise.all([post(one), post(other)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [200, 200],
    )
    assert.equal(await order.status(), 'fulfilled')
    assert.deepEqual(new Set([await outcomeOf(one), await outcomeOf(other)]), new Set(['done', 'stale']))
  })

  test('handles a refund before its payment, and fulfils nothing then', async () => {
    const [inOrder, early] = [await anOrder(), await anOrder()]
    await post(inOrder.paid())
    assert.equal((await post(inOrder.refund())).statusCode, 200)
    assert.equal(await inOrder.status(), 'refunded')
    const [refund, paid] = [early.refund(), early.paid()]
    await post(refund)
    assert.deepEqual([await early.status(), await outcomeOf(refund)], ['pending', 'early'])
    await post(paid)
    const { status, fulfilled_at } = await early.read()
    assert.deepEqual([status, fulfilled_at], ['refunded', null])
    const [site] = await lyceum.db.pool`select plan from sso.sites where site_id = ${early.site_id}`
    assert.equal(site?.['plan'], 'starter')
  })

  test('refunding an ignored payment changes nothing; double payments need a person', async () => {
    const order = await anOrder()
    const paid = (payment_intent: string, more: EventObject = {}) =>
      order.session('completed', { payment_intent, ...more })
    const refund = (payment_intent: string) => order.refund({ payment_intent })
    const [tooLittle, givenBack] = [paid('pi_1', { amount_total: 1 }), refund('pi_1')]
    await post(tooLittle)
    await post(givenBack)
    assert.deepEqual([await outcomeOf(tooLittle), await outcomeOf(givenBack)], ['wrong_amount', 'early'])
    const right = paid('pi_2')
    await post(right)
    assert.deepEqual([await order.status(), await outcomeOf(right)], ['fulfilled', 'done'])
    const [same, twice] = [order.intent('succeeded', { id: 'pi_2' }), paid('pi_3')]
    await post(same)
    await post(twice)
    assert.deepEqual([await outcomeOf(same), await outcomeOf(twice)], ['stale', 'paid_twice'])
    await post(refund('pi_3'))
    await post(refund('pi_1'))
    assert.equal(await order.status(), 'fulfilled')
    await post(refund('pi_2'))
    assert.equal(await order.status(), 'refunded')
  })

  test('agrees with concurrent operators on one history and plan', async () => {
    for (let round = 0; round < 3; round++) {
      const order = await anOrder()
      const calls = [
        () => post(order.session('completed', { payment_intent: 'pi_1' })),
        () => post(order.intent('succeeded', { id: 'pi_2' })),
        () => post(order.refund({ payment_intent: 'pi_2' })),
        () => post(order.session('expired')),
        () => order.move('paid'),
        () => order.move('fulfilled'),
        () => order.move('refunded'),
      ]
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => calls[randomInt(calls.length)]?.() ?? assert.fail()),
      )
      for (const { statusCode, body } of replies) assert.ok([200, 409].includes(statusCode), body)
      const steps = await lyceum.db.pool<{ before: string; after: string }[]>`
        select details->>'before' as before, details->>'after' as after from sso.audit_log
         where action = 'order.changed' and details->>'order_id' = ${order.order_id} order by occurred_at, audit_id`
      assert.deepEqual(
        steps.map(({ before }) => before),
        ['pending', ...steps.map(({ after }) => after)].slice(0, -1),
      )
      const { status } = await order.read()
      assert.equal(steps.at(-1)?.after, status)
      assert.ok(steps.filter(({ after }) => after === 'fulfilled').length <= 1)
      const [site] = await lyceum.db.pool<{ plan: string }[]>`
        select plan from sso.sites where site_id = ${order.site_id}`
      assert.equal(site?.plan, status === 'fulfilled' ? 'business' : 'starter')
    }
  })

  test('keeps the order after a partial refund', async () => {
    const order = await anOrder()
    await post(order.paid())
    const part = order.refund({ refunded: false })
    assert.equal((await post(part)).statusCode, 200)
    assert.equal(await order.status(), 'fulfilled')
  })

  for (const [type, more, expected] of [
    ['session.completed', { payment_status: 'unpaid' }, 'pending'],
    ['session.async_payment_succeeded', {}, 'fulfilled'],
    ['session.async_payment_failed', {}, 'failed'],
    ['session.expired', {}, 'canceled'],
    ['session.completed', { metadata: {}, client_reference_id: true }, 'fulfilled'],
    ['intent.succeeded', {}, 'fulfilled'],
    ['intent.payment_failed', {}, 'pending'],
    ['intent.canceled', {}, 'canceled'],
  ] as const)
    test(`${type} ${JSON.stringify(more)} leaves an order ${expected}`, async () => {
      const order = await anOrder()
      const [kind, name = ''] = type.split('.')
      const fields = 'client_reference_id' in more ? { ...more, client_reference_id: order.order_id } : more
      const event = kind === 'session' ? order.session(name, fields) : order.intent(name, fields)
      assert.equal((await post(event)).statusCode, 200)
      assert.equal(await order.status(), expected)
    })

  test('rejects too little money, another currency and test money', async () => {
    for (const [event, outcome] of [
      [{ amount_total: 4_899 }, 'wrong_amount'],
      [{ currency: 'eur' }, 'wrong_amount'],
      [{ amount_total: null }, 'wrong_amount'],
    ] as const) {
      const order = await anOrder()
      const sent = order.session('completed', event)
      assert.equal((await post(sent)).statusCode, 200)
      assert.deepEqual([await order.status(), await outcomeOf(sent)], ['pending', outcome])
    }
    const [live, sandbox] = [await anOrder(), await anOrder({ environment: 'sandbox' })]
    const test_mode = { ...live.paid(), livemode: false }
    await post(test_mode)
    assert.deepEqual([await live.status(), await outcomeOf(test_mode)], ['pending', 'test_mode'])
    await post({ ...sandbox.paid(), livemode: false })
    assert.equal(await sandbox.status(), 'fulfilled')
  })

  test('never revives a canceled order nor cancels a paid one', async () => {
    const [canceled, paid] = [await anOrder(), await anOrder()]
    await canceled.move('canceled')
    const late = canceled.paid()
    assert.equal((await post(late)).statusCode, 200)
    assert.deepEqual([await canceled.status(), await outcomeOf(late)], ['canceled', 'too_late'])
    await post(paid.paid())
    const expired = paid.session('expired')
    await post(expired)
    assert.deepEqual([await paid.status(), await outcomeOf(expired)], ['fulfilled', 'stale'])
  })

  test('ignores unrelated events and answers 400 to malformed ones', async () => {
    const unknown = eventOf('payment_intent.succeeded', { metadata: { order_id: 'x' }, amount_received: 1 })
    assert.equal((await post(unknown)).statusCode, 200)
    assert.equal(await outcomeOf(unknown), 'unknown_order')
    const other = eventOf('customer.created', { email: 'somebody@example.org' })
    assert.equal((await post(other)).statusCode, 200)
    assert.equal(await outcomeOf(other), undefined)
    for (const nonsense of [
      {},
      eventOf('x', {}, { id: 'e'.repeat(256) }),
      { id: 1, type: 'x', data: { object: {} } },
      eventOf('x', {}, { data: null }),
    ])
      assert.equal((await post(nonsense)).statusCode, 400, JSON.stringify(nonsense))
  })

  test('answers 503 while no secret is set', async () => {
    const without = await buildWorld()
    const reply = await without.sso.inject({
      method: 'POST',
      url: '/api/v1/payments/stripe',
      payload: { id: 'evt_1' },
    })
    assert.equal(reply.statusCode, 503)
    assert.ok(Number(reply.headers['retry-after']) > 0)
  })
})
