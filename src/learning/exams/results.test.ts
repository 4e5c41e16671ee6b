import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, must, paperOf, SINGLE, TRUE, type Who } from '#testing/exams.ts'
import type { Person } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { Test } from './exam.ts'

type Question = { id: string; options: { id: string; text: string }[] }

async function aClass(test: object) {
  const school = await aSchool({ test, questions: [SINGLE, TRUE] })
  const [single, truth] = (await paperOf(school.test_id, school.author)).items as [Question, Question]
  const city = (text: string) => single.options.find((option) => option.text === text)?.id
  const answer = (who: Who, said: string, truly: boolean) =>
    must(201, 'POST', `/api/episodes/tests/${school.test_id}/attempt`, who, {
      answers: [
        { question_id: single.id, answer: city(said) },
        { question_id: truth.id, answer: truly },
      ],
    })
  const read = async (who: Who, query = '') =>
    (
      await must(
        200,
        'GET',
        `/api/episodes/${school.episode_id}/tests?test_id=${school.test_id}${query}`,
        who,
      )
    ).items[0]
  return { ...school, single, truth, answer, read }
}

describe('results of a test', () => {
  test('list each learner once, latest first, without previews', async () => {
    const { author, learner, another, answer, read } = await aClass({
      score_policy: 'best',
      passing_percent: 60,
    })
    const [anna, ben] = [await another(), await another()]
    await answer(anna, 'Paris', true)
    await answer(anna, 'Rome', false)
    await answer(ben, 'Rome', false)
    await answer(learner, 'Paris', false)
    await answer(author, 'Rome', false)
    const exam = await read(author)
    assertExactly(Test, exam)
    const { questions: _, ...stats } = exam.stats
    assert.deepEqual(stats, {
      attempt_count: 4,
      learner_count: 3,
      mean_percent: 50,
      pass_rate: 0.3333,
      histogram: [1, 0, 0, 0, 0, 1, 0, 0, 0, 1],
    })
    const rows = exam.results.map(
      ({ last_submitted_at: _time, ...row }: { last_submitted_at: string }) => row,
    )
    const row = ({ user_id, email }: Person, attempts: number, kept_percent: number, passed: boolean) => ({
      user_id,
      user_email: email,
      display_name: null,
      attempts,
      kept_percent,
      passed,
    })
    assert.deepEqual(rows, [row(learner, 1, 50, false), row(ben, 1, 0, false), row(anna, 2, 100, true)])
    assert.deepEqual([exam.result_total, exam.result_page], [3, 1])
    assert.deepEqual((await read(author, '&result_page=2')).results, [])
    assert.equal((await read(learner)).results, undefined)
  })

  test('follow the scoring policy that the learner sees', async () => {
    for (const [score_policy, percent] of [
      ['best', 100],
      ['latest', 50],
      ['first', 0],
      ['average', 50],
    ] as const) {
      const { author, learner, answer, read } = await aClass({ score_policy })
      await answer(learner, 'Rome', false)
      await answer(learner, 'Paris', true)
      await answer(learner, 'Rome', true)
      assert.equal((await read(author)).results[0].kept_percent, percent, score_policy)
      const { my } = await read(learner)
      assert.deepEqual([my.kept_percent, my.kept_score, my.attempts_used], [percent, percent / 50, 3])
      assert.deepEqual(
        my.history.map(({ number }: { number: number }) => number),
        [3, 2, 1],
      )
    }
  })

  test('show difficulty, discrimination and first choices of each question', async () => {
    const { author, another, answer, read, single, truth } = await aClass({})
    const people = await Promise.all(Array.from({ length: 4 }, () => another()))
    const said = [
      ['Paris', true],
      ['Paris', true],
      ['Rome', true],
      ['Bern', false],
    ] as const
    for (const [index, [city, truly]] of said.entries()) await answer(people[index] as Person, city, truly)
    await answer(people[3] as Person, 'Paris', true)
    const { questions } = (await read(author)).stats
    const shares = (options: { id: string; share: number }[]) =>
      options.map(({ id, share }) => [single.options.find((option) => option.id === id)?.text, share])
    assert.deepEqual(shares(questions[0].options), [
      ['Paris', 0.5],
      ['Rome', 0.25],
      ['Bern', 0.25],
    ])
    const [, , ...rest] = questions
    assert.deepEqual(rest, [])
    assert.deepEqual(
      questions.map(({ question_id, n, difficulty, discrimination }: Record<string, unknown>) => [
        question_id,
        n,
        difficulty,
        discrimination,
      ]),
      [
        [single.id, 4, 0.5, 0.5774],
        [truth.id, 4, 0.75, 0.5774],
      ],
    )
  })
})
