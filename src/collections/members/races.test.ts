import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()
const ROUNDS = 50

const member = (id: string, { user_id }: Person) => `/api/collections/${id}/members/${user_id}`
const demote = (by: Person, id: string, whom: Person) =>
  call('PATCH', member(id, whom), by, { role: 'viewer' })
const remove = (by: Person, id: string, whom: Person) => call('DELETE', member(id, whom), by)
const leave = (by: Person, id: string) => call('POST', `/api/collections/${id}/leave`, by)

const adminsOf = async (id: string) => {
  const rows = await db.pool<{ user_id: string }[]>`
    select user_id from collections.members where collection_id = ${id} and role = 'admin'`
  return rows.map(({ user_id }) => user_id)
}

/** A new root with exactly two admins for each round. */
async function eachRound(round: (id: string, anna: Person, ben: Person) => Promise<void>) {
  const [anna, ben] = [await aUser(), await aUser()]
  for (let i = 0; i < ROUNDS; i++) {
    const id = await aCollection(anna)
    await join(anna, id, ben, 'admin')
    await round(id, anna, ben)
  }
}

/** Exactly one request succeeded; the other was refused with one of two errors. */
function oneWins(replies: { statusCode: number; body: string }[], done: number) {
  assert.equal(
    replies.filter(({ statusCode }) => statusCode === done).length,
    1,
    replies.map(({ body }) => body).join(),
  )
  const [loser] = replies.filter(({ statusCode }) => statusCode !== done)
  assert.ok(loser)
  assert.ok(
    ['last_admin', 'insufficient_role', 'not_found'].includes(JSON.parse(loser.body).code),
    loser.body,
  )
}

describe('two admins at once', () => {
  test('two_admins_demote_each_other: one stays and the second learns why', () =>
    eachRound(async (id, anna, ben) => {
      oneWins(await Promise.all([demote(anna, id, ben), demote(ben, id, anna)]), 200)
      assert.equal((await adminsOf(id)).length, 1)
    }))

  test('demote_while_removed: one stays', () =>
    eachRound(async (id, anna, ben) => {
      const replies = await Promise.all([demote(anna, id, ben), remove(ben, id, anna)])
      const done = replies.filter(({ statusCode }) => statusCode < 300)
      assert.equal(done.length, 1, replies.map(({ body }) => body).join())
      assert.equal((await adminsOf(id)).length, 1)
    }))

  test('both_leave: one stays and is told last_admin', () =>
    eachRound(async (id, anna, ben) => {
      const replies = await Promise.all([leave(anna, id), leave(ben, id)])
      const codes = replies.map(({ statusCode, body }) =>
        statusCode === 204 ? 'left' : String(JSON.parse(body).code),
      )
      assert.deepEqual(codes.toSorted(), ['last_admin', 'left'])
      assert.equal((await adminsOf(id)).length, 1)
    }))

  test('a concurrent promotion never leaves the collection without admin', async () => {
    const carl = await aUser()
    await eachRound(async (id, anna, ben) => {
      await join(anna, id, carl, 'viewer')
      const promote = call('PATCH', member(id, carl), anna, { role: 'admin' })
      const replies = await Promise.all([promote, demote(ben, id, anna), leave(ben, id)])
      for (const { statusCode, body } of replies)
        assert.ok([200, 204, 403, 404, 409].includes(statusCode), body)
      assert.ok((await adminsOf(id)).length >= 1)
    })
  })
})

describe('removed_member_next_request', () => {
  test('refuses every request after the 204, without partial effects before', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const id = await aCollection(anna)
    for (let i = 0; i < 3; i++) await anItem(anna, id)
    const listed = () => call('GET', `/api/collections/${id}/items`, ben)
    for (let round = 0; round < ROUNDS; round++) {
      await join(anna, id, ben, 'viewer')
      const [removed, ...beside] = await Promise.all([remove(anna, id, ben), listed(), listed(), listed()])
      assert.equal(removed.statusCode, 204)
      for (const reply of beside)
        if (reply.statusCode === 200) assert.equal(reply.json().items.length, 3)
        else assert.equal(reply.statusCode, 404)
      assert.equal((await listed()).statusCode, 404)
    }
  })

  test('writes nothing of an editor after the removal was answered', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const id = await aCollection(anna)
    const count = async () => {
      const [row] = await db.pool<{ count: number }[]>`
        select count(*) from collections.collection_items where collection_id = ${id}`
      return row?.count
    }
    for (let round = 0; round < ROUNDS; round++) {
      await join(anna, id, ben, 'editor')
      const writing = Array.from({ length: 4 }, () =>
        call('POST', `/api/collections/${id}/items`, ben, { name: 'Vase' }),
      )
      const removed = await remove(anna, id, ben)
      assert.equal(removed.statusCode, 204)
      const then = await count()
      const replies = await Promise.all(writing)
      assert.equal(await count(), then)
      for (const { statusCode } of replies) assert.ok(statusCode === 201 || statusCode === 404)
    }
  })
})
