import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Database } from '#foundation/database.ts'
import { createLimiter } from '#foundation/rate-limit/limiter.ts'
import { buildWorld, world } from '#testing/world.ts'
import { createStatus } from './status.ts'

describe('GET /status', () => {
  test('says to anybody what works', async () => {
    const { sso } = await world()
    const reply = await sso.inject({ url: '/status' })
    assert.equal(reply.statusCode, 200)
    const { status, components, version, time } = reply.json()
    assert.equal(status, 'operational')
    assert.deepEqual(
      components.map(({ name }: { name: string }) => name),
      ['database', 'rate_limits'],
    )
    assert.equal(typeof components[0].latency_ms, 'number')
    assert.equal(version, '0.0.0-test')
    assert.ok(Date.now() - Date.parse(time) < 5_000)
  })

  test('is 503 with Retry-After without the database, and so is /health, while /livez lives', async () => {
    const lyceum = await buildWorld()
    await lyceum.db.close()
    const [status, health, alive] = await Promise.all(
      ['/status', '/health', '/livez'].map((url) => lyceum.sso.inject({ url })),
    )
    assert.equal(status?.statusCode, 503)
    assert.equal(status?.json().status, 'outage')
    assert.equal(status?.headers['retry-after'], '1')
    assert.deepEqual([health?.statusCode, health?.json().status], [503, 'down'])
    assert.equal(alive?.statusCode, 200)
  })

  test('calls limits without their shared store degraded, and the whole with them', async (t) => {
    const { parts } = await world()
    // Port 9 (discard): nobody listens there.
    const limiter = createLimiter({ service: 'status-test', redisUrl: 'redis://127.0.0.1:9', log: parts.log })
    t.after(() => limiter.close())
    const database: Database = parts.database
    const { status, components } = await createStatus(database, limiter, '1')()
    assert.equal(status, 'degraded')
    assert.deepEqual(components[1], { name: 'rate_limits', status: 'degraded', latency_ms: null })
  })
})
