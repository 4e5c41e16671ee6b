import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { aColleague, anAdmin, anOperator, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { startEngine } from '#testing/webhooks.ts'
import { world } from '#testing/world.ts'

const unique = () => randomBytes(5).toString('hex')

async function remove(user_id: string, headers: Headers, payload?: object) {
  const { sso } = await world()
  return sso.inject({
    method: 'DELETE',
    url: `/api/v1/users/${user_id}`,
    headers,
    ...(payload && { payload }),
  })
}
async function read(user_id: string, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/users/${user_id}`, headers })
}
async function erasures(headers: Headers, query = '') {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/users/erasures?${query}`, headers })
}

/** Every table and column of the schema that holds this text, as "table.column". */
async function placesOf(text: string): Promise<string[]> {
  const { db } = await world()
  const tables = await db.pool<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'sso'::regnamespace and relkind = 'r' order by relname`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await db.pool`
      select from ${db.pool('sso')}.${db.pool(name)} as t where to_jsonb(t)::text ilike ${`%${text}%`} limit 1`
    if (rows.length > 0) found.push(name)
  }
  return found
}

describe('DELETE /api/v1/users/{user_id}', () => {
  test('erases the caller from every column of every table', async () => {
    const canary = `canary${unique()}`
    const [site, { sso, db }] = [await aSite(), await world()]
    const account = { email: `${canary}@example.org`, password: `correct horse ${unique()}` }
    const headers = { ...site.headers, 'user-agent': canary }
    await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      headers,
      payload: { ...account, username: canary, display_name: canary, metadata: { note: canary } },
    })
    const login = (password: string) =>
      sso.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers,
        payload: { email: account.email, password, device_name: canary },
      })
    await login('a wrong password')
    await login(account.password)
    const anna = await signIn(account, { at: site })
    const spent = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: { ...headers, 'idempotency-key': canary },
      payload: { refresh_token: anna.refresh_token },
    })
    assert.equal(spent.statusCode, 200, spent.body)
    await db.pool`
      update sso.memberships set external_id = ${canary} where user_id = ${anna.user_id} and site_id = ${site.site_id}`
    const bearer = { ...(await signIn(account)).headers, 'user-agent': canary }
    assert.ok((await placesOf(canary)).length >= 4)

    const reply = await remove(anna.user_id, bearer)
    assert.equal(reply.statusCode, 204, reply.body)
    assert.equal(reply.body, '')
    // What was still to be told when she left is told, and then forgotten too.
    const engine = await startEngine(await world())
    await eventually(async () => (await placesOf(canary)).length === 0)
    await engine.stop()
    assert.equal((await read(anna.user_id, bearer)).statusCode, 401)
    assert.equal((await login(account.password)).json().code, 'invalid_credentials')
    const sessions = await db.pool`
      select revoke_reason, ip_address, user_agent from sso.sessions where user_id = ${anna.user_id}`
    assert.ok(sessions.length === 3)
    for (const session of sessions)
      assert.deepEqual({ ...session }, { revoke_reason: 'user_deleted', ip_address: null, user_agent: null })
    const [left] = await db.pool`
      select count(*)::int as lines, count(ip_address)::int as addresses from sso.audit_log
       where subject_user_id = ${anna.user_id}`
    assert.ok(left?.['lines'] > 3)
    assert.equal(left?.['addresses'], 0)
  })

  test('frees the address at once for a new account', async () => {
    const anna = await aUser()
    assert.equal((await remove(anna.user_id, anna.headers)).statusCode, 204)
    const { sso, firstRun } = await world()
    const site_key = firstRun.sites['learning']?.site_key
    const again = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/register',
      headers: { 'x-sso-site-key': site_key },
      payload: { email: anna.email, password: anna.password },
    })
    assert.equal(again.statusCode, 201, again.body)
    assert.notEqual(again.json().user_id, anna.user_id)
  })

  test('notifies the ADMINs of every site of the person', async () => {
    const [one, other, third] = [await anAdmin(), await anAdmin(), await anAdmin()]
    const anna = await aColleague(one)
    await signIn(anna, { at: other.site })
    const home = await signIn(anna)
    const flags = { ccpa_drop_request: true, gdpr_erasure_request: false }
    const reply = await remove(anna.user_id, home.headers, {
      reason_code: 'asked_by_phone',
      compliance_flags: flags,
    })
    assert.equal(reply.statusCode, 204, reply.body)
    for (const admin of [one, other]) {
      const { items, total } = (await erasures(admin.headers)).json()
      assert.equal(total, 1)
      const { erased_at } = items[0]
      assert.deepEqual(items, [
        {
          sso_subject_id: anna.user_id,
          reason_code: 'asked_by_phone',
          compliance_flags: flags,
          erased_at,
        },
      ])
      assert.equal((await erasures(admin.headers, `since=${erased_at}`)).json().total, 1)
      assert.equal((await erasures(admin.headers, 'since=2100-01-01T00:00:00Z')).json().total, 0)
      const { sso } = await world()
      const audit = await sso.inject({ url: '/api/v1/audit?action=user.erased', headers: admin.headers })
      assert.deepEqual(
        audit.json().items.map((line: { subject_user_id: string }) => line.subject_user_id),
        [anna.user_id],
      )
    }
    assert.equal((await erasures(third.headers)).json().total, 0)
  })

  test('shows erasures to the ADMIN of the site', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const colleague = await aColleague(admin)
    assert.equal((await erasures({})).statusCode, 401)
    assert.equal((await erasures(colleague.headers)).statusCode, 403)
    assert.equal((await erasures(stranger.headers, `site_code=${admin.site_code}`)).statusCode, 404)
    assert.equal((await erasures(admin.headers, 'since=yesterday')).statusCode, 422)
  })

  test('erases an exclusive member and records who asked', async () => {
    const [admin, { db }] = [await anAdmin(), await world()]
    const anna = await aColleague(admin)
    assert.equal((await remove(anna.user_id, admin.headers)).statusCode, 204)
    assert.equal((await read(anna.user_id, anna.headers)).statusCode, 401)
    assert.equal((await read(anna.user_id, admin.headers)).statusCode, 404)
    assert.equal((await remove(anna.user_id, admin.headers)).statusCode, 404)
    const [kept] = await db.pool`
      select e.reason_code, e.ccpa_drop_request, e.gdpr_erasure_request, a.actor_user_id
        from sso.erasures e join sso.audit_log a on a.subject_user_id = e.user_id and a.action = 'user.erased'
       where e.user_id = ${anna.user_id}`
    assert.deepEqual(
      { ...kept },
      {
        reason_code: 'admin_erasure',
        ccpa_drop_request: false,
        gdpr_erasure_request: true,
        actor_user_id: admin.user_id,
      },
    )
  })

  test("removes a shared member only from the ADMIN's sites", async () => {
    const [admin, { sso }] = [await anAdmin(), await world()]
    const anna = await aUser()
    const here = await signIn(anna, { at: admin.site })
    assert.equal((await remove(anna.user_id, admin.headers)).statusCode, 204)
    assert.equal((await read(anna.user_id, admin.headers)).statusCode, 404)
    assert.equal((await read(anna.user_id, here.headers)).statusCode, 401)
    const refreshed = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers: admin.site.headers,
      payload: { refresh_token: here.refresh_token },
    })
    assert.equal(refreshed.statusCode, 401)
    const home = await signIn(anna)
    assert.equal((await read(anna.user_id, home.headers)).json().email, anna.email)
  })

  test('never removes the last ADMIN, except by their own request', async () => {
    const [admin, operator] = [await anAdmin(), await anOperator()]
    assert.equal((await remove(admin.user_id, operator.headers)).json().code, 'last_admin')
    const home = await signIn(admin)
    assert.equal((await remove(admin.user_id, home.headers)).statusCode, 204)
  })

  test('erases once for fifty concurrent calls', async () => {
    const [admin, operator, { db }] = [await anAdmin(), await anOperator(), await world()]
    const anna = await aColleague(admin)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => remove(anna.user_id, n % 2 ? operator.headers : admin.headers)),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 204).length, 1)
    assert.ok(replies.every(({ statusCode }) => [204, 401, 404].includes(statusCode)))
    const acts = await db.pool`
      select from sso.audit_log where subject_user_id = ${anna.user_id} and action = 'user.erased'`
    assert.equal(acts.length, 1) // she was a member of one site
  })

  test('refuses an ADMIN once the member joined another tenant', async () => {
    const [admin, elsewhere] = [await anAdmin(), await aSite()]
    for (let round = 0; round < 10; round++) {
      const anna = await aColleague(admin)
      const [joined, removed] = await Promise.all([
        signIn(anna, { at: elsewhere }).then(
          () => true,
          () => false,
        ),
        remove(anna.user_id, admin.headers),
      ])
      assert.equal(removed.statusCode, 204)
      const { db } = await world()
      const [row] = await db.pool`select status from sso.users where user_id = ${anna.user_id}`
      assert.equal(row?.['status'], joined ? 'active' : 'deleted')
    }
  })

  for (const [what, body] of [
    ['a sentence as reason', { reason_code: 'Anna asked for it' }],
    ['a text as flag', { compliance_flags: { ccpa_drop_request: 'yes' } }],
    ['a list as flags', { compliance_flags: [] }],
  ] as const)
    test(`refuses ${what} with 422 and erases nobody`, async () => {
      const anna = await aUser()
      assert.equal((await remove(anna.user_id, anna.headers, body)).statusCode, 422)
      assert.equal((await read(anna.user_id, anna.headers)).statusCode, 200)
    })

  test('needs a token, and answers unknown and foreign ids alike', async () => {
    const [anna, ben, admin] = [await aUser(), await aUser(), await anAdmin()]
    assert.equal((await remove(anna.user_id, {})).statusCode, 401)
    const bytes = new Set<string>()
    for (const [caller, id] of [
      [ben, anna.user_id],
      [admin, anna.user_id],
      [await aColleague(admin), admin.user_id],
      [ben, randomUUID()],
      [ben, 'x'],
    ] as const) {
      const reply = await remove(id, caller.headers)
      assert.equal(reply.statusCode, 404)
      bytes.add(JSON.stringify({ ...reply.json(), request_id: '' }))
    }
    assert.equal(bytes.size, 1)
    assert.equal((await read(anna.user_id, anna.headers)).statusCode, 200)
  })
})
