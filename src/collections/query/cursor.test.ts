import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, aUser, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

type Row = { id?: string; user_id?: string; job_id?: string }
type Answer = { items: Row[]; total: number; page: number; next_cursor: string | null }

const OPTIONS = {
  mode: 'partial',
  dry_run: false,
  match: 'key',
  on_blank: 'keep',
  links: 'add',
  create_missing: false,
  strict: false,
  parent_id: null,
}

const idOf = ({ id, user_id, job_id }: Row) => id ?? user_id ?? job_id

async function get(who: Person, url: string): Promise<Answer> {
  const reply = await call('GET', url, who)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json()
}

/** Walks by cursor, three rows at a time, and compares with one page of all. */
async function assertWalks(who: Person, path: string, query: string) {
  const url = `${path}?${query}${query && '&'}`
  const whole = await get(who, `${url}per_page=100`)
  assert.ok(whole.items.length > 6, url)
  assert.equal(whole.next_cursor, null)
  const seen: Row[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer: Answer = await get(who, `${url}per_page=3${cursor && `&cursor=${cursor}`}`)
    assert.equal(answer.total, whole.total)
    assert.equal(answer.page, 1)
    seen.push(...answer.items)
    assert.ok(seen.length <= whole.items.length, url)
    cursor = answer.next_cursor
  }
  assert.deepEqual(seen.map(idOf), whole.items.map(idOf), url)
}

async function aBoxOfTen(by?: Person): Promise<[Person, string]> {
  const anna = by ?? (await aUser())
  const box = await aCollection(anna)
  for (let n = 0; n < 10; n++)
    await anItem(anna, box, { name: `${n % 2 ? 'Vase' : 'Élan'} ${n % 3}`, metadata: { year: 1900 + n } })
  return [anna, box]
}

describe('a cursor', () => {
  test('continues the items of a collection in each order', async () => {
    const [anna, box] = await aBoxOfTen()
    const sorts = [
      'added_at',
      '-added_at',
      'name',
      '-name',
      'created_at',
      '-updated_at',
      'name,-created_at',
      '-added_at,name',
    ]
    const queries = ['', ...sorts.map((sort) => `sort=${sort}`)]
    for (const more of ['', 'filter[metadata.year][gte]=1902', 'include_subtree=true'])
      for (const query of queries)
        await assertWalks(anna, `/api/collections/${box}/items`, [query, more].filter(Boolean).join('&'))
  })

  test('continues a search in the order of relevance', async () => {
    const [anna, box] = await aBoxOfTen()
    await anItem(anna, box, { name: 'v' })
    for (let n = 0; n < 4; n++) await anItem(anna, box, { name: `Other ${n}`, description: 'a vase' })
    await assertWalks(anna, `/api/collections/${box}/items`, 'q=v')
  })

  test('continues the list of collections in each order', async () => {
    const anna = await aUser()
    const root = await aCollection(anna)
    for (let n = 0; n < 8; n++) await aCollection(anna, { name: `Box ${n % 3}`, parent_id: root })
    for (const query of [
      '',
      'sort=name',
      'sort=-item_count,name',
      'sort=type,-updated_at',
      `parent_id=${root}`,
      'q=box',
    ])
      await assertWalks(anna, '/api/collections', query)
  })

  test('continues the members of a collection in each order', async () => {
    const admin = await anAdmin()
    const box = await aCollection(admin)
    for (let n = 0; n < 7; n++) await join(admin, box, await aColleague(admin), n % 2 ? 'viewer' : 'editor')
    for (const query of ['', 'sort=role', 'sort=-joined_at'])
      await assertWalks(admin, `/api/collections/${box}/members`, query)
  })

  test('continues the jobs of a person and the errors of a job', async () => {
    const anna = await aUser()
    const [place] = await db.pool<{ tenant_id: string }[]>`
      select tenant_id from collections.collections where id = ${await aCollection(anna)}`
    const jobs = await db.pool<{ job_id: string }[]>`
      insert into collections.jobs (job_id, tenant_id, user_id, state, options, file_name, file_size, file_sha256, created_at)
      select gen_random_uuid(), ${place?.tenant_id ?? null}, ${anna.user_id}, 'completed', ${db.pool.json(OPTIONS)}, 'a.xlsx', 1, n::text,
             now() - (n / 2) * interval '1 s'
        from generate_series(1, 8) as n returning job_id`
    await assertWalks(anna, '/api/bulk/jobs', '')
    const [job] = jobs
    await db.pool`
      insert into collections.job_errors (job_id, level, origin, sheet, row, code, message)
      select ${job?.job_id ?? null}, 'error', 'reading', (array['Items', 'Collections', 'other'])[1 + n % 3], nullif(n % 4, 0), 'required', n::text
        from generate_series(1, 10) as n`
    const url = `/api/bulk/jobs/${job?.job_id}/errors?`
    const messages = async (query: string) => {
      const { items, next_cursor } = (await call('GET', `${url}${query}`, anna)).json()
      return { next_cursor, messages: items.map(({ message }: { message: string }) => message) }
    }
    const whole = await messages('per_page=100')
    const first = await messages('per_page=4')
    const second = await messages(`per_page=4&cursor=${first.next_cursor}`)
    const third = await messages(`per_page=4&cursor=${second.next_cursor}`)
    assert.equal(whole.messages.length, 10)
    assert.deepEqual([...first.messages, ...second.messages, ...third.messages], whole.messages)
    assert.equal(third.next_cursor, null)
  })

  test('shows no row twice when newer ones come in between', async () => {
    const [anna, box] = await aBoxOfTen()
    const url = `/api/collections/${box}/items?per_page=5`
    const first = await get(anna, url)
    await anItem(anna, box, { name: 'New' })
    const second = await get(anna, `${url}&cursor=${first.next_cursor}`)
    assert.equal(new Set([...first.items, ...second.items].map(idOf)).size, 10)
  })

  test('of another person, tenant, collection, list or filter is 422', async () => {
    const admin = await anAdmin()
    const [anna, box] = await aBoxOfTen(await aColleague(admin))
    const other = await aCollection(anna)
    const ben = await aColleague(admin)
    await join(anna, box, ben, 'editor')
    for (const _ of [1, 2]) await aCollection(ben)
    const stranger = await aUser()
    const [items, members] = [`/api/collections/${box}/items`, `/api/collections/${box}/members`]
    const cursors = new Map<string, string | null>()
    for (const url of [items, '/api/collections', members])
      cursors.set(url, (await get(anna, `${url}?per_page=1`)).next_cursor)
    assert.ok(![...cursors.values()].includes(null))
    const refused: [who: Person, of: string, url: string][] = [
      [ben, items, items],
      [ben, '/api/collections', '/api/collections'],
      [stranger, '/api/collections', '/api/collections'],
      [anna, items, `/api/collections/${other}/items`],
      [anna, items, `${items}?include_subtree=true`],
      [anna, items, `${items}?filter[metadata.year][gte]=1902`],
      [anna, items, '/api/collections'],
      [anna, '/api/collections', '/api/collections?type=general'],
      [anna, '/api/collections', '/api/bulk/jobs'],
      [anna, members, `${members}?source=direct`],
    ]
    for (const [who, of, url] of refused) {
      const reply = await call('GET', `${url}${url.includes('?') ? '&' : '?'}cursor=${cursors.get(of)}`, who)
      assert.equal(reply.statusCode, 422, url)
      assert.equal(reply.json().errors[0].code, 'invalid_cursor', url)
    }
    for (const query of ['', '&fields=name', '&sort=-added_at', '&per_page=7'])
      await get(anna, `${items}?cursor=${cursors.get(items)}${query}`)
  })

  test('under conditions carries the total of its first page, and no other text in its place', async () => {
    const [anna, box] = await aBoxOfTen()
    const url = `/api/collections/${box}/items?filter[metadata.year][gte]=1903&per_page=5`
    const { next_cursor, total } = await get(anna, url)
    assert.equal(total, 7)
    await anItem(anna, box, { name: 'Late', metadata: { year: 1999 } })
    assert.equal((await get(anna, `${url}&cursor=${next_cursor}`)).total, 8, 'a small list counts again')
    const keys: string[] = JSON.parse(Buffer.from(String(next_cursor), 'base64url').toString())
    for (const forged of ['-1', '1e9', '7 or true', '9999999999', '', '٣']) {
      const cursor = Buffer.from(JSON.stringify([...keys.slice(0, -1), forged])).toString('base64url')
      assert.equal((await call('GET', `${url}&cursor=${cursor}`, anna)).statusCode, 422, forged)
    }
  })

  test('of another order, of nothing, or beside page is 422', async () => {
    const [anna, box] = await aBoxOfTen()
    const url = `/api/collections/${box}/items?per_page=5`
    const { next_cursor } = await get(anna, url)
    const [order] = JSON.parse(Buffer.from(String(next_cursor), 'base64url').toString())
    const forged = (...keys: string[]) => Buffer.from(JSON.stringify([order, ...keys])).toString('base64url')
    assert.equal(
      (await call('GET', `${url}&cursor=${forged('2026-01-01T00:00:00.000Z', box)}`, anna)).statusCode,
      200,
    )
    const refused: [string, string][] = [
      [`sort=name&cursor=${next_cursor}`, 'invalid_cursor'],
      [`q=vase&cursor=${next_cursor}`, 'invalid_cursor'],
      ['cursor=nothing', 'invalid_cursor'],
      [`cursor=${forged('yesterday', box)}`, 'invalid_cursor'],
      [`cursor=${forged('2026-01-01T00:00:00.000Z', "' or true")}`, 'invalid_cursor'],
      [`cursor=${forged(box)}`, 'invalid_cursor'],
      [`page=2&cursor=${next_cursor}`, 'page_with_cursor'],
    ]
    for (const [query, code] of refused) {
      const reply = await call('GET', `${url}&${query}`, anna)
      assert.equal(reply.statusCode, 422, query)
      assert.equal(reply.json().errors[0].code, code, query)
    }
  })
})
