import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, paperOf, TRUE } from '#testing/exams.ts'
import { world } from '#testing/world.ts'
import { tellOfTime } from '../notifications/sweep.ts'

const { db, learning } = await world()
const HOUR = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

/** A published channel with homework and a test that ended an hour ago, and two learners. */
async function anEnded({ late_policy = 'reject' } = {}) {
  const school = await aSchool({ channel: { status: 'published' }, questions: [TRUE] })
  const { author, learner, episode_id, channel_id, test_id } = school
  const other = await school.another()
  for (const who of [learner, other]) await must(201, 'POST', '/api/enroll', who, { channel_id })
  await must(200, 'PUT', `/api/episodes/tests/${test_id}`, author, {
    status: 'published',
    opens_at: inHours(-48),
    closes_at: inHours(-1),
  })
  const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
    title: 'Essay',
    status: 'published',
    max_score: 10,
    due_at: inHours(-1),
    lock_at: late_policy === 'reject' ? inHours(-1) : null,
    late_policy,
    late_penalty_percent_per_day: 10,
  })
  const homework_id = String(id)
  const own = (kind: 'homework' | 'tests') =>
    `/api/episodes/${kind}/${kind === 'homework' ? homework_id : test_id}/deadlines/${learner.user_id}`
  return { ...school, other, homework_id, own }
}
const submit = (homework_id: string) => `/api/episodes/homework/${homework_id}/submit`

describe('a deadline of one learner', () => {
  test('lets this learner hand in homework, in time, and nobody else', async () => {
    const { author, learner, other, episode_id, homework_id, own } = await anEnded()
    assert.equal((await call('POST', submit(homework_id), learner, { text: 'A' })).status, 400)
    const until = inHours(30)
    const set = await must(200, 'PUT', own('homework'), author, { until })
    assert.deepEqual(set, { work_id: homework_id, user_id: learner.user_id, until })
    const seen = async (who: typeof learner) =>
      (await must(200, 'GET', `/api/episodes/${episode_id}/homework`, who)).items[0]
    assert.deepEqual([(await seen(learner)).due_at, (await seen(learner)).is_extended], [until, true])
    assert.deepEqual([(await seen(other)).is_extended, (await seen(author)).is_extended], [false, false])
    const handed_in = await must(201, 'POST', submit(homework_id), learner, { text: 'A' })
    assert.equal(handed_in.is_late, false)
    assert.equal((await call('POST', submit(homework_id), other, { text: 'B' })).status, 400)
    const { items } = await must(200, 'GET', '/api/teaching/to-grade', author)
    assert.deepEqual(
      items.map(({ user_id, is_late }: { user_id: string; is_late: boolean }) => [user_id, is_late]),
      [[learner.user_id, false]],
    )
  })

  test('takes a late penalty back that was counted before', async () => {
    const { author, learner, homework_id, own } = await anEnded({ late_policy: 'penalize' })
    const { id } = await must(201, 'POST', submit(homework_id), learner, { text: 'Late' })
    const grade = `/api/episodes/homework/submissions/${id}/grade`
    assert.equal((await must(200, 'PUT', grade, author, { score: 10 })).final_score, 9)
    await must(200, 'PUT', own('homework'), author, { until: inHours(2) })
    const of = async () => (await must(200, 'GET', '/api/grades', learner)).items[0].percent
    assert.equal(await of(), 100)
    await must(200, 'DELETE', own('homework'), author)
    assert.equal(await of(), 90)
    assert.equal((await call('DELETE', own('homework'), author)).status, 404)
  })

  test('opens a test again for this learner only', async () => {
    const { author, learner, other, episode_id, test_id, own } = await anEnded()
    const attempt = `/api/episodes/tests/${test_id}/attempt`
    assert.equal((await call('POST', attempt, learner, { answers: [] })).status, 400)
    const until = inHours(3)
    await must(200, 'PUT', own('tests'), author, { until })
    const [mine] = (await must(200, 'GET', `/api/episodes/${episode_id}/tests`, learner)).items
    assert.deepEqual([mine.closes_at, mine.is_extended], [until, true])
    const { items } = await paperOf(test_id, learner)
    await must(201, 'POST', attempt, learner, { answers: [{ question_id: items[0].id, answer: true }] })
    assert.equal((await call('POST', attempt, other, { answers: [] })).status, 400)
  })

  test('stands in the list of due work, the calendar and the gradebook', async () => {
    const { author, learner, other, channel_id, homework_id, own } = await anEnded()
    const until = inHours(40)
    await must(200, 'PUT', own('homework'), author, { until })
    const due = async (who: typeof learner) =>
      (await must(200, 'GET', `/api/enrollments?channel_id=${channel_id}`, who)).items[0].due_soon
    assert.deepEqual([(await due(learner))[0]?.due_at, await due(other)], [until, []])
    const { url } = await must(201, 'POST', '/api/calendar', learner, { language: 'en' })
    const stamp = `${until.slice(0, 19).replaceAll(/[-:]/g, '')}Z`
    const { pathname } = new URL(String(url))
    assert.match((await learning.inject({ url: pathname })).body, new RegExp(stamp))
    const book = await must(200, 'GET', `/api/channels/${channel_id}/learners?include=work`, author)
    const result = (user_id: string) =>
      book.items
        .find((one: { user_id: string }) => one.user_id === user_id)
        .results.find(({ id }: { id: string }) => id === homework_id)
    assert.deepEqual([result(learner.user_id).extended_to, result(learner.user_id).is_over], [until, false])
    assert.deepEqual([result(other.user_id).extended_to, result(other.user_id).is_over], [null, true])
  })

  test('reminds this learner of their own deadline, also after a reminder of the other', async () => {
    const { author, learner, other, episode_id, homework_id, own } = await anEnded()
    const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
      title: 'Soon',
      status: 'published',
      due_at: inHours(5),
    })
    const path = `/api/episodes/homework/${id}/deadlines/${learner.user_id}`
    await must(200, 'PUT', path, author, { until: inHours(90) })
    const told = async (who: typeof learner) =>
      (await must(200, 'GET', '/api/notifications', who)).items
        .filter(({ kind }: { kind: string }) => kind === 'due')
        .map(({ target_id, due_at }: { target_id: string; due_at: string }) => [target_id, due_at])
    await tellOfTime(db)
    assert.deepEqual([(await told(learner)).length, (await told(other)).length], [0, 1])
    const until = inHours(20)
    await must(200, 'PUT', path, author, { until })
    await must(200, 'PUT', own('homework'), author, { until })
    await tellOfTime(db)
    assert.deepEqual(
      new Set(await told(learner)),
      new Set([
        [String(id), until],
        [homework_id, until],
      ]),
    )
    assert.equal((await told(other)).length, 1)
  })

  test('is refused to who may not, and where there is nothing to extend', async () => {
    const { author, learner, other, episode_id, own } = await anEnded()
    const until = inHours(2)
    const put = async (who: typeof learner, url: string, body: object = { until }) =>
      (await call('PUT', url, who, body)).status
    assert.deepEqual([await put(learner, own('homework')), await put(other, own('tests'))], [403, 403])
    assert.equal(await put(author, own('homework'), { until: inHours(-2) }), 422)
    const stranger = own('homework').replace(learner.user_id, crypto.randomUUID())
    assert.equal(await put(author, stranger), 404)
    const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
      title: 'Any time',
    })
    assert.equal(await put(author, `/api/episodes/homework/${id}/deadlines/${learner.user_id}`), 400)
  })
})
