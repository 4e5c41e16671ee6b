import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { PROFILE_FIELDS } from '../../core/profile.ts'

async function read(user_id: string, headers: Headers, prefix = '/api/v1') {
  const { sso } = await world()
  return sso.inject({ url: `${prefix}/users/${user_id}`, headers })
}
const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: undefined })

/** The fields of a User; nothing else may leave. */
const FIELDS = [
  ...PROFILE_FIELDS,
  'created_at',
  'email',
  'email_verified',
  'external_id',
  'last_login_at',
  'metadata',
  'mfa_enabled',
  'mfa_methods',
  'phone_verified',
  'registration_source',
  'roles',
  'session_version',
  'status',
  'updated_at',
  'user_id',
  'version',
]

describe('GET /api/v1/users/{user_id}', () => {
  test('shows people themselves, with all roles and no secret', async () => {
    const [anna, site] = [await aUser(), await aSite()]
    await signIn(anna, { at: site })
    for (const prefix of ['/api/v1', '/v1']) {
      const reply = await read(anna.user_id, anna.headers, prefix)
      assert.equal(reply.statusCode, 200)
      assert.deepEqual(Object.keys(reply.json()).toSorted(), [...FIELDS, 'pending_email'].toSorted())
      assert.deepEqual(
        reply.json().roles,
        [
          { site_code: 'learning', role: 'USER' },
          { site_code: site.site_code, role: 'USER' },
        ].toSorted((a, b) => (a.site_code < b.site_code ? -1 : 1)),
      )
    }
  })

  test('shows an ADMIN members with the roles at that site', async () => {
    const [admin, anna] = [await anAdmin(), await aUser()]
    await signIn(anna, { at: admin.site })
    const reply = await read(anna.user_id, admin.headers)
    assert.equal(reply.statusCode, 200)
    assert.deepEqual(Object.keys(reply.json()).toSorted(), [...FIELDS, 'member_status'].toSorted())
    assert.deepEqual(reply.json().roles, [{ site_code: admin.site_code, role: 'USER' }])
    assert.equal(reply.json().member_status, 'active')
  })

  test('shows operators at the console everybody', async () => {
    const [anna, { firstRun }] = [await aUser(), await world()]
    const console_ = firstRun.sites['console']
    assert.ok(console_)
    const at = {
      ...console_,
      site_code: 'console',
      tenant_id: '',
      headers: { 'x-sso-site-key': console_.site_key },
    }
    const operator = await signIn(firstRun.admin, { at })
    assert.equal((await read(anna.user_id, operator.headers)).statusCode, 200)
  })

  test('shows production ADMINs sandbox members, not the reverse', async () => {
    const [sandbox, { db }] = [await aSite({ environment: 'sandbox' }), await world()]
    const tester = await aUser({ at: sandbox })
    assert.equal((await read(tester.user_id, sandbox.owner.headers)).statusCode, 200)
    await db.pool`
      update sso.memberships set role = 'ADMIN' where user_id = ${tester.user_id} and site_id = ${sandbox.site_id}`
    const manager = await signIn(tester, { at: sandbox })
    const colleague = await aUser({ at: sandbox })
    assert.equal((await read(colleague.user_id, manager.headers)).statusCode, 200)
    assert.equal((await read(sandbox.owner.user_id, manager.headers)).statusCode, 404)
  })

  test('accepts an id in capital letters', async () => {
    const anna = await aUser()
    assert.equal((await read(anna.user_id.toUpperCase(), anna.headers)).statusCode, 200)
  })

  test('answers strangers, unknown and malformed ids alike', async () => {
    const [anna, ben, admin] = [await aUser(), await aUser(), await anAdmin()]
    const colleague = await aColleague(admin)
    for (const [caller, id] of [
      [anna, ben.user_id],
      [admin, ben.user_id],
      [colleague, admin.user_id],
    ] as const) {
      const replies = [
        await read(id, caller.headers),
        await read(randomUUID(), caller.headers),
        await read('1', caller.headers),
      ]
      for (const reply of replies) {
        assert.equal(reply.statusCode, 404)
        assert.deepEqual(withoutId(reply.body), withoutId(replies[0]?.body ?? ''))
      }
    }
  })

  test('needs a token', async () => {
    const anna = await aUser()
    const reply = await read(anna.user_id, {})
    assert.equal(reply.statusCode, 401)
    assert.ok(!reply.body.includes(anna.email))
  })
})
