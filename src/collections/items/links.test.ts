import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { createItems, linkItems, type NewItem, unlinkItems, updateItems } from './links.ts'

const { db } = await world()

/** A root collection. */
async function aRoot({ tenant_id }: { tenant_id: string }): Promise<string> {
  const id = newId()
  await db.pool`
    insert into collections.collections (id, tenant_id, root_id, depth, inherit_reach, name)
    values (${id}, ${tenant_id}, ${id}, 0, 0, 'Box')`
  return id
}

const anItem = (fields: Partial<NewItem> = {}): NewItem => ({
  id: newId(),
  name: 'Vase',
  description: null,
  external_key: null,
  metadata: {},
  ...fields,
})

const countOf = async (id: string) => {
  const [row] = await db.pool<{ item_count: number }[]>`
    select item_count from collections.collections where id = ${id}`
  return row?.item_count
}
const keysOf = async (...roots: string[]) =>
  Array.from(
    await db.pool<{ root_id: string; external_key: string; item_id: string }[]>`
      select root_id, external_key, item_id from collections.item_keys where root_id = any(${roots}::uuid[])
       order by root_id, external_key`,
    (row) => [row.root_id, row.external_key, row.item_id],
  )

describe('linkItems', () => {
  test('creates missing links and reports existing and unknown items', async () => {
    const anna = await aUser()
    const [box, item, other] = [await aRoot(anna), anItem(), anItem()]
    const missing = newId()
    await db.transaction(async (tx) => {
      await createItems(tx, [item, other], anna)
      await linkItems(tx, [{ collection_id: box, item_id: item.id }], anna)
    })
    const result = await db.transaction((tx) =>
      linkItems(
        tx,
        [item.id, other.id, missing, other.id].map((item_id) => ({ collection_id: box, item_id })),
        anna,
      ),
    )
    assert.deepEqual(result, {
      linked: [{ collection_id: box, item_id: other.id }],
      existing: [{ collection_id: box, item_id: item.id }],
      clashes: [],
      missing: [{ collection_id: box, item_id: missing }],
    })
    assert.equal(await countOf(box), 2)
  })

  test('skips an item whose key is taken in one of the trees', async () => {
    const anna = await aUser()
    const [left, right] = [await aRoot(anna), await aRoot(anna)]
    const [holder, loser, other] = [
      anItem({ external_key: 'K' }),
      anItem({ external_key: 'K' }),
      anItem({ external_key: 'L' }),
    ]
    const result = await db.transaction(async (tx) => {
      await createItems(tx, [holder, loser, other], anna)
      await linkItems(tx, [{ collection_id: right, item_id: holder.id }], anna)
      return linkItems(
        tx,
        [
          { collection_id: left, item_id: loser.id },
          { collection_id: right, item_id: loser.id },
          { collection_id: right, item_id: other.id },
        ],
        anna,
      )
    })
    assert.deepEqual(result.clashes, [{ collection_id: right, item_id: loser.id, external_key: 'K' }])
    assert.deepEqual(result.linked, [{ collection_id: right, item_id: other.id }])
    assert.deepEqual([await countOf(left), await countOf(right)], [0, 2])
    assert.deepEqual(await keysOf(left, right), [
      [right, 'K', holder.id],
      [right, 'L', other.id],
    ])
  })

  test('links nothing of another tenant', async () => {
    const anna = await aUser()
    const [box, item] = [await aRoot(anna), anItem()]
    const stranger = { tenant_id: newId(), user_id: anna.user_id }
    await db.transaction((tx) => createItems(tx, [item], stranger))
    const { linked, missing } = await db.transaction((tx) =>
      linkItems(tx, [{ collection_id: box, item_id: item.id }], anna),
    )
    assert.deepEqual([linked.length, missing.length, await countOf(box)], [0, 1, 0])
  })
})

describe('unlinkItems', () => {
  test('deletes an item with its last link and frees its keys', async () => {
    const anna = await aUser()
    const [left, right] = [await aRoot(anna), await aRoot(anna)]
    const [both, one] = [anItem({ external_key: 'B' }), anItem({ external_key: 'O' })]
    const pairs = [
      { collection_id: left, item_id: both.id },
      { collection_id: right, item_id: both.id },
      { collection_id: left, item_id: one.id },
    ]
    await db.transaction(async (tx) => {
      await createItems(tx, [both, one], anna)
      await linkItems(tx, pairs, anna)
    })
    const { removed, deleted } = await db.transaction((tx) =>
      unlinkItems(
        tx,
        pairs.filter(({ collection_id }) => collection_id === left),
        anna,
      ),
    )
    assert.equal(removed.length, 2)
    assert.deepEqual(deleted, [one.id])
    assert.deepEqual([await countOf(left), await countOf(right)], [0, 1])
    assert.deepEqual(await keysOf(left, right), [[right, 'B', both.id]])
  })
})

describe('updateItems', () => {
  test('writes only rows that differ, merges metadata and updates keys', async () => {
    const anna = await aUser()
    const box = await aRoot(anna)
    const [same, changed, holder, loser, big] = [
      anItem({ metadata: { year: 1901 } }),
      anItem({ external_key: 'old', metadata: { year: 1901, artist: 'Klee' } }),
      anItem({ external_key: 'taken' }),
      anItem({ external_key: 'mine' }),
      anItem({ metadata: { a: 'x'.repeat(4_000) } }),
    ]
    const items = [same, changed, holder, loser, big]
    const result = await db.transaction(async (tx) => {
      await createItems(tx, items, anna)
      await linkItems(
        tx,
        items.map(({ id }) => ({ collection_id: box, item_id: id })),
        anna,
      )
      return updateItems(
        tx,
        [
          { id: same.id, name: 'Vase', metadata: { year: 1901, gone: null } },
          { id: changed.id, external_key: 'new', metadata: { artist: null, tags: ['a', 'b'] } },
          { id: loser.id, name: 'Not applied', external_key: 'taken' },
          {
            id: big.id,
            metadata: Object.fromEntries('bcdefghij'.split('').map((key) => [key, 'x'.repeat(4_000)])),
          },
        ],
        anna,
      )
    })
    assert.deepEqual(result, {
      updated: [changed.id],
      unchanged: [same.id],
      clashes: [{ collection_id: box, item_id: loser.id, external_key: 'taken' }],
      too_large: [big.id],
      missing: [],
    })
    const rows = await db.pool<{ id: string; name: string; metadata: object; version: number }[]>`
      select id, name, metadata, version from collections.items where id = any(${items.map(({ id }) => id)}::uuid[])`
    const row = (id: string) => rows.find((one) => one.id === id)
    assert.deepEqual(row(changed.id)?.metadata, { year: 1901, tags: ['a', 'b'] })
    assert.deepEqual(
      [same, changed, loser, big].map(({ id }) => row(id)?.version),
      [1, 2, 1, 1],
    )
    assert.equal(row(loser.id)?.name, 'Vase')
    assert.deepEqual(
      (await keysOf(box)).map(([, key, id]) => [key, id]),
      [
        ['mine', loser.id],
        ['new', changed.id],
        ['taken', holder.id],
      ],
    )
  })

  test('frees a removed key', async () => {
    const anna = await aUser()
    const [box, item] = [await aRoot(anna), anItem({ external_key: 'K' })]
    await db.transaction(async (tx) => {
      await createItems(tx, [item], anna)
      await linkItems(tx, [{ collection_id: box, item_id: item.id }], anna)
      await updateItems(tx, [{ id: item.id, external_key: null }], anna)
    })
    assert.deepEqual(await keysOf(box), [])
  })
})
