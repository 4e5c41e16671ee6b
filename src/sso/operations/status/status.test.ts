import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { degraded, healthy } from '#foundation/database/health.ts'
import { createLimiter } from '#foundation/rate-limit/limiter.ts'
import { aUser, anAdmin, anOperator, nobody } from '#testing/people.ts'
import { buildWorld, type World, world } from '#testing/world.ts'
import { createStatus } from './status.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** What is asked, with a ring and an address of a mail server as the test wants them. */
function statusOf({ parts }: World, { signing = 'operational', redisUrl = '', smtp = '' } = {}) {
  const limiter = createLimiter({
    service: 'status-test',
    log: parts.log,
    ...(redisUrl !== '' && { redisUrl }),
  })
  const ring = {
    health: () => (signing === 'operational' ? healthy : degraded('A key signs for too long')),
  } as Parameters<typeof createStatus>[0]['ring']
  const config = { ...parts.config, SMTP_URL: smtp === '' ? undefined : smtp }
  return { limiter, ask: createStatus({ ...parts, config, ring }, limiter) }
}

describe('GET /status', () => {
  test('shows everybody what works', async () => {
    const { sso } = await buildWorld()
    const begun = new Date().toISOString()
    const reply = await sso.inject({ url: '/status' })
    assert.equal(reply.statusCode, 200)
    const { components, version, time } = reply.json()
    assert.deepEqual(
      components.map(({ name, status }: { name: string; status: string }) => [name, status]),
      [
        ['database', 'operational'],
        ['webhooks', 'operational'],
        // There is no mail server.
        ['email', 'degraded'],
        ['signing_keys', 'operational'],
        ['rate_limits', 'operational'],
      ],
    )
    assert.equal(typeof components[0].latency_ms, 'number')
    assert.equal(version, '0.0.0-test')
    assert.ok(time >= begun)
    assert.match(String(reply.headers['content-type']), /^application\/json/)
  })

  test('answers 503 without the database, like /health, unlike /livez', async () => {
    const lyceum = await buildWorld()
    await lyceum.db.close()
    const [status, page, health, alive] = await Promise.all(
      ['/status', '/status', '/health', '/livez'].map((url, i) =>
        lyceum.sso.inject({ url, ...(i === 1 && { headers: BROWSER }) }),
      ),
    )
    assert.equal(status?.statusCode, 503)
    assert.equal(status?.json().status, 'outage')
    assert.equal(status?.headers['retry-after'], '1')
    assert.equal(page?.statusCode, 503)
    assert.match(page?.body ?? '', /Sign-in does not work at the moment/)
    assert.deepEqual([health?.statusCode, health?.json().status], [503, 'down'])
    assert.equal(alive?.statusCode, 200)
  })

  for (const [what, given, name, expected] of [
    ['a mail server that takes everything', {}, 'email', 'operational'],
    ['no mail server', { smtp: '' }, 'email', 'degraded'],
    ['keys that are not in order', { signing: 'degraded' }, 'signing_keys', 'degraded'],
    // Port 9 (discard): nobody listens there.
    ['no shared store of limits', { redisUrl: 'redis://127.0.0.1:9' }, 'rate_limits', 'degraded'],
  ] as const)
    test(`${name} and the whole are ${expected} with ${what}`, async (t) => {
      // A world of its own: in the common one nobody sends the webhooks, which is a fault.
      const { limiter, ask } = statusOf(await buildWorld(), { smtp: 'smtp://127.0.0.1:9', ...given })
      t.after(() => limiter.close())
      const { status, components } = await ask()
      assert.equal(components.find((one) => one.name === name)?.status, expected)
      assert.equal(status, expected)
      const { reason } = components.find((one) => one.name === name) ?? {}
      assert.equal(reason === undefined, expected === 'operational')
    })

  test('explains the cause to operators only', async () => {
    const lyceum = await buildWorld()
    const reasonOf = async (headers: Record<string, string>) => {
      const reply = await lyceum.sso.inject({ url: '/status', headers })
      assert.equal(reply.statusCode, 200)
      const named = reply.body.includes('SMTP_URL')
      const email = reply.json().components.find(({ name }: { name: string }) => name === 'email')
      assert.equal(email.status, 'degraded')
      assert.equal(named, email.reason !== undefined)
      return email.reason
    }
    const operator = await anOperator(lyceum)
    assert.equal(await reasonOf(operator.headers), 'SMTP_URL is not set, so production mail waits')
    for (const { headers } of [await nobody(), await aUser({ lyceum }), await anAdmin({ lyceum })])
      assert.equal(await reasonOf(headers), undefined)
    assert.equal(await reasonOf({ authorization: 'Bearer nonsense' }), undefined)
    const page = await lyceum.sso.inject({ url: '/status', headers: { ...BROWSER, ...operator.headers } })
    assert.match(page.body, /Degraded\s*: SMTP_URL is not set/)
  })

  test('is measured once a second', async () => {
    const { ask } = statusOf(await world())
    const [first, second] = await Promise.all([ask(), ask()])
    assert.equal(first, second)
    assert.equal(await ask(), first)
  })

  test('is a page for browsers without script or foreign content', async () => {
    const { sso } = await world()
    const reply = await sso.inject({ url: '/status', headers: BROWSER })
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(reply.headers['vary'], 'Accept, Accept-Language, Authorization, Cookie, Accept-Encoding')
    assert.match(String(reply.headers['content-security-policy']), /^default-src 'none'; style-src 'self'/)
    assert.doesNotMatch(reply.body, /<script|style=|onload/)
    assert.match(reply.body, /<html lang="en">[^]+<th scope="row">E-mail<\/th>\s*<td>\s*Degraded/)
    for (const accept of ['*/*', 'application/json', 'application/json, text/html'])
      assert.match(
        String((await sso.inject({ url: '/status', headers: { accept } })).headers['content-type']),
        /json/,
      )
  })
})
