import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { createCollections } from '#collections'
import { createLog } from '#foundation/log.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { aCollection, call } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aColleague, anAdmin } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const lyceum = await world()

/** A second instance of the service whose log is captured. */
async function aLoggedService() {
  const lines: Record<string, unknown>[] = []
  const log = createLog(
    'info',
    new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(
          ...String(chunk)
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Record<string, unknown>),
        )
        done()
      },
    }),
  )
  const service = await createCollections({ ...lyceum.parts, log, metrics: createMetrics() }, lyceum)
  return { ...service, lines, acts: () => lines.filter(({ msg }) => msg === 'acted_as_site_admin') }
}

describe('a site admin', () => {
  test('is logged for access beyond membership, unlike members', async () => {
    const { app, close, acts, lines } = await aLoggedService()
    try {
      const admin = await anAdmin()
      const anna = await aColleague(admin)
      const id = await aCollection(anna)
      const ask = (headers: Record<string, string>, method: 'GET' | 'DELETE' = 'GET') =>
        app.inject({ method, url: `/api/collections/${id}`, headers })
      assert.equal((await ask(anna.headers)).statusCode, 200)
      assert.equal(acts().length, 0)
      const seen = await ask(admin.headers)
      assert.equal(seen.statusCode, 200)
      assert.equal((await ask(admin.headers, 'DELETE')).statusCode, 204)
      assert.deepEqual(
        acts().map(({ actor, collection_id }) => [actor, collection_id]),
        [
          [admin.user_id, id],
          [admin.user_id, id],
        ],
      )
      assert.equal(acts()[0]?.['request_id'], seen.headers['x-request-id'])
      const [deleted] = lines.filter(({ msg }) => msg === 'collection_deleted')
      assert.deepEqual([deleted?.['actor'], deleted?.['collection_id']], [admin.user_id, id])
    } finally {
      await close()
    }
  })

  test('is logged for tenant-wide lists and imports of others', async () => {
    const { app, close, acts } = await aLoggedService()
    try {
      const admin = await anAdmin()
      const anna = await aColleague(admin)
      const { job_id } = await bringIn(anna, { Collections: [['name'], ['Box']] })
      const ask = async (headers: Record<string, string>, url: string) =>
        assert.equal((await app.inject({ url, headers })).statusCode, 200, url)
      const job = `/api/bulk/jobs/${job_id}`
      for (const url of [
        job,
        `${job}/errors`,
        `${job}/errors?format=xlsx`,
        '/api/bulk/jobs',
        '/api/collections',
      ])
        await ask(anna.headers, url)
      for (const url of ['/api/bulk/jobs', '/api/collections']) await ask(admin.headers, url)
      assert.deepEqual(acts(), [])
      for (const url of [job, `${job}/errors`, `${job}/errors?format=xlsx`]) await ask(admin.headers, url)
      for (const url of ['/api/bulk/jobs?scope=all', '/api/collections?scope=all'])
        await ask(admin.headers, url)
      assert.deepEqual(
        acts().map(({ actor, job_id: id, jobs, collections }) => [actor, id ?? jobs ?? collections]),
        [job_id, job_id, job_id, 'all', 'all'].map((what) => [admin.user_id, what]),
      )
    } finally {
      await close()
    }
  })
})

describe('COLLECTIONS_CORS_ORIGINS', () => {
  test('allows these origins, without credentials', async () => {
    const origin = 'https://app.example.org'
    const { collections } = await buildWorld({ env: { COLLECTIONS_CORS_ORIGINS: origin } })
    const preflight = (from: string) =>
      collections.inject({
        method: 'OPTIONS',
        url: '/api/collections',
        headers: { origin: from, 'access-control-request-method': 'POST' },
      })
    const allowed = await preflight(origin)
    assert.equal(allowed.statusCode, 204)
    assert.equal(allowed.headers['access-control-allow-origin'], origin)
    assert.match(String(allowed.headers['access-control-allow-headers']), /Authorization.*Idempotency-Key/)
    assert.equal(allowed.headers['access-control-allow-credentials'], undefined)
    const refused = await collections.inject({ url: '/api/collections', headers: { origin } })
    assert.equal(refused.statusCode, 401)
    assert.equal(refused.headers['access-control-allow-origin'], origin)
    assert.match(String(refused.headers['vary']), /Origin/)
    const foreign = await preflight('https://evil.example')
    assert.equal(foreign.statusCode, 405)
    assert.equal(foreign.headers['access-control-allow-origin'], undefined)
  })

  test('sends no CORS header when unset', async () => {
    const reply = await call('GET', '/api/collections', { headers: { origin: 'https://app.example.org' } })
    assert.equal(Object.keys(reply.headers).filter((name) => name.startsWith('access-control')).length, 0)
  })
})
