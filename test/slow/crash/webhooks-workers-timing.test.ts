import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { paymentCompleted, recordFacts, startWebhooks } from '#sso'
import { atEnd } from '#testing/endings.ts'
import { aSite } from '#testing/people.ts'
import { answers, type Behaviour, startReceiver } from '#testing/receiver.ts'
import { eventually } from '#testing/eventually.ts'
import { confirmEndpoints } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { startSink } from './webhooks-sink.ts'

/** `LYCEUM_ROWS=20000 npm test -- test/slow/crash/webhooks-workers-timing` for the long run. */
const PER_ENDPOINT = Math.ceil(Number(process.env['LYCEUM_ROWS'] ?? 4_000) / 32)
const ROWS = 32 * PER_ENDPOINT
const DEAD_ROWS = 5_000
const ROUND_MS = 500

type Engine = Awaited<ReturnType<typeof startWebhooks>>

async function aReceiver(behave: Behaviour) {
  const receiver = await startReceiver(behave)
  atEnd(() => receiver.close())
  return receiver
}

/** A sandbox site with endpoints at these paths of one receiver. */
async function aSiteWith(lyceum: World, url: string, paths: string[]) {
  const site = await aSite({ environment: 'sandbox', lyceum })
  for (const path of paths) {
    const made = await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/webhooks',
      headers: site.owner.headers,
      payload: { webhook_url: `${url}/${path}`, site_code: site.site_code },
    })
    assert.equal(made.statusCode, 201, made.body)
  }
  await confirmEndpoints(lyceum, site)
  return { ...site, environment: 'sandbox' as const }
}
type At = Awaited<ReturnType<typeof aSiteWith>>

async function pay(lyceum: World, site: At, times: number) {
  for (let n = 0; n < times; n += 500)
    await lyceum.db.transaction((tx) =>
      recordFacts(
        tx,
        Array.from({ length: Math.min(500, times - n) }, () =>
          paymentCompleted(site, {
            order_id: newId(),
            plan: null,
            amount: 1,
            currency: 'USD',
            fulfilled_at: '',
          }),
        ),
      ),
    )
}

describe('concurrent workers', () => {
  for (const workers of [2, 4])
    test(`${workers} send ${ROWS} events once each`, async () => {
      const lyceum = await buildWorld()
      const sink = await startSink()
      atEnd(() => sink.close())
      const sites = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) =>
          aSiteWith(
            lyceum,
            sink.url,
            Array.from({ length: 8 }, (_, n) => `${name}${n}`),
          ),
        ),
      )
      for (const site of sites) await pay(lyceum, site, PER_ENDPOINT)

      const now = new Set<string>()
      let overlaps = 0
      const sent: number[] = []
      const databases = Array.from({ length: workers }, () => openDatabase({ url: lyceum.url, poolSize: 4 }))
      const engines: Engine[] = []
      for (const [n, database] of databases.entries())
        engines.push(
          await started(
            {
              ...lyceum.parts,
              database,
              metrics: unmeasured(lyceum),
              signLogout: async () => '',
            },
            {
              wrap: (send) => async (request) => {
                const name = `${request.url} ${request.headers['x-sso-event-id']}`
                if (now.has(name)) overlaps++
                now.add(name)
                sent[n] = (sent[n] ?? 0) + 1
                const reply = await send(request)
                now.delete(name)
                return reply
              },
            },
          ),
        )
      await eventually(async () => (await pending(lyceum)) === 0)
      await Promise.all(engines.map((engine) => engine.stop()))
      await Promise.all(databases.map((database) => database.close()))

      assert.deepEqual(await sink.counts(), { total: ROWS, distinct: ROWS, most: 1 })
      assert.equal(overlaps, 0)
      assert.equal(sent.filter((count) => count > 0).length, workers, `shares: ${sent.join()}`)
    })
})

async function started(...given: Parameters<typeof startWebhooks>): Promise<Engine> {
  const engine = await startWebhooks(...given)
  atEnd(() => engine.stop())
  return engine
}

const unmeasured = ({ parts }: World) => ({
  ...parts.metrics,
  gauges: () => {},
  counters: () => ({ inc: () => {} }),
})
const pending = async ({ db }: World) =>
  (
    await db.pool`
      select from foundation.jobs where state = 'pending' and kind like 'webhook.%'
       union all select from sso.webhook_deliveries where state = 'pending' limit 1`
  ).length

describe('one dead endpoint with five thousand events beside fifty healthy', () => {
  let lyceum: World
  before(async () => {
    lyceum = await buildWorld()
  })

  test('holds one slot, and healthy ones wait under a second', async () => {
    const silent = await aReceiver(() => {})
    const receiver = await aReceiver(answers(204))
    const dead = await aSiteWith(lyceum, silent.url, ['dead'])
    const healthy = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        aSiteWith(
          lyceum,
          receiver.url,
          Array.from({ length: 10 }, (_, m) => `${n}-${m}`),
        ),
      ),
    )
    await pay(lyceum, dead, DEAD_ROWS)
    const engine = await started({
      ...lyceum.parts,
      metrics: unmeasured(lyceum),
      signLogout: async () => '',
    })
    // Both before and after the dead endpoint is detected as dead, which takes five seconds.
    let late = 0
    for (let round = 0; round < 14; round++) {
      for (const site of healthy) await pay(lyceum, site, 1)
      const due = performance.now() + ROUND_MS
      await wait(ROUND_MS)
      late = Math.max(late, performance.now() - due)
    }
    await eventually(() => receiver.requests.length === 14 * 50)
    assert.ok(silent.open() <= 2, `${silent.open()} connections to the dead one`)
    await engine.stop()

    const lags = await lyceum.db.pool<{ ms: number }[]>`
      select extract(epoch from a.started_at - d.created_at)::float8 * 1000 as ms
        from sso.webhook_attempts a join sso.webhook_deliveries d using (delivery_id)
       where d.site_id <> ${dead.site_id} order by ms`
    const p99 = lags[Math.floor(lags.length * 0.99)]?.ms ?? Infinity
    assert.equal(lags.length, 700)
    assert.ok(p99 < 1_000 + 3 * late, `p99 of the lag is ${p99.toFixed(0)} ms, a timer is ${late} ms late`)
  })
})
