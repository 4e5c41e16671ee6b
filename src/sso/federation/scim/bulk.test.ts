import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aPerson, aSchool, type Body, GROUP, patch } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
const bulk = (Operations: object[], more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations,
  ...more,
})
const statusesOf = ({ body }: { body: Body }) => body.Operations.map(({ status }: Body) => status)

describe('a bulk request', () => {
  test('runs its operations in order, and later ones name earlier ones', async () => {
    const school = await aSchool(lyceum)
    const answer = await school.call(
      'POST',
      '/Bulk',
      bulk([
        { method: 'POST', path: '/Users', bulkId: 'u1', data: aPerson(school) },
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'g1',
          data: { schemas: [GROUP], displayName: 'All', members: [{ value: 'bulkId:u1' }] },
        },
        {
          method: 'PATCH',
          path: '/Users/bulkId:u1',
          data: patch({ op: 'replace', value: { active: false } }),
        },
        {
          method: 'PUT',
          path: '/Groups/bulkId:g1',
          data: { schemas: [GROUP], displayName: 'Everybody', members: [{ value: 'bulkId:u1' }] },
        },
        { method: 'POST', path: '/Users', bulkId: 'u2', data: aPerson(school) },
        { method: 'DELETE', path: '/Users/bulkId:u2' },
      ]),
    )
    assert.equal(answer.status, 200)
    assert.deepEqual(statusesOf(answer), ['201', '201', '200', '200', '201', '204'])
    const [user, group] = answer.body.Operations
    assert.match(user.location, /\/Users\/[0-9a-f-]{36}$/)
    const path = group.location.slice(group.location.indexOf('/Groups'))
    const { body } = await school.call('GET', path)
    assert.deepEqual([body.displayName, body.members.length], ['Everybody', 1])
    assert.equal((await school.call('GET', '/Users')).body.totalResults, 1)
  })

  test('tells each fault where it happened, and ends after failOnErrors of them', async () => {
    const school = await aSchool(lyceum)
    const person = aPerson(school)
    const operations = [
      { method: 'POST', path: '/Users', data: { ...person, userName: 'x@elsewhere.example.org' } },
      { method: 'POST', path: '/Users', data: person },
      { method: 'POST', path: '/Users', data: person },
      { method: 'PATCH', path: '/Users/bulkId:none', data: patch({ op: 'replace', value: {} }) },
      { method: 'PATCH', path: '/Users/01900000-0000-7000-8000-000000000000', data: { schemas: [] } },
      { method: 'DELETE', path: '/Users/01900000-0000-7000-8000-000000000000' },
      { method: 'GET', path: '/Users/nobody' },
      { method: 'POST', path: '/Robots', data: {} },
      { method: 'POST', path: '/Users' },
    ]
    const answer = await school.call('POST', '/Bulk', bulk(operations))
    assert.deepEqual(statusesOf(answer), ['400', '201', '409', '400', '400', '404', '404', '400', '400'])
    assert.equal(answer.body.Operations[2].response.scimType, 'uniqueness')
    const short = await school.call('POST', '/Bulk', bulk(operations, { failOnErrors: 2 }))
    assert.deepEqual(statusesOf(short), ['400', '409'])
  })

  test('is bounded, and closed without the token', async () => {
    const school = await aSchool(lyceum)
    const many = Array.from({ length: 101 }, () => ({
      method: 'POST',
      path: '/Users',
      data: aPerson(school),
    }))
    assert.equal((await school.call('POST', '/Bulk', bulk(many))).status, 413)
    const large = bulk([{ method: 'POST', path: '/Users', data: { note: 'x'.repeat(1_100_000) } }])
    assert.equal((await school.call('POST', '/Bulk', large)).status, 413)
    assert.equal((await school.call('POST', '/Bulk', { Operations: [] })).status, 400)
    assert.equal((await school.call('POST', '/Bulk', bulk([]))).body.scimType, 'invalidValue')
    for (const authorization of [
      '',
      'Bearer lyceum_scim_wrong',
      (await aSchool(lyceum)).headers['authorization'] ?? '',
    ])
      assert.equal(
        (await school.call('POST', '/Bulk', bulk(many.slice(0, 1)), { authorization })).status,
        401,
      )
    assert.equal((await school.call('GET', '/Users')).body.totalResults, 0)
  })
})
