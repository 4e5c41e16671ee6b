import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aUser } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

describe('the limits of collections', () => {
  test('admit a person as often as the setting says', async () => {
    const lyceum = await buildWorld({ env: { COLLECTIONS_RATE_LIMIT: '5' } })
    const [anna, ben] = [await aUser({ lyceum }), await aUser({ lyceum })]
    const me = (headers: Record<string, string>) =>
      lyceum.collections.inject({ url: '/api/auth/me', headers })
    for (let call = 0; call < 5; call++) assert.equal((await me(anna.headers)).statusCode, 200)
    const refused = await me(anna.headers)
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.json().code, 'rate_limited')
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    assert.equal((await me(ben.headers)).statusCode, 200)
  })

  test('admit ten sign-ins a minute and a hundred wrong tokens', async () => {
    const lyceum = await buildWorld({ env: { COLLECTIONS_RATE_LIMIT: '5' } })
    const login = (remoteAddress: string) =>
      lyceum.collections.inject({
        method: 'POST',
        url: '/api/auth/login',
        remoteAddress,
        payload: { email: 'nobody@example.org', password: 'wrong' },
      })
    for (let call = 0; call < 10; call++) assert.equal((await login('203.0.113.1')).statusCode, 401)
    assert.equal((await login('203.0.113.1')).statusCode, 429)
    assert.equal((await login('203.0.113.2')).statusCode, 401)
    const guess = () =>
      lyceum.collections.inject({
        url: '/api/auth/me',
        remoteAddress: '203.0.113.3',
        headers: { authorization: 'Bearer lyc_guess' },
      })
    for (let call = 0; call < 100; call++) assert.equal((await guess()).statusCode, 401)
    assert.equal((await guess()).statusCode, 429)
  })

  test('are off with COLLECTIONS_RATE_LIMIT=0', async () => {
    const { collections } = await buildWorld({ env: { COLLECTIONS_RATE_LIMIT: '0' } })
    for (let call = 0; call < 150; call++) {
      const reply = await collections.inject({
        url: '/api/auth/me',
        headers: { authorization: 'Bearer lyc_guess' },
      })
      assert.equal(reply.statusCode, 401)
      assert.equal(reply.headers['ratelimit'], undefined)
    }
  })
})
