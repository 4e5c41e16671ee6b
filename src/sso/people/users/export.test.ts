import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { addTotp } from '#testing/mfa.ts'
import {
  aColleague,
  anAdmin,
  anOperator,
  aSite,
  aUser,
  type Headers,
  nobody,
  signIn,
} from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { UserExport } from './export.ts'

const { sso, db } = await world()
const read = (user_id: string, headers: Headers) =>
  sso.inject({ url: `/api/v1/users/${user_id}/export`, headers })
const withoutId = (body: string) => ({ ...(JSON.parse(body) as object), request_id: undefined })

describe('GET /api/v1/users/{user_id}/export', () => {
  test('returns all data of a person without secrets', async () => {
    const anna = await aUser()
    const { secret } = await addTotp(anna)
    const reply = await read(anna.user_id, anna.headers)
    assert.equal(reply.statusCode, 200, reply.body)
    const all = reply.json() as UserExport
    assertExactly(UserExport, all)
    assert.equal(all.user.email, anna.email)
    assert.deepEqual(
      [
        all.memberships.length,
        all.sessions.length,
        all.factors.length,
        all.messages.length,
        all.is_truncated,
      ],
      [1, 1, 1, 2, false],
    )
    assert.deepEqual(
      [all.memberships[0]?.site_code, all.sessions[0]?.session_id, all.messages[0]?.recipient],
      ['learning', anna.session_id, anna.email],
    )
    assert.ok(all.audit.some(({ action }) => action === 'user.registered'))
    const [row] = await db.pool<{ password_hash: string }[]>`
      select password_hash from sso.users where user_id = ${anna.user_id}`
    for (const hidden of [secret, row?.password_hash ?? '-', anna.refresh_token, anna.access_token])
      assert.ok(!reply.body.includes(hidden))
  })

  test('includes the address of own actions, not of ADMINs', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const payload = { display_name: 'Anna' }
    const url = `/api/v1/users/${anna.user_id}`
    await sso.inject({
      method: 'PATCH',
      url,
      headers: { ...admin.headers, 'user-agent': 'of-the-admin' },
      payload,
    })
    const home = await signIn(anna)
    const { audit } = (await read(anna.user_id, home.headers)).json() as UserExport
    const [changed] = audit.filter(({ action }) => action === 'user.updated')
    assert.deepEqual([changed?.by_self, changed?.ip_address, changed?.user_agent], [false, null, null])
    const [signedIn] = audit.filter(({ action }) => action === 'login.succeeded')
    assert.deepEqual([signedIn?.by_self, typeof signedIn?.ip_address], [true, 'string'])
  })

  test('includes own actions on others without identifying them', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const url = `/api/v1/users/${anna.user_id}`
    await sso.inject({ method: 'PATCH', url, headers: admin.headers, payload: { display_name: 'Anna' } })
    const reply = await read(admin.user_id, (await signIn(admin)).headers)
    const [changed] = (reply.json() as UserExport).audit.filter(({ action }) => action === 'user.updated')
    assert.deepEqual([changed?.by_self, typeof changed?.ip_address], [true, 'string'])
    assert.ok(!reply.body.includes(anna.user_id))
  })

  test('is for ADMINs of an exclusive person, and operators', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    const anna = await aColleague(admin)
    assert.equal((await read(anna.user_id, admin.headers)).statusCode, 200)
    const stranger = await read(anna.user_id, other.headers)
    const unknown = await read(newId(), other.headers)
    assert.equal(stranger.statusCode, 404)
    assert.deepEqual(withoutId(stranger.body), withoutId(unknown.body))
    assert.equal((await read('nonsense', other.headers)).statusCode, 404)
    assert.equal((await read(anna.user_id, (await aColleague(admin)).headers)).statusCode, 404)
    await signIn(anna, { at: other.site })
    for (const { headers } of [admin, other]) {
      const reply = await read(anna.user_id, headers)
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'user_shared'])
    }
    assert.equal((await read(anna.user_id, (await anOperator()).headers)).statusCode, 200)
    assert.equal((await read(anna.user_id, (await nobody()).headers)).statusCode, 401)
  })

  test('answers 404 for erased people, and across environments', async () => {
    const anna = await aUser()
    const operator = await anOperator()
    await sso.inject({ method: 'DELETE', url: `/api/v1/users/${anna.user_id}`, headers: anna.headers })
    assert.equal((await read(anna.user_id, operator.headers)).statusCode, 404)
    const sandbox = await aSite({ environment: 'sandbox' })
    const inSandbox = await aUser({ at: sandbox })
    assert.equal((await read(sandbox.owner.user_id, inSandbox.headers)).statusCode, 404)
  })
})
