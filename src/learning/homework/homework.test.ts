import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, aUser, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { buildWorld, world } from '#testing/world.ts'
import { EditedHomework, Homework } from './homework.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
const create = (episode_id: string, { headers }: Who, payload: object = { title: 'Essay' }) =>
  learning.inject({ method: 'POST', url: `/api/episodes/${episode_id}/homework`, headers, payload })
const list = (episode_id: string, { headers }: Who, query = '') =>
  learning.inject({ url: `/api/episodes/${episode_id}/homework${query}`, headers })
const change = (id: string, { headers }: Who, payload: object) =>
  learning.inject({ method: 'PUT', url: `/api/episodes/homework/${id}`, headers, payload })
const remove = (id: string, { headers }: Who) =>
  learning.inject({ method: 'DELETE', url: `/api/episodes/homework/${id}`, headers })
const submit = (id: string, { headers }: Who, payload: object = { text: 'Mine' }) =>
  learning.inject({ method: 'POST', url: `/api/episodes/homework/${id}/submit`, headers, payload })

async function aChannel({ headers }: Who, payload: object = {}) {
  const reply = await learning.inject({
    method: 'POST',
    url: '/api/channels',
    headers,
    payload: { title: 'C', episodes: [{ title: 'One' }], ...payload },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  const channel = reply.json()
  return { id: channel.id as string, episode_id: channel.episodes[0].id as string }
}
const versionOf = async (id: string, { headers }: Who) =>
  (await learning.inject({ url: `/api/channels/${id}`, headers })).json().version
async function aSchool() {
  const admin = await anAdmin()
  const [author, learner] = await Promise.all([aColleague(admin), aColleague(admin)])
  const channel = await aChannel(author)
  return { admin, author, learner, ...channel }
}
async function someHomework(school: { episode_id: string; author: Who }, payload: object = {}) {
  const reply = await create(school.episode_id, school.author, { title: 'Essay', ...payload })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}

describe('POST /api/episodes/{id}/homework', () => {
  test('creates homework with the documented defaults', async () => {
    const { author, episode_id, id: channel_id } = await aSchool()
    const reply = await create(episode_id.toUpperCase(), author, { title: '  Essay ' })
    assert.equal(reply.statusCode, 201, reply.body)
    assertExactly(EditedHomework, reply.json())
    const { id, created_at, updated_at, ...rest } = reply.json()
    assert.ok(id && created_at && updated_at)
    assert.deepEqual(rest, {
      episode_id,
      title: 'Essay',
      instructions: '',
      status: 'published',
      submission_types: ['text', 'url'],
      max_score: 100,
      due_at: null,
      lock_at: null,
      is_extended: false,
      late_policy: 'accept',
      late_penalty_percent_per_day: 10,
      late_penalty_max_percent: 50,
      max_submissions: 0,
      rubric: [],
      my_submission: null,
      my_history: [],
      submissions_left: null,
      submission_count: 0,
      ungraded_count: 0,
      weight: null,
      submission_total: 0,
      submissions: [],
    })
    assert.equal(await versionOf(channel_id, author), 2)
  })

  test('keeps every field and generates ids of criteria', async () => {
    const school = await aSchool()
    const sent = {
      title: 'Essay',
      instructions: '**Write** <b>',
      status: 'draft',
      submission_types: ['file', 'text', 'file'],
      max_score: 12.25,
      due_at: '2030-01-01T10:00:00+02:00',
      lock_at: '2030-01-01T08:00:00.000Z',
      late_policy: 'penalize',
      late_penalty_percent_per_day: 7.5,
      late_penalty_max_percent: 100,
      max_submissions: 3,
      rubric: [
        { id: 'mine', criterion: ' Style ', max_points: 5 },
        { criterion: 'Facts', max_points: 7.25 },
      ],
    }
    const made = await someHomework(school, sent)
    const { rubric, ...fields } = sent
    for (const [name, value] of Object.entries(fields))
      if (!['due_at', 'submission_types'].includes(name)) assert.deepEqual(made[name], value, name)
    assert.deepEqual(made.submission_types, ['file', 'text'])
    assert.equal(made.due_at, '2030-01-01T08:00:00.000Z')
    assert.deepEqual(
      made.rubric.map(({ criterion, max_points }: (typeof rubric)[number]) => [criterion, max_points]),
      [
        ['Style', 5],
        ['Facts', 7.25],
      ],
    )
    assert.notEqual(made.rubric[0].id, 'mine')
    assertExactly(EditedHomework, made)
  })

  for (const [what, payload, status] of [
    ['no title', {}, 422],
    ['a blank title', { title: ' ' }, 422],
    ['a number for a title', { title: 5 }, 422],
    ['no kind of submission', { title: 'E', submission_types: [] }, 422],
    ['an unknown kind of submission', { title: 'E', submission_types: ['video'] }, 422],
    ['a maximum of 0', { title: 'E', max_score: 0 }, 422],
    ['a maximum with three decimals', { title: 'E', max_score: 1.005 }, 422],
    ['a date without a time', { title: 'E', due_at: '2030-01-01' }, 422],
    ['a time without an offset', { title: 'E', due_at: '2030-01-01T00:00:00' }, 422],
    ['51 submissions', { title: 'E', max_submissions: 51 }, 422],
    ['a penalty of 101', { title: 'E', late_penalty_max_percent: 101 }, 422],
    ['a criterion without a name', { title: 'E', rubric: [{ criterion: ' ', max_points: 1 }] }, 422],
    [
      'a cut-off before the deadline',
      { title: 'E', due_at: '2030-01-02T00:00:00Z', lock_at: '2030-01-01T00:00:00Z' },
      400,
    ],
  ] as const)
    test(`refuses ${what} with ${status}`, async () => {
      const { author, episode_id } = await aSchool()
      const reply = await create(episode_id, author, payload)
      assert.equal(reply.statusCode, status, reply.body)
      assert.equal((await list(episode_id, author)).json().total, 0)
    })

  test('is for editors: 401, 403 for viewers, 404 for others', async () => {
    const { admin, author, learner, episode_id, id } = await aSchool()
    const stranger = await anAdmin()
    assert.equal((await create(episode_id, await nobody())).statusCode, 401)
    assert.equal((await create(episode_id, learner)).statusCode, 403)
    const [foreign, unknown, malformed] = [
      await create(episode_id, stranger),
      await create(newId(), author),
      await create('x', author),
    ]
    for (const reply of [foreign, unknown, malformed]) {
      assert.equal(reply.statusCode, 404)
      assert.equal(reply.body, foreign.body)
    }
    assert.equal((await create(episode_id, admin)).statusCode, 201)
    assert.equal(await versionOf(id, author), 2)
  })

  test('is for instructors, and everybody under LEARNING_AUTHORING=any_user', async () => {
    const { author, learner, episode_id, id } = await aSchool()
    await learning.inject({
      method: 'PUT',
      url: `/api/channels/${id}`,
      headers: author.headers,
      payload: { instructor_ids: [learner.user_id] },
    })
    assert.equal((await create(episode_id, learner)).statusCode, 201)

    const literal = await buildWorld({ env: { LEARNING_AUTHORING: 'any_user' } })
    const site = await anAdmin({ lyceum: literal })
    const other = await aColleague(site, literal)
    const post = (url: string, { headers }: Who, payload: object) =>
      literal.learning.inject({ method: 'POST', url, headers, payload })
    const channel = await post('/api/channels', site, { title: 'C', episodes: [{ title: 'One' }] })
    const reply = await post(`/api/episodes/${channel.json().episodes[0].id}/homework`, other, { title: 'E' })
    assert.equal(reply.statusCode, 201, reply.body)
  })

  test('allows a hundred per episode under 50 concurrent callers', async () => {
    const school = await aSchool()
    await db.pool`
      insert into learning.homework (tenant_id, id, episode_id, title, instructions, status, submission_types, max_score,
        late_policy, late_penalty_percent_per_day, late_penalty_max_percent, max_submissions, rubric)
      select ${school.author.tenant_id}, gen_random_uuid(), ${school.episode_id}, 'E', '', 'published', '{text}', 100,
             'accept', 10, 50, 0, '[]' from generate_series(1, 60)`
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => create(school.episode_id, school.author)),
    )
    const made = replies.filter(({ statusCode }) => statusCode === 201)
    assert.equal(made.length, 40)
    assert.ok(replies.every(({ statusCode }) => [201, 400].includes(statusCode)))
    assert.equal((await list(school.episode_id, school.author)).json().total, 100)
  })
})

describe('GET /api/episodes/{id}/homework', () => {
  test('shows a learner published homework and only their own work', async () => {
    const school = await aSchool()
    const other = await aColleague(school.admin)
    const made = await someHomework(school, { max_submissions: 2 })
    await someHomework(school, { title: 'Later', status: 'draft' })
    await submit(made.id, other, { text: 'CANARY' })
    await submit(made.id, school.learner, { text: 'First' })
    await submit(made.id, school.learner, { text: 'Second' })
    const reply = await list(school.episode_id, school.learner)
    assert.equal(reply.statusCode, 200, reply.body)
    const { items, total } = reply.json()
    assert.deepEqual([items.length, total], [1, 1])
    assertExactly(Homework, items[0])
    assert.equal(items[0].my_submission.text, 'Second')
    assert.deepEqual(
      items[0].my_history.map((past: { attempt_number: number; status: string }) => [
        past.attempt_number,
        past.status,
      ]),
      [
        [2, 'submitted'],
        [1, 'submitted'],
      ],
    )
    assert.equal(items[0].submissions_left, 0)
    for (const secret of ['CANARY', other.email, other.user_id, 'user_email', 'submission_count'])
      assert.ok(!reply.body.includes(secret), secret)
  })

  test('shows an editor drafts and latest submissions, ungraded first, texts cut', async () => {
    const school = await aSchool()
    const learners = await Promise.all([1, 2, 3].map(() => aColleague(school.admin)))
    const made = await someHomework(school)
    await someHomework(school, { title: 'Later', status: 'draft' })
    const ids: string[] = []
    for (const [index, learner] of learners.entries()) {
      await submit(made.id, learner, { text: `old ${index}` })
      ids.push((await submit(made.id, learner, { text: `${index}`.repeat(2_001) })).json().id)
    }
    const graded = await learning.inject({
      method: 'PUT',
      url: `/api/episodes/homework/submissions/${ids[2]}/grade`,
      headers: school.author.headers,
      payload: { score: 5 },
    })
    assert.equal(graded.statusCode, 200, graded.body)
    const { items, total } = (await list(school.episode_id, school.author)).json()
    assert.deepEqual([total, items[1].title, items[1].status], [2, 'Later', 'draft'])
    const [{ submissions, submission_count, ungraded_count, my_submission }] = items
    assertExactly(EditedHomework, items[0])
    assert.deepEqual([submission_count, ungraded_count, my_submission], [3, 2, null])
    assert.deepEqual(
      submissions.map(({ id }: { id: string }) => id),
      [ids[1], ids[0], ids[2]],
    )
    assert.deepEqual(
      submissions.map(({ user_email }: { user_email: string }) => user_email),
      [learners[1]?.email, learners[0]?.email, learners[2]?.email],
    )
    assert.ok(
      submissions.every(
        (s: { text: string; text_truncated: boolean }) => s.text.length === 2_000 && s.text_truncated,
      ),
    )
  })

  test('pages through submissions of one homework in full', async () => {
    const school = await aSchool()
    const learners = await Promise.all([1, 2, 3].map(() => aColleague(school.admin)))
    const made = await someHomework(school)
    await someHomework(school)
    for (const learner of learners) {
      await submit(made.id, learner, { text: 'old' })
      await submit(made.id, learner, { text: 'x'.repeat(2_001) })
    }
    const of = async (query: string) => {
      const { items } = (
        await list(school.episode_id, school.author, `?homework_id=${made.id}${query}`)
      ).json()
      assert.equal(items.length, 1)
      assert.equal(items[0].submission_total, query.includes('all') ? 6 : 3)
      return items[0].submissions as { id: string; text: string; text_truncated: boolean }[]
    }
    const latest = await of('')
    assert.deepEqual(
      latest.map((s) => [s.text.length, s.text_truncated]),
      [
        [2_001, false],
        [2_001, false],
        [2_001, false],
      ],
    )
    const pages = [
      ...(await of('&submission_per_page=2')),
      ...(await of('&submission_per_page=2&submission_page=2')),
    ]
    assert.deepEqual(pages, latest)
    assert.equal((await of('&submissions=all')).length, 6)
    assert.equal((await of('&submission_page=9')).length, 0)
    const unknown = await list(school.episode_id, school.author, `?homework_id=${newId()}`)
    assert.deepEqual([unknown.statusCode, unknown.json().items, unknown.json().total], [200, [], 0])
  })

  test('pages in the order of creation, each once', async () => {
    const school = await aSchool()
    for (const title of ['A', 'B', 'C', 'D', 'E']) await someHomework(school, { title })
    const pages = await Promise.all(
      [1, 2, 3, 4].map((n) => list(school.episode_id, school.learner, `?page=${n}&per_page=2`)),
    )
    assert.deepEqual(
      pages.map((reply) => reply.json().items.map(({ title }: { title: string }) => title)),
      [['A', 'B'], ['C', 'D'], ['E'], []],
    )
    const { total, page, per_page, pages: count } = pages[3]?.json() ?? {}
    assert.deepEqual([total, page, per_page, count], [5, 4, 2, 3])
    assert.match(String(pages[0]?.headers.link), /page=2&per_page=2>; rel="next"/)
  })

  for (const query of [
    'page=0',
    'per_page=101',
    'homework_id=x',
    'submission_per_page=101',
    'submissions=some',
    'page=1&page=2',
  ])
    test(`refuses ?${query} with 422`, async () => {
      const { author, episode_id } = await aSchool()
      assert.equal((await list(episode_id, author, `?${query}`)).statusCode, 422)
    })

  test('answers 401 without token and 404 for anything invisible', async () => {
    const school = await aSchool()
    const stranger = await anAdmin()
    assert.equal((await list(school.episode_id, await nobody())).statusCode, 401)
    assert.equal((await list(school.episode_id, stranger)).statusCode, 404)
    assert.equal((await list(newId(), school.learner)).statusCode, 404)
    for (const payload of [
      { status: 'draft' },
      { visibility: 'private' },
      { status: 'archived' },
      { episodes: [{ title: 'One', status: 'draft' }] },
      { episodes: [{ title: 'One', release_at: '2999-01-01T00:00:00Z' }] },
    ]) {
      const { episode_id } = await aChannel(school.author, payload)
      assert.equal((await list(episode_id, school.learner)).statusCode, 404, JSON.stringify(payload))
      assert.equal((await list(episode_id, school.author)).statusCode, 200)
    }
    await learning.inject({
      method: 'DELETE',
      url: `/api/channels/${school.id}`,
      headers: school.admin.headers,
    })
    for (const who of [school.author, school.learner, school.admin])
      assert.equal((await list(school.episode_id, who)).statusCode, 404)
  })
})

describe('PUT /api/episodes/homework/{id}', () => {
  test('changes sent fields, resets with null, keeps known criteria', async () => {
    const school = await aSchool()
    const made = await someHomework(school, {
      instructions: 'Do',
      max_score: 50,
      due_at: '2030-01-01T00:00:00Z',
      rubric: [
        { criterion: 'A', max_points: 1 },
        { criterion: 'B', max_points: 2 },
      ],
    })
    const [first, second] = made.rubric
    const reply = await change(made.id, school.author, {
      title: 'New',
      max_score: null,
      due_at: null,
      rubric: [
        { ...second, criterion: 'B2' },
        { id: second.id, criterion: 'Copy', max_points: 1 },
        { id: newId(), criterion: 'C', max_points: 3 },
      ],
    })
    assert.equal(reply.statusCode, 200, reply.body)
    const changed = reply.json()
    assertExactly(EditedHomework, changed)
    assert.deepEqual(
      [changed.title, changed.instructions, changed.max_score, changed.due_at],
      ['New', 'Do', 100, null],
    )
    assert.deepEqual(changed.rubric[0], { ...second, criterion: 'B2' })
    const ids = changed.rubric.map(({ id }: { id: string }) => id)
    assert.equal(new Set([...ids, first.id]).size, 4)
    assert.equal(await versionOf(school.id, school.author), 3)
    const kept = (await change(made.id, school.author, { title: 'Newer' })).json()
    assert.deepEqual(kept.rubric, changed.rubric)
  })

  test('checks the cut-off against the stored deadline', async () => {
    const school = await aSchool()
    const made = await someHomework(school, { due_at: '2030-01-02T00:00:00Z' })
    assert.equal((await change(made.id, school.author, { lock_at: '2030-01-01T00:00:00Z' })).statusCode, 400)
    assert.equal((await change(made.id, school.author, { lock_at: '2030-01-02T00:00:00Z' })).statusCode, 200)
    assert.equal((await change(made.id, school.author, { due_at: '2030-01-03T00:00:00Z' })).statusCode, 400)
    const moved = { due_at: '2030-01-03T00:00:00Z', lock_at: '2030-01-04T00:00:00Z' }
    assert.equal((await change(made.id, school.author, moved)).statusCode, 200)
  })

  test('refuses a body without writable fields or of wrong type', async () => {
    const school = await aSchool()
    const made = await someHomework(school)
    assert.equal((await change(made.id, school.author, { id: newId(), nonsense: 1 })).statusCode, 400)
    assert.equal((await change(made.id, school.author, { max_score: '5' })).statusCode, 422)
    assert.equal(await versionOf(school.id, school.author), 2)
  })
})

describe('DELETE /api/episodes/homework/{id}', () => {
  test('answers 404 to everybody afterwards and keeps submissions', async () => {
    const school = await aSchool()
    const made = await someHomework(school)
    const submission = (await submit(made.id, school.learner)).json()
    const reply = await remove(made.id, school.author)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual([reply.json().id, reply.json().deleted], [made.id, true])
    assert.ok(reply.json().deleted_at)
    const grade = `/api/episodes/homework/submissions/${submission.id}/grade`
    for (const who of [school.author, school.admin, school.learner]) {
      assert.equal((await remove(made.id, who)).statusCode, 404)
      assert.equal((await change(made.id, who, { title: 'X' })).statusCode, 404)
      assert.equal((await submit(made.id, who)).statusCode, 404)
      const graded = await learning.inject({
        method: 'PUT',
        url: grade,
        headers: who.headers,
        payload: { score: 1 },
      })
      assert.equal(graded.statusCode, 404)
      assert.equal((await list(school.episode_id, who)).json().total, 0)
    }
    const rows = await db.pool`
      select text from learning.submissions where tenant_id = ${school.author.tenant_id} and id = ${submission.id}`
    assert.deepEqual(
      rows.map(({ text }) => text),
      ['Mine'],
    )
    assert.equal(await versionOf(school.id, school.author), 3)
  })
})

test('changing and deleting homework is for editors only', async () => {
  const school = await aSchool()
  const stranger = await anAdmin()
  const [made, draft] = [await someHomework(school), await someHomework(school, { status: 'draft' })]
  const ways = [(id: string, who: Who) => change(id, who, { title: 'X' }), remove]
  for (const act of ways) {
    assert.equal((await act(made.id, await nobody())).statusCode, 401)
    assert.equal((await act(made.id, school.learner)).statusCode, 403)
    const hidden = [
      await act(draft.id, school.learner),
      await act(made.id, stranger),
      await act(newId(), school.author),
      await act('x', school.author),
    ]
    assert.deepEqual(
      hidden.map(({ statusCode }) => statusCode),
      [404, 404, 404, 404],
    )
    assert.equal(new Set(hidden.map(({ body }) => body)).size, 1)
  }
  const { items } = (await list(school.episode_id, school.author)).json()
  assert.deepEqual(
    items.map(({ title }: { title: string }) => title),
    ['Essay', 'Essay'],
  )
  assert.equal((await remove(made.id, school.admin)).statusCode, 200)
})

test('an outsider cannot tell that a homework exists', async () => {
  const school = await aSchool()
  const made = await someHomework(school)
  const outsider = await aUser()
  assert.equal((await submit(made.id, outsider)).statusCode, 404)
  assert.equal((await list(school.episode_id, outsider)).statusCode, 404)
})
