import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, anItem, call } from '#testing/collections.ts'
import { eventually } from '#testing/eventually.ts'
import { aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()
const ROUNDS = 50

const items = (id: string) => `/api/collections/${id}/items`
const add = (by: Person, id: string, body: object) => call('POST', items(id), by, body)
const remove = (by: Person, id: string, item: string) => call('DELETE', `${items(id)}/${item}`, by)
const get = (by: Person, item: string) => call('GET', `/api/items/${item}`, by)
const move = (by: Person, id: string, parent_id: string | null) =>
  call('PATCH', `/api/collections/${id}`, by, { parent_id })
const codeOf = ({ statusCode, body }: { statusCode: number; body: string }): string =>
  statusCode < 300 ? 'done' : String(JSON.parse(body).code)

/**
 * Checks item_count and item_keys of these users' trees against a recount, and that every item is in a collection.
 */
async function isCountedRight(...people: Person[]) {
  const makers = people.map(({ user_id }) => user_id)
  const wrong = await db.pool<object[]>`
    select 'count' as what, node.id::text as place from collections.collections as node
     where node.created_by = any(${makers}::uuid[])
       and node.item_count <> (select count(*) from collections.collection_items as link where link.collection_id = node.id)
    union all
    select 'nowhere', item.id::text from collections.items as item
     where item.created_by = any(${makers}::uuid[])
       and not exists (select from collections.collection_items as link where link.item_id = item.id)
    union all
    (select 'missing key', item.id::text
       from collections.items as item
       join collections.collection_items as link on link.item_id = item.id
       join collections.collections as node on node.id = link.collection_id
      where item.created_by = any(${makers}::uuid[]) and item.external_key is not null
        and not exists (select from collections.item_keys as key
                         where key.root_id = node.root_id and key.external_key = item.external_key and key.item_id = item.id))
    union all
    (select 'stale key', key.item_id::text
       from collections.item_keys as key
       join collections.items as item on item.id = key.item_id
      where item.created_by = any(${makers}::uuid[])
        and (item.external_key is distinct from key.external_key
             or not exists (select from collections.collection_items as link
                              join collections.collections as node on node.id = link.collection_id
                             where link.item_id = item.id and node.root_id = key.root_id)))`
  assert.deepEqual(Array.from(wrong), [])
}

describe('concurrent changes of items', () => {
  test('remove_from_A_and_B: deletes the item and tells one of the two', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    for (let round = 0; round < ROUNDS; round++) {
      const item = await anItem(anna, left, { external_key: 'K' })
      assert.equal((await add(anna, right, { item_id: item })).statusCode, 201)
      const replies = await Promise.all([remove(anna, left, item), remove(anna, right, item)])
      assert.deepEqual(
        replies.map(({ statusCode }) => statusCode),
        [200, 200],
      )
      assert.equal(replies.filter((reply) => reply.json().item_deleted).length, 1)
      assert.equal((await get(anna, item)).statusCode, 404)
    }
    await isCountedRight(anna)
  })

  test('link_while_last_link_removed: the item is either linked or deleted', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    const outcomes = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const item = await anItem(anna, left, { external_key: 'K' })
      const [linked, removed] = await Promise.all([
        add(anna, right, { item_id: item }),
        remove(anna, left, item),
      ])
      assert.equal(removed.statusCode, 200, removed.body)
      outcomes.add(codeOf(linked))
      if (linked.statusCode === 201) {
        assert.equal(removed.json().item_deleted, false)
        assert.deepEqual((await get(anna, item)).json().collection_ids, [right])
        await remove(anna, right, item)
      } else {
        assert.deepEqual([codeOf(linked), removed.json().item_deleted], ['item_not_found', true])
        assert.equal((await get(anna, item)).statusCode, 404)
      }
    }
    assert.ok([...outcomes].every((code) => ['done', 'item_not_found'].includes(code)))
    await isCountedRight(anna)
  })

  test('same_new_key_twice: one of 50 items gets the key', async () => {
    const anna = await aUser()
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => add(anna, i % 2 ? top : box, { name: 'Vase', external_key: 'K' })),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.equal(replies.filter((reply) => codeOf(reply) === 'duplicate_key').length, 49)
    for (let round = 0; round < ROUNDS; round++) {
      const external_key = `R${round}`
      const pair = await Promise.all([
        add(anna, top, { name: 'Vase', external_key }),
        add(anna, box, { name: 'Vase', external_key }),
      ])
      assert.deepEqual(pair.map(codeOf).toSorted(), ['done', 'duplicate_key'])
    }
    await isCountedRight(anna)
  })

  test('key_clash_on_move: a tree never holds one key twice', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    for (let round = 0; round < ROUNDS; round++) {
      const external_key = `M${round}`
      const box = await aCollection(anna, { parent_id: left })
      await anItem(anna, box, { external_key })
      const replies = await Promise.all([
        move(anna, box, right),
        add(anna, right, { name: 'Vase', external_key }),
      ])
      assert.deepEqual(replies.map(codeOf).toSorted(), ['done', 'duplicate_key'])
      const again = await Promise.all([move(anna, box, right), move(anna, box, right)])
      const moved = codeOf(replies[0]) === 'done'
      for (const reply of again) assert.equal(codeOf(reply), moved ? 'done' : 'duplicate_key')
    }
    await isCountedRight(anna)
  })

  test('a key set during a move counts in the new tree only', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    for (let round = 0; round < ROUNDS; round++) {
      const box = await aCollection(anna, { parent_id: left })
      const item = await anItem(anna, box)
      const other = await anItem(anna, left)
      await add(anna, box, { item_id: other })
      const replies = await Promise.all([
        move(anna, box, right),
        call('PATCH', `/api/items/${item}`, anna, { external_key: `S${round}` }),
        remove(anna, left, other),
      ])
      assert.deepEqual(replies.map(codeOf), ['done', 'done', 'done'])
    }
    await isCountedRight(anna)
  })
})

test('a key that becomes free while it is claimed belongs to the item that claims it', async () => {
  const anna = await aUser()
  const [home, root] = [await aCollection(anna), await aCollection(anna)]
  const [left, right] = [
    await aCollection(anna, { parent_id: root }),
    await aCollection(anna, { parent_id: root }),
  ]
  const holder = await anItem(anna, left, { external_key: 'K' })
  const wanted = [
    await anItem(anna, home, { external_key: 'K' }),
    await anItem(anna, home, { external_key: 'L' }),
  ]
  const open = await db.pool.reserve()
  await open`begin`
  await open`insert into collections.item_keys values (${root}, 'L', ${await anItem(anna, home)})`
  // Keys are claimed in order: K is taken at first, then the claim of L waits for the open transaction.
  const linking = call('POST', `${items(right)}/batch`, anna, { item_ids: wanted })
  const isWaiting = async () =>
    (
      await db.pool`select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`
    ).length > 0
  await eventually(isWaiting)
  assert.equal((await remove(anna, left, holder)).statusCode, 200)
  await open`rollback`
  open.release()
  const { statusCode, body } = await linking
  assert.equal(statusCode, 200, body)
  await isCountedRight(anna)
})

test('item_count and item_keys equal a recount after a random mixed load', async () => {
  const anna = await aUser()
  const roots = [await aCollection(anna), await aCollection(anna), await aCollection(anna)]
  const boxes: string[] = []
  for (const root of roots)
    for (let i = 0; i < 3; i++) boxes.push(await aCollection(anna, { parent_id: root }))
  const known: string[] = []
  for (const box of boxes) known.push(await anItem(anna, box))
  let seed = 20_260
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const pick = (from: string[]) => from[random(from.length)] ?? ''
  const key = () => (random(4) === 0 ? null : `K${random(6)}`)
  const act = () => {
    const [box, item] = [pick(boxes), pick(known)]
    switch (random(7)) {
      case 0:
        return add(anna, box, { name: 'Vase', external_key: key() })
      case 1:
        return add(anna, box, { item_id: item })
      case 2:
        return remove(anna, box, item)
      case 3:
        return call('PATCH', `/api/items/${item}`, anna, { external_key: key() })
      case 4:
        return call('POST', `${items(box)}/batch`, anna, { item_ids: [item, pick(known)] })
      case 5:
        return move(anna, box, pick(roots))
      default:
        return call('DELETE', `/api/collections/${pick(boxes)}`, anna).then(async (reply) => {
          if (reply.statusCode === 204) boxes.push(await aCollection(anna, { parent_id: pick(roots) }))
          return reply
        })
    }
  }
  const seen = new Map<string, number>()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 50; i++) {
        const reply = await act()
        const code = codeOf(reply)
        seen.set(code, (seen.get(code) ?? 0) + 1)
        assert.ok(reply.statusCode < 500, reply.body)
        if (reply.statusCode === 201 && reply.json().collection_ids) known.push(reply.json().id as string)
      }
    }),
  )
  assert.ok((seen.get('done') ?? 0) > 50 && (seen.get('duplicate_key') ?? 0) > 0, JSON.stringify([...seen]))
  await isCountedRight(anna)
})
