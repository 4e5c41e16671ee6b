import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { onceLetIn } from '#testing/let-in.ts'
import { aColleague, anAdmin, anOperator, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { type World, world } from '#testing/world.ts'
import { PROFILE_FIELDS } from '../../core/profile.ts'
import { mergePatch } from './merge-patch.ts'

const unique = () => randomBytes(5).toString('hex')
const anAddress = () => `new-${unique()}@example.org`

async function patch(user_id: string, payload: object, headers: Headers, query = '', at?: World['sso']) {
  const sso = at ?? (await world()).sso
  return sso.inject({ method: 'PATCH', url: `/api/v1/users/${user_id}${query}`, headers, payload })
}
async function read(user_id: string, headers: Headers) {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/users/${user_id}`, headers })
}
async function refresh(person: { refresh_token: string }, headers: Headers) {
  const { sso } = await world()
  const { refresh_token } = person
  return sso.inject({ method: 'POST', url: '/api/v1/auth/refresh', headers, payload: { refresh_token } })
}

/** Somebody who is a member of the ADMIN's site and of the home site, which is another tenant's. */
async function aSharedMember(admin: Awaited<ReturnType<typeof anAdmin>>) {
  const anna = await aUser()
  await signIn(anna, { at: admin.site })
  return anna
}

describe('mergePatch', () => {
  for (const [target, change, result] of [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])
    test(`${JSON.stringify(target)} and ${JSON.stringify(change)} give ${JSON.stringify(result)} (RFC 7396, appendix A)`, () => {
      assert.deepEqual(mergePatch(target, change), result)
    })
})

describe('PATCH /api/v1/users/{user_id}', () => {
  test('changes own sent fields, clears null, raises the version', async () => {
    const anna = await aUser()
    const first = await patch(
      anna.user_id,
      { display_name: 'Anna', phone: '+4930123456', locale: 'de', metadata: { a: { b: 1, c: 2 }, d: 3 } },
      anna.headers,
    )
    assert.equal(first.statusCode, 200, first.body)
    const before = first.json()
    assert.equal(first.headers['etag'], '"2"')
    const after = (
      await patch(anna.user_id, { phone: null, metadata: { a: { b: null }, e: 4 } }, anna.headers)
    ).json()
    assert.deepEqual(after, {
      ...before,
      phone: null,
      metadata: { a: { c: 2 }, d: 3, e: 4 },
      version: 3,
      updated_at: after.updated_at,
    })
    assert.ok(after.updated_at > before.updated_at)
    assert.deepEqual((await read(anna.user_id, anna.headers)).json(), after)
    assert.deepEqual((await patch(anna.user_id, { metadata: null }, anna.headers)).json().metadata, {})
  })

  test('keeps the version when nothing changes', async () => {
    const anna = await aUser()
    const set = (
      await patch(anna.user_id, { display_name: 'Anna', metadata: { a: { b: [1] } } }, anna.headers)
    ).json()
    for (const same of [{}, { display_name: 'Anna' }, { metadata: { a: { b: [1] } } }, { nickname: 'x' }]) {
      const reply = await patch(anna.user_id, same, anna.headers)
      assert.equal(reply.statusCode, 200)
      assert.deepEqual(reply.json(), set)
    }
  })

  test('accepts a merge patch under its media type', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    const reply = await sso.inject({
      method: 'PATCH',
      url: `/v1/users/${anna.user_id}`,
      headers: { ...anna.headers, 'content-type': 'application/merge-patch+json' },
      payload: JSON.stringify({ display_name: 'Anna' }),
    })
    assert.equal(reply.json().display_name, 'Anna')
  })

  test('accepts one of fifty with the same version', async () => {
    const anna = await aUser()
    const one = (n: number, version: number) =>
      n % 2
        ? patch(anna.user_id, { display_name: `Anna ${n}`, version }, anna.headers)
        : patch(
            anna.user_id,
            { display_name: `Anna ${n}` },
            { ...anna.headers, 'if-match': `W/"${version}"` },
          )
    const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => one(n, 1)))
    const winners = replies.filter(({ statusCode }) => statusCode === 200)
    assert.equal(winners.length, 1)
    const losers = replies.filter(({ statusCode }) => statusCode !== 200)
    assert.ok(losers.every((reply) => reply.statusCode === 409 && reply.json().code === 'version_conflict'))
    assert.deepEqual((await read(anna.user_id, anna.headers)).json(), winners[0]?.json())
  })

  test('accepts version lists and * in If-Match only', async () => {
    const anna = await aUser()
    const withTag = (tag: string) =>
      patch(anna.user_id, { display_name: unique() }, { ...anna.headers, 'if-match': tag })
    assert.equal((await withTag('"7", "1"')).statusCode, 200)
    assert.equal((await withTag('*')).statusCode, 200)
    assert.equal((await withTag('"1"')).statusCode, 409)
    for (const tag of ['3', '"x"', '""', 'W/3']) assert.equal((await withTag(tag)).statusCode, 422, tag)
  })

  test('counts each of fifty concurrent changes without a version', async () => {
    const anna = await aUser()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => patch(anna.user_id, { display_name: `Anna ${n}` }, anna.headers)),
    )
    assert.ok(replies.every(({ statusCode }) => statusCode === 200))
    assert.equal((await read(anna.user_id, anna.headers)).json().version, 51)
  })

  test('never assigns protected fields', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const row =
      () => db.pool`select to_jsonb(u) - 'version' - 'updated_at' - 'display_name' - 'display_name_fold' - 'search' as row
                                from sso.users u where user_id = ${anna.user_id}`
    const before = await row()
    const forged = {
      user_id: randomUUID(),
      session_version: 99,
      password_hash: 'x',
      password: 'correct horse battery',
      tenant_id: 'x',
      environment: 'sandbox',
      registration_source: 'admin',
      email_verified: true,
      email_proven_at: '2026-01-01T00:00:00Z',
      phone_verified: true,
      mfa_enabled: true,
      role: 'ADMIN',
      roles: [{ site_code: 'console', role: 'ADMIN' }],
      created_at: '2020-01-01T00:00:00Z',
      last_login_at: null,
      email_fold: 'x',
      username_fold: 'x',
      search: 'x',
    }
    const reply = await patch(anna.user_id, { ...forged, display_name: 'Anna' }, anna.headers)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(await row(), before)
  })

  for (const field of ['status', 'member_status', 'external_id'])
    test(`lets nobody change their own ${field}`, async () => {
      const anna = await aUser()
      const value = field === 'external_id' ? 'x' : 'active'
      const reply = await patch(anna.user_id, { [field]: value, display_name: 'Anna' }, anna.headers)
      assert.equal(reply.statusCode, 403)
      assert.equal(reply.json().code, 'field_not_allowed')
      assert.equal((await read(anna.user_id, anna.headers)).json().display_name, null)
    })

  for (const [what, body] of [
    ['a wrong address', { email: 'x' }],
    ['no address', { email: null }],
    ['a number', { display_name: 5 }],
    ['a text as version', { version: '1' }],
    ['version 0', { version: 0 }],
    ['a phone that is none', { phone: '110' }],
    ['a zone that is none', { time_zone: 'Mars/Base' }],
    ['a locale that is none', { locale: 'english' }],
    ['a list as metadata', { metadata: [1] }],
    ['17 KiB of metadata', { metadata: { text: 'x'.repeat(17_000) } }],
    ['an address of no website', { avatar_url: 'data:text/html,x' }],
    ['an unknown status', { member_status: 'deleted' }],
    ['what cannot be stored', { display_name: 'a\u0000' }],
    ['what cannot be stored inside metadata', { metadata: { a: ['\u0001'] } }],
  ] as const)
    test(`refuses ${what} with 422`, async () => {
      const anna = await aUser()
      assert.equal((await patch(anna.user_id, body, anna.headers)).statusCode, 422)
      assert.equal((await read(anna.user_id, anna.headers)).json().version, 1)
    })

  for (const field of ['email', ...PROFILE_FIELDS, 'external_id', 'status', 'member_status'])
    test(`refuses unstorable text in ${field}`, async () => {
      const anna = await aUser()
      for (const odd of ['\u0000', 'a\u0007b', 'abc\u007f', 'x\ud800y'])
        assert.equal((await patch(anna.user_id, { [field]: odd }, anna.headers)).statusCode, 422)
    })

  test('keeps metadata within 16 KiB over several patches', async () => {
    const anna = await aUser()
    const part = () => ({ metadata: { [unique()]: 'x'.repeat(7_000) } })
    assert.equal((await patch(anna.user_id, part(), anna.headers)).statusCode, 200)
    assert.equal((await patch(anna.user_id, part(), anna.headers)).statusCode, 200)
    assert.equal((await patch(anna.user_id, part(), anna.headers)).statusCode, 422)
  })

  test('answers 422 to a non-object and 400 to invalid JSON', async () => {
    const [anna, { sso }] = [await aUser(), await world()]
    for (const [payload, status] of [
      ['[]', 422],
      ['"x"', 422],
      ['{', 400],
    ] as const) {
      const reply = await sso.inject({
        method: 'PATCH',
        url: `/api/v1/users/${anna.user_id}`,
        headers: { ...anna.headers, 'content-type': 'application/json' },
        payload,
      })
      assert.equal(reply.statusCode, status, payload)
    }
  })

  test('needs a token, and answers unknown and foreign ids alike', async () => {
    const [anna, ben, admin] = [await aUser(), await aUser(), await anAdmin()]
    assert.equal((await patch(anna.user_id, { display_name: 'x' }, {})).statusCode, 401)
    const sandbox = await aSite({ environment: 'sandbox' })
    const tester = await aUser({ at: sandbox })
    const bytes = new Set<string>()
    for (const [caller, id] of [
      [anna, ben.user_id],
      [admin, ben.user_id],
      [anna, randomUUID()],
      [anna, 'x'],
      [tester, anna.user_id],
      [admin, tester.user_id],
      [tester, sandbox.owner.user_id],
    ] as const /* prettier-ignore */) {
      const reply = await patch(id, { display_name: 'x' }, caller.headers)
      assert.equal(reply.statusCode, 404)
      bytes.add(JSON.stringify({ ...reply.json(), request_id: '' }))
    }
    assert.equal(bytes.size, 1)
  })

  describe('of an e-mail address', () => {
    test('by an ADMIN unverifies it, ends sessions, mails both', async () => {
      const [admin, { db }] = [await anAdmin(), await world()]
      const anna = await aColleague(admin)
      await db.pool`delete from sso.messages where user_id = ${anna.user_id}`
      const email = anAddress()
      const user = (await patch(anna.user_id, { email }, admin.headers)).json()
      assert.deepEqual([user.email, user.email_verified, user.session_version], [email, false, 2])
      assert.ok(!('pending_email' in user))
      const [row] = await db.pool`select email_proven_at from sso.users where user_id = ${anna.user_id}`
      assert.equal(row?.['email_proven_at'], null)
      assert.equal((await read(anna.user_id, anna.headers)).statusCode, 401)
      assert.equal((await refresh(anna, admin.site.headers)).statusCode, 401)
      const letters = await db.pool<{ kind: string; recipient: string }[]>`
        select kind, recipient from sso.messages where user_id = ${anna.user_id} order by kind`
      assert.deepEqual(
        [...letters],
        [
          { kind: 'email_changed_notice', recipient: anna.email },
          { kind: 'email_verification', recipient: email },
        ],
      )
    })

    test('needs the password or a proof within fifteen minutes', async () => {
      const [anna, { db }] = [await aUser(), await world()]
      const email = anAddress()
      await db.pool`
        update sso.sessions set proven_at = clock_timestamp() - interval '16 minutes' where user_id = ${anna.user_id}`
      for (const stolen of [{}, { current_password: '' }, { current_password: 'not the right one' }]) {
        const reply = await patch(anna.user_id, { email, ...stolen }, anna.headers)
        assert.deepEqual([reply.statusCode, reply.json().code], [403, 'reauthentication_required'])
      }
      const kept = await patch(
        anna.user_id,
        { email: anna.email.toUpperCase(), given_name: 'Anna' },
        anna.headers,
      )
      assert.deepEqual([kept.statusCode, kept.json().given_name], [200, 'Anna'])
      const asked = await patch(anna.user_id, { email, current_password: anna.password }, anna.headers)
      assert.deepEqual([asked.statusCode, asked.json().pending_email], [200, email])
    })

    test('is refused when the session ended since the check', async () => {
      const [anna, { db }] = [await aUser(), await world()]
      const [reply] = await onceLetIn(
        await world(),
        [(sso) => patch(anna.user_id, { email: anAddress() }, anna.headers, '', sso)],
        () => db.pool`
          update sso.sessions set revoked_at = clock_timestamp(), revoke_reason = 'logout' where user_id = ${anna.user_id}`,
      )
      assert.equal(reply?.statusCode, 403)
    })

    test('ends nothing when only the spelling changes', async () => {
      const anna = await aUser()
      const user = (await patch(anna.user_id, { email: anna.email.toUpperCase() }, anna.headers)).json()
      assert.equal(user.email, anna.email.toUpperCase())
      assert.equal((await read(anna.user_id, anna.headers)).json().session_version, 1)
    })

    test('by fifty ADMINs to one address succeeds once', async () => {
      const admin = await anAdmin()
      const people = await Promise.all(Array.from({ length: 10 }, () => aColleague(admin)))
      const email = anAddress()
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, n) => {
          const person = people[n % 10]
          assert.ok(person)
          return patch(person.user_id, { email: n % 3 ? email : email.toUpperCase() }, admin.headers)
        }),
      )
      const changed = new Set(replies.filter((r) => r.statusCode === 200).map((r) => r.json().user_id))
      assert.equal(changed.size, 1)
      for (const reply of replies) assert.ok([200, 409].includes(reply.statusCode), reply.body)
      assert.ok(replies.some((reply) => reply.statusCode === 409 && reply.json().code === 'email_taken'))
    })
  })

  describe('by an ADMIN', () => {
    test('changes everything of an exclusive member', async () => {
      const admin = await anAdmin()
      const anna = await aColleague(admin)
      const change = { display_name: 'Anna', email: anAddress(), external_id: unique() }
      const reply = await patch(anna.user_id, change, admin.headers)
      assert.equal(reply.statusCode, 200, reply.body)
      const { display_name, email, external_id } = reply.json()
      assert.deepEqual({ display_name, email, external_id }, change)
      assert.equal((await refresh(anna, admin.site.headers)).statusCode, 401)
    })

    test('changes only the membership of a shared member', async () => {
      const admin = await anAdmin()
      const anna = await aSharedMember(admin)
      const before = (await read(anna.user_id, anna.headers)).json()
      for (const field of [
        { email: anAddress() },
        { display_name: 'x' },
        { status: 'suspended' },
        { username: `u-${unique()}` },
      ]) {
        const reply = await patch(anna.user_id, { ...field, external_id: 'x' }, admin.headers)
        assert.equal(reply.statusCode, 403)
        assert.equal(reply.json().code, 'user_shared')
      }
      assert.deepEqual((await read(anna.user_id, anna.headers)).json(), before)
      const reply = await patch(anna.user_id, { external_id: 'pupil-7' }, admin.headers)
      assert.equal(reply.json().external_id, 'pupil-7')
      assert.equal((await patch(anna.user_id, { external_id: null }, admin.headers)).json().external_id, null)
    })

    test('cannot take over an ADMIN of another site', async () => {
      const admin = await anAdmin()
      const { sso } = await world()
      const owner = await signIn(admin)
      const made = await sso.inject({
        method: 'POST',
        url: '/api/v1/sites',
        headers: owner.headers,
        payload: { name: `Second ${unique()}`, environment: 'production', tenant_id: admin.tenant_id },
      })
      assert.equal(made.json().tenant_id, admin.tenant_id)
      const second = { ...made.json(), headers: { 'x-sso-site-key': made.json().site_key } }
      const little = await aUser({ at: second })
      const { db } = await world()
      await db.pool`
        update sso.memberships set role = 'ADMIN'
         where user_id = ${little.user_id} and site_id = ${second.site_id}`
      await signIn(admin, { at: second })
      const littleAdmin = await signIn(little, { at: second })
      const reply = await patch(admin.user_id, { email: anAddress() }, littleAdmin.headers)
      assert.equal(reply.json().code, 'user_shared')
      assert.equal(
        (await patch(little.user_id, { display_name: 'x' }, owner.headers, `?site_code=${second.site_code}`))
          .statusCode,
        200,
      )
    })

    test('is refused once the ADMIN is suspended', async () => {
      const [admin, { db }] = [await anAdmin(), await world()]
      const anna = await aColleague(admin)
      const { headers } = admin
      const url = `/api/v1/users/${anna.user_id}`
      const payload = { role: 'ADMIN' }
      const answers = await onceLetIn(
        await world(),
        [
          (sso) => sso.inject({ url: '/api/v1/users', headers }),
          (sso) => patch(anna.user_id, { given_name: 'Taken' }, headers, '', sso),
          (sso) => patch(anna.user_id, { member_status: 'suspended' }, headers, '', sso),
          (sso) => sso.inject({ url, headers }),
          (sso) => sso.inject({ method: 'DELETE', url, headers }),
          (sso) => sso.inject({ method: 'POST', url: `${url}/roles`, headers, payload }),
          (sso) => sso.inject({ method: 'DELETE', url: `${url}/sessions`, headers }),
          (sso) => sso.inject({ method: 'DELETE', url: `${url}/mfa`, headers }),
        ],
        () => db.pool`update sso.users set status = 'suspended' where user_id = ${admin.user_id}`,
      )
      const [list, ...others] = answers
      assert.equal(others.length, 7)
      // The site they still see is 403, the person 404.
      for (const { statusCode, body } of others) assert.ok([403, 404].includes(statusCode), body)
      assert.deepEqual(list?.json().items, [])
      assert.equal((await read(anna.user_id, anna.headers)).json().given_name, null)
    })

    test('loses access to the person once they join another tenant', async () => {
      const [admin, elsewhere] = [await anAdmin(), await aSite()]
      const anna = await aColleague(admin)
      assert.equal((await patch(anna.user_id, { display_name: 'a' }, admin.headers)).statusCode, 200)
      await signIn(anna, { at: elsewhere })
      assert.equal((await patch(anna.user_id, { display_name: 'b' }, admin.headers)).statusCode, 403)
    })

    test('suspends an exclusive member everywhere and reinstates them', async () => {
      const admin = await anAdmin()
      const anna = await aColleague(admin)
      const { sso } = await world()
      assert.equal(
        (await patch(anna.user_id, { status: 'suspended' }, admin.headers)).json().status,
        'suspended',
      )
      assert.equal((await read(anna.user_id, anna.headers)).statusCode, 401)
      assert.equal((await refresh(anna, admin.site.headers)).statusCode, 401)
      const login = () =>
        sso.inject({
          method: 'POST',
          url: '/api/v1/auth/login',
          headers: admin.site.headers,
          payload: { email: anna.email, password: anna.password },
        })
      assert.equal((await login()).json().code, 'account_suspended')
      assert.equal((await patch(anna.user_id, { status: 'active' }, admin.headers)).statusCode, 200)
      assert.equal((await login()).statusCode, 200)
    })

    test("suspends a shared member on the ADMIN's site only", async () => {
      const admin = await anAdmin()
      const anna = await aUser()
      const here = await signIn(anna, { at: admin.site })
      const reply = await patch(anna.user_id, { member_status: 'suspended' }, admin.headers)
      assert.equal(reply.json().member_status, 'suspended')
      assert.equal((await refresh(here, admin.site.headers)).statusCode, 401)
      const { sso } = await world()
      const login = await sso.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers: admin.site.headers,
        payload: { email: anna.email, password: anna.password },
      })
      assert.equal(login.json().code, 'account_suspended')
      assert.equal((await signIn(anna)).user_id, anna.user_id)
      assert.equal(
        (await patch(anna.user_id, { member_status: 'active' }, admin.headers)).json().member_status,
        'active',
      )
      assert.equal((await signIn(anna, { at: admin.site })).user_id, anna.user_id)
    })

    test('cannot suspend the last ADMIN of a site', async () => {
      const [admin, operator] = [await anAdmin(), await anOperator()]
      const own = await patch(admin.user_id, { member_status: 'suspended' }, admin.headers)
      assert.equal(own.json().code, 'last_admin')
      const whole = await patch(admin.user_id, { status: 'suspended' }, operator.headers)
      assert.equal(whole.statusCode, 409)
      assert.equal((await read(admin.user_id, admin.headers)).statusCode, 200)
    })

    test('reports an external_id of another member', async () => {
      const admin = await anAdmin()
      const [anna, ben] = [await aColleague(admin), await aColleague(admin)]
      assert.equal((await patch(anna.user_id, { external_id: 'same' }, admin.headers)).statusCode, 200)
      assert.equal(
        (await patch(ben.user_id, { external_id: 'same' }, admin.headers)).json().code,
        'external_id_taken',
      )
    })

    test('is audited with field names only', async () => {
      const [admin, { db }] = [await anAdmin(), await world()]
      const anna = await aColleague(admin)
      await patch(anna.user_id, { display_name: 'Canary Bird' }, admin.headers)
      const acts = await db.pool<{ action: string; details: object; actor_user_id: string }[]>`
        select action, details, actor_user_id from sso.audit_log
         where subject_user_id = ${anna.user_id} and action = 'user.updated'`
      assert.deepEqual(
        [...acts],
        [{ action: 'user.updated', details: { fields: ['display_name'] }, actor_user_id: admin.user_id }],
      )
    })
  })
})
