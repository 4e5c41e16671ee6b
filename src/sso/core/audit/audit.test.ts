import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aColleague,
  anAdmin,
  anOperator,
  aSite,
  aUser,
  type Headers,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { world } from '#testing/world.ts'

type Line = {
  audit_id: string
  occurred_at: string
  action: string
  site_code: string | null
  actor_user_id: string | null
  subject_user_id: string | null
  ip_address: string | null
  details: Record<string, unknown>
}
type Page = { items: Line[]; total: number; pages: number; next_cursor: string | null }

async function ask(headers: Headers, query: Record<string, string> = {}) {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/audit?${new URLSearchParams(query).toString()}`, headers })
}
async function read(headers: Headers, query?: Record<string, string>): Promise<Page> {
  const reply = await ask(headers, query)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json()
}
const actions = ({ items }: Page) => items.map(({ action }) => action)

async function failToSignIn(at: TestSite, email: string) {
  const { sso } = await world()
  const payload = { email, password: 'not the right one' }
  const reply = await sso.inject({ method: 'POST', url: '/api/v1/auth/login', headers: at.headers, payload })
  assert.equal(reply.statusCode, 401)
}
async function write(site: { site_id: string }, count: number, action = 'login.failed') {
  const { db } = await world()
  await db.pool`
    insert into sso.audit_log (audit_id, action, environment, site_id)
    select gen_random_uuid(), ${action}, 'production', ${site.site_id} from generate_series(1, ${count})`
}

describe('GET /api/v1/audit', () => {
  test('shows an ADMIN only their site, newest first', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()]
    const anna = await aColleague(admin)
    await aColleague(other)
    await failToSignIn(admin.site, anna.email)
    const page = await read(admin.headers)
    assert.deepEqual(actions(page), [
      'login.failed',
      'login.succeeded',
      'user.registered',
      'consent.granted',
      'consent.granted',
      'login.succeeded',
      'site.created',
    ])
    assert.equal(page.total, 7)
    const [failed] = page.items
    assert.deepEqual(
      [failed?.site_code, failed?.actor_user_id, failed?.subject_user_id, failed?.ip_address],
      [admin.site_code, null, anna.user_id, '127.0.0.1'],
    )
    assert.ok(page.items.every(({ site_code }) => site_code === admin.site_code))
  })

  test('reads another site of the caller by its code', async () => {
    const [{ site_code, owner }, admin] = [await aSite(), await anAdmin()]
    const page = await read(owner.headers, { site_code })
    assert.deepEqual(
      page.items.map((line) => [line.action, line.site_code]),
      [['site.created', site_code]],
    )
    const { sso } = await world()
    const url = `/api/v1/audit?site_code=${site_code}`
    assert.equal((await sso.inject({ url, headers: admin.headers })).statusCode, 404)
  })

  test('filters by action, actor, subject and time with true total', async () => {
    const admin = await anAdmin()
    const [anna, ben] = [await aColleague(admin), await aColleague(admin)]
    for (const { email } of [anna, anna, ben]) await failToSignIn(admin.site, email)
    const failed = await read(admin.headers, { action: 'login.failed' })
    assert.deepEqual([failed.total, failed.items.length], [3, 3])
    const ofAnna = await read(admin.headers, { subject: anna.user_id, action: 'login.failed' })
    assert.deepEqual([ofAnna.total, ofAnna.items.length], [2, 2])
    const byAnna = await read(admin.headers, { actor: anna.user_id })
    assert.deepEqual(new Set(byAnna.items.map(({ actor_user_id }) => actor_user_id)), new Set([anna.user_id]))
    assert.equal(byAnna.total, byAnna.items.length)
    const moment = failed.items[1]?.occurred_at ?? ''
    const since = await read(admin.headers, { action: 'login.failed', since: moment })
    const until = await read(admin.headers, { action: 'login.failed', until: moment })
    assert.deepEqual([since.total + until.total, since.items.length], [3, since.total])
    assert.ok(since.items.every(({ occurred_at }) => occurred_at >= moment))
    assert.ok(until.items.every(({ occurred_at }) => occurred_at < moment))
    assert.deepEqual((await read(admin.headers, { action: 'no.such' })).total, 0)
    const { audit_id = '' } = failed.items[1] ?? {}
    const one = await read(admin.headers, { audit_id })
    assert.deepEqual([one.total, one.items.map((line) => line.audit_id)], [1, [audit_id]])
    const elsewhere = await anAdmin()
    assert.equal((await read(elsewhere.headers, { audit_id })).total, 0)
  })

  test('pages each line once, by cursor and number, during writes', async () => {
    const admin = await anAdmin()
    await write(admin.site, 43)
    const seen: string[] = []
    let cursor: string | null = ''
    for (let round = 0; cursor !== null; round++) {
      const page: Page = await read(admin.headers, { per_page: '10', ...(cursor !== '' && { cursor }) })
      seen.push(...page.items.map(({ audit_id }) => audit_id))
      ;({ next_cursor: cursor } = page)
      await write(admin.site, 1)
    }
    assert.deepEqual([seen.length, new Set(seen).size], [46, 46])
    const second = await read(admin.headers, { per_page: '10', page: '2' })
    assert.deepEqual([second.items.length, second.total, second.pages], [10, 51, 6])
    assert.deepEqual((await read(admin.headers, { page: '9' })).items, [])
  })

  test('counts exactly while lines are added and removed concurrently', async () => {
    const [admin, { db }] = [await anAdmin(), await world()]
    await Promise.all(Array.from({ length: 50 }, () => write(admin.site, 3, 'role.assigned')))
    await db.pool`
      delete from sso.audit_log where audit_id in (
        select audit_id from sso.audit_log where site_id = ${admin.site.site_id} and action = 'role.assigned' limit 40)`
    const [truth] = await db.pool<{ lines: number; assigned: number }[]>`
      select count(*) as lines, count(*) filter (where action = 'role.assigned') as assigned
        from sso.audit_log where site_id = ${admin.site.site_id}`
    assert.equal(truth?.assigned, 110)
    assert.equal((await read(admin.headers)).total, truth?.lines)
    assert.equal((await read(admin.headers, { action: 'role.assigned' })).total, 110)
  })

  test('counts a hundred thousand lines without reading them', async () => {
    const [admin, { db }] = [await anAdmin(), await world()]
    await write(admin.site, 100_000)
    const { total } = await read(admin.headers, { action: 'login.failed' })
    assert.equal(total, 100_000)
    const [counted] = await db.pool<{ rows: number }[]>`
      select count(*) as rows from sso.audit_counts where site_id = ${admin.site.site_id}`
    assert.ok((counted?.rows ?? 0) < 100)
  })

  test('shows an operator the environment, and a site by code', async () => {
    const [operator, admin] = [await anOperator(), await anAdmin()]
    const everything = await read(operator.headers, { action: 'site.created' })
    assert.ok(everything.items.some(({ site_code }) => site_code === admin.site_code))
    const one = await read(operator.headers, { site_code: admin.site_code })
    assert.deepEqual(new Set(one.items.map(({ site_code }) => site_code)), new Set([admin.site_code]))
    const sandbox = await aSite({ environment: 'sandbox' })
    const codes = (await read(operator.headers, { environment: 'sandbox', action: 'site.created' })).items
    assert.ok(codes.some(({ site_code }) => site_code === sandbox.site_code))
    assert.ok(!codes.some(({ site_code }) => site_code === admin.site_code))
  })

  test('hides production managers of the site from a sandbox token', async () => {
    const [sandbox, { db }] = [await aSite({ environment: 'sandbox' }), await world()]
    const tester = await aUser({ at: sandbox })
    await db.pool`
      update sso.memberships set role = 'ADMIN' where user_id = ${tester.user_id} and site_id = ${sandbox.site_id}`
    const manager: Person = await signIn(tester, { at: sandbox })
    const { items } = await read(manager.headers, { action: 'site.created' })
    assert.deepEqual(
      items.map(({ actor_user_id, ip_address }) => [actor_user_id, ip_address]),
      [[null, null]],
    )
    assert.equal((await read(manager.headers, { actor: sandbox.owner.user_id })).total, 0)
    const seenByOwner = await read(sandbox.owner.headers, {
      site_code: sandbox.site_code,
      action: 'site.created',
    })
    assert.equal(seenByOwner.items[0]?.actor_user_id, sandbox.owner.user_id)
  })

  test('hides new owners of the site from a sandbox token', async () => {
    const [sandbox, operator] = [await aSite({ environment: 'sandbox' }), await anOperator()]
    const [tester, manager, { sso }] = [await aUser({ at: sandbox }), await aUser(), await world()]
    const { site_code } = sandbox
    for (const { user_id } of [tester, manager]) {
      const url = `/api/v1/users/${user_id}/roles`
      const payload = { role: 'ADMIN', site_code }
      const reply = await sso.inject({ method: 'POST', url, headers: operator.headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
    }
    const page = await read(tester.headers, { action: 'role.assigned' })
    const subjects = ({ items }: Page) => items.map(({ subject_user_id }) => subject_user_id)
    assert.deepEqual(subjects(page), [null, tester.user_id])
    assert.equal((await read(tester.headers, { subject: manager.user_id })).total, 0)
    const byOwner = await read(sandbox.owner.headers, { site_code, action: 'role.assigned' })
    assert.deepEqual(subjects(byOwner), [manager.user_id, tester.user_id])
  })

  test('hides whose account was attempted unless the site knows them', async () => {
    const [admin, operator, stranger, { sso }] = [
      await anAdmin(),
      await anOperator(),
      await aUser(),
      await world(),
    ]
    const { headers } = admin.site
    const tryAll = async (email: string) => {
      await failToSignIn(admin.site, email)
      for (const path of ['password/forgot', 'email/resend']) {
        const url = `/api/v1/auth/${path}`
        const reply = await sso.inject({ method: 'POST', url, headers, payload: { email } })
        assert.equal(reply.statusCode, 202)
      }
    }
    const lines = async (query: Record<string, string> = {}) =>
      (await read(admin.headers, query)).items.filter((line) => line.actor_user_id === null)
    const bare = ({ action, subject_user_id, details }: Line) => ({ action, subject_user_id, details })
    await tryAll(stranger.email)
    const known = (await lines()).map(bare)
    await tryAll('nobody-at-all@example.org')
    assert.deepEqual((await lines()).slice(0, 3).map(bare), known.slice(0, 3))
    assert.equal((await read(admin.headers, { subject: stranger.user_id })).total, 0)
    const all = { site_code: admin.site_code, subject: stranger.user_id }
    assert.equal((await read(operator.headers, all)).total, 3)
    await signIn(stranger, { at: admin.site })
    assert.equal((await lines({ subject: stranger.user_id })).length, 3)
  })

  test('is for ADMINs: 401, 403 for members, 404 otherwise', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const member = await aColleague(admin)
    assert.equal((await ask({})).statusCode, 401)
    assert.equal((await ask(admin.site.headers)).statusCode, 401)
    assert.equal((await ask(member.headers)).statusCode, 403)
    assert.equal((await ask(stranger.headers, { site_code: admin.site_code })).statusCode, 404)
    assert.equal((await ask(stranger.headers, { site_code: 'no-such-site' })).statusCode, 404)
  })

  for (const query of [
    { actor: 'x' },
    { subject: '1' },
    { since: 'yesterday' },
    { until: '2026-02-30T00:00:00Z' },
    { cursor: 'x' },
    // Year 10000, which no column holds.
    {
      cursor:
        'WyItb2NjdXJyZWRfYXQiLCIrMDEwMDAwLTAxLTAxVDAwOjAwOjAwLjAwMFoiLCIwMTg5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDAiXQ',
    },
    { page: '0' },
    { per_page: '101' },
    { action: '' },
  ])
    test(`refuses ${JSON.stringify(query)} with 422`, async () => {
      assert.equal((await ask((await anAdmin()).headers, query as Record<string, string>)).statusCode, 422)
    })
})
