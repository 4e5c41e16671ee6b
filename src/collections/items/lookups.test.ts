import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCollection, call } from '#testing/collections.ts'
import { aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

/** PostgreSQL 18 skips through the columns between, once for every value: 30 s for a page, where all times differ. */
test('no index takes a lookup of one link through the order of links', async () => {
  const indexes = await db.pool<{ name: string; columns: string[] }[]>`
    select index.relname as name,
           array(select attname::text from unnest(i.indkey) with ordinality as key(attnum, place)
                  join pg_attribute on attrelid = i.indrelid and pg_attribute.attnum = key.attnum
                  where place <= i.indnkeyatts order by place) as columns
      from pg_index as i join pg_class as index on index.oid = i.indexrelid
     where i.indrelid = 'collections.collection_items'::regclass`
  assert.ok(indexes.length > 3)
  const keys = ['tenant_id', 'collection_id', 'item_id']
  for (const { name, columns } of indexes) {
    const isForLookups = keys.every((key) => columns.includes(key))
    assert.ok(!isForLookups || columns.slice(0, 3).every((column) => keys.includes(column)), name)
  }
})

test('a page by name comes again and again where items were added one by one', async () => {
  const person = await aUser()
  const id = await aCollection(person)
  for (let from = 0; from < 3_000; from += 1_000) {
    const operations = Array.from({ length: 1_000 }, (_, i) => ({
      action: 'create',
      name: `Plate ${from + i}`,
    }))
    const reply = await call('POST', `/api/collections/${id}/items/batch-write`, person, { operations })
    assert.equal(reply.statusCode, 200, reply.body.slice(0, 200))
  }
  await db.pool`
    update collections.collection_items as link
       set added_at = timestamptz '2026-01-01' + place * interval '1 second'
      from (select item_id, row_number() over (order by item_id) as place from collections.collection_items
             where collection_id = ${id}) as numbered
     where link.collection_id = ${id} and link.item_id = numbered.item_id`
  await db.pool`analyze collections.collection_items`
  // The same connection: after five times PostgreSQL plans for any collection.
  for (let n = 0; n < 40; n++) {
    const reply = await call('GET', `/api/collections/${id}/items?sort=name&per_page=100`, person)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.json().items.length, 100)
  }
})
