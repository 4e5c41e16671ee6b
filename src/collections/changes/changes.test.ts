import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { eventually } from '#testing/eventually.ts'
import { bringIn } from '#testing/imports.ts'
import { aColleague, anAdmin, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { collections, db } = await world()

type Change = {
  type: string
  id: string
  state: string
  item?: { name: string }
  collection?: { name: string }
}
type Page = { items: Change[]; cursor: string; has_more: boolean }
const ask = (by: Person, query = '') => call('GET', `/api/changes${query}`, by)
const page = async (by: Person, query = ''): Promise<Page> => {
  const reply = await ask(by, query)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json()
}

/** A program that keeps what it was told, and everything it was ever told. */
async function aMirror(by: Person, per_page = 100) {
  let cursor = await fromNow(by)
  const held = new Map<string, string>()
  const told: string[] = []
  const poll = async () => {
    for (let more = true; more;) {
      const found = await page(by, `?since=${cursor}&per_page=${per_page}`)
      for (const { id, state, item, collection } of found.items) {
        told.push(id)
        if (state === 'gone') held.set(id, 'gone')
        else held.set(id, item?.name ?? collection?.name ?? '')
      }
      cursor = found.cursor
      more = found.has_more
    }
  }
  /** Other transactions of the server, also of other tests, hold back what is told. */
  const settles = async (expected: Record<string, string>) => {
    const found = await eventually(
      async () => {
        await poll()
        return Object.fromEntries(held)
      },
      (seen) => Object.entries(expected).every(([id, name]) => seen[id] === name),
    )
    assert.deepEqual(found, expected)
  }
  return { settles, poll, told, cursor: () => cursor }
}

/** A cursor that nothing follows which has happened already: other tests may hold back the latest changes. */
async function fromNow(by: Person): Promise<string> {
  const [now] = await db.pool<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
  return eventually(
    async () => (await page(by)).cursor,
    (cursor) => {
      const [, xid] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string]
      return BigInt(xid) > BigInt(now?.xid ?? 0)
    },
  )
}

const remove = (by: Person, box: string, item: string) =>
  call('DELETE', `/api/collections/${box}/items/${item}`, by)
const link = (by: Person, box: string, item_id: string) =>
  call('POST', `/api/collections/${box}/items`, by, { item_id })
const patch = async (by: Person, id: string, body: object) => {
  const reply = await call('PATCH', `/api/collections/${id}`, by, body)
  assert.equal(reply.statusCode, 200, reply.body)
}
const expel = (by: Person, box: string, { user_id }: Person) =>
  call('DELETE', `/api/collections/${box}/members/${user_id}`, by)

describe('GET /api/changes', () => {
  test('needs a token', async () => assert.equal((await collections.inject('/api/changes')).statusCode, 401))

  test('refuses an unknown parameter and the cursor of somebody else', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const { cursor } = await page(ben)
    for (const query of ['?page=2', '?since=x', '?per_page=501', `?since=${cursor}`])
      assert.equal((await ask(anna, query)).statusCode, 422, query)
  })

  test('says 410 for a cursor that is too old or of another database', async () => {
    const anna = await aUser()
    const { cursor } = await page(anna)
    const [order, xid, id, now] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    for (const keys of [
      ['9000000000000000000', id, now],
      [xid, id, '2020-01-01T00:00:00.000Z'],
    ]) {
      const since = Buffer.from(JSON.stringify([order, ...keys])).toString('base64url')
      const reply = await ask(anna, `?since=${since}`)
      assert.deepEqual([reply.statusCode, reply.json().code], [410, 'cursor_expired'])
    }
  })

  test('tells each object once, as it is now', async () => {
    const anna = await aUser()
    const mirror = await aMirror(anna)
    const box = await aCollection(anna)
    const [one, two] = [await anItem(anna, box), await anItem(anna, box, { name: 'Cup' })]
    await call('PATCH', `/api/items/${one}`, anna, { name: 'Jug' })
    await mirror.settles({ [box]: 'Box', [one]: 'Jug', [two]: 'Cup' })
    await remove(anna, box, two)
    await patch(anna, box, { name: 'Chest' })
    await mirror.settles({ [box]: 'Chest', [one]: 'Jug', [two]: 'gone' })
    const before = mirror.told.length
    await mirror.poll()
    assert.equal(mirror.told.length, before)
  })

  test('tells nothing of what was never seen', async () => {
    const [anna, ben, eve] = [await aUser(), await aUser(), await anAdmin()]
    const [own, ...mirrors] = [await aMirror(anna), await aMirror(ben), await aMirror(eve)]
    const box = await aCollection(anna)
    const item = await anItem(anna, box)
    await remove(anna, box, item)
    const inner = await aCollection(anna, { parent_id: box })
    const last = await anItem(anna, inner)
    await call('DELETE', `/api/collections/${box}?cascade=true`, anna)
    await own.settles({ [box]: 'gone', [inner]: 'gone' })
    assert.ok(!own.told.includes(item) && !own.told.includes(last))
    for (const mirror of mirrors) {
      await mirror.settles({})
      assert.deepEqual(mirror.told, [])
    }
  })

  test('tells who was expelled of everything below, but nothing that came after', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    const inner = await aCollection(anna, { parent_id: box, name: 'Inner' })
    const cut = await aCollection(anna, { parent_id: box, inherit_members: false })
    const [mirror, own] = [await aMirror(ben), await aMirror(anna)]
    await join(anna, box, ben, 'viewer')
    for (const id of [box, inner]) await patch(anna, id, { description: 'new' })
    await mirror.settles({ [box]: 'Box', [inner]: 'Inner' })
    await expel(anna, box, ben)
    const later = await aCollection(anna, { parent_id: inner })
    await call('DELETE', `/api/collections/${later}`, anna)
    await call('DELETE', `/api/collections/${cut}`, anna)
    const item = await anItem(anna, inner)
    await remove(anna, inner, item)
    await own.settles({ [box]: 'Box', [inner]: 'Inner', [later]: 'gone', [cut]: 'gone', [item]: 'gone' })
    await mirror.settles({ [box]: 'gone', [inner]: 'gone' })
  })

  test('tells a collection that moved away, also to who was expelled afterwards', async () => {
    const [anna, ben, cleo] = [await aUser(), await aUser(), await aUser()]
    const [from, to] = [await aCollection(anna, { name: 'From' }), await aCollection(anna, { name: 'To' })]
    const moved = await aCollection(anna, { parent_id: from, name: 'Moved' })
    const inner = await aCollection(anna, { parent_id: moved, name: 'Inner' })
    await join(anna, from, ben, 'viewer')
    await join(anna, to, cleo, 'viewer')
    const [left, gained] = [await aMirror(ben), await aMirror(cleo)]
    await patch(anna, moved, { parent_id: to })
    await expel(anna, from, ben)
    await left.settles({ [moved]: 'gone', [inner]: 'gone', [from]: 'gone' })
    await gained.settles({ [moved]: 'Moved', [inner]: 'Inner' })
    await patch(anna, moved, { parent_id: await aCollection(anna) })
    await gained.settles({ [moved]: 'gone', [inner]: 'gone' })
  })

  test('tells of a tree that was deleted', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    const inner = await aCollection(anna, { parent_id: box })
    await join(anna, box, ben, 'viewer')
    const mirrors = [await aMirror(anna), await aMirror(ben)]
    await call('DELETE', `/api/collections/${box}?cascade=true`, anna)
    for (const mirror of mirrors) await mirror.settles({ [box]: 'gone', [inner]: 'gone' })
  })

  test('keeps an item that is left in another collection', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const [open, other] = [await aCollection(anna), await aCollection(anna)]
    await join(anna, open, ben, 'viewer')
    const item = await anItem(anna, open)
    await link(anna, other, item)
    const [mine, his] = [await aMirror(anna), await aMirror(ben)]
    await remove(anna, open, item)
    await mine.settles({ [item]: 'Vase' })
    await his.settles({ [item]: 'gone' })
  })

  test('misses nothing of a transaction that commits later than others', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    const item = await anItem(anna, box)
    const mirror = await aMirror(anna)
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const late = db.transaction(async (tx) => {
      await tx`
        insert into collections.item_changes (tenant_id, item_id, kind)
        select tenant_id, id, 'updated' from collections.items where id = ${item}`
      begun.resolve()
      await held.promise
    })
    await begun.promise
    const second = await anItem(anna, box, { name: 'Second' })
    for (let n = 0; n < 3; n++) await mirror.poll()
    assert.deepEqual(mirror.told, [])
    held.resolve()
    await late
    await mirror.settles({ [item]: 'Vase', [second]: 'Second' })
  })

  test('agrees with the lists after 50 writers at once, by small pages', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const mirror = await aMirror(anna, 7)
    const box = await aCollection(anna)
    let isOver = false
    const polling = (async () => {
      while (!isOver) await mirror.poll()
    })()
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const item = await anItem(anna, box, { name: `Vase ${n}` })
        if (n % 3 === 0) await remove(anna, box, item)
        if (n % 3 === 1) await call('PATCH', `/api/items/${item}`, anna, { name: `Jug ${n}` })
      }),
    )
    isOver = true
    await polling
    const Items = [['collection_ids', 'name'], ...Array.from({ length: 30 }, (_, n) => [box, `Cup ${n}`])]
    await bringIn(anna, { Items })
    const { items } = (await call('GET', `/api/collections/${box}/items?per_page=100`, anna)).json()
    const there = items.map(({ id, name }: { id: string; name: string }) => [id, name])
    const gone = await db.pool<{ item_id: string }[]>`
      select item_id from collections.item_changes where kind = 'deleted' and changed_by = ${anna.user_id}`
    await mirror.settles(
      Object.fromEntries([[box, 'Box'], ...there, ...gone.map(({ item_id }) => [item_id, 'gone'])]),
    )
    assert.equal(there.length, 33 + 30)
  })
})
