import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { answers, type Received } from '#testing/receiver.ts'
import { eventually } from '#testing/eventually.ts'
import { aPartner, type Partner, signatureOf, startEngine, toldIn } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { type Point, POINTS, type Task } from './webhooks-worker.ts'

/** `npm run nightly` sets 20 per point and 200 at random. */
const KILLS_PER_POINT = Number(process.env['LYCEUM_KILLS_PER_POINT'] ?? 2)
const KILLS = Number(process.env['LYCEUM_WEBHOOK_KILLS'] ?? 8)

let lyceum: World
before(async () => {
  lyceum = await buildWorld()
  await lyceum.db.pool`create schema crash`
  await lyceum.db.pool`create table crash.changes (order_id uuid primary key)`
})

type Work = Pick<Task, 'writes' | 'works' | 'point' | 'maxInFlight'>

/** Runs a process that writes, works or both, and dies by SIGKILL: at its point or after `afterMs`. */
async function workAndDie({ site }: Partner, work: Work, afterMs?: number) {
  const task: Task = {
    url: lyceum.url,
    dataDir: lyceum.dataDir,
    site: { site_id: site.site_id, site_code: site.site_code, environment: 'sandbox' },
    ...work,
  }
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'webhooks-worker.ts'), JSON.stringify(task)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  if (afterMs !== undefined) {
    await once(child.stdout, 'data')
    await wait(afterMs)
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => child.kill('SIGTERM'), 90_000)
  const [, signal] = await exited
  clearTimeout(timer)
  assert.equal(signal, 'SIGKILL', `the process did not reach the point "${work.point}"`)
}

/** The events that dead processes held. This releases their leases, so that no test waits for them to expire. */
async function heldByTheDead(): Promise<string[]> {
  const rows = await lyceum.db.pool<{ event_id: string }[]>`
    update sso.webhook_deliveries set lease_token = null, lease_until = null
     where state = 'pending' and lease_until is not null returning event_id`
  return rows.map(({ event_id }) => event_id)
}

/** Sends the remaining events from this process. */
async function workOff() {
  await lyceum.db
    .pool`update foundation.jobs set lease_token = null, lease_until = null where state = 'pending'`
  await heldByTheDead()
  const engine = await startEngine(lyceum)
  await eventually(async () => {
    const left = await lyceum.db.pool`
      select from foundation.jobs where state = 'pending' and kind like 'webhook.%'
       union all select from sso.webhook_deliveries where state = 'pending' limit 1`
    return left.length === 0
  })
  await engine.stop()
}

const orderOf = (request: Received) => String(toldIn(request).data['order_id'])

async function checkAllTold({
  site,
  receiver,
  secret,
}: Partner): Promise<{ told: number; repeated: number }> {
  const changes = await lyceum.db.pool<{ order_id: string }[]>`
    delete from crash.changes returning order_id`
  const byOrder = Map.groupBy(receiver.requests, orderOf)
  assert.deepEqual(
    [...byOrder.keys()].toSorted(),
    changes.map(({ order_id }) => order_id).toSorted(),
    'every committed change was told, and none that was undone',
  )
  for (const [first, ...rest] of byOrder.values()) {
    assert.equal(first?.headers['x-sso-signature'], signatureOf(secret, first?.body ?? Buffer.alloc(0)))
    for (const again of rest) {
      assert.ok(again.body.equals(first?.body ?? Buffer.alloc(0)), 'the bytes of a repetition are the same')
      assert.equal(again.headers['x-sso-event-id'], first?.headers['x-sso-event-id'])
    }
  }
  const [rows] = await lyceum.db.pool<{ events: number; open: number }[]>`
    select count(distinct e.event_id) as events,
           count(*) filter (where d.state <> 'delivered' or d.attempts <> 1) as open
      from sso.webhook_events e join sso.webhook_deliveries d using (event_id) where e.site_id = ${site.site_id}`
  assert.deepEqual(
    { ...rows },
    { events: byOrder.size, open: 0 },
    'one event each, delivered, and no attempt was spent',
  )
  return { told: byOrder.size, repeated: receiver.requests.length - byOrder.size }
}

describe('a process killed at a named point', () => {
  for (const point of POINTS)
    test(`${point}: ${KILLS_PER_POINT} kills lose nothing and repeat one event each`, async () => {
      const slow = point === 'after the bytes left' ? 100 : 0
      const partner = await aPartner(lyceum, {
        behave: (socket, request) => void setTimeout(() => answers(204)(socket, request), slow),
      })
      for (let kill = 0; kill < KILLS_PER_POINT; kill++)
        await workAndDie(partner, { writes: true, works: true, point: point satisfies Point, maxInFlight: 1 })
      await workOff()
      const { told, repeated } = await checkAllTold(partner)
      assert.ok(told > KILLS_PER_POINT)
      assert.ok(repeated <= KILLS_PER_POINT, `${repeated} repetitions in ${KILLS_PER_POINT} kills`)
    })
})

test(`${KILLS} random kills lose nothing and repeat only sends in flight`, async (t) => {
  const partner = await aPartner(lyceum)
  const inFlight: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await workAndDie(partner, { writes: true, works: true }, 50 + Math.random() * 450)
    inFlight.push(...(await heldByTheDead()))
  }
  await workOff()
  const { told, repeated } = await checkAllTold(partner)
  t.diagnostic(
    `${told} events, ${repeated} of them twice after ${KILLS} kills with ${inFlight.length} in flight`,
  )
  assert.ok(told > KILLS, `only ${told} events`)
  const kills = Map.groupBy(inFlight, (event_id) => event_id)
  const times = Map.groupBy(partner.bodies(), ({ event_id }) => event_id)
  for (const [event_id, { length }] of times)
    assert.ok(
      length - 1 <= (kills.get(event_id)?.length ?? 0),
      `${event_id} came ${length} times and was in flight at ${kills.get(event_id)?.length ?? 0} kills`,
    )
})
