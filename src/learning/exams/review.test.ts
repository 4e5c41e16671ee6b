import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must, paperOf, type School, SEVEN, TRUE, type Who } from '#testing/exams.ts'
import { anAdmin } from '#testing/people.ts'

const attemptsOf = (school: School) => `/api/episodes/tests/${school.test_id}/attempts`
const reviewOf = (id: string) => `/api/episodes/tests/attempts/${id}`

/** Loads the paper and hands in what `answer` gives for each question. */
async function take(school: School, who: Who, answer: (question: { type: string }) => unknown) {
  const { items } = await paperOf(school.test_id, who, '&view=student')
  return must(201, 'POST', `/api/episodes/tests/${school.test_id}/attempt`, who, {
    answers: items.map((question: { id: string; type: string }) => ({
      question_id: question.id,
      answer: answer(question),
    })),
  })
}
const aQuiz = (settings: object = {}, questions: object[] = [{ ...TRUE, explanation: 'Because.' }]) =>
  aSchool({ test: { show_explanations: true, show_right_answers: true, ...settings }, questions })
const wrong = () => false

describe('GET /api/episodes/tests/attempts/:id', () => {
  test('shows the paper, the answers and the verdict again', async () => {
    const school = await aQuiz({ max_attempts: 1 })
    const { id } = await take(school, school.learner, wrong)
    const review = await must(200, 'GET', reviewOf(id), school.learner)
    assert.deepEqual([review.number, review.percent, review.passed, review.may_reset], [1, 0, false, false])
    const [question] = review.questions
    assert.equal(question.prompt, TRUE.prompt)
    assert.equal(question.answer, false)
    assert.equal(question.verdict.outcome, 'incorrect')
    assert.equal(question.verdict.explanation, 'Because.')
    assert.deepEqual(question.right_answer, { correct: true })
  })

  test('keeps the order of the paper and shows every kind of right answer', async () => {
    const school = await aQuiz(
      { max_attempts: 1, shuffle_questions: true, feedback_policy: 'per_question' },
      [...SEVEN],
    )
    const { items } = await paperOf(school.test_id, school.learner)
    const { id } = await must(201, 'POST', `/api/episodes/tests/${school.test_id}/attempt`, school.learner, {
      answers: [],
    })
    const { questions } = await must(200, 'GET', reviewOf(id), school.learner)
    const shape = (list: { id: string; options?: { id: string }[] }[]) =>
      list.map((one) => [one.id, one.options?.map((option) => option.id)])
    assert.deepEqual(shape(questions), shape(items))
    const answerTo = (type: string) =>
      questions.find((question: { type: string }) => question.type === type).right_answer
    assert.equal(answerTo('single_choice').option_ids.length, 1)
    assert.equal(answerTo('multiple_choice').option_ids.length, 2)
    assert.deepEqual(answerTo('short_answer'), { texts: ['Goethe'] })
    assert.deepEqual(answerTo('numeric'), { texts: ['9.81'] })
    assert.equal(answerTo('matching').pairs.length, 3)
    assert.equal(answerTo('ordering').item_ids.length, 4)
  })

  for (const [settings, told] of [
    [{ feedback_policy: 'score', max_attempts: 1 }, [false, false, false]],
    [{ feedback_policy: 'after_final' }, [false, false, false]],
    [{ feedback_policy: 'per_question' }, [true, false, false]],
    [{ feedback_policy: 'after_final', max_attempts: 1, show_right_answers: false }, [true, true, false]],
    [{ feedback_policy: 'per_question', max_attempts: 1, show_explanations: false }, [true, false, true]],
  ] as const)
    test(`tells no more than ${JSON.stringify(settings)} allows`, async () => {
      const school = await aQuiz(settings)
      const { id } = await take(school, school.learner, wrong)
      const { text, body } = await call('GET', reviewOf(id), school.learner)
      const [{ verdict, right_answer }] = body.questions
      assert.deepEqual(
        [verdict !== null, verdict?.explanation !== undefined, right_answer !== undefined],
        told,
      )
      if (!told[1]) assert.ok(!text.includes('Because.'))
      const [forTeacher] = (await must(200, 'GET', reviewOf(id), school.author)).questions
      assert.deepEqual(forTeacher.right_answer, { correct: true })
      assert.equal(forTeacher.verdict.explanation, 'Because.')
    })

  test('keeps the right answers back from a pass that could still be better', async () => {
    const school = await aQuiz({ passing_percent: 0 })
    const { id } = await take(school, school.learner, wrong)
    const [{ verdict, right_answer }] = (await must(200, 'GET', reviewOf(id), school.learner)).questions
    assert.deepEqual([verdict.outcome, right_answer], ['incorrect', undefined])
    const best = await take(school, school.learner, () => true)
    const [full] = (await must(200, 'GET', reviewOf(best.id), school.learner)).questions
    assert.deepEqual(full.right_answer, { correct: true })
  })

  test('tells nothing while the last timed attempt is running', async () => {
    const school = await aQuiz({
      feedback_policy: 'after_final',
      max_attempts: 2,
      time_limit_seconds: 600,
    })
    const { id, client_id = 'first' } = await take(school, school.learner, wrong)
    await paperOf(school.test_id, school.learner)
    const { text, body } = await call('GET', reviewOf(id), school.learner)
    assert.equal(body.questions[0].verdict, null)
    assert.ok(!text.includes('Because.') && !text.includes('right_answer'))
    assert.equal(client_id, 'first')
  })

  test('is 404 for open, foreign and unknown attempts', async () => {
    const school = await aQuiz()
    const [other, stranger] = [await school.another(), await anAdmin()]
    const { id } = await take(school, school.learner, wrong)
    for (const who of [other, stranger])
      for (const method of ['GET', 'DELETE'] as const)
        assert.equal((await call(method, reviewOf(id), who)).status, 404)
    assert.equal((await call('GET', reviewOf(newId()), school.author)).status, 404)
    assert.equal((await call('GET', reviewOf('x'), school.author)).status, 404)
    await paperOf(school.test_id, other)
    const { attempts } = await must(
      200,
      'GET',
      `${attemptsOf(school)}?user_id=${other.user_id}`,
      school.author,
    )
    assert.equal(attempts[0].status, 'open')
    assert.equal((await call('GET', reviewOf(attempts[0].id), other)).status, 404)
  })
})

describe('GET /api/episodes/tests/:id/attempts', () => {
  test("shows editors a learner's attempts, and learners only their own", async () => {
    const school = await aQuiz()
    const other = await school.another()
    await take(school, school.learner, wrong)
    await take(school, school.learner, () => true)
    const mine = await must(200, 'GET', attemptsOf(school), school.learner)
    assert.deepEqual(
      mine.attempts.map(({ number, percent }: { number: number; percent: number }) => [number, percent]),
      [
        [2, 100],
        [1, 0],
      ],
    )
    const theirs = `${attemptsOf(school)}?user_id=${school.learner.user_id}`
    const seen = await must(200, 'GET', theirs, school.author)
    assert.deepEqual(seen.attempts, mine.attempts)
    assert.equal(seen.user_email, mine.user_email)
    assert.equal((await call('GET', theirs, other)).status, 403)
    assert.deepEqual((await must(200, 'GET', attemptsOf(school), other)).attempts, [])
    const older = await must(200, 'GET', `${attemptsOf(school)}?before=2`, school.learner)
    assert.deepEqual([older.attempts.length, older.attempt_total], [1, 2])
    assert.equal((await call('GET', `${attemptsOf(school)}?before=0`, school.learner)).status, 422)
  })
})

describe('DELETE /api/episodes/tests/attempts/:id', () => {
  test('takes one attempt back, with its score, once', async () => {
    const school = await aQuiz({ max_attempts: 1 })
    const { id } = await take(school, school.learner, () => true)
    const gradeOf = async () => must(200, 'GET', `/api/grades/${school.episode_id}`, school.learner)
    assert.equal((await gradeOf()).percent, 100)
    assert.equal((await call('DELETE', reviewOf(id), school.learner)).status, 403)
    await must(204, 'DELETE', reviewOf(id), school.author)
    assert.equal((await call('DELETE', reviewOf(id), school.author)).status, 404)
    assert.equal((await gradeOf()).percent, null)
    assert.equal((await call('GET', reviewOf(id), school.learner)).status, 404)
    assert.equal((await take(school, school.learner, wrong)).percent, 0)
  })

  test('leaves one row of the learner whatever happens at once', async () => {
    const school = await aQuiz({ max_attempts: 1 })
    const { id } = await take(school, school.learner, wrong)
    const { items } = await must(
      200,
      'GET',
      `/api/episodes/tests/${school.test_id}/questions?view=student`,
      school.learner,
    )
    const body = { answers: [{ question_id: items[0].id, answer: true }] }
    const [resets, sent] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => call('DELETE', reviewOf(id), school.author))),
      Promise.all(
        Array.from({ length: 30 }, () =>
          call('POST', `/api/episodes/tests/${school.test_id}/attempt`, school.learner, body),
        ),
      ),
    ])
    assert.equal(resets.filter(({ status }) => status === 204).length, 1)
    assert.ok(sent.every(({ status }) => status === 201 || status === 400))
    assert.ok(sent.filter(({ status }) => status === 201).length <= 1)
  })
})

describe('PUT /api/episodes/tests/:id/extra-attempts', () => {
  test('gives one learner more attempts, and the grade is open again', async () => {
    const school = await aQuiz({ max_attempts: 1 })
    const other = await school.another()
    const url = `/api/episodes/tests/${school.test_id}/extra-attempts`
    const grant = { user_id: school.learner.user_id, extra_attempts: 1 }
    assert.equal((await call('PUT', url, school.author, grant)).status, 404, 'not enrolled yet')
    await take(school, school.learner, wrong)
    await take(school, other, wrong)
    const grade = () => must(200, 'GET', `/api/grades/${school.episode_id}`, school.learner)
    assert.equal((await grade()).status, 'failed')
    assert.equal((await call('PUT', url, school.learner, grant)).status, 403)
    assert.equal((await call('PUT', url, school.author, { ...grant, extra_attempts: 101 })).status, 422)
    for (let again = 0; again < 2; again++)
      assert.deepEqual(await must(200, 'PUT', url, school.author, grant), grant)
    assert.equal((await grade()).status, 'in_progress')
    const my = async (who: Who) =>
      (await must(200, 'GET', `/api/episodes/${school.episode_id}/tests`, who)).items[0]
    assert.equal((await my(school.learner)).my.attempts_left, 1)
    assert.equal((await my(school.learner)).max_attempts, 1)
    assert.equal((await my(other)).my.attempts_left, 0)
    assert.equal((await take(school, school.learner, () => true)).attempts_left, 0)
    const third = { answers: [] }
    const attempt = `/api/episodes/tests/${school.test_id}/attempt`
    assert.equal((await call('POST', attempt, school.learner, third)).status, 400)
  })
})
