import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  aColleague,
  anAdmin,
  anOperator,
  aSite,
  aUser,
  type Headers,
  homeSite,
  signIn,
} from '#testing/people.ts'
import { world } from '#testing/world.ts'

async function call(method: 'GET' | 'DELETE', url: string, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ method, url, headers })
}
const endAll = (headers: Headers, query = '') => call('DELETE', `/api/v1/sessions${query}`, headers)
const endAllOf = (user_id: string, headers: Headers) =>
  call('DELETE', `/api/v1/users/${user_id}/sessions`, headers)
const isSignedIn = async (headers: Headers) =>
  (await call('GET', '/api/v1/sessions', headers)).statusCode === 200

async function refresh(refresh_token: string, at?: { headers: Headers }) {
  const [{ sso }, site] = [await world(), at ?? (await homeSite())]
  return sso.inject({
    method: 'POST',
    url: '/api/v1/auth/refresh',
    headers: site.headers,
    payload: { refresh_token },
  })
}

async function reasonsOf(user_id: string) {
  const { db } = await world()
  const sessions = await db.fast<{ revoke_reason: string | null }[]>`
    select revoke_reason from sso.sessions where user_id = ${user_id} order by session_id`
  return sessions.map(({ revoke_reason }) => revoke_reason)
}
async function versionOf(user_id: string) {
  const { db } = await world()
  const [user] = await db.fast<{ session_version: number }[]>`
    select session_version from sso.users where user_id = ${user_id}`
  return user?.session_version
}
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

describe('DELETE /api/v1/sessions', () => {
  test('ends all sessions of the caller on all sites', async () => {
    const [anna, ben, site] = [await aUser(), await aUser(), await aSite()]
    const second = await signIn(anna, { at: site })
    assert.equal((await endAll(anna.headers)).statusCode, 204)
    assert.deepEqual(await reasonsOf(anna.user_id), ['logout_everywhere', 'logout_everywhere'])
    for (const { headers } of [anna, second]) assert.equal(await isSignedIn(headers), false)
    assert.equal((await refresh(anna.refresh_token)).statusCode, 401)
    assert.equal((await refresh(second.refresh_token, site)).statusCode, 401)
    assert.equal(await isSignedIn(ben.headers), true)
    assert.equal((await endAll(anna.headers)).statusCode, 401, 'the token is as dead as the session')
  })

  test('keeps the current session with except_current', async () => {
    const anna = await aUser()
    const others = [await signIn(anna), await signIn(anna)]
    assert.equal((await endAll(anna.headers, '?except_current=true')).statusCode, 204)
    assert.deepEqual(await reasonsOf(anna.user_id), [null, 'user_revoked', 'user_revoked'])
    for (const other of others) assert.equal((await refresh(other.refresh_token)).statusCode, 401)
    assert.equal(await isSignedIn(anna.headers), false)
    const { access_token } = (await refresh(anna.refresh_token)).json()
    const headers = { authorization: `Bearer ${access_token}` }
    const before = await versionOf(anna.user_id)
    assert.equal((await endAll(headers, '?except_current=true')).statusCode, 204)
    assert.equal(await versionOf(anna.user_id), before, 'a repeat bumps nothing')
    assert.equal(await isSignedIn(headers), true)
  })

  test('raises the version once for fifty concurrent calls', async () => {
    const anna = await aUser()
    await signIn(anna)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => endAll(anna.headers, '?except_current=true')),
    )
    assert.ok(replies.every(({ statusCode }) => statusCode === 204 || statusCode === 401))
    assert.equal(await versionOf(anna.user_id), 2)
  })

  test('audits at each site only its own sessions', async () => {
    const [anna, site, { db }] = [await aUser(), await aSite(), await world()]
    const there = await signIn(anna, { at: site })
    await endAll(anna.headers)
    const lines = await db.fast<{ site_id: string; details: { session_ids: string[] } }[]>`
      select site_id, details from sso.audit_log
       where subject_user_id = ${anna.user_id} and action = 'session.revoked' order by audit_id`
    const home = await homeSite()
    assert.deepEqual(
      new Map(lines.map(({ site_id, details }) => [site_id, details.session_ids])),
      new Map([
        [home.site_id, [anna.session_id]],
        [site.site_id, [there.session_id]],
      ]),
    )
  })

  test('needs a token and a boolean', async () => {
    const anna = await aUser()
    assert.equal((await endAll({})).statusCode, 401)
    assert.equal((await endAll((await aSite()).headers)).statusCode, 401)
    assert.equal((await endAll(anna.headers, '?except_current=maybe')).statusCode, 422)
    assert.equal(await isSignedIn(anna.headers), true)
  })
})

describe('DELETE /api/v1/users/{user_id}/sessions', () => {
  test("ends sessions at the ADMIN's sites only, once", async () => {
    const admin = await anAdmin()
    const member = await aColleague(admin)
    const elsewhere = await signIn(member)
    assert.equal((await endAllOf(member.user_id, admin.headers)).statusCode, 204)
    assert.deepEqual(await reasonsOf(member.user_id), ['admin_revoked', null])
    assert.equal((await refresh(member.refresh_token, admin.site)).statusCode, 401)
    assert.equal((await refresh(elsewhere.refresh_token)).statusCode, 200)
    assert.equal((await endAllOf(member.user_id, admin.headers)).statusCode, 204)
    assert.equal(await versionOf(member.user_id), 2)
  })

  test('lets an operator end all sessions of anybody', async () => {
    const [operator, anna, site] = [await anOperator(), await aUser(), await aSite()]
    await signIn(anna, { at: site })
    assert.equal((await endAllOf(anna.user_id, operator.headers)).statusCode, 204)
    assert.deepEqual(await reasonsOf(anna.user_id), ['admin_revoked', 'admin_revoked'])
    assert.equal((await endAllOf(randomUUID(), operator.headers)).statusCode, 404)
  })

  test('lets the production ADMIN of a sandbox site do so', async () => {
    const sandbox = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: sandbox })
    assert.equal((await endAllOf(tester.user_id, sandbox.owner.headers)).statusCode, 204)
    assert.equal(await isSignedIn(tester.headers), false)
  })

  test('answers strangers, unknown and malformed ids alike and ends nothing', async () => {
    const [admin, anna] = [await anAdmin(), await aUser()]
    const colleague = await aColleague(admin)
    for (const [caller, user_id, status] of [
      [admin, anna.user_id, 404],
      [colleague, admin.user_id, 403],
      [anna, colleague.user_id, 404],
      [anna, anna.user_id, 404],
    ] as const) {
      const replies = [
        await endAllOf(user_id, caller.headers),
        await endAllOf(randomUUID(), caller.headers),
        await endAllOf('1', caller.headers),
      ]
      for (const reply of replies) {
        assert.equal(reply.statusCode, status)
        assert.deepEqual(withoutId(reply.body), withoutId(replies[0]?.body ?? ''))
      }
    }
    assert.equal(await isSignedIn(anna.headers), true)
  })

  test('needs a token', async () => {
    const anna = await aUser()
    assert.equal((await endAllOf(anna.user_id, {})).statusCode, 401)
    assert.equal(await isSignedIn(anna.headers), true)
  })
})
