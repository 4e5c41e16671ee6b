import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, aUser, nobody, type Person } from '#testing/people.ts'
import { assertTreesAreTrue } from '#testing/trees.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

const create = (who: { headers: Record<string, string> }, body: object) =>
  call('POST', '/api/collections', who, body)
const get = (who: { headers: Record<string, string> }, id: string) =>
  call('GET', `/api/collections/${id}`, who)
const patch = (
  who: { headers: Record<string, string> },
  id: string,
  body: object,
  headers: Record<string, string> = {},
) => call('PATCH', `/api/collections/${id}`, who, body, headers)
const fieldsOf = (reply: { json: () => { errors: { field: string }[] } }) =>
  reply.json().errors.map(({ field }) => field)

/** A separate tenant with three users. */
async function three(): Promise<[Person, Person, Person]> {
  const admin = await anAdmin()
  return Promise.all([aColleague(admin), aColleague(admin), aColleague(admin)])
}

describe('POST /api/collections', () => {
  test('creates a root with every field and makes its creator admin', async () => {
    const anna = await aUser()
    const reply = await create(anna, {
      name: '  Musée\u0301  ',
      description: 'One\r\nTwo',
      type: 'library',
      external_key: 'm-1',
      metadata: { 'dc.title': ' Été ', pages: 12.5, open: true, tags: ['a', 'b'], gone: null },
    })
    assert.equal(reply.statusCode, 201, reply.body)
    const { id, created_at, updated_at, ...body } = reply.json()
    assert.equal(reply.headers['location'], `/api/collections/${id}`)
    assert.equal(reply.headers['etag'], '"1"')
    assert.equal(reply.headers['cache-control'], 'private, no-store')
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(updated_at, created_at)
    assert.deepEqual(body, {
      name: 'Musée\u0301'.normalize('NFC'),
      description: 'One\nTwo',
      type: 'library',
      external_key: 'm-1',
      metadata: { 'dc.title': 'Été', pages: 12.5, open: true, tags: ['a', 'b'] },
      inherit_members: true,
      item_count: 0,
      member_count: 1,
      my_role: 'admin',
      hierarchy: {
        parent_id: null,
        root_id: id,
        depth: 0,
        path: [],
        path_truncated: false,
        children_count: 0,
      },
      created_by: anna.user_id,
      version: 1,
    })
    assert.deepEqual((await get(anna, id)).json(), reply.json())
  })

  test('creates a child without membership, a cut child with an admin', async () => {
    const [anna, ben] = await three()
    const root = await aCollection(anna)
    await join(anna, root, ben, 'editor')
    const child = (await create(ben, { name: 'Child', parent_id: root })).json()
    const cut = (await create(ben, { name: 'Cut', parent_id: root, inherit_members: false })).json()
    assert.deepEqual([child.my_role, child.member_count], ['editor', 2])
    assert.deepEqual([cut.my_role, cut.member_count], ['admin', 1])
    assert.equal((await get(anna, child.id)).json().my_role, 'admin')
    assert.equal((await get(anna, cut.id)).statusCode, 404)
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('without a token is 401', async () => {
    assert.equal((await create(await nobody(), { name: 'Box' })).statusCode, 401)
  })

  test('answers 404 for an invisible parent, 403 for a read-only one', async () => {
    const [anna, ben, carl] = await three()
    const stranger = await anAdmin()
    const root = await aCollection(anna)
    await join(anna, root, ben, 'viewer')
    const refusals = await Promise.all([
      create(carl, { name: 'Box', parent_id: root }),
      create(carl, { name: 'Box', parent_id: newId() }),
      create(stranger, { name: 'Box', parent_id: root }),
    ])
    for (const refusal of refusals) {
      assert.equal(refusal.statusCode, 404)
      assert.equal(refusal.json().detail, refusals[0].json().detail)
      assert.equal(refusal.json().code, 'parent_not_found')
    }
    const weak = await create(ben, { name: 'Box', parent_id: root })
    assert.deepEqual([weak.statusCode, weak.json().code], [403, 'insufficient_role'])
  })

  for (const [what, body, field] of [
    ['no name', {}, 'name'],
    ['a blank name', { name: ' \u00a0 ' }, 'name'],
    ['a name of 201 characters', { name: '😀'.repeat(201) }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a name with a control character', { name: 'a\u0007' }, 'name'],
    ['half a surrogate pair', { name: '\ud800' }, 'name'],
    ['a description of 5001 characters', { name: 'a', description: 'x'.repeat(5_001) }, 'description'],
    ['an unknown type', { name: 'a', type: 'box' }, 'type'],
    ['a null type', { name: 'a', type: null }, 'type'],
    ['a blank key', { name: 'a', external_key: '\u200b ' }, 'external_key'],
    ['a key of 129 characters', { name: 'a', external_key: 'k'.repeat(129) }, 'external_key'],
    ['a key that begins with EXAMPLE-', { name: 'a', external_key: 'EXAMPLE-1' }, 'external_key'],
    ['a parent that is no id', { name: 'a', parent_id: 'root' }, 'parent_id'],
    ['metadata that is a list', { name: 'a', metadata: [] }, 'metadata'],
    ['a metadata key in capitals', { name: 'a', metadata: { Title: 'x' } }, 'metadata'],
    ['an object as metadata value', { name: 'a', metadata: { x: {} } }, 'metadata'],
    ['an empty list as metadata value', { name: 'a', metadata: { x: [] } }, 'metadata'],
    ['51 texts in a list', { name: 'a', metadata: { x: Array(51).fill('a') } }, 'metadata'],
    ['a metadata text of 4001 characters', { name: 'a', metadata: { x: 'a'.repeat(4_001) } }, 'metadata'],
    [
      '51 metadata keys',
      { name: 'a', metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1])) },
      'metadata',
    ],
    [
      'more than 32 KiB of metadata',
      {
        name: 'a',
        metadata: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, 'a'.repeat(3_900)])),
      },
      'metadata',
    ],
    ['an unknown field', { name: 'a', owner: 'me' }, 'owner'],
  ] as const)
    test(`answers 422 naming ${field} when ${what}`, async () => {
      const reply = await create(await aUser(), body)
      assert.equal(reply.statusCode, 422, reply.body)
      assert.deepEqual(
        [reply.json().code, [...new Set(fieldsOf(reply))]],
        [field === 'name' && what.startsWith('a control') ? 'invalid_character' : reply.json().code, [field]],
      )
    })

  test('lists the allowed types when the type is unknown', async () => {
    const reply = await create(await aUser(), { name: 'a', type: 'box' })
    assert.match(reply.json().detail, /general, folder, project, course, library, archive/)
  })

  test('allows ten levels and refuses the eleventh', async () => {
    const anna = await aUser()
    let parent_id = await aCollection(anna)
    for (let level = 1; level < 10; level++) parent_id = await aCollection(anna, { parent_id })
    const reply = await create(anna, { name: 'Eleventh', parent_id })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'too_deep'])
  })

  test('allows a key once per tree', async () => {
    const anna = await aUser()
    const [tree, other] = [await aCollection(anna), await aCollection(anna)]
    const put = (parent_id: string) => create(anna, { name: 'Box', parent_id, external_key: 'k' })
    assert.equal((await put(tree)).statusCode, 201)
    const again = await put(tree)
    assert.deepEqual([again.statusCode, again.json().code], [409, 'duplicate_key'])
    assert.equal((await put(other)).statusCode, 201)
  })
})

describe('GET /api/collections/{id}', () => {
  test('answers foreign, unknown and malformed ids with the same 404', async () => {
    const [anna, ben] = await three()
    const id = await aCollection(anna)
    const bodies = await Promise.all(
      [id, randomUUID(), 'nonsense'].map(async (one) => {
        const reply = await get(ben, one)
        assert.equal(reply.statusCode, 404)
        return { ...(reply.json() as object), request_id: '' }
      }),
    )
    assert.deepEqual(bodies[1], bodies[0])
    assert.deepEqual(bodies[2], bodies[0])
  })

  test('shows the visible part of the path and counts visible children', async () => {
    const [anna, ben] = await three()
    const [top, upper, middle, lower] = await (async () => {
      const top = await aCollection(anna, { name: 'Top' })
      const upper = await aCollection(anna, { name: 'Upper', parent_id: top })
      const middle = await aCollection(anna, { name: 'Middle', parent_id: upper })
      return [top, upper, middle, await aCollection(anna, { name: 'Lower', parent_id: middle })]
    })()
    const hidden = await aCollection(anna, { name: 'Hidden', parent_id: middle, inherit_members: false })
    await join(anna, middle, ben, 'viewer')
    const below = (await get(ben, lower)).json().hierarchy
    assert.deepEqual(below, {
      parent_id: middle,
      root_id: null,
      depth: 1,
      path: [{ id: middle, name: 'Middle' }],
      path_truncated: true,
      children_count: 0,
    })
    assert.deepEqual((await get(ben, middle)).json().hierarchy, {
      parent_id: null,
      root_id: null,
      depth: 0,
      path: [],
      path_truncated: true,
      children_count: 1,
    })
    await join(anna, top, ben, 'viewer')
    const whole = (await get(ben, lower)).json().hierarchy
    assert.deepEqual(
      whole.path.map(({ id }: { id: string }) => id),
      [top, upper, middle],
    )
    assert.deepEqual([whole.path_truncated, whole.root_id, whole.depth], [false, top, 3])
    await join(anna, hidden, ben, 'editor')
    assert.equal((await get(ben, middle)).json().hierarchy.children_count, 2)
  })

  test('counts everybody with access once, including inherited members', async () => {
    const [anna, ben, carl] = await three()
    const root = await aCollection(anna)
    const child = await aCollection(anna, { parent_id: root })
    await join(anna, root, ben, 'viewer')
    await join(anna, child, ben, 'editor')
    await join(anna, child, carl, 'viewer')
    const seen = (await get(ben, child)).json()
    assert.deepEqual([seen.member_count, seen.my_role], [3, 'editor'])
    assert.equal((await get(ben, root)).json().member_count, 2)
  })

  test('is open to a site admin of the tenant without membership', async () => {
    const admin = await anAdmin()
    const id = await aCollection(await aColleague(admin))
    const seen = await get(admin, id)
    assert.equal(seen.statusCode, 200)
    assert.equal(seen.json().my_role, null)
    assert.equal((await get(await anAdmin(), id)).statusCode, 404)
  })
})

describe('PATCH /api/collections/{id}', () => {
  test('changes only sent fields and raises the version, like PUT', async () => {
    const anna = await aUser()
    const { id, ...before } = (
      await create(anna, { name: 'Box', description: 'old', metadata: { a: 1, b: 'x' } })
    ).json()
    const changed = await patch(anna, id, { name: 'Chest', metadata: { b: null, c: ['y'] } })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.equal(changed.headers['etag'], '"2"')
    const body = changed.json()
    assert.deepEqual(
      { ...body, updated_at: '' },
      { ...before, id, name: 'Chest', metadata: { a: 1, c: ['y'] }, version: 2, updated_at: '' },
    )
    const put = await call('PUT', `/api/collections/${id}`, anna, { description: null })
    assert.deepEqual([put.json().description, put.json().name, put.json().version], [null, 'Chest', 3])
    assert.deepEqual((await patch(anna, id, { metadata: null })).json().metadata, {})
  })

  test('keeps version and time when nothing changes', async () => {
    const anna = await aUser()
    const before = (await create(anna, { name: 'Box', metadata: { a: [' x'] } })).json()
    for (const body of [
      {},
      { name: ' Box ' },
      { metadata: { a: ['x'], b: null } },
      { parent_id: null },
      { inherit_members: true },
    ])
      assert.deepEqual((await patch(anna, before.id, body)).json(), before)
  })

  test('accepts one of fifty with the same If-Match', async () => {
    const anna = await aUser()
    const id = await aCollection(anna)
    const stale = await patch(anna, id, { name: 'A' }, { 'if-match': '"2"' })
    assert.deepEqual([stale.statusCode, stale.json().code], [412, 'version_mismatch'])
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        patch(anna, id, { name: `Name ${index}` }, { 'if-match': '"1"' }),
      ),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 412).length, 49)
    assert.equal((await patch(anna, id, { name: 'Any' }, { 'if-match': '*' })).statusCode, 200)
  })

  test('needs admin for place and inheritance, unless unchanged', async () => {
    const [anna, ben, carl] = await three()
    const root = await aCollection(anna)
    const child = await aCollection(anna, { parent_id: root })
    await join(anna, root, ben, 'editor')
    await join(anna, root, carl, 'viewer')
    for (const body of [{ inherit_members: false }, { parent_id: null }]) {
      const reply = await patch(ben, child, body)
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'insufficient_role'])
    }
    const same = await patch(ben, child, { name: 'New', parent_id: root, inherit_members: true })
    assert.equal(same.statusCode, 200, same.body)
    for (const body of [{ name: 'x' }, { parent_id: null }])
      assert.equal((await patch(carl, child, body)).statusCode, 403)
    assert.equal((await patch(await aUser(), child, { name: 'x' })).statusCode, 404)
    assert.equal((await patch(await nobody(), child, { name: 'x' })).statusCode, 401)
  })

  test('moves a collection with descendants and needs editor there', async () => {
    const [anna, ben] = await three()
    const [from, to] = [await aCollection(anna, { name: 'From' }), await aCollection(ben, { name: 'To' })]
    const node = await aCollection(anna, { name: 'Node', parent_id: from })
    const leaf = await aCollection(anna, { name: 'Leaf', parent_id: node })
    await anItem(anna, leaf, { external_key: 'i' })
    const unseen = await patch(anna, node, { parent_id: to })
    assert.deepEqual([unseen.statusCode, unseen.json().code], [404, 'parent_not_found'])
    await join(ben, to, anna, 'viewer')
    assert.equal((await patch(anna, node, { parent_id: to })).statusCode, 403)
    await call('PATCH', `/api/collections/${to}/members/${anna.user_id}`, ben, { role: 'editor' })
    const moved = await patch(anna, node, { parent_id: to })
    assert.equal(moved.statusCode, 200, moved.body)
    assert.deepEqual([moved.json().hierarchy.parent_id, moved.json().version], [to, 2])
    assert.deepEqual(
      (await get(ben, leaf)).json().hierarchy.path.map(({ name }: { name: string }) => name),
      ['To', 'Node'],
    )
    assert.equal((await get(anna, leaf)).json().my_role, 'editor')
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('answers a move that costs the mover access with the result', async () => {
    const [anna, ben] = await three()
    const root = await aCollection(anna)
    const node = await aCollection(anna, { name: 'Node', parent_id: root })
    await join(anna, node, ben, 'admin')
    const moved = await patch(anna, node, { parent_id: null })
    assert.equal(moved.statusCode, 200, moved.body)
    assert.deepEqual([moved.json().name, moved.json().my_role], ['Node', 'admin'])
    assert.equal((await get(anna, node)).statusCode, 404)
    assert.equal((await get(ben, node)).json().hierarchy.root_id, node)
  })

  test('keeps the place when an admin who cannot see the parent sends null', async () => {
    const [anna, ben] = await three()
    const root = await aCollection(anna)
    const node = await aCollection(anna, { name: 'Node', parent_id: root })
    await join(anna, node, ben, 'admin')
    const shown = (await get(ben, node)).json()
    assert.equal(shown.hierarchy.parent_id, null)
    const same = await patch(ben, node, { parent_id: shown.hierarchy.parent_id })
    assert.deepEqual([same.statusCode, same.json()], [200, shown])
    const renamed = await patch(ben, node, { parent_id: null, name: 'Renamed' })
    assert.equal(renamed.json().name, 'Renamed')
    assert.equal((await get(anna, node)).json().hierarchy.parent_id, root)
    // The one who sees the parent may still move it to the top.
    await join(anna, root, ben, 'viewer')
    assert.equal((await patch(ben, node, { parent_id: null })).json().hierarchy.root_id, node)
  })

  test('answers 409 last_admin to a root or cut without direct admin', async () => {
    const anna = await aUser()
    const root = await aCollection(anna)
    const node = await aCollection(anna, { parent_id: root })
    for (const body of [{ parent_id: null }, { inherit_members: false }]) {
      const reply = await patch(anna, node, body)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'last_admin'])
    }
    await join(anna, node, anna, 'admin')
    const moved = await patch(anna, node, { parent_id: null })
    assert.equal(moved.statusCode, 200, moved.body)
    assert.equal(moved.json().hierarchy.root_id, node)
  })

  test('refuses a move below itself or below the tenth level', async () => {
    const anna = await aUser()
    const line = [await aCollection(anna)]
    for (let level = 1; level < 9; level++)
      line.push(await aCollection(anna, { parent_id: line.at(-1) ?? '' }))
    const [root, second, last] = [line[0] ?? '', line[1] ?? '', line.at(-1) ?? '']
    for (const [id, parent_id] of [
      [root, root],
      [root, last],
      [second, last],
    ] as const) {
      const reply = await patch(anna, id, { parent_id })
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'cycle'], reply.body)
    }
    const tree = await aCollection(anna)
    await aCollection(anna, { parent_id: tree })
    assert.equal((await patch(anna, tree, { parent_id: last })).json().code, 'too_deep')
    assert.equal((await patch(anna, tree, { parent_id: line[7] ?? '' })).statusCode, 200)
  })

  test('key_clash_on_move: 409 duplicate_key names the keys and moves nothing', async () => {
    const anna = await aUser()
    const [from, to] = [await aCollection(anna), await aCollection(anna)]
    const node = await aCollection(anna, { parent_id: from })
    await create(anna, { name: 'a', parent_id: node, external_key: 'c1' })
    await create(anna, { name: 'b', parent_id: to, external_key: 'c1' })
    const byCollection = await patch(anna, node, { parent_id: to })
    assert.deepEqual([byCollection.statusCode, byCollection.json().code], [409, 'duplicate_key'])
    assert.match(JSON.stringify(byCollection.json().errors), /c1/)
    const other = await aCollection(anna)
    await anItem(anna, node, { external_key: 'i1' })
    await anItem(anna, other, { external_key: 'i1' })
    const byItem = await patch(anna, node, { parent_id: other })
    assert.equal(byItem.json().code, 'duplicate_key')
    assert.match(JSON.stringify(byItem.json().errors), /i1/)
    assert.equal((await get(anna, node)).json().hierarchy.parent_id, from)
    await assertTreesAreTrue(db, anna.tenant_id)
  })

  test('changes key and place together, judged at the new place', async () => {
    const anna = await aUser()
    const [from, to] = [await aCollection(anna), await aCollection(anna)]
    await create(anna, { name: 'there', parent_id: to, external_key: 'old' })
    const { id } = (await create(anna, { name: 'node', parent_id: from, external_key: 'old' })).json()
    await create(anna, { name: 'here', parent_id: from, external_key: 'new' })
    const moved = await patch(anna, id, { parent_id: to, external_key: 'new' })
    assert.equal(moved.statusCode, 200, moved.body)
    assert.deepEqual([moved.json().external_key, moved.json().version], ['new', 2])
  })

  test('keeps a type no longer allowed, but assigns it nowhere new', async () => {
    const anna = await aUser()
    const id = await aCollection(anna)
    await db.pool`update collections.collections set type = 'retired' where id = ${id}`
    assert.equal((await patch(anna, id, { type: 'retired', name: 'x' })).json().type, 'retired')
    assert.equal((await patch(anna, await aCollection(anna), { type: 'retired' })).statusCode, 422)
  })
})

describe('DELETE /api/collections/{id}', () => {
  test('deletes only the version that If-Match names', async () => {
    const anna = await aUser()
    const path = `/api/collections/${await aCollection(anna)}`
    await call('PATCH', path, anna, { name: 'Chest' })
    const deleteIf = (version: string) => call('DELETE', path, anna, undefined, { 'if-match': version })
    const stale = await deleteIf('"1"')
    assert.deepEqual([stale.statusCode, stale.json().code], [412, 'version_mismatch'])
    assert.equal((await deleteIf('"2"')).statusCode, 204)
  })

  const remove = (who: { headers: Record<string, string> }, id: string, query = '') =>
    call('DELETE', `/api/collections/${id}${query}`, who)

  test('deletes memberships, links and items without another collection', async () => {
    const anna = await aUser()
    const [box, other] = [await aCollection(anna), await aCollection(anna)]
    const [only, shared] = [await anItem(anna, box), await anItem(anna, box, { external_key: 's' })]
    await call('POST', `/api/collections/${other}/items`, anna, { item_id: shared })
    assert.equal((await remove(anna, box)).statusCode, 204)
    assert.equal((await remove(anna, box)).statusCode, 404)
    assert.equal((await call('GET', `/api/items/${only}`, anna)).statusCode, 404)
    assert.deepEqual((await call('GET', `/api/items/${shared}`, anna)).json().collection_ids, [other])
    const [left] = await db.pool<{ rows: number }[]>`
      select (select count(*) from collections.members where collection_id = ${box})
           + (select count(*) from collections.collection_ancestors where ancestor_id = ${box})
           + (select count(*) from collections.item_keys where root_id = ${box}) as rows`
    assert.equal(left?.rows, 0)
  })

  test('needs cascade=true for children, and admin on each', async () => {
    const [anna, ben, carl] = await three()
    const root = await aCollection(anna)
    await join(anna, root, ben, 'admin')
    await join(anna, root, carl, 'editor')
    const child = await aCollection(anna, { parent_id: root })
    const cut = await aCollection(anna, { parent_id: child, inherit_members: false })
    const plain = await remove(ben, root)
    assert.deepEqual([plain.statusCode, plain.json().code], [409, 'has_children'])
    assert.equal((await remove(ben, root, '?cascade=true')).statusCode, 403)
    assert.equal((await remove(carl, root, '?cascade=true')).statusCode, 403)
    assert.equal((await remove(anna, root, '?cascade=true')).statusCode, 204)
    for (const id of [root, child, cut]) assert.equal((await get(anna, id)).statusCode, 404)
  })

  test('refuses missing tokens, strangers, other tenants and unknown parameters', async () => {
    const [anna, ben] = await three()
    const id = await aCollection(anna)
    assert.equal((await remove(await nobody(), id)).statusCode, 401)
    assert.equal((await remove(ben, id)).statusCode, 404)
    assert.equal((await remove(await anAdmin(), id)).statusCode, 404)
    assert.equal((await remove(anna, id, '?force=true')).statusCode, 422)
    assert.equal((await get(anna, id)).statusCode, 200)
  })

  test('answers one 204 and otherwise 404 to fifty at once', async () => {
    const anna = await aUser()
    const id = await aCollection(anna)
    const replies = await Promise.all(Array.from({ length: 50 }, () => remove(anna, id)))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 204).length, 1)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 404).length, 49)
  })
})
