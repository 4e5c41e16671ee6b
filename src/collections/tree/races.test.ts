import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, type Person } from '#testing/people.ts'
import { assertTreesAreTrue } from '#testing/trees.ts'
import { world } from '#testing/world.ts'
import { MAX_CHILDREN } from './refusal.ts'

const { db } = await world()
const ROUNDS = 50

/** A user in a separate tenant, and a colleague there. */
async function two(): Promise<[Person, Person]> {
  const admin = await anAdmin()
  return Promise.all([aColleague(admin), aColleague(admin)])
}

const move = (who: Person, id: string, parent_id: string | null) =>
  call('PATCH', `/api/collections/${id}`, who, { parent_id })
const statuses = (replies: { statusCode: number }[]) => replies.map(({ statusCode }) => statusCode)
const sorted = (replies: { statusCode: number }[]) => statuses(replies).toSorted((a, b) => a - b)
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('trees under races', () => {
  test('crossing_moves: one succeeds and the other is a cycle', async () => {
    const [anna] = await two()
    const root = await aCollection(anna)
    for (const _ of times(ROUNDS)) {
      const [a, b] = await Promise.all([
        aCollection(anna, { parent_id: root }),
        aCollection(anna, { parent_id: root }),
      ])
      const replies = await Promise.all([move(anna, a, b), move(anna, b, a)])
      assert.deepEqual(sorted(replies), [200, 409])
      assert.equal(replies.find(({ statusCode }) => statusCode === 409)?.json().code, 'cycle')
    }
    assert.equal(await assertTreesAreTrue(db, anna.tenant_id), 1 + 2 * ROUNDS)
  })

  test('crossing_moves_between_trees: two roots moved below each other build no cycle', async () => {
    const [anna] = await two()
    for (const _ of times(ROUNDS)) {
      const [a, b] = await Promise.all([aCollection(anna), aCollection(anna)])
      await aCollection(anna, { parent_id: a })
      const replies = await Promise.all([move(anna, a, b), move(anna, b, a)])
      assert.deepEqual(sorted(replies), [200, 409])
    }
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('move_while_child_is_created: the child follows its parent', async () => {
    const [anna] = await two()
    for (const _ of times(ROUNDS)) {
      const [a, b] = await Promise.all([aCollection(anna), aCollection(anna)])
      const node = await aCollection(anna, { parent_id: a })
      const replies = await Promise.all([
        move(anna, node, b),
        ...times(3).map(() => call('POST', '/api/collections', anna, { name: 'Child', parent_id: node })),
      ])
      assert.deepEqual(statuses(replies), [200, 201, 201, 201])
    }
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('delete_while_moved_into: the moved collection is refused or deleted too', async () => {
    const [anna] = await two()
    for (const _ of times(ROUNDS)) {
      const [target, moved] = await Promise.all([aCollection(anna), aCollection(anna)])
      const [deleted, move_reply] = await Promise.all([
        call('DELETE', `/api/collections/${target}?cascade=true`, anna),
        move(anna, moved, target),
      ])
      assert.equal(deleted.statusCode, 204, deleted.body)
      const after = await call('GET', `/api/collections/${moved}`, anna)
      assert.equal(after.statusCode, move_reply.statusCode === 200 ? 404 : 200)
      if (move_reply.statusCode !== 200) assert.equal(move_reply.json().code, 'parent_not_found')
    }
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('delete_while_item_added: the item is refused or deleted too', async () => {
    const [anna] = await two()
    for (const _ of times(ROUNDS)) {
      const box = await aCollection(anna)
      const [deleted, added] = await Promise.all([
        call('DELETE', `/api/collections/${box}`, anna),
        call('POST', `/api/collections/${box}/items`, anna, { name: 'Vase', external_key: 'v' }),
      ])
      assert.equal(deleted.statusCode, 204)
      assert.ok([201, 404].includes(added.statusCode), added.body)
    }
    assert.equal(await assertTreesAreTrue(db, anna.tenant_id), 0)
  })

  test('thousandth_child_race: one of fifty gets the last place', async () => {
    const [anna] = await two()
    const root = await aCollection(anna)
    await db.transaction(async (tx) => {
      await tx`
        insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_reach, name)
        select gen_random_uuid(), ${anna.tenant_id}, ${root}, ${root}, 1, 1, 'Child'
          from generate_series(1, ${MAX_CHILDREN - 1}::int)`
      await tx`
        insert into collections.collection_ancestors (ancestor_id, descendant_id, distance, counts)
        select id, id, 0, true from collections.collections where parent_id = ${root}
        union all select parent_id, id, 1, true from collections.collections where parent_id = ${root}`
    })
    const elsewhere = await Promise.all(times(25).map(() => aCollection(anna)))
    const replies = await Promise.all([
      ...times(25).map(() => call('POST', '/api/collections', anna, { name: 'Last', parent_id: root })),
      ...elsewhere.map((id) => move(anna, id, root)),
    ])
    const done = replies.filter(({ statusCode }) => statusCode < 300)
    assert.equal(done.length, 1)
    for (const reply of replies)
      if (!done.includes(reply)) assert.equal(reply.json().code, 'too_many_children', reply.body)
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('same_key_twice: creates one of fifty collections with one key', async () => {
    const [anna] = await two()
    const root = await aCollection(anna)
    const replies = await Promise.all(
      times(50).map(() =>
        call('POST', '/api/collections', anna, { name: 'Box', parent_id: root, external_key: 'k' }),
      ),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.ok(replies.every((reply) => reply.statusCode === 201 || reply.json().code === 'duplicate_key'))
    await assertTreesAreTrue(db, anna.tenant_id)
  })
})

describe('the last admin under races', () => {
  /** A child with ben as its only direct admin, below anna's root. */
  async function aChildOf(anna: Person, ben: Person) {
    const root = await aCollection(anna)
    const child = await aCollection(anna, { parent_id: root })
    await join(anna, child, ben, 'admin')
    return child
  }
  const demote = (who: Person, id: string, { user_id }: Person) =>
    call('PATCH', `/api/collections/${id}/members/${user_id}`, who, { role: 'viewer' })

  for (const [name, change] of [
    ['cut_while_demoted', { inherit_members: false }],
    ['move_to_root_while_demoted', { parent_id: null }],
  ] as const)
    test(`${name}: keeps the only direct admin`, async () => {
      const [anna, ben] = await two()
      for (const _ of times(ROUNDS)) {
        const child = await aChildOf(anna, ben)
        const replies = await Promise.all([
          call('PATCH', `/api/collections/${child}`, anna, change),
          demote(anna, child, ben),
        ])
        const codes = sorted(replies)
        // If the cut came first, anna is no longer an admin there.
        assert.ok(['200,409', '200,404', '200,403'].includes(codes.join(',')), codes.join(','))
        const refused = replies.find(({ statusCode }) => statusCode === 409)
        if (refused) assert.equal(refused.json().code, 'last_admin')
      }
      await assertTreesAreTrue(db, anna.tenant_id)
    })
})

test('a random concurrent load keeps every derived table consistent', async () => {
  const [anna, ben] = await two()
  const roots = await Promise.all(times(3).map(() => aCollection(anna)))
  for (const root of roots) await join(anna, root, ben, 'admin')
  const nodes = [...roots]
  const items: string[] = []
  let seed = 20_261
  const pick = <T>(list: readonly T[]): T => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    // The low bits of such a generator have a short period.
    return list[Math.floor(seed / 65_536) % list.length] as T
  }
  const make = async () => {
    const reply = await call('POST', '/api/collections', pick([anna, ben]), {
      name: 'Node',
      parent_id: pick(nodes),
      inherit_members: pick([true, true, true, false]),
    })
    if (reply.statusCode === 201) nodes.push(reply.json().id)
  }
  const putItem = async () => {
    const reply = await call('POST', `/api/collections/${pick(nodes)}/items`, anna, {
      name: 'Vase',
      external_key: pick(['a', 'b', 'c', 'd', 'e', 'f', null, null, null]),
    })
    if (reply.statusCode === 201) items.push(reply.json().id)
  }
  const acts: (() => Promise<unknown>)[] = [
    make,
    make,
    make,
    () => move(pick([anna, ben]), pick(nodes), pick([...nodes, null])),
    () => call('PATCH', `/api/collections/${pick(nodes)}`, anna, { inherit_members: pick([true, false]) }),
    putItem,
    putItem,
    async () =>
      items.length > 0 &&
      call('POST', `/api/collections/${pick(nodes)}/items`, anna, { item_id: pick(items) }),
    async () =>
      items.length > 0 && call('DELETE', `/api/collections/${pick(nodes)}/items/${pick(items)}`, anna),
    () => call('DELETE', `/api/collections/${pick([...nodes.slice(3).slice(-5), 'none'])}?cascade=true`, ben),
    () =>
      call('PATCH', `/api/collections/${pick(nodes)}/members/${pick([anna, ben]).user_id}`, anna, {
        role: pick(['admin', 'editor']),
      }),
  ]
  for (const _ of times(60)) {
    const replies = await Promise.all(times(10).map(() => pick(acts)()))
    for (const reply of replies as { statusCode?: number; body?: string }[])
      assert.ok((reply?.statusCode ?? 200) < 500, reply?.body)
  }
  assert.ok((await assertTreesAreTrue(db, anna.tenant_id)) > 10)
  assert.ok(items.length > 5)
})
