import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { fairShare } from '#foundation/http/shedding.ts'
import { loopDelay, startWatchdog } from '#foundation/threads/watchdog.ts'
import { eventually } from '#testing/eventually.ts'
import { aUser, type Person } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'

const IN_FLIGHT = 4
const DELAY_MS = 10
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const [STRANGER, HERS] = ['198.51.100.7', '203.0.113.9']

/** Computes in every turn of the event loop, so that it is late; resolves once the watchdog has found it late. */
async function beLate(): Promise<() => Promise<void>> {
  const compute = () => {
    for (const until = performance.now() + 2 * DELAY_MS; performance.now() < until;);
  }
  const timer = setInterval(compute, 1)
  await eventually(() => loopDelay() > DELAY_MS)
  return async () => {
    clearInterval(timer)
    await eventually(() => loopDelay() <= DELAY_MS)
  }
}

/** So many sign-ins of one client whose bodies do not end. The result ends them. */
async function slowBodies({ sso }: World, count: number, from = STRANGER) {
  const bodies = Array.from({ length: count }, () => new PassThrough())
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const replies = bodies.map((payload) =>
    sso.inject({ method: 'POST', url: '/sign-in', remoteAddress: from, headers, payload }),
  )
  for (let turns = 0; turns < 3; turns++) await turn()
  return async () => {
    for (const body of bodies) body.end()
    await Promise.all(replies)
  }
}

describe('a process with too much to do', () => {
  let lyceum: World
  let anna: Person
  let watchdog: { stop: () => void }
  before(async () => {
    lyceum = await buildWorld({ env: { SHED_IN_FLIGHT: `${IN_FLIGHT}`, SHED_DELAY_MS: `${DELAY_MS}` } })
    anna = await aUser({ lyceum })
    watchdog = startWatchdog(lyceum.parts)
  })
  after(() => watchdog.stop())

  type Ask = { headers?: Record<string, string>; from?: string; payload?: object }
  const ask = (service: 'sso' | 'learning' | 'collections', url: string, more: Ask = {}) =>
    lyceum[service].inject({
      method: more.payload ? 'POST' : 'GET',
      url,
      headers: more.headers ?? {},
      remoteAddress: more.from ?? STRANGER,
      ...(more.payload && { payload: more.payload }),
    })
  const channels = (more: Ask = {}) => ask('learning', '/api/channels', { headers: anna.headers, ...more })

  /** Runs `work` while so many slow bodies of a stranger are in progress and the event loop is late. */
  async function overloaded(count: number, work: () => Promise<void>) {
    const cut = await slowBodies(lyceum, count)
    const rest = await beLate()
    try {
      await work()
    } finally {
      await rest()
      await cut()
    }
  }

  test('refuses in the words of each service before it reads the token', () =>
    overloaded(IN_FLIGHT, async () => {
      for (const [service, url, members] of [
        ['sso', '/api/v1/users', ['code', 'detail', 'request_id']],
        ['learning', '/api/channels', ['detail']],
        ['collections', '/api/collections', ['code', 'detail', 'request_id']],
      ] as const) {
        const reply = await ask(service, url)
        assert.equal(reply.statusCode, 503, reply.body)
        assert.deepEqual(
          [reply.headers['retry-after'], reply.headers['cache-control'], reply.headers['content-type']],
          ['1', 'no-store', 'application/json; charset=utf-8'],
        )
        const body = reply.json<Record<string, string>>()
        assert.deepEqual(Object.keys(body).toSorted(), members)
        assert.match(body['detail'] ?? '', /too much to do/)
        if ('code' in body) assert.equal(body['code'], 'overloaded')
      }
    }))

  test('answers sign-in and health', () =>
    overloaded(IN_FLIGHT * 2, async () => {
      for (const path of ['/livez', '/readyz', '/health'])
        for (const service of ['sso', 'learning', 'collections'] as const)
          assert.equal((await ask(service, path)).statusCode, 200, path)
      for (const path of ['/status', '/metrics', '/sign-in', '/.well-known/jwks.json'])
        assert.equal((await ask('sso', path, { from: '127.0.0.1' })).statusCode, 200, path)
      const { email, password } = lyceum.firstRun.admin
      const headers = { 'x-sso-site-key': lyceum.firstRun.sites['learning']?.site_key ?? '' }
      const login = await ask('sso', '/api/v1/auth/login', { headers, payload: { email, password } })
      assert.equal(login.statusCode, 200, login.body)
      const token = await ask('sso', '/openid/token', { payload: { grant_type: 'authorization_code' } })
      assert.notEqual(token.statusCode, 503)
    }))

  test('refuses sign-in too with ten times as much in progress, and shows a page', () =>
    overloaded(IN_FLIGHT * 10, async () => {
      for (const [service, path] of [
        ['sso', '/sign-in'],
        ['learning', '/channels'],
      ] as const) {
        const page = await ask(service, path, { headers: BROWSER })
        assert.deepEqual([page.statusCode, page.headers['retry-after']], [503, '1'])
        assert.match(page.headers['content-type'] as string, /^text\/html/)
        assert.match(
          page.body,
          /<h1[^>]*>(?:Back in a moment|Please try again shortly)<\/h1>[^]*Try again<\/a>/,
        )
      }
      assert.match((await channels({ headers: BROWSER })).headers['content-type'] as string, /json/)
      assert.equal((await ask('sso', '/sign-in', { from: HERS })).statusCode, 200)
    }))

  test('refuses only the client that has most in progress', () =>
    overloaded(IN_FLIGHT * 3, async () => {
      assert.equal((await channels()).statusCode, 503)
      const hers = await Promise.all([1, 2].map(() => channels({ from: HERS })))
      assert.deepEqual(
        hers.map(({ statusCode }) => statusCode),
        [200, 200],
      )
    }))

  test('refuses everybody when each of too many clients has one in progress', async () => {
    const cuts = await Promise.all(
      Array.from({ length: IN_FLIGHT * 2 }, (_, n) => slowBodies(lyceum, 1, `198.51.100.${n + 10}`)),
    )
    const rest = await beLate()
    assert.equal((await channels({ from: HERS })).statusCode, 503)
    await rest()
    await Promise.all(cuts.map((cut) => cut()))
  })

  test('refuses nothing while few are in progress', async () => {
    const rest = await beLate()
    const replies = await Promise.all(Array.from({ length: IN_FLIGHT }, () => channels()))
    assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([200]))
    await rest()
  })

  for (const env of [
    { SHED_IN_FLIGHT: '2', SHED_DELAY_MS: '60000' },
    { SHED_IN_FLIGHT: '0', SHED_DELAY_MS: '1' },
  ])
    test(`refuses nothing with ${JSON.stringify(env)}`, async () => {
      const patient = await buildWorld({ env })
      const cut = await slowBodies(patient, 20)
      const rest = await beLate()
      const { statusCode } = await patient.learning.inject('/api/channels')
      assert.equal(statusCode, 401)
      await rest()
      await cut()
    })

  test('counts what it refused', async () => {
    const text = await lyceum.parts.metrics.text()
    for (const service of ['sso', 'learning', 'collections'])
      assert.match(text, new RegExp(`^lyceum_requests_shed_total\\{service="${service}"\\} [1-9]`, 'm'))
  })
})

describe('the fair share', () => {
  for (const [counts, limit, share] of [
    [[500], 500, 500],
    [[5_000, 1, 1], 500, 498],
    [[400, 400, 100], 500, 200],
    [[300, 300], 500, 250],
    [[1, 1, 1, 1], 2, 0.5],
    [[], 500, 500],
  ] as const)
    test(`of ${limit} among clients with ${counts.join(', ') || 'nothing'} is ${share}`, () =>
      assert.equal(fairShare(counts, limit), share))
})
