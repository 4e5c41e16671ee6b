import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, aUser, nobody, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { placeCollections } from '../tree/place.ts'

const { db } = await world()

type Who = { headers: Record<string, string> }
const list = (who: Who, query = '') => call('GET', `/api/collections${query}`, who)
const create = async (who: Who, body: object): Promise<string> => {
  const reply = await call('POST', '/api/collections', who, body)
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().id
}
const rowsOf = async (who: Who, query = '') => {
  const reply = await list(who, query)
  assert.equal(reply.statusCode, 200, reply.body)
  assert.equal(reply.json().total, reply.json().items.length, query)
  return reply.json().items as { id: string; name: string; my_role: string }[]
}
const namesOf = async (who: Who, query = '') => (await rowsOf(who, query)).map(({ name }) => name)

async function two(): Promise<[Person, Person]> {
  const admin = await anAdmin()
  return Promise.all([aColleague(admin), aColleague(admin)])
}

describe('GET /api/collections', () => {
  test('answers an empty list for somebody without memberships', async () => {
    const reply = await list(await aUser())
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(reply.json(), {
      items: [],
      total: 0,
      page: 1,
      per_page: 20,
      pages: 0,
      next_cursor: null,
    })
  })

  test('without a token is 401', async () => {
    assert.equal((await list(await nobody())).statusCode, 401)
  })

  test('shows direct and inherited collections with the higher role', async () => {
    const [anna, ben] = await two()
    const museum = await create(ben, { name: 'Museum' })
    const paintings = await create(ben, { name: 'Paintings', parent_id: museum })
    const deposits = await create(ben, { name: 'Deposits', parent_id: paintings, inherit_members: false })
    await create(ben, { name: 'Safe', parent_id: deposits })
    await join(ben, museum, anna, 'viewer')
    await join(ben, paintings, anna, 'admin')
    const roles = async (who: Who) => (await rowsOf(who)).map(({ name, my_role }) => [name, my_role])
    assert.deepEqual(await roles(anna), [
      ['Paintings', 'admin'],
      ['Museum', 'viewer'],
    ])
    assert.deepEqual(
      (await roles(ben)).map(([name]) => name),
      ['Safe', 'Deposits', 'Paintings', 'Museum'],
    )
  })

  test('shows a row exactly as the single collection', async () => {
    const [anna, ben] = await two()
    const museum = await create(anna, { name: 'Museum', metadata: { a: 1 }, external_key: 'k' })
    const child = await create(anna, { name: 'Child', parent_id: museum })
    await anItem(anna, child)
    await join(anna, museum, ben, 'viewer')
    for (const row of await rowsOf(ben))
      assert.deepEqual(row, (await call('GET', `/api/collections/${row.id}`, ben)).json())
  })

  test('never shows a collection of another tenant', async () => {
    const [anna, stranger] = [await aUser(), await anAdmin()]
    const museum = await aCollection(anna)
    await db.pool`
      insert into collections.members (collection_id, user_id, role) values (${museum}, ${stranger.user_id}, 'admin')`
    assert.notEqual(anna.tenant_id, stranger.tenant_id)
    assert.deepEqual(await rowsOf(stranger), [])
  })

  test('pages through each row once, with the true total', async () => {
    const anna = await aUser()
    for (let number = 0; number < 41; number++) await aCollection(anna)
    // Equal times, so that only the id decides the order.
    await db.pool`
      update collections.collections set updated_at = '2026-01-02T03:04:05.678Z' where created_by = ${anna.user_id}`
    const seen: string[] = []
    for (const number of [1, 2, 3]) {
      const { items, next_cursor, ...envelope } = (await list(anna, `?page=${number}&per_page=20`)).json()
      assert.equal(next_cursor === null, number === 3)
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
      next_cursor: null,
    })
  })

  test('shows a site admin the whole tenant with scope=all', async () => {
    const admin = await anAdmin()
    const [anna, ben] = await Promise.all([aColleague(admin), aColleague(admin)])
    const museum = await create(anna, { name: 'Museum' })
    await create(ben, { name: 'Library' })
    assert.deepEqual(await rowsOf(admin), [])
    const all = await rowsOf(admin, '?scope=all&sort=name')
    assert.deepEqual(
      all.map(({ name, my_role }) => [name, my_role]),
      [
        ['Library', null],
        ['Museum', null],
      ],
    )
    const refused = await list(anna, '?scope=all')
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'insufficient_role'])
    await db.pool`delete from collections.members where collection_id = ${museum}`
    assert.deepEqual(await namesOf(admin, '?scope=all&orphaned=true'), ['Museum'])
    assert.deepEqual(await namesOf(admin, '?scope=all&orphaned=false'), ['Library'])
    assert.equal((await list(anna, '?orphaned=true')).statusCode, 422)
  })

  test('never answers 404 to a member removed while listing', async () => {
    const [anna, ben] = await two()
    const museum = await create(anna, { name: 'Museum' })
    for (let round = 0; round < 50; round++) {
      await join(anna, museum, ben, 'viewer')
      const [removed, seen] = await Promise.all([
        call('DELETE', `/api/collections/${museum}/members/${ben.user_id}`, anna),
        list(ben),
      ])
      assert.equal(removed.statusCode, 204)
      assert.equal(seen.json().items.length, seen.json().total)
      assert.deepEqual(await rowsOf(ben), [])
    }
  })
})

describe('the newest of thousands', () => {
  /** Bulk children of a root. On request, every second one is cut. */
  const grow = (owner: Person, parent_id: string, count: number, cut = false) =>
    db.transaction((tx) =>
      placeCollections(
        tx,
        owner,
        Array.from({ length: count }, (_, number) => ({
          id: newId(),
          parent_id,
          name: `Box ${number}`,
          description: null,
          type: 'general',
          external_key: null,
          metadata: {},
          inherit_members: !(cut && number % 2 === 0),
        })),
      ),
    )
  /** The list by walking and by sorting. The second sort field changes only the query plan, not the order. */
  const bothWays = async (who: Who, page: string) => {
    const [walked, sorted] = await Promise.all([
      list(who, `?${page}`),
      list(who, `?${page}&sort=-updated_at,-created_at`),
    ])
    assert.equal(walked.statusCode, 200, walked.body)
    const idsOf = ({ items, total }: { items: { id: string; my_role: string }[]; total: number }) => [
      total,
      items.map(({ id, my_role }) => [id, my_role]),
    ]
    assert.deepEqual(idsOf(walked.json()), idsOf(sorted.json()), page)
    return walked.json().total as number
  }

  test('equals sorting all collections, with cuts and double memberships', async () => {
    const [anna, ben] = await two()
    const [root, other] = [await aCollection(anna), await aCollection(anna)]
    await grow(anna, root, 900, true)
    await grow(anna, other, 700)
    const child = await create(anna, { name: 'Child', parent_id: other })
    await join(anna, root, ben, 'viewer')
    await join(anna, other, ben, 'viewer')
    await join(anna, child, ben, 'editor')
    await db.pool`
      update collections.collections set created_at = updated_at where tenant_id = ${anna.tenant_id}`
    for (const page of [
      'page=1',
      'page=2&per_page=7',
      'page=10&per_page=100',
      'page=12&per_page=100',
      'page=40',
    ])
      assert.equal(await bothWays(ben, page), 1 + 450 + 1 + 701)
    // Now the tenant's newest collections are not ben's, and there are more of them than the walk visits.
    const far = [await aCollection(anna), await aCollection(anna), await aCollection(anna)]
    for (const one of far) await grow(anna, one, 900)
    assert.equal(await bothWays(ben, 'page=1'), 1 + 450 + 1 + 701)
    const direct = await db.pool<{ id: string }[]>`
      select id from collections.collections where tenant_id = ${anna.tenant_id} and depth = 1 limit 1200`
    await db.pool`
      insert into collections.members (collection_id, user_id, role)
      select id, ${ben.user_id}, 'editor' from unnest(${direct.map(({ id }) => id)}::uuid[]) as id on conflict do nothing`
    assert.ok((await bothWays(ben, 'page=2')) > 1 + 450 + 1 + 701)
  })
})

describe('sorting, searching and filtering collections', async () => {
  const [anna, ben] = await two()
  const museum = await create(anna, {
    name: 'Museum',
    type: 'library',
    description: 'Old things',
    metadata: { year: 1897, place: 'London', tags: ['art', 'modern, late'], open: true, code: '12' },
  })
  const musee = await create(anna, {
    name: 'Musée d’Orsay',
    external_key: 'a,b',
    metadata: { year: 1986, place: 'Paris', open: false, code: 12 },
  })
  const zoo = await create(anna, { name: 'älter Zoo', type: 'folder', external_key: 'zoo_1' })
  const cage = await create(anna, { name: 'Cage 100%', parent_id: zoo, description: 'museum animals' })
  await join(anna, cage, ben, 'viewer')
  await anItem(anna, cage)

  for (const [query, names] of [
    ['?sort=name', ['älter Zoo', 'Cage 100%', 'Musée d’Orsay', 'Museum']],
    ['?sort=-name', ['Museum', 'Musée d’Orsay', 'Cage 100%', 'älter Zoo']],
    ['?sort=-item_count,type,name', ['Cage 100%', 'älter Zoo', 'Musée d’Orsay', 'Museum']],
    ['?sort=created_at', ['Museum', 'Musée d’Orsay', 'älter Zoo', 'Cage 100%']],
    ['?q=museum', ['Museum', 'Cage 100%']],
    ['?q=MUSE', ['Musée d’Orsay', 'Museum', 'Cage 100%']],
    ['?q=orsay%20musee', ['Musée d’Orsay']],
    ['?q=zoo_1', ['älter Zoo']],
    ['?q=%26%7C!', []],
    ['?type=library,folder&sort=name', ['älter Zoo', 'Museum']],
    [String.raw`?external_key=a\,b`, ['Musée d’Orsay']],
    ['?my_role=admin,editor&type=folder', ['älter Zoo']],
    ['?parent_id=root&sort=name', ['älter Zoo', 'Musée d’Orsay', 'Museum']],
    [`?parent_id=${zoo}`, ['Cage 100%']],
    [`?parent_id=root,${zoo}&type=general&sort=name`, ['Cage 100%', 'Musée d’Orsay']],
    [`?ancestor_id=${zoo}`, ['Cage 100%']],
    ['?filter[name][contains]=MUSE&sort=name', ['Musée d’Orsay', 'Museum']],
    ['?filter[name][starts_with]=alter', ['älter Zoo']],
    ['?filter[name][contains]=0%25', ['Cage 100%']],
    ['?filter[name][contains]=%EF%BC%85', ['Cage 100%']],
    ['?filter[name][contains]=_', []],
    ['?filter[name][eq]=Museum', ['Museum']],
    ['?filter[name][ne]=Museum&sort=name', ['älter Zoo', 'Cage 100%', 'Musée d’Orsay']],
    ['?filter[name][lt]=d&sort=name', ['älter Zoo', 'Cage 100%']],
    ['?filter[description][is_null]=true&sort=name', ['älter Zoo', 'Musée d’Orsay']],
    ['?filter[description][contains]=THINGS', ['Museum']],
    ['?filter[external_key][in]=zoo_1,none', ['älter Zoo']],
    ['?filter[external_key][ne]=zoo_1&sort=name', ['Cage 100%', 'Musée d’Orsay', 'Museum']],
    ['?filter[item_count][gte]=1', ['Cage 100%']],
    ['?filter[created_at][lt]=2020-01-01', []],
    ['?filter[created_at][gt]=2020-01-01T00:00:00Z&type=folder', ['älter Zoo']],
    ['?filter[my_role][gte]=editor&filter[type][eq]=folder', ['älter Zoo']],
    ['?filter[metadata.place][eq]=London', ['Museum']],
    ['?filter[metadata.place][ne]=London&sort=name', ['älter Zoo', 'Cage 100%', 'Musée d’Orsay']],
    ['?filter[metadata.place][in]=London,Paris&sort=name', ['Musée d’Orsay', 'Museum']],
    ['?filter[metadata.place][starts_with]=LON', ['Museum']],
    ['?filter[metadata.tags][eq]=art', ['Museum']],
    ['?filter[metadata.tags][contains]=late', ['Museum']],
    ['?filter[metadata.year][eq]=1897', ['Museum']],
    ['?filter[metadata.year][gt]=1900', ['Musée d’Orsay']],
    ['?filter[metadata.year][lte]=1897', ['Museum']],
    ['?filter[metadata.place][gte]=M', ['Musée d’Orsay']],
    ['?filter[metadata.open][eq]=true', ['Museum']],
    ['?filter[metadata.code][eq]=12&sort=name', ['Musée d’Orsay', 'Museum']],
    ['?filter[metadata.place][is_null]=true&sort=name', ['älter Zoo', 'Cage 100%']],
    [`?created_by=${anna.user_id}&type=folder`, ['älter Zoo']],
    [`?created_by=${randomUUID()}`, []],
  ] as const)
    test(`${query} finds ${names.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await namesOf(anna, query.replaceAll('[', '%5B').replaceAll(']', '%5D')), names)
    })

  test('hides invisible parents and ancestors', async () => {
    assert.deepEqual(await namesOf(ben, '?parent_id=root'), ['Cage 100%'])
    assert.deepEqual(await namesOf(ben, `?parent_id=${zoo}`), [])
    assert.deepEqual(await namesOf(ben, `?ancestor_id=${zoo}`), [])
    assert.ok(museum && musee)
  })

  test('narrows rows to the named fields and the id', async () => {
    const [row] = await rowsOf(anna, '?fields=name,hierarchy&type=folder')
    assert.deepEqual(Object.keys(row ?? {}).toSorted(), ['hierarchy', 'id', 'name'])
    const [bare] = await rowsOf(anna, '?fields=my_role&type=folder')
    assert.deepEqual(bare, { id: zoo, my_role: 'admin' })
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
    ['?q=', 'q'],
    [`?q=${'x'.repeat(201)}`, 'q'],
    ['?sort=colour', 'sort'],
    ['?sort=name,name', 'sort'],
    ['?sort=name,-name', 'sort'],
    ['?sort=name,type,created_at,item_count', 'sort'],
    ['?fields=name,secret', 'fields'],
    ['?type=a,,b', 'type'],
    ['?my_role=owner', 'my_role'],
    ['?created_by=me', 'created_by'],
    ['?parent_id=top', 'parent_id'],
    ['?scope=every', 'scope'],
    ['?filter[colour][eq]=red', 'filter[colour][eq]'],
    ['?filter[tenant_id][eq]=x', 'filter[tenant_id][eq]'],
    ['?filter[__proto__][eq]=x', 'filter[__proto__][eq]'],
    ['?filter[constructor][eq]=x', 'filter[constructor][eq]'],
    ['?filter[name]=x', 'filter[name]'],
    ['?filter[name][like]=x', 'filter[name][like]'],
    ['?filter[created_at][contains]=x', 'filter[created_at][contains]'],
    ['?filter[created_at][lt]=yesterday', 'filter[created_at][lt]'],
    ['?filter[created_at][lt]=2026-02-30', 'filter[created_at][lt]'],
    ['?filter[created_at][lt]=0000-01-01', 'filter[created_at][lt]'],
    ['?filter[created_at][lt]=0001-01-01T00:00:00%2B10:00', 'filter[created_at][lt]'],
    ['?filter[created_at][gt]=9999-12-31T23:59:59-10:00', 'filter[created_at][gt]'],
    ['?filter[item_count][gt]=1.5', 'filter[item_count][gt]'],
    ['?filter[name][is_null]=maybe', 'filter[name][is_null]'],
    ['?filter[metadata.Key][eq]=x', 'filter[metadata.Key][eq]'],
    ['?filter[name][eq]=a&filter[name][eq]=b', 'filter[name][eq]'],
    [`?${Array.from({ length: 11 }, (_, i) => `filter[metadata.k${i}][eq]=x`).join('&')}`, 'filter'],
  ] as const)
    test(`${query.slice(0, 60)} is 422 and names ${field}`, async () => {
      const reply = await list(anna, query)
      assert.equal(reply.statusCode, 422, reply.body)
      assert.deepEqual(
        reply.json().errors.map((error: { field: string }) => error.field),
        [field],
      )
    })
})
