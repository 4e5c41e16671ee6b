import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { eventually } from '#testing/eventually.ts'
import { anOperator, aSite, aUser, homeSite, nobody, type Person, signIn } from '#testing/people.ts'
import { buildWorld, type World, world } from '#testing/world.ts'
import { takeStep } from './rotation.ts'

const shared = await world()
const [scheduled, operated] = [await buildWorld(), await buildWorld()]

type Key = { kid: string; state: string; private_enc: Buffer | null }

const ring = ({ db }: World, environment = 'production', purpose = 'access') =>
  db.pool<Key[]>`
    select kid, state, private_enc from sso.signing_keys
     where environment = ${environment} and purpose = ${purpose} order by created_at, kid`
const kidOf = async (lyceum: World, state: string) =>
  (await ring(lyceum)).find((key) => key.state === state)?.kid ?? ''
/** Of the keys that are in the ring. */
const statesOf = async (lyceum: World, environment?: string, purpose?: string) =>
  (await ring(lyceum, environment, purpose))
    .map(({ state }) => state)
    .filter((state) => state !== 'revoked')
    .toSorted()

/** Moves the time since the key came into its state, as if it had been that long. */
const since = ({ db }: World, column: string, state: string, ago: string) => db.pool`
  update sso.signing_keys set ${db.pool(column)} = clock_timestamp() - ${ago}::interval
   where state = ${state} and environment = 'production' and purpose = 'access'`

const rotate = async (lyceum: World, { headers }: Pick<Person, 'headers'>, body: object) => {
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/signing-keys/rotate',
    headers,
    payload: body,
  })
  return { status: reply.statusCode, body: reply.json() }
}
const statusOf = async ({ sso }: World, access_token: string) =>
  (await sso.inject({ url: '/api/v1/sessions', headers: { authorization: `Bearer ${access_token}` } }))
    .statusCode

/** A person whose site signs RS256. */
async function signedByRing(lyceum: World) {
  const { owner, ...site } = await aSite({ lyceum })
  await lyceum.db.pool`update sso.sites set token_signing = 'RS256' where site_id = ${site.site_id}`
  const again = () => signIn(owner, { at: site, lyceum })
  return { ...(await again()), again }
}

describe('the rotation by schedule', () => {
  const lyceum = scheduled

  test('changes nothing before anything is due', async () => {
    const before = await ring(lyceum)
    assert.equal(await takeStep(lyceum.parts), false)
    assert.deepEqual(await ring(lyceum), before)
  })

  test('activates the standby after 90 days, once under concurrency', async () => {
    const standby = await kidOf(lyceum, 'standby')
    await since(lyceum, 'created_at', 'standby', '11 minutes')
    await since(lyceum, 'activated_at', 'active', '89 days 23:59')
    assert.equal(await takeStep(lyceum.parts), false)
    await since(lyceum, 'activated_at', 'active', '90 days 1 second')
    await Promise.all(Array.from({ length: 50 }, () => takeStep(lyceum.parts)))
    assert.deepEqual(await statesOf(lyceum), ['active', 'retiring', 'standby'])
    assert.equal(await kidOf(lyceum, 'active'), standby)
    const [{ lines }] = await lyceum.db.pool<[{ lines: number }]>`
      select count(*) as lines from sso.audit_log
       where action = 'signing_key.activated' and details ->> 'kid' = ${standby}`
    assert.equal(lines, 1)
  })

  test('never activates a standby published for under ten minutes', async () => {
    await since(lyceum, 'activated_at', 'active', '100 days')
    await since(lyceum, 'created_at', 'standby', '9 minutes 55 seconds')
    assert.equal(await takeStep(lyceum.parts), false)
    await since(lyceum, 'created_at', 'standby', '10 minutes')
    assert.equal(await takeStep(lyceum.parts), true)
  })

  test('removes a retired key and its private part after 36 minutes', async () => {
    await since(lyceum, 'created_at', 'standby', '11 minutes')
    await since(lyceum, 'activated_at', 'active', '91 days')
    await takeStep(lyceum.parts)
    const kid = await kidOf(lyceum, 'retiring')
    await since(lyceum, 'retiring_at', 'retiring', '35 minutes 55 seconds')
    assert.equal(await takeStep(lyceum.parts), false)
    await since(lyceum, 'retiring_at', 'retiring', '36 minutes')
    assert.equal(await takeStep(lyceum.parts), true)
    const gone = (await ring(lyceum)).find((key) => key.kid === kid)
    assert.deepEqual([gone?.state, gone?.private_enc], ['revoked', null])
  })

  test('updates its own process at once', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const lyceum = await buildWorld()
    const person = await signedByRing(lyceum)
    const standby = await kidOf(lyceum, 'standby')
    await since(lyceum, 'created_at', 'standby', '11 minutes')
    await since(lyceum, 'activated_at', 'active', '91 days')
    t.mock.timers.tick(60_000)
    const after = await eventually(
      () => person.again(),
      ({ access_token }) => decodeProtectedHeader(access_token).kid === standby,
    )
    assert.deepEqual(
      [await statusOf(lyceum, person.access_token), await statusOf(lyceum, after.access_token)],
      [200, 200],
    )
  })
})

describe('POST /api/v1/signing-keys/rotate', () => {
  const lyceum = operated

  test('activates a published standby at once and refuses no token', async () => {
    const [operator, person] = [await anOperator(lyceum), await signedByRing(lyceum)]
    const [active, standby] = [await kidOf(lyceum, 'active'), await kidOf(lyceum, 'standby')]
    await since(lyceum, 'created_at', 'standby', '10 minutes')
    const { status, body } = await rotate(lyceum, operator, { environment: 'production' })
    assert.equal(status, 200)
    const { standby_kid, ...rest } = body
    assert.deepEqual(rest, {
      environment: 'production',
      purpose: 'access',
      active_kid: standby,
      activates_at: null,
      revoked_kid: null,
    })
    assert.ok(![active, standby].includes(standby_kid))
    const after = await person.again()
    assert.equal(decodeProtectedHeader(after.access_token).kid, standby)
    assert.equal(decodeProtectedHeader(person.access_token).kid, active)
    assert.deepEqual(
      [await statusOf(lyceum, person.access_token), await statusOf(lyceum, after.access_token)],
      [200, 200],
    )
  })

  test('schedules a standby that is too young, idempotently', async () => {
    const operator = await anOperator(lyceum)
    const [active, standby] = [await kidOf(lyceum, 'active'), await kidOf(lyceum, 'standby')]
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => rotate(lyceum, operator, { environment: 'production' })),
    )
    const [{ body } = { body: undefined }] = answers
    for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, body])
    assert.deepEqual([body.active_kid, body.standby_kid], [active, standby])
    const wait = Date.parse(body.activates_at) - Date.now()
    assert.ok(wait > 500_000 && wait <= 600_000, `${wait} ms`)
    await since(lyceum, 'created_at', 'standby', '10 minutes')
    await since(lyceum, 'activates_at', 'standby', '1 second')
    assert.equal(await takeStep(lyceum.parts), true)
    assert.equal(await kidOf(lyceum, 'active'), standby)
  })

  test('affects no other environment or purpose', async () => {
    const operator = await anOperator(lyceum)
    const others = () =>
      Promise.all([
        ring(lyceum, 'production', 'access'),
        ring(lyceum, 'production', 'logout'),
        ring(lyceum, 'sandbox', 'access'),
      ])
    const before = await others()
    await lyceum.db.pool`
      update sso.signing_keys set created_at = created_at - interval '1 hour' where environment = 'sandbox'`
    const { body } = await rotate(lyceum, operator, { environment: 'sandbox', purpose: 'logout' })
    assert.equal(body.purpose, 'logout')
    assert.deepEqual(await statesOf(lyceum, 'sandbox', 'logout'), ['active', 'retiring', 'standby'])
    assert.deepEqual(await others(), before)
  })

  test('emergency: revokes the key and its tokens, sessions survive', async () => {
    const operator = await anOperator(lyceum)
    const person = await signedByRing(lyceum)
    const byHmac = await aUser({ lyceum })
    const { owner: _owner, ...sandbox } = await aSite({ environment: 'sandbox', lyceum })
    const elsewhere = await aUser({ at: sandbox, lyceum })
    const [active, standby] = [await kidOf(lyceum, 'active'), await kidOf(lyceum, 'standby')]
    const { status, body } = await rotate(lyceum, operator, {
      environment: 'production',
      emergency: active,
    })
    assert.deepEqual([status, body.revoked_kid, body.standby_kid], [200, active, standby])
    assert.ok(![active, standby].includes(body.active_kid))
    const gone = (await ring(lyceum)).find((key) => key.kid === active)
    assert.deepEqual([gone?.state, gone?.private_enc], ['revoked', null])
    const { keys } = (await lyceum.sso.inject('/.well-known/jwks.json')).json()
    assert.ok(!keys.some(({ kid }: { kid: string }) => kid === active))
    assert.deepEqual(
      [
        await statusOf(lyceum, person.access_token),
        await statusOf(lyceum, byHmac.access_token),
        await statusOf(lyceum, operator.access_token),
        await statusOf(lyceum, elsewhere.access_token),
      ],
      [401, 401, 401, 200],
    )
    const { headers } = await homeSite(lyceum)
    const refreshed = await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/auth/refresh',
      headers,
      payload: { refresh_token: byHmac.refresh_token },
    })
    assert.equal(refreshed.statusCode, 200)
    assert.equal(await statusOf(lyceum, refreshed.json().access_token), 200)
    const after = await person.again()
    assert.equal(decodeProtectedHeader(after.access_token).kid, body.active_kid)
    assert.equal(await statusOf(lyceum, after.access_token), 200)
  })

  test('emergency: a repeat changes nothing, also under concurrency', async () => {
    const operator = await anOperator(lyceum)
    const person = await aUser({ lyceum })
    const versionOf = async () => {
      const [row] = await lyceum.db.pool<{ session_version: number }[]>`
        select session_version from sso.users where user_id = ${person.user_id}`
      return row?.session_version ?? 0
    }
    const before = await versionOf()
    const body = { environment: 'production', emergency: await kidOf(lyceum, 'standby') }
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(lyceum, operator, body)))
    // Whoever comes after the first has a token that died with it.
    assert.ok(answers.every(({ status }) => [200, 401, 403].includes(status)))
    assert.equal(
      answers.some(({ status }) => status === 200),
      true,
    )
    const again = await rotate(lyceum, await anOperator(lyceum), body)
    assert.equal(again.status, 200)
    assert.equal(await versionOf(), before + 1)
    const states = await statesOf(lyceum)
    assert.deepEqual(
      states.filter((state) => state !== 'retiring'),
      ['active', 'standby'],
    )
  })

  test('emergency: replacing a logout key keeps access tokens valid', async () => {
    const operator = await anOperator(lyceum)
    const bumps = async () => {
      const [row] = await lyceum.db.pool<{ versions: number }[]>`
        select sum(session_version) as versions from sso.users`
      return row?.versions
    }
    const before = await bumps()
    const key = (await ring(lyceum, 'sandbox', 'logout')).find(({ state }) => state === 'active')
    const { status, body } = await rotate(lyceum, operator, { environment: 'sandbox', emergency: key?.kid })
    assert.deepEqual([status, body.purpose], [200, 'logout'])
    assert.equal(await bumps(), before)
    assert.equal(await statusOf(lyceum, operator.access_token), 200)
  })

  const unknown = 'A'.repeat(43)
  for (const [name, body, status] of [
    ['no environment', {}, 400],
    ['an environment that is none', { environment: 'staging' }, 422],
    ['a purpose that is none', { environment: 'sandbox', purpose: 'id' }, 422],
    ['a kid that is none', { environment: 'sandbox', emergency: 'x' }, 422],
    ['a kid nobody has', { environment: 'sandbox', emergency: unknown }, 404],
  ] as const)
    test(`answers ${status} to ${name} and changes nothing`, async () => {
      const before = await ring(lyceum, 'sandbox')
      assert.equal((await rotate(lyceum, await anOperator(lyceum), body)).status, status)
      assert.deepEqual(await ring(lyceum, 'sandbox'), before)
    })

  test('does not find a key of the other environment', async () => {
    const [key] = await ring(lyceum, 'sandbox')
    const operator = await anOperator(lyceum)
    const { status } = await rotate(lyceum, operator, { environment: 'production', emergency: key?.kid })
    assert.equal(status, 404)
  })

  test('audits who asked, without key material', async () => {
    const operator = await anOperator(lyceum)
    await rotate(lyceum, operator, { environment: 'production', emergency: await kidOf(lyceum, 'standby') })
    const again = await anOperator(lyceum)
    const [active, standby] = [await kidOf(lyceum, 'active'), await kidOf(lyceum, 'standby')]
    await rotate(lyceum, again, { environment: 'production' })
    await rotate(lyceum, again, { environment: 'production', emergency: active })
    const acts = await lyceum.db.pool<{ action: string; actor_user_id: string; details: object }[]>`
      select action, actor_user_id, details from sso.audit_log
       where action like 'signing_key.%' and details ->> 'kid' = any(${[active, standby]})
       order by occurred_at, audit_id`
    assert.deepEqual(
      acts.map(({ action, actor_user_id }) => [action, actor_user_id]),
      [
        ['signing_key.rotation_asked', operator.user_id],
        ['signing_key.revoked', operator.user_id],
      ],
    )
    assert.deepEqual(acts[1]?.details, {
      kid: active,
      purpose: 'access',
      reason: 'emergency',
      was: 'active',
    })
  })
})

describe('the routes of operators', () => {
  const people: [string, () => Promise<{ headers: Record<string, string> }>, number][] = [
    ['nobody', nobody, 401],
    ['a person', () => aUser(), 403],
    [
      'the ADMIN of a partner site',
      async () => {
        const { owner, ...site } = await aSite()
        return signIn(owner, { at: site })
      },
      403,
    ],
    ['the ADMIN of learning', async () => signIn(shared.firstRun.admin), 403],
    ['a site with its key', () => homeSite(), 401],
  ]
  for (const [name, who, status] of people)
    test(`are closed to ${name}`, async () => {
      const { headers } = await who()
      const before = await ring(shared)
      const read = await shared.sso.inject({ url: '/api/v1/signing-keys', headers })
      const write = await rotate(shared, { headers }, { environment: 'production' })
      assert.deepEqual([read.statusCode, write.status], [status, status])
      assert.deepEqual(await ring(shared), before)
    })

  test('list the keys newest first, without secrets', async () => {
    const operator = await anOperator(shared)
    const { sso } = shared
    const list = async (query: string) =>
      (await sso.inject({ url: `/api/v1/signing-keys${query}`, headers: operator.headers })).json()
    const all = await list('?per_page=100')
    assert.deepEqual([all.total, all.items.length], [8, 8])
    assert.deepEqual(Object.keys(all.items[0]).toSorted(), [
      'activated_at',
      'activates_at',
      'alg',
      'created_at',
      'environment',
      'kid',
      'purpose',
      'retiring_at',
      'revoked_at',
      'state',
    ])
    const paged = [...(await list('?per_page=5')).items, ...(await list('?per_page=5&page=2')).items]
    assert.deepEqual(paged, all.items)
    const sandbox = await list('?environment=sandbox')
    assert.ok(sandbox.items.every(({ environment }: { environment: string }) => environment === 'sandbox'))
    assert.equal(sandbox.total, 4)
  })

  test('refuse an operator demoted since the token was checked', async () => {
    const own = await buildWorld()
    const operator = await anOperator(own)
    await statusOf(own, operator.access_token)
    await own.db.pool`
      update sso.memberships set role = 'USER'
       where user_id = ${operator.user_id} and site_id = ${own.firstRun.sites['console']?.site_id ?? ''}`
    const before = await ring(own)
    assert.equal((await rotate(own, operator, { environment: 'production' })).status, 403)
    const emergency = await kidOf(own, 'active')
    assert.equal((await rotate(own, operator, { environment: 'production', emergency })).status, 403)
    assert.deepEqual(await ring(own), before)
  })
})
