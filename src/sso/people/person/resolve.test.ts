import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aSite, aUser, type Headers, homeSite } from '#testing/people.ts'
import { world } from '#testing/world.ts'

async function resolve(payload: object, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ method: 'POST', url: '/api/v1/users/resolve', headers, payload })
}

describe('POST /api/v1/users/resolve', () => {
  test('resolves people of one tenant for a first-party site', async () => {
    const [home, foreign, { db }] = [await homeSite(), await aSite(), await world()]
    const [anna, ben] = [await aUser(), await aUser({ at: foreign })]
    await db.pool`
      insert into sso.mfa_factors (factor_id, user_id, type, secret_enc, activated_at)
      values (${randomUUID()}, ${anna.user_id}, 'totp', '', clock_timestamp())`
    const reply = await resolve(
      { tenant_id: home.tenant_id, user_ids: [ben.user_id, randomUUID(), anna.user_id] },
      home.headers,
    )
    assert.equal(reply.statusCode, 200, reply.body)
    const [profile] = reply.json()
    assert.deepEqual(reply.json(), [
      {
        user_id: anna.user_id,
        display_name: null,
        email: anna.email,
        email_verified: false,
        mfa_enabled: true,
        status: 'active',
        role: 'USER',
        created_at: profile.created_at,
        last_login_at: profile.last_login_at,
      },
    ])
    const theirs = await resolve({ tenant_id: foreign.tenant_id, user_ids: [ben.user_id] }, home.headers)
    assert.equal(theirs.json()[0].user_id, ben.user_id)
  })

  test('shows no role of somebody suspended at every site', async () => {
    const [home, anna, { db }] = [await homeSite(), await aUser(), await world()]
    await db.pool`
      update sso.memberships set suspended_at = clock_timestamp() where user_id = ${anna.user_id}`
    const reply = await resolve({ tenant_id: home.tenant_id, user_ids: [anna.user_id] }, home.headers)
    const [profile] = reply.json()
    assert.deepEqual([profile.user_id, profile.role], [anna.user_id, null])
  })

  test('refuses partner sites and missing site keys', async () => {
    const [partner, home, anna] = [await aSite(), await homeSite(), await aUser()]
    const body = { tenant_id: home.tenant_id, user_ids: [anna.user_id] }
    const reply = await resolve(body, partner.headers)
    assert.equal(reply.statusCode, 403)
    assert.ok(!reply.body.includes(anna.email))
    assert.equal((await resolve(body, {})).statusCode, 401)
    assert.equal((await resolve(body, anna.headers)).statusCode, 401)
  })

  for (const [what, body, status] of [
    ['no tenant', { user_ids: [] }, 400],
    ['no ids', { tenant_id: randomUUID() }, 400],
    ['an id that is none', { tenant_id: randomUUID(), user_ids: ['x'] }, 422],
    ['101 ids', { tenant_id: randomUUID(), user_ids: Array.from({ length: 101 }, () => randomUUID()) }, 422],
  ] as const)
    test(`refuses ${what} with ${status}`, async () => {
      assert.equal((await resolve(body, (await homeSite()).headers)).statusCode, status)
    })
})
