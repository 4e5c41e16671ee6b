import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { aSchool, call, must, paperOf, SINGLE, TRUE, type Who } from '#testing/exams.ts'
import { world } from '#testing/world.ts'

const { db, startLearningJobs } = await world()

type Option = { id: string; text: string; correct?: boolean }
type Question = { id: string; prompt: string; options: Option[] }
const one = (question_id: string) => `/api/episodes/questions/${question_id}`
const idOf = (question: Question, text: string) =>
  question.options.find((option) => option.text === text)?.id ?? ''
const answer = (test_id: string, who: Who, answers: Record<string, unknown>) =>
  call('POST', `/api/episodes/tests/${test_id}/attempt`, who, {
    answers: Object.entries(answers).map(([question_id, given]) => ({ question_id, answer: given })),
  })
const historyOf = async ({ episode_id }: { episode_id: string }, who: Who) => {
  const { my } = (await must(200, 'GET', `/api/episodes/${episode_id}/tests`, who)).items[0]
  return my.history.map(({ score, max_score }: { score: number; max_score: number }) => [score, max_score])
}
const right = (question: Question, text: string) => ({
  options: question.options.map((option) => ({ ...option, correct: option.text === text })),
})

/** Two questions of 2 and 1 points. One learner answers Paris and true, the other Rome and true. */
async function anExam(test: object = {}) {
  const school = await aSchool({ test, questions: [{ ...SINGLE, points: 2 }, TRUE] })
  const other = await school.another()
  const [single, truth] = (await paperOf(school.test_id, school.author)).items as [Question, Question]
  const [paris, rome] = [idOf(single, 'Paris'), idOf(single, 'Rome')]
  await answer(school.test_id, school.learner, { [single.id]: paris, [truth.id]: true })
  await answer(school.test_id, other, { [single.id]: rome, [truth.id]: true })
  const scores = async () => [
    ...(await historyOf(school, school.learner)),
    ...(await historyOf(school, other)),
  ]
  assert.deepEqual(await scores(), [
    [3, 3],
    [1, 3],
  ])
  return { ...school, other, single, truth, paris, rome, scores }
}

describe('a change of the key', () => {
  test('regrades earlier answers as sent and keeps their old scores', async () => {
    const { author, single, scores, test_id } = await anExam()
    const changed = await must(200, 'PUT', one(single.id), author, right(single, 'Rome'))
    assert.deepEqual(changed.regrade, { mode: 'recalculate', attempts: 2, done: true })
    assert.deepEqual(await scores(), [
      [1, 3],
      [3, 3],
    ])
    await must(200, 'PUT', one(single.id), author, { ...right(single, 'Rome'), points: 4 })
    assert.deepEqual(await scores(), [
      [1, 5],
      [5, 5],
    ])
    const kept = await db.pool`
      select score::float8, score_before_regrade::float8, regraded_at is not null as is_regraded
        from learning.attempts where test_id = ${test_id} order by id`
    assert.deepEqual(
      [...kept],
      [
        { score: 1, score_before_regrade: 3, is_regraded: true },
        { score: 5, score_before_regrade: 1, is_regraded: true },
      ],
    )
    const versions = await db.pool`
      select version, regrade from learning.question_versions where question_id = ${single.id} order by version`
    assert.deepEqual(
      [...versions],
      [
        { version: 1, regrade: 'none' },
        { version: 2, regrade: 'recalculate' },
        { version: 3, regrade: 'recalculate' },
      ],
    )
  })

  test('regrades by default exactly when the key changed', async () => {
    const { author, single, truth, paris, rome } = await anExam()
    const [first, second, third] = single.options
    const mode = async (payload: object, question = single) =>
      (await must(200, 'PUT', one(question.id), author, payload)).regrade.mode
    assert.equal(await mode({ prompt: 'New', explanation: 'New' }), 'none')
    assert.equal(await mode({ options: [{ ...first, text: 'PARIS', feedback: 'f' }, third, second] }), 'none')
    assert.equal(await mode({ options: [...single.options, { text: 'Oslo' }] }), 'none')
    assert.equal(await mode({ position: 2 }), 'none')
    assert.equal(await mode({ options: [{ ...first, fraction: 1 }, second, third] }), 'recalculate')
    assert.equal(await mode({ options: [first, second, third] }), 'recalculate')
    assert.equal(await mode({ options: [first, second] }), 'recalculate')
    assert.equal(await mode({ scoring: 'all_or_nothing' }), 'recalculate')
    assert.equal(await mode({ points: 3 }), 'recalculate')
    assert.equal(await mode({ points: 3 }), 'none')
    assert.equal(await mode({ correct: false }, truth), 'recalculate')
    assert.ok(paris && rome)
  })

  test('counts a deleted option as not chosen', async () => {
    const { author, single, scores } = await anExam()
    const [first, , third] = single.options
    const changed = await must(200, 'PUT', one(single.id), author, {
      options: [first, third, { text: 'Oslo' }],
    })
    assert.equal(changed.regrade.mode, 'recalculate')
    assert.deepEqual(await scores(), [
      [3, 3],
      [1, 3],
    ])
  })

  test('full_credit gives earlier attempts the points, later use the key', async () => {
    const { author, single, truth, rome, scores, other, test_id } = await anExam()
    const changed = await must(200, 'PUT', one(single.id), author, { regrade: 'full_credit' })
    assert.deepEqual(
      [changed.version, changed.regrade],
      [2, { mode: 'full_credit', attempts: 2, done: true }],
    )
    assert.deepEqual(await scores(), [
      [3, 3],
      [3, 3],
    ])
    await answer(test_id, other, { [single.id]: rome, [truth.id]: true })
    await must(200, 'PUT', one(truth.id), author, { correct: false })
    assert.deepEqual(await scores(), [
      [2, 3],
      [0, 3],
      [2, 3],
    ])
  })

  test('none keeps every earlier score, also after other regrades', async () => {
    const { author, single, truth, scores } = await anExam()
    const kept = await must(200, 'PUT', one(single.id), author, {
      ...right(single, 'Rome'),
      points: 5,
      regrade: 'none',
    })
    assert.deepEqual(kept.regrade, { mode: 'none', attempts: 0, done: true })
    assert.deepEqual(await scores(), [
      [3, 3],
      [1, 3],
    ])
    await must(200, 'PUT', one(truth.id), author, { correct: false })
    assert.deepEqual(await scores(), [
      [2, 3],
      [0, 3],
    ])
    await must(200, 'PUT', one(single.id), author, { regrade: 'recalculate' })
    assert.deepEqual(await scores(), [
      [0, 6],
      [5, 6],
    ])
  })

  test('grades an open attempt by its own key unless regraded', async () => {
    const { author, learner, single, truth, paris, scores, other, rome, test_id } = await anExam()
    for (const who of [learner, other]) await paperOf(test_id, who)
    await must(200, 'PUT', one(single.id), author, { ...right(single, 'Bern'), regrade: 'none' })
    await answer(test_id, learner, { [single.id]: paris, [truth.id]: true })
    await must(200, 'PUT', one(truth.id), author, { correct: false })
    await answer(test_id, other, { [single.id]: rome, [truth.id]: false })
    assert.deepEqual(await scores(), [
      [2, 3],
      [2, 3],
      [1, 3],
      [0, 3],
    ])
  })

  test('deleting a question removes it from every score and maximum', async () => {
    const { author, single, truth, scores, other, episode_id } = await anExam()
    await must(200, 'DELETE', one(single.id), author)
    assert.deepEqual(await scores(), [
      [1, 1],
      [1, 1],
    ])
    const [exam] = (await must(200, 'GET', `/api/episodes/${episode_id}/tests`, other)).items
    assert.deepEqual([exam.question_count, exam.max_score, exam.my.kept_percent], [1, 1, 100])
    await must(200, 'DELETE', one(truth.id), author)
    assert.deepEqual(await scores(), [
      [0, 0],
      [0, 0],
    ])
    const [empty] = (await must(200, 'GET', `/api/episodes/${episode_id}/tests`, other)).items
    assert.deepEqual([empty.my.kept_percent, empty.my.history[0].percent], [null, null])
  })

  test('misses no submission while the key changes concurrently', async () => {
    const school = await aSchool({ questions: [TRUE] })
    const [question] = (await paperOf(school.test_id, school.author)).items as [Question]
    const learners = await Promise.all(Array.from({ length: 20 }, () => school.another()))
    const [first, ...replies] = await Promise.all([
      must(200, 'PUT', one(question.id), school.author, { correct: false }),
      ...learners.map((learner) => answer(school.test_id, learner, { [question.id]: true })),
    ])
    assert.equal(first.regrade.done, true)
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [201])
    const scores =
      await db.pool`select distinct score::float8 from learning.attempts where test_id = ${school.test_id}`
    assert.deepEqual([...scores], [{ score: 0 }])
  })

  test('regrades more than a thousand attempts after the answer', async () => {
    const { author, single, paris, test_id } = await anExam()
    await db.pool`
      insert into learning.attempts (tenant_id, id, test_id, user_id, number, status, is_preview, submitted_at,
        key_version, graded_version, answers, score, max_score)
      select tenant_id, gen_random_uuid(), test_id, 'learner ' || n, 1, 'graded', false, submitted_at, key_version,
             graded_version, ${db.pool.json({ [single.id]: paris })}, 2, 3
        from learning.attempts, generate_series(1, 500) as n where test_id = ${test_id}
      on conflict do nothing`
    const more = await db.pool`
      insert into learning.attempts (tenant_id, id, test_id, user_id, number, status, is_preview, submitted_at,
        key_version, graded_version, answers, score, max_score)
      select distinct on (n) tenant_id, gen_random_uuid(), test_id, 'more ' || n, 1, 'graded', false, submitted_at,
             key_version, graded_version, ${db.pool.json({ [single.id]: paris })}, 2, 3
        from learning.attempts, generate_series(1, 600) as n where test_id = ${test_id}`
    assert.equal(more.count, 600)
    const changed = await must(200, 'PUT', one(single.id), author, right(single, 'Rome'))
    assert.deepEqual(changed.regrade, { mode: 'recalculate', attempts: 1102, done: false })
    startLearningJobs()
    const left = async () =>
      (await db.pool`select from learning.attempts where test_id = ${test_id} and regraded_at is null`).length
    await eventually(async () => (await left()) === 0)
    const after = await db.pool`
      select score::float8, score_before_regrade::float8 as was, count(*)::int as n from learning.attempts
       where test_id = ${test_id} group by 1, 2 order by n desc`
    assert.deepEqual(
      [...after],
      [
        { score: 0, was: 2, n: 1100 },
        { score: 1, was: 3, n: 1 },
        { score: 3, was: 1, n: 1 },
      ],
    )
  })
})
