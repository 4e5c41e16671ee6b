import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must, paperOf, SINGLE, TRUE } from '#testing/exams.ts'

type Given = { question_id: string; answer: unknown; at: number; is_flagged: boolean }

async function anOpenTest(count = 2) {
  const school = await aSchool({ questions: Array.from({ length: count }, () => TRUE) })
  const { items, attempt } = await paperOf(school.test_id, school.learner)
  const ids: string[] = items.map(({ id }: { id: string }) => id)
  const url = `/api/episodes/tests/${school.test_id}/draft`
  const put = (answers: object[], opened_at = attempt.opened_at) =>
    call('PUT', url, school.learner, { opened_at, answers })
  const kept = async () => {
    const { answers } = await must(200, 'GET', url, school.learner)
    return new Map(answers.map((given: Given) => [given.question_id, given.answer]))
  }
  const handIn = () =>
    must(201, 'POST', `/api/episodes/tests/${school.test_id}/attempt`, school.learner, { answers: [] })
  return { ...school, ids, url, put, kept, handIn }
}

describe('PUT /api/episodes/tests/:id/draft', () => {
  test('merges by question, and the later change of one wins', async () => {
    const { ids, put, kept } = await anOpenTest()
    const [one, two] = ids
    await put([{ question_id: one, answer: true, at: 2_000 }])
    const { body } = await put([{ question_id: two, answer: false, is_flagged: true, at: 1_000 }])
    assert.equal(body.answers.length, 2)
    await put([{ question_id: one, answer: false, at: 1_999 }])
    const now = await kept()
    assert.deepEqual([now.get(one ?? ''), now.get(two ?? '')], [true, false])
    await put([{ question_id: one, answer: null, at: 2_001 }])
    assert.equal((await kept()).get(one ?? ''), null)
  })

  test('loses no answer of fifty writers at once', async () => {
    const { ids, put, kept } = await anOpenTest(50)
    const replies = await Promise.all(ids.map((question_id, at) => put([{ question_id, answer: true, at }])))
    assert.ok(replies.every(({ status }) => status === 200))
    assert.equal((await kept()).size, 50)
  })

  test('takes a clock that runs ahead for now', async () => {
    const { ids, put, kept } = await anOpenTest()
    const ahead = { question_id: ids[0], answer: true, at: 9_007_199_254_740_991 }
    const { body } = await put([ahead])
    assert.ok(body.answers[0].at <= Date.now() + 60_000)
    await put([{ ...ahead, answer: false, at: Date.now() + 60_000 }])
    assert.equal((await kept()).get(ids[0] ?? ''), false)
  })

  test('leaves foreign questions out and refuses what is too large', async () => {
    const { ids, put, kept } = await anOpenTest()
    assert.equal((await put([{ question_id: newId(), answer: true, at: 1 }])).status, 200)
    assert.equal((await kept()).size, 0)
    const large = await put([{ question_id: ids[0], answer: 'x'.repeat(300_000), at: 1 }])
    assert.equal(large.status, 400)
    assert.match(large.body.detail, /at most 256 KiB/)
    assert.equal((await kept()).size, 0)
    assert.equal((await put([{ question_id: ids[0], answer: true, at: -1 }])).status, 422)
  })

  test('ends with the attempt, which a late tab cannot undo', async () => {
    const { ids, put, handIn, url, learner, test_id } = await anOpenTest()
    await put([{ question_id: ids[0], answer: true, at: 1 }])
    await handIn()
    const empty = { opened_at: null, answers: [] }
    assert.deepEqual(await must(200, 'GET', url, learner), empty)
    assert.equal((await put([{ question_id: ids[0], answer: true, at: 2 }])).status, 400)
    const { attempt } = await paperOf(test_id, learner)
    assert.equal((await put([{ question_id: ids[0], answer: true, at: 2 }])).status, 400)
    assert.deepEqual(await must(200, 'GET', url, learner), {
      opened_at: attempt.opened_at,
      answers: [],
    })
  })

  test('is seen by nobody else', async () => {
    const { ids, put, url, author, another } = await anOpenTest()
    await put([{ question_id: ids[0], answer: true, at: 1 }])
    for (const who of [author, await another()])
      assert.deepEqual((await must(200, 'GET', url, who)).answers, [])
  })
})

describe('PUT /api/episodes/homework/:id/draft', () => {
  async function homework() {
    const school = await aSchool({ questions: [SINGLE] })
    const { id } = await must(201, 'POST', `/api/episodes/${school.episode_id}/homework`, school.author, {
      title: 'Essay',
    })
    return { ...school, id: String(id), url: `/api/episodes/homework/${id}/draft` }
  }

  test('merges by field and vanishes when the work is handed in', async () => {
    const { id, url, learner, author } = await homework()
    const put = (body: object) => call('PUT', url, learner, { submissions: 0, ...body })
    await put({ text: { value: 'Newer', at: 20 } })
    await put({ text: { value: 'Older', at: 10 }, url: { value: 'https://example.org', at: 10 } })
    const draft = await must(200, 'GET', url, learner)
    assert.equal(draft.text.value, 'Newer')
    assert.equal(draft.url.value, 'https://example.org')
    assert.deepEqual(await must(200, 'GET', url, author), { submissions: 0 })
    await must(201, 'POST', `/api/episodes/homework/${id}/submit`, learner, { text: 'Done' })
    assert.deepEqual(await must(200, 'GET', url, learner), { submissions: 1 })
    const late = await put({ text: { value: 'Late', at: 30 } })
    assert.deepEqual([late.status, late.body.detail], [400, 'The work was handed in meanwhile'])
    const next = await put({ submissions: 1, text: { value: 'Second', at: 1 } })
    assert.equal(next.body.text.value, 'Second')
  })

  test('refuses a draft that is too long or malformed', async () => {
    const { url, learner } = await homework()
    for (const text of [{ value: 'x'.repeat(50_001), at: 1 }, { value: 'x' }, { at: 1 }, 'x'])
      assert.equal((await call('PUT', url, learner, { submissions: 0, text })).status, 422)
    assert.equal((await call('PUT', url, learner, {})).status, 422)
  })
})
