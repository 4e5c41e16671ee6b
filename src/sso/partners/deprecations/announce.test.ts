import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type App, createApp } from '#foundation/http/http.ts'
import { unauthorized } from '#foundation/errors.ts'
import { createLimiter } from '#foundation/rate-limit/limiter.ts'
import type { Deprecation } from '#foundation/http/deprecation.ts'
import { openBody } from '../../core/messages/queue.ts'
import { aColleague, anAdmin, aSite } from '#testing/people.ts'
import { buildWorld, type World, world } from '#testing/world.ts'
import { announceDeprecations } from './announce.ts'

const deprecated: Deprecation = {
  since: '2026-01-10',
  sunset: '2026-07-10',
  link: 'https://lyceum.example.org/changes',
  successor: '/api/v1/new',
}

/** A service with one deprecated route and one that is not. */
async function anApp({ parts }: World, more: Partial<Deprecation> = {}): Promise<App> {
  const app = await createApp({
    service: 'sso',
    version: '0',
    log: parts.log,
    database: parts.database,
    limiter: createLimiter({ service: 'test', log: parts.log }),
    metrics: parts.metrics.http('test'),
    isOwnHost: () => true,
    trustedProxies: [],
    isStopping: () => false,
    identify: () => {
      throw unauthorized('token_missing', 'This needs an access token')
    },
    bucketsOf: () => [],
    isText: () => true,
  })
  const long = { text: 'x'.repeat(2_000) }
  app.get(
    '/api/v1/old',
    { config: { auth: 'public', deprecated: { ...deprecated, ...more } } },
    async () => long,
  )
  app.post(
    '/api/v1/old',
    { config: { auth: 'user', permission: 'profile:write', deprecated, compress: false } },
    async () => long,
  )
  app.get('/api/v1/new', { config: { auth: 'public' } }, async () => long)
  await app.ready()
  return app
}

describe('a deprecated route', () => {
  test('sends its headers in every answer, unlike other routes', async () => {
    const app = await anApp(await world())
    const packed = { 'accept-encoding': 'gzip' }
    for (const reply of [
      await app.inject({ url: '/api/v1/old' }),
      await app.inject({ url: '/api/v1/old', headers: packed }),
      await app.inject({ url: '/api/v1/old', method: 'HEAD' }),
      await app.inject({ url: '/api/v1/old', method: 'POST' }),
    ]) {
      assert.equal(reply.headers['deprecation'], `@${Date.UTC(2026, 0, 10) / 1_000}`)
      assert.equal(reply.headers['sunset'], 'Fri, 10 Jul 2026 00:00:00 GMT')
      assert.match(
        String(reply.headers['link']),
        /^<https:.+changes>; rel="deprecation"; type="text\/html", </,
      )
    }
    assert.equal(
      (await app.inject({ url: '/api/v1/old', headers: packed })).headers['content-encoding'],
      'gzip',
    )
    assert.equal((await app.inject({ url: '/api/v1/old', method: 'POST' })).statusCode, 401)
    const { headers } = await app.inject({ url: '/api/v1/new' })
    for (const name of ['deprecation', 'sunset', 'link']) assert.equal(headers[name], undefined)
    await app.close()
  })

  test('is marked in the OpenAPI description', async () => {
    const app = await anApp(await world())
    const { paths } = app.swagger() as { paths: Record<string, Record<string, { deprecated?: boolean }>> }
    assert.equal(paths['/api/v1/old']?.['get']?.deprecated, true)
    assert.equal(paths['/api/v1/new']?.['get']?.deprecated, undefined)
    await app.close()
  })

  test('within six months of its removal stops the start', async () => {
    await assert.rejects(
      anApp(await world(), { sunset: '2026-07-09' }),
      /GET \/api\/v1\/old .* must stay until 2026-07-10/,
    )
  })
})

describe('the announcement of a deprecated route', () => {
  const routes = [
    { method: 'GET', url: '/api/v1/old', config: { deprecated } },
    { method: 'GET', url: '/v1/old', config: { deprecated } },
    { method: 'GET', url: '/api/v1/new', config: {} },
  ]
  type Letter = { message_id: string; user_id: string; recipient: string; body_enc: Buffer; status: string }
  const lettersOf = ({ db }: World) =>
    db.pool<Letter[]>`
      select message_id, user_id, recipient, body_enc, status from sso.messages
       where kind = 'deprecation_notice' order by created_at, message_id`

  test('mails each production ADMIN once, also under concurrency', async () => {
    const lyceum = await buildWorld()
    const admin = await anAdmin({ lyceum })
    const member = await aColleague(admin, lyceum)
    const sandbox = await aSite({ environment: 'sandbox', lyceum })
    await aSite({ lyceum })
    await Promise.all(Array.from({ length: 8 }, () => announceDeprecations(lyceum.parts, routes)))
    await announceDeprecations(lyceum.parts, routes)
    const letters = await lettersOf(lyceum)
    const people = letters.map(({ user_id }) => user_id)
    assert.equal(new Set(people).size, people.length)
    // The operator of the first start, `admin`, and the owner of the second site.
    assert.equal(people.length, 3)
    assert.ok(people.includes(admin.user_id) && people.includes(lyceum.firstRun.admin.user_id))
    for (const other of [member.user_id, sandbox.owner.user_id]) assert.ok(!people.includes(other))
    const mine = letters.find(({ user_id }) => user_id === admin.user_id)
    assert.ok(mine)
    assert.deepEqual([mine.recipient, mine.status], [admin.email, 'queued'])
    const { subject, text } = openBody(lyceum.parts.keys, mine.message_id, mine.body_enc)
    assert.equal(subject, 'GET /api/v1/old will be removed on 2026-07-10')
    assert.match(text, /since 2026-01-10[^]+\/api\/v1\/new[^]+https:\/\/lyceum\.example\.org\/changes/)
  })

  test('repeats when the date has changed', async () => {
    const lyceum = await buildWorld()
    await announceDeprecations(lyceum.parts, routes)
    const later = { ...deprecated, sunset: '2026-09-01' }
    await announceDeprecations(lyceum.parts, [
      { method: 'GET', url: '/api/v1/old', config: { deprecated: later } },
    ])
    assert.equal((await lettersOf(lyceum)).length, 2)
  })
})
