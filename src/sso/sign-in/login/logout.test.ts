import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMetrics } from '#foundation/metrics.ts'
import { aSite, aUser, homeSite, signIn } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'
import { createSso } from '../../index.ts'

async function logout(payload: object, headers: Record<string, string> = {}) {
  const { sso } = await world()
  const site = (await homeSite()).headers
  return sso.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: { ...site, ...headers }, payload })
}
async function statusOf(headers: Record<string, string>) {
  const { sso } = await world()
  return (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode
}

describe('POST /api/v1/auth/logout', () => {
  test('ends its session and kills every access token', async () => {
    const anna = await aUser()
    const [other, ben] = [await signIn(anna), await aUser()]
    const reply = await logout({ refresh_token: anna.refresh_token })
    assert.equal(reply.statusCode, 200)
    assert.deepEqual(reply.json(), { revoked: true, session_id: anna.session_id, session_version: 2 })
    assert.equal(await statusOf(anna.headers), 401)
    assert.equal(await statusOf(other.headers), 401)
    assert.equal(await statusOf(ben.headers), 200)
    const { sso } = await world()
    const refreshed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: (await homeSite()).headers,
      payload: { refresh_token: other.refresh_token },
    })
    assert.equal(refreshed.statusCode, 200)
    assert.equal(await statusOf({ authorization: `Bearer ${refreshed.json().access_token}` }), 200)
  })

  test('answers repeats alike, and raises the version once', async () => {
    const anna = await aUser()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => logout({ refresh_token: anna.refresh_token })),
    )
    for (const reply of replies)
      assert.deepEqual(reply.json(), { revoked: true, session_id: anna.session_id, session_version: 2 })
  })

  test('accepts an access token instead, also a stale one', async () => {
    const anna = await aUser()
    const other = await signIn(anna)
    assert.equal((await logout({}, anna.headers)).json().session_id, anna.session_id)
    const reply = await logout({}, other.headers)
    assert.deepEqual(reply.json(), { revoked: true, session_id: other.session_id, session_version: 3 })
  })

  test('needs no body beside an access token', async () => {
    const anna = await aUser()
    const { sso } = await world()
    const headers = { ...(await homeSite()).headers, ...anna.headers }
    const reply = await sso.inject({ method: 'POST', url: '/api/v1/auth/logout', headers })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.json().session_id, anna.session_id)
    assert.equal(await statusOf(anna.headers), 401)
  })

  test('ends all sessions of the person with everywhere', async () => {
    const [anna, site] = [await aUser(), await aSite()]
    const [other, elsewhere] = [await signIn(anna), await signIn(anna, { at: site })]
    assert.equal((await logout({ refresh_token: anna.refresh_token, everywhere: true })).statusCode, 200)
    const { db } = await world()
    const sessions = await db.fast<{ revoke_reason: string; session_id: string }[]>`
      select session_id, revoke_reason from sso.sessions where user_id = ${anna.user_id}`
    assert.deepEqual(
      new Set(sessions.map(({ session_id }) => session_id)),
      new Set([anna.session_id, other.session_id, elsewhere.session_id]),
    )
    assert.deepEqual(
      new Set(sessions.map(({ revoke_reason }) => revoke_reason)),
      new Set(['logout_everywhere']),
    )
  })

  test('refuses tokens of another site and ends nothing', async () => {
    const [site, sandbox] = [await aSite(), await aSite({ environment: 'sandbox' })]
    for (const at of [site, sandbox]) {
      const person = await aUser({ at })
      assert.equal((await logout({ refresh_token: person.refresh_token })).statusCode, 401)
      assert.equal((await logout({}, person.headers)).statusCode, 401)
      assert.equal(await statusOf(person.headers), 200)
    }
  })

  for (const [name, payload, headers, status] of [
    ['no token at all', {}, {}, 400],
    ['an unknown refresh token', { refresh_token: 'rt_x' }, {}, 401],
    ['a broken access token', {}, { authorization: 'Bearer a.b.c' }, 401],
    ['a text for everywhere', { refresh_token: 'rt_x', everywhere: 'yes' }, {}, 422],
  ] as const) {
    test(`answers ${name} with ${status}`, async () => {
      assert.equal((await logout(payload, headers)).statusCode, status)
    })
  }

  test('needs a site key', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    const payload = { refresh_token: anna.refresh_token }
    assert.equal((await sso.inject({ method: 'POST', url: '/api/v1/auth/logout', payload })).statusCode, 401)
    assert.equal(await statusOf(anna.headers), 200)
  })

  test('takes effect on every node at once', async () => {
    const lyceum = await buildWorld()
    const second = await createSso(
      { ...lyceum.parts, metrics: createMetrics() },
      { passwords: lyceum.passwords },
    )
    try {
      const anna = await aUser({ lyceum })
      const ask = () => second.app.inject({ url: '/api/v1/sessions', headers: anna.headers })
      assert.equal((await ask()).statusCode, 200)
      const { headers } = await homeSite(lyceum)
      const payload = { refresh_token: anna.refresh_token }
      const reply = await lyceum.sso.inject({ method: 'POST', url: '/api/v1/auth/logout', headers, payload })
      assert.equal(reply.statusCode, 200)
      assert.equal((await ask()).statusCode, 401)
    } finally {
      await second.close()
    }
  })
})
