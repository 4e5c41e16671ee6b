import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { anAdmin, anOperator, aSite, aUser, type Headers, type Person, signIn } from '#testing/people.ts'
import { aPartner } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { type SweepName, sweep } from '../retention/retention.ts'
import { sweepWebhooks } from '../../events/webhooks/retention.ts'

const MINUTE = 60
const DAY = 86_400

/** Everything a person leaves behind at a site: account, sessions, messages, links, an ended session, a challenge. */
async function aLife(lyceum: World, site: Awaited<ReturnType<typeof aSite>>): Promise<Person> {
  const person = await aUser({ at: site, lyceum })
  await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/auth/password/forgot',
    headers: site.headers,
    payload: { email: person.email },
  })
  const second = await signIn(person, { at: site, lyceum })
  await lyceum.sso.inject({
    method: 'DELETE',
    url: `/api/v1/sessions/${second.session_id}`,
    headers: person.headers,
  })
  return signIn(person, { at: site, lyceum })
}

/** The clock of the database moves on: everything that is stored lies so many seconds further back. */
async function clockMoves({ db }: World, seconds: number) {
  const columns = await db.pool<{ table: string; column: string }[]>`
    select c.table_name as table, c.column_name as column
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'sso' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
       and c.table_name not in (select name from sso.audit_months)
       and c.data_type = 'timestamp with time zone' and c.table_name <> all('{billing_ledger,orders,signing_keys}')`
  assert.ok(columns.length > 40)
  await db.transaction(async (tx) => {
    for (const { table, column } of columns)
      await tx`
        update ${tx('sso')}.${tx(table)} set ${tx(column)} = ${tx(column)} - make_interval(secs => ${seconds})
         where ${tx(column)} is not null`
  })
}

/** All rows of one environment by table, however they hang on it. */
async function rowsOf({ db }: World, environment: 'sandbox' | 'production') {
  const sites = db.pool`(select site_id from sso.sites where environment = ${environment})`
  const users = db.pool`(select user_id from sso.users where environment = ${environment})`
  const sessions = db.pool`(select session_id from sso.sessions where site_id in ${sites})`
  const parts = {
    users: db.pool`select to_jsonb(t) as row from sso.users t where environment = ${environment}`,
    memberships: db.pool`select to_jsonb(t) as row from sso.memberships t where site_id in ${sites}`,
    sessions: db.pool`select to_jsonb(t) as row from sso.sessions t where site_id in ${sites}`,
    refresh_tokens: db.pool`select to_jsonb(t) as row from sso.refresh_tokens t where session_id in ${sessions}`,
    messages: db.pool`select to_jsonb(t) as row from sso.messages t where environment = ${environment}`,
    one_time_tokens: db.pool`select to_jsonb(t) as row from sso.one_time_tokens t where user_id in ${users}`,
    events: db.pool`select to_jsonb(t) as row from sso.webhook_events t where site_id in ${sites}`,
    audit: db.pool`select to_jsonb(t) as row from sso.audit_log t where environment = ${environment}`,
    sites: db.pool`select to_jsonb(t) as row from sso.sites t where environment = ${environment}`,
    keys: db.pool`select to_jsonb(t) as row from sso.site_keys t where site_id in ${sites}`,
  }
  const rows: Record<string, string[]> = {}
  for (const [table, statement] of Object.entries(parts))
    rows[table] = (await statement).map(({ row }) => JSON.stringify(row)).toSorted()
  return rows
}
const countsOf = (rows: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(rows).map(([table, { length }]) => [table, length]))

describe('data of the sandbox', () => {
  test('is deleted after 30 days, without touching production', async () => {
    const lyceum = await buildWorld()
    const partner = await aPartner(lyceum)
    const sandbox = { ...partner.site, owner: partner.owner }
    const production = await aSite({ lyceum })
    await aLife(lyceum, sandbox)
    await aLife(lyceum, production)
    await lyceum.startJobs()
    await eventually(() => partner.receiver.requests.length > 3)
    const parts = { database: lyceum.db }
    /** Those that delete by age alone; tokens and challenges go at their own end, which is not the sandbox's matter. */
    const names: SweepName[] = ['sandbox_users', 'sessions']
    const run = async () => {
      for (const name of names) await sweep(parts, name)
    }
    await clockMoves(lyceum, 30 * DAY - MINUTE)
    const before = [await rowsOf(lyceum, 'sandbox'), await rowsOf(lyceum, 'production')]
    await run()
    await sweepWebhooks(lyceum.db)
    assert.deepEqual(
      await rowsOf(lyceum, 'sandbox').then(countsOf),
      countsOf(before[0] ?? {}),
      'nothing is gone a minute too early',
    )
    assert.deepEqual(await rowsOf(lyceum, 'production'), before[1])

    await clockMoves(lyceum, MINUTE)
    const untouched = await rowsOf(lyceum, 'production')
    await run()
    await sweepWebhooks(lyceum.db)
    const left = countsOf(await rowsOf(lyceum, 'sandbox'))
    assert.deepEqual(
      { ...left, audit: left['audit'] === before[0]?.['audit']?.length },
      {
        users: 0,
        // The ADMIN of the site, who is of production.
        memberships: 1,
        sessions: 0,
        refresh_tokens: 0,
        messages: 0,
        one_time_tokens: 0,
        events: 0,
        audit: true,
        sites: 1,
        keys: 1,
      },
    )
    assert.deepEqual(await rowsOf(lyceum, 'production'), untouched)
    assert.ok((untouched['users']?.length ?? 0) >= 3 && (untouched['sessions']?.length ?? 0) >= 3)
    // Site, key and people who come back work.
    await aUser({ at: sandbox, lyceum })
  })
})

describe('POST /api/v1/admin/sandbox/wipe', () => {
  const wipe = (lyceum: World, headers: Headers, payload: object = { all: true }) =>
    lyceum.sso.inject({ method: 'POST', url: '/api/v1/admin/sandbox/wipe', headers, payload })

  test('empties the sandbox without touching production', async () => {
    const lyceum = await buildWorld()
    const partner = await aPartner(lyceum)
    const sandbox = { ...partner.site, owner: partner.owner }
    const inside = await aSite({ environment: 'sandbox', lyceum })
    const production = await aSite({ lyceum })
    const anna = await aLife(lyceum, sandbox)
    await aLife(lyceum, inside)
    await aLife(lyceum, production)
    // An ADMIN of the sandbox itself stays, but for their sessions and messages.
    const admin = await aUser({ at: inside, lyceum })
    const role = { role: 'ADMIN', site_code: inside.site_code }
    const url = `/api/v1/users/${admin.user_id}/roles`
    await lyceum.sso.inject({ method: 'POST', url, headers: inside.owner.headers, payload: role })
    await lyceum.startJobs()
    await eventually(() => partner.receiver.requests.length > 3)
    const operator = await anOperator(lyceum)
    const audit = countsOf(await rowsOf(lyceum, 'sandbox'))['audit'] ?? 0
    const before = await rowsOf(lyceum, 'production')

    const reply = await wipe(lyceum, operator.headers)
    assert.equal(reply.statusCode, 200, reply.body)
    const { people, is_done, events } = reply.json()
    assert.deepEqual([people, is_done], [2, true])
    assert.ok(events > 0)
    assert.deepEqual(countsOf(await rowsOf(lyceum, 'sandbox')), {
      users: 1,
      memberships: 3,
      sessions: 0,
      refresh_tokens: 0,
      messages: 0,
      one_time_tokens: 1,
      events: 0,
      audit: audit + 1,
      sites: 2,
      keys: 2,
    })
    assert.deepEqual(await rowsOf(lyceum, 'production'), before)
    const seen = await lyceum.sso.inject({ url: '/api/v1/sessions', headers: anna.headers })
    assert.equal(seen.statusCode, 401)
    const again = (await wipe(lyceum, operator.headers)).json()
    assert.deepEqual([again.people, again.sessions, again.is_done], [0, 0, true])
    await signIn(admin, { at: inside, lyceum })
  })

  test('of one site keeps other sites and their people', async () => {
    const lyceum = await buildWorld()
    const [here, there] = [
      await aSite({ environment: 'sandbox', lyceum }),
      await aSite({ environment: 'sandbox', lyceum }),
    ]
    const [gone, both, stays] = [
      await aLife(lyceum, here),
      await aLife(lyceum, here),
      await aLife(lyceum, there),
    ]
    const elsewhere = await signIn(both, { at: there, lyceum })
    const { headers } = await anOperator(lyceum)
    const reply = await wipe(lyceum, headers, { site_code: here.site_code })
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual([reply.json().people, reply.json().memberships], [1, 1])
    const status = async (person: Person) =>
      (await lyceum.sso.inject({ url: '/api/v1/sessions', headers: person.headers })).statusCode
    assert.deepEqual(await Promise.all([gone, both, elsewhere, stays].map(status)), [401, 401, 200, 200])
    const [audit] = (
      await lyceum.sso.inject({
        url: `/api/v1/audit?action=sandbox.wiped&site_code=${here.site_code}`,
        headers: here.owner.headers,
      })
    ).json().items
    assert.equal(audit.action, 'sandbox.wiped')
  })

  test('handles more than a batch, also under ten concurrent calls', async () => {
    const lyceum = await buildWorld()
    const site = await aSite({ environment: 'sandbox', lyceum })
    await lyceum.db.pool`
      insert into sso.users (user_id, environment, email, email_fold, registration_source, registration_site_id)
      select gen_random_uuid(), 'sandbox', n || '@example.org', n || '@example.org', 'bulk_import', ${site.site_id}
        from generate_series(1, 2500) as n`
    const { headers } = await anOperator(lyceum)
    const replies = await Promise.all(Array.from({ length: 10 }, () => wipe(lyceum, headers)))
    const rest = await wipe(lyceum, headers)
    assert.equal(
      [...replies, rest].reduce((sum, reply) => sum + Number(reply.json().people), 0),
      2_500,
    )
  })

  test('is for operators and the sandbox only', async () => {
    const lyceum = await buildWorld()
    const admin = await anAdmin({ lyceum })
    const operator = await anOperator(lyceum)
    const code = (site_code: string) => ({ site_code })
    for (const [headers, payload, status] of [
      [{}, {}, 401],
      [(await aUser({ lyceum })).headers, {}, 403],
      [admin.headers, code(admin.site.site_code), 403],
      [operator.headers, code(admin.site.site_code), 403],
      [operator.headers, code(`no-${randomBytes(4).toString('hex')}`), 404],
      [operator.headers, { site_code: 1 }, 422],
      [operator.headers, {}, 400],
      [operator.headers, { all: false }, 422],
      [operator.headers, { all: true, site_code: 'x' }, 422],
    ] as const)
      assert.equal((await wipe(lyceum, headers, payload)).statusCode, status)
    assert.equal(
      (await lyceum.sso.inject({ url: '/api/v1/sessions', headers: admin.headers })).statusCode,
      200,
    )
  })
})
