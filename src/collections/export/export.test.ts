import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import XLSX from '@e965/xlsx'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { eventually } from '#testing/eventually.ts'
import { aColleague, aUser, anAdmin, nobody, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { newId } from '#foundation/ids.ts'
import { readWorkbook } from '../workbook/read-workbook.ts'
import { exportText } from './text.ts'
import { exportWorkbook } from './xlsx.ts'

const { collections, db } = await world()

const get = (who: Parameters<typeof call>[2], id: string, query = '') =>
  call('GET', `/api/collections/${id}/export${query}`, who)

type Read = Record<string, (string | number | boolean)[][]>

/** Both sheets as our reader sees them: one list per row, '' for a blank cell. */
async function workbookOf(who: Person, id: string, query = ''): Promise<Read> {
  const reply = await get(who, id, query)
  assert.equal(reply.statusCode, 200, reply.body)
  const read: Read = { Collections: [], Items: [] }
  await readWorkbook(reply.rawPayload, ['Collections', 'Items'], {
    onRows: (sheet, rows) => {
      for (const { cells } of rows) {
        const line: (string | number | boolean)[] = Array.from(
          { length: cells.at(-1)?.column ?? 0 },
          () => '',
        )
        for (const { column, value, kind } of cells) {
          assert.ok(['text', 'number', 'boolean'].includes(kind), `${kind} in column ${column}`)
          line[column - 1] = value
        }
        read[sheet]?.push(line)
      }
    },
  })
  return read
}

const csvOf = async (who: Person, id: string, query = '') => {
  const reply = await get(who, id, `?format=csv${query}`)
  assert.equal(reply.statusCode, 200, reply.body)
  assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8')
  return parse(reply.rawPayload, { bom: true }) as string[][]
}

const patch = async (who: Person, url: string, body: object) => {
  const reply = await call('PATCH', url, who, body)
  assert.equal(reply.statusCode, 200, reply.body)
}

describe('GET /api/collections/{id}/export', () => {
  test('refuses missing tokens and answers invisible collections with one 404', async () => {
    const [anna, ben, stranger] = [await aUser(), await aUser(), await anAdmin()]
    const museum = await aCollection(anna)
    assert.equal((await get(await nobody(), museum)).statusCode, 401)
    for (const format of ['', '?format=csv'])
      for (const [who, id] of [
        [ben, museum],
        [stranger, museum],
        [anna, newId()],
        [anna, 'x'],
      ] as const) {
        const reply = await get(who, id, format)
        assert.deepEqual([reply.statusCode, reply.json().code], [404, 'not_found'], `${format} ${id}`)
      }
  })

  for (const query of [
    '?format=pdf',
    '?format=csv&sheet=members',
    '?sheet=items',
    '?include_subtree=2',
    '?all=true',
  ])
    test(`${query} is 422`, async () => {
      const anna = await aUser()
      assert.equal((await get(anna, await aCollection(anna), query)).statusCode, 422)
    })

  test('writes the import layout with ids, keys and typed metadata', async () => {
    const anna = await aUser()
    const museum = await aCollection(anna, { name: 'Müseum (A)' })
    const box = await aCollection(anna, { name: 'Box', parent_id: museum, inherit_members: false })
    await patch(anna, `/api/collections/${museum}`, {
      external_key: '007',
      metadata: { open: true },
      description: 'two\nlines',
    })
    const metadata = { year: 1871, tags: ['a;b', 'c\\', '\\;d'], half: 0.1, is_old: false, mixed: '1E5' }
    const vase = await anItem(anna, museum, { name: '=1+1', external_key: '0012', metadata })
    const head = await anItem(anna, museum, { name: 'head', metadata: { mixed: ['x'], year: '1871' } })
    await call('POST', `/api/collections/${box}/items`, anna, { item_id: vase })
    const reply = await get(anna, museum)
    assert.equal(
      reply.headers['content-disposition'],
      `attachment; filename="museum-a.xlsx"; filename*=UTF-8''M%C3%BCseum%20%28A%29.xlsx`,
    )
    assert.equal(
      reply.headers['content-type'],
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    )
    assert.equal(reply.headers['cache-control'], 'private, no-store')
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    assert.deepEqual(await workbookOf(anna, museum), {
      Collections: [
        [
          'collection_id',
          'collection_key',
          'parent_id',
          'name*',
          'description',
          'type',
          'inherit_members',
          'meta.open',
        ],
        [museum, '007', '', 'Müseum (A)', 'two\nlines', 'general', true, true],
      ],
      Items: [
        [
          'item_id',
          'item_key',
          'collection_ids*',
          'name*',
          'description',
          'meta.half',
          'meta.is_old',
          'meta.mixed',
          'meta.mixed[]',
          'meta.tags[]',
          'meta.year',
        ],
        [vase, '0012', `${museum};${box}`, '=1+1', '', 0.1, false, '1E5', '', 'a\\;b;c\\ ;\\\\;d', 1871],
        [head, '', museum, 'head', '', '', '', '', 'x', '', '1871'],
      ],
    })
    const subtree = await workbookOf(anna, museum, '?include_subtree=true')
    assert.deepEqual(subtree['Collections']?.slice(2), [[box, '', museum, 'Box', '', 'general', false]])
    assert.deepEqual(await workbookOf(anna, box), {
      Collections: [subtree['Collections']?.[0]?.slice(0, 7), [box, '', museum, 'Box', '', 'general', false]],
      Items: [
        [
          'item_id',
          'item_key',
          'collection_ids*',
          'name*',
          'description',
          'meta.half',
          'meta.is_old',
          'meta.mixed',
          'meta.tags[]',
          'meta.year',
        ],
        [vase, '0012', `${box};${museum}`, '=1+1', '', 0.1, false, '1E5', 'a\\;b;c\\ ;\\\\;d', 1871],
      ],
    })
  })

  test('hides from a viewer everything the viewer may not see', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const museum = await aCollection(anna, { name: 'Museum' })
    const hall = await aCollection(anna, { name: 'Hall', parent_id: museum })
    const safe = await aCollection(anna, { name: 'Safe', parent_id: hall, inherit_members: false })
    const drawer = await aCollection(anna, { name: 'Drawer', parent_id: safe })
    const ring = await anItem(anna, hall, { name: 'Ring' })
    const gold = await anItem(anna, safe, { name: 'Gold', metadata: { karat: 24 } })
    await call('POST', `/api/collections/${safe}/items`, anna, { item_id: ring })
    await join(anna, hall, ben, 'viewer')
    await join(anna, drawer, ben, 'viewer')
    const { Collections = [], Items = [] } = await workbookOf(ben, hall, '?include_subtree=true')
    assert.deepEqual(
      Collections.slice(1).map(([id, , parent_id]) => [id, parent_id]),
      [
        [hall, ''],
        [drawer, ''],
      ],
    )
    assert.deepEqual(Items, [Items[0], [ring, '', hall, 'Ring']])
    for (const sheet of ['items', 'collections']) {
      const text = JSON.stringify(await csvOf(ben, hall, `&include_subtree=true&sheet=${sheet}`))
      for (const hidden of [museum, safe, gold, 'Gold', 'karat']) assert.ok(!text.includes(hidden), hidden)
    }
  })

  test('a site admin exports every collection of the tenant, cut ones included', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    const museum = await aCollection(anna)
    const safe = await aCollection(anna, { parent_id: museum, inherit_members: false })
    const gold = await anItem(anna, safe, { name: 'Gold' })
    const { Collections = [], Items = [] } = await workbookOf(admin, museum, '?include_subtree=true')
    assert.deepEqual(
      Collections.slice(1).map(([id]) => id),
      [museum, safe],
    )
    assert.deepEqual(Items.slice(1), [[gold, '', safe, 'Gold']])
  })

  test('writes chosen sheets as CSV and marks formulas', async () => {
    const anna = await aUser()
    const museum = await aCollection(anna, { name: 'Museum' })
    const names = ['=1+1', '+1', '-1', '@x', '＝1', 'a;=1', 'a "b", c', 'plain']
    for (const name of names)
      await anItem(anna, museum, { name, description: '\tx\ny', metadata: { debit: -5 } })
    const rows = await csvOf(anna, museum)
    assert.deepEqual(rows[0], [
      'item_id',
      'item_key',
      'collection_ids*',
      'name*',
      'description',
      'meta.debit',
    ])
    assert.deepEqual(
      new Set(rows.slice(1).map(([, , , ...rest]) => rest.join('|'))),
      new Set(
        ["'=1+1", "'+1", "'-1", "'@x", "'＝1", "a;'=1", 'a "b", c', 'plain'].map((name) => `${name}|x\ny|-5`),
      ),
    )
    assert.deepEqual(await csvOf(anna, museum, '&sheet=collections'), [
      ['collection_id', 'collection_key', 'parent_id', 'name*', 'description', 'type', 'inherit_members'],
      [museum, '', '', 'Museum', '', 'general', 'true'],
    ])
    assert.equal((await get(anna, museum, '?format=csv')).body.codePointAt(0), 0xfeff)
  })

  test('preserves texts that look like errors, escapes or formulas', async () => {
    const anna = await aUser()
    const museum = await aCollection(anna, { name: '#REF!' })
    const values = [
      '#REF!',
      '#CLEAR',
      '_x000D_',
      '_x005F_',
      'a_x41_',
      '007',
      '1E5',
      'TRUE',
      '2024-01-02',
      '<b>&amp;',
      '\uFFFE',
      'é😀',
      "'quoted",
      'x'.repeat(4_000),
    ]
    for (const value of values) await anItem(anna, museum, { name: 'thing', metadata: { value } })
    const shown = values.map((value) => (value === '#CLEAR' ? '\\#CLEAR' : value)).toSorted()
    const { Items = [], Collections = [] } = await workbookOf(anna, museum)
    assert.deepEqual(
      Items.slice(1)
        .map((row) => String(row[5]))
        .toSorted(),
      shown,
    )
    assert.equal(Collections[1]?.[3], '#REF!')
    const book = XLSX.read((await get(anna, museum)).rawPayload)
    const rows = XLSX.utils.sheet_to_json<{ 'meta.value': string }>(book.Sheets['Items'] ?? assert.fail())
    // The other reader does not decode the escapes of these two.
    const plain = (texts: string[]) =>
      texts.filter((text) => !text.includes('_x') && text !== '\uFFFE').toSorted()
    assert.deepEqual(plain(rows.map((row) => row['meta.value'])), plain(shown))
    assert.ok(!JSON.stringify(book.Sheets).includes('"f":'))
  })

  test('marks what no cell can hold, and the places beyond fifty', async () => {
    const anna = await aUser()
    const museum = await aCollection(anna)
    const boxes = await Promise.all(
      Array.from({ length: 55 }, () => aCollection(anna, { parent_id: museum })),
    )
    const lists = { long: Array.from({ length: 50 }, () => ';'.repeat(600)), short: ['x'] }
    const item = await anItem(anna, museum, { metadata: lists })
    for (const box of boxes) await call('POST', `/api/collections/${box}/items`, anna, { item_id: item })
    const { Items = [] } = await workbookOf(anna, museum)
    const [, , ids, , , long, short] = Items[1] ?? []
    assert.deepEqual([long, short], ['#KEEP', 'x'])
    assert.equal(String(ids).split(';').length, 51)
    assert.ok(String(ids).endsWith(';#KEEP'))
    assert.ok(String(ids).startsWith(museum))
    const [, row] = await csvOf(anna, museum)
    assert.equal(row?.[2]?.split(';').length, 56)
    assert.equal(row?.[5]?.length, 50 * 1_200 + 49)
  })

  test('refuses too many rows for a workbook, but not for CSV', async () => {
    const anna = await aUser()
    const museum = await aCollection(anna)
    await db.transaction(async (tx) => {
      await tx`
        with made as (
          insert into collections.items (id, tenant_id, name)
          select gen_random_uuid(), ${anna.tenant_id}, 'Leaf ' || number from generate_series(1, 4000) as number returning id)
        insert into collections.collection_items (collection_id, item_id) select ${museum}, id from made`
      await tx`update collections.collections set item_count = 4000 where id = ${museum}`
    })
    const actor = { user_id: anna.user_id, tenant_id: anna.tenant_id, is_site_admin: false }
    const scope = { collection_id: museum, include_subtree: false }
    await assert.rejects(exportWorkbook(db, actor, scope, 4000), {
      status: 422,
      code: 'export_too_large',
      detail: /format=csv/,
    })
    assert.ok((await buffer((await exportWorkbook(db, actor, scope, 4001)).stream)).length > 0)
    const rows = await csvOf(anna, museum)
    assert.equal(rows.length, 4_001)
    assert.equal(new Set(rows.map(([id]) => id)).size, 4_001)

    // One snapshot: the reader still gets what is deleted meanwhile, even their own membership.
    const { stream } = await exportText(db, { format: 'csv', actor, scope, sheet: 'items' })
    await db.transaction(async (tx) => {
      await tx`delete from collections.members where collection_id = ${museum}`
      await tx`update collections.items set name = 'changed' where id in (select item_id from collections.collection_items where collection_id = ${museum})`
    })
    const late = parse(Buffer.concat(await stream.toArray()), { bom: true }) as string[][]
    assert.equal(late.length, 4_001)
    assert.ok(late.slice(1).every(([, , , name]) => name?.startsWith('Leaf')))
    assert.equal((await get(anna, museum, '?format=csv')).statusCode, 404)
    await db.pool`insert into collections.members (collection_id, user_id, role) values (${museum}, ${anna.user_id}, 'admin')`

    // A disconnected reader ends the export, frees its connection, and the next export runs.
    const [address, box] = [await listening(), await aCollection(anna)]
    const { headers } = anna
    for (let round = 0; round < 5; round++) {
      const request = httpGet(`${address}/api/collections/${museum}/export?format=csv`, { headers })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      assert.equal(response.statusCode, 200)
      await once(response, 'data')
      response.destroy()
      await eventually(async () => (await get(anna, box, '?format=csv')).statusCode === 200)
    }
  })

  test('exports of one person run one by one, beside those of others', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const museum = await aCollection(anna)
    await join(anna, museum, ben, 'viewer')
    const many = Promise.all(Array.from({ length: 50 }, () => get(anna, museum, '?format=csv')))
    const codes = (await many).map(({ statusCode }) => statusCode)
    // One runs and twenty wait. How many more get a free place depends on timing.
    assert.ok(codes.filter((code) => code === 200).length >= 21, String(codes))
    assert.ok(
      (await many).every(
        ({ statusCode, headers }) =>
          statusCode === 200 || (statusCode === 503 && headers['retry-after'] === '5'),
      ),
    )
    assert.equal((await get(ben, museum)).statusCode, 200)
    assert.equal((await get(anna, museum)).statusCode, 200)
  })
})

async function listening(): Promise<string> {
  const address = collections.server.address()
  if (address === null) return collections.listen({ port: 0, host: '127.0.0.1' })
  return typeof address === 'string' ? address : `http://127.0.0.1:${address.port}`
}

describe('an export as JSON Lines', () => {
  const linesOf = async (who: Person, id: string, query = '') => {
    const reply = await get(who, id, `?format=jsonl${query}`)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(reply.headers['content-type'], 'application/jsonl')
    assert.match(String(reply.headers['content-disposition']), /\.jsonl/)
    assert.ok(reply.body === '' || reply.body.endsWith('\n'))
    return reply.body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  test('has metadata with its types, and places by their names', async () => {
    const anna = await aUser()
    const museum = await aCollection(anna, { name: 'Museum' })
    const prints = await aCollection(anna, { name: 'Prints', parent_id: museum })
    const metadata = { year: 1871, tags: ['sea', 'morning'], signed: true, room: '007' }
    const item = await anItem(anna, prints, { name: '=1+1 "x"', external_key: 'K', metadata })
    assert.deepEqual(await linesOf(anna, museum, '&include_subtree=true'), [
      {
        id: item,
        external_key: 'K',
        name: '=1+1 "x"',
        description: null,
        metadata,
        collections: [{ id: prints, path: ['Museum', 'Prints'] }],
      },
    ])
    const nodes = await linesOf(anna, museum, '&include_subtree=true&sheet=collections')
    assert.deepEqual(
      nodes.map(({ name, path, parent_id }) => [name, path, parent_id]),
      [
        ['Museum', ['Museum'], null],
        ['Prints', ['Museum', 'Prints'], museum],
      ],
    )
  })

  test('names no collection that the reader does not see', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const vault = await aCollection(anna, { name: 'Vault' })
    const open = await aCollection(anna, { name: 'Open', parent_id: vault })
    await anItem(anna, open)
    await join(anna, open, ben, 'viewer')
    const [line] = await linesOf(ben, open)
    assert.deepEqual(line?.['collections'], [{ id: open, path: ['Open'] }])
  })
})
