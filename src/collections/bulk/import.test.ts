import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { type Book, bookOf, bringIn } from '#testing/imports.ts'
import { aColleague, anAdmin, aUser, type Headers } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
type Somebody = { headers: Headers }

const COLLECTIONS = [
  'collection_key',
  'parent_key',
  'name',
  'description',
  'type',
  'inherit_members',
  'meta.place',
  'meta.tags[]',
] as const
const ITEMS = ['item_key', 'collection_keys', 'name', 'description', 'meta.year', 'meta.tags[]'] as const

const MUSEUM: Book = {
  Items: [
    ITEMS,
    ['v1', 'glass;museum', 'Vase', 'Blue', 1850, 'old;blue'],
    ['v2', 'glass', 'Bowl', null, true, null],
  ],
  Collections: [
    COLLECTIONS,
    ['glass', 'museum', 'Glass', null, 'Folder', 'no', 'hall', 'a;b\\;c'],
    ['museum', null, 'Museum', 'Line\nbreak', null, null, null, null],
    ['wood', 'museum', 'Wood', null, null, true, null, null],
  ],
}

const errorsOf = async (person: Somebody, job_id: string, query = '') =>
  (await call('GET', `/api/bulk/jobs/${job_id}/errors?per_page=100${query}`, person)).json().items as {
    level: string
    sheet: string
    row: number
    column: string
    header: string
    code: string
    value: string | null
  }[]
const codes = async (person: Somebody, job_id: string) =>
  (await errorsOf(person, job_id)).map(({ sheet, row, column, code }) => `${sheet} ${row} ${column} ${code}`)

async function byKey(person: Somebody, key: string) {
  const { items } = (await call('GET', `/api/collections?external_key=${key}`, person)).json()
  assert.equal(items.length, 1, `${key}: ${items.length}`)
  return items[0]
}
const itemsIn = async (person: Somebody, id: string) =>
  (await call('GET', `/api/collections/${id}/items?sort=name&per_page=100`, person)).json().items

test('an import creates a tree and makes the uploader its admin', async () => {
  const anna = await aUser()
  const job = await bringIn(anna, MUSEUM)
  assert.equal(job.state, 'completed', JSON.stringify(job))
  assert.deepEqual(job.counts, {
    collections: { created: 3, updated: 0, unchanged: 0, failed: 0 },
    items: { created: 2, updated: 0, unchanged: 0, failed: 0 },
    links: { added: 3, existing: 0, removed: 0 },
    deleted: { collections: 0, items: 0 },
  })
  const [museum, glass] = [await byKey(anna, 'museum'), await byKey(anna, 'glass')]
  assert.equal(museum.my_role, 'admin')
  assert.equal(museum.description, 'Line\nbreak')
  assert.equal(museum.hierarchy.children_count, 2)
  assert.equal(glass.hierarchy.parent_id, museum.id)
  assert.equal(glass.type, 'folder')
  assert.equal(glass.inherit_members, false)
  assert.deepEqual(glass.metadata, { place: 'hall', tags: ['a', 'b;c'] })
  const [bowl, vase] = await itemsIn(anna, glass.id)
  assert.deepEqual(bowl.metadata, { year: true })
  assert.deepEqual(vase.metadata, { year: 1850, tags: ['old', 'blue'] })
  assert.deepEqual(new Set(vase.collection_ids), new Set([museum.id, glass.id]))
  assert.equal(museum.item_count, 1)
})

test('a second import changes only what differs', async () => {
  const anna = await aUser()
  await bringIn(anna, MUSEUM)
  const stamps = async () =>
    JSON.stringify(
      await lyceum.db.pool`
        select id, version, updated_at, xmin::text from collections.collections where created_by = ${anna.user_id}
        union all select id, version, updated_at, xmin::text from collections.items where created_by = ${anna.user_id}
        union all select item_id, 0, added_at, xmin::text from collections.collection_items where added_by = ${anna.user_id}
        order by 1, 4`,
    )
  const before = await stamps()
  const again = await bringIn(anna, MUSEUM)
  assert.deepEqual(again.counts, {
    collections: { created: 0, updated: 0, unchanged: 3, failed: 0 },
    items: { created: 0, updated: 0, unchanged: 2, failed: 0 },
    links: { added: 0, existing: 3, removed: 0 },
    deleted: { collections: 0, items: 0 },
  })
  assert.equal(await stamps(), before)
  const changed = await bringIn(anna, {
    Collections: [COLLECTIONS, ['wood', 'museum', 'Timber', null, null, null, null, null]],
    Items: [ITEMS, ['v1', 'wood', 'Vase', 'Green', null, null]],
  })
  assert.deepEqual(changed.counts.collections, { created: 0, updated: 1, unchanged: 0, failed: 0 })
  assert.deepEqual(changed.counts.items, { created: 0, updated: 1, unchanged: 0, failed: 0 })
  assert.deepEqual(changed.counts.links, { added: 1, existing: 0, removed: 0 })
  const wood = await byKey(anna, 'wood')
  assert.equal(wood.version, 2)
  const [vase] = await itemsIn(anna, wood.id)
  assert.deepEqual(
    [vase.description, vase.metadata, vase.collection_ids.length, vase.version],
    ['Green', { year: 1850, tags: ['old', 'blue'] }, 3, 2],
  )
})

test('blank cells, #CLEAR and links follow the options of the import', async () => {
  const anna = await aUser()
  await bringIn(anna, MUSEUM)
  const glass = await byKey(anna, 'glass')
  const row = (description: string | null): Book => ({
    Items: [ITEMS, ['v1', 'glass', 'Vase', description, null, null]],
  })
  const vase = async () =>
    (await itemsIn(anna, glass.id)).find((item: { external_key: string }) => item.external_key === 'v1')
  assert.equal((await bringIn(anna, row(null))).counts.items.unchanged, 1)
  assert.equal((await bringIn(anna, row('#CLEAR'))).counts.items.updated, 1)
  assert.deepEqual([(await vase()).description, (await vase()).metadata.year], [null, 1850])
  assert.equal((await bringIn(anna, row('\\#CLEAR'))).counts.items.updated, 1)
  assert.equal((await vase()).description, '#CLEAR')
  await bringIn(anna, row(null), { options: { on_blank: 'clear' } })
  assert.deepEqual([(await vase()).description, (await vase()).metadata], [null, {}])
  assert.equal((await vase()).collection_ids.length, 2)
  const replaced = await bringIn(anna, row(null), { options: { links: 'replace' } })
  assert.deepEqual(replaced.counts.links, { added: 0, existing: 1, removed: 1 })
  assert.deepEqual((await vase()).collection_ids, [glass.id])
})

test('an import reports each faulty row and keeps the good ones', async () => {
  const anna = await aUser()
  const book: Book = {
    Collections: [
      COLLECTIONS,
      ['a', null, 'A', null, 'castle', null, null, null],
      ['b', 'c', 'B', null, null, null, null, null],
      ['c', 'b', 'C', null, null, null, null, null],
      ['d', 'b', 'D', null, null, null, null, null],
      ['e', 'nowhere', 'E', null, null, 'perhaps', null, null],
      ['f', 'a', 'F', null, null, null, null, null],
      ['ok', null, 'Fine', null, null, null, null, null],
      ['ok', null, 'Again', null, null, null, null, null],
      [null, 'ok', 'No key', null, null, null, null, null],
      ['g', 'nowhere', 'G', null, null, null, null, null],
      ['EXAMPLE-1', 'EXAMPLE-0', null, null, 'castle', null, null, null],
    ],
    Items: [
      [...ITEMS, 'Year '],
      ['1', 'ok', 'One', null, null, null],
      ['2', 'ok; nowhere', 'Two', null, null, null],
      ['3', 'a', 'Three', null, null, null],
      ['1', 'ok', 'Double', null, null, null],
      [null, 'ok', 'Keyless', null, null, null],
      ['4', null, ' ', null, null, null],
      [12345678901234568, 'ok', 'Long number', null, null, null],
      ['5', 'ok', 'x'.repeat(301), null, null, null],
      ['6', 'ok', 'bell \u007f', null, null, null],
    ],
  }
  const job = await bringIn(anna, book)
  assert.equal(job.state, 'completed_with_errors')
  assert.deepEqual(
    await codes(anna, job.job_id),
    [
      'Collections 2 E invalid_value',
      'Collections 3 B cycle',
      'Collections 4 B cycle',
      'Collections 5 B parent_failed',
      'Collections 6 F invalid_value',
      'Collections 7 B parent_failed',
      'Collections 9 A duplicate_key_in_file',
      'Collections 10 A required',
      'Collections 11 B not_found',
      'Collections 12 A example_skipped',
      'Items 1 G unknown_header',
      'Items 3 B not_found',
      'Items 4 B collection_failed',
      'Items 5 A duplicate_key_in_file',
      'Items 6 A no_key',
      'Items 7 B required',
      'Items 7 C required',
      'Items 8 A precision_lost',
      'Items 9 C too_long',
    ].concat('Items 10 C unreadable_text'),
  )
  const found = await errorsOf(anna, job.job_id)
  const at = (sheet: string, row: number) => found.find((one) => one.sheet === sheet && one.row === row)
  assert.equal(at('Items', 3)?.value, 'nowhere')
  assert.equal(at('Items', 9)?.value, 'x'.repeat(100))
  assert.equal(at('Collections', 9)?.header, 'collection_key')
  assert.deepEqual(job.counts.collections, { created: 1, updated: 0, unchanged: 0, failed: 9 })
  assert.deepEqual(job.counts.items, { created: 2, updated: 0, unchanged: 0, failed: 7 })
  assert.equal(job.error_count, found.filter(({ level }) => level === 'error').length)
  assert.equal(job.warning_count, 3)
  assert.equal(job.errors.length, Math.min(20, job.error_count))
  assert.equal((await errorsOf(anna, job.job_id, '&level=warning')).length, 3)
})

test('the workbook of errors imports once corrected', async () => {
  const anna = await aUser()
  const job = await bringIn(
    anna,
    {
      Items: [
        ['item_key', 'collection_path', 'name', 'meta.year'],
        ['007', 'Box', null, 1850],
        ['008', 'Box', 'Fine', null],
        ['009', 'Box', null, true],
      ],
    },
    { options: { create_missing: 'true' } },
  )
  assert.equal(job.counts.items.failed, 2)
  const reply = await call('GET', `/api/bulk/jobs/${job.job_id}/errors?format=xlsx`, anna)
  assert.match(String(reply.headers['content-disposition']), /^attachment; filename="book-errors\.xlsx"/)
  const { read, utils } = await import('@e965/xlsx')
  const sheet = read(reply.rawPayload).Sheets['Items']
  assert.ok(sheet)
  const rows = utils.sheet_to_json<(string | number | boolean | null)[]>(sheet, { header: 1, defval: null })
  assert.deepEqual(rows[0], [
    'item_key',
    'collection_path',
    'name',
    'meta.year',
    'error_row',
    'error_code',
    'error_message',
    'error_check',
  ])
  assert.deepEqual(rows[1]?.slice(0, -1), ['007', 'Box', null, 1850, 2, 'required', 'name is empty'])
  assert.deepEqual(rows[2]?.slice(0, -1), ['009', 'Box', null, true, 4, 'required', 'name is empty'])
  const corrected = rows.map((row, index) => (index === 0 ? row : row.with(2, `Corrected ${index}`)))
  const second = await bringIn(anna, { Items: corrected })
  assert.equal(second.state, 'completed', JSON.stringify(second.errors))
  assert.equal(second.counts.items.created, 2)
})

test('an atomic import writes everything or nothing', async () => {
  const anna = await aUser()
  const bad: Book = {
    ...MUSEUM,
    Items: [ITEMS, ['v1', 'glass', 'Vase', null, null, null], ['v2', 'lost', 'Bowl', null, null, null]],
  }
  const failed = await bringIn(anna, bad, { options: { mode: 'atomic' } })
  assert.equal(failed.state, 'failed')
  assert.equal(failed.error.code, 'row_errors')
  assert.deepEqual(failed.counts.collections, { created: 0, updated: 0, unchanged: 0, failed: 0 })
  assert.equal(failed.counts.items.failed, 1)
  assert.deepEqual(await codes(anna, failed.job_id), ['Items 3 B not_found'])
  const nothing = await lyceum.db
    .pool`select 1 from collections.collections where created_by = ${anna.user_id}`
  assert.equal(nothing.length, 0)
  const whole = await bringIn(anna, MUSEUM, { options: { mode: 'atomic' } })
  assert.equal(whole.state, 'completed')
  assert.equal(whole.counts.items.created, 2)
  assert.equal((await byKey(anna, 'glass')).item_count, 2)
})

test('an import resolves parents by option, path and id, creating levels', async () => {
  const anna = await aUser()
  const root = await aCollection(anna, { name: 'Root > one' })
  const items: Book = {
    Items: [
      ['item_key', 'collection_path', 'name'],
      ['1', 'Root \\> one > Hall > Shelf', 'Vase'],
      ['2', null, 'Bowl'],
    ],
  }
  const missing = await bringIn(anna, items)
  assert.deepEqual(await codes(anna, missing.job_id), ['Items 2 B path_not_found', 'Items 3 B required'])
  const made = await bringIn(anna, items, { options: { create_missing: 'true' } })
  assert.equal(made.counts.collections.created, 2)
  const inside: Book = {
    Items: [
      ['item_key', 'collection_path', 'name'],
      ['1', 'Hall', 'Vase'],
      ['2', null, 'Bowl'],
    ],
  }
  const below = await bringIn(anna, inside, { options: { parent_id: root } })
  assert.equal(below.state, 'completed', JSON.stringify(below.errors))
  assert.deepEqual(below.counts.links, { added: 2, existing: 0, removed: 0 })
  assert.deepEqual(
    (await itemsIn(anna, root)).map((item: { name: string }) => item.name),
    ['Bowl'],
  )
  const vase = (await itemsIn(anna, root))[0]
  const renamed = await bringIn(anna, {
    Items: [
      ['item_id', 'collection_ids', 'name', 'item_key'],
      [vase.id, root, 'Dish', 'dish'],
    ],
  })
  assert.equal(renamed.counts.items.updated, 1, JSON.stringify(renamed))
  assert.deepEqual(
    (await itemsIn(anna, root)).map((item: { external_key: string }) => item.external_key),
    ['dish'],
  )
  const below2 = await bringIn(
    anna,
    {
      Collections: [
        ['parent_path', 'name'],
        [null, 'Cellar'],
        ['Cellar', 'Rack'],
      ],
    },
    { options: { parent_id: root, match: 'key_or_path' } },
  )
  assert.equal(below2.counts.collections.created, 2, JSON.stringify(below2.errors))
  const same = await bringIn(
    anna,
    {
      Collections: [
        ['parent_path', 'name'],
        [null, 'Cellar'],
        ['Cellar', 'Rack'],
      ],
    },
    { options: { parent_id: root, match: 'key_or_path' } },
  )
  assert.equal(same.counts.collections.unchanged, 2, JSON.stringify(same.errors))
})

test('an import moves collections for admins only, and refuses cycles', async () => {
  const anna = await aUser()
  await bringIn(anna, MUSEUM)
  const rows = (...given: (string | null)[][]): Book => ({
    Collections: [['collection_key', 'parent_key', 'name', 'inherit_members'], ...given],
  })
  const moved = await bringIn(anna, rows(['wood', 'glass', 'Wood', 'no']))
  assert.equal(moved.counts.collections.failed, 1)
  assert.deepEqual(await codes(anna, moved.job_id), ['Collections 2 D last_admin'])
  const below = await bringIn(anna, rows(['wood', 'glass', 'Wood', null]))
  assert.deepEqual(
    below.counts.collections,
    { created: 0, updated: 1, unchanged: 0, failed: 0 },
    JSON.stringify(below.errors),
  )
  const [wood, glass] = [await byKey(anna, 'wood'), await byKey(anna, 'glass')]
  assert.equal(wood.hierarchy.parent_id, glass.id)
  assert.equal(wood.version, 2)
  const cycle = await bringIn(anna, {
    Collections: [
      ['collection_id', 'parent_id', 'name'],
      [glass.id, wood.id, 'Glass'],
    ],
  })
  assert.deepEqual(await codes(anna, cycle.job_id), ['Collections 2 B cycle'])
  const swapped = await bringIn(
    anna,
    rows(['glass', 'wood', 'Glass', null], ['wood', 'museum', 'Wood', null]),
  )
  assert.equal(swapped.counts.collections.updated, 2, JSON.stringify(swapped.errors))
  assert.equal((await byKey(anna, 'glass')).hierarchy.parent_id, wood.id)
})

test('rows need the same rights as the equivalent requests', async () => {
  const admin = await anAdmin()
  const [owner, ben] = [await aColleague(admin), await aColleague(admin)]
  await bringIn(owner, MUSEUM)
  const [museum, glass] = [await byKey(owner, 'museum'), await byKey(owner, 'glass')]
  const book: Book = {
    Collections: [
      ['collection_key', 'parent_key', 'name'],
      ['new', 'museum', 'New'],
      ['wood', 'museum', 'Renamed'],
    ],
    Items: [
      ['item_key', 'collection_keys', 'name'],
      ['n', 'museum', 'New'],
      ['v1', 'museum', 'Renamed'],
      ['v2', 'glass', 'Bowl'],
    ],
  }
  const blind = await bringIn(ben, book)
  assert.deepEqual(await codes(ben, blind.job_id), [
    'Collections 2 B not_found',
    'Collections 3 B not_found',
    'Items 2 B not_found',
    'Items 3 B not_found',
    'Items 4 B not_found',
  ])
  await join(owner, museum.id, ben, 'viewer')
  const viewer = await bringIn(ben, book)
  // Glass does not inherit, so it stays unknown.
  assert.deepEqual(await codes(ben, viewer.job_id), [
    'Collections 2 B forbidden',
    'Collections 3 C forbidden',
    'Items 2 B forbidden',
    'Items 3 C forbidden',
    'Items 4 B not_found',
  ])
  const unchanged = await bringIn(ben, {
    Collections: [
      ['collection_key', 'parent_key', 'name'],
      ['wood', 'museum', 'Wood'],
    ],
  })
  assert.equal(unchanged.counts.collections.unchanged, 1)
  await call('PATCH', `/api/collections/${museum.id}/members/${ben.user_id}`, owner, { role: 'editor' })
  const editor = await bringIn(ben, book)
  assert.deepEqual(await codes(ben, editor.job_id), ['Items 4 B not_found'])
  assert.equal(editor.counts.items.updated, 1)
  const hidden = await bringIn(ben, {
    Collections: [
      ['collection_key', 'parent_key', 'name'],
      ['glass', 'museum', 'Mine'],
    ],
  })
  assert.deepEqual(await codes(ben, hidden.job_id), ['Collections 2 A duplicate_key'])
  const taken = await bringIn(ben, {
    Items: [
      ['item_key', 'collection_keys', 'name'],
      ['v2', 'museum', 'Mine'],
    ],
  })
  assert.deepEqual(await codes(ben, taken.job_id), ['Items 2 A duplicate_key'])
  const cut = await bringIn(ben, {
    Collections: [
      ['collection_key', 'name', 'inherit_members'],
      ['wood', 'Renamed', 'no'],
    ],
  })
  assert.deepEqual(await codes(ben, cut.job_id), ['Collections 2 C forbidden'])
  const site = await bringIn(admin, {
    Items: [
      ['item_key', 'collection_ids', 'name'],
      ['v2', glass.id, 'By the site admin'],
    ],
  })
  assert.equal(site.counts.items.updated, 1, JSON.stringify(site.errors))
})

test('an import reports an ambiguous key and prefers its own', async () => {
  const anna = await aUser()
  const root = (name: string) => call('POST', '/api/collections', anna, { name, external_key: 'same' })
  const [one] = [(await root('One')).json(), (await root('Two')).json()]
  const item = (key: string) => [
    ['item_key', 'collection_keys', 'name'],
    [key, 'same', 'Vase'],
  ]
  const ambiguous = await bringIn(anna, { Items: item('1') })
  assert.deepEqual(await codes(anna, ambiguous.job_id), ['Items 2 B ambiguous_key'])
  const inFile = await bringIn(anna, {
    Collections: [
      ['collection_id', 'collection_key', 'name'],
      [one.id, 'same', 'One'],
    ],
    Items: item('2'),
  })
  assert.equal(inFile.counts.items.created, 1, JSON.stringify(inFile.errors))
  assert.equal((await itemsIn(anna, one.id)).length, 1)
  const inTree = await bringIn(anna, { Items: item('3') }, { options: { parent_id: one.id } })
  assert.equal(inTree.counts.items.created, 1, JSON.stringify(inTree.errors))
})

test('an unedited template imports nothing', async () => {
  const anna = await aUser()
  const template = (await call('GET', '/api/bulk/template', anna)).rawPayload
  const job = await bringIn(anna, template)
  assert.equal(job.state, 'completed', JSON.stringify(job))
  assert.deepEqual([job.counts.collections.created, job.counts.items.created, job.error_count], [0, 0, 0])
  assert.deepEqual(
    [...new Set((await errorsOf(anna, job.job_id)).map(({ code }) => code))],
    ['example_skipped'],
  )
  const made = await lyceum.db.pool`select 1 from collections.collections where created_by = ${anna.user_id}`
  assert.equal(made.length, 0)
})

test('importing an unchanged export changes nothing, also for a viewer', async () => {
  const anna = await aUser()
  await bringIn(anna, MUSEUM)
  const museum = await byKey(anna, 'museum')
  for (const value of ['#CLEAR', '007', '1E5', 'TRUE', '=1+1', '_x000D_', 'a;b', '2020-01-31', '\\#CLEAR'])
    await anItem(anna, museum.id, {
      name: `is ${value}`,
      description: value,
      metadata: { text: value, list: [value, 'and'], mixed: value },
    })
  await anItem(anna, museum.id, {
    name: 'lists',
    metadata: { mixed: ['x;y', 'a>b'], number: 0.1, flag: false },
  })
  const ben = await aUser()
  await join(anna, museum.id, ben, 'viewer')
  for (const person of [anna, ben]) {
    const exported = await call('GET', `/api/collections/${museum.id}/export?include_subtree=true`, person)
    assert.equal(exported.statusCode, 200, exported.body)
    const job = await bringIn(person, exported.rawPayload)
    assert.equal(job.state, 'completed', JSON.stringify(job))
    const { collections, items, links } = job.counts
    assert.deepEqual(
      [collections.created, collections.updated, items.created, items.updated, links.added, links.removed],
      [0, 0, 0, 0, 0, 0],
      JSON.stringify(job.counts),
    )
    assert.ok(items.unchanged >= 10 && collections.unchanged >= 2)
  }
})

test('an unchanged export changes nothing with on_blank=clear and links=replace', async () => {
  const anna = await aUser()
  const make = async (body: object): Promise<string> =>
    (await call('POST', '/api/collections', anna, body)).json().id
  const museum = await make({ name: 'Museum', metadata: { mixed: 'a' } })
  const boxes: string[] = []
  for (let i = 0; i < 55; i++)
    boxes.push(await make({ name: 'Box', parent_id: museum, metadata: { mixed: ['b'] } }))
  const long = Array.from({ length: 50 }, () => ';'.repeat(600))
  for (const metadata of [{ long }, { long: 'x' }, { mixed: ['a'] }, { mixed: 1 }, {}])
    await anItem(anna, museum, { metadata })
  for (const value of ['#KEEP', '\\#KEEP', '#CLEAR', '\\\\#CLEAR'])
    await anItem(anna, museum, { name: value, description: value, metadata: { mixed: value, list: [value] } })
  const many = await anItem(anna, museum, { metadata: { long } })
  for (const box of boxes) await call('POST', `/api/collections/${box}/items`, anna, { item_id: many })
  const path = `/api/collections/${museum}/export`
  const options = { on_blank: 'clear', links: 'replace' }
  for (const query of ['', '?include_subtree=true', '?format=csv&sheet=collections']) {
    const exported = await call('GET', path + query, anna)
    const { counts, errors } = await bringIn(anna, exported.rawPayload, { options })
    assert.deepEqual(errors, [], query)
    for (const { created, updated, failed } of [counts.collections, counts.items])
      assert.deepEqual([created, updated, failed], [0, 0, 0], `${query} ${JSON.stringify(counts)}`)
    assert.deepEqual([counts.links.added, counts.links.removed], [0, 0], query)
  }
  const before = (await itemsIn(anna, museum)).map((item: object) => JSON.stringify(item))
  const csv = await call('GET', `${path}?format=csv&sheet=items`, anna)
  const { counts, errors } = await bringIn(anna, csv.rawPayload, { options })
  // A file of texts holds them whole, and a cell that is too long to be read is refused, never cut.
  assert.ok(errors.some(({ code }: { code: string }) => code === 'too_long'))
  assert.deepEqual(
    (await itemsIn(anna, museum)).map((item: object) => JSON.stringify(item)),
    before,
  )
  assert.deepEqual([counts.items.updated, counts.items.created, counts.links.removed], [0, 0, 0])
  const { metadata } = (await call('GET', `/api/items/${many}`, anna)).json()
  assert.deepEqual(metadata, { long })
})

test('a dry run reports what the real run does and changes nothing', async () => {
  const anna = await aUser()
  let seed = 20_260_101
  const random = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed % most
  }
  const pick = <const T extends (string | number | null)[]>(...values: T): T[number] =>
    values[random(values.length)] ?? null
  for (let round = 0; round < 12; round++) {
    const key = () => `k${random(12)}`
    const book: Book = {
      Collections: [
        COLLECTIONS,
        ...Array.from({ length: 12 }, () => [
          pick(key(), key(), key(), null),
          pick(null, key(), key(), 'nowhere'),
          pick('A', 'B', 'C', null),
          pick(null, 'text', '#CLEAR'),
          pick(null, 'folder', 'castle'),
          pick(null, null, null, 'no', 'yes'),
          pick(null, 'hall', 7),
          pick(null, 'a;b'),
        ]),
      ],
      Items: [
        ITEMS,
        ...Array.from({ length: 20 }, () => [
          pick(`i${random(15)}`, `i${random(15)}`, null),
          [key(), key()].slice(0, 1 + random(2)).join(';'),
          pick('X', 'Y', 'Z', null),
          pick(null, 'text', '#CLEAR'),
          pick(null, 1, 2, 'old'),
          pick(null, 'x;y'),
        ]),
      ],
    }
    const options = {
      on_blank: pick('keep', 'clear'),
      links: pick('add', 'replace'),
      match: pick('key', 'key_or_path'),
    }
    const file = bookOf(book)
    const state = async () =>
      JSON.stringify(
        await lyceum.db.pool`
          select id, version, parent_id, item_count, xmin::text from collections.collections where created_by = ${anna.user_id}
          union all select id, version, null, 0, xmin::text from collections.items where created_by = ${anna.user_id} order by 1`,
      )
    const before = await state()
    const dry = await bringIn(anna, file, { options: { ...options, dry_run: 'true' } })
    assert.equal(await state(), before)
    const real = await bringIn(anna, file, { options })
    assert.deepEqual(dry.counts, real.counts, `round ${round}`)
    assert.deepEqual(await errorsOf(anna, dry.job_id), await errorsOf(anna, real.job_id))
    assert.equal(dry.state, real.state)
  }
  const [wrong] = await lyceum.db.pool<{ counts: number }[]>`
    select count(*)::int as counts from collections.collections as node
     where node.created_by = ${anna.user_id}
       and node.item_count <> (select count(*) from collections.collection_items as link where link.collection_id = node.id)`
  assert.equal(wrong?.counts, 0)
})

test('an import of 1,000 new items ends with statistics of what it filled', async () => {
  const anna = await aUser()
  const since = new Date()
  const job = await bringIn(anna, {
    Collections: [COLLECTIONS, ['many', null, 'Many', null, null, null, null, null]],
    Items: [ITEMS, ...Array.from({ length: 1_000 }, (_, n) => [`m${n}`, 'many', `Item ${n}`, null, n, null])],
  })
  assert.equal(job.state, 'completed', JSON.stringify(job))
  const rows = await lyceum.db.pool<{ name: string; is_fresh: boolean }[]>`
    select relname as name, coalesce(last_analyze >= ${since}, false) as is_fresh from pg_stat_user_tables
     where schemaname = 'collections'
       and relname in ('collections', 'collection_ancestors', 'items', 'collection_items', 'item_keys')`
  assert.deepEqual(
    rows.filter(({ is_fresh }) => !is_fresh),
    [],
  )
  assert.equal(rows.length, 5)
})
