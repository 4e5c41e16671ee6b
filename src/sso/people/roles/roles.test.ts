import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { createMetrics } from '#foundation/metrics.ts'
import { createSso } from '#sso'
import {
  aColleague,
  anAdmin,
  anOperator,
  aSite,
  aUser,
  type Headers,
  type Person,
  signIn,
} from '#testing/people.ts'
import { type World, world } from '#testing/world.ts'

async function assign(user_id: string, payload: object, headers: Headers, lyceum?: World) {
  const { sso } = lyceum ?? (await world())
  return sso.inject({ method: 'POST', url: `/api/v1/users/${user_id}/roles`, headers, payload })
}
async function unassign(user_id: string, role: string, headers: Headers, query = '') {
  const { sso } = await world()
  return sso.inject({ method: 'DELETE', url: `/api/v1/users/${user_id}/roles/${role}${query}`, headers })
}
async function whoami({ user_id, headers }: Person) {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/users/${user_id}`, headers })
}
async function admins(site_id: string) {
  const { db } = await world()
  const rows = await db.pool<{ user_id: string }[]>`
    select user_id from sso.memberships where site_id = ${site_id} and role = 'ADMIN'`
  return rows.map(({ user_id }) => user_id)
}

describe('GET /api/v1/roles', () => {
  async function roles(headers: Headers, query = '') {
    const { sso } = await world()
    return sso.inject({ url: `/api/v1/roles?${query}`, headers })
  }

  test('shows a member the catalogue of the site', async () => {
    const admin = await anAdmin()
    const colleague = await aColleague(admin)
    for (const { headers } of [admin, colleague]) {
      const { items, total } = (await roles(headers)).json()
      assert.equal(total, 2)
      assert.deepEqual(
        items.map(
          (one: { role: string; is_admin: boolean; is_default: boolean }) => [
            one.role,
            one.is_admin,
            one.is_default,
          ] /* prettier-ignore */,
        ),
        [
          ['ADMIN', true, false],
          ['USER', false, true],
        ],
      )
      assert.ok(items[0].permissions.includes('users:write'))
    }
    assert.deepEqual((await roles(admin.headers, 'per_page=1&page=2')).json().items[0].role, 'USER')
  })

  test('answers 404 for foreign and unknown sites, 401 without token', async () => {
    const [admin, other] = [await anAdmin(), await aSite()]
    for (const site_code of [other.site_code, 'no-such-site'])
      assert.equal((await roles(admin.headers, `site_code=${site_code}`)).statusCode, 404)
    assert.equal((await roles({})).statusCode, 401)
    assert.equal((await roles((await anOperator()).headers, `site_code=${other.site_code}`)).statusCode, 200)
  })
})

describe('POST /api/v1/users/{user_id}/roles', () => {
  test('makes a member ADMIN with their present token', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const { sso } = await world()
    const list = () => sso.inject({ url: '/api/v1/users', headers: anna.headers })
    assert.equal((await list()).json().total, 1)
    const reply = await assign(anna.user_id, { role: 'ADMIN' }, admin.headers)
    assert.equal(reply.statusCode, 201, reply.body)
    const { assigned_at, ...given } = reply.json()
    assert.deepEqual(given, {
      user_id: anna.user_id,
      site_code: admin.site_code,
      role: 'ADMIN',
      assigned_by: admin.user_id,
    })
    assert.ok(Math.abs(Date.parse(assigned_at) - Date.now()) < 60_000)
    assert.equal((await list()).json().total, 2)
  })

  test('reports a role already given, and an unknown role', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    assert.equal(
      (await assign(anna.user_id, { role: 'USER' }, admin.headers)).json().code,
      'role_already_assigned',
    )
    const unknown = await assign(anna.user_id, { role: 'EMPEROR' }, admin.headers)
    assert.deepEqual([unknown.statusCode, unknown.json().code], [422, 'unknown_role'])
    assert.equal((await assign(anna.user_id, {}, admin.headers)).statusCode, 400)
    assert.equal((await assign(anna.user_id, { role: 5 }, admin.headers)).statusCode, 422)
    assert.equal((await assign(anna.user_id, { role: 'A\u0000' }, admin.headers)).statusCode, 422)
  })

  test('gives a role once for fifty concurrent calls', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => assign(anna.user_id, { role: 'ADMIN' }, admin.headers)),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.equal(replies.filter((reply) => reply.json().code === 'role_already_assigned').length, 49)
  })

  test('is for the ADMIN of the named site', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const [anna, ben] = [await aColleague(admin), await aColleague(admin)]
    assert.equal((await assign(anna.user_id, { role: 'ADMIN' }, {})).statusCode, 401)
    const refused = await assign(anna.user_id, { role: 'ADMIN' }, ben.headers)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'admin_required'])
    assert.equal((await assign(anna.user_id, { role: 'ADMIN' }, anna.headers)).statusCode, 403)
    const foreign = { role: 'ADMIN', site_code: admin.site_code }
    assert.equal((await assign(anna.user_id, foreign, stranger.headers)).statusCode, 404)
    const atHome = await signIn(admin)
    assert.equal((await assign(anna.user_id, foreign, atHome.headers)).statusCode, 201)
  })

  test('gives foreign, unknown and malformed ids the same bytes', async () => {
    const [admin, stranger] = [await anAdmin(), await aUser()]
    const sandbox = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: sandbox })
    const bytes = new Set<string>()
    for (const id of [stranger.user_id, tester.user_id, randomUUID(), 'x']) {
      const reply = await assign(id, { role: 'ADMIN' }, admin.headers)
      assert.equal(reply.statusCode, 404)
      bytes.add(JSON.stringify({ ...reply.json(), request_id: '' }))
    }
    assert.equal(bytes.size, 1)
  })

  test('adds known people to another site, never sandbox to production', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const { sso } = await world()
    const owner = await signIn(admin)
    const make = async (environment: string) =>
      (
        await sso.inject({
          method: 'POST',
          url: '/api/v1/sites',
          headers: owner.headers,
          payload: { name: 'Second', environment, tenant_id: admin.tenant_id },
        })
      ).json()
    const second = await make('production')
    const given = await assign(anna.user_id, { role: 'USER', site_code: second.site_code }, owner.headers)
    assert.equal(given.statusCode, 201, given.body)
    const sandbox = await make('sandbox')
    const tester = await aUser({ at: { ...sandbox, headers: { 'x-sso-site-key': sandbox.site_key } } })
    const across = await assign(tester.user_id, { role: 'ADMIN', site_code: second.site_code }, owner.headers)
    assert.deepEqual([across.statusCode, across.json().code], [403, 'environment_forbidden'])
    const manager = await assign(anna.user_id, { role: 'ADMIN', site_code: sandbox.site_code }, owner.headers)
    assert.equal(manager.statusCode, 201, manager.body)
  })

  test('never removes the last ADMIN', async () => {
    const admin = await anAdmin()
    assert.equal((await assign(admin.user_id, { role: 'USER' }, admin.headers)).json().code, 'last_admin')
    assert.deepEqual(await admins(admin.site.site_id), [admin.user_id])
  })

  test('does not count a suspended ADMIN as remaining', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    await assign(anna.user_id, { role: 'ADMIN' }, admin.headers)
    const { db } = await world()
    await db.pool`
      update sso.memberships set suspended_at = clock_timestamp()
       where user_id = ${anna.user_id} and site_id = ${admin.site.site_id}`
    assert.equal((await assign(admin.user_id, { role: 'USER' }, admin.headers)).json().code, 'last_admin')
  })

  test('fifty concurrent demotions leave exactly one ADMIN', async () => {
    const admin = await anAdmin()
    const { sso } = await world()
    const others = await Promise.all(Array.from({ length: 9 }, () => aColleague(admin)))
    for (const { user_id } of others) await assign(user_id, { role: 'ADMIN' }, admin.headers)
    const all = [admin, ...others]
    const operator = await anOperator()
    const { site_code } = admin
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const victim = all[n % all.length]
        assert.ok(victim)
        if (n % 3 === 0) return assign(victim.user_id, { role: 'USER', site_code }, operator.headers)
        if (n % 3 === 1) return unassign(victim.user_id, 'ADMIN', operator.headers, `?site_code=${site_code}`)
        return sso.inject({
          method: 'PATCH',
          url: `/api/v1/users/${victim.user_id}?site_code=${site_code}`,
          headers: operator.headers,
          payload: { member_status: 'suspended' },
        })
      }),
    )
    for (const reply of replies)
      assert.ok([200, 201, 204, 404, 409].includes(reply.statusCode), `${reply.statusCode} ${reply.body}`)
    assert.ok(replies.some((reply) => reply.statusCode === 409 && reply.json().code === 'last_admin'))
    const { db } = await world()
    const left = await db.pool`
      select from sso.memberships where site_id = ${admin.site.site_id} and role = 'ADMIN' and suspended_at is null`
    assert.equal(left.length, 1)
  })
})

describe('DELETE /api/v1/users/{user_id}/roles/{role}', () => {
  async function aSecondAdmin() {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    assert.equal((await assign(anna.user_id, { role: 'ADMIN' }, admin.headers)).statusCode, 201)
    return { admin, anna }
  }

  test('restores the default role, kills access tokens, keeps sessions', async () => {
    const { admin, anna } = await aSecondAdmin()
    const { sso } = await world()
    const reply = await unassign(anna.user_id, 'ADMIN', admin.headers)
    assert.equal(reply.statusCode, 204, reply.body)
    const stale = await whoami(anna)
    assert.deepEqual([stale.statusCode, stale.json().code], [401, 'token_revoked'])
    const { access_token, user } = (
      await sso.inject({
        method: 'POST',
        url: '/api/v1/auth/refresh',
        headers: admin.site.headers,
        payload: { refresh_token: anna.refresh_token },
      })
    ).json()
    assert.deepEqual(user.roles, [{ site_code: admin.site_code, role: 'USER' }])
    const fresh = { ...anna, headers: { authorization: `Bearer ${access_token}` } }
    assert.equal((await whoami(fresh)).statusCode, 200)
    assert.equal((await assign(admin.user_id, { role: 'USER' }, fresh.headers)).statusCode, 403)
  })

  test('refuses a missing role, the default, and the last ADMIN', async () => {
    const { admin, anna } = await aSecondAdmin()
    assert.equal((await unassign(anna.user_id, 'USER', admin.headers)).statusCode, 404)
    assert.equal((await unassign(anna.user_id, 'nothing', admin.headers)).statusCode, 404)
    assert.equal((await unassign(anna.user_id, '%00', admin.headers)).statusCode, 404)
    assert.equal((await unassign(anna.user_id, 'ADMIN', admin.headers)).statusCode, 204)
    assert.equal((await unassign(anna.user_id, 'ADMIN', admin.headers)).statusCode, 404)
    assert.equal((await unassign(anna.user_id, 'USER', admin.headers)).json().code, 'default_role')
    assert.equal((await unassign(admin.user_id, 'ADMIN', admin.headers)).json().code, 'last_admin')
  })

  test('needs the role ADMIN and hides foreign sites and people', async () => {
    const { admin, anna } = await aSecondAdmin()
    const [ben, stranger] = [await aColleague(admin), await anAdmin()]
    assert.equal((await unassign(anna.user_id, 'ADMIN', {})).statusCode, 401)
    assert.equal((await unassign(anna.user_id, 'ADMIN', ben.headers)).statusCode, 403)
    assert.equal((await unassign(anna.user_id, 'ADMIN', stranger.headers)).statusCode, 404)
    assert.equal(
      (await unassign(anna.user_id, 'ADMIN', stranger.headers, `?site_code=${admin.site_code}`)).statusCode,
      404,
    )
    assert.deepEqual((await admins(admin.site.site_id)).toSorted(), [admin.user_id, anna.user_id].toSorted())
  })

  test('refuses old tokens afterwards, on two processes', async () => {
    const lyceum = await world()
    const twin = await createSso(
      { ...lyceum.parts, metrics: createMetrics() },
      { passwords: lyceum.passwords },
    )
    await twin.app.ready()
    const apps = [lyceum.sso, twin.app]
    const admin = await anAdmin({ lyceum })
    for (let round = 0; round < 10; round++) {
      const anna = await aColleague(admin, lyceum)
      await assign(anna.user_id, { role: 'ADMIN' }, admin.headers, lyceum)
      let isOver = false
      let after = 0
      const callAgainAndAgain = async (app: World['sso']) => {
        for (let call = 0; call < 12; call++) {
          const startedAfter = isOver
          const reply = await app.inject({ url: '/api/v1/users?per_page=1', headers: anna.headers })
          if (!startedAfter) continue
          after += 1
          assert.deepEqual([reply.statusCode, reply.json().code], [401, 'token_revoked'])
        }
      }
      const demotion = lyceum.sso
        .inject({
          method: 'DELETE',
          url: `/api/v1/users/${anna.user_id}/roles/ADMIN`,
          headers: admin.headers,
        })
        .then((reply) => {
          isOver = true
          return reply
        })
      await Promise.all([...apps, ...apps, ...apps].map(callAgainAndAgain))
      assert.equal((await demotion).statusCode, 204)
      for (const app of apps) await callAgainAndAgain(app)
      assert.ok(after >= 12)
    }
    await twin.close()
  })
})
