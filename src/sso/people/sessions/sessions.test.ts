import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

async function list(headers: Headers, query = '') {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/sessions${query}`, headers })
}
async function end(session_id: string, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ method: 'DELETE', url: `/api/v1/sessions/${session_id}`, headers })
}
const idsOf = (reply: Awaited<ReturnType<typeof list>>) =>
  reply.json().items.map(({ session_id }: { session_id: string }) => session_id)
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

describe('GET /api/v1/sessions', () => {
  test('lists only own sessions of all sites, newest first', async () => {
    const [anna, ben, site] = [await aUser(), await aUser(), await aSite()]
    const second = await signIn(anna)
    const third = await signIn(anna, { at: site })
    const reply = await list(anna.headers)
    assert.deepEqual(idsOf(reply), [third.session_id, second.session_id, anna.session_id])
    assert.deepEqual(
      reply
        .json()
        .items.map(({ site_code, current }: { site_code: string; current: boolean }) => [site_code, current]),
      [
        [site.site_code, false],
        ['learning', false],
        ['learning', true],
      ],
    )
    assert.ok(!reply.body.includes(ben.user_id))
    assert.ok(!reply.body.includes('login_id'))
  })

  test('pages with an exact total and is empty past the end', async () => {
    const anna = await aUser()
    for (let i = 0; i < 4; i++) await signIn(anna)
    const first = (await list(anna.headers, '?per_page=2')).json()
    assert.deepEqual([first.total, first.pages, first.items.length], [5, 3, 2])
    const last = (await list(anna.headers, '?per_page=2&page=3')).json()
    assert.deepEqual([last.total, last.items.length], [5, 1])
    assert.deepEqual((await list(anna.headers, '?per_page=2&page=4')).json().items, [])
  })

  test('distinguishes active, revoked and expired', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const [revoked, expired] = [await signIn(anna), await signIn(anna)]
    await end(revoked.session_id, anna.headers)
    await db.pool`update sso.sessions set expires_at = clock_timestamp() - interval '1 second' where session_id = ${expired.session_id}`
    const { headers } = await signIn(anna)
    assert.deepEqual(idsOf(await list(headers, '?status=revoked')), [revoked.session_id])
    assert.deepEqual(idsOf(await list(headers, '?status=expired')), [expired.session_id])
    const ids = idsOf(await list(headers))
    assert.ok(
      ids.includes(anna.session_id) && !ids.includes(revoked.session_id) && !ids.includes(expired.session_id),
    )
    const all = (await list(headers, '?status=all')).json()
    assert.equal(all.total, 4)
    const ended = all.items.find(
      ({ session_id }: { session_id: string }) => session_id === revoked.session_id,
    )
    assert.equal(ended.status, 'revoked')
    assert.equal(ended.revoke_reason, 'user_revoked')
    assert.match(ended.revoked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  for (const query of [
    '?per_page=0',
    '?per_page=101',
    '?page=0',
    '?page=x',
    '?status=dead',
    '?page=1&page=2',
  ]) {
    test(`refuses ${query} with 422`, async () => {
      assert.equal((await list((await aUser()).headers, query)).statusCode, 422)
    })
  }

  test('needs a token, not a site key', async () => {
    assert.equal((await list({})).statusCode, 401)
    assert.equal((await list((await aSite()).headers)).statusCode, 401)
    assert.equal((await list({ authorization: 'Basic YTpi' })).statusCode, 401)
  })
})

describe('DELETE /api/v1/sessions/{session_id}', () => {
  test('kills every access token of the person; a repeat is 404', async () => {
    const anna = await aUser()
    const other = await signIn(anna)
    const reply = await end(other.session_id, anna.headers)
    assert.equal(reply.statusCode, 204)
    assert.equal(reply.body, '')
    assert.equal((await list(anna.headers)).statusCode, 401)
    assert.equal((await list(other.headers)).statusCode, 401)
    const { headers } = await signIn(anna)
    assert.equal((await end(other.session_id, headers)).statusCode, 404)
    assert.equal((await list(headers)).statusCode, 200, 'the repeat bumped nothing')
  })

  test('succeeds once for twenty concurrent calls', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const replies = await Promise.all(Array.from({ length: 20 }, () => end(anna.session_id, anna.headers)))
    assert.equal(replies.filter((reply) => reply.statusCode === 204).length, 1)
    const [user] = await db.fast`select session_version from sso.users where user_id = ${anna.user_id}`
    assert.deepEqual(user, { session_version: 2 })
  })

  test("lets the ADMIN of a site end a member's session", async () => {
    const admin = await anAdmin()
    const member = await aColleague(admin)
    assert.equal((await end(member.session_id, admin.headers)).statusCode, 204)
    assert.equal((await list(member.headers)).statusCode, 401)
    assert.equal((await list(admin.headers)).statusCode, 200)
    const { headers } = await signIn(member, { at: admin.site })
    assert.equal((await list(headers, '?status=revoked')).json().items[0].revoke_reason, 'admin_revoked')
  })

  test('answers foreign, unknown and malformed ids alike and ends nothing', async () => {
    const [anna, ben, admin] = [await aUser(), await aUser(), await anAdmin()]
    const sandbox = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: sandbox })
    // The ADMIN of another tenant, a plain colleague, and a sandbox token are strangers alike.
    for (const stranger of [admin, anna, tester]) {
      const replies = [
        await end(ben.session_id, stranger.headers),
        await end(randomUUID(), stranger.headers),
        await end('not-an-id', stranger.headers),
      ]
      for (const reply of replies) {
        assert.equal(reply.statusCode, 404)
        assert.deepEqual(withoutId(reply.body), withoutId(replies[0]?.body ?? ''))
      }
    }
    assert.equal((await list(ben.headers)).statusCode, 200)
  })

  test('hides sessions on other sites from an ADMIN', async () => {
    const admin = await anAdmin()
    const member = await aColleague(admin)
    const elsewhere = await signIn(member, { at: await aSite() })
    assert.equal((await end(elsewhere.session_id, admin.headers)).statusCode, 404)
    assert.equal((await list(elsewhere.headers)).statusCode, 200)
  })

  test('needs a token', async () => {
    const anna = await aUser()
    assert.equal((await end(anna.session_id, {})).statusCode, 401)
    assert.equal((await list(anna.headers)).statusCode, 200)
  })
})
