import assert from 'node:assert/strict'
import { pbkdf2Sync, scryptSync } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { hash as hashArgon2 } from '@node-rs/argon2'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { REFUSAL_MS } from '#foundation/security/passwords.ts'
import { eventually } from '#testing/eventually.ts'
import { aUser, homeSite } from '#testing/people.ts'
import { call, newDataDir, removeDataDir, startProduct } from '#testing/product.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld, type World } from '#testing/world.ts'

const PASSWORD = 'sunny meadow 44'
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** One hash of each scheme that an import accepts, each several times as expensive as our own in these tests. */
const SCHEMES: [scheme: string, hash: () => Promise<string> | string][] = [
  ['argon2id', () => hashArgon2(PASSWORD, { memoryCost: 16_384, timeCost: 1, parallelism: 1 })],
  ['argon2i', () => hashArgon2(PASSWORD, { algorithm: 1, memoryCost: 16_384, timeCost: 1, parallelism: 1 })],
  ['bcrypt', () => hashBcrypt(PASSWORD, { cost: 8 })],
  [
    'scrypt',
    () => {
      const key = scryptSync(PASSWORD, 'a salt of it', 32, { N: 8_192, r: 8, p: 1 })
      return `$scrypt$ln=13,r=8,p=1$${base64(Buffer.from('a salt of it'))}$${base64(key)}`
    },
  ],
  [
    'pbkdf2',
    () => {
      const key = pbkdf2Sync(PASSWORD, 'a salt of it', 20_000, 32, 'sha256')
      return `$pbkdf2-sha256$20000$${base64(Buffer.from('a salt of it'))}$${base64(key)}`
    },
  ],
]
const RUNS = 40
const UNKNOWN = 'nobody@example.org'

/** The addresses of accounts with imported passwords, by scheme, and one address without an account. */
async function people(lyceum: World): Promise<Map<string, string>> {
  const emails = new Map([['unknown', UNKNOWN]])
  for (const [scheme, hash] of SCHEMES) {
    const { user_id, email } = await aUser({ lyceum })
    await lyceum.db.pool`update sso.users set password_hash = ${await hash()} where user_id = ${user_id}`
    emails.set(scheme, email)
  }
  return emails
}

/** The time of one sign-in (ms). */
async function timeOf(lyceum: World, email: string, password: string, remoteAddress: string) {
  const { headers } = await homeSite(lyceum)
  const start = performance.now()
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers,
    remoteAddress,
    payload: { email, password },
  })
  return { ms: performance.now() - start, status: reply.statusCode }
}

/** Times of `runs` refusals of each kind and twice as many of the unknown one, in rounds of random order. */
async function refusals(lyceum: World, emails: Map<string, string>, runs: number, remoteAddress: string) {
  const times = new Map([...emails.keys()].map((kind) => [kind, [] as number[]]))
  const kinds = [...emails.keys(), 'unknown']
  for (let run = 0; run < runs; run++)
    for (const kind of shuffled(kinds)) {
      const { ms, status } = await timeOf(lyceum, emails.get(kind) ?? '', 'not the right one', remoteAddress)
      assert.equal(status, 401)
      times.get(kind)?.push(ms)
    }
  return times
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/**
 * The bound of the two-sample test: medians may differ by at most the interquartile range of the unknown account's runs,
 * or by 1 ms, the resolution of a timer, if that is more.
 */
function noiseOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  const quarter = Math.floor(sorted.length / 4)
  return Math.max(1, (sorted.at(-1 - quarter) ?? 0) - (sorted[quarter] ?? 0))
}

describe('the time of a refused sign-in', () => {
  test('reveals neither account nor password scheme', async () => {
    const lyceum = await buildWorld({ refusalTime: REFUSAL_MS })
    const emails = await people(lyceum)
    // The first use of a scheme measures its cost.
    await refusals(lyceum, emails, 1, '192.0.2.100')
    // Four lanes, each with its own client address, staggered by a quarter of the refusal time.
    const lanes = await Promise.all(
      [0, 1, 2, 3].map(async (lane) => {
        await wait((lane * REFUSAL_MS) / 4)
        return refusals(lyceum, emails, RUNS / 4, `192.0.2.${lane}`)
      }),
    )
    const timesOf = (kind: string) => lanes.flatMap((times) => times.get(kind) ?? [])
    const unknown = timesOf('unknown')
    assert.equal(unknown.length, 2 * RUNS)
    const bound = noiseOf(unknown)
    for (const [scheme] of SCHEMES) {
      const times = timesOf(scheme)
      assert.equal(times.length, RUNS)
      const difference = Math.abs(median(times) - median(unknown))
      assert.ok(difference <= bound, `${scheme}: ${difference.toFixed(2)} ms, bound ${bound.toFixed(2)} ms`)
    }
  })

  test('would reveal an imported password without held answers', async () => {
    const lyceum = await buildWorld({ refusalTime: 0 })
    const { user_id, email } = await aUser({ lyceum })
    const hash = await hashBcrypt(PASSWORD, { cost: 12 })
    await lyceum.db.pool`update sso.users set password_hash = ${hash} where user_id = ${user_id}`
    const emails = new Map([
      ['unknown', UNKNOWN],
      ['bcrypt', email],
    ])
    const times = await refusals(lyceum, emails, 10, '192.0.2.101')
    const unknown = times.get('unknown') ?? []
    assert.ok(median(times.get('bcrypt') ?? []) - median(unknown) > noiseOf(unknown))
  })

  test('does not apply to a right password', async () => {
    const lyceum = await buildWorld({ refusalTime: 5_000 })
    const { email, password } = await aUser({ lyceum })
    const { ms, status } = await timeOf(lyceum, email, password, '192.0.2.102')
    assert.equal(status, 200)
    assert.ok(ms < 5_000, `${ms}`)
  })
})

describe('every password check', () => {
  const HELD = 300
  const held = buildWorld({ refusalTime: HELD })
  const person = held.then((lyceum) => aUser({ lyceum }))

  const ways: Record<string, () => Promise<{ statusCode: number }>> = {
    'at the sso': async () =>
      (await held).sso.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers: (await homeSite(await held)).headers,
        payload: { email: UNKNOWN, password: 'wrong wrong' },
      }),
    'on the hosted page': async () =>
      aVisitor({ lyceum: await held }).submit('/sign-in', { name: UNKNOWN, password: 'wrong wrong' }),
    'at collections': async () =>
      (await held).collections.inject({
        method: 'POST',
        url: '/api/auth/login',
        payload: { email: UNKNOWN, password: 'wrong wrong' },
      }),
    'to change it': async () =>
      (await held).sso.inject({
        method: 'POST',
        url: '/api/v1/auth/password/change',
        headers: (await person).headers,
        payload: { current_password: 'wrong wrong', new_password: 'meadow lark 7731' },
      }),
    'to add a second factor': async () =>
      (await held).sso.inject({
        method: 'POST',
        url: '/api/v1/mfa/factors',
        headers: (await person).headers,
        payload: { type: 'totp', password: 'wrong wrong' },
      }),
  }
  for (const [where, ask] of Object.entries(ways))
    test(`holds back a refusal at ${where}`, async () => {
      await person
      const start = performance.now()
      const { statusCode } = await ask()
      const ms = performance.now() - start
      assert.ok(statusCode === 401 || statusCode === 403, `${statusCode}`)
      assert.ok(ms >= HELD - 2, `${ms}`)
    })

  test('occupies no connection or hash slot meanwhile', async () => {
    const lyceum = await buildWorld({ refusalTime: 2_000 })
    const { email, password } = await aUser({ lyceum })
    const refused = Array.from({ length: 50 }, (_, n) =>
      timeOf(lyceum, `nobody-${n}@example.org`, 'wrong wrong', `198.51.100.${n}`),
    )
    await eventually(() => lyceum.passwords.waiting() === 0)
    const { ms, status } = await timeOf(lyceum, email, password, '192.0.2.103')
    assert.equal(status, 200)
    assert.ok(ms < 1_200, `${ms}`)
    for (const each of await Promise.all(refused)) assert.ok(each.status === 401 && each.ms >= 1_998)
  })
})

describe('the started program', () => {
  const dataDir = newDataDir()
  after(() => removeDataDir(dataDir))

  test('holds refusals in real time and admits a class at once', async (t) => {
    const product = await startProduct(dataDir)
    try {
      const { email, password } = product.firstRun.admin
      const headers = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }
      const login = (body: object) => call(`${product.sso}/api/v1/auth/login`, { headers, body })
      for (const who of [email, UNKNOWN]) {
        const start = performance.now()
        assert.equal((await login({ email: who, password: 'wrong wrong' })).status, 401)
        const ms = performance.now() - start
        assert.ok(ms >= REFUSAL_MS - 2, `${who}: ${ms}`)
      }
      const pupils = Array.from({ length: 100 }, (_, n) => ({
        email: `pupil-${n}@example.org`,
        password: `meadow lark ${n}731`,
      }))
      for (const body of pupils)
        assert.equal((await call(`${product.sso}/api/v1/auth/register`, { headers, body })).status, 201)
      const start = performance.now()
      const replies = await Promise.all(pupils.map(login))
      t.diagnostic(`100 sign-ins at once took ${Math.round(performance.now() - start)} ms`)
      const refused = replies.filter(({ status }) => status !== 200).map(({ body }) => body['code'])
      assert.deepEqual(refused, [])
      assert.equal((await login({ email, password })).status, 200)
    } finally {
      await product.end()
    }
  })
})
