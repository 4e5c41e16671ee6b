import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aUser, homeSite } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const lyceum = await world()
const { sso, collections, passwords, db } = lyceum
const site = await homeSite()
const person = await aUser()
const invited = await aUser()
await db.pool`update sso.users set password_hash = null where user_id = ${invited.user_id}`
const suspended = await aUser()
await db.pool`update sso.users set status = 'suspended' where user_id = ${suspended.user_id}`
const named = await aUser()
await db.pool`
  update sso.users set username = 'Same.Work', username_fold = 'same.work' where user_id = ${named.user_id}`

type Words = { email?: string; username?: string; password: string }
const CASES: [what: string, words: Words][] = [
  ['an unknown address', { email: 'nobody@example.org', password: 'not the right one' }],
  ['an unknown name', { username: 'nobody', password: 'not the right one' }],
  ['a known address and a wrong password', { email: person.email, password: 'not the right one' }],
  ['a known name and a wrong password', { username: 'same.work', password: 'not the right one' }],
  ['a known address and an empty password', { email: person.email, password: '' }],
  ['an unknown address and an empty password', { email: 'nobody@example.org', password: '' }],
  ['an account without a password', { email: invited.email, password: 'not the right one' }],
  ['a suspended account and a wrong password', { email: suspended.email, password: 'not the right one' }],
]

/** The visible reply, without the parts that differ with every request. */
function face({ statusCode, headers, body }: Awaited<ReturnType<typeof sso.inject>>) {
  const { 'x-request-id': _, date: __, ...rest } = headers
  return { statusCode, headers: rest, body: body.replace(/"request_id":"[^"]+"/, '') }
}

describe('a refused sign-in', () => {
  const ways = {
    'at the sso': (payload: Words) =>
      sso.inject({ method: 'POST', url: '/api/v1/auth/login', headers: site.headers, payload }),
    'at collections': ({ email, password }: Words) =>
      collections.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password } }),
  }
  for (const [where, signIn] of Object.entries(ways)) {
    const cases = CASES.filter(([, { email }]) => where === 'at the sso' || email !== undefined)
    for (const [what, words] of cases)
      test(`${where} costs one hash with ${what}, like all others`, async () => {
        const before = passwords.hashCalls()
        const reply = await signIn(words)
        assert.equal(passwords.hashCalls() - before, 1)
        const other = await signIn({ email: 'somebody-else@example.org', password: 'another wrong one' })
        assert.equal(reply.statusCode, 401)
        assert.deepEqual(face(reply), face(other))
      })
    test(`${where} costs as much as a correct one`, async () => {
      const before = passwords.hashCalls()
      const reply = await signIn({ email: person.email, password: person.password })
      assert.equal(reply.statusCode, 200)
      assert.equal(passwords.hashCalls() - before, 1)
    })
  }

  test('ends in the same throttling with or without account', async () => {
    const limited = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '1000' } })
    const { headers } = await homeSite(limited)
    const known = await aUser({ lyceum: limited })
    const faces = []
    for (const email of [known.email, 'nobody@example.org']) {
      const guess = () =>
        limited.sso.inject({
          method: 'POST',
          url: '/api/v1/auth/login',
          headers,
          payload: { email, password: 'not the right one' },
        })
      for (let n = 0; n < 5; n++) assert.equal((await guess()).statusCode, 401)
      const before = limited.passwords.hashCalls()
      const refused = await guess()
      assert.deepEqual([refused.statusCode, refused.json().code], [429, 'too_many_attempts'])
      assert.equal(refused.headers['retry-after'], '1')
      assert.equal(limited.passwords.hashCalls(), before)
      const { headers: shown, ...rest } = face(refused)
      const { ratelimit: _, ...same } = shown
      faces.push({ ...rest, same })
    }
    assert.deepEqual(faces[0], faces[1])
  })

  test('checks five of fifty concurrent guesses and throttles 45', async () => {
    const limited = await buildWorld({ env: { SSO_RATE_LIMIT_AUTH: '1000' } })
    const { headers } = await homeSite(limited)
    const known = await aUser({ lyceum: limited })
    const before = limited.passwords.hashCalls()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        limited.sso.inject({
          method: 'POST',
          url: '/api/v1/auth/login',
          headers,
          payload: { email: known.email, password: 'not the right one' },
        }),
      ),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 401).length, 5)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 429).length, 45)
    assert.equal(limited.passwords.hashCalls() - before, 5)
  })
})
