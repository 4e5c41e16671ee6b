import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { withoutRequestId } from '#testing/hostile.ts'
import { challenge, giveTotp } from '#testing/mfa.ts'
import { aColleague, aSite, aUser, anAdmin, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()

const reset = (headers: Headers, user_id: string, payload?: object) =>
  sso.inject({
    method: 'DELETE',
    url: `/api/v1/users/${user_id}/mfa`,
    headers,
    ...(payload && { payload }),
  })
const factorsOf = async (user_id: string) =>
  (await db.fast`select from sso.mfa_factors where user_id = ${user_id}`).length

describe('DELETE /api/v1/users/{user_id}/mfa', () => {
  test('removes all factors and sessions of a member and notifies them', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const totp = await giveTotp(anna)
    const { mfa_token } = await challenge(anna, admin.site.headers)
    assert.equal((await reset(admin.headers, anna.user_id)).statusCode, 204)

    assert.equal(await factorsOf(anna.user_id), 0)
    const verify = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/mfa/verify',
      headers: admin.site.headers,
      payload: { mfa_token, code: totp.code() },
    })
    assert.equal(verify.json().code, 'mfa_token_invalid')
    assert.equal((await sso.inject({ url: '/api/v1/sessions', headers: anna.headers })).statusCode, 401)
    const live = await db.fast`
      select from sso.sessions where user_id = ${anna.user_id} and revoked_at is null`
    assert.equal(live.length, 0)
    const mails = await db.fast<{ recipient: string }[]>`
      select recipient from sso.messages where user_id = ${anna.user_id} and kind = 'factor_removed_notice'`
    assert.deepEqual([...mails], [{ recipient: anna.email }])
    const acts = await db.fast<{ actor_user_id: string }[]>`
      select actor_user_id from sso.audit_log where subject_user_id = ${anna.user_id} and action = 'mfa.reset'`
    assert.deepEqual([...acts], [{ actor_user_id: admin.user_id }])
    await signIn(anna, { at: admin.site })
  })

  test('answers 204 again and changes nothing', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    for (let i = 0; i < 2; i++) assert.equal((await reset(admin.headers, anna.user_id)).statusCode, 204)
    assert.equal((await sso.inject({ url: '/api/v1/sessions', headers: anna.headers })).statusCode, 200)
  })

  test('answers 403 for shared people, 404 for invisible ones', async () => {
    const [admin, elsewhere, stranger] = [await anAdmin(), await aSite(), await aUser()]
    const shared = await aColleague(admin)
    await giveTotp(shared)
    await giveTotp(stranger)
    await db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${shared.user_id}, ${elsewhere.site_id}, 'USER')`
    const refused = await reset(admin.headers, shared.user_id)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'user_shared'])
    assert.equal(await factorsOf(shared.user_id), 1)
    const [foreign, unknown] = [
      await reset(admin.headers, stranger.user_id),
      await reset(admin.headers, newId()),
    ]
    assert.equal(foreign.statusCode, 404)
    assert.equal(withoutRequestId(foreign), withoutRequestId(unknown))
    assert.equal(await factorsOf(stranger.user_id), 1)
  })

  test('refuses members, oneself and missing tokens', async () => {
    const admin = await anAdmin()
    const [anna, ben] = [await aColleague(admin), await aColleague(admin)]
    assert.equal((await reset(ben.headers, anna.user_id)).statusCode, 403)
    const self = await reset(admin.headers, admin.user_id)
    assert.deepEqual([self.statusCode, self.json().code], [409, 'own_factors'])
    assert.equal((await reset({}, anna.user_id)).statusCode, 401)
  })

  test('needs the password of an ADMIN signed in long ago', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    await giveTotp(anna)
    await db.pool`
      update sso.sessions set proven_at = clock_timestamp() - interval '1 hour'
       where session_id = ${admin.session_id}`
    assert.equal((await reset(admin.headers, anna.user_id)).statusCode, 403)
    assert.equal(await factorsOf(anna.user_id), 1)
    const { password } = admin
    assert.equal((await reset(admin.headers, anna.user_id, { password })).statusCode, 204)
  })
})
