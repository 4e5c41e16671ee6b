import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { one, type Pool } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { anAdmin, type Headers } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { sweep } from './retention.ts'

const YEAR = 365

type Month = { name: string; begins: string | null; ends: string | null }
const monthsOf = (pool: Pool) => pool<Month[]>`
  select name::text, begins, ends from sso.audit_months order by begins nulls first`
const namesOf = async (pool: Pool) => (await monthsOf(pool)).map(({ name }) => name)

/** What the hourly sweep does, as if it ran at that time. Months are those of UTC, wherever the caller is. */
async function turn(pool: Pool, as_of: string): Promise<number> {
  const rows = await pool.begin(async (tx) => {
    await tx`set local timezone = 'America/New_York'`
    return tx<{ gone: number }[]>`select sso.turn_audit_months(${as_of}::timestamptz, ${YEAR}) as gone`
  })
  return one(rows).gone
}

/** Such a time in the month that many months after this one, with so many milliseconds added. */
async function timeIn(pool: Pool, months: number, ms = 0): Promise<string> {
  const rows = await pool<{ at: string }[]>`
    select (date_trunc('month', clock_timestamp() at time zone 'UTC') + make_interval(months => ${months})) at time zone 'UTC'
           + ${ms} * interval '1 ms' as at`
  return one(rows).at
}

async function write(pool: Pool, site_id: string | null, occurred_at: string, action = 'test') {
  const audit_id = newId()
  await pool`
    insert into sso.audit_log (audit_id, action, environment, site_id, occurred_at)
    values (${audit_id}, ${action}, 'production', ${site_id}, ${occurred_at})`
  return audit_id
}

/** Where these lines are, in their order; undefined where they are no more. */
async function placesOf(pool: Pool, ids: string[]) {
  const rows = await pool<{ audit_id: string; part: string }[]>`
    select audit_id, (parse_ident(tableoid::regclass::text))[2] as part from sso.audit_log where audit_id = any(${ids}::uuid[])`
  return ids.map((id) => rows.find(({ audit_id }) => audit_id === id)?.part)
}

type Reply = Awaited<ReturnType<World['sso']['inject']>>
type Page = { items: { audit_id: string }[]; total: number; next_cursor: string | null }

/** The ids of the action's lines in the order of the list, read page by page, and the total that each page told. */
async function list({ sso }: World, headers: Headers, action: string, per_page: number) {
  const [ids, totals]: [string[], Set<number>] = [[], new Set()]
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const url = `/api/v1/audit?action=${action}&per_page=${per_page}${query}`
    const reply: Reply = await sso.inject({ url, headers })
    assert.equal(reply.statusCode, 200, reply.body)
    const page: Page = reply.json()
    ids.push(...page.items.map(({ audit_id }) => audit_id))
    totals.add(page.total)
    cursor = page.next_cursor
  }
  return { ids, totals: [...totals] }
}

/** The parts of an installation that has run for fourteen months. */
async function hasRunLong(pool: Pool) {
  await pool.begin(async (tx) => {
    await tx`set local timezone = 'UTC'`
    await tx`alter table sso.audit_log detach partition sso.audit_log_earlier`
    await tx`alter table sso.audit_log_earlier rename to audit_so_far`
    await tx`
      do $$ declare
        first timestamptz := date_trunc('month', now()) - interval '14 months';
        month timestamptz;
      begin
        for month in select generate_series(first, date_trunc('month', now()) + interval '1 month', '1 month') loop
          execute format('create table sso.%I partition of sso.audit_log for values from (%L) to (%L)',
                         to_char(month, '"audit_log_"YYYY_MM'), month, month + interval '1 month');
        end loop;
        execute format('create table sso.audit_log_earlier partition of sso.audit_log for values from (minvalue) to (%L)', first);
      end $$`
    // These lines have been counted.
    await tx`alter table sso.audit_log disable trigger audit_written`
    await tx`insert into sso.audit_log select * from sso.audit_so_far`
    await tx`alter table sso.audit_log enable trigger audit_written`
    await tx`drop table sso.audit_so_far`
  })
}

describe('the audit log in months', () => {
  test('puts lines around the border of a month where they belong and lists them in order', async () => {
    const lyceum = await buildWorld()
    const { pool } = lyceum.db
    const admin = await anAdmin({ lyceum })
    await turn(pool, await timeIn(pool, 3))
    const [, december, january, february] = await namesOf(pool)
    const written: string[] = []
    for (const [month, ms] of [
      [3, -1],
      [3, 0],
      [3, 1],
      [4, -1],
      [4, 0],
    ] as const)
      written.push(await write(pool, admin.site.site_id, await timeIn(pool, month, ms)))
    assert.deepEqual(await placesOf(pool, written), [december, january, january, january, february])
    for (const per_page of [1, 2, 5])
      assert.deepEqual(await list(lyceum, admin.headers, 'test', per_page), {
        ids: written.toReversed(),
        totals: [5],
      })
  })

  test('locks only the part of this month for a line that is written', async () => {
    const { db } = await buildWorld()
    const [first, ...others] = await namesOf(db.pool)
    await db.transaction(async (tx) => {
      await tx`insert into sso.audit_log (audit_id, action, environment) values (${newId()}, 'test', 'production')`
      const locked = await tx<{ name: string }[]>`
        select relname::text as name from pg_locks join pg_class c on c.oid = relation
         where pid = pg_backend_pid() and relname = any(${['audit_log', first ?? '', ...others]}) order by 1`
      assert.deepEqual(
        locked.map(({ name }) => name),
        ['audit_log', first],
      )
    })
  })

  test('has a part for every time, with two months ahead, however late it turns', async () => {
    const { db } = await buildWorld()
    const { pool } = db
    const late = [await timeIn(pool, 5), await timeIn(pool, 7, -1)]
    const ids = await Promise.all(late.map((at) => write(pool, null, at)))
    const last = (await namesOf(pool)).at(-1)
    await turn(pool, late[1] ?? '')
    // They stay in the part that took them, which ends with the month of the newest.
    assert.deepEqual(await placesOf(pool, ids), [last, last])
    const months = await monthsOf(pool)
    assert.deepEqual(
      months.map(({ begins }) => begins),
      [null, ...months.slice(0, -1).map(({ ends }) => ends)],
    )
    assert.deepEqual(
      months.slice(-3).map(({ begins }) => begins),
      [await timeIn(pool, 2), await timeIn(pool, 7), await timeIn(pool, 8)],
    )
    const always = await Promise.all(['1970-01-01Z', '2199-12-31Z'].map((at) => write(pool, null, at)))
    assert.deepEqual(await placesOf(pool, always), [months[0]?.name, months.at(-1)?.name])
    const before = await namesOf(pool)
    await turn(pool, late[1] ?? '')
    assert.deepEqual(await namesOf(pool), before)
  })

  test('turns once when fifty ask at once while lines are written', async () => {
    const { db } = await buildWorld()
    const { pool } = db
    const soon = await timeIn(pool, 6)
    const writes = Array.from({ length: 50 }, async (_, n) => write(pool, null, await timeIn(pool, n % 8)))
    const turns = Array.from({ length: 50 }, () => turn(pool, soon))
    const ids = await Promise.all(writes)
    await Promise.all(turns)
    const months = await monthsOf(pool)
    assert.equal(new Set(months.map(({ begins }) => begins)).size, months.length)
    assert.equal(months.at(-1)?.begins, await timeIn(pool, 8))
    assert.ok((await placesOf(pool, ids)).every(Boolean))
  })
})

describe('retention of the audit log', () => {
  test('drops whole months, deletes in the month of the border, and totals stay true', async () => {
    const lyceum = await buildWorld()
    const { pool } = lyceum.db
    const admin = await anAdmin({ lyceum })
    const { site_id } = admin.site
    await hasRunLong(pool)
    const months = await monthsOf(pool)
    const [earlier, oldest] = months.map(({ name }) => name)
    const ago = (days: number, ms = 0) =>
      pool<{ at: string }[]>`
        select clock_timestamp() - make_interval(days => ${days}) + ${ms} * interval '1 ms' as at`.then(
        (rows) => one(rows).at,
      )
    const old = [
      await write(pool, site_id, await ago(3 * YEAR)),
      await write(pool, site_id, await timeIn(pool, -14)),
      await write(pool, site_id, await timeIn(pool, -13, -1)),
      await write(pool, site_id, await ago(YEAR, -60_000)),
    ]
    const young = [
      await write(pool, site_id, await ago(YEAR, 60_000)),
      await write(pool, site_id, await ago(0)),
    ]
    const places = await placesOf(pool, old)
    assert.deepEqual(places.slice(0, 3), [earlier, oldest, oldest])
    assert.equal(await sweep({ database: lyceum.db }, 'audit_log'), old.length)
    assert.deepEqual(await placesOf(pool, old), [undefined, undefined, undefined, undefined])
    assert.ok((await placesOf(pool, young)).every(Boolean))
    const border = await ago(YEAR)
    const kept = months.filter(({ begins, ends }) => begins === null || ends === null || ends > border)
    assert.ok(kept.length < months.length && kept.length > 12)
    assert.deepEqual(
      await namesOf(pool),
      kept.map(({ name }) => name),
    )
    assert.deepEqual(await list(lyceum, admin.headers, 'test', 10), { ids: young.toReversed(), totals: [2] })
    assert.equal(await sweep({ database: lyceum.db }, 'audit_log'), 0)
    // A line from before the oldest month still has its part.
    assert.deepEqual(await placesOf(pool, [await write(pool, site_id, await ago(3 * YEAR))]), [earlier])
  })

  test('keeps a month as long as one site keeps its lines', async () => {
    const lyceum = await buildWorld()
    const { pool } = lyceum.db
    const admin = await anAdmin({ lyceum })
    await pool`update sso.sites set retention_days = 1000 where site_id = ${admin.site.site_id}`
    await hasRunLong(pool)
    const at = await timeIn(pool, -14)
    const [own, other] = [await write(pool, admin.site.site_id, at), await write(pool, null, at)]
    assert.equal(await sweep({ database: lyceum.db }, 'audit_log'), 1)
    const [, oldest] = await namesOf(pool)
    assert.deepEqual(await placesOf(pool, [own, other]), [oldest, undefined])
  })

  test('goes line by line while a backup reads, and drops the month afterwards', async () => {
    const { db } = await buildWorld()
    const { pool } = db
    await hasRunLong(pool)
    const [, oldest = ''] = await namesOf(pool)
    await write(pool, null, await timeIn(pool, -14))
    await db.transaction(async (tx) => {
      await tx`lock table sso.audit_log in access share mode`
      assert.equal(await sweep({ database: db }, 'audit_log'), 1)
      assert.ok((await namesOf(pool)).includes(oldest))
    })
    assert.equal(await sweep({ database: db }, 'audit_log'), 0)
    assert.ok(!(await namesOf(pool)).includes(oldest))
  })

  test('of the release before deletes over the border of a month', async () => {
    const { db } = await buildWorld()
    const { pool } = db
    await hasRunLong(pool)
    const ids = [
      await write(pool, null, await timeIn(pool, -13, -1)),
      await write(pool, null, await timeIn(pool, -13)),
      await write(pool, null, await timeIn(pool, -1)),
    ]
    const { count } = await pool`
      delete from sso.audit_log where audit_id = any(array(
        select a.audit_id from sso.audit_log a
         where a.environment = any('{sandbox,production}')
           and a.occurred_at <= statement_timestamp() - make_interval(days => 365)
           and not exists (select from sso.sites i where i.site_id = a.site_id and i.retention_days is not null)
         limit 1000 for update skip locked))`
    assert.equal(count, 2)
    assert.deepEqual((await placesOf(pool, ids)).map(Boolean), [false, false, true])
  })
})
