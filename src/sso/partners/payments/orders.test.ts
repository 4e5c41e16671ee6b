import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { aColleague, anAdmin, anOperator, aSite, aUser, type Headers, nobody } from '#testing/people.ts'
import { aPartner, startEngine } from '#testing/webhooks.ts'
import { buildWorld, world } from '#testing/world.ts'

async function call(method: 'GET' | 'POST', path: string, headers: Headers, payload?: object) {
  const { sso } = await world()
  return sso.inject({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) })
}
const list = (headers: Headers, query = '') => call('GET', `/payments/orders?${query}`, headers)

/** A pending plan order of a site. */
async function anOrder(site_code: string, body: object = {}) {
  const operator = await anOperator()
  const payload = { site_code, plan: 'business', amount: 4_900, ...body }
  const reply = await call('POST', '/admin/orders', operator.headers, payload)
  assert.equal(reply.statusCode, 201, reply.body)
  const order = reply.json()
  const move = (status: string) =>
    call('POST', `/admin/orders/${order.order_id}/transition`, operator.headers, { status })
  return { order, move, order_id: order.order_id as string }
}

const planOf = async (site_id: string) => {
  const { db } = await world()
  const [site] = await db.pool<{ plan: string }[]>`select plan from sso.sites where site_id = ${site_id}`
  return site?.plan
}

const withoutId = (body: string) => ({ ...(JSON.parse(body) as object), request_id: undefined })

describe('GET /api/v1/payments/orders', () => {
  test('lists orders of sites the caller administers, newest first', async () => {
    const [ours, theirs] = [await anAdmin(), await anAdmin()]
    const first = await anOrder(ours.site.site_code)
    const second = await anOrder(ours.site.site_code, { plan: 'enterprise', amount: 0 })
    await anOrder(theirs.site.site_code)
    const reply = await list(ours.headers)
    assert.equal(reply.statusCode, 200, reply.body)
    const { items, ...envelope } = reply.json()
    assert.deepEqual(envelope, { total: 2, page: 1, per_page: 20, pages: 1, next_cursor: null })
    assert.deepEqual(
      items.map(({ order_id }: { order_id: string }) => order_id),
      [second.order_id, first.order_id],
    )
    assert.deepEqual(items[1], first.order)
    assert.deepEqual(first.order, {
      order_id: first.order_id,
      site_id: ours.site.site_id,
      site_code: ours.site.site_code,
      kind: 'plan',
      plan: 'business',
      status: 'pending',
      amount: 4_900,
      currency: 'USD',
      period_start: null,
      period_end: null,
      registrations: null,
      created_at: first.order.created_at,
      paid_at: null,
      fulfilled_at: null,
    })
  })

  test('is empty for members; a named site answers 403 or 404', async () => {
    const admin = await anAdmin()
    await anOrder(admin.site.site_code)
    const colleague = await aColleague(admin)
    assert.deepEqual((await list(colleague.headers)).json().items, [])
    const named = await list(colleague.headers, `site_code=${admin.site.site_code}`)
    assert.equal(named.statusCode, 403)
    const stranger = await anAdmin()
    const foreign = await list(stranger.headers, `site_code=${admin.site.site_code}`)
    const unknown = await list(stranger.headers, 'site_code=no-such-site')
    assert.equal(foreign.statusCode, 404)
    assert.deepEqual(withoutId(foreign.body), withoutId(unknown.body))
  })

  test('filters by status and kind, in a total order', async () => {
    const admin = await anAdmin()
    const orders = [await anOrder(admin.site.site_code), await anOrder(admin.site.site_code)]
    await orders[0]?.move('paid')
    const totals = ['status=paid', 'status=pending&kind=plan', 'kind=registration_usage', 'status=refunded']
    const counts = await Promise.all(
      totals.map(async (query) => (await list(admin.headers, query)).json().total),
    )
    assert.deepEqual(counts, [1, 1, 0, 0])
    const pages = [1, 2, 3].map(async (page) => (await list(admin.headers, `per_page=1&page=${page}`)).json())
    const seen = (await Promise.all(pages)).flatMap(({ items }) => items)
    assert.equal(new Set(seen.map(({ order_id }) => order_id)).size, 2)
    for (const query of ['status=open', 'kind=x', 'page=0', 'per_page=101'])
      assert.equal((await list(admin.headers, query)).statusCode, 422, query)
  })

  test('needs a token of a person', async () => {
    const { site } = await anAdmin()
    for (const headers of [(await nobody()).headers, site.headers])
      assert.equal((await list(headers)).statusCode, 401)
  })
})

describe('GET /api/v1/payments/orders/{order_id}', () => {
  test('shows an order to ADMINs of its site and operators', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const { order, order_id } = await anOrder(admin.site.site_code)
    const read = (headers: Headers, id = order_id) => call('GET', `/payments/orders/${id}`, headers)
    for (const { headers } of [admin, await anOperator()]) {
      const reply = await read(headers)
      assert.equal(reply.statusCode, 200, reply.body)
      assert.deepEqual(reply.json(), order)
    }
    const unknown = await read(stranger.headers, newId())
    for (const { headers } of [stranger, await aColleague(admin)]) {
      const reply = await read(headers)
      assert.equal(reply.statusCode, 404)
      assert.deepEqual(withoutId(reply.body), withoutId(unknown.body))
    }
    assert.equal((await read(stranger.headers, 'not-an-id')).statusCode, 404)
    assert.equal((await read({})).statusCode, 401)
  })

  test('shows operators orders of deleted sites', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const { order_id } = await anOrder(admin.site.site_code)
    const { sso } = await world()
    const reply = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/sites/${admin.site.site_id}`,
      headers: admin.headers,
    })
    assert.equal(reply.statusCode, 204, reply.body)
    assert.equal((await call('GET', `/payments/orders/${order_id}`, operator.headers)).statusCode, 200)
    const [newest] = (await list(operator.headers, 'status=pending&kind=plan')).json().items
    assert.equal(newest.order_id, order_id)
    assert.equal((await list(admin.headers)).statusCode, 401)
  })

  test('hides production orders from a sandbox token', async () => {
    const sandbox = await aSite({ environment: 'sandbox' })
    const anna = await aUser({ at: sandbox })
    const { order_id } = await anOrder((await anAdmin()).site.site_code)
    assert.equal((await call('GET', `/payments/orders/${order_id}`, anna.headers)).statusCode, 404)
  })
})

describe('an operator and orders', () => {
  test('only operators create and change orders', async () => {
    const admin = await anAdmin()
    const { order_id } = await anOrder(admin.site.site_code)
    const body = { site_code: admin.site.site_code, plan: 'business', amount: 1 }
    for (const [headers, status] of [
      [admin.headers, 403],
      [(await aColleague(admin)).headers, 403],
      [{}, 401],
    ] as const) {
      assert.equal((await call('POST', '/admin/orders', headers, body)).statusCode, status)
      const path = `/admin/orders/${order_id}/transition`
      assert.equal((await call('POST', path, headers, { status: 'paid' })).statusCode, status)
    }
  })

  test('sees why an order is invalid', async () => {
    const { headers } = await anOperator()
    const { site_code } = (await anAdmin()).site
    const sandbox = await aSite({ environment: 'sandbox' })
    const good = { site_code, plan: 'business', amount: 4_900 }
    for (const [body, status] of [
      [{ site_code, plan: 'business' }, 400],
      [{ ...good, plan: 'gold' }, 422],
      [{ ...good, amount: -1 }, 422],
      [{ ...good, amount: 1.5 }, 422],
      [{ ...good, amount: '4900' }, 422],
      [{ ...good, currency: 'EUR' }, 422],
      [{ ...good, site_code: 'no-such-site' }, 404],
      [{ ...good, site_code: sandbox.site_code }, 422],
    ] as const) {
      const reply = await call('POST', '/admin/orders', headers, body)
      assert.equal(reply.statusCode, status, `${JSON.stringify(body)} ${reply.body}`)
    }
    const { order_id } = await anOrder(site_code)
    const path = `/admin/orders/${order_id}/transition`
    assert.equal((await call('POST', path, headers, {})).statusCode, 400)
    assert.equal((await call('POST', path, headers, { status: 'open' })).statusCode, 422)
    const unknown = `/admin/orders/${newId()}/transition`
    assert.equal((await call('POST', unknown, headers, { status: 'paid' })).statusCode, 404)
  })

  const LEGAL: Record<string, string[]> = {
    pending: ['paid', 'failed', 'canceled'],
    paid: ['fulfilled', 'refunded'],
    fulfilled: ['refunded'],
    failed: [],
    canceled: [],
    refunded: [],
  }
  const WAYS: Record<string, string[]> = {
    pending: [],
    paid: ['paid'],
    fulfilled: ['paid', 'fulfilled'],
    failed: ['failed'],
    canceled: ['canceled'],
    refunded: ['paid', 'refunded'],
  }
  for (const [status, way] of Object.entries(WAYS))
    test(`moves ${status} only to ${LEGAL[status]?.join(' or ') || 'nothing'}`, async () => {
      const { site_code } = (await anAdmin()).site
      for (const next of Object.keys(LEGAL)) {
        const { order_id, move } = await anOrder(site_code)
        for (const step of way) assert.equal((await move(step)).statusCode, 200)
        const reply = await move(next)
        const isLegal = LEGAL[status]?.includes(next)
        assert.equal(reply.statusCode, isLegal ? 200 : 409, `${status} to ${next}: ${reply.body}`)
        if (!isLegal) assert.equal(reply.json().code, 'illegal_transition')
        const operator = await anOperator()
        const after = (await call('GET', `/payments/orders/${order_id}`, operator.headers)).json()
        assert.equal(after.status, isLegal ? next : status)
        assert.equal(after.paid_at !== null, ['paid', 'fulfilled', 'refunded'].includes(after.status))
      }
    })

  test('fulfilling sets the plan of the site, refunding reverts it', async () => {
    const { site, headers } = await anAdmin()
    const [business, enterprise] = [
      await anOrder(site.site_code),
      await anOrder(site.site_code, { plan: 'enterprise' }),
    ]
    const plans = [await planOf(site.site_id)]
    for (const [order, status] of [
      [business, 'paid'],
      [business, 'fulfilled'],
      [enterprise, 'paid'],
      [enterprise, 'fulfilled'],
      [enterprise, 'refunded'],
      [business, 'refunded'],
    ] as const) {
      assert.equal((await order.move(status)).statusCode, 200)
      plans.push(await planOf(site.site_id))
    }
    assert.deepEqual(plans, [
      'starter',
      'starter',
      'business',
      'business',
      'enterprise',
      'business',
      'starter',
    ])
    const shown = await call('GET', `/sites/${site.site_id}`, headers)
    assert.equal(shown.json().plan, 'starter')
    assert.equal(shown.json().version, 5)
  })

  test('audits each step at the site', async () => {
    const { site, headers } = await anAdmin()
    const { move, order_id } = await anOrder(site.site_code)
    await move('paid')
    await move('canceled')
    const changed = (await call('GET', '/audit?action=order.changed', headers)).json()
    assert.deepEqual(
      changed.items.map(({ details }: { details: object }) => details),
      [{ order_id, before: 'pending', after: 'paid' }],
    )
    assert.equal((await call('GET', '/audit?action=order.created', headers)).json().total, 1)
  })
})

describe('an order that is fulfilled', () => {
  test('is fulfilled once and paid once, under fifty concurrent calls', async () => {
    const lyceum = await buildWorld()
    const engine = await startEngine(lyceum)
    const partner = await aPartner(lyceum, { events: ['payment.completed'] })
    const { headers } = await anOperator(lyceum)
    const post = (path: string, payload: object) =>
      lyceum.sso.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload })
    const made = await post('/admin/orders', {
      site_code: partner.site.site_code,
      plan: 'business',
      amount: 0,
    })
    const { order_id } = made.json()
    for (const status of ['paid', 'fulfilled']) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => post(`/admin/orders/${order_id}/transition`, { status })),
      )
      const codes = replies.map(({ statusCode }) => statusCode)
      assert.deepEqual(
        [codes.filter((code) => code === 200).length, codes.filter((code) => code === 409).length],
        [1, 49],
      )
    }
    await eventually(() => partner.bodies().length > 0)
    await engine.stop()
    const [told, ...more] = partner.bodies()
    assert.deepEqual(more, [])
    const order = await lyceum.sso.inject({
      url: `/api/v1/payments/orders/${order_id}`,
      headers: partner.owner.headers,
    })
    assert.deepEqual(told?.data, {
      order_id,
      site_code: partner.site.site_code,
      plan: 'business',
      amount: 0,
      currency: 'USD',
      fulfilled_at: order.json().fulfilled_at,
    })
    const [{ facts } = { facts: 0 }] = await lyceum.db.pool<{ facts: number }[]>`
      select count(*)::int as facts from sso.webhook_facts where event_type = 'payment.completed'`
    assert.equal(facts, 1)
  })
})
