import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, call } from '#testing/collections.ts'
import { aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

const create = (who: Person, key: string, body: object) =>
  call('POST', '/api/collections', who, body, { 'idempotency-key': key })
const made = async (who: Person) => (await call('GET', '/api/collections', who)).json().total as number

describe('Idempotency-Key', () => {
  test('replays the first answer byte for byte and creates nothing', async () => {
    const anna = await aUser()
    const first = await create(anna, 'key 1', { name: 'Box' })
    assert.equal(first.statusCode, 201)
    assert.equal(first.headers['idempotency-replayed'], undefined)
    const again = await create(anna, 'key 1', { name: 'Box' })
    assert.equal(again.statusCode, 201)
    assert.equal(again.body, first.body)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(again.headers['location'], first.headers['location'])
    assert.equal(again.headers['etag'], first.headers['etag'])
    assert.equal(await made(anna), 1)
  })

  test('creates one of fifty; the others get its answer or wait', async () => {
    const anna = await aUser()
    const replies = await Promise.all(Array.from({ length: 50 }, () => create(anna, 'k', { name: 'Box' })))
    for (const reply of replies)
      if (reply.statusCode !== 201)
        assert.deepEqual([reply.statusCode, reply.json().code], [409, 'idempotency_in_progress'])
    const ids = new Set(replies.filter((reply) => reply.statusCode === 201).map((reply) => reply.json().id))
    assert.equal(ids.size, 1)
    assert.equal(await made(anna), 1)
    assert.equal((await create(anna, 'k', { name: 'Box' })).headers['idempotency-replayed'], 'true')
  })

  test('refuses another body; other routes and people have separate keys', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const { id } = (await create(anna, 'k', { name: 'Box' })).json()
    const other = await create(anna, 'k', { name: 'Chest' })
    assert.deepEqual([other.statusCode, other.json().code], [422, 'idempotency_mismatch'])
    const item = await call(
      'POST',
      `/api/collections/${id}/items`,
      anna,
      { name: 'Box' },
      { 'idempotency-key': 'k' },
    )
    assert.equal(item.statusCode, 201, item.body)
    const elsewhere = await aCollection(anna)
    const same = await call(
      'POST',
      `/api/collections/${elsewhere}/items`,
      anna,
      { name: 'Box' },
      { 'idempotency-key': 'k' },
    )
    assert.equal(same.json().code, 'idempotency_mismatch')
    assert.equal((await create(ben, 'k', { name: 'Chest' })).statusCode, 201)
  })

  test('replays refusals with the same body', async () => {
    const anna = await aUser()
    const parent_id = newId()
    const first = await create(anna, 'k', { name: 'Box', parent_id })
    assert.equal(first.statusCode, 404)
    const again = await create(anna, 'k', { name: 'Box', parent_id })
    assert.deepEqual(
      [again.statusCode, again.json().code, again.json().detail, again.headers['idempotency-replayed']],
      [404, 'parent_not_found', first.json().detail, 'true'],
    )
  })

  test('expires after a day', async () => {
    const anna = await aUser()
    await create(anna, 'k', { name: 'Box' })
    await db.pool`
      update collections.idempotency_keys set created_at = clock_timestamp() - interval '24 hours 1 second'
       where user_id = ${anna.user_id}`
    const later = await create(anna, 'k', { name: 'Chest' })
    assert.equal(later.statusCode, 201)
    assert.equal(later.headers['idempotency-replayed'], undefined)
    assert.equal((await create(anna, 'k', { name: 'Chest' })).headers['idempotency-replayed'], 'true')
  })

  test('frees the key when the first call ends without an answer', async () => {
    const anna = await aUser()
    const key = `${anna.user_id} POST /api/collections k`
    let end = () => {}
    const held = new Promise<void>((resolve) => (end = resolve))
    // A process that dies in its first call leaves what a rollback leaves: nothing.
    const first = db.transaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${key}, 1))`
      await held
      throw new Error('died')
    })
    first.catch(() => undefined)
    let running = await create(anna, 'k', { name: 'Box' })
    while (running.statusCode === 201) running = await create(anna, 'k', { name: 'Box' })
    assert.equal(running.json().code, 'idempotency_in_progress')
    end()
    await assert.rejects(first, /died/)
    assert.ok((await create(anna, 'k', { name: 'Box' })).statusCode === 201)
  })

  for (const [what, key] of [
    ['an empty key', ''],
    ['129 characters', 'k'.repeat(129)],
    ['a character outside ASCII', 'schlüssel'],
  ] as const)
    test(`${what} is 422`, async () => {
      const reply = await create(await aUser(), key, { name: 'Box' })
      assert.equal(reply.statusCode, 422, reply.body)
      assert.deepEqual(
        reply.json().errors.map(({ field }: { field: string }) => field),
        ['Idempotency-Key'],
      )
    })
})
