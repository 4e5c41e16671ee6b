import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { collections, db } = await world()

type Hit = { id: string; name: string; collections: { id: string; name: string }[]; collection_ids: string[] }
const ask = (by: Person, query: string) => call('GET', `/api/items?${query}`, by)
const find = async (by: Person, query: string) => {
  const reply = await ask(by, query)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json() as { items: Hit[]; next_cursor: string | null }
}
const idsOf = async (by: Person, query: string) => (await find(by, query)).items.map(({ id }) => id)
const aWord = () => `w${newId().replaceAll('-', '')}`

describe('GET /api/items', () => {
  test('needs a token', async () =>
    assert.equal((await collections.inject('/api/items?q=vase')).statusCode, 401))

  for (const query of [
    '',
    'q=',
    'q=vase&page=2',
    'q=vase&sort=name',
    'q=a&q=b',
    'q=vase&cursor=x',
    'q=vase&per_page=0',
  ])
    test(`refuses ?${query}`, async () => assert.equal((await ask(await aUser(), query)).statusCode, 422))

  test('finds words and keys in every tree, with names of collections', async () => {
    const [anna, word] = [await aUser(), aWord()]
    const [left, right] = [
      await aCollection(anna, { name: 'Left' }),
      await aCollection(anna, { name: 'Right' }),
    ]
    const one = await anItem(anna, left, { name: `Vase ${word}`, external_key: 'K' })
    const two = await anItem(anna, right, { metadata: { note: word.toUpperCase() }, external_key: 'K' })
    const inner = await aCollection(anna, { name: 'Inner', parent_id: left })
    await call('POST', `/api/collections/${inner}/items`, anna, { item_id: one })
    assert.deepEqual(await idsOf(anna, `q=${word}`), [two, one])
    assert.deepEqual(await idsOf(anna, `q=vase ${word.slice(0, 20)}`), [two, one])
    const { items } = await find(anna, `q=vase ${word}&external_key=K`)
    assert.deepEqual(items.find(({ id }) => id === one)?.collections, [
      { id: left, name: 'Left' },
      { id: inner, name: 'Inner' },
    ])
    assert.deepEqual(await idsOf(anna, 'external_key=K'), [two, one])
    assert.deepEqual(await idsOf(anna, 'external_key=k'), [])
    assert.deepEqual(await idsOf(anna, `q=${word}&external_key=L`), [])
  })

  test('shows nothing that the asker may not see', async () => {
    const [anna, ben, eve, word] = [await aUser(), await aUser(), await anAdmin(), aWord()]
    const [open, secret] = [await aCollection(anna), await aCollection(anna)]
    const shared = await anItem(anna, open, { name: word, external_key: word })
    await anItem(anna, secret, { name: word, external_key: word })
    await call('POST', `/api/collections/${secret}/items`, anna, { item_id: shared })
    await join(anna, open, ben, 'viewer')
    for (const query of [`q=${word}`, `external_key=${word}`]) {
      const { items } = await find(ben, query)
      assert.deepEqual(
        items.map(({ id, collection_ids }) => [id, collection_ids]),
        [[shared, [open]]],
      )
      assert.ok(!JSON.stringify(items).includes(secret))
      assert.deepEqual(await idsOf(eve, query), [])
    }
    await call('DELETE', `/api/collections/${open}/members/${ben.user_id}`, anna)
    assert.deepEqual(await idsOf(ben, `q=${word}`), [])
  })

  test('searches the tenant for a site admin with scope all only', async () => {
    const admin = await anAdmin()
    const [anna, word] = [await aColleague(admin), aWord()]
    const item = await anItem(anna, await aCollection(anna), { name: word })
    assert.deepEqual(await idsOf(admin, `q=${word}`), [])
    assert.deepEqual(await idsOf(admin, `q=${word}&scope=all`), [item])
    assert.equal((await ask(anna, `q=${word}&scope=all`)).statusCode, 403)
  })

  test('walks by cursor through few and through very many', async () => {
    const [admin, word] = [await anAdmin(), aWord()]
    const [anna, eve] = [await aColleague(admin), await aColleague(admin)]
    const box = await aCollection(anna)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift(await anItem(anna, box, { name: `${word} ${n}` }))
    assert.deepEqual(await walk(anna, word, 2), ids)
    const [old, other] = [await aCollection(eve), await aCollection(eve)]
    await fill(eve, old, `${word} old`, 5_200)
    await fill(eve, other, 'other', 5_200)
    await join(eve, old, anna, 'viewer')
    const few = await walk(anna, word, 100)
    assert.equal(new Set(few).size, 5_205)
    assert.equal(new Set(await walk(eve, word, 100)).size, 5_200)
  })
})

/** All ids in order, each once. */
async function walk(by: Person, word: string, per_page: number): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { items: Hit[]; next_cursor: string | null } = await find(
      by,
      `q=${word}&per_page=${per_page}${cursor && `&cursor=${cursor}`}`,
    )
    found.push(...page.items.map(({ id }) => id))
    cursor = page.next_cursor
  }
  return found
}

/** As an import would, in one statement. */
const fill = (by: Person, collection_id: string, name: string, count: number) => db.pool`
  with made as (
    insert into collections.items (id, tenant_id, name)
    select gen_random_uuid(), node.tenant_id, ${name} from collections.collections as node, generate_series(1, ${count}::int)
     where node.id = ${collection_id} and node.created_by = ${by.user_id}
    returning id, tenant_id),
  counted as (update collections.collections set item_count = item_count + ${count} where id = ${collection_id})
  insert into collections.collection_items (tenant_id, collection_id, item_id) select tenant_id, ${collection_id}::uuid, id from made`
