import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { newRequestId } from '#foundation/ids.ts'
import { giveTotp } from '#testing/mfa.ts'
import { aColleague, anAdmin, anOperator, aUser, type Headers, type Person, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

/** What the pages about people ask the API, with tokens of the console. */
const { db, firstRun, sso } = await world()
const unique = () => randomBytes(5).toString('hex')

/** The headers of the person's token of the console. */
async function atConsole(person: Pick<Person, 'email' | 'password'>): Promise<Headers> {
  const site = firstRun.sites['console']
  assert.ok(site)
  const headers = { 'x-sso-site-key': site.site_key }
  return (await signIn(person, { at: { ...site, site_code: 'console', tenant_id: '', headers } })).headers
}

/** An ADMIN with a token of the console, and a member of the site. */
async function aScene() {
  const admin = await anAdmin()
  const member = await aColleague(admin)
  return { admin, member, site: admin.site, headers: await atConsole(admin) }
}

const ask = (url: string, headers: Headers) => sso.inject({ url, headers })
const find = async (id: string, headers: Headers) => {
  const reply = await ask(`/api/v1/console/find?${new URLSearchParams({ id }).toString()}`, headers)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json().items as Record<string, string | number | null>[]
}

/** An event about the person with two deliveries to an endpoint of the site. */
async function anEvent(site_id: string, user_id: string) {
  const [event_id, webhook_id, ...delivery_ids] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await db.pool`
    insert into sso.webhook_endpoints (webhook_id, site_id, url, events)
    values (${webhook_id}, ${site_id}, 'https://1.1.1.1/', '{*}')`
  await db.pool`
    insert into sso.webhook_events (event_id, site_id, subject_user_id, event_type, body)
    values (${event_id}, ${site_id}, ${user_id}, 'user.updated', '{}')`
  await db.pool`
    insert into sso.webhook_deliveries (delivery_id, event_id, webhook_id, site_id, event_type, run, max_attempts, state)
    select id, ${event_id}, ${webhook_id}, ${site_id}, 'user.updated', n, 5, 'delivered'
      from unnest(${delivery_ids}::uuid[]) with ordinality as d(id, n)`
  return { event_id, webhook_id, delivery_ids }
}

describe('GET /api/v1/console/find', () => {
  test('leads from every kind of id to the person', async () => {
    const { member, site, headers } = await aScene()
    const external_id = `pupil-${unique()}`
    await db.pool`
      update sso.memberships set external_id = ${external_id}
       where user_id = ${member.user_id} and site_id = ${site.site_id}`
    const { event_id, webhook_id, delivery_ids } = await anEvent(site.site_id, member.user_id)
    for (const [id, kind] of [
      [member.user_id, 'person'],
      [member.user_id.toUpperCase(), 'person'],
      [member.session_id, 'session'],
      [external_id, 'external_id'],
      [event_id, 'event'],
      ...delivery_ids.map((delivery_id) => [delivery_id, 'event'] as const),
    ] as const) {
      const [hit, ...more] = await find(id, headers)
      assert.deepEqual(
        [hit?.['kind'], hit?.['user_id'], hit?.['email'], more],
        [kind, member.user_id, member.email, []],
        id,
      )
    }
    const [first, newest] = [await find(delivery_ids[0] ?? '', headers), await find(event_id, headers)]
    assert.deepEqual([first[0]?.['run'], first[0]?.['webhook_id']], [1, webhook_id])
    assert.equal(newest[0]?.['site_code'], site.site_code)
    const [found] = await find(site.site_id, headers)
    assert.deepEqual(
      [found?.['kind'], found?.['site_code'], found?.['user_id']],
      ['site', site.site_code, null],
    )
  })

  test('finds nothing of sites of others, whatever is asked', async () => {
    const [{ headers, admin }, stranger] = [await aScene(), await aScene()]
    const { event_id, delivery_ids } = await anEvent(stranger.site.site_id, stranger.member.user_id)
    const external_id = `pupil-${unique()}`
    await db.pool`
      update sso.memberships set external_id = ${external_id} where user_id = ${stranger.member.user_id}`
    const ids = [
      stranger.member.user_id,
      stranger.member.session_id,
      event_id,
      ...delivery_ids,
      external_id,
      stranger.site.site_id,
      newRequestId(),
      randomUUID(),
      '%',
      "'",
    ]
    for (const id of ids) assert.deepEqual(await find(id, headers), [], id)
    // A token of the site itself finds what the site has, and a member's token nothing.
    assert.equal((await find(admin.user_id, admin.headers)).length, 1)
    const operator = (await anOperator()).headers
    for (const id of ids.slice(0, 7)) assert.equal((await find(id, operator)).length, 1, id)
  })

  test('tells of an event, but not of a person who left the site', async () => {
    const { member, site, headers } = await aScene()
    const { event_id } = await anEvent(site.site_id, member.user_id)
    await db.pool`delete from sso.memberships where user_id = ${member.user_id}`
    const [hit] = await find(event_id, headers)
    assert.deepEqual([hit?.['kind'], hit?.['user_id'], hit?.['email']], ['event', null, null])
    assert.deepEqual(await find(member.session_id, headers), [])
  })

  test('needs a token with the right to read people, and an id', async () => {
    const { member, headers, site } = await aScene()
    const url = `/api/v1/console/find?id=${member.user_id}`
    assert.equal((await ask(url, {})).statusCode, 401)
    assert.equal((await ask(url, site.headers)).statusCode, 401)
    assert.equal((await ask(url, member.headers)).statusCode, 403)
    assert.equal((await ask('/api/v1/console/find', headers)).statusCode, 400)
    assert.equal((await ask(`/api/v1/console/find?id=${'x'.repeat(201)}`, headers)).statusCode, 422)
  })
})

describe('GET /api/v1/console/people/:user_id', () => {
  const standing = async (user_id: string, headers: Headers) => {
    const reply = await ask(`/api/v1/console/people/${user_id}`, headers)
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.json()
  }

  test('shows memberships and sessions at the sites of the ADMIN only', async () => {
    const { member, site, headers } = await aScene()
    const alone = await standing(member.user_id, headers)
    assert.deepEqual([alone.is_self, alone.is_exclusive, alone.memberships.length], [false, true, 1])
    assert.equal(alone.memberships[0].site_code, site.site_code)
    assert.deepEqual(
      alone.sessions.map(({ session_id }: { session_id: string }) => session_id),
      [member.session_id],
    )
    const anna = await aUser()
    await signIn(anna, { at: site })
    const shared = await standing(anna.user_id, headers)
    assert.equal(shared.is_exclusive, false)
    assert.deepEqual(
      [...shared.memberships, ...shared.sessions].map(({ site_code }: { site_code: string }) => site_code),
      [site.site_code, site.site_code],
    )
    const operator = (await anOperator()).headers
    assert.equal((await standing(anna.user_id, operator)).memberships.length, 2)
  })

  test('shows no session that has ended', async () => {
    const { member, headers } = await aScene()
    await sso.inject({ method: 'DELETE', url: `/api/v1/users/${member.user_id}/sessions`, headers })
    assert.deepEqual((await standing(member.user_id, headers)).sessions, [])
  })

  test('hides the person from others, and knows oneself', async () => {
    const [{ member, headers, admin }, stranger] = [await aScene(), await aScene()]
    const url = `/api/v1/console/people/${member.user_id}`
    assert.equal((await ask(url, {})).statusCode, 401)
    assert.equal((await ask(url, member.headers)).statusCode, 403)
    assert.equal((await ask(url, stranger.headers)).statusCode, 404)
    assert.equal((await ask('/api/v1/console/people/7', headers)).statusCode, 404)
    assert.equal((await standing(admin.user_id, headers)).is_self, true)
  })
})

describe('GET /api/v1/users', () => {
  test('finds people by second factor and by their last sign-in', async () => {
    const { admin, member, site, headers } = await aScene()
    await giveTotp(member)
    const quiet = await aColleague(admin)
    await db.pool`update sso.users set last_login_at = '2020-05-01T00:00:00Z' where user_id = ${quiet.user_id}`
    const never = await aColleague(admin)
    await db.pool`update sso.users set last_login_at = null where user_id = ${never.user_id}`
    const list = async (query: string, by = headers) => {
      const reply = await ask(`/api/v1/users?site_code=${site.site_code}&${query}`, by)
      assert.equal(reply.statusCode, 200, reply.body)
      const { items, total } = reply.json()
      assert.equal(items.length, total)
      return items.map(({ user_id }: Person) => user_id)
    }
    const [a, m, q, n] = [admin, member, quiet, never].map(({ user_id }) => user_id)
    assert.deepEqual(await list('mfa_enabled=true'), [m])
    assert.deepEqual(await list('mfa_enabled=false'), [n, q, a])
    assert.deepEqual(await list('last_login_after=2020-05-01T00:00:00Z'), [q, m, a])
    assert.deepEqual(await list('last_login_before=2020-05-01T00:00:00Z'), [n])
    assert.deepEqual(await list('last_login_before=2020-06-01T00:00:00Z&mfa_enabled=false'), [n, q])
    assert.deepEqual(await list('mfa_enabled=true', (await anOperator()).headers), [m])
  })
})

describe('an act for a person', () => {
  const act = (method: 'POST' | 'PATCH' | 'DELETE', url: string, headers: Headers, payload: object = {}) =>
    sso.inject({ method, url: `/api/v1/users/${url}`, headers, payload })
  const rolesOf = async ({ user_id }: Pick<Person, 'user_id'>) => [
    ...(await db.pool<{ site_code: string; role: string }[]>`
      select i.site_code, m.role from sso.memberships m join sso.sites i using (site_id)
       where m.user_id = ${user_id} order by i.site_code`),
  ]

  test('gives no role at one of our sites or of another partner', async () => {
    const [{ member, headers, site }, stranger] = [await aScene(), await anAdmin()]
    for (const site_code of ['console', 'learning', stranger.site.site_code, 'no-such-site', '']) {
      const reply = await act('POST', `${member.user_id}/roles`, headers, { role: 'ADMIN', site_code })
      assert.ok([403, 404, 422].includes(reply.statusCode), `${site_code}: ${reply.statusCode}`)
    }
    assert.deepEqual(await rolesOf(member), [{ site_code: site.site_code, role: 'USER' }])
  })

  test('finds nobody of another site, as if there were none', async () => {
    const [{ headers, site }, stranger] = [await aScene(), await aScene()]
    const { user_id } = stranger.member
    const stateOf = () => db.pool`
      select u.*, (select count(*)::int from sso.sessions s where s.user_id = u.user_id and s.revoked_at is null) as sessions,
             (select jsonb_agg(m order by m.site_id) from sso.memberships m where m.user_id = u.user_id) as memberships
        from sso.users u where u.user_id = ${user_id}`
    const before = await stateOf()
    const acts = [
      ['PATCH', '', { status: 'suspended' }],
      ['PATCH', '', { status: 'active' }],
      ['DELETE', '/sessions', {}],
      ['POST', '/roles', { role: 'ADMIN', site_code: site.site_code }],
      ['DELETE', '/mfa', {}],
      ['DELETE', '', { confirmation: stranger.member.email }],
    ] as const
    for (const [method, path, body] of acts) {
      const [theirs, none] = [
        await act(method, `${user_id}${path}`, headers, body),
        await act(method, `${randomUUID()}${path}`, headers, body),
      ]
      const detail = ({ json }: typeof theirs) => [json().code, json().detail]
      assert.deepEqual([theirs.statusCode, detail(theirs)], [404, detail(none)], `${method} ${path}`)
    }
    const ended = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/sessions/${stranger.member.session_id}`,
      headers,
    })
    assert.equal(ended.statusCode, 404)
    assert.deepEqual(await stateOf(), before)
  })

  test('leaves account and second step to whom another ADMIN shares', async () => {
    const [{ headers, site }, anna] = [await aScene(), await aUser()]
    await signIn(anna, { at: site })
    await signIn(firstRun.admin, { at: site })
    await giveTotp(anna)
    const operator = await anOperator()
    for (const { user_id, email } of [anna, operator].map(({ user_id, email }) => ({ user_id, email }))) {
      for (const [method, path, body] of [
        ['PATCH', '', { status: 'suspended' }],
        ['DELETE', '/mfa', {}],
      ] as const) {
        const reply = await act(method, `${user_id}${path}`, headers, body)
        assert.deepEqual([reply.statusCode, reply.json().code], [403, 'user_shared'], path)
      }
      assert.equal((await act('DELETE', user_id, headers, { confirmation: email })).statusCode, 204)
      const [row] = await db.pool`
        select status, (select count(*)::int from sso.mfa_factors f where f.user_id = u.user_id) as factors
          from sso.users u where user_id = ${user_id}`
      assert.deepEqual(row, { status: 'active', factors: user_id === anna.user_id ? 1 : 0 })
    }
  })

  test('erases nobody whose address is not the confirmed one', async () => {
    const { member, headers, admin } = await aScene()
    const reply = await act('DELETE', member.user_id, headers, { confirmation: admin.email })
    assert.deepEqual([reply.statusCode, reply.json().errors[0].field], [422, 'confirmation'])
    assert.equal((await rolesOf(member)).length, 1)
    const meant = await act('DELETE', member.user_id, headers, { confirmation: member.email.toUpperCase() })
    assert.equal(meant.statusCode, 204, meant.body)
    const [row] = await db.pool`select status from sso.users where user_id = ${member.user_id}`
    assert.equal(row?.['status'], 'deleted')
  })

  test('takes away no factor by a token whose session proved nothing for long', async () => {
    const { member, admin, headers } = await aScene()
    await giveTotp(member)
    await db.pool`
      update sso.sessions set proven_at = clock_timestamp() - interval '1 h' where user_id = ${admin.user_id}`
    const refused = await act('DELETE', `${member.user_id}/mfa`, headers)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'reauthentication_required'])
    const done = await act('DELETE', `${member.user_id}/mfa`, headers, { password: admin.password })
    assert.equal(done.statusCode, 204, done.body)
  })
})
