import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { anAdmin, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { sweepChanges } from './sweep.ts'

const { db, collections } = await world()

type Change = Record<string, unknown> & { id: string; kind: string; collection_ids: string[] }
const patch = async (by: Person, item: string, body: object) => {
  const reply = await call('PATCH', `/api/items/${item}`, by, body)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json()
}
const page = (by: Person, item: string, query = '') => call('GET', `/api/items/${item}/history${query}`, by)
const historyOf = async (by: Person, item: string): Promise<Change[]> => {
  const reply = await page(by, item)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json().items
}
const kinds = async (by: Person, item: string) => (await historyOf(by, item)).map(({ kind }) => kind)
const putBack = (by: Person, item: string, change: string, body: object = {}, more = {}) =>
  call('POST', `/api/items/${item}/history/${change}/put-back`, by, body, more)
/** What the table holds of an item, the latest first: the only trace of one that was deleted. */
const traceOf = (item: string) => db.pool`
  select kind, before, collection_ids from collections.item_changes where item_id = ${item} order by change_id desc`

async function aChange(fields: object = { name: 'Jug' }, by?: Person) {
  const anna = by ?? (await aUser())
  const box = await aCollection(anna)
  const item = await anItem(anna, box, { description: 'old', metadata: { year: 1901, tags: ['a'] } })
  await patch(anna, item, fields)
  const [change] = await historyOf(anna, item)
  assert.ok(change)
  return { anna, box, item, change: change.id }
}

describe('GET /api/items/:item_id/history', () => {
  test('needs a token', async () => {
    const { item } = await aChange()
    assert.equal((await collections.inject(`/api/items/${item}/history`)).statusCode, 401)
  })

  test('hides the item of others and of other tenants', async () => {
    const { anna, item } = await aChange()
    const answers = [aUser(), anAdmin()].map(async (who) => (await page(await who, item)).statusCode)
    assert.deepEqual(await Promise.all(answers), [404, 404])
    assert.equal((await page(anna, newId())).statusCode, 404)
  })

  test('refuses an unknown parameter and a foreign cursor', async () => {
    const [one, two] = [await aChange(), await aChange()]
    const { next_cursor } = (await page(one.anna, one.item, '?per_page=1')).json()
    assert.ok(next_cursor)
    for (const [who, query] of [
      [one, '?page=2'],
      [one, '?per_page=101'],
      [one, '?cursor=x'],
      [two, `?cursor=${next_cursor}`],
    ] as const)
      assert.equal((await page(who.anna, who.item, query)).statusCode, 422, query)
  })

  test('names who changed which fields from what to what', async () => {
    const { anna, box, item } = await aChange({
      name: 'Jug',
      description: 'old',
      metadata: { year: null, colour: 'red' },
    })
    const ben = await aUser()
    await join(anna, box, ben, 'editor')
    await patch(ben, item, { description: null, external_key: 'K' })
    await patch(ben, item, { external_key: 'K' })
    const [second, first, made, ...rest] = await historyOf(anna, item)
    assert.deepEqual(rest, [])
    assert.deepEqual(
      [second?.['before'], second?.['after'], second?.['changed_by'], second?.['version']],
      [{ description: 'old', external_key: null }, { description: null, external_key: 'K' }, ben.user_id, 3],
    )
    assert.deepEqual(
      [first?.['before'], first?.['after'], first?.['changed_by']],
      [
        { name: 'Vase', metadata: { year: 1901, colour: null } },
        { name: 'Jug', metadata: { year: null, colour: 'red' } },
        anna.user_id,
      ],
    )
    assert.deepEqual([made?.kind, made?.collection_ids, made?.['version']], ['created', [box], 1])
    const { display_name } = (await call('GET', '/api/auth/me', ben)).json()
    assert.equal(second?.['display_name'], display_name)
  })

  test('says nothing of collections that the reader does not see', async () => {
    const { anna, box, item } = await aChange()
    const ben = await aUser()
    await join(anna, box, ben, 'viewer')
    const secret = await aCollection(anna)
    await call('POST', `/api/collections/${secret}/items`, anna, { item_id: item })
    await call('DELETE', `/api/collections/${secret}/items/${item}`, anna)
    assert.deepEqual(await kinds(anna, item), ['removed', 'added', 'updated', 'created'])
    assert.deepEqual(await kinds(ben, item), ['updated', 'created'])
    assert.ok(!(await page(ben, item)).body.includes(secret))
  })

  test('walks by cursor through each change once', async () => {
    const { anna, item } = await aChange()
    for (let year = 0; year < 5; year++) await patch(anna, item, { metadata: { year } })
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await page(anna, item, `?per_page=2${cursor && `&cursor=${cursor}`}`)
      const reply = answer.json() as { items: Change[]; next_cursor: string | null }
      found.push(...reply.items.map(({ id }) => id))
      cursor = reply.next_cursor
    }
    assert.deepEqual(
      found,
      (await historyOf(anna, item)).map(({ id }) => id),
    )
    assert.equal(found.length, 7)
  })

  test('holds what an import created, changed, added and removed', async () => {
    const anna = await aUser()
    const [left, right] = [await aCollection(anna), await aCollection(anna)]
    await call('PATCH', `/api/collections/${left}`, anna, { external_key: 'L' })
    await call('PATCH', `/api/collections/${right}`, anna, { external_key: 'R' })
    const book = (name: string, to: string) => ({
      Items: [
        ['item_key', 'collection_keys', 'name'],
        ['I', to, name],
      ],
    })
    await bringIn(anna, book('Vase', 'L'))
    const { items } = (await call('GET', `/api/collections/${left}/items`, anna)).json()
    const item = items[0].id
    await bringIn(anna, book('Jug', 'L;R'))
    await bringIn(anna, book('Jug', 'L;R'))
    assert.deepEqual((await kinds(anna, item)).toSorted(), ['added', 'created', 'updated'])
    const made = (await historyOf(anna, item)).at(-1)
    assert.deepEqual([made?.kind, made?.['changed_by']], ['created', anna.user_id])
  })

  test('leaves nothing of a dry run', async () => {
    const anna = await aUser()
    const { change_count } = await countChanges()
    const Items = [
      ['collection_ids', 'name'],
      [await aCollection(anna), 'Vase'],
    ]
    await bringIn(anna, { Items }, { options: { dry_run: 'true' } })
    assert.equal((await countChanges()).change_count, change_count)
  })

  test('keeps what a deleted item was, also with its collection', async () => {
    const { anna, box, item } = await aChange()
    const other = await anItem(anna, box, { name: 'Cup' })
    await call('DELETE', `/api/collections/${box}/items/${other}`, anna)
    await call('DELETE', `/api/collections/${box}`, anna)
    for (const [id, name] of [
      [other, 'Cup'],
      [item, 'Jug'],
    ] as const) {
      const [deleted, removed] = await traceOf(id)
      assert.deepEqual([deleted?.['kind'], deleted?.['before'].name], ['deleted', name])
      assert.deepEqual([removed?.['kind'], removed?.['collection_ids']], ['removed', [box]])
    }
    assert.equal((await page(anna, item)).statusCode, 404)
  })

  test('numbers 50 changes at once without a gap', async () => {
    const { anna, item } = await aChange()
    await Promise.all(Array.from({ length: 50 }, (_, year) => patch(anna, item, { metadata: { year } })))
    const found = (await page(anna, item, '?per_page=100')).json().items as Change[]
    const versions = found.map(({ version }) => version)
    assert.deepEqual(
      versions,
      Array.from({ length: 52 }, (_, place) => 52 - place),
    )
    for (const [place, { before }] of found.slice(0, 50).entries()) {
      const earlier = found[place + 1]?.['after'] as { metadata?: object } | undefined
      assert.deepEqual((before as { metadata: object }).metadata, earlier?.metadata ?? { year: 1901 })
    }
  })
})

const countChanges = async () =>
  (await db.pool`select count(*)::int as change_count from collections.item_changes`)[0] as {
    change_count: number
  }

describe('POST /api/items/:item_id/history/:change_id/put-back', () => {
  test('needs a token and the role of an editor', async () => {
    const { anna, box, item, change } = await aChange()
    const ben = await aUser()
    await join(anna, box, ben, 'viewer')
    assert.equal((await putBack(ben, item, change)).statusCode, 403)
    assert.equal((await putBack(await aUser(), item, change)).statusCode, 404)
    const url = `/api/items/${item}/history/${change}/put-back`
    assert.equal((await collections.inject({ method: 'POST', url })).statusCode, 401)
  })

  test('finds no change of another item', async () => {
    const [one, two] = [await aChange(), await aChange()]
    assert.equal((await putBack(one.anna, one.item, two.change)).statusCode, 404)
    assert.equal((await putBack(one.anna, two.item, two.change)).statusCode, 404)
  })

  for (const body of [{ fields: [] }, { fields: ['colour'] }, { fields: 'name' }, { field: ['name'] }])
    test(`refuses ${JSON.stringify(body)}`, async () => {
      const { anna, item, change } = await aChange()
      assert.equal((await putBack(anna, item, change, body)).statusCode, 422)
    })

  test('gives the changed fields their old values, as another change', async () => {
    const { anna, item, change } = await aChange({ name: 'Jug', metadata: { year: null, colour: 'red' } })
    await patch(anna, item, { description: 'new' })
    const reply = await putBack(anna, item, change)
    assert.equal(reply.statusCode, 200, reply.body)
    const { name, description, metadata, version } = reply.json()
    assert.deepEqual(
      { name, description, metadata, version },
      { name: 'Vase', description: 'new', metadata: { year: 1901, tags: ['a'] }, version: 4 },
    )
    assert.equal(reply.headers['etag'], '"4"')
    const [latest] = await historyOf(anna, item)
    assert.deepEqual(latest?.['after'], { name: 'Vase', metadata: { year: 1901, colour: null } })
    assert.equal((await putBack(anna, item, change)).json().code, 'changed_since')
  })

  test('is refused once a field has changed since, unless it is named', async () => {
    const { anna, item, change } = await aChange({ name: 'Jug', metadata: { year: 5, tags: ['b'] } })
    await patch(anna, item, { metadata: { year: 6 } })
    const refused = await putBack(anna, item, change)
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'changed_since'])
    assert.deepEqual(
      refused.json().errors.map(({ field }: { field: string }) => field),
      ['metadata.year'],
    )
    const reply = await putBack(anna, item, change, { fields: ['metadata.year', 'name'] })
    assert.deepEqual([reply.json().name, reply.json().metadata], ['Vase', { year: 1901, tags: ['b'] }])
  })

  test('honours If-Match before anything else', async () => {
    const { anna, item, change } = await aChange()
    assert.equal((await putBack(anna, item, change, undefined, { 'if-match': '"1"' })).statusCode, 412)
    assert.equal((await putBack(anna, item, change, undefined, { 'if-match': '"2"' })).statusCode, 200)
  })

  test('does not take a key that another item has now', async () => {
    const { anna, box, item } = await aChange({ external_key: 'K' })
    await patch(anna, item, { external_key: null })
    await anItem(anna, box, { external_key: 'K' })
    const [change] = await historyOf(anna, item)
    assert.equal((await putBack(anna, item, change?.id ?? '')).json().code, 'duplicate_key')
  })

  test('puts back updates only', async () => {
    const { anna, item } = await aChange()
    const made = (await historyOf(anna, item)).at(-1)
    assert.equal((await putBack(anna, item, made?.id ?? '')).json().code, 'not_an_update')
  })

  test('happens once for 50 callers at once', async () => {
    const { anna, item, change } = await aChange()
    const replies = await Promise.all(Array.from({ length: 50 }, () => putBack(anna, item, change)))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.ok(replies.every(({ statusCode, json }) => statusCode === 200 || json().code === 'changed_since'))
  })

  test('is answered again for the same Idempotency-Key, but to editors only', async () => {
    const { anna, box, item, change } = await aChange()
    const ben = await aUser()
    await join(anna, box, ben, 'editor')
    const once = () => putBack(ben, item, change, undefined, { 'idempotency-key': 'once' })
    assert.deepEqual((await once()).json(), (await once()).json())
    await call('PATCH', `/api/collections/${box}/members/${ben.user_id}`, anna, { role: 'viewer' })
    assert.equal((await once()).statusCode, 403)
  })
})

test('changes go after 90 days, those of every tenant', async () => {
  const [one, two] = [await aChange(undefined, await anAdmin()), await aChange(undefined, await anAdmin())]
  await db.pool`
    update collections.item_changes set changed_at = now() - interval '91 days' where change_id = any(${[one.change, two.change]})`
  assert.equal(await sweepChanges(db), 2)
  assert.deepEqual(await kinds(one.anna, one.item), ['created'])
  assert.deepEqual(await kinds(two.anna, two.item), ['created'])
})
