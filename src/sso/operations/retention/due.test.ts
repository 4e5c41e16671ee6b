import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { anAdmin, anOperator, aSite, aUser, type Headers } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'
import { type SweepName, sweep } from './retention.ts'

const lyceum = await buildWorld()
const { db, sso } = lyceum
const parts = { database: db }
const DAY = 86_400

const read = (headers: Headers) => sso.inject({ url: '/api/v1/admin/retention', headers })
async function due() {
  const reply = await read((await anOperator(lyceum)).headers)
  assert.equal(reply.statusCode, 200, reply.body)
  const { items } = reply.json() as { items: { sweep: string; rows: number }[] }
  return new Map(items.map((item) => [item.sweep, item.rows]))
}

describe('GET /api/v1/admin/retention', () => {
  test('counts exactly what each sweep deletes, and deletes nothing', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    const admin = await anAdmin({ lyceum })
    await db.pool`update sso.sites set retention_days = 7 where site_id = ${admin.site.site_id}`
    const old = (days: number) => db.pool`clock_timestamp() - make_interval(days => ${days})`
    for (const person of [await aUser({ at: site, lyceum }), await aUser({ at: site, lyceum })])
      await db.pool`update sso.users set created_at = ${old(31)} where user_id = ${person.user_id}`
    for (const days of [91, 89]) {
      const { session_id } = await aUser({ lyceum })
      await db.pool`update sso.sessions set expires_at = ${old(days)} where session_id = ${session_id}`
      await db.pool`update sso.refresh_tokens set expires_at = ${old(8)} where session_id = ${session_id}`
    }
    await db.pool`
      update sso.messages set created_at = ${old(31)}, status = 'sent', body_enc = null where status = 'queued'`
    await db.pool`
      update sso.audit_log set occurred_at = ${old(8)} where site_id = ${admin.site.site_id}`
    const job_id = newId()
    await db.pool`
      insert into sso.bulk_jobs (job_id, site_id, created_by, status, on_conflict, dry_run, emit_events, delimiter, columns,
                                 total_rows, finished_at)
      values (${job_id}, ${site.site_id}, ${newId()}, 'canceled', 'skip', false, false, ',', '{email}', 3, ${old(31)})`
    await db.pool`
      insert into sso.bulk_errors (job_id, row, place, line, code)
      select ${job_id}, n, 0, n + 1, 'column_count' from generate_series(1, 3) as n`
    await db.pool`insert into sso.bulk_erased (job_id, email_digest) values (${job_id}, 'x')`
    const before = await due()
    assert.deepEqual(await due(), before)
    assert.deepEqual(
      [
        'sandbox_users',
        'sessions',
        'refresh_tokens',
        'audit_log',
        'bulk_errors',
        'bulk_jobs',
        'bulk_erased',
      ].map((name) => before.get(name)),
      [2, 1, 2, 0, 3, 1, 1],
    )
    assert.ok((before.get('messages') ?? 0) > 0 && (before.get('audit_log_of_sites') ?? 0) > 0)
    for (const [name, rows] of before)
      if (name !== 'webhook_events') assert.equal(await sweep(parts, name as SweepName), rows, name)
    const after = await due()
    assert.deepEqual(
      [...after.values()].filter((rows) => rows > 0),
      [],
    )
  })

  test('is for operators', async () => {
    for (const [headers, status] of [
      [{}, 401],
      [(await aUser({ lyceum })).headers, 403],
      [(await anAdmin({ lyceum })).headers, 403],
    ] as const)
      assert.equal((await read(headers)).statusCode, status)
  })
})

describe('retention', () => {
  test('erases billed addresses thirty days after their month closed', async () => {
    const site = await aSite({ lyceum })
    const ids = [newId(), newId(), newId()]
    const [now] = await db.pool<{ limit: string }[]>`
      select date_trunc('month', clock_timestamp() - interval '30 days 1 hour', 'UTC') as limit`
    for (const [place, user_id] of ids.entries())
      await db.pool`
        insert into sso.billing_ledger (user_id, site_id, month, email_hmac)
        values (${user_id}, ${site.site_id}, ${now?.limit ?? ''}::timestamptz + make_interval(months => ${place - 1}),
                ${randomBytes(32)})`
    assert.equal(await sweep(parts, 'billed_addresses'), 1)
    const left = await db.pool<{ user_id: string }[]>`
      select user_id from sso.billing_ledger
       where user_id = any(${ids}::uuid[]) and email_hmac is not null order by month`
    assert.deepEqual(
      left.map(({ user_id }) => user_id),
      ids.slice(1),
    )
  })

  test('keeps events of the payment provider for ninety days', async () => {
    const ids = ['young', 'old'].map((age) => `evt_${age}_${randomBytes(6).toString('hex')}`)
    for (const [place, event_id] of ids.entries())
      await db.pool`
        insert into sso.payment_events (event_id, event_type, outcome, received_at)
        values (${event_id}, 'test', 'done',
                clock_timestamp() - make_interval(secs => ${90 * DAY + (place === 0 ? -60 : 60)}))`
    assert.equal(await sweep(parts, 'payment_events'), 1)
    const left = await db.pool<{ event_id: string }[]>`
      select event_id from sso.payment_events where event_id = any(${ids})`
    assert.deepEqual(
      left.map(({ event_id }) => event_id),
      [ids[0]],
    )
  })

  test('notifies sibling services of people deleted with the sandbox', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    const anna = await aUser({ at: site, lyceum })
    await db.pool`
      update sso.users set created_at = clock_timestamp() - interval '31 days' where user_id = ${anna.user_id}`
    await sweep(parts, 'sandbox_users')
    const jobs = await db.pool`
      select from foundation.jobs where kind = 'erasure.tell_siblings' and payload->'user_ids' ? ${anna.user_id}`
    assert.equal(jobs.length, 2)
  })
})
