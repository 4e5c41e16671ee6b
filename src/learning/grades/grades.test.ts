import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { world } from '#testing/world.ts'
import { Grade } from './grade.ts'

const { learning } = await world()

type Who = { headers: Headers }
const admin = await anAdmin()
const author = await aColleague(admin)

const send = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  { headers }: Who,
  payload?: object,
) => {
  const reply = await learning.inject({ method, url, headers, ...(payload && { payload }) })
  return { code: reply.statusCode, ...reply.json() }
}
const made = async (url: string, who: Who, payload: object) => {
  const answer = await send('POST', url, who, payload)
  assert.equal(answer.code, 201, JSON.stringify(answer))
  return answer
}
async function aChannel(body: object = {}, titles = ['One']) {
  const episodes = titles.map((title) => ({ title }))
  const channel = await made('/api/channels', author, { title: 'Graded', episodes, ...body })
  return {
    id: String(channel.id),
    episode_ids: channel.episodes.map((episode: { id: string }) => episode.id),
  }
}
const anEpisode = async (body: object = {}) => {
  const { id, episode_ids } = await aChannel(body)
  return { channel_id: id, episode_id: String(episode_ids[0]) }
}
const homework = async (episode_id: string, body: object = {}) =>
  String((await made(`/api/episodes/${episode_id}/homework`, author, { title: 'Work', ...body })).id)
const submit = async (homework_id: string, who: Who) =>
  String((await made(`/api/episodes/homework/${homework_id}/submit`, who, { text: 'Here' })).id)
const mark = async (submission_id: string, body: object) => {
  const { code } = await send(
    'PUT',
    `/api/episodes/homework/submissions/${submission_id}/grade`,
    author,
    body,
  )
  assert.equal(code, 200)
}
/** A test with one question, whose options are worth these fractions of its points. */
async function aTest(episode_id: string, points: number, fractions: number[], body: object = {}) {
  const { id } = await made(`/api/episodes/${episode_id}/tests`, author, { title: 'Test', ...body })
  const options = [1, ...fractions].map((fraction, n) => ({
    text: `Option ${n}`,
    correct: n === 0,
    fraction,
  }))
  const question = await made(`/api/episodes/tests/${id}/questions`, author, {
    type: 'single_choice',
    prompt: 'Which?',
    points,
    options,
  })
  const answers = new Map<number, string>(
    question.options.map((option: { id: string; fraction: number }) => [option.fraction, option.id]),
  )
  return {
    test_id: String(id),
    take: (who: Who, fraction: number) =>
      made(`/api/episodes/tests/${id}/attempt`, who, {
        answers: [{ question_id: question.id, answer: answers.get(fraction) }],
      }),
  }
}
const grade = (who: Who, episode_id: string) => send('GET', `/api/grades/${episode_id}`, who)

describe('GET /api/grades/{episode_id}', () => {
  test('counts homework and tests by weights of their own', async () => {
    const learner = await aColleague(admin)
    const { episode_id } = await anEpisode()
    const essay = await homework(episode_id, { max_score: 50, weight: 30 })
    const { test_id, take } = await aTest(episode_id, 20, [0.5], { weight: 70 })
    await mark(await submit(essay, learner), { score: 50 })
    await take(learner, 0.5)
    const read = await grade(learner, episode_id)
    assert.deepEqual([read.percent, read.score, read.max_score], [65, 60, 70])
    const urls = [`/api/episodes/homework/${essay}`, `/api/episodes/tests/${test_id}`]
    for (const url of urls) {
      assert.equal((await send('PUT', url, author, { weight: 0.001 })).code, 422)
      assert.equal((await send('PUT', url, author, { weight: -1 })).code, 422)
      assert.equal((await send('PUT', url, author, { weight: null })).weight, null)
    }
    assert.equal((await grade(learner, episode_id)).percent, 85.71)
  })

  test("adds homework and tests by points, or by the channel's weights", async () => {
    const learner = await aColleague(admin)
    const { channel_id, episode_id } = await anEpisode({ passing_percent: 50.83 })
    const [graded, open] = [
      await homework(episode_id, { max_score: 50 }),
      await homework(episode_id, { max_score: 50 }),
    ]
    const { test_id, take } = await aTest(episode_id, 20, [0.8])
    const before = await grade(learner, episode_id)
    assert.deepEqual(
      [
        before.percent,
        before.final_percent,
        before.score,
        before.max_score,
        before.status,
        before.passed,
        before.updated_at,
      ],
      [null, 0, 0, 120, 'not_started', null, null],
    )
    await mark(await submit(graded, learner), { score: 45 })
    await take(learner, 0.8)
    const { code, ...shown } = await grade(learner, episode_id)
    assert.equal(code, 200)
    assertExactly(Grade, shown)
    const { updated_at, ...rest } = shown
    assert.equal(typeof updated_at, 'string')
    assert.deepEqual(rest, {
      episode_id,
      episode_title: 'One',
      channel_id,
      channel_title: 'Graded',
      percent: 87.14,
      final_percent: 50.83,
      score: 61,
      max_score: 120,
      passed: true,
      passing_percent: 50.83,
      status: 'passed',
      homework: {
        score: 45,
        max_score: 100,
        graded: 1,
        total: 2,
        items: [
          { homework_id: graded, title: 'Work', final_score: 45, max_score: 50, status: 'graded' },
          { homework_id: open, title: 'Work', final_score: null, max_score: 50, status: 'not_submitted' },
        ],
      },
      tests: {
        score: 16,
        max_score: 20,
        attempted: 1,
        total: 1,
        items: [{ test_id, title: 'Test', kept_percent: 80, max_score: 20, attempts: 1 }],
      },
    })
    await send('PUT', `/api/channels/${channel_id}`, author, { grade_weights: { homework: 60, tests: 40 } })
    const weighted = await grade(learner, episode_id)
    assert.deepEqual([weighted.percent, weighted.final_percent], [86, 59])
    const [enrolled] = (await send('GET', '/api/enrollments', learner)).items
    assert.deepEqual([enrolled.grade_percent, enrolled.final_percent], [86, 59])
  })

  test('keeps one attempt of several by the policy', async () => {
    for (const [score_policy, kept] of [
      ['best', 90],
      ['latest', 70],
      ['first', 60],
      ['average', 73.33],
    ] as const) {
      const learner = await aColleague(admin)
      const { episode_id } = await anEpisode()
      const { take } = await aTest(episode_id, 10, [0.6, 0.9, 0.7], { score_policy })
      for (const fraction of [0.6, 0.9, 0.7]) await take(learner, fraction)
      const { tests, percent, score } = await grade(learner, episode_id)
      assert.deepEqual(
        [tests.items[0].kept_percent, tests.items[0].attempts, percent],
        [kept, 3, kept],
        score_policy,
      )
      assert.equal(score, Math.round(kept * 10) / 100)
    }
  })

  test('subtracts the penalty for lateness until the deadline moves', async () => {
    const learner = await aColleague(admin)
    const { episode_id } = await anEpisode()
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    const late = await homework(episode_id, { late_policy: 'penalize', due_at: ago(25) })
    await mark(await submit(late, learner), { score: 80 })
    assert.equal((await grade(learner, episode_id)).percent, 64)
    await send('PUT', `/api/episodes/homework/${late}`, author, { due_at: ago(9 * 24 - 1) })
    assert.equal((await grade(learner, episode_id)).percent, 64)
    await send('PUT', `/api/episodes/homework/${late}`, author, { due_at: null })
    assert.equal((await grade(learner, episode_id)).percent, 80)
  })

  test('goes from not started through waiting to passed or failed', async () => {
    const learner = await aColleague(admin)
    const { episode_id } = await anEpisode()
    const status = async () => {
      const { status: word, passed } = await grade(learner, episode_id)
      return [word, passed]
    }
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const one = await homework(episode_id, { max_score: 10 })
    const two = await homework(episode_id, { max_score: 10, lock_at: soon })
    assert.deepEqual(await status(), ['not_started', null])
    const submission = await submit(one, learner)
    assert.deepEqual(await status(), ['pending_review', false])
    await mark(submission, { score: 5, status: 'returned' })
    assert.deepEqual(await status(), ['in_progress', false])
    assert.equal((await grade(learner, episode_id)).percent, null)
    await mark(submission, { score: 5 })
    assert.deepEqual(await status(), ['in_progress', false])
    await send('PUT', `/api/episodes/homework/${two}`, author, { lock_at: '2020-01-01T00:00:00Z' })
    assert.deepEqual(await status(), ['failed', false])
    await mark(submission, { score: 10 })
    assert.deepEqual(await status(), ['failed', false])
    await send('DELETE', `/api/episodes/homework/${two}`, author)
    assert.deepEqual(await status(), ['passed', true])
  })

  test('fails without attempts left, ignoring deleted and draft work', async () => {
    const learner = await aColleague(admin)
    const { episode_id } = await anEpisode()
    const { test_id, take } = await aTest(episode_id, 10, [0.5], { max_attempts: 1 })
    await take(learner, 0.5)
    const failed = await grade(learner, episode_id)
    assert.deepEqual([failed.status, failed.passed, failed.percent], ['failed', false, 50])
    await send('PUT', `/api/episodes/tests/${test_id}`, author, { status: 'draft' })
    const empty = await grade(learner, episode_id)
    assert.deepEqual(
      [empty.percent, empty.final_percent, empty.status, empty.tests.total],
      [null, null, 'not_started', 0],
    )
    await send('PUT', `/api/episodes/tests/${test_id}`, author, { status: 'published' })
    assert.equal((await grade(learner, episode_id)).percent, 50)
  })

  test('keeps the older grade until the new submission is graded', async () => {
    const learner = await aColleague(admin)
    const { episode_id } = await anEpisode()
    const work = await homework(episode_id, { max_score: 10 })
    await mark(await submit(work, learner), { score: 4 })
    const second = await submit(work, learner)
    const waiting = await grade(learner, episode_id)
    assert.deepEqual([waiting.percent, waiting.status], [40, 'pending_review'])
    await mark(second, { score: 9 })
    assert.equal((await grade(learner, episode_id)).percent, 90)
  })

  test('shows callers their own grade only, and 404 otherwise', async () => {
    const [learner, other] = [await aColleague(admin), await aColleague(admin)]
    const { channel_id, episode_id } = await anEpisode()
    const work = await homework(episode_id)
    await mark(await submit(work, learner), { score: 90 })
    for (const who of [other, author, admin]) assert.equal((await grade(who, episode_id)).percent, null)
    assert.equal((await grade(await anAdmin(), episode_id)).code, 404)
    assert.equal((await grade(learner, randomUUID())).code, 404)
    assert.equal((await grade(learner, 'no-uuid')).code, 404)
    assert.equal((await grade(await nobody(), episode_id)).code, 401)
    await send('DELETE', `/api/channels/${channel_id}`, admin)
    assert.equal((await grade(learner, episode_id)).code, 404)
  })
})

describe('GET /api/grades', () => {
  test('lists enrolled episodes with work, latest enrollment first', async () => {
    const [learner, other] = [await aColleague(admin), await aColleague(admin)]
    const first = await aChannel({ title: 'First' }, ['A', 'No work', 'B'])
    const second = await aChannel({ title: 'Second' }, ['C'])
    const unseen = await aChannel({ title: 'Not enrolled' }, ['D'])
    for (const id of [
      first.episode_ids[2],
      first.episode_ids[0],
      second.episode_ids[0],
      unseen.episode_ids[0],
    ])
      await homework(String(id))
    await homework(String(first.episode_ids[1]), { status: 'draft' })
    for (const { id } of [first, second]) await send('POST', '/api/enroll', learner, { channel_id: id })
    const titles = async (query = '') =>
      (await send('GET', `/api/grades${query}`, learner)).items.map((item: Grade) => item.episode_title)
    const { code, ...page } = await send('GET', '/api/grades', learner)
    assert.equal(code, 200)
    assertExactly(CursorPageOf(Grade), page)
    assert.deepEqual(await titles(), ['C', 'A', 'B'])
    assert.deepEqual(await titles('?per_page=1&page=2'), ['A'])
    assert.deepEqual(await titles(`?channel_id=${first.id}`), ['A', 'B'])
    assert.equal((await send('GET', '/api/grades?page=4&per_page=1', learner)).total, 3)
    assert.deepEqual((await send('GET', '/api/grades', other)).items, [])
    await send('PUT', `/api/channels/${second.id}`, author, { status: 'draft' })
    assert.deepEqual(await titles(), ['A', 'B'])
    await send('DELETE', `/api/channels/${first.id}`, admin)
    assert.deepEqual(await titles(), [])
    for (const query of ['?page=0', '?per_page=101', '?channel_id=x'])
      assert.equal((await send('GET', `/api/grades${query}`, learner)).code, 422)
    assert.equal((await send('GET', '/api/grades', await nobody())).code, 401)
  })
})
