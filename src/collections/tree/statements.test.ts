import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Database, Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { aCollection } from '#testing/collections.ts'
import { aColleague, anAdmin, type Person } from '#testing/people.ts'
import { assertTreesAreTrue } from '#testing/trees.ts'
import { world } from '#testing/world.ts'
import { deleteCollection } from '../collections/delete.ts'
import { createItems, linkItems } from '../items/links.ts'
import { lockTreesOf } from './locks.ts'
import { type NewCollection, placeCollections } from './place.ts'
import { moveCollections, reshapeTrees } from './reshape.ts'

const { db } = await world()

const rows = (parent_id: string | null, count: number): NewCollection[] =>
  Array.from({ length: count }, () => ({
    id: newId(),
    parent_id,
    name: 'Node',
    description: null,
    type: 'general',
    external_key: null,
    metadata: {},
    inherit_members: true,
  }))
const idsOf = (made: { id: string }[]) => made.map(({ id }) => id)

/** Counts the statements, and parts of statements, that an operation runs. */
async function counted(work: (counting: Database) => Promise<unknown>): Promise<number> {
  let calls = 0
  const watch = (tx: Tx) =>
    new Proxy(tx, {
      apply(target, self, args) {
        calls++
        return Reflect.apply(target, self, args) as unknown
      },
    })
  await work({ ...db, transaction: (inner) => db.transaction((tx) => inner(watch(tx))) })
  return calls
}

/** A root with this many children, each with a child of its own and a keyed item. */
async function aTree(owner: Person, count: number) {
  const root = await aCollection(owner)
  const children = rows(root, count)
  await db.transaction(async (tx) => {
    await placeCollections(tx, owner, children)
    const leaves = children.flatMap(({ id }) => rows(id, 1))
    await placeCollections(tx, owner, leaves)
    const items = leaves.map(({ id }) => ({
      id: newId(),
      name: 'Vase',
      description: null,
      external_key: id,
      metadata: {},
    }))
    await createItems(tx, items, owner)
    const pairs = items.map(({ id, external_key }) => ({ collection_id: external_key, item_id: id }))
    assert.equal((await linkItems(tx, pairs, owner)).linked.length, count)
  })
  return { root, children: idsOf(children) }
}

describe('the number of statements does not grow with the rows', async () => {
  const anna = await aColleague(await anAdmin())
  const FEW = 2
  const MANY = 200

  test('when creating', async () => {
    const root = await aCollection(anna)
    const create = (count: number) =>
      counted((watched) =>
        watched.transaction(async (tx) => {
          await lockTreesOf(tx, anna.tenant_id, [root], 'shared')
          assert.deepEqual(await placeCollections(tx, anna, rows(root, count)), [])
        }),
      )
    assert.equal(await create(FEW), await create(MANY))
  })

  test('when moving and cutting with all descendants', async () => {
    const move = async (count: number) => {
      const [{ root, children }, target] = await Promise.all([aTree(anna, count), aCollection(anna)])
      return counted((watched) =>
        watched.transaction(async (tx) => {
          await lockTreesOf(tx, anna.tenant_id, [root, target], 'exclusive')
          const moves = children.map((id) => ({ id, parent_id: target }))
          assert.deepEqual(await moveCollections(tx, anna.tenant_id, moves), [])
        }),
      )
    }
    assert.equal(await move(FEW), await move(MANY))
    const cut = async (count: number) => {
      const { root } = await aTree(anna, count)
      const top = await aCollection(anna)
      return counted((watched) =>
        watched.transaction(async (tx) => {
          await lockTreesOf(tx, anna.tenant_id, [root, top], 'exclusive')
          await reshapeTrees(tx, anna.tenant_id, [{ id: root, parent_id: top }])
          await reshapeTrees(tx, anna.tenant_id, [{ id: root, inherit_members: false }])
        }),
      )
    }
    assert.equal(await cut(FEW), await cut(MANY))
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('when deleting with cascade', async () => {
    const remove = async (count: number) => {
      const { root } = await aTree(anna, count)
      const actor = { user_id: anna.user_id, tenant_id: anna.tenant_id, is_site_admin: false }
      return counted((watched) => deleteCollection(watched, actor, root, { cascade: true }))
    }
    assert.equal(await remove(FEW), await remove(MANY))
    await assertTreesAreTrue(db, anna.tenant_id)
  })
})

describe('many moves at once', () => {
  test('are checked together and undone together', async () => {
    const anna = await aColleague(await anAdmin())
    const root = await aCollection(anna)
    const upper = await aCollection(anna, { parent_id: root })
    const lower = await aCollection(anna, { parent_id: upper })
    const reshape = (changes: Parameters<typeof reshapeTrees>[2]) =>
      db.transaction(async (tx) => {
        await lockTreesOf(tx, anna.tenant_id, [root], 'exclusive')
        return reshapeTrees(tx, anna.tenant_id, changes)
      })
    assert.deepEqual(
      await reshape([
        { id: lower, parent_id: root },
        { id: upper, parent_id: lower },
      ]),
      [],
    )
    await assertTreesAreTrue(db, anna.tenant_id)
    const refused = await reshape([
      { id: lower, parent_id: upper },
      { id: root, inherit_members: false },
      { id: upper, parent_id: newId() },
    ])
    assert.deepEqual(refused, [{ id: upper, code: 'parent_not_found', value: null }])
    const cycle = await reshape([{ id: lower, parent_id: upper }])
    assert.deepEqual(cycle, [{ id: lower, code: 'cycle', value: null }])
    const [still] = await db.pool<{ parent_id: string }[]>`
      select parent_id from collections.collections where id = ${lower}`
    assert.equal(still?.parent_id, root)
  })
})
