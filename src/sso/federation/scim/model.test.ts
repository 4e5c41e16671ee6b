import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aSchool, GROUP, patch, type School, USER } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

/**
 * Random requests against a model of what a directory should find. `LYCEUM_SCIM_OPERATIONS` says how many, `LYCEUM_SEED`
 * which; a failure names the place in the sequence.
 */
const OPERATIONS = Number(process.env['LYCEUM_SCIM_OPERATIONS'] ?? 2_000)
const SEED = Number(process.env['LYCEUM_SEED'] ?? 7)

const lyceum = await world()
const { db } = lyceum

type Person = {
  userName: string
  externalId?: string | undefined
  displayName?: string
  active: boolean
  work?: string | undefined
}
type Group = { name: string; members: Set<string> }
type Expected = { status: number; id?: string }

const RULES = [
  { value: 'Heads', role: 'ADMIN' },
  { value: 'Teachers', role: 'INSTRUCTOR' },
]

describe('a directory', () => {
  let school: School
  const people = new Map<string, Person>()
  const groups = new Map<string, Group>()
  /** The account of each address, also of people who were detached. */
  const accounts = new Map<string, string>()
  const random = generator(SEED)
  const below = (count: number) => Math.floor(random() * count)
  const pick = <T>(all: readonly T[]): T | undefined => all[below(all.length)]
  const chance = (of: number) => random() < of

  before(async () => {
    school = await aSchool(lyceum)
    const { site, connection_id } = school
    await db.pool`
      insert into sso.roles (site_id, role, name, description, permissions)
      values (${site.site_id}, 'INSTRUCTOR', 'Instructor', 'Teaches', '{}')`
    await db.pool`
      update sso.connections set role_mapping = ${db.pool.json(RULES)} where connection_id = ${connection_id}`
  })

  const name = () => `${pick(['ann', 'ben', 'cleo', 'dan', 'eve', 'finn', 'gil', 'hal'])}@${school.domain}`
  const addressOf = ({ work, userName }: Person) => (work ?? userName).toLowerCase()
  const isTaken = ({ userName, externalId }: Person, self?: string) =>
    [...people].some(
      ([id, one]) =>
        id !== self &&
        (one.userName.toLowerCase() === userName.toLowerCase() ||
          (externalId !== undefined && one.externalId === externalId)),
    )
  const bodyOf = ({ userName, externalId, displayName, active, work }: Person) => ({
    schemas: [USER],
    userName,
    ...(externalId !== undefined && { externalId }),
    ...(displayName !== undefined && { displayName }),
    ...(work !== undefined && { emails: [{ type: 'work', value: work }] }),
    active,
  })
  const randomPerson = (): Person => ({
    userName: chance(0.1) ? name().toUpperCase() : name(),
    ...(chance(0.4) && { externalId: `e${below(8)}` }),
    ...(chance(0.7) && { displayName: `Name ${below(5)}` }),
    ...(chance(0.3) && { work: name() }),
    active: chance(0.8),
  })
  const anyId = (of: ReadonlyMap<string, unknown>) =>
    chance(0.03) ? '01900000-0000-7000-8000-000000000000' : pick([...of.keys()])

  async function createPerson() {
    const one = randomPerson()
    const account = accounts.get(addressOf(one))
    const isRefused = isTaken(one) || (account !== undefined && people.has(account))
    const { status, body } = await school.call('POST', '/Users', bodyOf(one))
    expect(
      { status, id: body.id },
      isRefused ? { status: 409 } : { status: 201, ...(account && { id: account }) },
    )
    if (isRefused) return
    people.set(body.id, one)
    accounts.set(addressOf(one), body.id)
  }

  async function changePerson(method: 'PUT' | 'PATCH') {
    const id = anyId(people)
    if (id === undefined) return
    const now = people.get(id)
    const next = method === 'PUT' ? randomPerson() : { ...(now ?? randomPerson()) }
    const operations: object[] = []
    if (method === 'PATCH') {
      if (chance(0.4)) {
        next.active = !next.active
        const value = chance(0.5) ? (next.active ? 'True' : 'False') : next.active
        operations.push(
          chance(0.5)
            ? { op: 'Replace', path: 'active', value }
            : { op: 'replace', value: { active: value } },
        )
      }
      if (chance(0.4))
        operations.push({ op: 'add', path: 'displayName', value: (next.displayName = `Name ${below(5)}`) })
      if (chance(0.2)) operations.push({ op: 'replace', path: 'userName', value: (next.userName = name()) })
      if (chance(0.2))
        operations.push({ op: 'Add', path: 'emails[type eq "work"].value', value: (next.work = name()) })
      if (chance(0.1)) {
        delete next.work
        operations.push({ op: 'remove', path: 'emails' })
      }
      if (chance(0.2))
        operations.push({ op: 'replace', value: { externalId: (next.externalId = `e${below(8)}`) } })
      if (operations.length === 0) return
    }
    const owner = accounts.get(addressOf(next))
    const isConflict = isTaken(next, id) || (owner !== undefined && owner !== id)
    const { status } = await school.call(
      method,
      `/Users/${id}`,
      method === 'PUT' ? bodyOf(next) : patch(...operations),
    )
    expect({ status }, { status: now === undefined ? 404 : isConflict ? 409 : 200 })
    if (status !== 200) return
    for (const [address, account] of accounts) if (account === id) accounts.delete(address)
    accounts.set(addressOf(next), id)
    people.set(id, next)
  }

  async function deletePerson() {
    const id = anyId(people)
    if (id === undefined) return
    const { status } = await school.call('DELETE', `/Users/${id}`)
    expect({ status }, { status: people.delete(id) ? 204 : 404 })
    for (const { members } of groups.values()) members.delete(id)
  }

  const groupName = () => pick(['Heads', 'Teachers', 'Pupils', 'Choir', 'TEACHERS']) ?? ''
  const isNameTaken = (wanted: string, self?: string) =>
    [...groups].some(([id, one]) => id !== self && one.name.toLowerCase() === wanted.toLowerCase())
  const some = () => [...people.keys()].filter(() => chance(0.3))
  const asMembers = (ids: Iterable<string>) => [...ids].map((value) => ({ value }))

  async function createGroup() {
    const [wanted, members] = [groupName(), some()]
    const body = { schemas: [GROUP], displayName: wanted, members: asMembers(members) }
    const answer = await school.call('POST', '/Groups', body)
    expect({ status: answer.status }, { status: isNameTaken(wanted) ? 409 : 201 })
    if (answer.status === 201) groups.set(answer.body.id, { name: wanted, members: new Set(members) })
  }

  async function changeGroup() {
    const id = anyId(groups)
    if (id === undefined) return
    const now = groups.get(id)
    const next = { name: now?.name ?? 'x', members: new Set(now?.members) }
    const operations: object[] = []
    for (let count = 1 + below(3); count > 0; count--) operations.push(step(next))
    const { status } = await school.call('PATCH', `/Groups/${id}`, patch(...operations))
    expect({ status }, { status: now === undefined ? 404 : isNameTaken(next.name, id) ? 409 : 204 })
    if (status === 204) groups.set(id, next)
  }

  function step(next: Group): object {
    const ids = some()
    const one = pick([...people.keys()])
    switch (below(5)) {
      case 0:
        for (const id of ids) next.members.add(id)
        return { op: 'Add', path: 'members', value: asMembers(ids) }
      case 1:
        for (const id of ids) next.members.delete(id)
        // An empty list removes nobody, but no list removes all.
        return { op: 'Remove', path: 'members', value: asMembers(ids) }
      case 2:
        next.members = new Set(ids)
        return { op: 'replace', value: { members: asMembers(ids) } }
      case 3:
        if (one === undefined) return { op: 'add', path: 'members', value: [] }
        next.members.delete(one)
        return { op: 'remove', path: `members[value eq "${one}"]` }
      default:
        next.name = groupName()
        return { op: 'replace', value: { displayName: next.name } }
    }
  }

  async function deleteGroup() {
    const id = anyId(groups)
    if (id === undefined) return
    const { status } = await school.call('DELETE', `/Groups/${id}`)
    expect({ status }, { status: groups.delete(id) ? 204 : 404 })
  }

  /** A tag that was never given refuses every change. */
  async function staleChange() {
    const id = pick([...people.keys()])
    if (id === undefined) return
    const body = patch({ op: 'replace', value: { active: true } })
    const { status } = await school.call('PATCH', `/Users/${id}`, body, { 'if-match': 'W/"0.0"' })
    expect({ status }, { status: 412 })
  }

  async function search() {
    const word = name().slice(0, 3)
    const filter = `userName sw "${word}" and active eq ${chance(0.5)}`
    const wanted = [...people].filter(
      ([, one]) =>
        one.userName.toLowerCase().startsWith(word) && String(one.active) === filter.split(' ').at(-1),
    )
    const { body } = await school.call('GET', `/Users?${new URLSearchParams({ filter }).toString()}`)
    assert.deepEqual(
      body.Resources.map(({ id }: { id: string }) => id).toSorted(),
      wanted.map(([id]) => id).toSorted(),
    )
  }

  async function compareAll() {
    const { body } = await school.call('GET', '/Users?count=200')
    const shown = body.Resources.map(
      ({ meta: _meta, groups: _groups, id, ...rest }: { meta: object; groups: object; id: string }) => ({
        id,
        ...rest,
      }),
    )
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    assert.deepEqual(
      shown.toSorted(byId),
      [...people].map(([id, one]) => ({ id, ...bodyOf(one) })).toSorted(byId),
    )
    for (const [id, { name: displayName, members }] of groups) {
      const group = (await school.call('GET', `/Groups/${id}`)).body
      assert.equal(group.displayName, displayName)
      assert.deepEqual(
        asMembers(members)
          .map(({ value }) => value)
          .toSorted(),
        group.members.map(({ value }: { value: string }) => value).toSorted(),
      )
    }
    await compareAccounts()
  }

  async function compareAccounts() {
    const rows = await db.pool<{ user_id: string; email: string; role: string; is_active: boolean }[]>`
      select u.user_id, u.email_fold as email, m.role, m.suspended_at is null as is_active
        from sso.memberships m join sso.users u using (user_id)
       where m.site_id = ${school.site.site_id} and u.user_id <> ${school.site.owner.user_id}`
    assert.equal(rows.length, accounts.size)
    for (const { user_id, email, role, is_active } of rows) {
      assert.equal(accounts.get(email), user_id)
      assert.equal(is_active, people.get(user_id)?.active ?? false)
      const of = [...groups.values()]
        .filter(({ members }) => members.has(user_id))
        .map((one) => one.name.toLowerCase())
      const wanted = RULES.find(({ value }) => of.includes(value.toLowerCase()))?.role ?? 'USER'
      assert.equal(role, wanted)
    }
  }

  test(`agrees with its model after each of ${OPERATIONS} random requests`, async () => {
    const acts = [
      [6, createPerson],
      [3, () => changePerson('PUT')],
      [8, () => changePerson('PATCH')],
      [3, deletePerson],
      [2, createGroup],
      [8, changeGroup],
      [1, deleteGroup],
      [1, staleChange],
      [2, search],
    ] as const
    const all = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))
    for (let at = 1; at <= OPERATIONS; at++)
      try {
        await pick(all)?.()
        if (at % 25 === 0 || at === OPERATIONS) await compareAll()
      } catch (error) {
        throw new Error(`request ${at} of seed ${SEED}`, { cause: error })
      }
  })
})

function expect(actual: Expected, wanted: Expected) {
  assert.equal(actual.status, wanted.status)
  if (wanted.id !== undefined) assert.equal(actual.id, wanted.id)
}

/** mulberry32: the same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
