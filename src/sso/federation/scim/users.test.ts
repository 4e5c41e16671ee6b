import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unique } from '#testing/enterprise.ts'
import { aColleague, aUser, homeSite, signIn } from '#testing/people.ts'
import { aPerson, aSchool, patch, type School, USER } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
const { sso, db } = lyceum
const UNKNOWN = '01900000-0000-7000-8000-000000000000'

async function madeIn(school: School, more: object = {}) {
  const made = await school.call('POST', '/Users', aPerson(school, more))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body
}
const accountOf = async (user_id: string) =>
  (await db.pool`select * from sso.users where user_id = ${user_id}`)[0]
const memberOf = async (user_id: string, { site }: School) =>
  (await db.pool`select * from sso.memberships where user_id = ${user_id} and site_id = ${site.site_id}`)[0]
const isAlive = async (headers: Record<string, string>) =>
  (await sso.inject({ url: '/api/v1/sessions', headers })).statusCode === 200

/** Events are recorded for sites that listen. */
async function listen({ site: { site_code, owner } }: School) {
  const payload = { site_code, webhook_url: `https://1.1.1.1/${unique()}` }
  const url = '/api/v1/webhooks'
  const made = await sso.inject({ method: 'POST', url, headers: owner.headers, payload })
  assert.equal(made.statusCode, 201, made.body)
}
const factsOf = async (user_id: string, event_type: string) =>
  (
    await db.pool`
    select from sso.webhook_facts where subject_user_id = ${user_id} and event_type = ${event_type}`
  ).length

describe('a person of a directory', () => {
  test('is created with an account, a membership, an event and an audit line', async () => {
    const school = await aSchool(lyceum)
    await listen(school)
    const sent = aPerson(school, {
      externalId: 'e-1',
      emails: [{ value: `anna@${school.domain}`, type: 'work' }],
    })
    const { status, body, headers } = await school.call('POST', '/Users', sent)
    assert.equal(status, 201)
    const { id, meta, ...rest } = body
    assert.deepEqual(rest, sent)
    assert.deepEqual(
      [headers['location'], headers['etag']],
      [`http://127.0.0.1:8064/scim/v2/${school.connection_id}/Users/${id}`, meta.version],
    )
    assert.deepEqual((await school.call('GET', `/Users/${id}`)).body, body)
    const account = await accountOf(id)
    assert.deepEqual(
      [account?.['email'], account?.['display_name'], account?.['password_hash'], account?.['is_claimed']],
      [`anna@${school.domain}`, 'Anna Smith', null, false],
    )
    assert.equal((await memberOf(id, school))?.['role'], 'USER')
    const acts = await db.pool<{ action: string }[]>`
      select action from sso.audit_log where subject_user_id = ${id} order by audit_id`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['user.created'],
    )
    assert.equal(await factsOf(id, 'user.created'), 1)
  })

  test('exists once when one userName is created fifty times at once', async () => {
    const school = await aSchool(lyceum)
    const sent = aPerson(school)
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        school.call('POST', '/Users', {
          ...sent,
          userName: at % 2 ? sent.userName : sent.userName.toUpperCase(),
        }),
      ),
    )
    const statuses = Map.groupBy(made, ({ status }) => status)
    assert.deepEqual([statuses.get(201)?.length, statuses.get(409)?.length], [1, 49])
    for (const { body } of statuses.get(409) ?? []) assert.equal(body.scimType, 'uniqueness')
    const known = await db.pool`select from sso.users where email_fold = ${sent.userName}`
    assert.equal(known.length, 1)
  })

  test('has an externalId of their own in the connection, and another connection may use it too', async () => {
    const [school, other] = [await aSchool(lyceum), await aSchool(lyceum)]
    await madeIn(school, { externalId: 'same' })
    const again = await school.call('POST', '/Users', aPerson(school, { externalId: 'same' }))
    assert.deepEqual([again.status, again.body.scimType], [409, 'uniqueness'])
    await madeIn(other, { externalId: 'same' })
  })

  test('is refused with an address at a domain that is not proven', async () => {
    const school = await aSchool(lyceum)
    await db.pool`
      insert into sso.connection_domains (site_id, domain, connection_id, challenge)
      values (${school.site.site_id}, ${`claimed.${school.domain}`}, ${school.connection_id}, 'x')`
    for (const at of ['stranger.example.org', `claimed.${school.domain}`, `sub.${school.domain}`]) {
      const userName = `anna@${at}`
      const made = await school.call('POST', '/Users', aPerson(school, { userName }))
      assert.deepEqual([made.status, made.body.scimType], [400, 'invalidValue'], at)
      const emails = [{ value: userName, primary: true }]
      assert.equal((await school.call('POST', '/Users', aPerson(school, { emails }))).status, 400)
      const { id } = await madeIn(school)
      const moved = await school.call(
        'PATCH',
        `/Users/${id}`,
        patch({ op: 'replace', path: 'userName', value: userName }),
      )
      assert.equal(moved.status, 400)
      assert.ok(!(await accountOf(id))?.['email'].endsWith(at))
    }
  })

  test('does not take over an account of another tenant', async () => {
    const school = await aSchool(lyceum)
    const stranger = await aUser({ at: await homeSite() })
    const email = `known-${unique()}@${school.domain}`
    await db.pool`
      update sso.users set email = ${email}, email_fold = ${email}, environment = 'sandbox' where user_id = ${stranger.user_id}`
    const made = await school.call(
      'POST',
      '/Users',
      aPerson(school, { userName: email, displayName: 'Mine now' }),
    )
    assert.deepEqual([made.status, made.body.scimType], [409, 'uniqueness'])
    assert.equal(await memberOf(stranger.user_id, school), undefined)
    assert.notEqual((await accountOf(stranger.user_id))?.['display_name'], 'Mine now')
  })

  test('is a member of the site who had the address before', async () => {
    const school = await aSchool(lyceum)
    const member = await aColleague(school)
    const email = `member-${unique()}@${school.domain}`
    await db.pool`
      update sso.users set email = ${email}, email_fold = ${email} where user_id = ${member.user_id}`
    const { id } = await madeIn(school, { userName: email })
    assert.equal(id, member.user_id)
    assert.equal((await accountOf(id))?.['display_name'], 'Anna Smith')
    assert.ok(await isAlive(member.headers))
  })

  test('keeps what belongs to other sites too', async () => {
    const school = await aSchool(lyceum)
    const elsewhere = await aSchool(lyceum)
    const { id, userName } = await madeIn(school)
    await db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${id}, ${elsewhere.site.site_id}, 'USER')`
    const userName2 = `new-${userName}`
    const renamed = await school.call(
      'PATCH',
      `/Users/${id}`,
      patch({ op: 'replace', value: { displayName: 'Other', userName: userName2 } }),
    )
    assert.deepEqual(
      [renamed.status, renamed.body.displayName, renamed.body.userName],
      [200, 'Other', userName2],
    )
    const account = await accountOf(id)
    assert.deepEqual([account?.['display_name'], account?.['email']], ['Anna Smith', userName])
    assert.equal((await school.call('DELETE', `/Users/${id}`)).status, 204)
    assert.equal((await accountOf(id))?.['status'], 'active')
    assert.equal((await memberOf(id, elsewhere))?.['suspended_at'], null)
    assert.notEqual((await memberOf(id, school))?.['suspended_at'], null)
  })

  test('is suspended with all sessions of the site, and comes back', async () => {
    const school = await aSchool(lyceum)
    await listen(school)
    const member = await aColleague(school)
    const email = `leaver-${unique()}@${school.domain}`
    await db.pool`
      update sso.users set email = ${email}, email_fold = ${email} where user_id = ${member.user_id}`
    const { id } = await madeIn(school, { userName: email })
    const off = await school.call(
      'PATCH',
      `/Users/${id}`,
      patch({ op: 'Replace', path: 'active', value: 'False' }),
    )
    assert.deepEqual([off.status, off.body.active], [200, false])
    assert.ok(!(await isAlive(member.headers)))
    assert.equal(await factsOf(id, 'session.revoked'), 1)
    const again = await school.call(
      'PATCH',
      `/Users/${id}`,
      patch({ op: 'replace', value: { active: false } }),
    )
    assert.equal(again.body.meta.version, off.body.meta.version)
    const on = await school.call('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: true } }))
    assert.equal(on.body.active, true)
    const back = await signIn({ email, password: member.password }, { at: school.site })
    assert.equal((await school.call('DELETE', `/Users/${id}`)).status, 204)
    assert.ok(!(await isAlive(back.headers)))
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await school.call(method, `/Users/${id}`)).status, 404)
    assert.equal((await madeIn(school, { userName: email })).id, id)
    assert.equal((await memberOf(id, school))?.['suspended_at'], null)
  })

  test('stays while they are the last ADMIN of the site', async () => {
    const school = await aSchool(lyceum)
    const { user_id } = school.site.owner
    const email = `boss-${unique()}@${school.domain}`
    await db.pool`update sso.users set email = ${email}, email_fold = ${email}, environment = 'sandbox' where user_id = ${user_id}`
    const { id } = await madeIn(school, { userName: email })
    assert.equal(id, user_id)
    assert.equal((await school.call('DELETE', `/Users/${id}`)).status, 409)
    const off = await school.call('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: false } }))
    assert.equal(off.status, 409)
    assert.equal((await memberOf(id, school))?.['suspended_at'], null)
  })

  test('moves to another address of the school, and every session ends', async () => {
    const school = await aSchool(lyceum)
    const { id, userName } = await madeIn(school)
    const value = `married-${unique()}@${school.domain}`
    const moved = await school.call(
      'PATCH',
      `/Users/${id}`,
      patch({ op: 'add', path: 'emails[type eq "work"].value', value }),
    )
    assert.deepEqual([moved.status, moved.body.emails], [200, [{ type: 'work', value }]])
    assert.equal((await accountOf(id))?.['email'], value)
    const other = await madeIn(school)
    const taken = await school.call(
      'PATCH',
      `/Users/${other.id}`,
      patch({ op: 'add', path: 'emails[type eq "work"].value', value }),
    )
    assert.deepEqual([taken.status, taken.body.scimType], [409, 'uniqueness'])
    assert.notEqual((await accountOf(other.id))?.['email'], value)
    assert.notEqual(userName, value)
  })

  test('is replaced: what PUT leaves out is gone, and active stays', async () => {
    const school = await aSchool(lyceum)
    const sent = aPerson(school, { externalId: 'x', timezone: 'Europe/Berlin' })
    const { id } = (await school.call('POST', '/Users', sent)).body
    await school.call('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: false } }))
    const { userName } = sent
    const put = await school.call('PUT', `/Users/${id}`, {
      schemas: [USER],
      userName,
      name: { givenName: 'Ann' },
    })
    const { meta: _, ...rest } = put.body
    assert.deepEqual(rest, { schemas: [USER], id, userName, name: { givenName: 'Ann' }, active: false })
    assert.deepEqual(
      [(await accountOf(id))?.['family_name'], (await accountOf(id))?.['time_zone']],
      [null, null],
    )
  })

  test('is refused with a bad body, in the form of SCIM', async () => {
    const school = await aSchool(lyceum)
    const { id } = await madeIn(school)
    const person = aPerson(school)
    const bad = [
      ['POST', '/Users', { ...person, schemas: [] }, 'invalidSyntax'],
      ['POST', '/Users', { ...person, userName: undefined }, 'invalidValue'],
      ['POST', '/Users', { ...person, userName: 'no address' }, 'invalidValue'],
      ['POST', '/Users', { ...person, active: 'perhaps' }, 'invalidValue'],
      ['POST', '/Users', { ...person, name: 'Anna' }, 'invalidValue'],
      ['POST', '/Users', { ...person, displayName: 'x'.repeat(300) }, 'invalidValue'],
      ['PUT', `/Users/${id}`, { schemas: [USER] }, 'invalidValue'],
      ['PATCH', `/Users/${id}`, patch(), 'invalidValue'],
      ['PATCH', `/Users/${id}`, patch({ op: 'move', path: 'x' }), 'invalidSyntax'],
      ['PATCH', `/Users/${id}`, patch({ op: 'remove' }), 'noTarget'],
      ['PATCH', `/Users/${id}`, patch({ op: 'remove', path: 'userName' }), 'invalidValue'],
      ['PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'nonsense', value: 1 }), 'invalidPath'],
      ['PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'emails[type eq', value: 1 }), 'invalidPath'],
      ['PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'id', value: UNKNOWN }), 'mutability'],
      [
        'PATCH',
        `/Users/${id}`,
        patch({ op: 'replace', path: 'emails[type co "w"].value', value: 'a@b.de' }),
        'noTarget',
      ],
    ] as const
    for (const [method, path, body, scimType] of bad) {
      const answer = await school.call(method, path, body)
      assert.deepEqual(
        [answer.status, answer.body.scimType],
        [400, scimType],
        JSON.stringify(body).slice(0, 200),
      )
    }
    const broken = await sso.inject({
      method: 'POST',
      url: `/scim/v2/${school.connection_id}/Users`,
      headers: { ...school.headers, 'content-type': 'application/scim+json' },
      payload: '{"a":',
    })
    assert.deepEqual([broken.statusCode, broken.json().scimType], [400, 'invalidSyntax'])
  })

  test('is out of reach without a token, with a wrong one, and with that of another connection', async () => {
    const school = await aSchool(lyceum)
    const other = await aSchool(lyceum, { site: school.site })
    const { id } = await madeIn(school)
    const routes = [
      ['GET', '/Users'],
      ['POST', '/Users', aPerson(school)],
      ['GET', `/Users/${id}`],
      ['PUT', `/Users/${id}`, aPerson(school)],
      ['PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active: false } })],
      ['DELETE', `/Users/${id}`],
    ] as const
    for (const [method, path, body] of routes) {
      for (const authorization of ['', 'Bearer lyceum_scim_wrong', other.headers['authorization'] ?? ''])
        assert.equal(
          (await school.call(method, path, body, { authorization })).status,
          401,
          `${method} ${path}`,
        )
      if (path !== '/Users')
        assert.equal((await other.call(method, path, body)).status, 404, `${method} ${path}`)
    }
    assert.equal((await other.call('GET', '/Users')).body.totalResults, 0)
    assert.equal((await school.call('GET', `/Users/${id}`)).body.active, true)
  })

  test('answers 412 to a tag of before and 304 to the one of now', async () => {
    const school = await aSchool(lyceum)
    const { id, meta } = await madeIn(school)
    const rename = (value: string, tag: string) =>
      school.call('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'displayName', value }), {
        'if-match': tag,
      })
    const first = await rename('One', meta.version)
    assert.equal(first.status, 200)
    assert.equal((await rename('Two', meta.version)).status, 412)
    assert.equal((await rename('Two', '*')).status, 200)
    const tag = (await school.call('GET', `/Users/${id}`)).headers['etag'] as string
    const put = await school.call('PUT', `/Users/${id}`, aPerson(school), { 'if-match': 'W/"99.1"' })
    assert.equal(put.status, 412)
    const gone = await school.call('DELETE', `/Users/${id}`, undefined, { 'if-match': meta.version })
    assert.equal(gone.status, 412)
    assert.equal((await school.call('GET', `/Users/${id}`, undefined, { 'if-none-match': tag })).status, 304)
    assert.equal(
      (await school.call('GET', `/Users/${id}`, undefined, { 'if-none-match': meta.version })).status,
      200,
    )
  })

  test('goes from the directory when the account is erased', async () => {
    const school = await aSchool(lyceum)
    const { id, userName } = await madeIn(school)
    const gone = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/users/${id}?site_code=${school.site.site_code}`,
      headers: school.site.owner.headers,
    })
    assert.equal(gone.statusCode, 204, gone.body)
    assert.equal((await school.call('GET', `/Users/${id}`)).status, 404)
    assert.notEqual((await madeIn(school, { userName })).id, id)
  })
})
