import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { JSON_TYPE, MISSHAPEN, UNREADABLE } from '#testing/hostile.ts'
import { aSchool, patch } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
const { sso } = lyceum
const school = await aSchool(lyceum)
const routes = sso.declaredRoutes.filter(({ config, schema }) => config.auth === 'connection' && schema.body)

async function assertRefused(payload: string | Buffer, type: string, statuses: readonly number[]) {
  for (const { method, url } of routes) {
    const reply = await sso.inject({
      method: method as 'POST',
      url: url.replace(':connection_id', school.connection_id).replace(':id', randomUUID()),
      headers: { ...school.headers, 'content-type': type },
      payload,
    })
    assert.ok(statuses.includes(reply.statusCode), `${method} ${url}: ${reply.statusCode} ${reply.body}`)
    const { schemas, status, detail } = reply.json()
    assert.deepEqual(
      [schemas, status, typeof detail],
      [['urn:ietf:params:scim:api:messages:2.0:Error'], String(reply.statusCode), 'string'],
    )
  }
}

describe('a directory that sends', () => {
  for (const [name, body, type, statuses] of UNREADABLE)
    test(`${name} is refused with ${statuses.join(' or ')}`, () => assertRefused(body, type, statuses))

  for (const [name, body] of MISSHAPEN)
    test(`${name} is refused with 400`, () => assertRefused(body, JSON_TYPE, [400]))

  test('a path that escapes a character no text may have is refused', async () => {
    const { call, domain } = school
    const urn = 'urn:ietf:params:scim:schemas:core:2.0:User'
    const made = await call('POST', '/Users', { schemas: [urn], userName: `escaped@${domain}` })
    for (const escaped of ['\\u0000', '\\ud800'])
      for (const path of [`emails[type eq "${escaped}"].value`, `emails[value eq "${escaped}"]`]) {
        const step = { op: 'add', path, value: `new@${domain}` }
        const { status, body } = await call('PATCH', `/Users/${made.body.id}`, patch(step))
        assert.deepEqual([status, body.scimType], [400, 'invalidPath'], path)
      }
  })

  test('a list of 201 operations is refused', async () => {
    const made = await school.call('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: `long@${school.domain}`,
    })
    const value = Array.from({ length: 20 }, (_, at) => ({
      value: `a${at}@${school.domain}`,
      type: `t${at}`,
    }))
    const operations = Array.from({ length: 200 }, () => ({ op: 'add', path: 'emails', value }))
    const answer = await school.call('PATCH', `/Users/${made.body.id}`, patch(...operations))
    assert.equal(answer.status, 200)
    const many = Array.from({ length: 201 }, () => ({ op: 'add', path: 'emails', value }))
    assert.equal((await school.call('PATCH', `/Users/${made.body.id}`, patch(...many))).status, 400)
    const distinct = Array.from({ length: 200 }, (_, at) => ({
      op: 'add',
      path: 'emails',
      value: [{ value: `b${at}@x.de` }],
    }))
    assert.equal(
      (await school.call('PATCH', `/Users/${made.body.id}`, patch(...distinct))).body.scimType,
      'invalidValue',
    )
  })
})
