import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startRunner } from '#foundation/jobs/runner.ts'
import { createLog } from '#foundation/log.ts'
import { eventually } from '#testing/eventually.ts'
import { aPerson, aSchool, type Body, GROUP, patch, type School } from '#testing/scim.ts'
import { world } from '#testing/world.ts'
import { groupRoleJobs } from './group-roles.ts'

const lyceum = await world()
const { sso, db } = lyceum
const UNKNOWN = '01900000-0000-7000-8000-000000000000'

const person = async (school: School): Promise<string> =>
  (await school.call('POST', '/Users', aPerson(school))).body.id
const people = (school: School, count: number) =>
  Promise.all(Array.from({ length: count }, () => person(school)))
const asMembers = (ids: readonly string[]) => ids.map((value) => ({ value }))

async function group(school: School, displayName: string, ids: readonly string[] = []): Promise<string> {
  const made = await school.call('POST', '/Groups', {
    schemas: [GROUP],
    displayName,
    members: asMembers(ids),
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.id
}
const membersOf = async (school: School, id: string): Promise<string[]> =>
  (await school.call('GET', `/Groups/${id}`)).body.members.map(({ value }: Body) => value).toSorted()
const roleOf = async ({ site }: School, user_id: string) => {
  const [row] = await db.pool<{ role: string }[]>`
    select role from sso.memberships where user_id = ${user_id} and site_id = ${site.site_id}`
  return row?.role
}
async function mapping({ site, connection_id }: School, role_mapping: object[]) {
  await db.pool`
    insert into sso.roles (site_id, role, name, description, permissions)
    values (${site.site_id}, 'INSTRUCTOR', 'Instructor', 'Teaches', '{}') on conflict do nothing`
  const changed = await sso.inject({
    method: 'PATCH',
    url: `/api/v1/sites/${site.site_id}/connections/${connection_id}`,
    headers: site.owner.headers,
    payload: { role_mapping },
  })
  assert.equal(changed.statusCode, 200, changed.body)
}

describe('a group of a directory', () => {
  test('is created, read, replaced and deleted', async () => {
    const school = await aSchool(lyceum)
    const [a = '', b = ''] = await people(school, 2)
    const sent = { schemas: [GROUP], displayName: 'Teachers', externalId: 'g1', members: asMembers([a]) }
    const made = await school.call('POST', '/Groups', sent)
    assert.equal(made.status, 201)
    const { id, meta, ...rest } = made.body
    assert.equal(made.headers['location'], meta.location)
    assert.deepEqual(rest, { ...sent, members: [{ value: a, display: 'Anna Smith' }] })
    assert.deepEqual((await school.call('GET', `/Groups/${id}`)).body, made.body)
    assert.ok(!('members' in (await school.call('GET', `/Groups/${id}?excludedAttributes=members`)).body))
    const user = await school.call('GET', `/Users/${a}`)
    assert.deepEqual(user.body.groups, [{ value: id, display: 'Teachers' }])
    const put = await school.call('PUT', `/Groups/${id}`, {
      schemas: [GROUP],
      displayName: 'Staff',
      members: asMembers([b]),
    })
    assert.deepEqual([put.status, put.body.displayName, put.body.externalId], [200, 'Staff', undefined])
    assert.deepEqual(await membersOf(school, id), [b])
    for (const [filter, total] of [
      ['displayName eq "staff"', 1],
      [`members.value eq "${b}"`, 1],
      [`members[value eq "${a}"]`, 0],
      [`id eq "${id}" and members eq "${b}"`, 1],
    ] as const) {
      const list = await school.call('GET', `/Groups?${new URLSearchParams({ filter }).toString()}`)
      assert.equal(list.body.totalResults, total, filter)
    }
    const late = await school.call('DELETE', `/Groups/${id}`, undefined, { 'if-match': meta.version })
    assert.equal(late.status, 412)
    assert.equal((await school.call('DELETE', `/Groups/${id}`)).status, 204)
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await school.call(method, `/Groups/${id}`)).status, 404)
    assert.equal((await school.call('GET', `/Users/${b}`)).status, 200)
  })

  test('takes the changes of members as Entra ID and Okta send them', async () => {
    const school = await aSchool(lyceum)
    const [a = '', b = '', c = ''] = (await people(school, 3)).toSorted()
    const id = await group(school, 'Class 5a')
    const change = async (...operations: object[]) => {
      const { status, body } = await school.call('PATCH', `/Groups/${id}`, patch(...operations))
      assert.equal(status, 204, JSON.stringify(body))
      return membersOf(school, id)
    }
    assert.deepEqual(await change({ op: 'Add', path: 'members', value: asMembers([a, b]) }), [a, b])
    assert.deepEqual(await change({ op: 'Add', path: 'members', value: asMembers([a]) }), [a, b])
    assert.deepEqual(await change({ op: 'Remove', path: 'members', value: asMembers([a]) }), [b])
    assert.deepEqual(await change({ op: 'add', value: { members: asMembers([c]) } }), [b, c])
    assert.deepEqual(await change({ op: 'remove', path: `members[value eq "${b}"]` }), [c])
    assert.deepEqual(await change({ op: 'replace', path: 'members', value: asMembers([a]) }), [a])
    assert.deepEqual(await change({ op: 'remove', path: 'members' }), [])
    assert.deepEqual(
      await change(
        { op: 'add', path: 'members', value: asMembers([a, b]) },
        { op: 'remove', path: 'members', value: asMembers([b]) },
      ),
      [a],
    )
    await change({ op: 'replace', value: { id, displayName: 'Class 6a' } })
    const { body } = await school.call(
      'PATCH',
      `/Groups/${id}?attributes=displayName`,
      patch({ op: 'replace', path: 'externalId', value: 'x' }),
    )
    assert.deepEqual(body, { schemas: [GROUP], id, displayName: 'Class 6a' })
  })

  test('has a name of its own, also when it is created twenty times at once', async () => {
    const school = await aSchool(lyceum)
    const body = { schemas: [GROUP], displayName: 'Twins' }
    const made = await Promise.all(Array.from({ length: 20 }, () => school.call('POST', '/Groups', body)))
    const statuses = Map.groupBy(made, ({ status }) => status)
    assert.deepEqual([statuses.get(201)?.length, statuses.get(409)?.length], [1, 19])
    const other = await group(school, 'Other')
    const taken = await school.call(
      'PATCH',
      `/Groups/${other}`,
      patch({ op: 'replace', path: 'displayName', value: 'twins' }),
    )
    assert.deepEqual([taken.status, taken.body.scimType], [409, 'uniqueness'])
  })

  test('keeps every member that was added at once', async () => {
    const school = await aSchool(lyceum)
    const ids = await people(school, 20)
    const id = await group(school, 'Crowd')
    await Promise.all(
      ids.map((value) =>
        school.call('PATCH', `/Groups/${id}`, patch({ op: 'add', path: 'members', value: [{ value }] })),
      ),
    )
    assert.deepEqual(await membersOf(school, id), ids.toSorted())
  })

  test('is refused with a bad body and with people of another directory', async () => {
    const [school, other] = [await aSchool(lyceum), await aSchool(lyceum)]
    const stranger = await person(other)
    const id = await group(school, 'Mine')
    const bad = [
      ['POST', '/Groups', { schemas: [GROUP] }, 'invalidValue'],
      ['POST', '/Groups', { displayName: 'x' }, 'invalidSyntax'],
      [
        'POST',
        '/Groups',
        { schemas: [GROUP], displayName: 'x', members: asMembers([stranger]) },
        'invalidValue',
      ],
      [
        'POST',
        '/Groups',
        { schemas: [GROUP], displayName: 'x', members: asMembers(['nobody']) },
        'invalidValue',
      ],
      [
        'PATCH',
        `/Groups/${id}`,
        patch({ op: 'add', path: 'members', value: asMembers([UNKNOWN]) }),
        'invalidValue',
      ],
      ['PATCH', `/Groups/${id}`, patch({ op: 'remove', path: 'members[display eq "x"]' }), 'invalidPath'],
      ['PATCH', `/Groups/${id}`, patch({ op: 'replace', path: 'members.display', value: 'x' }), 'mutability'],
      ['PATCH', `/Groups/${id}`, patch({ op: 'replace', path: 'title', value: 'x' }), 'invalidPath'],
    ] as const
    for (const [method, path, body, scimType] of bad) {
      const answer = await school.call(method, path, body)
      assert.deepEqual([answer.status, answer.body.scimType], [400, scimType], JSON.stringify(body))
    }
    assert.equal((await school.call('GET', '/Groups')).body.totalResults, 1)
  })

  test('is out of reach without a token, with a wrong one, and with that of another connection', async () => {
    const school = await aSchool(lyceum)
    const other = await aSchool(lyceum, { site: school.site })
    const id = await group(school, 'Closed')
    const body = { schemas: [GROUP], displayName: 'Open' }
    const routes = [
      ['GET', '/Groups'],
      ['POST', '/Groups', body],
      ['GET', `/Groups/${id}`],
      ['PUT', `/Groups/${id}`, body],
      ['PATCH', `/Groups/${id}`, patch({ op: 'replace', path: 'displayName', value: 'Open' })],
      ['DELETE', `/Groups/${id}`],
    ] as const
    for (const [method, path, sent] of routes) {
      for (const authorization of ['', 'Bearer lyceum_scim_wrong', other.headers['authorization'] ?? ''])
        assert.equal(
          (await school.call(method, path, sent, { authorization })).status,
          401,
          `${method} ${path}`,
        )
      if (path !== '/Groups')
        assert.equal((await other.call(method, path, sent)).status, 404, `${method} ${path}`)
    }
    assert.equal((await school.call('GET', `/Groups/${id}`)).body.displayName, 'Closed')
  })
})

describe('the role of a person', () => {
  test('follows the first rule that names one of their groups', async () => {
    const school = await aSchool(lyceum)
    await mapping(school, [
      { value: 'Heads', role: 'ADMIN' },
      { value: 'teachers', role: 'INSTRUCTOR' },
    ])
    const [a = ''] = await people(school, 1)
    const teachers = await group(school, 'Teachers', [a])
    assert.equal(await roleOf(school, a), 'INSTRUCTOR')
    const heads = await group(school, 'Heads', [a])
    assert.equal(await roleOf(school, a), 'ADMIN')
    await school.call(
      'PATCH',
      `/Groups/${heads}`,
      patch({ op: 'replace', path: 'displayName', value: 'Former heads' }),
    )
    assert.equal(await roleOf(school, a), 'INSTRUCTOR')
    await school.call('DELETE', `/Groups/${teachers}`)
    assert.equal(await roleOf(school, a), 'USER')
    const acts = await db.pool`
      select from sso.audit_log where subject_user_id = ${a} and action = 'role.assigned'`
    assert.equal(acts.length, 4)
  })

  test('that an ADMIN gave by hand stays while the groups say the same', async () => {
    const school = await aSchool(lyceum)
    await mapping(school, [{ value: 'Teachers', role: 'INSTRUCTOR' }])
    const [a = ''] = await people(school, 1)
    await db.pool`
      update sso.memberships set role = 'ADMIN' where user_id = ${a} and site_id = ${school.site.site_id}`
    const id = await group(school, 'Pupils', [a])
    await school.call('DELETE', `/Groups/${id}`)
    assert.equal(await roleOf(school, a), 'ADMIN')
  })

  test('of the last ADMIN stays whatever the groups say', async () => {
    const school = await aSchool(lyceum)
    await mapping(school, [{ value: 'Heads', role: 'ADMIN' }])
    const [a = ''] = await people(school, 1)
    const id = await group(school, 'Heads', [a])
    await db.pool`
      delete from sso.memberships where user_id = ${school.site.owner.user_id} and site_id = ${school.site.site_id}`
    assert.equal((await school.call('DELETE', `/Groups/${id}`)).status, 204)
    assert.equal(await roleOf(school, a), 'ADMIN')
  })

  test('at a first-party site is never ADMIN by a group', async () => {
    const school = await aSchool(lyceum)
    await mapping(school, [{ value: 'Heads', role: 'ADMIN' }])
    await db.pool`update sso.sites set is_first_party = true where site_id = ${school.site.site_id}`
    const [a = ''] = await people(school, 1)
    await group(school, 'Heads', [a])
    assert.equal(await roleOf(school, a), 'USER')
  })

  test('follows a new mapping', async () => {
    const school = await aSchool(lyceum)
    await mapping(school, [{ value: 'Teachers', role: 'INSTRUCTOR' }])
    const [a = '', b = ''] = await people(school, 2)
    await group(school, 'Teachers', [a, b])
    const runner = startRunner({ db, log: createLog('error'), handlers: groupRoleJobs() })
    await mapping(school, [{ value: 'Nobody', role: 'INSTRUCTOR' }])
    await eventually(async () => (await roleOf(school, a)) === 'USER' && (await roleOf(school, b)) === 'USER')
    await mapping(school, [{ value: 'Teachers', role: 'INSTRUCTOR' }])
    await eventually(async () => (await roleOf(school, b)) === 'INSTRUCTOR')
    await runner.stop()
  })
})
