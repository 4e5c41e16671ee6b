import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { anAdmin, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db, collections } = await world()

type Result = {
  status: string
  item_id: string | null
  version: number | null
  error: { code: string } | null
}
const send = (by: Person, id: string, operations: unknown, more = {}) =>
  call('POST', `/api/collections/${id}/items/batch-write`, by, { operations }, more)
const write = async (by: Person, id: string, operations: object[]): Promise<Result[]> => {
  const reply = await send(by, id, operations)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json().results
}
const outcomes = (results: readonly Result[]) => results.map(({ status, error }) => error?.code ?? status)
const itemsIn = async (by: Person, id: string) => {
  const reply = await call('GET', `/api/collections/${id}/items?sort=name&per_page=100`, by)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json() as { items: { id: string; name: string; version: number }[]; total: number }
}
const names = async (by: Person, id: string) => (await itemsIn(by, id)).items.map(({ name }) => name)
const link = (by: Person, id: string, item_id: string) =>
  call('POST', `/api/collections/${id}/items`, by, { item_id })

async function aBox(count: number) {
  const anna = await aUser()
  const box = await aCollection(anna)
  const results = await write(
    anna,
    box,
    Array.from({ length: count }, (_, n) => ({ action: 'create', name: `Vase ${n}` })),
  )
  return { anna, box, ids: results.map(({ item_id }) => item_id ?? '') }
}

describe('POST /api/collections/:id/items/batch-write', () => {
  test('needs a token and an editor of the collection', async () => {
    const { anna, box, ids } = await aBox(1)
    const [ben, eve] = [await aUser(), await anAdmin()]
    await join(anna, box, ben, 'viewer')
    const operations = [{ action: 'remove', item_id: ids[0] }]
    const url = `/api/collections/${box}/items/batch-write`
    assert.equal((await collections.inject({ method: 'POST', url, payload: { operations } })).statusCode, 401)
    assert.equal((await send(ben, box, operations)).statusCode, 403)
    assert.equal((await send(eve, box, operations)).statusCode, 404)
    assert.equal((await itemsIn(anna, box)).total, 1)
  })

  for (const [what, operations] of [
    ['no operation', []],
    ['more than 1,000', Array.from({ length: 1_001 }, () => ({ action: 'create', name: 'Vase' }))],
    ['an unknown action', [{ action: 'upsert' }]],
    ['an unknown member', [{ action: 'create', name: 'Vase', colour: 'red' }]],
    ['a malformed id', [{ action: 'remove', item_id: 'x' }]],
    ['a text', 'all'],
  ] as const)
    test(`refuses ${what} as a whole`, async () => {
      const { anna, box } = await aBox(1)
      assert.equal((await send(anna, box, operations)).statusCode, 422)
    })

  test('answers each operation at its place', async () => {
    const { anna, box, ids } = await aBox(4)
    const other = await aCollection(anna)
    await link(anna, other, ids[2] ?? '')
    const results = await write(anna, box, [
      { action: 'create', name: 'New', external_key: 'N', metadata: { year: 1 } },
      { action: 'update', item_id: ids[0], metadata: { room: 'A' } },
      { action: 'update', item_id: ids[1]?.toUpperCase(), name: 'Vase 1' },
      { action: 'remove', item_id: ids[2] },
      { action: 'delete', item_id: ids[3] },
      { action: 'create', name: ' ' },
      { action: 'create', name: 'Vase', item_id: ids[0] },
      { action: 'update', name: 'Vase' },
      { action: 'remove', item_id: newId(), name: 'Vase' },
      { action: 'remove', item_id: newId() },
      { action: 'delete', item_id: ids[0] },
    ])
    assert.deepEqual(outcomes(results), [
      'created',
      'updated',
      'unchanged',
      'removed',
      'deleted',
      'validation',
      'invalid_value',
      'required',
      'invalid_value',
      'not_found',
      'repeated_item',
    ])
    assert.deepEqual(
      results.slice(0, 5).map(({ version }) => version),
      [1, 2, 1, 1, null],
    )
    assert.deepEqual(await names(anna, box), ['New', 'Vase 0', 'Vase 1'])
    assert.deepEqual(await names(anna, other), ['Vase 2'])
    assert.equal((await call('GET', `/api/items/${ids[3]}`, anna)).statusCode, 404)
  })

  test('changes an item only in the version that was named', async () => {
    const { anna, box, ids } = await aBox(3)
    await call('PATCH', `/api/items/${ids[0]}`, anna, { name: 'Jug' })
    const [stale, fresh, gone] = ids.map((item_id) => ({
      action: 'update',
      item_id,
      version: 1,
      description: 'x',
    }))
    const results = await write(anna, box, [
      stale ?? {},
      fresh ?? {},
      { ...gone, action: 'delete', description: undefined, version: 7 },
    ])
    assert.deepEqual(outcomes(results), ['version_mismatch', 'updated', 'version_mismatch'])
    assert.equal((await itemsIn(anna, box)).total, 3)
  })

  test('tells taken keys one by one, also within the call', async () => {
    const { anna, box, ids } = await aBox(2)
    await anItem(anna, box, { external_key: 'K' })
    const results = await write(anna, box, [
      { action: 'create', name: 'One', external_key: 'K' },
      { action: 'create', name: 'Two', external_key: 'L' },
      { action: 'create', name: 'Three', external_key: 'L' },
      { action: 'update', item_id: ids[0], external_key: 'K', name: 'Changed' },
      { action: 'update', item_id: ids[1], external_key: 'M' },
    ])
    const found = outcomes(results)
    assert.deepEqual([found[0], found[3], found[4]], ['duplicate_key', 'duplicate_key', 'updated'])
    assert.deepEqual(found.slice(1, 3).toSorted(), ['created', 'duplicate_key'])
    assert.equal((await itemsIn(anna, box)).total, 4)
    const [left] = await db.pool`
      select count(*)::int as number from collections.items as item
       where created_by = ${anna.user_id}
         and not exists (select from collections.collection_items as link where link.item_id = item.id)`
    assert.equal(left?.['number'], 0)
  })

  test('gives a key to a new item that a removed one had', async () => {
    const { anna, box } = await aBox(1)
    const item_id = await anItem(anna, box, { external_key: 'K' })
    const results = await write(anna, box, [
      { action: 'create', name: 'New', external_key: 'K' },
      { action: 'remove', item_id },
    ])
    assert.deepEqual(outcomes(results), ['created', 'deleted'])
  })

  test('judges the right on each item', async () => {
    const { anna, box, ids } = await aBox(2)
    const [ben, eve] = [await aUser(), await anAdmin()]
    const [own, secret] = [await aCollection(ben), await aCollection(anna)]
    const foreign = await anItem(eve, await aCollection(eve))
    await join(anna, box, ben, 'viewer')
    const hidden = await anItem(anna, secret)
    const results = await write(ben, own, [
      { action: 'update', item_id: ids[0], name: 'Mine' },
      { action: 'delete', item_id: ids[1] },
      { action: 'update', item_id: hidden, name: 'Mine' },
      { action: 'delete', item_id: foreign },
    ])
    assert.deepEqual(outcomes(results), ['insufficient_role', 'insufficient_role', 'not_found', 'not_found'])
    assert.equal((await call('GET', `/api/items/${foreign}`, eve)).statusCode, 200)
    assert.deepEqual(await names(anna, box), ['Vase 0', 'Vase 1'])
  })

  test('deletes no item that stands where the caller may not change', async () => {
    const { anna, box, ids } = await aBox(1)
    const [ben, secret] = [await aUser(), await aCollection(anna)]
    await join(anna, box, ben, 'editor')
    await link(anna, secret, ids[0] ?? '')
    assert.deepEqual(outcomes(await write(ben, box, [{ action: 'delete', item_id: ids[0] }])), [
      'insufficient_role',
    ])
    assert.deepEqual(outcomes(await write(anna, box, [{ action: 'delete', item_id: ids[0] }])), ['deleted'])
    assert.equal((await itemsIn(anna, secret)).total, 0)
  })

  test('removes nothing that is not in this collection', async () => {
    const [{ anna, box }, other] = [await aBox(1), await aUser()]
    const item_id = await anItem(anna, await aCollection(anna))
    assert.deepEqual(outcomes(await write(anna, box, [{ action: 'remove', item_id }])), ['not_found'])
    assert.equal((await call('GET', `/api/items/${item_id}`, anna)).statusCode, 200)
    assert.equal((await call('GET', `/api/items/${item_id}`, other)).statusCode, 404)
  })

  test('writes 1,000 items with as many statements as one, and its history', async () => {
    const { anna, box, ids } = await aBox(1_000)
    const results = await write(
      anna,
      box,
      ids.map((item_id) => ({ action: 'update', item_id, metadata: { room: 'A' } })),
    )
    assert.ok(results.every(({ status, version }) => status === 'updated' && version === 2))
    const { items } = (await call('GET', `/api/items/${ids[999]}/history`, anna)).json()
    assert.deepEqual(
      items.map(({ kind }: { kind: string }) => kind),
      ['updated', 'created'],
    )
    const gone = await write(
      anna,
      box,
      ids.map((item_id) => ({ action: 'delete', item_id })),
    )
    assert.ok(gone.every(({ status }) => status === 'deleted'))
    assert.equal((await call('GET', `/api/collections/${box}`, anna)).json().item_count, 0)
  })

  test('happens once for 50 callers with the same Idempotency-Key', async () => {
    const { anna, box } = await aBox(1)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        send(anna, box, [{ action: 'create', name: 'Vase' }], { 'idempotency-key': 'once' }),
      ),
    )
    assert.ok(replies.some(({ statusCode }) => statusCode === 200))
    assert.ok(replies.every(({ statusCode }) => [200, 409].includes(statusCode)))
    assert.equal((await itemsIn(anna, box)).total, 2)
  })

  test('races with itself over the same items without an error of the server', async () => {
    const { anna, box, ids } = await aBox(20)
    const other = await aCollection(anna)
    await Promise.all(ids.slice(0, 10).map((item_id) => link(anna, other, item_id)))
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const some = n % 2 === 0 ? ids : ids.toReversed()
        const action = n % 5 === 4 ? 'delete' : n % 5 === 3 ? 'remove' : 'update'
        const fields = action === 'update' ? { metadata: { n } } : {}
        return send(
          anna,
          n % 3 === 0 ? other : box,
          some.map((item_id) => ({ action, item_id, ...fields })),
        )
      }),
    )
    for (const { statusCode, body } of replies) assert.ok([200, 409].includes(statusCode), body)
    for (const id of [box, other]) {
      const { item_count } = (await call('GET', `/api/collections/${id}`, anna)).json()
      assert.equal((await itemsIn(anna, id)).items.length, item_count)
    }
  })

  test('writes nothing for an editor who is removed first', async () => {
    const { anna, box, ids } = await aBox(1)
    const ben = await aUser()
    await join(anna, box, ben, 'editor')
    const [, reply] = await Promise.all([
      call('DELETE', `/api/collections/${box}/members/${ben.user_id}`, anna),
      send(ben, box, [{ action: 'update', item_id: ids[0], name: 'Mine' }]),
    ])
    assert.ok([200, 404].includes(reply.statusCode), reply.body)
    assert.deepEqual(await names(anna, box), [reply.statusCode === 200 ? 'Mine' : 'Vase 0'])
  })
})
