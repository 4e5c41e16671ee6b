import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Database, one } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { answers, type Behaviour } from '#testing/receiver.ts'
import { aPartner, type Partner, startEngine, toldIn } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { recordFacts } from '../facts/facts.ts'
import { paymentCompleted, userAccountDeleted } from '../facts/telling.ts'
import { claimDue, type Crew } from './claim.ts'
import { recordAttempts } from './record-attempts.ts'

let lyceum: World
before(async () => {
  lyceum = await buildWorld()
})

const pay = (to: readonly Partner[], times = 1, { db }: { db: Database } = lyceum) =>
  db.transaction((tx) =>
    recordFacts(
      tx,
      to.flatMap(({ site }) =>
        Array.from({ length: times }, () =>
          paymentCompleted(
            { ...site, environment: 'sandbox' },
            { order_id: newId(), plan: null, amount: 1, currency: 'USD', fulfilled_at: '' },
          ),
        ),
      ),
    ),
  )

type Row = { state: string; attempts: number; claims: number }
const rowsOf = ({ webhook_id }: Partner) =>
  lyceum.db.pool<Row[]>`
    select state, attempts, claims from sso.webhook_deliveries where webhook_id = ${webhook_id} order by delivery_id`
const statesOf = async (partner: Partner) => (await rowsOf(partner)).map(({ state }) => state)
const areDelivered = async (partner: Partner, count: number) => {
  const states = await statesOf(partner)
  return states.length === count && states.every((state) => state === 'delivered')
}
const failsOften = ({ webhook_id }: Partner, times = 3) =>
  lyceum.db.pool`
    update sso.webhook_endpoints set consecutive_failures = ${times} where webhook_id = ${webhook_id}`
const makeDue = ({ webhook_id }: Partner) =>
  lyceum.db.pool`
    update sso.webhook_deliveries set next_attempt_at = clock_timestamp()
     where webhook_id = ${webhook_id} and state = 'pending'`
const claimOne = async (partner: Partner, crew: Crew = 'usual') => {
  const rooms = new Map([[partner.webhook_id, 1]])
  return one(await claimDue(lyceum.db, { crew, limit: 1, perEndpoint: 1, rooms, isRefill: true }))
}

/** Answers when `isOpen` says so, and counts how many wait for it at the same time. */
function gated(isOpen: () => boolean, status = 204) {
  const seen = { now: 0, most: 0 }
  const behave: Behaviour = (socket, request) => {
    seen.most = Math.max(seen.most, ++seen.now)
    const look = () => {
      if (!isOpen()) return void setTimeout(look, 5)
      seen.now--
      answers(status)(socket, request)
    }
    look()
  }
  return { behave, seen }
}

describe('an endpoint', () => {
  test('has eight requests under way and delays no other', async () => {
    let isOpen = false
    const { behave, seen } = gated(() => isOpen)
    const [slow, quick] = [await aPartner(lyceum, { behave }), await aPartner(lyceum)]
    await pay([slow], 40)
    const engine = await startEngine(lyceum)
    await eventually(() => seen.now === 8)
    await pay([quick], 20)
    await eventually(() => areDelivered(quick, 20))
    assert.equal(seen.most, 8)
    isOpen = true
    await eventually(() => areDelivered(slow, 40))
    await engine.stop()
    assert.equal(seen.most, 8)
  })

  test('that fails has one request under way until it succeeds', async () => {
    let status = 500
    const seen = { now: 0, most: 0 }
    const partner = await aPartner(lyceum, {
      behave: (socket, request) => {
        seen.most = Math.max(seen.most, ++seen.now)
        setTimeout(() => {
          seen.now--
          answers(status)(socket, request)
        })
      },
    })
    await failsOften(partner)
    await pay([partner], 30)
    const engine = await startEngine(lyceum)
    await eventually(() => partner.receiver.requests.length >= 12)
    assert.equal(seen.most, 1)
    status = 204
    await makeDue(partner)
    engine.runner.wake()
    await eventually(async () => {
      await makeDue(partner)
      return areDelivered(partner, 30)
    })
    await engine.stop()
    assert.ok(seen.most > 1)
  })

  test('that fails is found by every process after three failures', async () => {
    const partner = await aPartner(lyceum)
    await pay([partner])
    const engine = await startEngine(lyceum, { maxInFlight: 0 })
    await eventually(async () => (await rowsOf(partner)).length === 1)
    await engine.stop()
    const claimed = async (crew: Crew) => {
      const rooms = new Map([[partner.webhook_id, 8]])
      const due = await claimDue(lyceum.db, { crew, limit: 8, perEndpoint: 8, rooms, isRefill: true })
      await lyceum.db.pool`
        update sso.webhook_deliveries set lease_token = null, lease_until = null
         where webhook_id = ${partner.webhook_id}`
      return due.length
    }
    assert.deepEqual([await claimed('usual'), await claimed('failing'), await claimed('urgent')], [1, 0, 0])
    await failsOften(partner)
    assert.deepEqual([await claimed('usual'), await claimed('failing'), await claimed('urgent')], [0, 1, 0])
  })
})

test('failing endpoints take none of the slots of the others', async () => {
  const own = await buildWorld()
  let isOpen = false
  const { behave, seen } = gated(() => isOpen)
  const dead = await Promise.all(Array.from({ length: 6 }, () => aPartner(own, { behave })))
  const healthy = await aPartner(own)
  await own.db.pool`
    update sso.webhook_endpoints set consecutive_failures = 3
     where webhook_id = any(${dead.map(({ webhook_id }) => webhook_id)})`
  await pay(dead, 5, own)
  const engine = await startEngine(own, { maxInFlight: 4 })
  await eventually(() => seen.now === 4)
  await pay([healthy], 20, own)
  await eventually(() => healthy.receiver.requests.length === 20)
  assert.deepEqual(seen, { now: 4, most: 4 })
  isOpen = true
  await engine.stop()
})

test('the back channel finds a slot beside any amount of slow work', async () => {
  let isOpen = false
  const { behave, seen } = gated(() => isOpen)
  const own = await buildWorld()
  const [slow, partner] = [await aPartner(own, { behave }), await aPartner(own)]
  await pay([slow], 20, own)
  const engine = await startEngine(own, { maxInFlight: 4 })
  await eventually(() => seen.now === 4)
  await own.db.transaction((tx) =>
    recordFacts(tx, [
      userAccountDeleted('sandbox', [partner.site.site_id], {
        user_id: newId(),
        reason_code: 'user_initiated_erasure',
        ccpa_drop_request: false,
        gdpr_erasure_request: true,
      }),
    ]),
  )
  await eventually(() => partner.receiver.requests.length === 1)
  assert.equal(seen.now, 4)
  isOpen = true
  await engine.stop()
})

describe('the end of an attempt', () => {
  test('shares its transaction with others', async () => {
    let transactions = 0
    const counted: Database = {
      ...lyceum.db,
      transaction: (work) => {
        transactions++
        return lyceum.db.transaction(work)
      },
    }
    const partners = await Promise.all(Array.from({ length: 10 }, () => aPartner(lyceum)))
    await pay(partners, 20)
    const engine = await startEngine({ ...lyceum, db: counted })
    await eventually(async () =>
      (await Promise.all(partners.map((one) => areDelivered(one, 20)))).every(Boolean),
    )
    await engine.stop()
    assert.ok(transactions < 100, `${transactions} transactions for 200 ends`)
  })

  test('leaves its slot to the next request before it is written', async () => {
    const { promise: unblocked, resolve: unblock } = Promise.withResolvers<void>()
    const blocked: Database = {
      ...lyceum.db,
      transaction: async (work) => {
        const isFanOut = partner.receiver.requests.length === 0
        if (!isFanOut) await unblocked
        return lyceum.db.transaction(work)
      },
    }
    const partner = await aPartner(lyceum)
    await pay([partner], 12)
    const engine = await startEngine({ ...lyceum, db: blocked })
    await eventually(() => partner.receiver.requests.length === 12)
    assert.ok((await statesOf(partner)).includes('pending'))
    unblock()
    await eventually(() => areDelivered(partner, 12))
    await engine.stop()
  })

  test('that cannot be written holds up no other', async () => {
    const own = await buildWorld()
    const [bad, good] = [await aPartner(own), await aPartner(own)]
    await own.db.pool`create table public.refused as select ${bad.webhook_id}::uuid as webhook_id`
    await own.db.pool`
      create function public.refuse() returns trigger language plpgsql as $$
      begin
        if new.webhook_id in (select webhook_id from public.refused) then raise exception 'no'; end if;
        return new;
      end $$`
    await own.db.pool`
      create trigger refuse before update on sso.webhook_deliveries for each row
        when (new.state = 'delivered') execute function public.refuse()`
    await pay([bad, good], 5, own)
    const engine = await startEngine(own)
    const delivered = () => own.db.pool`
      select from sso.webhook_deliveries where webhook_id = ${good.webhook_id} and state = 'delivered'`
    await eventually(async () => (await delivered()).length === 5)
    await own.db.pool`drop trigger refuse on sso.webhook_deliveries`
    await own.db.pool`
      update sso.webhook_deliveries set lease_until = clock_timestamp() - interval '1 s'
       where webhook_id = ${bad.webhook_id} and lease_until is not null`
    await eventually(() => bad.receiver.requests.length === 10)
    const ids = bad.bodies().map(({ event_id }) => event_id)
    assert.equal(new Set(ids).size, 5, 'the same events are sent once more')
    await engine.stop()
  })

  test('counts after the lease was lost only if it was a success', async () => {
    for (const [result, state] of [
      ['delivered', 'delivered'],
      ['timeout', undefined],
    ] as const) {
      const partner = await aPartner(lyceum)
      await pay([partner])
      const engine = await startEngine(lyceum, { maxInFlight: 0 })
      await eventually(async () => (await rowsOf(partner)).length === 1)
      await engine.stop()
      const first = await claimOne(partner)
      await lyceum.db.pool`
        update sso.webhook_deliveries set lease_until = clock_timestamp() - interval '1 s'
         where webhook_id = ${partner.webhook_id}`
      const second = await claimOne(partner)
      assert.notEqual(second.lease_token, first.lease_token)
      const end = async (due: typeof first, how: 'delivered' | 'timeout') => {
        const noted = { result: how, response_status: null, retry_after: null, duration_ms: 1 }
        const ends = await lyceum.db.transaction((tx) => recordAttempts(tx, [{ due, noted }]))
        return ends.get(due.delivery_id)?.state
      }
      assert.equal(await end(first, result), state)
      assert.equal(await end(second, 'delivered'), state === undefined ? 'delivered' : undefined)
    }
  })
})

test('a fault of ours is an attempt on the schedule, not a failure of the partner', async () => {
  const partner = await aPartner(lyceum)
  await pay([partner])
  const engine = await startEngine(lyceum, { wrap: () => () => Promise.reject(new Error('no such key')) })
  await eventually(async () => (await rowsOf(partner))[0]?.attempts === 1)
  await engine.stop()
  assert.deepEqual(await statesOf(partner), ['pending'])
  const [endpoint] = await lyceum.db.pool<{ consecutive_failures: number }[]>`
    select consecutive_failures from sso.webhook_endpoints where webhook_id = ${partner.webhook_id}`
  assert.equal(endpoint?.consecutive_failures, 0)
})

test('a delivery whose fiftieth claim never finished is not claimed again', async () => {
  const partner = await aPartner(lyceum)
  await pay([partner])
  const engine = await startEngine(lyceum, { maxInFlight: 0 })
  await eventually(async () => (await rowsOf(partner)).length === 1)
  await engine.stop()
  await lyceum.db.pool`
    update sso.webhook_deliveries set claims = 50 where webhook_id = ${partner.webhook_id}`
  const again = await startEngine(lyceum)
  // What is due later is claimed later, so the other was passed over.
  const after = await aPartner(lyceum)
  await pay([after])
  await eventually(() => areDelivered(after, 1))
  await again.stop()
  assert.deepEqual(partner.receiver.requests.map(toldIn), [])
})
