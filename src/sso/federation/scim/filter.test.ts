import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aPerson, aSchool, type Body, type School } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()

describe('a list of people', () => {
  let school: School
  let people: Body[]
  before(async () => {
    school = await aSchool(lyceum)
    people = []
    for (const [given, family, active] of [
      ['Anna', 'Ångström', true],
      ['Ben', 'Bond', false],
      ['Clara', 'Clark', true],
      ['Dora', 'O"Hara', true],
    ] as const) {
      const more = {
        name: { givenName: given, familyName: family },
        displayName: `${given} ${family}`,
        active,
        externalId: `Id-${given}`,
        emails: [{ value: `${given}@${school.domain}`, type: 'work', primary: true }],
      }
      people.push((await school.call('POST', '/Users', aPerson(school, more))).body)
    }
  })
  const namesOf = async (query: string) => {
    const { status, body } = await school.call('GET', `/Users?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.Resources.map((one: Body) => one.name.givenName).join(' ')
  }
  const filtered = (filter: string) => namesOf(new URLSearchParams({ filter }).toString())

  const vectors = (): [string, string][] => [
    [`userName eq "${people[0].userName}"`, 'Anna'],
    [`USERNAME EQ "${people[0].userName.toUpperCase()}"`, 'Anna'],
    [`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${people[1].userName}"`, 'Ben'],
    [`id eq "${people[2].id}"`, 'Clara'],
    ['externalId eq "Id-Ben"', 'Ben'],
    ['externalId eq "id-ben"', ''],
    ['displayName co "bond"', 'Ben'],
    ['name.familyName sw "c"', 'Clara'],
    ['name.familyName ew "k"', 'Clara'],
    ['name.familyName eq "o\\"hara"', 'Dora'],
    ['displayName co "%"', ''],
    ['active eq true', 'Anna Clara Dora'],
    ['active eq "False"', 'Ben'],
    ['active ne true', 'Ben'],
    ['not (active eq true)', 'Ben'],
    [`emails eq "ben@${'x'}"`, ''],
    [`emails.value eq "BEN@${school.domain}"`, 'Ben'],
    [`emails[type eq "work" and value sw "clara"]`, 'Clara'],
    ['emails[type eq "home"]', ''],
    ['externalId pr and displayName sw "A"', 'Anna'],
    ['timezone pr', ''],
    ['timezone eq null and active eq true', 'Anna Clara Dora'],
    ['displayName sw "A" or displayName sw "B" and active eq true', 'Anna'],
    ['(displayName sw "A" or displayName sw "B") and active eq false', 'Ben'],
    ['not (displayName sw "A" or displayName sw "B")', 'Clara Dora'],
    ['meta.created gt "2020-01-01T00:00:00Z"', 'Anna Ben Clara Dora'],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', ''],
  ]
  test('answers every operator', async () => {
    for (const [filter, names] of vectors()) assert.equal(await filtered(filter), names, filter)
  })

  test('is sorted and paged', async () => {
    assert.equal(await namesOf('sortBy=displayName&sortOrder=descending'), 'Dora Clara Ben Anna')
    assert.equal(await namesOf('sortBy=name.familyName&count=2&startIndex=2'), 'Clara Dora')
    const { body } = await school.call('GET', '/Users?startIndex=3&count=1')
    assert.deepEqual([body.totalResults, body.startIndex, body.itemsPerPage], [4, 3, 1])
    assert.equal(body.Resources[0].id, people[2].id)
    const none = (await school.call('GET', '/Users?count=0')).body
    assert.deepEqual([none.totalResults, none.Resources], [4, []])
    assert.equal((await school.call('GET', '/Users?count=-1')).body.itemsPerPage, 0)
    assert.equal((await school.call('GET', '/Users?startIndex=-5&count=999')).body.itemsPerPage, 4)
    assert.equal((await school.call('GET', '/Users?startIndex=x')).body.scimType, 'invalidValue')
    assert.equal((await school.call('GET', '/Users?sortBy=emails')).body.scimType, 'invalidPath')
  })

  test('shows the attributes that are asked for', async () => {
    const shown = async (query: string) =>
      Object.keys((await school.call('GET', `/Users/${people[0].id}?${query}`)).body).join(' ')
    assert.equal(await shown('attributes=userName,NAME.givenname'), 'schemas id userName name')
    assert.equal(
      await shown('excludedAttributes=name,emails,meta,id,groups'),
      'schemas id externalId userName displayName active',
    )
    const { body } = await school.call('GET', `/Users/${people[0].id}?excludedAttributes=name.givenName`)
    assert.deepEqual(body.name, { familyName: 'Ångström' })
  })

  test('refuses what is no filter, too long or too deep', async () => {
    for (const filter of [
      '',
      'userName',
      'userName eq',
      'userName eq "x',
      'userName eq x',
      'userName like "x"',
      'nonsense eq "x"',
      'userName eq "x" and',
      '(userName eq "x"',
      'userName eq "x")',
      'emails[type eq "x"',
      'userName eq "x" userName eq "y"',
      'meta.created gt "yesterday"',
      'meta.created gt "0000-01-01T00:00:00Z"',
      'meta.created gt "0001-01-01T00:00:00+23:59"',
      'meta.created gt "9999-12-31T23:59:59-23:59"',
      'meta.created gt "2024-13-01T00:00:00Z"',
      'active gt true',
      'userName eq "\\x"',
      'userName eq "\\u0000"',
      'emails[value eq "\\ud800"]',
      'groups.display co "\\u0000"',
      '; drop table',
      `userName eq "${'x'.repeat(2_000)}"`,
      `${'('.repeat(40)}userName pr${')'.repeat(40)}`,
      Array(60).fill('userName pr').join(' or '),
    ]) {
      const { status, body } = await school.call(
        'GET',
        `/Users?${new URLSearchParams({ filter }).toString()}`,
      )
      assert.equal(status, 400, filter.slice(0, 60))
      assert.ok(['invalidFilter', 'invalidValue'].includes(body.scimType), body.scimType)
    }
  })
})
