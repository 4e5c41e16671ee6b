import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Database, openDatabase } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { testDatabase } from '#testing/database.ts'
import { asAdmin, TEST_SERVER, type TestServer } from '#testing/server.ts'
import type { Actor } from '../../../src/collections/access.ts'
import { collectionListing, listCollections } from '../../../src/collections/collections/list.ts'
import { readListQuery } from '../../../src/collections/query/read.ts'
import { findItems } from '../../../src/collections/items/find.ts'
import { listItems } from '../../../src/collections/items/list.ts'

const ITEMS = 20_000
const NODES = 5_000
const [IN_TREE, LINKS_IN_TREE] = [4_000, 12_000]
/** A page has 20 rows and one more; each has a few links, ancestors and memberships. */
const MOST_LOOPS = 300
const actor: Actor = { user_id: newId(), tenant_id: newId(), is_site_admin: false }
const [box, other, root, shelf] = [newId(), newId(), newId(), newId()]

/** What rare words and values may read of the items and links. */
const MOST_ROWS = 1_000
const ODD = [
  'Élan',
  'elan vital',
  'ELAN',
  '日本の皿',
  'ẞtraße',
  'İstanbul',
  '50% off',
  '50_off',
  'a\\b',
  '\u{10ffff}x',
  '\u{10ffff}'.repeat(300),
]

/** One node of a plan of auto_explain. */
type Plan = {
  'Node Type': string
  'Actual Loops': number
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Relation Name'?: string
  Filter?: string
  Plans?: Plan[]
}

let db: Database
let plans: Plan[] = []

describe('the plans of lists without statistics', () => {
  before(async () => {
    const own = await testDatabase()
    await seed(own.db)
    const name = new URL(own.url).pathname.slice(1)
    await asAdmin(JSON.parse(process.env[TEST_SERVER] ?? '{}') as TestServer, async (sql) => {
      await sql`alter database ${sql(name)} set session_preload_libraries = 'auto_explain'`
      await sql`alter database ${sql(name)} set auto_explain.log_min_duration = 0`
      await sql`alter database ${sql(name)} set auto_explain.log_analyze = on`
      await sql`alter database ${sql(name)} set auto_explain.log_format = 'json'`
      await sql`alter database ${sql(name)} set client_min_messages = 'log'`
    })
    const onNotice = ({ message = '' }: { message?: string }) => {
      const json = /plan:\s*(\{[\s\S]*\})/.exec(message)?.[1]
      if (json !== undefined) plans.push((JSON.parse(json) as { Plan: Plan }).Plan)
    }
    db = openDatabase({ url: own.url, poolSize: 1, onNotice })
  })
  after(() => db.close())

  const ofItems = [
    {},
    { cursor: true },
    { page: 200 },
    { external_key: 'K-5000' },
    { q: 'sea' },
    { q: '5000' },
    { sort: 'name' },
    { sort: 'name', cursor: true },
    { sort: '-created_at' },
    { sort: '-updated_at' },
    { 'filter[metadata.year][gte]': '1700' },
    { 'filter[metadata.year][gte]': '1700', cursor: true },
    { 'filter[name][contains]': '1', sort: 'name', cursor: true },
    { q: 'sea', sort: '-updated_at', cursor: true },
    { 'filter[metadata.artist][gte]': 'Artist 8' },
    { 'filter[metadata.artist][eq]': 'Artist 8' },
    { 'filter[metadata.artist][contains]': 'st 8' },
    { 'filter[description][contains]': 'sea' },
    { 'filter[name][starts_with]': 'vase 1' },
    { added_by: actor.user_id },
  ]
  for (const { cursor, ...query } of ofItems as ({ cursor?: true } & Record<string, unknown>)[])
    test(`items by ${JSON.stringify(query)}${cursor ? ' after a cursor' : ''} read no more than they need`, async () => {
      const first = await listItems(db, actor, box, asked(query))
      plans = []
      const next = cursor ? { cursor: first.next_cursor ?? '' } : {}
      const { items } = await listItems(db, actor, box, asked({ ...query, ...next }))
      assert.ok(items.length > 0)
      assertPlain(plans)
    })

  const walks = [
    { 'filter[metadata.year][gte]': '1700', sort: 'name' },
    { q: 'sea', sort: 'added_at', 'filter[added_by][is_null]': 'false' },
    { 'filter[name][contains]': '99', sort: '-name' },
  ]
  for (const query of walks)
    test(`a walk by ${JSON.stringify(query)} meets what one count promised, each item once`, async () => {
      const by = async (place: object) =>
        listItems(db, actor, box, asked({ ...query, per_page: 100, ...place }))
      const { total, pages } = await by({})
      assert.ok(pages > 1)
      const seen: (string | undefined)[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const found: Awaited<ReturnType<typeof by>> = await by(cursor === '' ? {} : { cursor })
        assert.equal(found.total, total)
        seen.push(...found.items.map(({ id }) => id))
        cursor = found.next_cursor
      }
      assert.equal(seen.length, total)
      assert.equal(new Set(seen).size, total)
      for (const page of [1, 2, Math.ceil(pages / 2), pages]) {
        const { items } = await by({ page })
        assert.deepEqual(
          items.map(({ id }) => id),
          seen.slice((page - 1) * 100, page * 100),
        )
      }
    })

  const ofTrees = [
    { include_subtree: true },
    { include_subtree: true, sort: 'name' },
    { include_subtree: true, q: 'sea' },
    { include_subtree: true, 'filter[added_at][gte]': '2026-01-01T00:00:00Z' },
  ]
  for (const query of ofTrees)
    test(`items of a tree by ${JSON.stringify(query)} are gathered in one pass`, async () => {
      plans = []
      const { total } = await listItems(db, actor, root, asked(query))
      assert.equal(total, IN_TREE)
      assertPlain(plans)
      const sorted = plans.flatMap(nodesOf).filter((node) => node['Node Type'] === 'Sort')
      assert.ok(
        sorted.every((node) => node['Actual Rows'] < LINKS_IN_TREE),
        'links are sorted',
      )
    })

  const rare = [
    { q: '5000' },
    { 'filter[name][eq]': 'Vase 500' },
    { 'filter[name][in]': 'Vase 500,Vase 502' },
    { 'filter[name][starts_with]': 'vase 500' },
  ]
  for (const query of rare)
    test(`items by ${JSON.stringify(query)} do not read the collection`, async () => {
      plans = []
      const { items } = await listItems(db, actor, box, asked(query))
      assert.ok(items.length > 0)
      const nodes = plans.flatMap(nodesOf).filter((node) => node['Relation Name']?.endsWith('items'))
      const rows = nodes.map(
        (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      )
      assert.ok(rows.length > 0)
      assert.ok(Math.max(...rows) <= MOST_ROWS, JSON.stringify(nodes))
    })

  const everywhere = [{ q: '5000' }, { q: 'sea' }, { q: 'sea', cursor: true }, { external_key: 'K-5000' }]
  for (const { cursor, ...query } of everywhere as { cursor?: true; q?: string; external_key?: string }[])
    test(`items of everywhere by ${JSON.stringify(query)}${cursor ? ' after a cursor' : ''} read an index`, async () => {
      const first = await findItems(db, actor, { per_page: 20, ...query })
      plans = []
      const next = cursor ? { cursor: first.next_cursor ?? '' } : {}
      const { items } = await findItems(db, actor, { per_page: 20, ...query, ...next })
      assert.ok(items.length > 0)
      assertPlain(plans)
    })

  test('items by rare and by frequent words and values are those of the plain statement', async () => {
    const sql = db.pool
    const starts = new Set([
      'v',
      'VASE',
      'vase 50',
      ...ODD.flatMap((name) => [1, 2, 3, 300].map((end) => Array.from(name).slice(0, end).join(''))),
    ])
    const asking: [object, ReturnType<typeof sql>][] = [
      ...['5000', 'sea', 'vase 50', 'elan', '本'].map((q): [object, ReturnType<typeof sql>] => [
        { q, sort: '-added_at' },
        sql`item.search @@ foundation.search_query(${q})`,
      ]),
      ...[...starts].map((start): [object, ReturnType<typeof sql>] => [
        { 'filter[name][starts_with]': start },
        sql`starts_with(item.name_folded, collections.folded(${start}))`,
      ]),
      ...[...ODD, 'élan', 'vase 500', 'Vase 500'].map((name): [object, ReturnType<typeof sql>] => [
        { 'filter[name][eq]': name },
        sql`item.name = ${name}`,
      ]),
      [{ 'filter[name][in]': 'Vase 500,vase 502,ELAN' }, sql`item.name in ('Vase 500', 'ELAN')`],
      [{ 'filter[metadata.artist][eq]': 'Artist 8' }, sql`item.metadata ->> 'artist' = 'Artist 8'`],
      [
        { 'filter[metadata.artist][in]': 'Artist 8,Artist 16' },
        sql`item.metadata ->> 'artist' in ('Artist 8', 'Artist 16')`,
      ],
      [{ 'filter[metadata.tags][in]': 'two,three' }, sql`item.metadata -> 'tags' ? 'two'`],
      [{ 'filter[metadata.year][in]': '1500,1502' }, sql`item.metadata ->> 'year' in ('1500', '1502')`],
      [
        { 'filter[name][starts_with]': 'vase 5', q: '50', sort: '-added_at' },
        sql`item.name like 'Vase 5%' and item.search @@ '50:*'`,
      ],
    ]
    for (const [query, condition] of asking) {
      const expected = await sql<{ id: string }[]>`
        select item.id from collections.collection_items as link join collections.items as item on item.id = link.item_id
         where link.collection_id = ${box} and ${condition} order by link.added_at desc, item.id desc`
      const first = await listItems(db, actor, box, asked(query))
      const ids = first.items.map(({ id }) => id)
      if (first.next_cursor !== null) {
        const second = await listItems(db, actor, box, asked({ ...query, cursor: first.next_cursor }))
        ids.push(...second.items.map(({ id }) => id))
      }
      const found = { total: first.total, ids }
      assert.deepEqual(
        found,
        { total: expected.length, ids: expected.slice(0, 40).map(({ id }) => id) },
        JSON.stringify(query),
      )
    }
  })

  const ofCollections = [
    {},
    { parent_id: shelf },
    { parent_id: 'root' },
    { sort: 'name' },
    { sort: '-item_count,name' },
    { type: 'general' },
    { my_role: 'admin' },
    { q: 'box' },
    { 'filter[name][contains]': 'x 7' },
    { 'filter[description][contains]': 'many' },
  ]
  for (const query of ofCollections)
    test(`collections by ${JSON.stringify(query)} read no more than they need`, async () => {
      plans = []
      const sent = readListQuery(collectionListing(actor), { page: 1, per_page: 20, ...query }, { actor })
      const { items } = await listCollections(db, actor, sent, 'own')
      assert.ok(items.length > 0)
      assertPlain(plans)
    })
})

const asked = (query: object) => ({ page: 1, per_page: 20, ...query }) as Parameters<typeof listItems>[3]

/** No part runs for each row of the collection, and no filter calls a function that a subquery could call once. */
function assertPlain(seen: readonly Plan[]) {
  assert.ok(seen.length > 0)
  for (const node of seen.flatMap(nodesOf)) {
    if (node['Actual Loops'] === 0) continue
    const where = JSON.stringify({ ...node, Plans: undefined })
    assert.ok(node['Actual Loops'] <= MOST_LOOPS, where)
    assert.doesNotMatch(node.Filter ?? '', /search_query|words\(|::jsonpath|collections\.folded/, where)
    if (node['Node Type'] === 'Seq Scan')
      assert.ok(!['items', 'collection_items'].includes(node['Relation Name'] ?? ''), where)
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** A large collection beside another one of the tenant, and a tree of many; nothing is analyzed. */
async function seed({ pool: sql }: Database) {
  const { user_id, tenant_id } = actor
  for (const table of [
    'collections',
    'collection_ancestors',
    'members',
    'items',
    'collection_items',
    'item_keys',
  ])
    await sql`alter table ${sql(`collections.${table}`)} set (autovacuum_enabled = off)`
  await sql`
    insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_reach, name, description, item_count)
    values (${box}, ${tenant_id}, null, ${box}, 0, 0, 'Large', null, ${ITEMS}), (${other}, ${tenant_id}, null, ${other}, 0, 0, 'Other', null, ${ITEMS}),
           (${root}, ${tenant_id}, null, ${root}, 0, 0, 'Root', null, 0), (${shelf}, ${tenant_id}, ${root}, ${root}, 1, 1, 'Shelf', null, 0)`
  await sql`
    insert into collections.collections (id, tenant_id, parent_id, root_id, depth, inherit_reach, name, description)
    select gen_random_uuid(), ${tenant_id}, case when n <= 500 then ${shelf}::uuid else ${root}::uuid end, ${root}, case when n <= 500 then 2 else 1 end,
           1, 'Box ' || n, 'One of many' from generate_series(1, ${NODES}::int) as n`
  await sql`
    insert into collections.collection_ancestors (ancestor_id, descendant_id, distance, counts)
    select id, id, 0, true from collections.collections
    union all select parent_id, id, 1, true from collections.collections where parent_id is not null
    union all select ${root}, id, 2, false from collections.collections where depth = 2`
  await sql`
    insert into collections.members (collection_id, user_id, role)
    values (${box}, ${user_id}, 'admin'), (${root}, ${user_id}, 'admin'), (${shelf}, ${user_id}, 'admin'), (${other}, ${newId()}, 'admin')`
  await sql`
    insert into collections.items (id, tenant_id, name, description, external_key, metadata)
    select gen_random_uuid(), ${tenant_id}, 'Vase ' || n, 'Found in the sea ' || n, case when n % 2 = 0 then 'K-' || n / 2 end,
           jsonb_build_object('year', 1500 + n % 400, 'artist', 'Artist ' || n % 300, 'tags', jsonb_build_array('one', 'two'))
      from generate_series(1, ${2 * ITEMS}::int) as n`
  await sql`
    insert into collections.items (id, tenant_id, name, external_key)
    select gen_random_uuid(), ${tenant_id}, name, 'odd ' || left(name, 99) from unnest(${ODD}::text[]) as name`
  await sql`
    insert into collections.collection_items (collection_id, item_id, added_by)
    select case when external_key is null then ${other}::uuid else ${box}::uuid end, id, ${user_id} from collections.items`
  await sql`
    insert into collections.collection_items (collection_id, item_id, added_by)
    select node.id, item.id, ${user_id}
      from (select id, row_number() over (order by id) - 1 as n from collections.items
             where external_key is null limit ${IN_TREE}) as item
     cross join generate_series(0, ${LINKS_IN_TREE / IN_TREE - 1}::int) as copy
      join (select id, row_number() over (order by id) - 1 as n from collections.collections where root_id = ${root}) as node
        on node.n = (item.n * 3 + copy * 1000) % ${NODES}::int`
  await sql`
    insert into collections.item_keys (root_id, external_key, item_id)
    select ${box}, external_key, id from collections.items where external_key is not null`
}
