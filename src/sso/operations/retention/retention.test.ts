import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, aSite, aUser, type Person, signIn } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'
import { type SweepName, startSweeps, sweep } from './retention.ts'
import { BATCH } from './sweeps.ts'

const lyceum = await buildWorld()
const { db } = lyceum
const parts = { database: db }
const run = (name: SweepName) => sweep(parts, name)

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** One minute too young, and one minute too old: the names that come back are those that stay. */
const AROUND = [MINUTE, -MINUTE] as const

/** Ids of `table` that are still there, of those given. */
async function left(table: 'users' | 'sessions' | 'messages' | 'audit_log' | 'mfa_factors', ids: string[]) {
  const rows = await {
    users: db.pool<{ id: string }[]>`select user_id as id from sso.users where user_id = any(${ids}::uuid[])`,
    sessions: db.pool<{ id: string }[]>`
      select session_id as id from sso.sessions where session_id = any(${ids}::uuid[])`,
    messages: db.pool<{ id: string }[]>`
      select message_id as id from sso.messages where message_id = any(${ids}::uuid[])`,
    audit_log: db.pool<{ id: string }[]>`
      select audit_id as id from sso.audit_log where audit_id = any(${ids}::uuid[])`,
    mfa_factors: db.pool<{ id: string }[]>`
      select factor_id as id from sso.mfa_factors where factor_id = any(${ids}::uuid[])`,
  }[table]
  return ids.filter((id) => rows.some((row) => row.id === id))
}

const ask = ({ headers }: Person) => lyceum.sso.inject({ url: '/api/v1/sessions', headers })

describe('retention', () => {
  test('blanks the stored answer of a refresh after a minute', async () => {
    const [young, old] = [await aUser({ lyceum }), await aUser({ lyceum })]
    for (const { refresh_token } of [young, old]) {
      const reply = await lyceum.sso.inject({
        method: 'POST',
        url: '/api/v1/auth/refresh',
        headers: {
          'x-sso-site-key': lyceum.firstRun.sites['learning']?.site_key ?? '',
          'idempotency-key': 'k',
        },
        payload: { refresh_token },
      })
      assert.equal(reply.statusCode, 200)
    }
    for (const [{ session_id }, seconds] of [
      [young, 55],
      [old, 60],
    ] as const)
      await db.pool`
        update sso.refresh_tokens set consumed_at = clock_timestamp() - make_interval(secs => ${seconds})
         where session_id = ${session_id} and generation = 1`
    assert.equal(await run('answers'), 1)
    const rows = await db.pool<{ session_id: string }[]>`
      select session_id from sso.refresh_tokens where response_enc is not null`
    assert.deepEqual(
      rows.map(({ session_id }) => session_id),
      [young.session_id],
    )
  })

  test('deletes refresh tokens seven days after their end', async () => {
    const people = [await aUser({ lyceum }), await aUser({ lyceum })]
    for (const [i, { session_id }] of people.entries())
      await db.pool`
        update sso.refresh_tokens
           set expires_at = clock_timestamp() - make_interval(secs => ${7 * DAY - (AROUND[i] ?? 0)})
         where session_id = ${session_id}`
    assert.equal(await run('refresh_tokens'), 1)
    const rows = await db.pool<{ session_id: string }[]>`
      select session_id from sso.refresh_tokens where session_id = any(${people.map((one) => one.session_id)}::uuid[])`
    assert.deepEqual(
      rows.map(({ session_id }) => session_id),
      [people[0]?.session_id],
    )
  })

  describe('of sessions', () => {
    /** Sessions of one person at a site whose end, and if told whose beginning, lies so many seconds back. */
    const aged = async (
      person: Person,
      ended: number | undefined,
      revoked: number | undefined,
      created = 0,
    ) => {
      await db.pool`
        update sso.sessions
           set expires_at = clock_timestamp() - make_interval(secs => ${ended ?? -DAY}),
               revoked_at = clock_timestamp() - make_interval(secs => ${revoked ?? null}),
               revoke_reason = case when ${revoked ?? null}::int is null then null else 'logout' end,
               created_at = clock_timestamp() - make_interval(secs => ${created})
         where session_id = ${person.session_id}`
      return person.session_id
    }

    test('is 90 days after the earlier of expiry and end', async () => {
      const admin = await anAdmin({ lyceum })
      const make = () => aColleague(admin, lyceum)
      const limit = 90 * DAY
      const stay = [
        await aged(await make(), limit - MINUTE, undefined, 200 * DAY),
        await aged(await make(), undefined, limit - MINUTE, 200 * DAY),
        await aged(await make(), undefined, undefined, 400 * DAY),
      ]
      const go = [
        await aged(await make(), limit + MINUTE, undefined, 200 * DAY),
        await aged(await make(), undefined, limit + MINUTE, 200 * DAY),
        await aged(await make(), 10 * DAY, limit + MINUTE, 200 * DAY),
      ]
      assert.equal(await run('sessions'), go.length)
      assert.deepEqual(await left('sessions', [...stay, ...go]), stay)
    })

    test('follows the setting of the site', async () => {
      const [short, long] = [await anAdmin({ lyceum }), await anAdmin({ lyceum })]
      await db.pool`update sso.sites set retention_days = 7 where site_id = ${short.site.site_id}`
      await db.pool`update sso.sites set retention_days = 400 where site_id = ${long.site.site_id}`
      const stay = [
        await aged(await aColleague(short, lyceum), 7 * DAY - MINUTE, undefined),
        await aged(await aColleague(long, lyceum), 400 * DAY - MINUTE, undefined),
      ]
      const go = [
        await aged(await aColleague(short, lyceum), 7 * DAY + MINUTE, undefined),
        await aged(await aColleague(long, lyceum), 400 * DAY + MINUTE, undefined),
      ]
      assert.equal(await run('sessions'), go.length)
      assert.deepEqual(await left('sessions', [...stay, ...go]), stay)
    })

    test('is 30 days from the start in the sandbox', async () => {
      const site = await aSite({ environment: 'sandbox', lyceum })
      const people = [await aUser({ at: site, lyceum }), await aUser({ at: site, lyceum })]
      for (const [i, person] of people.entries()) {
        assert.equal((await ask(person)).statusCode, 200)
        await aged(person, undefined, undefined, 30 * DAY - (AROUND[i] ?? 0))
      }
      assert.equal(await run('sessions'), 1)
      assert.deepEqual(await Promise.all(people.map(async (one) => (await ask(one)).statusCode)), [200, 401])
    })

    test('continues beyond a batch and skips locked rows', async () => {
      const person = await aUser({ lyceum })
      await db.pool`
        insert into sso.sessions (session_id, login_id, user_id, site_id, auth_methods, expires_at)
        select gen_random_uuid(), gen_random_uuid(), user_id, site_id, auth_methods,
               clock_timestamp() - interval '91 days'
          from sso.sessions, generate_series(1, ${BATCH + 50}) where session_id = ${person.session_id}`
      await db.transaction(async (tx) => {
        const held = await tx`
          select from sso.sessions where user_id = ${person.user_id} and session_id <> ${person.session_id}
           limit 10 for update`
        assert.equal(held.length, 10)
        assert.equal(await run('sessions'), BATCH + 40)
      })
      assert.equal(await run('sessions'), 10)
      assert.deepEqual(await left('sessions', [person.session_id]), [person.session_id])
    })
  })

  describe('of people', () => {
    const makeOlder = (user_id: string, seconds: number) =>
      db.pool`
        update sso.users set created_at = clock_timestamp() - make_interval(secs => ${seconds})
         where user_id = ${user_id}`

    test('is 30 days in the sandbox, except for ADMINs', async () => {
      const site = await aSite({ environment: 'sandbox', lyceum })
      const people = [await aUser({ at: site, lyceum }), await aUser({ at: site, lyceum })]
      const admin = await aUser({ at: site, lyceum })
      await db.pool`
        update sso.memberships set role = 'ADMIN' where user_id = ${admin.user_id} and site_id = ${site.site_id}`
      const erased = await aUser({ at: site, lyceum })
      await db.pool`
        update sso.users set status = 'deleted', email = null, email_fold = null where user_id = ${erased.user_id}`
      const production = await aUser({ lyceum })
      const audit_before =
        await db.pool`select from sso.audit_log where subject_user_id = ${people[1]?.user_id ?? ''}`
      for (const [i, { user_id }] of people.entries()) await makeOlder(user_id, 30 * DAY - (AROUND[i] ?? 0))
      for (const { user_id } of [admin, production, erased]) await makeOlder(user_id, 400 * DAY)
      assert.equal((await ask(people[1] as Person)).statusCode, 200)
      assert.equal(await run('sandbox_users'), 2)
      const all = [...people, admin, production, erased].map(({ user_id }) => user_id)
      assert.deepEqual(await left('users', all), [people[0]?.user_id, admin.user_id, production.user_id])
      assert.equal((await ask(people[1] as Person)).statusCode, 401)
      assert.equal((await ask(people[0] as Person)).statusCode, 200)
      const audit =
        await db.pool`select from sso.audit_log where subject_user_id = ${people[1]?.user_id ?? ''}`
      assert.equal(audit.length, audit_before.length)
      // Keys and sites stay: people can come back.
      const back = { email: people[1]?.email ?? '', password: people[1]?.password ?? '' }
      const reply = await lyceum.sso.inject({
        method: 'POST',
        url: '/api/v1/auth/register',
        headers: site.headers,
        payload: back,
      })
      assert.equal(reply.statusCode, 201)
      await signIn(back, { at: site, lyceum })
    })
  })

  test('deletes challenges at once, enrollments and tokens a day later', async () => {
    const { user_id } = await aUser({ lyceum })
    const site_id = lyceum.firstRun.sites['learning']?.site_id ?? ''
    for (const seconds of AROUND) {
      const mark = Buffer.concat([Buffer.from([seconds > 0 ? 1 : 2]), randomBytes(31)])
      await db.pool`
        insert into sso.mfa_challenges (token_hash, user_id, site_id, methods, login_id, auth_methods, expires_at)
        values (${mark}, ${user_id}, ${site_id}, '{totp}', ${newId()}, '{pwd}',
                clock_timestamp() + make_interval(secs => ${seconds}))`
      await db.pool`
        insert into sso.one_time_tokens (token_hash, user_id, purpose, email_fold, expires_at)
        values (${mark}, ${user_id}, 'password_reset', 'x@example.org',
                clock_timestamp() - make_interval(secs => ${DAY - seconds}))`
    }
    const factor = async (age: number, isActive: boolean) => {
      const factor_id = newId()
      await db.pool`
        insert into sso.mfa_factors (factor_id, user_id, type, secret_enc, created_at, activated_at)
        values (${factor_id}, ${user_id}, 'totp', ''::bytea, clock_timestamp() - make_interval(secs => ${age}),
                case when ${isActive} then clock_timestamp() end)`
      return factor_id
    }
    const stay = [await factor(DAY - MINUTE, false), await factor(100 * DAY, true)]
    const go = await factor(DAY + MINUTE, false)
    for (const name of ['mfa_challenges', 'one_time_tokens', 'unfinished_factors'] as const)
      assert.equal(await run(name), 1, name)
    for (const rows of [
      await db.pool<
        { token_hash: Buffer }[]
      >`select token_hash from sso.mfa_challenges where user_id = ${user_id}`,
      await db.pool<
        { token_hash: Buffer }[]
      >`select token_hash from sso.one_time_tokens where user_id = ${user_id}
                                                 and purpose = 'password_reset'`,
    ])
      assert.deepEqual(
        rows.map(({ token_hash }) => token_hash[0]),
        [1],
      )
    assert.deepEqual(await left('mfa_factors', [...stay, go]), stay)
  })

  test('deletes keys of connections at their end', async () => {
    const { site_id } = await aSite({ lyceum })
    const connection_id = newId()
    await db.pool`
      insert into sso.connections (connection_id, site_id, type, name, metadata_url)
      values (${connection_id}, ${site_id}, 'saml', 'x', 'https://idp.example.org')`
    for (const seconds of [null, MINUTE, -MINUTE])
      await db.pool`
        insert into sso.connection_keys (key_id, connection_id, certificate, private_enc, ends_at)
        values (${newId()}, ${connection_id}, '', ''::bytea, clock_timestamp() + make_interval(secs => ${seconds}))`
    assert.equal(await run('connection_keys'), 1)
    const rows = await db.pool`
      select from sso.connection_keys where connection_id = ${connection_id} and coalesce(ends_at > clock_timestamp(), true)`
    assert.equal(rows.length, 2)
    for (const seconds of [MINUTE, -MINUTE]) {
      await db.pool`
        insert into sso.connection_claims (connection_id, claims_enc, expires_at)
        values (${connection_id}, ''::bytea, clock_timestamp() + make_interval(secs => ${seconds}))
            on conflict (connection_id) do update set expires_at = excluded.expires_at`
      assert.equal(await run('connection_claims'), seconds > 0 ? 0 : 1)
    }
  })

  test('deletes counts of SMS a day after the newest of them', async () => {
    const [young, old] = [randomBytes(32), randomBytes(32)]
    for (const [counted, age] of [
      [young, DAY - MINUTE],
      [old, DAY + MINUTE],
    ] as const)
      await db.pool`
        insert into sso.sms_sent (counted_hmac, sent_at)
        values (${counted}, array[clock_timestamp() - make_interval(secs => ${age}), clock_timestamp() - interval '9 days'])`
    assert.equal(await run('sms_counts'), 1)
    const rows = await db.pool<{ counted_hmac: Buffer }[]>`
      select counted_hmac from sso.sms_sent where counted_hmac in (${young}, ${old})`
    assert.deepEqual(
      rows.map(({ counted_hmac }) => counted_hmac.toString('hex')),
      [young.toString('hex')],
    )
  })

  test('deletes messages after 30 days, unless pending', async () => {
    const { user_id } = await aUser({ lyceum })
    const message = async (environment: string, status: string, age: number) => {
      const message_id = newId()
      await db.pool`
        insert into sso.messages (message_id, environment, user_id, channel, kind, recipient, body_enc, status, created_at)
        values (${message_id}, ${environment}, ${user_id}, 'email', 'test', 'x@example.org',
                case when ${status} = 'sent' then null else ''::bytea end, ${status},
                clock_timestamp() - make_interval(secs => ${age}))`
      return message_id
    }
    const [young, old] = [30 * DAY - MINUTE, 30 * DAY + MINUTE]
    const stay = [
      await message('production', 'sent', young),
      await message('sandbox', 'logged', young),
      await message('production', 'queued', 400 * DAY),
    ]
    const go = [await message('production', 'sent', old), await message('sandbox', 'logged', old)]
    assert.equal(await run('messages'), 2)
    assert.deepEqual(await left('messages', [...stay, ...go]), stay)
  })

  test("deletes audit lines after 365 days or the site's own period", async () => {
    const [short, long] = [await anAdmin({ lyceum }), await anAdmin({ lyceum })]
    await db.pool`update sso.sites set retention_days = 7 where site_id = ${short.site.site_id}`
    await db.pool`update sso.sites set retention_days = 1000 where site_id = ${long.site.site_id}`
    const line = async (site_id: string | null, age: number, environment = 'production') => {
      const audit_id = newId()
      await db.pool`
        insert into sso.audit_log (audit_id, action, environment, site_id, occurred_at)
        values (${audit_id}, 'test', ${environment}, ${site_id}, clock_timestamp() - make_interval(secs => ${age}))`
      return audit_id
    }
    const year = 365 * DAY
    const stay = [
      await line(null, year - MINUTE),
      await line(null, year - MINUTE, 'sandbox'),
      await line(short.site.site_id, 7 * DAY - MINUTE),
      await line(long.site.site_id, 1000 * DAY - MINUTE),
    ]
    const go = [await line(null, year + MINUTE), await line(null, year + MINUTE, 'sandbox')]
    const gone_by_site = [
      await line(short.site.site_id, 7 * DAY + MINUTE),
      await line(long.site.site_id, 1000 * DAY + MINUTE),
    ]
    assert.equal(await run('audit_log'), go.length)
    assert.equal(await run('audit_log_of_sites'), gone_by_site.length)
    assert.deepEqual(await left('audit_log', [...stay, ...go, ...gone_by_site]), stay)
  })

  test('deletes version records after 31 minutes, jobs after 30 days', async () => {
    const [young, old] = [newId(), newId()]
    await db.pool`
      insert into sso.session_bumps (user_id, session_version, revoked_at)
      values (${young}, 2, clock_timestamp() - make_interval(mins => 30)),
             (${old}, 2, clock_timestamp() - make_interval(mins => 32))`
    await run('session_bumps')
    const rows = await db.pool<{ user_id: string }[]>`
      select user_id from sso.session_bumps where user_id = any(${[young, old]}::uuid[])`
    assert.deepEqual(
      rows.map(({ user_id }) => user_id),
      [young],
    )
    const jobs = [newId(), newId()]
    for (const [i, job_id] of jobs.entries())
      await db.pool`
        insert into foundation.jobs (job_id, kind, payload, state, finished_at)
        values (${job_id}, 'retention-test', '{}', 'done',
                clock_timestamp() - make_interval(secs => ${30 * DAY - (AROUND[i] ?? 0)}))`
    await run('jobs')
    const kept = await db.pool<{ job_id: string }[]>`
      select job_id from foundation.jobs where kind = 'retention-test'`
    assert.deepEqual(
      kept.map(({ job_id }) => job_id),
      [jobs[0]],
    )
  })

  test('deletes each row once under eight concurrent processes', async () => {
    const person = await aUser({ lyceum })
    await db.pool`
      insert into sso.refresh_tokens (token_hash, session_id, generation, expires_at)
      select sha256(convert_to(n::text || ${person.session_id}, 'UTF8')), ${person.session_id}, n,
             clock_timestamp() - interval '8 days'
        from generate_series(2, 3001) as n`
    const counts = await Promise.all(Array.from({ length: 8 }, () => run('refresh_tokens')))
    const rest = await run('refresh_tokens')
    assert.equal(
      counts.reduce((sum, count) => sum + count, rest),
      3_000,
    )
  })

  test('does nothing once stopped', async () => {
    const sweeps = startSweeps({ ...parts, log: lyceum.parts.log, metrics: lyceum.parts.metrics })
    await sweeps.stop()
    assert.equal(await sweep(parts, 'sessions', () => true), 0)
    assert.equal(await sweep(parts, 'answers', () => true), 0)
  })
})
