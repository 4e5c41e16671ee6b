import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must, paperOf, TRUE } from '#testing/exams.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { DeletedTest, Test } from './exam.ts'

const { db } = await world()

const testsOf = (episode_id: string) => `/api/episodes/${episode_id}/tests`
const at = (test_id: string) => `/api/episodes/tests/${test_id}`

describe('POST /api/episodes/{id}/tests', () => {
  test('creates a test with the documented defaults', async () => {
    const { author, episode_id, channel_id } = await aSchool()
    const { version } = await must(200, 'GET', `/api/channels/${channel_id}`, author)
    const made = await must(201, 'POST', testsOf(episode_id), author, { title: '  Final ' })
    assertExactly(Test, made)
    const { id, created_at, updated_at, ...rest } = made
    assert.ok(id && created_at && updated_at)
    assert.deepEqual(rest, {
      episode_id,
      title: 'Final',
      description: '',
      status: 'published',
      max_attempts: 0,
      retry_delay_seconds: 0,
      time_limit_seconds: null,
      opens_at: null,
      closes_at: null,
      is_extended: false,
      passing_percent: null,
      score_policy: 'best',
      shuffle_questions: false,
      shuffle_options: true,
      feedback_policy: 'per_question',
      show_explanations: true,
      show_right_answers: false,
      weight: null,
      question_count: 0,
      max_score: 0,
      my: {
        attempts_used: 0,
        attempts_left: null,
        kept_score: null,
        kept_percent: null,
        passed: null,
        open_attempt: null,
        next_attempt_at: null,
        history: [],
      },
      stats: {
        attempt_count: 0,
        learner_count: 0,
        mean_percent: null,
        pass_rate: null,
        histogram: Array(10).fill(0),
      },
    })
    assert.equal((await must(200, 'GET', `/api/channels/${channel_id}`, author)).version, version + 1)
  })

  test('accepts every field, and null as default', async () => {
    const { author, episode_id } = await aSchool()
    const full = {
      title: 'Full',
      description: '**All**',
      status: 'draft',
      max_attempts: 3,
      retry_delay_seconds: 60,
      time_limit_seconds: 600,
      opens_at: '2026-01-01T00:00:00.000Z',
      closes_at: '2027-01-01T00:00:00.000Z',
      passing_percent: 62.5,
      score_policy: 'average',
      shuffle_questions: true,
      shuffle_options: false,
      feedback_policy: 'per_question',
      show_explanations: true,
    }
    const made = await must(201, 'POST', testsOf(episode_id), author, full)
    assert.deepEqual({ ...made, ...full }, made)
    const nulls = Object.fromEntries(Object.keys(full).map((name) => [name, null]))
    const plain = await must(201, 'POST', testsOf(episode_id), author, { ...nulls, title: 'Plain' })
    assert.deepEqual(
      [plain.status, plain.max_attempts, plain.score_policy, plain.shuffle_options, plain.closes_at],
      ['published', 0, 'best', true, null],
    )
  })

  const wrong: [string, object, number][] = [
    ['no title', { title: undefined }, 422],
    ['a title of white space', { title: ' ' }, 422],
    ['101 attempts', { max_attempts: 101 }, 422],
    ['half an attempt', { max_attempts: 1.5 }, 422],
    ['29 seconds', { time_limit_seconds: 29 }, 422],
    ['a policy that does not exist', { score_policy: 'worst' }, 422],
    ['a percent with 3 decimals', { passing_percent: 50.125 }, 422],
    ['a time without offset', { opens_at: '2026-01-01T00:00:00' }, 422],
    [
      'a close before the opening',
      { opens_at: '2026-02-01T00:00:00Z', closes_at: '2026-01-01T00:00:00Z' },
      400,
    ],
    [
      'a close at the opening',
      { opens_at: '2026-02-01T00:00:00Z', closes_at: '2026-02-01T01:00:00+01:00' },
      400,
    ],
  ]
  for (const [name, payload, status] of wrong)
    test(`refuses ${name} with ${status}`, async () => {
      const { author, episode_id } = await aSchool()
      await must(status, 'POST', testsOf(episode_id), author, { title: 'T', ...payload })
      assert.equal((await must(200, 'GET', testsOf(episode_id), author)).total, 1)
    })

  test('is for editors, and hides other tenants and unknown episodes', async () => {
    const { author, learner, episode_id } = await aSchool()
    const stranger = await anAdmin()
    await must(401, 'POST', testsOf(episode_id), await nobody(), { title: 'T' })
    await must(403, 'POST', testsOf(episode_id), learner, { title: 'T' })
    await must(404, 'POST', testsOf(episode_id), stranger, { title: 'T' })
    await must(404, 'POST', testsOf(newId()), author, { title: 'T' })
    await must(404, 'POST', testsOf('none'), author, { title: 'T' })
  })

  test('allows 100 tests per episode, also under concurrency', async () => {
    const { author, episode_id, test_id } = await aSchool()
    await db.pool`
      insert into learning.tests (tenant_id, id, episode_id, title, description, status, max_attempts,
        retry_delay_seconds, score_policy, shuffle_questions, shuffle_options, feedback_policy, show_explanations)
      select tenant_id, gen_random_uuid(), episode_id, title, description, status, max_attempts, retry_delay_seconds,
             score_policy, shuffle_questions, shuffle_options, feedback_policy, show_explanations
        from learning.tests, generate_series(1, 98) where id = ${test_id}`
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', testsOf(episode_id), author, { title: 'T' })),
    )
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, ...Array<number>(9).fill(400)],
    )
    await must(200, 'DELETE', at(test_id), author)
    await must(201, 'POST', testsOf(episode_id), author, { title: 'T' })
  })
})

describe('GET /api/episodes/{id}/tests', () => {
  test('lists published tests by creation, drafts for editors only', async () => {
    const { author, learner, admin, episode_id } = await aSchool()
    await must(201, 'POST', testsOf(episode_id), author, { title: 'Draft', status: 'draft' })
    await must(201, 'POST', testsOf(episode_id), author, { title: 'Last' })
    const titles = async (who: typeof author) =>
      (await must(200, 'GET', testsOf(episode_id), who)).items.map(({ title }: { title: string }) => title)
    assert.deepEqual(await titles(learner), ['Quiz', 'Last'])
    assert.deepEqual(await titles(author), ['Quiz', 'Draft', 'Last'])
    assert.deepEqual(await titles(admin), ['Quiz', 'Draft', 'Last'])
  })

  test('hides statistics and results from learners', async () => {
    const { learner, episode_id, test_id } = await aSchool()
    const { items } = await must(200, 'GET', `${testsOf(episode_id)}?test_id=${test_id}`, learner)
    assertExactly(Test, items[0])
    assert.deepEqual(
      [items[0].stats, items[0].results, items[0].result_total],
      [undefined, undefined, undefined],
    )
  })

  test('pages, and refuses invalid pages', async () => {
    const { author, learner, episode_id } = await aSchool()
    await must(201, 'POST', testsOf(episode_id), author, { title: 'Two' })
    const reply = await call('GET', `${testsOf(episode_id)}?per_page=1&page=2`, learner)
    const { items, next_cursor, ...envelope } = reply.body
    assert.equal(next_cursor, null)
    assert.deepEqual([items[0].title, envelope], ['Two', { total: 2, page: 2, per_page: 1, pages: 2 }])
    assert.match(String(reply.headers['link']), /rel="prev"/)
    assert.deepEqual((await must(200, 'GET', `${testsOf(episode_id)}?page=9`, learner)).items, [])
    for (const query of ['per_page=101', 'page=0', 'page=x', 'test_id=x', 'result_page=0'])
      await must(422, 'GET', `${testsOf(episode_id)}?${query}`, learner)
    assert.equal((await must(200, 'GET', `${testsOf(episode_id)}?test_id=${newId()}`, learner)).total, 0)
  })

  test('refuses missing tokens, other tenants and locked episodes', async () => {
    const { author, learner, channel_id, episode_id } = await aSchool({ channel: { sequential: true } })
    const { episodes } = await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
      episodes: [{ id: episode_id }, { title: 'Two' }],
    })
    const second = episodes[1].id as string
    const { id } = await must(201, 'POST', testsOf(second), author, { title: 'T' })
    await must(401, 'GET', testsOf(episode_id), await nobody())
    await must(404, 'GET', testsOf(episode_id), await anAdmin())
    const locked = 'Episode is locked until "One" is completed'
    assert.equal((await must(403, 'GET', testsOf(second), learner)).detail, locked)
    assert.equal((await must(403, 'GET', `${at(id)}/questions`, learner)).detail, locked)
    await must(200, 'GET', testsOf(second), author)
  })
})

describe('PUT and DELETE /api/episodes/tests/{id}', () => {
  test('changes only sent fields and raises the channel version', async () => {
    const { author, channel_id, test_id } = await aSchool({
      test: { max_attempts: 5, closes_at: '2027-01-01T00:00:00Z' },
    })
    const { version } = await must(200, 'GET', `/api/channels/${channel_id}`, author)
    const changed = await must(200, 'PUT', at(test_id), author, { title: 'New', closes_at: null })
    assert.deepEqual([changed.title, changed.closes_at, changed.max_attempts], ['New', null, 5])
    assert.equal((await must(200, 'GET', `/api/channels/${channel_id}`, author)).version, version + 1)
  })

  test('refuses an empty body and a close before the opening', async () => {
    const { author, test_id } = await aSchool({ test: { opens_at: '2026-01-01T00:00:00Z' } })
    for (const payload of [{}, { id: newId(), question_count: 7, my: {} }])
      await must(400, 'PUT', at(test_id), author, payload)
    await must(400, 'PUT', at(test_id), author, { closes_at: '2025-01-01T00:00:00Z' })
    await must(422, 'PUT', at(test_id), author, { title: null })
  })

  test('is for editors, and changes nothing for others', async () => {
    const { author, learner, episode_id, test_id } = await aSchool()
    const stranger = await anAdmin()
    for (const [method, payload] of [
      ['PUT', { title: 'Theirs' }],
      ['DELETE', undefined],
    ] as const) {
      await must(401, method, at(test_id), await nobody(), payload)
      await must(403, method, at(test_id), learner, payload)
      await must(404, method, at(test_id), stranger, payload)
      await must(404, method, at(newId()), author, payload)
    }
    assert.equal((await must(200, 'GET', testsOf(episode_id), author)).items[0].title, 'Quiz')
  })

  test('hides a draft from learners like an unknown test', async () => {
    const { learner, author, test_id } = await aSchool({ questions: [TRUE] })
    await must(200, 'PUT', at(test_id), author, { status: 'draft' })
    for (const [method, url] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/questions'],
      ['POST', '/questions'],
    ] as const)
      await must(
        404,
        method,
        at(test_id) + url,
        learner,
        method === 'GET' ? undefined : { title: 'x', ...TRUE },
      )
  })

  test('keeps the rows, and the test with its questions answers 404', async () => {
    const { author, admin, learner, episode_id, test_id } = await aSchool({ questions: [TRUE] })
    const [question] = (await paperOf(test_id, author)).items
    await paperOf(test_id, learner)
    const deleted = await must(200, 'DELETE', at(test_id), author)
    assertExactly(DeletedTest, deleted)
    assert.equal(deleted.id, test_id)
    for (const who of [author, admin, learner]) {
      await must(404, 'DELETE', at(test_id), who)
      await must(404, 'PUT', at(test_id), who, { title: 'x' })
      await must(404, 'GET', `${at(test_id)}/questions`, who)
      await must(404, 'POST', `${at(test_id)}/questions`, who, TRUE)
      await must(404, 'PUT', `/api/episodes/questions/${question.id}`, who, { prompt: 'x' })
      await must(404, 'DELETE', `/api/episodes/questions/${question.id}`, who)
      assert.equal((await must(200, 'GET', testsOf(episode_id), who)).total, 0)
    }
    const [kept] = await db.pool`
      select (select count(*)::int from learning.questions where test_id = t.id) as questions,
             (select count(*)::int from learning.attempts where test_id = t.id) as attempts
        from learning.tests t where id = ${test_id}`
    assert.deepEqual(kept, { questions: 1, attempts: 1 })
  })

  test('counts once for 50 concurrent deletions', async () => {
    const { author, test_id } = await aSchool()
    const replies = await Promise.all(Array.from({ length: 50 }, () => call('DELETE', at(test_id), author)))
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, ...Array<number>(49).fill(404)],
    )
  })
})
