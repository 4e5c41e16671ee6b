import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { collections, db } = await world()

type Row = Record<string, unknown> & { id: string; name: string }
const items = (id: string) => `/api/collections/${id}/items`
const add = (by: Person, id: string, body: object, more = {}) => call('POST', items(id), by, body, more)
const remove = (by: Person, id: string, item: string) => call('DELETE', `${items(id)}/${item}`, by)
const get = (by: Person, item: string) => call('GET', `/api/items/${item}`, by)
const patch = (by: Person, item: string, body: object, more = {}) =>
  call('PATCH', `/api/items/${item}`, by, body, more)
const list = async (by: Person, id: string, query = '') => {
  const reply = await call('GET', `${items(id)}${query}`, by)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json() as { items: Row[]; total: number; pages: number }
}
const namesOf = async (by: Person, id: string, query = '') =>
  (await list(by, id, query)).items.map(({ name }) => name)

describe('POST /api/collections/:id/items', () => {
  test('makes an item with exactly the declared fields', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    const reply = await add(anna, box, {
      name: '  Vase\u0301 ',
      description: 'of\r\nglass',
      external_key: 'V-1',
      metadata: { year: 1901, tags: ['blue', 'old'], is_loan: false, gone: null },
    })
    assert.equal(reply.statusCode, 201, reply.body)
    const { id, created_at, updated_at, ...rest } = reply.json()
    assert.match(created_at, /Z$/)
    assert.equal(created_at, updated_at)
    assert.deepEqual(rest, {
      name: 'Vas\u00e9',
      description: 'of\nglass',
      external_key: 'V-1',
      metadata: { year: 1901, tags: ['blue', 'old'], is_loan: false },
      collection_ids: [box],
      created_by: anna.user_id,
      version: 1,
    })
    assert.equal(reply.headers['location'], `/api/items/${id}`)
    assert.equal(reply.headers['etag'], '"1"')
    assert.deepEqual((await get(anna, id)).json(), reply.json())
  })

  for (const [name, body, field] of [
    ['without a name', {}, 'name'],
    ['with a blank name', { name: ' ' }, 'name'],
    ['with a name of 301 characters', { name: 'x'.repeat(301) }, 'name'],
    ['with a number as name', { name: 5 }, 'name'],
    ['with a key of the examples', { name: 'Vase', external_key: 'EXAMPLE-1' }, 'external_key'],
    ['with an object inside metadata', { name: 'Vase', metadata: { a: {} } }, 'metadata'],
    ['with too much metadata', { name: 'Vase', metadata: manyKeys(51) }, 'metadata'],
    ['with a list as metadata', { name: 'Vase', metadata: [] }, 'metadata'],
    ['with an unknown field', { name: 'Vase', colour: 'red' }, 'colour'],
    ['with an item_id beside other fields', { name: 'Vase', item_id: newId() }, 'name'],
    ['with a malformed item_id', { item_id: 'x' }, 'item_id'],
  ] as const)
    test(`${name} it is 422 and names ${field}`, async () => {
      const anna = await aUser()
      const reply = await add(anna, await aCollection(anna), body)
      assert.equal(reply.statusCode, 422, reply.body)
      assert.equal(reply.json().errors[0].field, field)
    })

  test('refuses a key of the same tree, accepts one of another', async () => {
    const anna = await aUser()
    const top = await aCollection(anna)
    const [box, other] = [await aCollection(anna, { parent_id: top }), await aCollection(anna)]
    await anItem(anna, top, { external_key: 'K' })
    const reply = await add(anna, box, { name: 'Vase', external_key: 'K' })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'duplicate_key'])
    assert.deepEqual([reply.json().errors[0].field, reply.json().errors[0].value], ['external_key', 'K'])
    assert.equal((await list(anna, box)).total, 0)
    assert.equal((await add(anna, other, { name: 'Vase', external_key: 'K' })).statusCode, 201)
  })

  test('replays the answer to the same Idempotency-Key', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => add(anna, box, { name: 'Vase' }, { 'idempotency-key': 'once' })),
    )
    const made = replies.filter(({ statusCode }) => statusCode === 201)
    assert.equal(new Set(made.map((reply) => reply.json().id)).size, 1)
    for (const { statusCode, body } of replies)
      if (statusCode !== 201) assert.equal(JSON.parse(body).code, 'idempotency_in_progress')
    assert.equal((await list(anna, box)).total, 1)
  })
})

describe('linking an item that exists', () => {
  test('answers 201, then 200, and puts one item in both', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    const item = await anItem(anna, left)
    const first = await add(anna, right, { item_id: item })
    assert.equal(first.statusCode, 201, first.body)
    assert.deepEqual(first.json().collection_ids, [left, right].toSorted())
    assert.equal((await add(anna, right, { item_id: item })).statusCode, 200)
    assert.deepEqual([(await list(anna, left)).total, (await list(anna, right)).total], [1, 1])
  })

  test('needs editor on source and target', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const [foreign, own] = [await aCollection(anna), await aCollection(ben)]
    const item = await anItem(anna, foreign)
    const unseen = await add(ben, own, { item_id: item })
    assert.deepEqual([unseen.statusCode, unseen.json().code], [404, 'item_not_found'])
    assert.deepEqual((await add(ben, own, { item_id: newId() })).json().code, 'item_not_found')
    await join(anna, foreign, ben, 'viewer')
    const seen = await add(ben, own, { item_id: item })
    assert.deepEqual([seen.statusCode, seen.json().code], [403, 'insufficient_role'])
    assert.equal((await list(ben, own)).total, 0)
  })

  test('never reaches into another tenant, not even for a site admin', async () => {
    const [admin, stranger] = [await anAdmin(), await aUser()]
    const item = await anItem(stranger, await aCollection(stranger))
    const reply = await add(admin, await aCollection(admin), { item_id: item })
    assert.deepEqual([reply.statusCode, reply.json().code], [404, 'item_not_found'])
  })

  test('refuses more than 1,000 collections per item', async () => {
    const anna = await aUser()
    const [home, last, more] = [await aCollection(anna), await aCollection(anna), await aCollection(anna)]
    const item = await anItem(anna, home)
    const ids = Array.from({ length: 998 }, () => newId())
    await db.pool`
      insert into collections.collections (id, tenant_id, root_id, depth, inherit_reach, name, item_count)
      select id, ${anna.tenant_id}, id, 0, 0, 'Box', 1 from unnest(${ids}::uuid[]) as given(id)`
    await db.pool`
      insert into collections.collection_items (collection_id, item_id)
      select id, ${item} from unnest(${ids}::uuid[]) as given(id)`
    assert.equal((await add(anna, last, { item_id: item })).statusCode, 201)
    const reply = await add(anna, more, { item_id: item })
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'too_large'])
    assert.equal((await list(anna, more)).total, 0)
    assert.equal((await add(anna, last, { item_id: item })).statusCode, 200)
  })

  test('shows only collections visible to the caller', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const [open, secret] = [await aCollection(anna), await aCollection(anna)]
    const item = await anItem(anna, open)
    await add(anna, secret, { item_id: item })
    await join(anna, open, ben, 'viewer')
    assert.deepEqual((await get(ben, item)).json().collection_ids, [open])
    assert.deepEqual((await list(ben, open)).items[0]?.['collection_ids'], [open])
  })
})

describe('POST /api/collections/:id/items/batch', () => {
  const link = (by: Person, id: string, item_ids: unknown) =>
    call('POST', `${items(id)}/batch`, by, { item_ids })

  test('links all and counts what was there', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    const ids = [await anItem(anna, left), await anItem(anna, left), await anItem(anna, left)]
    await add(anna, right, { item_id: ids[0] })
    const reply = await link(anna, right, [...ids, ids[2]])
    assert.deepEqual([reply.statusCode, reply.json()], [200, { linked: 2, existing: 1 }])
    assert.equal((await list(anna, right)).total, 3)
  })

  test('links nothing when one item is unknown, read-only or clashing', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const [left, right, foreign] = [await aCollection(anna), await aCollection(anna), await aCollection(ben)]
    const good = await anItem(anna, left)
    const keyed = await anItem(anna, left, { external_key: 'K' })
    await anItem(anna, right, { external_key: 'K' })
    const seen = await anItem(ben, foreign)
    await join(ben, foreign, anna, 'viewer')
    for (const [other, code] of [
      [newId(), 'item_not_found'],
      [seen, 'insufficient_role'],
      [keyed, 'duplicate_key'],
    ] as const)
      assert.equal((await link(anna, right, [good, other])).json().code, code)
    assert.equal((await list(anna, right)).total, 1)
  })

  for (const item_ids of [[], Array.from({ length: 101 }, newId), ['x'], 'x', undefined])
    test(`with ${Array.isArray(item_ids) ? item_ids.length : typeof item_ids} ids is 422`, async () => {
      const anna = await aUser()
      assert.equal((await link(anna, await aCollection(anna), item_ids)).statusCode, 422)
    })
})

describe('DELETE /api/collections/:id/items/:item_id', () => {
  test('removes the link, and deletes the item with its last link', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    const item = await anItem(anna, left)
    await add(anna, right, { item_id: item })
    const first = await remove(anna, left, item)
    assert.deepEqual(
      [first.statusCode, first.json()],
      [200, { removed: true, item_deleted: false, remaining_collections: 1 }],
    )
    assert.equal((await remove(anna, left, item)).statusCode, 404)
    assert.deepEqual((await get(anna, item)).json().collection_ids, [right])
    assert.deepEqual((await remove(anna, right, item)).json(), {
      removed: true,
      item_deleted: true,
      remaining_collections: 0,
    })
    assert.equal((await get(anna, item)).statusCode, 404)
  })

  test('counts only collections visible to the caller', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const [open, secret] = [await aCollection(anna), await aCollection(anna)]
    const item = await anItem(anna, open)
    await add(anna, secret, { item_id: item })
    await join(anna, open, ben, 'editor')
    assert.deepEqual((await remove(ben, open, item)).json(), {
      removed: true,
      item_deleted: false,
      remaining_collections: 0,
    })
    assert.equal((await get(ben, item)).statusCode, 404)
    assert.equal((await get(anna, item)).statusCode, 200)
  })

  test('removes an item only in the version that If-Match names', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    const item = await anItem(anna, box)
    await patch(anna, item, { name: 'Jug' })
    const removeIf = (version: string) =>
      call('DELETE', `${items(box)}/${item}`, anna, undefined, { 'if-match': version })
    const stale = await removeIf('"1"')
    assert.deepEqual([stale.statusCode, stale.json().code], [412, 'version_mismatch'])
    assert.equal((await removeIf('x')).statusCode, 422)
    assert.equal((await removeIf('"2"')).statusCode, 200)
  })
})

describe('PATCH /api/items/:item_id', () => {
  test('changes only what is sent, merges metadata and counts versions', async () => {
    const anna = await aUser()
    const item = await anItem(anna, await aCollection(anna), {
      description: 'old',
      external_key: 'K',
      metadata: { year: 1901, artist: 'Klee' },
    })
    const before = (await get(anna, item)).json()
    const reply = await patch(anna, item, { name: 'Bowl', metadata: { artist: null, place: 'Bern' } })
    assert.equal(reply.statusCode, 200, reply.body)
    const { updated_at, ...after } = reply.json()
    assert.ok(updated_at >= before.updated_at)
    assert.deepEqual(
      { ...after, updated_at: before.updated_at },
      { ...before, name: 'Bowl', metadata: { year: 1901, place: 'Bern' }, version: 2 },
    )
    assert.equal(reply.headers['etag'], '"2"')
    const cleared = await patch(anna, item, { description: null, external_key: null, metadata: null })
    const { description, external_key, metadata, version } = cleared.json()
    assert.deepEqual([description, external_key, metadata, version], [null, null, {}, 3])
  })

  test('writes nothing when nothing differs', async () => {
    const anna = await aUser()
    const item = await anItem(anna, await aCollection(anna), { metadata: { a: 1 } })
    const before = (await get(anna, item)).json()
    for (const body of [{}, { name: 'Vase' }, { metadata: { a: 1, b: null } }, { external_key: null }])
      assert.deepEqual((await patch(anna, item, body)).json(), before)
  })

  test('accepts the current version in If-Match and refuses any other with 412', async () => {
    const anna = await aUser()
    const item = await anItem(anna, await aCollection(anna))
    const stale = await patch(anna, item, { name: 'B' }, { 'if-match': '"2"' })
    assert.deepEqual([stale.statusCode, stale.json().code], [412, 'version_mismatch'])
    assert.equal((await patch(anna, item, { name: 'B' }, { 'if-match': 'x' })).statusCode, 422)
    assert.equal((await patch(anna, item, { name: 'B' }, { 'if-match': '"1"' })).statusCode, 200)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => patch(anna, item, { name: `N ${i}` }, { 'if-match': '"2"' })),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(replies.filter(({ statusCode }) => statusCode === 412).length, 49)
  })

  test('checks keys in every tree of the item and frees the old', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    const item = await anItem(anna, left, { external_key: 'K' })
    await add(anna, right, { item_id: item })
    await anItem(anna, right, { external_key: 'T' })
    const taken = await patch(anna, item, { name: 'Not written', external_key: 'T' })
    assert.deepEqual([taken.statusCode, taken.json().code], [409, 'duplicate_key'])
    assert.equal((await get(anna, item)).json().name, 'Vase')
    assert.equal((await patch(anna, item, { external_key: 'N' })).statusCode, 200)
    for (const box of [left, right]) {
      assert.equal((await add(anna, box, { name: 'Vase', external_key: 'N' })).statusCode, 409)
      assert.equal((await add(anna, box, { name: 'Vase', external_key: 'K' })).statusCode, 201)
    }
  })

  test('answers 422 when merged metadata exceeds its limits', async () => {
    const anna = await aUser()
    const item = await anItem(anna, await aCollection(anna), { metadata: manyKeys(50) })
    const reply = await patch(anna, item, { metadata: { another: 1 } })
    assert.deepEqual([reply.statusCode, reply.json().errors[0].field], [422, 'metadata'])
    assert.equal((await patch(anna, item, { metadata: { another: 1, key0: null } })).statusCode, 200)
    const text = 'x'.repeat(4_000)
    const half = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, text]))
    const big = await anItem(anna, await aCollection(anna), { metadata: half })
    const more = Object.fromEntries(['e', 'f', 'g', 'h', 'i'].map((key) => [key, text]))
    assert.equal((await patch(anna, big, { metadata: more })).statusCode, 422)
  })

  test('works the same under PUT', async () => {
    const anna = await aUser()
    const item = await anItem(anna, await aCollection(anna), { description: 'kept' })
    const reply = await call('PUT', `/api/items/${item}`, anna, { name: 'Bowl' })
    assert.deepEqual([reply.json().name, reply.json().description], ['Bowl', 'kept'])
  })
})

describe('GET /api/collections/:id/items', () => {
  /** Three items, added in order. */
  async function aShelf() {
    const anna = await aUser()
    const box = await aCollection(anna)
    const blue = {
      name: 'Blaue Vase',
      external_key: 'V-1',
      metadata: { year: 1901, tags: ['glass', 'blue'] },
    }
    const cafe = { name: 'Café', description: 'A cup, blue', metadata: { year: 1950, artist: 'Ängström' } }
    const ids = [
      await anItem(anna, box, blue),
      await anItem(anna, box, cafe),
      await anItem(anna, box, { name: 'abacus', external_key: 'a,b' }),
    ]
    return { anna, box, ids }
  }

  test('sorts newest first and shows who added each item when', async () => {
    const { anna, box } = await aShelf()
    const { items: rows, total, pages } = await list(anna, box)
    assert.deepEqual([rows.map(({ name }) => name), total, pages], [['abacus', 'Café', 'Blaue Vase'], 3, 1])
    assert.match(String(rows[0]?.['added_at']), /Z$/)
    assert.equal(rows[0]?.['added_by'], anna.user_id)
  })

  for (const [query, expected] of [
    ['?q=cafe', ['Café']],
    ['?q=BLAUE', ['Blaue Vase']],
    ['?q=blue', ['Blaue Vase', 'Café']],
    ['?q=angst', ['Café']],
    ['?q=cup%20bl', ['Café']],
    ['?q=v-1', ['Blaue Vase']],
    ['?q=nothing', []],
    ['?sort=name', ['abacus', 'Blaue Vase', 'Café']],
    ['?sort=-name', ['Café', 'Blaue Vase', 'abacus']],
    ['?sort=created_at', ['Blaue Vase', 'Café', 'abacus']],
    ['?external_key=V-1', ['Blaue Vase']],
    ['?external_key=V-1,a\\,b', ['abacus', 'Blaue Vase']],
    ['?filter[name][contains]=AFE', ['Café']],
    ['?filter[name][starts_with]=bl', ['Blaue Vase']],
    ['?filter[external_key][is_null]=true', ['Café']],
    ['?filter[metadata.year][gte]=1901&sort=name', ['Blaue Vase', 'Café']],
    ['?filter[metadata.year][lt]=1950', ['Blaue Vase']],
    ['?filter[metadata.tags][eq]=glass', ['Blaue Vase']],
    ['?filter[metadata.year][eq]=1950&q=blue', ['Café']],
    ['?filter[added_at][gte]=2020-01-01&sort=name&per_page=1&page=2', ['Blaue Vase']],
    ['?filter[added_at][lt]=2020-01-01', []],
    [`?created_by=${newId()}`, []],
  ] as const)
    test(`${query} shows ${expected.join(', ') || 'nothing'}`, async () => {
      const { anna, box } = await aShelf()
      const found = await namesOf(anna, box, query)
      assert.deepEqual(query === '?q=blue' ? found.toSorted() : found, expected)
    })

  test('pages through 41 items once each, with the true total', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    for (let i = 0; i < 41; i++) await anItem(anna, box, { name: `Vase ${i}` })
    // Equal times, so that only the id decides the order.
    await db.pool`update collections.collection_items set added_at = '2026-01-02' where collection_id = ${box}`
    const seen: string[] = []
    for (const page of [1, 2, 3]) {
      const { items: rows, total, pages } = await list(anna, box, `?page=${page}`)
      assert.deepEqual([total, pages], [41, 3])
      seen.push(...rows.map(({ id }) => id))
    }
    assert.deepEqual([seen.length, new Set(seen).size], [41, 41])
    const past = await list(anna, box, '?page=4')
    assert.deepEqual([past.items, past.total], [[], 41])
    const filtered = await list(anna, box, '?page=9&filter[name][starts_with]=vase%201')
    assert.deepEqual([filtered.items, filtered.total], [[], 11])
  })

  test('includes descendants on request, each item once, nothing behind a cut', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    const cut = await aCollection(anna, { parent_id: top, inherit_members: false })
    await join(anna, top, ben, 'viewer')
    const both = await anItem(anna, top, { name: 'Both' })
    await add(anna, box, { item_id: both })
    await anItem(anna, box, { name: 'Below' })
    await anItem(anna, cut, { name: 'Secret' })
    assert.deepEqual(await namesOf(ben, top), ['Both'])
    assert.deepEqual(await namesOf(ben, top, '?include_subtree=true&sort=name'), ['Below', 'Both'])
    assert.equal((await list(ben, top, '?include_subtree=true')).total, 2)
    assert.equal((await list(anna, top, '?include_subtree=true')).total, 3)
  })

  test('shows below a collection the link here, else the latest, whatever is asked of links and items', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const boxes = [
      top,
      await aCollection(anna, { parent_id: top }),
      await aCollection(anna, { parent_id: top }),
    ]
    const links: { item_id: string; name: string; box: number; day: number; by: Person }[] = []
    for (const [n, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      const held = boxes.map((_, box) => box).filter((box) => ((n + 1) >> box) & 1)
      const item_id = await anItem(anna, boxes[held[0] ?? 0] ?? top, {
        name,
        description: n % 2 ? 'odd' : 'even',
      })
      for (const [place, box] of held.entries()) {
        if (place > 0) await add(anna, boxes[box] ?? top, { item_id })
        links.push({ item_id, name, box, day: ((n * 7 + box * 11) % 20) + 1, by: n % 3 ? anna : ben })
      }
    }
    for (const { item_id, box, day, by } of links)
      await db.pool`
        update collections.collection_items set added_at = ${`2026-03-${day}`}, added_by = ${by.user_id}
         where collection_id = ${boxes[box] ?? top} and item_id = ${item_id}`
    const shown = [...Map.groupBy(links, ({ item_id }) => item_id).values()].map(
      (own) => own.find(({ box }) => box === 0) ?? own.toSorted((one, two) => two.day - one.day)[0],
    ) as typeof links
    const byDay = shown.toSorted((one, two) => two.day - one.day)
    const byName = shown.toSorted((one, two) => one.name.localeCompare(two.name))
    const isLate = ({ day }: { day: number }) => day >= 10
    for (const [query, expected] of [
      ['', byDay],
      ['&sort=added_at', byDay.toReversed()],
      ['&sort=name', byName],
      ['&sort=name&filter[added_at][gte]=2026-03-10T00:00:00Z', byName.filter(isLate)],
      ['&filter[added_at][gte]=2026-03-10T00:00:00Z', byDay.filter(isLate)],
      ['&sort=added_at,name', byDay.toReversed()],
      [`&filter[added_by][eq]=${ben.user_id}`, byDay.filter(({ by }) => by === ben)],
      [`&sort=name&added_by=${ben.user_id}`, byName.filter(({ by }) => by === ben)],
      ['&q=odd&sort=-added_at', byDay.filter(({ name }) => 'bdf'.includes(name))],
    ] as const) {
      const { items: rows, total } = await list(anna, top, `?include_subtree=true${query}`)
      const told = rows.map(({ name, added_at, added_by }) => [name, added_at, added_by])
      assert.deepEqual(
        told,
        expected.map(({ name, day, by }) => [
          name,
          new Date(Date.UTC(2026, 2, day)).toISOString(),
          by.user_id,
        ]),
        query,
      )
      assert.equal(total, expected.length, query)
    }
  })

  test('shows only the named fields and the id', async () => {
    const { anna, box } = await aShelf()
    const { items: rows } = await list(anna, box, '?fields=name,added_at&per_page=1')
    assert.deepEqual(Object.keys(rows[0] ?? {}).toSorted(), ['added_at', 'id', 'name'])
  })

  for (const query of [
    '?colour=red',
    '?q=',
    '?sort=colour',
    '?sort=name,name',
    '?page=0',
    '?per_page=101',
    '?include_subtree=maybe',
    '?filter[colour][eq]=x',
    '?filter[name][like]=x',
    '?filter[name]=x',
    '?fields=secret',
    '?created_by=x',
    '?filter[added_at][lt]=yesterday',
    '?q=a&q=b',
    '?filter[metadata.A][eq]=1',
  ])
    test(`${query} is 422`, async () => {
      const anna = await aUser()
      const reply = await call('GET', `${items(await aCollection(anna))}${query}`, anna)
      assert.equal(reply.statusCode, 422, reply.body)
    })
})

describe('an item', () => {
  test('answers 404 to outsiders and obeys site admins of the tenant', async () => {
    const admin = await anAdmin()
    const [owner, other] = [await aColleague(admin), await aColleague(admin)]
    const item = await anItem(owner, await aCollection(owner))
    assert.equal((await get(other, item)).statusCode, 404)
    assert.equal((await get(await anAdmin(), item)).statusCode, 404)
    assert.equal((await patch(admin, item, { name: 'Seen to' })).statusCode, 200)
  })

  test('without a token is 401', async () => {
    assert.equal((await collections.inject({ url: `/api/items/${newId()}` })).statusCode, 401)
  })
})

function manyKeys(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 1]))
}
