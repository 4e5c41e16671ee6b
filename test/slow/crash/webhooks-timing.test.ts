import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '#foundation/ids.ts'
import { recordFacts, userAccountDeleted } from '#sso'
import { answers } from '#testing/receiver.ts'
import { eventually } from '#testing/eventually.ts'
import { aPartner, type Partner, startEngine } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'

const DELAYS = [1, 5, 15]

let lyceum: World
before(async () => {
  lyceum = await buildWorld()
  await startEngine(lyceum)
})

test('back-channel attempts come after 0, 1, 5 and 15 s', async () => {
  const arrived: number[] = []
  const ended: number[] = []
  /** How late (ms) a plain timer plus one disk write is at the same moments on this machine. */
  const bare: Promise<number>[] = []
  const partner = await aPartner(lyceum, {
    behave: (socket) => {
      arrived.push(performance.now())
      // A delay counts from the end of the attempt.
      setTimeout(() => {
        const delay = DELAYS[ended.push(performance.now()) - 1]
        if (delay !== undefined) bare.push(lateness(delay * 1_000))
        socket.write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n')
      }, 200)
    },
  })
  await erase(partner)
  const committed = performance.now()
  bare.push(lateness(0))
  await eventually(() => ended.length === DELAYS.length + 1)
  const gaps = arrived.map((at, n) => at - (n === 0 ? committed : (ended[n - 1] ?? 0)))
  for (const [n, wanted] of [0, ...DELAYS].entries()) {
    const late = (gaps[n] ?? Infinity) - wanted * 1_000
    const bound = 300 + 3 * ((await bare[n]) ?? 0)
    assert.ok(
      late > -5 && late < bound,
      `attempt ${n + 1} came ${late.toFixed(0)} ms after its time, with ${bound.toFixed(0)} allowed`,
    )
  }
})

test('the second attempt is on time when the first made the endpoint a failing one', async () => {
  // A poll would come at any time within half a second, so partners that begin 100 ms apart find the worst of it.
  const late = await Promise.all(
    [0, 100, 200, 300, 400].map(async (head) => {
      const times: number[] = []
      const partner = await aPartner(lyceum, {
        behave: (socket, request) => {
          times.push(performance.now())
          answers(500)(socket, request)
        },
      })
      await lyceum.db.pool`
        update sso.webhook_endpoints set consecutive_failures = 2 where webhook_id = ${partner.webhook_id}`
      await sleep(head)
      await erase(partner)
      await eventually(() => times.length === 2)
      return (times[1] ?? Infinity) - (times[0] ?? 0) - 1_000
    }),
  )
  const bound = 300 + 3 * (await lateness(0))
  assert.ok(Math.max(...late) < bound, `${late.map((ms) => ms.toFixed(0)).join(', ')} ms late`)
})

test('an attempt at a receiver that is silent ends after five seconds', async () => {
  const partner = await aPartner(lyceum, { behave: () => {} })
  await erase(partner)
  await eventually(() => partner.receiver.requests.length === 1)
  const late = lateness(5_000)
  const read = () => lyceum.db.pool<{ ms: number }[]>`
    select extract(epoch from a.finished_at - a.started_at)::float8 * 1000 as ms
      from sso.webhook_attempts a join sso.webhook_deliveries d using (delivery_id)
     where d.webhook_id = ${partner.webhook_id} and a.finished_at is not null`
  await eventually(async () => (await read()).length > 0)
  const [{ ms } = assert.fail()] = await read()
  const bound = 5_200 + 3 * (await late)
  assert.ok(ms < bound, `${ms} ms, at most ${bound} ms`)
})

const erase = (partner: Partner) =>
  lyceum.db.transaction((tx) =>
    recordFacts(tx, [
      userAccountDeleted('sandbox', [partner.site.site_id], {
        user_id: newId(),
        reason_code: 'user_initiated_erasure',
        ccpa_drop_request: false,
        gdpr_erasure_request: true,
      }),
    ]),
  )

async function lateness(delay: number): Promise<number> {
  const due = performance.now() + delay
  await sleep(delay)
  await lyceum.db.pool`select pg_logical_emit_message(true, 'lateness', '')`
  return Math.max(0, performance.now() - due)
}
