import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, paperOf, SEVEN, SINGLE, TRUE, type Who } from '#testing/exams.ts'
import { anAdmin, aSite, aUser, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { buildWorld, world } from '#testing/world.ts'
import { StudentPage } from './page.ts'

const { db } = await world()

type Item = { id: string; text: string }
const questionsOf = (test_id: string) => `/api/episodes/tests/${test_id}/questions`
const standing = async (school: { episode_id: string }, who: Who) =>
  (await must(200, 'GET', `/api/episodes/${school.episode_id}/tests`, who)).items[0].my
const attemptsOf = (test_id: string) => db.pool<{ status: string; number: number; is_preview: boolean }[]>`
  select status, number, is_preview from learning.attempts where test_id = ${test_id} order by number`
/** Moves the attempts into the past, because the database's clock decides. */
const age = (test_id: string, seconds: number) => db.pool`
  update learning.attempts set opened_at = opened_at - make_interval(secs => ${seconds}),
         expires_at = expires_at - make_interval(secs => ${seconds}),
         submitted_at = submitted_at - make_interval(secs => ${seconds})
   where test_id = ${test_id}`
const textsOf = (items: Item[]) => items.map(({ text }) => text)

describe('GET /api/episodes/tests/{id}/questions of a learner', () => {
  test('shows the learner fields of each type and opens the attempt', async () => {
    const school = await aSchool({ questions: SEVEN })
    const reply = await call('GET', questionsOf(school.test_id), school.learner)
    assert.equal(reply.status, 200, reply.text)
    assertExactly(StudentPage, reply.body)
    const [single, multiple, truth, short, numeric, matching, ordering] = reply.body.items
    const common = ['id', 'test_id', 'type', 'prompt', 'points', 'position']
    assert.deepEqual(Object.keys(truth), common)
    assert.deepEqual(Object.keys(short), common)
    assert.deepEqual(Object.keys(single), [...common, 'options'])
    assert.deepEqual(Object.keys(multiple.options[0]), ['id', 'text'])
    assert.deepEqual([Object.keys(numeric), numeric.unit], [[...common, 'unit'], 'm/s²'])
    assert.deepEqual(Object.keys(matching), [...common, 'lefts', 'rights'])
    assert.deepEqual(textsOf(matching.lefts), ['one', 'two', 'three'])
    assert.deepEqual(textsOf(matching.rights).toSorted(), ['due', 'quattro', 'tre', 'uno'])
    assert.deepEqual(textsOf(ordering.items).toSorted(), ['first', 'fourth', 'second', 'third'])
    assert.notDeepEqual(textsOf(ordering.items), ['first', 'second', 'third', 'fourth'])
    assert.deepEqual([reply.body.attempt.number, reply.body.attempt.expires_at], [1, null])
    assert.deepEqual(
      [...(await attemptsOf(school.test_id))],
      [{ status: 'open', number: 1, is_preview: false }],
    )
    const my = await standing(school, school.learner)
    assert.deepEqual([my.attempts_used, my.open_attempt], [0, reply.body.attempt])
  })

  test('repeats its order per learner, and differs between learners', async () => {
    const questions = Array.from({ length: 30 }, (_, index) => ({ ...SINGLE, prompt: `p${index}` }))
    const { learner, another, test_id } = await aSchool({ questions, test: { shuffle_questions: true } })
    const first = await paperOf(test_id, learner)
    assert.deepEqual(await paperOf(test_id, learner), first)
    const [page1, page2] = await Promise.all(
      [1, 2].map((page) => must(200, 'GET', `${questionsOf(test_id)}?page=${page}`, learner)),
    )
    assert.deepEqual([...page1.items, ...page2.items], first.items)
    assert.deepEqual([page1.total, page1.pages], [30, 2])
    const other = await paperOf(test_id, await another())
    const prompts = ({ items }: { items: { prompt: string }[] }) => items.map(({ prompt }) => prompt)
    assert.notDeepEqual(prompts(other), prompts(first))
    assert.notDeepEqual(
      prompts(first),
      questions.map(({ prompt }) => prompt),
    )
    assert.deepEqual(prompts(other).toSorted(), prompts(first).toSorted())
  })

  test("keeps the author's order of options on request, never of items", async () => {
    const { learner, author, test_id } = await aSchool({ questions: SEVEN, test: { shuffle_options: false } })
    const [mine, written] = [(await paperOf(test_id, learner)).items, (await paperOf(test_id, author)).items]
    assert.deepEqual(textsOf(mine[0].options), textsOf(written[0].options))
    assert.notDeepEqual(textsOf(mine[6].items), textsOf(written[6].items))
  })

  test('shuffles options evenly, and ids reveal nothing', async () => {
    const { learner, author, test_id } = await aSchool({
      questions: Array.from({ length: 60 }, () => SINGLE),
    })
    const { items } = await paperOf(test_id, learner)
    const places = [0, 1, 2].map(
      (place) => new Set(items.map((item: { options: Item[] }) => item.options[place]?.text)),
    )
    for (const texts of places) assert.deepEqual(texts, new Set(['Bern', 'Paris', 'Rome']))
    const written = (await paperOf(test_id, author)).items as { options: Item[] }[]
    const sortedFirst = written.filter(
      ({ options }) => options.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0]?.text === 'Paris',
    )
    assert.ok(sortedFirst.length > 5 && sortedFirst.length < 40, `${sortedFirst.length} of 60`)
  })

  test('opens one attempt for 50 concurrent loads and enrolls once', async () => {
    const { learner, test_id, channel_id } = await aSchool({
      questions: [TRUE],
      test: { time_limit_seconds: 60 },
    })
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call('GET', questionsOf(test_id), learner)),
    )
    const attempts = replies.map(({ status, body }) => JSON.stringify([status, body.attempt]))
    assert.equal(new Set(attempts).size, 1)
    assert.equal((await attemptsOf(test_id)).length, 1)
    const enrolled = await db.pool`select source from learning.enrollments where channel_id = ${channel_id}`
    assert.deepEqual([...enrolled], [{ source: 'auto' }])
  })

  test('opens no attempt for HEAD and prefetch', async () => {
    const { learner, test_id } = await aSchool({ questions: [TRUE] })
    assert.equal((await call('HEAD', questionsOf(test_id), learner)).status, 200)
    const early = await call('GET', questionsOf(test_id), learner, undefined, {
      'sec-purpose': 'prefetch;prerender',
    })
    assert.deepEqual([early.status, early.body.items.length, early.body.attempt], [200, 1, null])
    assert.equal((await attemptsOf(test_id)).length, 0)
  })

  test('shows a prefetch no question of a timed test before its clock runs', async () => {
    const { learner, author, test_id } = await aSchool({
      questions: [TRUE],
      test: { time_limit_seconds: 600 },
    })
    const early = (who: Who) =>
      call('GET', questionsOf(test_id), who, undefined, { 'sec-purpose': 'prefetch' })
    const { status, body, text } = await early(learner)
    assert.deepEqual([status, body.items, body.attempt], [200, [], null])
    assert.ok(!text.includes(TRUE.prompt))
    assert.equal((await early(author)).body.items.length, 1)
    const { items, attempt } = await paperOf(test_id, learner)
    assert.deepEqual([items.length, attempt.number], [1, 1])
    assert.equal((await early(learner)).body.items.length, 1)
  })

  test('refuses missing tokens, other tenants and learners who cannot join', async () => {
    const school = await aSchool({ questions: [TRUE], channel: { enrollment: 'closed' } })
    await must(401, 'GET', questionsOf(school.test_id), await nobody())
    await must(404, 'GET', questionsOf(school.test_id), await anAdmin())
    await must(403, 'GET', questionsOf(school.test_id), school.learner)
    await must(200, 'PUT', `/api/channels/${school.channel_id}`, school.author, { enrollment: 'open' })
    await paperOf(school.test_id, school.learner)
    await must(200, 'PUT', `/api/channels/${school.channel_id}`, school.author, { enrollment: 'closed' })
    await paperOf(school.test_id, school.learner)
  })

  test('refuses before the opening, and only shows after the close', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    const { learner, author, test_id } = await aSchool({ questions: [TRUE], test: { opens_at: tomorrow } })
    assert.equal((await must(400, 'GET', questionsOf(test_id), learner)).detail, 'The test is not open yet')
    await paperOf(test_id, author, '&view=student')
    await must(200, 'PUT', `/api/episodes/tests/${test_id}`, author, {
      opens_at: null,
      closes_at: '2020-01-01T00:00:00Z',
    })
    const { items, attempt } = await paperOf(test_id, learner)
    assert.deepEqual([items.length, attempt], [1, null])
  })

  test('opens no attempt without questions or in an archived channel', async () => {
    const empty = await aSchool()
    assert.deepEqual(await paperOf(empty.test_id, empty.learner), { items: [], attempt: null })
    const { learner, author, channel_id, test_id } = await aSchool({ questions: [TRUE] })
    await must(200, 'GET', `${questionsOf(test_id)}?page=9`, learner)
    await db.pool`delete from learning.attempts where test_id = ${test_id}`
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { status: 'archived' })
    assert.equal((await paperOf(test_id, learner)).attempt, null)
  })
})

describe('an open attempt', () => {
  test('keeps its server clock through reloads', async () => {
    const school = await aSchool({ questions: [TRUE], test: { time_limit_seconds: 600, max_attempts: 2 } })
    const { attempt } = await paperOf(school.test_id, school.learner)
    assert.equal(Date.parse(attempt.expires_at) - Date.parse(attempt.opened_at), 600_000)
    await age(school.test_id, 300)
    const again = (await paperOf(school.test_id, school.learner)).attempt
    assert.equal(Date.parse(again.expires_at), Date.parse(attempt.expires_at) - 300_000)
    await must(200, 'PUT', `/api/episodes/tests/${school.test_id}`, school.author, { time_limit_seconds: 30 })
    assert.deepEqual((await paperOf(school.test_id, school.learner)).attempt, again)
    const my = await standing(school, school.learner)
    assert.deepEqual([my.attempts_used, my.attempts_left], [1, 1])
  })

  test('expires a minute after its time, and a load opens another', async () => {
    const school = await aSchool({ questions: SEVEN, test: { time_limit_seconds: 600, max_attempts: 2 } })
    const first = (await paperOf(school.test_id, school.learner)).attempt
    await age(school.test_id, 655)
    assert.equal((await paperOf(school.test_id, school.learner)).attempt.number, 1)
    await age(school.test_id, 10)
    const my = await standing(school, school.learner)
    const [expired] = my.history
    assert.deepEqual(
      [
        expired.status,
        expired.score,
        expired.max_score,
        expired.percent,
        my.kept_percent,
        my.passed,
        my.open_attempt,
      ],
      ['expired', 0, 14, 0, 0, false, null],
    )
    assert.equal(Date.parse(expired.submitted_at), Date.parse(first.expires_at) - 665_000)
    assert.equal((await paperOf(school.test_id, school.learner)).attempt.number, 2)
    await age(school.test_id, 700)
    assert.equal((await paperOf(school.test_id, school.learner)).attempt, null)
    assert.deepEqual(
      (await attemptsOf(school.test_id)).map(({ status }) => status),
      ['expired', 'open'],
    )
    const after = await standing(school, school.learner)
    assert.deepEqual([after.attempts_used, after.attempts_left, after.history.length], [2, 0, 2])
  })

  test('keeps its questions whatever changes, except deleted ones', async () => {
    const school = await aSchool({
      questions: [
        { ...TRUE, prompt: 'a' },
        { ...TRUE, prompt: 'b' },
      ],
    })
    const { learner, another, author, test_id } = school
    const { items } = await paperOf(test_id, learner)
    await must(200, 'PUT', `/api/episodes/questions/${items[0].id}`, author, { prompt: 'changed' })
    await must(201, 'POST', questionsOf(test_id), author, { ...TRUE, prompt: 'new' })
    const prompts = async (who: Who) =>
      (await paperOf(test_id, who)).items.map(({ prompt }: { prompt: string }) => prompt)
    assert.deepEqual(await prompts(learner), ['a', 'b'])
    assert.deepEqual(await prompts(await another()), ['changed', 'b', 'new'])
    await must(200, 'PUT', `/api/episodes/questions/${items[0].id}`, author, { correct: false })
    assert.deepEqual(await prompts(learner), ['changed', 'b'])
    await must(200, 'DELETE', `/api/episodes/questions/${items[1].id}`, author)
    assert.deepEqual(await prompts(learner), ['changed'])
  })

  test('respects the delay after the previous attempt', async () => {
    const school = await aSchool({ questions: [TRUE], test: { retry_delay_seconds: 3600 } })
    await paperOf(school.test_id, school.learner)
    await must(201, 'POST', `/api/episodes/tests/${school.test_id}/attempt`, school.learner, { answers: [] })
    assert.equal((await paperOf(school.test_id, school.learner)).attempt, null)
    const my = await standing(school, school.learner)
    assert.ok(Date.parse(my.next_attempt_at) - Date.now() > 3_500_000)
    await age(school.test_id, 3601)
    assert.equal((await paperOf(school.test_id, school.learner)).attempt.number, 2)
  })
})

describe('the views of questions', () => {
  test('gives an editor the author view, or a preview as learner', async () => {
    const { author, admin, test_id } = await aSchool({ questions: [SINGLE] })
    for (const who of [author, admin]) {
      const { items, attempt } = await paperOf(test_id, who)
      assert.deepEqual([items[0].options[0].correct, attempt], [true, null])
    }
    assert.equal((await attemptsOf(test_id)).length, 0)
    const { items, attempt } = await paperOf(test_id, author, '&view=student')
    assert.deepEqual([Object.keys(items[0].options[0]), attempt.number], [['id', 'text'], 1])
    assert.deepEqual([...(await attemptsOf(test_id))], [{ status: 'open', number: 1, is_preview: true }])
  })

  test("answers 403 to a learner's author view, 422 to unknown views", async () => {
    const { learner, test_id } = await aSchool({ questions: [SINGLE] })
    await must(403, 'GET', `${questionsOf(test_id)}?view=author`, learner)
    await must(422, 'GET', `${questionsOf(test_id)}?view=key`, learner)
    await must(200, 'GET', `${questionsOf(test_id)}?view=student`, learner)
  })

  test("under LEARNING_AUTHORING=any_user default to the learner's view, and attempts count", async () => {
    const lyceum = await buildWorld({ env: { LEARNING_AUTHORING: 'any_user' } })
    const site = await aSite({ lyceum })
    const [anna, ben] = [await aUser({ at: site, lyceum }), await aUser({ at: site, lyceum })]
    const send = async (method: 'GET' | 'POST', url: string, { headers }: Who, payload?: object) =>
      (await lyceum.learning.inject({ method, url, headers, ...(payload && { payload }) })).json()
    const channel = await send('POST', '/api/channels', anna, { title: 'C', episodes: [{ title: 'E' }] })
    const { id } = await send('POST', `/api/episodes/${channel.episodes[0].id}/tests`, ben, { title: 'T' })
    await send('POST', questionsOf(id), ben, SINGLE)
    const plain = await send('GET', questionsOf(id), ben)
    assert.deepEqual([Object.keys(plain.items[0].options[0]), plain.attempt.number], [['id', 'text'], 1])
    assert.equal((await send('GET', `${questionsOf(id)}?view=author`, ben)).items[0].options[0].correct, true)
    const [attempt] = await lyceum.db.pool`select is_preview from learning.attempts where test_id = ${id}`
    assert.deepEqual(attempt, { is_preview: false })
  })
})
