import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDatabase } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { atEnd } from '#testing/endings.ts'
import { eventually } from '#testing/eventually.ts'
import { startReceiver, answers } from '#testing/receiver.ts'
import { aPartner, type Partner, startEngine, toldIn } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { createDestinations } from './destinations.ts'
import { recordFacts } from '../facts/facts.ts'
import { createHostRate, type ToSend } from './host-rate.ts'
import { paymentCompleted, userAccountDeleted } from '../facts/telling.ts'

const limited = () => buildWorld({ env: { SSO_WEBHOOK_RATE: '50' } })

const pay = ({ db }: World, { site }: Partner, times: number) =>
  db.transaction((tx) =>
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

/** A partner that notes when requests arrive, at a name or an address of its own. */
async function aTimedPartner(lyceum: World, times: number[], host = '127.0.0.1') {
  const receiver = await startReceiver(
    (socket, request) => {
      times.push(performance.now())
      answers(204)(socket, request)
    },
    { host: /^[0-9.]+$/.test(host) ? host : '127.0.0.1' },
  )
  atEnd(() => receiver.close())
  const partner = await aPartner(lyceum)
  await lyceum.db.pool`
    update sso.webhook_endpoints set url = ${`http://${host}:${receiver.port}/hook`}
     where webhook_id = ${partner.webhook_id}`
  return { ...partner, receiver, types: () => receiver.requests.map((request) => toldIn(request).event_type) }
}

/** Notes each grant of slots with the time of the database: when requests leave, however late they arrive. */
async function noteGrants({ db: { pool } }: World) {
  await pool`create table sso.noted_grants (at timestamptz, granted int)`
  await pool`create function sso.note_grant() returns trigger language plpgsql as
    $$ begin insert into sso.noted_grants values (statement_timestamp(), new.granted); return null; end $$`
  await pool`create trigger note_grant after insert or update on sso.webhook_hosts
    for each row execute function sso.note_grant()`
  return async () => {
    const [seen] = await pool<{ total: number; worst: number }[]>`
      select sum(granted)::int as total,
             max((select sum(b.granted)::int from sso.noted_grants b
                   where b.at >= a.at and b.at < a.at + interval '1 second')) as worst
        from sso.noted_grants a`
    return seen
  }
}

describe('deliveries to one host', () => {
  test('are at most fifty a second over sites and processes', async () => {
    const lyceum = await limited()
    const grants = await noteGrants(lyceum)
    const times: number[] = []
    const partners = await Promise.all(Array.from({ length: 4 }, () => aTimedPartner(lyceum, times)))
    for (const partner of partners) await pay(lyceum, partner, 40)
    const second = openDatabase({ url: lyceum.url, poolSize: 4 })
    atEnd(() => second.close())
    await startEngine(lyceum)
    await startEngine({ ...lyceum, db: second })
    await eventually(() => times.length === 160)
    const { total = 0, worst = 0 } = (await grants()) ?? {}
    assert.equal(total, 160)
    assert.ok(worst <= 50, `${worst} within a second`)
    await eventually(async () => {
      const rows = await lyceum.db.pool`
        select from sso.webhook_deliveries where state <> 'delivered'`
      return rows.length === 0
    })
    const [spent] = await lyceum.db.pool`
      select max(attempts) as attempts, max(claims) as claims from sso.webhook_deliveries`
    assert.deepEqual({ ...spent }, { attempts: 1, claims: 1 })
  })

  test('over the limit delay no other host or back channel', async () => {
    const lyceum = await limited()
    await startEngine(lyceum)
    const times: number[] = []
    const busy = await aTimedPartner(lyceum, times)
    const other = await aTimedPartner(lyceum, [], '127.0.0.2')
    await pay(lyceum, busy, 400)
    await eventually(() => times.length > 20)
    await pay(lyceum, other, 1)
    await lyceum.db.transaction((tx) =>
      recordFacts(tx, [
        userAccountDeleted('sandbox', [busy.site.site_id], {
          user_id: newId(),
          reason_code: 'admin_erasure',
          ccpa_drop_request: false,
          gdpr_erasure_request: true,
        }),
      ]),
    )
    await eventually(() => other.types().length === 1 && busy.types().includes('user.account.deleted'))
    assert.ok(times.length < 350, `only after ${times.length} of the others`)
  })

  test('share one limit among http names of one address', async () => {
    const lyceum = await limited()
    const times: number[] = []
    const names = ['a.example', 'b.example', 'c.example', 'd.example']
    const partners = await Promise.all(names.map((name) => aTimedPartner(lyceum, times, name)))
    await startEngine(lyceum, { edges: { resolve: async () => ['127.0.0.1'] } })
    for (const partner of partners) await pay(lyceum, partner, 1)
    await eventually(() => times.length === 4)
    times.length = 0
    const grants = await noteGrants(lyceum)
    for (const partner of partners) await pay(lyceum, partner, 30)
    await eventually(() => times.length === 120)
    const { total = 0, worst = 0 } = (await grants()) ?? {}
    assert.equal(total, 120)
    assert.ok(worst <= 50, `${worst} within a second`)
  })
})

describe('the send slots of a host', () => {
  const sends = (count: number, more: Partial<ToSend> = {}): ToSend[] =>
    Array.from({ length: count }, () => ({ delivery_id: newId(), host: 'a', isUrgent: false, ...more }))

  test('are given once over all processes', async () => {
    const { db } = await buildWorld()
    const rates = Array.from({ length: 4 }, () => createHostRate(db, 50))
    const began = performance.now()
    const waits = await Promise.all(rates.map((rate) => rate.take(sends(20))))
    const meanwhile = Math.ceil((performance.now() - began) / 22)
    const granted = waits.reduce((sum, { size }) => sum + 20 - size, 0)
    assert.ok(granted >= 5 && granted <= 5 + meanwhile, `${granted} of 80, ${meanwhile} more in time`)
    assert.ok(waits.every((one) => [...one.values()].every((ms) => ms > 0)))
  })

  test('are spaced by the rate, separately per host', async () => {
    const { db } = await buildWorld()
    const rate = createHostRate(db, 50)
    const waits = [...(await rate.take(sends(505))).values()]
    assert.equal(waits.length, 500)
    const last = Math.max(...waits)
    assert.ok(last > 10_000 && last < 13_000, `${last} ms`)
    assert.equal((await rate.take(sends(5, { host: 'b' }))).size, 0)
    assert.equal((await rate.take(sends(1))).size, 1, 'who comes later waits behind them')
  })

  test('are unlimited where the rate is 0', async () => {
    const { db } = await buildWorld()
    assert.equal((await createHostRate(db, 0).take(sends(1_000))).size, 0)
  })
})

test('a destination is the https host, or the http address', () => {
  const { of, note } = createDestinations()
  assert.equal(of('https://Partner.Example:8443/x'), 'partner.example')
  assert.equal(of('http://[::ffff:10.0.0.1]/'), '10.0.0.1')
  assert.equal(of('http://a.example/'), 'a.example')
  note('a.example', '10.0.0.1')
  assert.equal(of('http://a.example:81/'), '10.0.0.1')
  assert.equal(of('https://a.example/'), 'a.example')
})
