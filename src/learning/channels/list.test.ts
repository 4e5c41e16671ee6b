import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, aUser, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { buildWorld, world } from '#testing/world.ts'
import { ListedChannel } from './channel.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
const list = async ({ headers }: Who, query = '') => {
  const reply = await learning.inject({ url: `/api/channels${query}`, headers })
  return { status: reply.statusCode, headers: reply.headers, ...reply.json() }
}
const create = async ({ headers }: Who, payload: object) => {
  const reply = await learning.inject({ method: 'POST', url: '/api/channels', headers, payload })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}
const titles = (page: { items: { title: string }[] }) => page.items.map(({ title }) => title)

describe('GET /api/channels', () => {
  test('pages through 41 channels newest first, each exactly once', async () => {
    const admin = await anAdmin()
    const author = await aColleague(admin)
    const learner = await aColleague(admin)
    for (let number = 1; number <= 41; number++) await create(author, { title: `Channel ${number}` })
    for (const who of [learner, author, admin]) {
      const pages = await Promise.all([1, 2, 3, 4].map((page) => list(who, `?page=${page}&per_page=20`)))
      assert.deepEqual(
        pages.map(({ status, items, total, page, per_page, pages: count }) => [
          status,
          items.length,
          total,
          page,
          per_page,
          count,
        ]),
        [
          [200, 20, 41, 1, 20, 3],
          [200, 20, 41, 2, 20, 3],
          [200, 1, 41, 3, 20, 3],
          [200, 0, 41, 4, 20, 3],
        ],
      )
      assert.deepEqual(
        pages.flatMap(titles),
        Array.from({ length: 41 }, (_, index) => `Channel ${41 - index}`),
      )
    }
    assert.equal((await list(learner)).items.length, 20)
    const [item] = (await list(learner)).items
    assertExactly(ListedChannel, item)
  })

  test('links first, prev, next and last with the other parameters kept', async () => {
    const admin = await anAdmin()
    for (const title of ['A', 'B', 'C']) await create(admin, { title })
    const { headers } = await list(admin, '?mine=1&per_page=1&page=2')
    assert.equal(
      headers.link,
      '</api/channels?mine=1&per_page=1&page=1>; rel="first", </api/channels?mine=1&per_page=1&page=1>; rel="prev", ' +
        '</api/channels?mine=1&per_page=1&page=3>; rel="next", </api/channels?mine=1&per_page=1&page=3>; rel="last"',
    )
  })

  test('answers 0 pages when there is nothing', async () => {
    const { items, total, pages } = await list(await anAdmin())
    assert.deepEqual([items, total, pages], [[], 0, 0])
  })

  for (const query of [
    'per_page=101',
    'per_page=0',
    'page=0',
    'page=x',
    'page=-1',
    'page=1&page=2',
    'status=open',
    'mine=maybe',
    'q=',
    `q=${'x'.repeat(201)}`,
    'language=!',
  ])
    test(`refuses ?${query.slice(0, 20)} with 422`, async () => {
      const { status, detail } = await list(await aUser(), `?${query}`)
      assert.equal(status, 422)
      assert.equal(typeof detail, 'string')
    })

  test('refuses a caller without token', async () => {
    assert.equal((await list(await nobody())).status, 401)
  })

  test('shows the public and own channels; an ADMIN sees all', async () => {
    const admin = await anAdmin()
    const [author, instructor, learner] = [
      await aColleague(admin),
      await aColleague(admin),
      await aColleague(admin),
    ]
    await create(author, { title: 'public' })
    await create(author, { title: 'tenant', visibility: 'tenant' })
    await create(author, { title: 'private', visibility: 'private', instructor_ids: [instructor.user_id] })
    await create(author, { title: 'draft', status: 'draft' })
    await create(author, { title: 'archived', status: 'archived' })
    await create(learner, { title: "learner's draft", status: 'draft' })
    const all = ["learner's draft", 'archived', 'draft', 'private', 'tenant', 'public']
    const seen = async (who: Who, query = '') => {
      const page = await list(who, query)
      assert.equal(page.total, page.items.length)
      return titles(page)
    }
    assert.deepEqual(await seen(learner), ["learner's draft", 'tenant', 'public'])
    assert.deepEqual(await seen(author), all.slice(1))
    assert.deepEqual(await seen(instructor), ['private', 'tenant', 'public'])
    assert.deepEqual(await seen(admin), all)
    assert.deepEqual(await seen(await anAdmin()), [])
    assert.deepEqual(await seen(learner, '?mine=1'), ["learner's draft"])
    assert.deepEqual(await seen(instructor, '?mine=true'), ['private'])
    assert.deepEqual(await seen(admin, '?mine=1'), [])
    assert.deepEqual(await seen(learner, '?status=draft'), ["learner's draft"])
    assert.deepEqual(await seen(admin, '?status=draft'), ["learner's draft", 'draft'])
    assert.deepEqual(await seen(author, '?mine=1&status=archived'), ['archived'])
  })

  test('follows every change of status, visibility, people and deletion', async () => {
    const admin = await anAdmin()
    const [author, learner] = [await aColleague(admin), await aColleague(admin)]
    const { id } = await create(author, { title: 'Moving' })
    const put = async (payload: object) => {
      const reply = await learning.inject({
        method: 'PUT',
        url: `/api/channels/${id}`,
        headers: admin.headers,
        payload,
      })
      assert.equal(reply.statusCode, 200, reply.body)
    }
    const seenBy = async (...people: Who[]) =>
      Promise.all(
        people.map(async (who) => {
          const { items, total } = await list(who)
          return [items.length, total].join()
        }),
      )
    const everybody = [admin, author, learner]
    assert.deepEqual(await seenBy(...everybody), ['1,1', '1,1', '1,1'])
    await put({ status: 'draft' })
    assert.deepEqual(await seenBy(...everybody), ['1,1', '1,1', '0,0'])
    await put({ instructor_ids: [learner.user_id] })
    assert.deepEqual(await seenBy(...everybody), ['1,1', '1,1', '1,1'])
    await put({ owner_id: learner.user_id, instructor_ids: [] })
    assert.deepEqual(await seenBy(...everybody), ['1,1', '0,0', '1,1'])
    await put({ status: 'published', visibility: 'private' })
    assert.deepEqual(await seenBy(...everybody), ['1,1', '0,0', '1,1'])
    await put({ visibility: 'tenant' })
    assert.deepEqual(await seenBy(...everybody), ['1,1', '1,1', '1,1'])
    await learning.inject({ method: 'DELETE', url: `/api/channels/${id}`, headers: admin.headers })
    assert.deepEqual(await seenBy(...everybody), ['0,0', '0,0', '0,0'])
  })

  test('keeps its counters exact under 50 concurrent changes', async () => {
    const admin = await anAdmin()
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { id } = await create(admin, { title: `C${index}`, status: index % 2 ? 'draft' : 'published' })
        const url = `/api/channels/${id}`
        if (index % 5 === 0)
          await learning.inject({
            method: 'PUT',
            url,
            headers: admin.headers,
            payload: { visibility: 'private' },
          })
        if (index % 7 === 0) await learning.inject({ method: 'DELETE', url, headers: admin.headers })
      }),
    )
    const [counted] = await db.fast<{ listed: number; live: number }[]>`
      select sum(listed) as listed, sum(live) as live from learning.channel_counts where tenant_id = ${admin.tenant_id}`
    const [real] = await db.fast<{ listed: number; live: number }[]>`
      select count(*) filter (where is_listed) as listed, count(*) filter (where deleted_at is null) as live
        from learning.channels where tenant_id = ${admin.tenant_id}`
    assert.deepEqual({ ...counted }, { ...real })
    assert.equal((await list(admin)).total, real?.live)
  })
})

describe('GET /api/channels?q=', () => {
  test('finds words ignoring case and accents, the last as prefix', async () => {
    const admin = await anAdmin()
    await create(admin, { title: 'Économie générale', description: 'Über Angebot und Nachfrage' })
    await create(admin, { title: 'Algebra', description: 'economics of scale' })
    await create(admin, { title: '日本語の入門', description: 'Привет, ЖИЗНЬ' })
    const found = async (q: string) => titles(await list(admin, `?${new URLSearchParams({ q }).toString()}`))
    assert.deepEqual(await found('econom'), ['Algebra', 'Économie générale'])
    assert.deepEqual(await found('ECONOMIE gener'), ['Économie générale'])
    assert.deepEqual(await found('uber nachfrage'), ['Économie générale'])
    assert.deepEqual(await found('gener economie'), [])
    assert.deepEqual(await found('本語'), ['日本語の入門'])
    assert.deepEqual(await found('жизнь'), ['日本語の入門'])
    assert.deepEqual(await found('economie algebra'), [])
    assert.deepEqual(await found('!!!'), [])
    assert.deepEqual(await found("' | 'x"), [])
  })

  test('finds only visible channels', async () => {
    const admin = await anAdmin()
    const learner = await aColleague(admin)
    await create(admin, { title: 'secret plan', status: 'draft' })
    await create(await anAdmin(), { title: 'secret of a stranger' })
    assert.deepEqual(
      [(await list(learner, '?q=secret')).total, (await list(admin, '?q=secret')).total],
      [0, 1],
    )
  })

  test('combines with category, language, level and tag', async () => {
    const admin = await anAdmin()
    await create(admin, {
      title: 'A',
      category: 'math',
      language: 'deu',
      level: 'beginner',
      tags: ['x', 'y'],
    })
    await create(admin, { title: 'B', category: 'math', language: 'en', level: 'advanced', tags: ['y'] })
    const found = async (query: string) => titles(await list(admin, query))
    assert.deepEqual(await found('?category=math'), ['B', 'A'])
    assert.deepEqual(await found('?language=ger'), ['A'])
    assert.deepEqual(await found('?level=advanced&tag=y'), ['B'])
    assert.deepEqual(
      await found('?tag=x&q=a&category=math&language=de&level=beginner&status=published&mine=1'),
      ['A'],
    )
    assert.deepEqual(await found('?category=Math'), [])
  })
})

test('LEARNING_AUTHORING=any_user makes users of the tenant editors, not ADMINs', async () => {
  const open = await buildWorld({ env: { LEARNING_AUTHORING: 'any_user' } })
  const admin = await anAdmin({ lyceum: open })
  const [author, other] = [await aColleague(admin, open), await aColleague(admin, open)]
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, { headers }: Who, payload?: object) =>
    open.learning.inject({ method, url, headers, ...(payload && { payload }) })
  const { id } = (await call('POST', '/api/channels', author, { title: 'Draft', status: 'draft' })).json()
  assert.equal((await call('GET', '/api/channels', other)).json().total, 1)
  const changed = await call('PUT', `/api/channels/${id}`, other, { title: 'Ours' })
  const { can_edit, can_delete } = changed.json().my
  assert.deepEqual([changed.statusCode, can_edit, can_delete], [200, true, false])
  assert.equal((await call('PUT', `/api/channels/${id}`, other, { owner_id: other.user_id })).statusCode, 403)
  assert.equal((await call('DELETE', `/api/channels/${id}`, other)).statusCode, 403)
  const stranger = await anAdmin({ lyceum: open })
  assert.equal((await call('GET', `/api/channels/${id}`, stranger)).statusCode, 404)
})

describe('the order of the list', () => {
  test('is by title or by learners, page by page, for those one sees', async () => {
    const admin = await anAdmin()
    const [author, learner] = [await aColleague(admin), await aColleague(admin)]
    const made = []
    for (const title of ['beta', 'Älpha', 'Gamma', 'delta'])
      made.push(await create(author, { title, category: title }))
    await create(author, { title: 'Aa hidden', status: 'draft' })
    const payload = { channel_id: made[2].id }
    await learning.inject({ method: 'POST', url: '/api/enroll', headers: learner.headers, payload })
    for (const [sort, expected] of [
      ['title', ['Älpha', 'beta', 'delta', 'Gamma']],
      ['learners', ['Gamma', 'delta', 'Älpha', 'beta']],
      ['newest', ['delta', 'Gamma', 'Älpha', 'beta']],
    ] as const) {
      const first = await list(learner, `?sort=${sort}&per_page=3`)
      const rest = await list(learner, `?sort=${sort}&per_page=3&cursor=${first.next_cursor}`)
      assert.deepEqual([...titles(first), ...titles(rest)], expected, sort)
      assert.deepEqual([first.total, rest.next_cursor], [4, null])
    }
    const reply = await learning.inject({ url: '/api/channels/choices', headers: learner.headers })
    assert.deepEqual(reply.json(), {
      categories: ['Gamma', 'beta', 'delta', 'Älpha'],
      languages: ['en'],
      tags: [],
    })
    const stranger = await learning.inject({
      url: '/api/channels/choices',
      headers: (await anAdmin()).headers,
    })
    assert.deepEqual(stranger.json(), { categories: [], languages: [], tags: [] })
    assert.equal((await learning.inject({ url: '/api/channels/choices' })).statusCode, 401)
  })
})
