import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aUser, anAdmin, nobody, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import type { Role } from './collections.ts'

const { collections, db } = await world()

type Who = { headers: Record<string, string> }
const list = ({ headers }: Who, query = '') =>
  collections.inject({ url: `/api/collections${query}`, headers })
const namesFor = async (who: Who) => {
  const reply = await list(who)
  assert.equal(reply.statusCode, 200, reply.body)
  return (reply.json().items as { name: string; my_role: Role }[]).map(({ name, my_role }) => [name, my_role])
}

type Node = { id: string; root_id: string; depth: number; inherit_reach: number; ancestors: string[] }

/** Nobody can create a collection through the API yet, so the tests write the rows that creation will write. */
async function aCollection(
  tenant_id: string,
  name: string,
  { below, inherit_members = true }: { below?: Node; inherit_members?: boolean } = {},
): Promise<Node> {
  const id = newId()
  const node: Node = {
    id,
    root_id: below?.root_id ?? id,
    depth: below ? below.depth + 1 : 0,
    inherit_reach: below && inherit_members ? below.inherit_reach + 1 : 0,
    ancestors: [id, ...(below?.ancestors ?? [])],
  }
  await db.transaction(async (tx) => {
    await tx`
      insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_members, inherit_reach, name)
      values (${id}, ${tenant_id}, ${below?.id ?? null}, ${node.root_id}, ${node.depth}, ${inherit_members},
              ${node.inherit_reach}, ${name})`
    await tx`
      insert into collections.collection_ancestors (ancestor_id, descendant_id, distance)
      select ancestor_id, ${id}, distance - 1
        from unnest(${node.ancestors}::uuid[]) with ordinality as line(ancestor_id, distance)`
  })
  return node
}

const join = ({ id }: Node, { user_id }: Person, role: Role) =>
  db.pool`insert into collections.members (collection_id, user_id, role) values (${id}, ${user_id}, ${role})`

describe('GET /api/collections', () => {
  test('is an empty envelope for somebody who is a member of nothing', async () => {
    const reply = await list(await aUser())
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(reply.json(), { items: [], total: 0, page: 1, per_page: 20, pages: 0 })
  })

  test('without a token is 401', async () => {
    assert.equal((await list(await nobody())).statusCode, 401)
  })

  test('shows direct and inherited collections with the higher role, but nothing behind a cut', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const museum = await aCollection(anna.tenant_id, 'Museum')
    const paintings = await aCollection(anna.tenant_id, 'Paintings', { below: museum })
    const deposits = await aCollection(anna.tenant_id, 'Deposits', {
      below: paintings,
      inherit_members: false,
    })
    await aCollection(anna.tenant_id, 'Safe', { below: deposits })
    await join(museum, anna, 'viewer')
    await join(paintings, anna, 'admin')
    await join(deposits, ben, 'editor')
    assert.deepEqual(await namesFor(anna), [
      ['Paintings', 'admin'],
      ['Museum', 'viewer'],
    ])
    assert.deepEqual(await namesFor(ben), [
      ['Safe', 'editor'],
      ['Deposits', 'editor'],
    ])
  })

  test('never shows a collection of another tenant, even to a member of it', async () => {
    const [anna, stranger] = [await aUser(), await anAdmin()]
    const museum = await aCollection(anna.tenant_id, 'Museum')
    await join(museum, stranger, 'admin')
    assert.notEqual(anna.tenant_id, stranger.tenant_id)
    assert.deepEqual(await namesFor(stranger), [])
  })

  test('shows exactly the declared fields of a collection', async () => {
    const anna = await aUser()
    const museum = await aCollection(anna.tenant_id, 'Museum')
    await join(museum, anna, 'viewer')
    const [item] = (await list(anna)).json().items
    const { created_at, updated_at, ...rest } = item
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.match(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, {
      id: museum.id,
      name: 'Museum',
      description: null,
      type: 'general',
      external_key: null,
      metadata: {},
      inherit_members: true,
      my_role: 'viewer',
      created_by: null,
      version: 1,
    })
  })

  test('hands out every row once over all pages, and the true total past the end', async () => {
    const anna = await aUser()
    for (let number = 0; number < 41; number++)
      await join(await aCollection(anna.tenant_id, `Box ${number}`), anna, 'viewer')
    // The same time everywhere, so that only the id orders them.
    await db.pool`
      update collections.collections set updated_at = '2026-01-02T03:04:05.678Z'
       where tenant_id = ${anna.tenant_id} and id in (select collection_id from collections.members where user_id = ${anna.user_id})`
    const seen: string[] = []
    for (const number of [1, 2, 3]) {
      const { items, ...envelope } = (await list(anna, `?page=${number}&per_page=20`)).json()
      assert.deepEqual(envelope, { total: 41, page: number, per_page: 20, pages: 3 })
      seen.push(...items.map(({ id }: { id: string }) => id))
    }
    assert.equal(new Set(seen).size, 41)
    assert.deepEqual(seen, seen.toSorted().toReversed())
    assert.deepEqual((await list(anna, '?page=4')).json(), {
      items: [],
      total: 41,
      page: 4,
      per_page: 20,
      pages: 3,
    })
  })

  for (const [query, field] of [
    ['?colour=red', 'colour'],
    ['?Page=1', 'Page'],
    ['?page=0', 'page'],
    ['?page=one', 'page'],
    ['?page=1&page=2', 'page'],
    ['?per_page=0', 'per_page'],
    ['?per_page=101', 'per_page'],
    ['?per_page=-5', 'per_page'],
    ['?per_page=', 'per_page'],
    [`?tenant_id=${randomUUID()}`, 'tenant_id'],
  ] as const)
    test(`${query} is 422 and names ${field}`, async () => {
      const reply = await list(await aUser(), query)
      assert.equal(reply.statusCode, 422, reply.body)
      assert.equal(reply.json().code, 'validation')
      assert.deepEqual(
        reply.json().errors.map((error: { field: string }) => error.field),
        [field],
      )
    })
})
