import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { collections } = await world()

const pathOf = (id: string) => `/api/collections/${id}/views`
const save = (person: Person, id: string, body: object) => call('PUT', pathOf(id), person, body)
const namesOf = async (person: Person, id: string) =>
  (await call('GET', pathOf(id), person)).json().items.map(({ name }: { name: string }) => name)

async function aBox() {
  const admin = await anAdmin()
  const [owner, reader] = [await aColleague(admin), await aColleague(admin)]
  const id = await aCollection(owner)
  await join(owner, id, reader, 'viewer')
  return { admin, owner, reader, id }
}

describe('the shared views of a collection', () => {
  test('are seen by its viewers and written by its editors', async () => {
    const { owner, reader, id } = await aBox()
    const made = await save(owner, id, {
      name: 'Old ones',
      query: 'filter[metadata.year][lt]=1850&sort=name',
    })
    assert.equal(made.statusCode, 201, made.body)
    assert.equal(made.json().query, 'filter%5Bmetadata.year%5D%5Blt%5D=1850&sort=name')
    assert.deepEqual(await namesOf(reader, id), ['Old ones'])
    assert.equal((await save(reader, id, { name: 'Mine', query: '' })).statusCode, 403)
    const view = `${pathOf(id)}/${made.json().id}`
    assert.equal((await call('DELETE', view, reader)).statusCode, 403)
    assert.equal((await call('DELETE', view, owner)).statusCode, 204)
    assert.equal((await call('DELETE', view, owner)).statusCode, 404)
    assert.deepEqual(await namesOf(reader, id), [])
  })

  test('are 401 without a token and 404 for those who do not see the collection', async () => {
    const { owner, id } = await aBox()
    assert.equal((await collections.inject({ url: pathOf(id) })).statusCode, 401)
    const stranger = await aUser()
    const view = (await save(owner, id, { name: 'One', query: '' })).json().id
    for (const person of [stranger, await anAdmin()]) {
      assert.equal((await call('GET', pathOf(id), person)).statusCode, 404)
      assert.equal((await save(person, id, { name: 'Two', query: '' })).statusCode, 404)
      assert.equal((await call('DELETE', `${pathOf(id)}/${view}`, person)).statusCode, 404)
    }
    assert.equal((await call('GET', pathOf(newId()), owner)).statusCode, 404)
  })

  test('are removed only under their own collection', async () => {
    const { owner, id } = await aBox()
    const other = await aCollection(owner)
    const view = (await save(owner, id, { name: 'One', query: '' })).json().id
    assert.equal((await call('DELETE', `${pathOf(other)}/${view}`, owner)).statusCode, 404)
    assert.deepEqual(await namesOf(owner, id), ['One'])
  })

  test('of one name replace each other, fifty at once too', async () => {
    const { owner, id } = await aBox()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => save(owner, id, { name: ' Same ', query: `q=${n}` })),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 49)
    assert.deepEqual(await namesOf(owner, id), ['Same'])
  })

  test('are fifty at most, whoever adds one at the same moment', async () => {
    const { owner, id } = await aBox()
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) => save(owner, id, { name: `View ${n}`, query: '' })),
    )
    const refused = replies.filter(({ statusCode }) => statusCode === 409)
    assert.equal(refused.length, 10)
    assert.equal(refused[0]?.json().code, 'too_many_views')
    assert.equal((await namesOf(owner, id)).length, 50)
    assert.equal(
      (await save(owner, id, { name: (await namesOf(owner, id))[0], query: 'q=x' })).statusCode,
      200,
    )
  })

  for (const body of [
    {},
    { name: 'x' },
    { name: '', query: '' },
    { name: '  ', query: '' },
    { name: 'x'.repeat(81), query: '' },
    { name: 'a\nb', query: '' },
    { name: 'x', query: 'collection=01a1&q=x' },
    { name: 'x', query: 'item=1' },
    { name: 'x', query: 'filter[__proto__]=1' },
    { name: 'x', query: `q=${'ä'.repeat(1_000)}` },
    { name: 'x', query: '', shared: true },
  ])
    test(`${JSON.stringify(body).slice(0, 60)} is 422`, async () => {
      const { owner, id } = await aBox()
      const reply = await save(owner, id, body)
      assert.equal(reply.statusCode, 422, reply.body)
    })

  test('go with their collection', async () => {
    const { owner, id } = await aBox()
    await save(owner, id, { name: 'One', query: '' })
    assert.equal((await call('DELETE', `/api/collections/${id}`, owner)).statusCode, 204)
    assert.equal((await call('GET', pathOf(id), owner)).statusCode, 404)
  })
})
