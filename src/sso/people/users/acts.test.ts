import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aColleague,
  anAdmin,
  anOperator,
  aUser,
  type Headers,
  homeSite,
  nobody,
  signIn,
} from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { sso, db } = await world()

const act = (headers: Headers, payload: object) =>
  sso.inject({ method: 'POST', url: '/api/v1/users/acts', headers, payload })
async function acted(headers: Headers, payload: object) {
  const reply = await act(headers, payload)
  assert.equal(reply.statusCode, 200, reply.body)
  return (reply.json() as { items: { user_id: string; code: string | null; detail: string | null }[] }).items
}
const codesOf = async (headers: Headers, payload: object) =>
  (await acted(headers, payload)).map(({ code }) => code)
const isSignedIn = async ({ headers }: { headers: Headers }) =>
  (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode === 200
const linesAbout = (user_ids: string[]) => db.pool<{ action: string; actor_user_id: string }[]>`
  select action, actor_user_id, subject_user_id from sso.audit_log
   where subject_user_id = any(${user_ids}::uuid[]) and action in ('user.updated', 'session.revoked')`

describe('POST /api/v1/users/acts', () => {
  test("suspends accounts that are the caller's alone, each on record once", async () => {
    const admin = await anAdmin()
    const people = [await aColleague(admin), await aColleague(admin), await aColleague(admin)]
    const user_ids = people.map(({ user_id }) => user_id)
    const [one = '', ...others] = user_ids
    for (let repeat = 0; repeat < 2; repeat++)
      assert.deepEqual(await codesOf(admin.headers, { act: 'suspend', user_ids: [one, ...others] }), [
        null,
        null,
        null,
      ])
    for (const person of people) assert.equal(await isSignedIn(person), false)
    const lines = await linesAbout(user_ids)
    assert.equal(lines.filter(({ action }) => action === 'user.updated').length, 3)
    assert.ok(lines.every(({ actor_user_id }) => actor_user_id === admin.user_id))
    const states = await db.pool`select status from sso.users where user_id = any(${user_ids}::uuid[])`
    assert.deepEqual(new Set(states.map((row) => row['status'])), new Set(['suspended']))
  })

  test('refuses one person and acts on the others, in the order asked', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    const [anna, stranger] = [await aColleague(admin), await aColleague(other)]
    const shared = await aUser()
    await signIn(shared, { at: admin.site })
    const user_ids = [shared, stranger, admin, anna].map(({ user_id }) => user_id)
    const items = await acted(admin.headers, { act: 'suspend', user_ids })
    assert.deepEqual(
      items.map(({ user_id, code }) => [user_id, code]),
      user_ids.map((user_id, i) => [user_id, ['user_shared', 'not_found', 'oneself', null][i]]),
    )
    assert.ok(items.slice(0, 3).every(({ detail }) => detail && detail.length > 5))
    assert.deepEqual(
      [await isSignedIn(stranger), await isSignedIn(admin), await isSignedIn(anna)],
      [true, true, false],
    )
  })

  test('suspends shared people at one site, and leaves them the others', async () => {
    const admin = await anAdmin()
    const shared = await aUser()
    const here = await signIn(shared, { at: admin.site })
    const payload = { act: 'suspend', user_ids: [shared.user_id], site_code: admin.site_code }
    assert.deepEqual(await codesOf(admin.headers, payload), [null])
    const [member] = await db.pool`
      select m.suspended_at is not null as is_suspended, u.status from sso.memberships m join sso.users u using (user_id)
       where m.user_id = ${shared.user_id} and m.site_id = ${admin.site.site_id}`
    assert.deepEqual({ ...member }, { is_suspended: true, status: 'active' })
    assert.equal(await isSignedIn(here), false)
  })

  test('ends sessions at the sites of the caller only', async () => {
    const admin = await anAdmin()
    const shared = await aUser()
    const here = await signIn(shared, { at: admin.site })
    assert.deepEqual(await codesOf(admin.headers, { act: 'end_sessions', user_ids: [shared.user_id] }), [
      null,
    ])
    assert.equal(await isSignedIn(here), false)
    const [left] = await db.pool<{ live: number }[]>`
      select count(*) as live from sso.sessions where user_id = ${shared.user_id} and revoked_at is null`
    assert.equal(left?.live, 1)
    const lines = await linesAbout([shared.user_id])
    assert.deepEqual(
      lines.map(({ action }) => action),
      ['session.revoked'],
    )
  })

  test('keeps the last ADMIN of a site, whoever asks', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    const user_ids = [admin.user_id]
    assert.deepEqual(await codesOf(operator.headers, { act: 'suspend', user_ids }), ['last_admin'])
    assert.equal(await isSignedIn(admin), true)
  })

  test('ends each session once when twenty ask at once', async () => {
    const admin = await anAdmin()
    const people = [await aColleague(admin), await aColleague(admin)]
    const user_ids = people.map(({ user_id }) => user_id)
    const asked = Array.from({ length: 20 }, (_, i) =>
      codesOf(admin.headers, { act: 'end_sessions', user_ids: i % 2 ? user_ids : user_ids.toReversed() }),
    )
    assert.deepEqual(new Set((await Promise.all(asked)).flat()), new Set([null]))
    assert.equal((await linesAbout(user_ids)).length, 2)
  })

  test('takes a hundred different people, and no act but these', async () => {
    const admin = await anAdmin()
    const ids = Array.from({ length: 101 }, () => crypto.randomUUID())
    assert.deepEqual(
      new Set(await codesOf(admin.headers, { act: 'suspend', user_ids: ids.slice(1) })),
      new Set(['not_found']),
    )
    const [one = ''] = ids
    for (const payload of [
      { act: 'suspend', user_ids: ids },
      { act: 'suspend', user_ids: [] },
      { act: 'suspend', user_ids: [one, one] },
      { act: 'suspend', user_ids: ['x'] },
      { act: 'erase', user_ids: [one] },
    ])
      assert.equal((await act(admin.headers, payload)).statusCode, 422, JSON.stringify(payload).slice(0, 60))
    assert.equal((await act(admin.headers, { user_ids: [one] })).statusCode, 400)
  })

  test('is 401 without a token, 403 for members, and harmless for strangers', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    const anna = await aColleague(admin)
    const payload = { act: 'suspend', user_ids: [admin.user_id] }
    for (const { headers } of [await nobody(), await homeSite()])
      assert.equal((await act(headers, payload)).statusCode, 401)
    assert.equal((await act(anna.headers, payload)).statusCode, 403)
    assert.equal((await act(anna.headers, { ...payload, act: 'end_sessions' })).statusCode, 403)
    for (const name of ['suspend', 'end_sessions'])
      assert.deepEqual(await codesOf(other.headers, { ...payload, act: name }), ['not_found'])
    assert.equal((await act(other.headers, { ...payload, site_code: admin.site_code })).statusCode, 404)
    assert.equal(await isSignedIn(admin), true)
  })
})
