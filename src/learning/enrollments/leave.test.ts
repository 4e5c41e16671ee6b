import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, paperOf, TRUE } from '#testing/exams.ts'
import { nobody } from '#testing/people.ts'

const statusOf = async (...request: Parameters<typeof call>) => (await call(...request)).status

describe('leaving a channel', () => {
  test('takes it from lists, grades and counts, and joining again brings all back', async () => {
    const { author, learner, channel_id, episode_id, test_id } = await aSchool({ questions: [TRUE] })
    await must(201, 'POST', '/api/enroll', learner, { channel_id })
    await must(201, 'POST', '/api/progress', learner, { episode_id, completed: true })
    const [question] = (await paperOf(test_id, learner)).items
    await must(201, 'POST', `/api/episodes/tests/${test_id}/attempt`, learner, {
      answers: [{ question_id: question.id, answer: true }],
    })
    await must(201, 'POST', `/api/episodes/${episode_id}/notes`, learner, { at_seconds: 1 })
    const enrolled = async () =>
      (await must(200, 'GET', `/api/channels/${channel_id}?include=stats`, author)).stats.enrolled
    const grades = async () => (await must(200, 'GET', '/api/grades', learner)).items
    const before = await grades()
    assert.deepEqual([await enrolled(), before.length], [1, 1])
    const url = `/api/enrollments/${channel_id}`
    assert.deepEqual(await must(200, 'DELETE', url, learner), { channel_id, left: true })
    assert.equal(await statusOf('DELETE', url, learner), 404)
    assert.deepEqual([await enrolled(), await grades()], [0, []])
    assert.equal((await must(200, 'GET', '/api/enrollments', learner)).total, 0)
    assert.equal((await must(200, 'GET', '/api/notes', learner)).total, 1)
    const again = await must(201, 'POST', '/api/enroll', learner, { channel_id })
    assert.deepEqual([again.status, again.progress_percent, again.grade_percent], ['completed', 100, 100])
    assert.ok(again.completed_at)
    assert.deepEqual([await enrolled(), await grades()], [1, before])
  })

  test('is for who is enrolled, also in a channel that became a draft', async () => {
    const { author, learner, admin, channel_id } = await aSchool()
    const url = `/api/enrollments/${channel_id}`
    assert.equal(await statusOf('DELETE', url, await nobody()), 401)
    for (const who of [author, admin, learner, (await aSchool()).admin])
      assert.equal(await statusOf('DELETE', url, who), 404)
    assert.equal(await statusOf('DELETE', '/api/enrollments/nonsense', learner), 404)
    await must(201, 'POST', '/api/enroll', learner, { channel_id })
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { status: 'draft' })
    await must(200, 'DELETE', url, learner)
  })

  test('a private channel shows it to who left no more', async () => {
    const { author, learner, channel_id } = await aSchool()
    await must(201, 'POST', '/api/enroll', learner, { channel_id })
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { visibility: 'private' })
    await must(200, 'GET', `/api/channels/${channel_id}`, learner)
    await must(200, 'DELETE', `/api/enrollments/${channel_id}`, learner)
    assert.equal(await statusOf('GET', `/api/channels/${channel_id}`, learner), 404)
    assert.equal(await statusOf('POST', '/api/enroll', learner, { channel_id }), 404)
  })

  test('happens once, whoever asks at the same time', async () => {
    const { author, learner, channel_id } = await aSchool()
    await must(201, 'POST', '/api/enroll', learner, { channel_id })
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => statusOf('DELETE', `/api/enrollments/${channel_id}`, learner)),
    )
    assert.equal(replies.filter((status) => status === 200).length, 1)
    const { stats } = await must(200, 'GET', `/api/channels/${channel_id}?include=stats`, author)
    assert.equal(stats.enrolled, 0)
  })
})
