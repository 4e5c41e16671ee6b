import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, must, paperOf, TRUE } from '#testing/exams.ts'
import { aColleague, anAdmin, aUser, type Headers, nobody, type Person } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { Attempt } from './attempts.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
type Question = { id: string; options: { id: string; text: string }[] }
const call = (method: 'POST' | 'PUT' | 'DELETE', url: string, { headers }: Who, payload?: object) =>
  learning.inject({ method, url, headers, ...(payload && { payload }) })
const made = async (url: string, who: Who, payload: object) => {
  const reply = await call('POST', url, who, payload)
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}

const CHOICE = {
  type: 'single_choice',
  prompt: 'Which is even?',
  explanation: 'Two is even.',
  options: [
    { text: '2', correct: true, feedback: 'Well seen' },
    { text: '3', feedback: 'Three is odd' },
  ],
}
const TRUTH = { type: 'true_false', prompt: 'Is 4 even?', correct: true, points: 3 }

/** A published channel of a new author, with one test. */
async function aTest(fields: object = {}, questions: object[] = [TRUTH], channel: object = {}) {
  const author = await aUser()
  const made_channel = await made('/api/channels', author, {
    title: 'C',
    episodes: [{ title: 'One' }],
    ...channel,
  })
  const [episode] = made_channel.episodes
  const { id } = await made(`/api/episodes/${episode.id}/tests`, author, { title: 'T', ...fields })
  const items: Question[] =
    questions.length === 0
      ? []
      : (await made(`/api/episodes/tests/${id}/questions`, author, { questions })).items
  return {
    author,
    id: id as string,
    episode_id: episode.id as string,
    channel_id: made_channel.id as string,
    items,
  }
}

const attempt = (id: string, who: Who, answers: object[] = [], rest: object = {}) =>
  call('POST', `/api/episodes/tests/${id}/attempt`, who, { answers, ...rest })
const load = async (id: string, { headers }: Who) =>
  (await learning.inject({ url: `/api/episodes/tests/${id}/questions?view=student`, headers })).json()
const truth = (items: { id: string }[], answer: unknown = true, at = 0) => [
  { question_id: items[at]?.id, answer },
]
const detail = (reply: { json(): { detail: string } }) => reply.json().detail
const countOf = async (id: string, { user_id }: Person) =>
  (
    await db.pool<{ n: number }[]>`
      select count(*)::int as n from learning.attempts where test_id = ${id} and user_id = ${user_id}`
  )[0]?.n
/** Moves the opening and expiry of the attempts this many seconds into the past. */
const moveBack = (id: string, seconds: number) => db.pool`
  update learning.attempts set opened_at = opened_at - make_interval(secs => ${seconds}),
         expires_at = expires_at - make_interval(secs => ${seconds}) where test_id = ${id}`

describe('POST /api/episodes/tests/{id}/attempt', () => {
  test('grades and keeps an attempt, and enrolls its learner', async () => {
    const policy = { feedback_policy: 'after_final', show_explanations: false }
    const { id, items, channel_id } = await aTest({ ...policy, max_attempts: 3, passing_percent: 70 }, [
      TRUTH,
      CHOICE,
    ])
    const anna = await aUser()
    const reply = await attempt(id, anna, truth(items))
    assert.equal(reply.statusCode, 201, reply.body)
    const first = reply.json()
    assertExactly(Attempt, first)
    const { id: attempt_id, started_at, submitted_at, created_at, updated_at, ...rest } = first
    assert.ok(attempt_id)
    assert.deepEqual([started_at, created_at, updated_at], [submitted_at, submitted_at, submitted_at])
    assert.deepEqual(rest, {
      test_id: id,
      number: 1,
      status: 'graded',
      time_spent_seconds: 0,
      score: 3,
      max_score: 4,
      percent: 75,
      passed: true,
      kept: { score: 3, percent: 75, policy: 'best' },
      attempts_left: 2,
      ignored_question_ids: [],
      regraded: false,
      per_question: [
        { question_id: items[0]?.id, points_awarded: 3, points: 3, outcome: 'correct' },
        { question_id: items[1]?.id, points_awarded: 0, points: 1, outcome: 'unanswered' },
      ],
    })
    const enrolled = await db.pool`
      select source from learning.enrollments where channel_id = ${channel_id} and user_id = ${anna.user_id}`
    assert.deepEqual([...enrolled], [{ source: 'auto' }])
  })

  test('counts the kept score over all attempts', async () => {
    const { id, items, author } = await aTest({ score_policy: 'average' }, [TRUTH, CHOICE])
    const anna = await aUser()
    const right = items[1]?.options.find(({ text }) => text === '2')?.id
    const percents = []
    for (const answers of [truth(items), [...truth(items), { question_id: items[1]?.id, answer: right }], []])
      percents.push((await attempt(id, anna, answers)).json().kept.percent)
    assert.deepEqual(percents, [75, 87.5, 58.33])
    await call('PUT', `/api/episodes/tests/${id}`, author, { score_policy: 'latest' })
    assert.deepEqual((await attempt(id, anna, truth(items))).json().kept, {
      score: 3,
      percent: 75,
      policy: 'latest',
    })
  })

  test('refuses a missing token and a malformed body', async () => {
    const { id, items } = await aTest()
    const anna = await aUser()
    assert.equal((await attempt(id, await nobody())).statusCode, 401)
    const question_id = items[0]?.id
    for (const body of [
      {},
      { answers: null },
      { answers: {} },
      { answers: [{}] },
      { answers: [{ question_id: 'x' }] },
      { answers: Array.from({ length: 501 }, () => ({ question_id })) },
      { answers: [], client_id: '' },
      { answers: [], client_id: 'x'.repeat(256) },
      { answers: [], client_id: 5 },
    ])
      assert.equal(
        (await call('POST', `/api/episodes/tests/${id}/attempt`, anna, body)).statusCode,
        422,
        JSON.stringify(body).slice(0, 60),
      )
    const header = { headers: { ...anna.headers, 'idempotency-key': 'x'.repeat(256) } }
    assert.equal((await attempt(id, header, [])).statusCode, 422)
    assert.equal(await countOf(id, anna), 0)
  })

  test('answers invisible tests like an unknown id', async () => {
    const stranger = await anAdmin()
    const anna = await aUser()
    const unknown = (await attempt(newId(), anna)).json()
    const { id } = await aTest()
    assert.equal((await attempt(id, stranger)).statusCode, 404)
    const draft = await aTest({ status: 'draft' })
    const hidden = await aTest({}, [TRUTH], { status: 'draft' })
    const gone = await aTest()
    await call('DELETE', `/api/episodes/tests/${gone.id}`, gone.author)
    for (const closed of [draft, hidden, gone, { id: 'no-id' }]) {
      const reply = await attempt(closed.id, anna)
      assert.deepEqual([reply.statusCode, reply.json()], [404, unknown])
    }
    assert.equal((await attempt(gone.id, gone.author)).statusCode, 404)
    assert.equal((await attempt(draft.id, draft.author)).statusCode, 201)
  })

  test('answers 403 to people who cannot join, and in locked episodes', async () => {
    const anna = await aUser()
    const closed = await aTest({}, [TRUTH], { enrollment: 'closed' })
    assert.equal((await attempt(closed.id, anna)).statusCode, 403)
    const { author, channel_id, id } = await aTest({}, [TRUTH], { sequential: true })
    const [episode] = (
      await learning.inject({ url: `/api/channels/${channel_id}`, headers: author.headers })
    ).json().episodes
    await call('PUT', `/api/channels/${channel_id}`, author, {
      episodes: [{ title: 'Before' }, { id: episode.id }],
    })
    const locked = await attempt(id, anna)
    assert.deepEqual(
      [locked.statusCode, detail(locked)],
      [403, 'Episode is locked until "Before" is completed'],
    )
    assert.equal(await countOf(id, anna), 0)
  })

  test('answers 400 in archived channels, outside its dates, without questions', async () => {
    const anna = await aUser()
    const [ago, ahead] = [-3_600_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const archived = await aTest()
    await attempt(archived.id, anna)
    await call('PUT', `/api/channels/${archived.channel_id}`, archived.author, { status: 'archived' })
    for (const [id, sentence] of [
      [archived.id, 'The channel is archived'],
      [(await aTest({ opens_at: ahead })).id, 'The test is not open yet'],
      [(await aTest({ closes_at: ago })).id, 'The test is closed'],
      [(await aTest({}, [])).id, 'The test has no questions'],
    ] as const) {
      const reply = await attempt(id, anna)
      assert.deepEqual([reply.statusCode, detail(reply)], [400, sentence])
    }
  })

  test('answers 422 to malformed or repeated answers and stores nothing', async () => {
    const { id, items } = await aTest({}, [TRUTH, CHOICE])
    const anna = await aUser()
    for (const answers of [truth(items, 'true'), truth(items, 1, 1), [...truth(items), ...truth(items)]])
      assert.equal((await attempt(id, anna, answers)).statusCode, 422)
    assert.match(
      detail(await attempt(id, anna, truth(items, 'true'))),
      /^answers\[0\]\.answer: must be true or false$/,
    )
    assert.equal(await countOf(id, anna), 0)
  })

  test('refuses a question of another test with 400', async () => {
    const { id } = await aTest()
    const other = await aTest()
    const anna = await aUser()
    for (const question_id of [other.items[0]?.id, newId()])
      assert.equal((await attempt(id, anna, [{ question_id, answer: true }])).statusCode, 400)
    assert.equal(await countOf(id, anna), 0)
  })

  test('skips questions added or deleted since loading, and names them', async () => {
    const { id, items, author } = await aTest({}, [TRUTH, CHOICE])
    const anna = await aUser()
    await load(id, anna)
    const added = await made(`/api/episodes/tests/${id}/questions`, author, TRUTH)
    await call('DELETE', `/api/episodes/questions/${items[1]?.id}`, author)
    const answers = [...truth(items), ...truth(items, 'gone', 1), { question_id: added.id, answer: true }]
    const reply = await attempt(id, anna, answers)
    assert.equal(reply.statusCode, 201, reply.body)
    const { ignored_question_ids, score, max_score } = reply.json()
    assert.deepEqual([ignored_question_ids, score, max_score], [[items[1]?.id, added.id], 3, 3])
  })

  test('grades by the version at opening unless a change regrades', async () => {
    const { id, items, author } = await aTest()
    const [anna, ben] = [await aUser(), await aUser()]
    await load(id, anna)
    await call('PUT', `/api/episodes/questions/${items[0]?.id}`, author, { correct: false, regrade: 'none' })
    assert.equal((await attempt(id, anna, truth(items))).json().score, 3)
    assert.equal((await attempt(id, ben, truth(items))).json().score, 0)
    await load(id, anna)
    await call('PUT', `/api/episodes/questions/${items[0]?.id}`, author, { correct: true })
    assert.equal((await attempt(id, anna, truth(items))).json().score, 3)
  })
})

test('the last key grades every attempt under concurrent regrades', async () => {
  const { id, items, author } = await aTest()
  const people = await Promise.all(Array.from({ length: 5 }, () => aUser()))
  const submit = async (person: Person) => {
    for (let round = 0; round < 8; round++)
      assert.equal((await attempt(id, person, truth(items))).statusCode, 201)
  }
  const change = async () => {
    for (let round = 0; round < 9; round++) {
      const reply = await call('PUT', `/api/episodes/questions/${items[0]?.id}`, author, {
        correct: round % 2 === 1,
      })
      assert.equal(reply.statusCode, 200, reply.body)
    }
  }
  await Promise.all([...people.map(submit), change()])
  const scores = await db.pool`
    select score::float8, count(*)::int as n from learning.attempts where test_id = ${id} group by score`
  assert.deepEqual([...scores], [{ score: 0, n: 40 }])
})

describe('the number of attempts', () => {
  test('is exactly the limit of three for 50 at once', async () => {
    const { id, items } = await aTest({ max_attempts: 3 })
    const anna = await aUser()
    const replies = await Promise.all(Array.from({ length: 50 }, () => attempt(id, anna, truth(items))))
    const taken = replies.filter(({ statusCode }) => statusCode === 201)
    assert.deepEqual(
      taken.map((reply) => reply.json().number as number).toSorted((a, b) => a - b),
      [1, 2, 3],
    )
    assert.deepEqual(
      taken.map((reply) => reply.json().attempts_left as number).toSorted((a, b) => a - b),
      [0, 1, 2],
    )
    const refused = replies.filter(({ statusCode }) => statusCode !== 201)
    assert.deepEqual(
      new Set(refused.map((reply) => `${reply.statusCode} ${detail(reply)}`)),
      new Set(['400 No attempts left']),
    )
    assert.equal(await countOf(id, anna), 3)
  })

  test('is two for each of ten learners with five at once', async () => {
    const { id, items } = await aTest({ max_attempts: 2 })
    const people = await Promise.all(Array.from({ length: 10 }, () => aUser()))
    const replies = await Promise.all(
      people.flatMap((person) => Array.from({ length: 5 }, () => attempt(id, person, truth(items)))),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 20)
    for (const person of people) assert.equal(await countOf(id, person), 2)
  })

  test('is one for 50 concurrent requests with one client_id', async () => {
    const { id, items } = await aTest({ max_attempts: 1 })
    const anna = await aUser()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => attempt(id, anna, truth(items), { client_id: 'one' })),
    )
    const statuses = replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [...Array<number>(49).fill(200), 201])
    assert.equal(new Set(replies.map(({ body }) => body)).size, 1)
    assert.equal(await countOf(id, anna), 1)
  })

  test('allows a replay, whatever has ended since', async () => {
    const { id, items, author, channel_id } = await aTest({ max_attempts: 1 })
    const anna = await aUser()
    const keyed = { headers: { ...anna.headers, 'idempotency-key': 'key' } }
    const first = await attempt(id, keyed, truth(items))
    assert.equal(first.statusCode, 201)
    assert.equal((await attempt(id, anna, truth(items))).statusCode, 400)
    await call('PUT', `/api/episodes/tests/${id}`, author, {
      closes_at: new Date(Date.now() - 1000).toISOString(),
    })
    await call('PUT', `/api/channels/${channel_id}`, author, { status: 'archived' })
    const replay = await attempt(id, anna, [], { client_id: 'key' })
    assert.deepEqual([replay.statusCode, replay.json().id, replay.json().score], [200, first.json().id, 3])
    const ben = await aUser()
    assert.equal((await attempt(id, ben, [], { client_id: 'key' })).statusCode, 404)
  })

  test('respects the retry delay after a submission', async () => {
    const { id, items } = await aTest({ retry_delay_seconds: 100 })
    const anna = await aUser()
    assert.equal((await attempt(id, anna, truth(items))).statusCode, 201)
    const early = await attempt(id, anna, truth(items))
    assert.equal(early.statusCode, 400)
    assert.match(detail(early), /^The next attempt is possible from 20/)
    await db.pool`update learning.attempts set submitted_at = submitted_at - interval '100 seconds' where test_id = ${id}`
    assert.equal((await attempt(id, anna, truth(items))).statusCode, 201)
  })
})

describe('the time limit', () => {
  test('needs the questions loaded first, except in a preview', async () => {
    const { id, items, author } = await aTest({ time_limit_seconds: 60 })
    const anna = await aUser()
    const early = await attempt(id, anna, truth(items))
    assert.deepEqual([early.statusCode, detail(early)], [400, 'Load the questions first'])
    await load(id, anna)
    assert.equal((await attempt(id, anna, truth(items))).statusCode, 201)
    assert.equal((await attempt(id, anna, truth(items))).statusCode, 400)
    assert.equal((await attempt(id, author, truth(items))).statusCode, 201)
  })

  test('allows 60 s of grace and reports the time spent', async () => {
    const { id, items } = await aTest({ time_limit_seconds: 60, max_attempts: 2 })
    const anna = await aUser()
    await load(id, anna)
    await moveBack(id, 118)
    const { status, score, time_spent_seconds, number } = (await attempt(id, anna, truth(items))).json()
    assert.deepEqual([status, score, number], ['graded', 3, 1])
    assert.ok(time_spent_seconds >= 118 && time_spent_seconds < 130)
  })

  test('expires a late attempt: 201, no points, attempt spent', async () => {
    const { id, items } = await aTest({
      time_limit_seconds: 60,
      max_attempts: 1,
      feedback_policy: 'per_question',
    })
    const anna = await aUser()
    await load(id, anna)
    await moveBack(id, 122)
    const reply = await attempt(id, anna, truth(items), { client_id: 'late' })
    assert.equal(reply.statusCode, 201, reply.body)
    const { status, score, max_score, percent, passed, attempts_left, kept } = reply.json()
    assert.deepEqual(
      [status, score, max_score, percent, passed, attempts_left, kept.percent],
      ['expired', 0, 3, 0, false, 0, 0],
    )
    const replay = await attempt(id, anna, truth(items), { client_id: 'late' })
    assert.deepEqual([replay.statusCode, replay.json().id], [200, reply.json().id])
    assert.equal(detail(await attempt(id, anna, truth(items))), 'No attempts left')
  })

  test('spends an attempt without submission', async () => {
    const { id, items } = await aTest({ time_limit_seconds: 60, max_attempts: 1 })
    const anna = await aUser()
    await load(id, anna)
    await moveBack(id, 122)
    assert.equal((await load(id, anna)).attempt, null)
    assert.equal((await attempt(id, anna, truth(items))).json().status, 'expired')
    assert.equal(await countOf(id, anna), 1)
  })

  test('ends with the test, with the same grace', async () => {
    const closes_at = new Date(Date.now() + 30_000).toISOString()
    const { id, items, author } = await aTest({ time_limit_seconds: 3_600, closes_at })
    const anna = await aUser()
    const { expires_at } = (await load(id, anna)).attempt
    assert.equal(expires_at, closes_at)
    await call('PUT', `/api/episodes/tests/${id}`, author, {
      closes_at: new Date(Date.now() - 10_000).toISOString(),
    })
    assert.equal((await attempt(id, anna, truth(items))).json().status, 'graded')
    assert.equal(detail(await attempt(id, anna, truth(items))), 'The test is closed')
  })

  test('creates one attempt for 50 concurrent submissions', async () => {
    const { id, items } = await aTest({ time_limit_seconds: 60, max_attempts: 1 })
    const anna = await aUser()
    await load(id, anna)
    const replies = await Promise.all(Array.from({ length: 50 }, () => attempt(id, anna, truth(items))))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.equal(await countOf(id, anna), 1)
  })
})

describe('what a learner reads of an attempt', () => {
  const wrong = (items: Question[]) => items[0]?.options.find(({ text }) => text === '3')?.id
  const send = async (fields: object) => {
    const { id, items } = await aTest(fields, [CHOICE])
    const anna = await aUser()
    const take = async (answer = wrong(items)) =>
      (await attempt(id, anna, [{ question_id: items[0]?.id, answer }])).json()
    return { take, items }
  }

  test('shows no question results under feedback_policy score', async () => {
    const { take } = await send({ feedback_policy: 'score', max_attempts: 1, show_explanations: true })
    assert.equal((await take()).per_question, null)
  })

  test('shows nothing before it is final under after_final', async () => {
    const policy = { feedback_policy: 'after_final', show_explanations: false }
    const { take, items } = await send({ ...policy, max_attempts: 2 })
    assert.equal((await take()).per_question, null)
    assert.deepEqual((await take()).per_question, [
      { question_id: items[0]?.id, points_awarded: 0, points: 1, outcome: 'incorrect' },
    ])
  })

  test('shows outcomes at once under per_question, explanations once final', async () => {
    const { take, items } = await send({
      feedback_policy: 'per_question',
      max_attempts: 2,
      show_explanations: true,
    })
    const outcome = { question_id: items[0]?.id, points_awarded: 0, points: 1, outcome: 'incorrect' }
    const first = await take()
    assert.deepEqual(first.per_question, [outcome])
    const last = await take()
    assert.deepEqual(last.per_question, [
      { ...outcome, feedback: 'Three is odd', explanation: 'Two is even.' },
    ])
    assert.ok(!JSON.stringify([first, last]).includes('Well seen'))
  })

  test('tells right away by default what was right, and explains once passed', async () => {
    const { take, items } = await send({})
    const [first] = (await take()).per_question
    assert.deepEqual([first.outcome, first.explanation], ['incorrect', undefined])
    const right = items[0]?.options.find(({ text }) => text === '2')?.id
    const [question] = (await take(right)).per_question
    assert.deepEqual([question.outcome, question.explanation], ['correct', 'Two is even.'])
  })

  test('shows only the feedback to the given answer of true or false', async () => {
    const said = { feedback_if_true: 'Ice floats', feedback_if_false: 'Try it in a glass' }
    const school = await aSchool({
      test: { max_attempts: 1, show_explanations: true },
      questions: [{ ...TRUE, ...said, explanation: 'See Archimedes' }],
    })
    const { items } = await paperOf(school.test_id, school.learner)
    assert.ok(!JSON.stringify(items).includes('Ice floats'))
    const answers = [{ question_id: items[0].id, answer: false }]
    const url = `/api/episodes/tests/${school.test_id}/attempt`
    const { per_question } = await must(201, 'POST', url, school.learner, { answers })
    assert.equal(per_question[0].feedback, said.feedback_if_false)
    assert.equal(per_question[0].explanation, 'See Archimedes')
    const read = (await paperOf(school.test_id, school.author)).items[0]
    assert.equal(read.feedback_if_true, said.feedback_if_true)
    await must(200, 'PUT', `/api/episodes/questions/${read.id}`, school.author, { feedback_if_true: null })
    const [changed] = (await paperOf(school.test_id, school.author)).items
    assert.deepEqual(
      [changed.feedback_if_true, changed.feedback_if_false],
      [undefined, said.feedback_if_false],
    )
  })

  test('is final once passed', async () => {
    const { take, items } = await send({ feedback_policy: 'after_final', show_explanations: true })
    assert.equal((await take()).per_question, null)
    const right = items[0]?.options.find(({ text }) => text === '2')?.id
    const [question] = (await take(right)).per_question
    assert.deepEqual([question.outcome, question.feedback], ['correct', 'Well seen'])
  })

  test('contains no field of the answer key, errors included', async () => {
    const canary = 'CANARY'
    const questions = [
      {
        ...CHOICE,
        explanation: canary,
        options: [
          { text: 'a', correct: true, feedback: canary },
          { text: 'b', feedback: canary },
        ],
      },
      { type: 'short_answer', prompt: 'p', accepted: [{ text: canary }], explanation: canary },
      { type: 'numeric', prompt: 'p', accepted: [{ value: '987654.321' }] },
      {
        type: 'matching',
        prompt: 'p',
        pairs: [
          { left: 'l', right: canary },
          { left: 'm', right: 'r' },
        ],
        distractors: [canary + canary],
      },
      { type: 'ordering', prompt: 'p', items: [canary, 'second'] },
    ]
    for (const feedback_policy of ['score', 'after_final', 'per_question']) {
      const { id, items } = await aTest(
        { feedback_policy, show_explanations: false, max_attempts: 2 },
        questions,
      )
      const anna = await aUser()
      const bodies: string[] = []
      const answers = items.map((item, at) => ({
        question_id: item.id,
        answer: ['x', 'y', 1, {}, ['z']][at],
      }))
      const bad = items.map((item) => ({ question_id: item.id, answer: 5 }))
      for (const sent of [
        bad,
        answers,
        [...answers, ...answers],
        [{ question_id: newId() }],
        answers,
        answers,
      ])
        bodies.push((await attempt(id, anna, sent)).body)
      assert.ok(bodies.length === 6 && bodies.some((body) => body.includes('"graded"')))
      assert.ok(!/CANARY|987654|"correct":|accepted|fraction/.test(bodies.join().replaceAll('"correct"', '')))
    }
  })
})

test('an editor may take their own test as a preview', async () => {
  const admin = await anAdmin()
  const channel = await made('/api/channels', admin, { title: 'C', episodes: [{ title: 'One' }] })
  const { id } = await made(`/api/episodes/${channel.episodes[0].id}/tests`, admin, {
    title: 'T',
    opens_at: '2999-01-01T00:00:00Z',
  })
  const question = await made(`/api/episodes/tests/${id}/questions`, admin, TRUTH)
  assert.equal((await attempt(id, admin, truth([question]))).statusCode, 201)
  assert.equal((await attempt(id, await aColleague(admin), truth([question]))).statusCode, 400)
  const rows = await db.pool`select is_preview from learning.attempts where test_id = ${id}`
  assert.deepEqual([...rows], [{ is_preview: true }])
})
