import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSite, aUser, homeSite, type Person, signIn, type TestSite } from '#testing/people.ts'
import { overtaken } from '#testing/locks.ts'
import { world } from '#testing/world.ts'

type Options = { at?: TestSite | undefined; key?: string; agent?: string }

async function refresh(refresh_token: string, { at, key, agent }: Options = {}) {
  const { sso } = await world()
  const headers = {
    ...(at ?? (await homeSite())).headers,
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(agent !== undefined && { 'user-agent': agent }),
  }
  return sso.inject({ method: 'POST', url: '/api/v1/auth/refresh', headers, payload: { refresh_token } })
}

async function isSignedIn(access_token: string): Promise<boolean> {
  const { sso } = await world()
  const headers = { authorization: `Bearer ${access_token}` }
  return (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode === 200
}

async function stateOf({ session_id }: { session_id: string }) {
  const { db } = await world()
  const [session] = await db.fast<{ revoke_reason: string | null; session_version: number }[]>`
    select revoke_reason, session_version from sso.sessions join sso.users using (user_id)
     where session_id = ${session_id}`
  assert.ok(session)
  return session
}

/** Moves the moment the session's token of that generation was spent. */
async function spentEarlier({ session_id }: Person, generation: number, seconds: number) {
  const { db } = await world()
  await db.pool`
    update sso.refresh_tokens set consumed_at = consumed_at - make_interval(secs => ${seconds})
     where session_id = ${session_id} and generation = ${generation}`
}

const codeOf = (reply: { json: () => { code: string } }) => reply.json().code

describe('POST /api/v1/auth/refresh', () => {
  test('rotates the pair; the old access token lives until expiry', async () => {
    const anna = await aUser()
    const reply = await refresh(anna.refresh_token)
    assert.equal(reply.statusCode, 200)
    assert.equal(reply.headers['cache-control'], 'no-store')
    const next = reply.json()
    assert.equal(next.session_id, anna.session_id)
    assert.notEqual(next.refresh_token, anna.refresh_token)
    assert.equal(next.user.user_id, anna.user_id)
    assert.deepEqual([await isSignedIn(next.access_token), await isSignedIn(anna.access_token)], [true, true])
    assert.equal((await refresh(next.refresh_token)).statusCode, 200)
  })

  test('gives one of fifty the new pair and keeps the session', async () => {
    const anna = await aUser()
    const replies = await Promise.all(Array.from({ length: 50 }, () => refresh(anna.refresh_token)))
    const winners = replies.filter((reply) => reply.statusCode === 200)
    assert.equal(winners.length, 1)
    const losers = replies.filter((reply) => reply.statusCode === 401)
    assert.equal(losers.length, 49)
    for (const reply of losers) assert.equal(codeOf(reply), 'refresh_token_just_used')
    assert.deepEqual(await stateOf(anna), { revoke_reason: null, session_version: 1 })
    const { access_token, refresh_token } = winners[0]?.json() ?? {}
    assert.equal(await isSignedIn(access_token), true)
    assert.equal((await refresh(refresh_token)).statusCode, 200)
  })

  test('ends the session on concurrent use where the site is strict', async () => {
    const [site, { db }] = [await aSite(), await world()]
    await db.pool`update sso.sites set refresh_reuse_policy = 'strict' where site_id = ${site.site_id}`
    const anna = await aUser({ at: site })
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => refresh(anna.refresh_token, { at: site })),
    )
    assert.equal(replies.filter((reply) => reply.statusCode === 200).length, 1)
    assert.equal(replies.filter((reply) => reply.statusCode === 401).length, 49)
    assert.deepEqual(await stateOf(anna), { revoke_reason: 'refresh_token_reuse', session_version: 2 })
    const winner = replies.find((reply) => reply.statusCode === 200)?.json()
    assert.equal(await isSignedIn(winner.access_token), false)
    assert.equal((await refresh(winner.refresh_token, { at: site })).statusCode, 401)
  })

  for (const [name, misuse] of [
    [
      'eleven seconds later',
      async (anna: Person) => {
        await spentEarlier(anna, 1, 11)
        return refresh(anna.refresh_token)
      },
    ],
    ['from another User-Agent', (anna: Person) => refresh(anna.refresh_token, { agent: 'curl/8' })],
    [
      'after its successor was spent',
      async (anna: Person, next: string) => {
        assert.equal((await refresh(next)).statusCode, 200)
        return refresh(anna.refresh_token)
      },
    ],
  ] as const) {
    test(`ends the token family when a spent token returns ${name}`, async () => {
      const anna = await aUser()
      const other = await signIn(anna)
      const next = (await refresh(anna.refresh_token)).json()
      const reply = await misuse(anna, next.refresh_token)
      assert.equal(reply.statusCode, 401)
      assert.equal(codeOf(reply), 'refresh_token_reused')
      assert.deepEqual(await stateOf(anna), { revoke_reason: 'refresh_token_reuse', session_version: 2 })
      assert.equal((await refresh(next.refresh_token)).statusCode, 401)
      assert.equal(await isSignedIn(next.access_token), false)
      // Another session of the person loses its access token and goes on with one refresh.
      assert.equal(await isSignedIn(other.access_token), false)
      const resumed = (await refresh(other.refresh_token)).json()
      assert.equal(await isSignedIn(resumed.access_token), true)
    })
  }

  test('raises the version once, however often a token is reused', async () => {
    const anna = await aUser()
    await refresh(anna.refresh_token)
    await spentEarlier(anna, 1, 11)
    await Promise.all(Array.from({ length: 20 }, () => refresh(anna.refresh_token)))
    assert.deepEqual(await stateOf(anna), { revoke_reason: 'refresh_token_reuse', session_version: 2 })
    const { db } = await world()
    const acts = await db.fast`
      select from sso.audit_log where subject_user_id = ${anna.user_id} and action = 'refresh_token.reused'`
    assert.equal(acts.length, 1)
  })

  test('waits for an earlier revocation, then refuses', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const reply = await overtaken(
      db,
      (tx) => tx`
        update sso.sessions set revoked_at = clock_timestamp(), revoke_reason = 'logout'
         where session_id = ${anna.session_id}`,
      () => refresh(anna.refresh_token),
    )
    assert.equal(reply.statusCode, 401)
    const spent = await db.fast`
      select from sso.refresh_tokens where session_id = ${anna.session_id} and consumed_at is not null`
    assert.equal(spent.length, 0)
  })

  test('notices what was committed while waiting', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const reply = await overtaken(
      db,
      async (tx) => {
        await tx`select from sso.sessions where session_id = ${anna.session_id} for update`
        await tx`update sso.users set session_version = 7 where user_id = ${anna.user_id}`
      },
      () => refresh(anna.refresh_token),
    )
    assert.equal(reply.json().user.session_version, 7)
  })

  test('carries the present session_version after another session ended', async () => {
    const anna = await aUser()
    const other = await signIn(anna)
    const { sso } = await world()
    await sso.inject({ method: 'DELETE', url: `/api/v1/sessions/${other.session_id}`, headers: anna.headers })
    const { access_token, user } = (await refresh(anna.refresh_token)).json()
    assert.equal(user.session_version, 2)
    assert.equal(await isSignedIn(access_token), true)
  })

  describe('Idempotency-Key', () => {
    test('replays the same bytes, also to twenty concurrent calls', async () => {
      const anna = await aUser()
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => refresh(anna.refresh_token, { key: 'a1' })),
      )
      assert.deepEqual(new Set(replies.map((reply) => reply.statusCode)), new Set([200]))
      assert.equal(new Set(replies.map((reply) => reply.body)).size, 1)
      assert.equal(replies.filter((reply) => reply.headers['idempotent-replayed'] === 'true').length, 19)
      assert.equal((await refresh(replies[0]?.json().refresh_token)).statusCode, 200)
    })

    test('expires once the successor is spent', async () => {
      const [anna, { db }] = [await aUser(), await world()]
      const first = (await refresh(anna.refresh_token, { key: 'a1' })).json()
      const kept = () => db.fast`
        select from sso.refresh_tokens where session_id = ${anna.session_id} and response_enc is not null`
      assert.equal((await kept()).length, 1)
      assert.equal((await refresh(first.refresh_token)).statusCode, 200)
      assert.equal((await kept()).length, 0)
      const again = await refresh(anna.refresh_token, { key: 'a1' })
      assert.equal(codeOf(again), 'refresh_token_reused')
    })

    test('expires after a minute', async () => {
      const anna = await aUser()
      await refresh(anna.refresh_token, { key: 'a1' })
      await spentEarlier(anna, 1, 61)
      assert.equal((await refresh(anna.refresh_token, { key: 'a1' })).statusCode, 401)
    })

    test('is useless with another key', async () => {
      const anna = await aUser()
      await refresh(anna.refresh_token, { key: 'a1' })
      assert.equal(codeOf(await refresh(anna.refresh_token, { key: 'a2' })), 'refresh_token_just_used')
    })

    test('leaves nothing readable in the database', async () => {
      const [anna, { db }] = [await aUser(), await world()]
      const { access_token, refresh_token } = (await refresh(anna.refresh_token, { key: 'a1' })).json()
      const rows =
        await db.fast`select refresh_tokens::text as text from sso.refresh_tokens where session_id = ${anna.session_id}`
      const text = JSON.stringify(rows)
      for (const secret of [access_token, refresh_token, anna.refresh_token]) {
        assert.ok(!text.includes(secret))
        assert.ok(!text.includes(Buffer.from(secret).toString('hex')))
      }
    })

    for (const key of ['', 'é', 'x'.repeat(201)]) {
      test(`refuses ${JSON.stringify(key.slice(0, 3))} of ${key.length} characters with 422`, async () => {
        const anna = await aUser()
        assert.equal((await refresh(anna.refresh_token, { key })).statusCode, 422)
        assert.equal((await refresh(anna.refresh_token)).statusCode, 200, 'the token was not spent')
      })
    }
  })

  test('refuses a token of another site without spending it', async () => {
    const [anna, site, sandbox] = [await aUser(), await aSite(), await aSite({ environment: 'sandbox' })]
    for (const at of [site, sandbox])
      assert.equal(codeOf(await refresh(anna.refresh_token, { at })), 'refresh_token_invalid')
    assert.equal((await refresh(anna.refresh_token)).statusCode, 200)
  })

  test('refuses an expired token by name and ends nothing', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    await db.pool`update sso.refresh_tokens set expires_at = clock_timestamp() - interval '1 second' where session_id = ${anna.session_id}`
    assert.equal(codeOf(await refresh(anna.refresh_token)), 'refresh_token_expired')
    assert.equal((await stateOf(anna)).revoke_reason, null)
  })

  test('ends a session at the maximum age of its site', async () => {
    const [site, { db }] = [await aSite(), await world()]
    await db.pool`update sso.sites set session_max_days = 7 where site_id = ${site.site_id}`
    const anna = await aUser({ at: site })
    assert.equal((await refresh(anna.refresh_token, { at: site })).statusCode, 200)
    const old = await signIn(anna, { at: site })
    await db.pool`
      update sso.sessions set created_at = created_at - interval '7 days' where session_id = ${old.session_id}`
    assert.equal(codeOf(await refresh(old.refresh_token, { at: site })), 'refresh_token_expired')
    assert.equal((await stateOf(old)).revoke_reason, 'max_age')
  })

  test('extends token and session, never beyond the maximum age', async () => {
    const [site, { db }] = [await aSite(), await world()]
    await db.pool`update sso.sites set session_max_days = 40 where site_id = ${site.site_id}`
    const anna = await aUser({ at: site })
    const first = (await refresh(anna.refresh_token, { at: site })).json()
    assert.equal(first.refresh_expires_in, 2_592_000)
    await db.pool`
      update sso.sessions set created_at = created_at - interval '39 days' where session_id = ${anna.session_id}`
    const last = (await refresh(first.refresh_token, { at: site })).json()
    assert.ok(last.refresh_expires_in <= 86_400 && last.refresh_expires_in > 86_300)
    const [late] = await db.fast`
      select from sso.sessions s join sso.refresh_tokens t using (session_id)
       where s.session_id = ${anna.session_id} and t.consumed_at is null
         and (s.expires_at > s.created_at + interval '40 days' or t.expires_at > s.created_at + interval '40 days')`
    assert.equal(late, undefined)
  })

  test('refuses a suspended account without spending its token', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    await db.pool`update sso.users set status = 'suspended' where user_id = ${anna.user_id}`
    assert.equal(codeOf(await refresh(anna.refresh_token)), 'refresh_token_invalid')
    await db.pool`update sso.users set status = 'active' where user_id = ${anna.user_id}`
    assert.equal((await refresh(anna.refresh_token)).statusCode, 200)
  })

  for (const [name, payload, status] of [
    ['no token', {}, 400],
    ['a number', { refresh_token: 1 }, 422],
    ['an unknown token', { refresh_token: `rt_${'A'.repeat(43)}` }, 401],
    ['an empty token', { refresh_token: '' }, 401],
  ] as const) {
    test(`answers ${name} with ${status}`, async () => {
      const { sso } = await world()
      const { headers } = await homeSite()
      const reply = await sso.inject({ method: 'POST', url: '/v1/auth/refresh', headers, payload })
      assert.equal(reply.statusCode, status)
    })
  }

  test('needs a site key', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    const payload = { refresh_token: anna.refresh_token }
    assert.equal((await sso.inject({ method: 'POST', url: '/api/v1/auth/refresh', payload })).statusCode, 401)
    assert.equal((await refresh(anna.refresh_token)).statusCode, 200)
  })
})
