import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { jwtVerify } from 'jose'
import { aColleague, anAdmin, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

async function rotate(site_id: string, headers: Headers, payload: object = {}) {
  const { sso } = await world()
  return sso.inject({ method: 'POST', url: `/api/v1/sites/${site_id}/jwt-secret/rotate`, headers, payload })
}
async function isSignedIn({ headers }: { headers: Headers }) {
  const { sso } = await world()
  return (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode === 200
}
const isSignedWith = (token: string, jwt_secret: string) =>
  jwtVerify(token, Buffer.from(jwt_secret, 'base64url')).then(
    () => true,
    () => false,
  )

describe('POST /api/v1/sites/{site_id}/jwt-secret/rotate', () => {
  test('signs with the new secret and accepts the old', async () => {
    const { owner, ...site } = await aSite()
    const anna = await aUser({ at: site })
    assert.equal(await isSignedIn(anna), true)
    const reply = await rotate(site.site_id, owner.headers)
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['cache-control'], 'no-store')
    const { jwt_secret, old_valid_until } = reply.json()
    const minutes = (Date.parse(old_valid_until) - Date.now()) / 60_000
    assert.ok(minutes > 30.5 && minutes <= 31.1, old_valid_until)
    const fresh = await signIn(anna, { at: site })
    assert.equal(await isSignedWith(fresh.access_token, jwt_secret), true)
    assert.equal(await isSignedWith(anna.access_token, jwt_secret), false)
    assert.deepEqual([await isSignedIn(anna), await isSignedIn(fresh)], [true, true])
  })

  test('refuses the old secret after 31 minutes', async () => {
    const [{ owner, ...site }, { db }] = [await aSite(), await world()]
    const anna = await aUser({ at: site })
    await rotate(site.site_id, owner.headers)
    await db.pool`
      update sso.sites set hs_rotated_at = hs_rotated_at - interval '31 minutes' where site_id = ${site.site_id}`
    assert.equal(await isSignedIn(anna), false)
    assert.equal(await isSignedIn(await signIn(anna, { at: site })), true)
  })

  test('revoke_old refuses the old secret of this site at once', async () => {
    const { owner, ...site } = await aSite()
    const [anna, ben] = [await aUser({ at: site }), await aUser()]
    const { old_valid_until } = (await rotate(site.site_id, owner.headers, { revoke_old: true })).json()
    assert.equal(old_valid_until, null)
    assert.deepEqual(
      [await isSignedIn(anna), await isSignedIn(ben), await isSignedIn(owner)],
      [false, true, true],
    )
    const { sso } = await world()
    const refreshed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: site.headers,
      payload: { refresh_token: anna.refresh_token },
    })
    assert.equal(refreshed.statusCode, 200, 'the session itself goes on')
  })

  test('happens once for fifty concurrent calls', async () => {
    const { owner, ...site } = await aSite()
    const anna = await aUser({ at: site })
    const replies = await Promise.all(Array.from({ length: 50 }, () => rotate(site.site_id, owner.headers)))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(replies.filter((reply) => reply.json().code === 'rotation_running').length, 49)
    assert.equal(await isSignedIn(anna), true)
    assert.equal((await rotate(site.site_id, owner.headers, { revoke_old: true })).statusCode, 200)
    assert.equal(await isSignedIn(anna), false)
  })

  test('is for the ADMIN: 401, 403, 404, and 422 otherwise', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const member = await aColleague(admin)
    const { site_id } = admin.site
    assert.equal((await rotate(site_id, {})).statusCode, 401)
    assert.equal((await rotate(site_id, admin.site.headers)).statusCode, 401)
    assert.equal((await rotate(site_id, member.headers)).statusCode, 403)
    assert.equal((await rotate(site_id, stranger.headers)).statusCode, 404)
    assert.equal((await rotate(randomUUID(), admin.headers)).statusCode, 404)
    assert.equal((await rotate(site_id, admin.headers, { revoke_old: 'yes' })).statusCode, 422)
    assert.equal(await isSignedIn(admin), true)
  })

  test('is audited without the secret', async () => {
    const [{ owner, site_id }, { db }] = [await aSite(), await world()]
    const { jwt_secret } = (await rotate(site_id, owner.headers)).json()
    const lines = await db.fast`
      select details from sso.audit_log where site_id = ${site_id} and action = 'jwt_secret.rotated'`
    assert.deepEqual([...lines], [{ details: { revoke_old: false } }])
    assert.ok(!JSON.stringify(lines).includes(jwt_secret))
  })
})
