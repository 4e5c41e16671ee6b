import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { ReceivedSubmission, Submission } from './submission.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
const call = (method: 'POST' | 'PUT', url: string, { headers }: Who, payload: object) =>
  learning.inject({ method, url, headers, payload })
const submit = async (id: string, who: Who, payload: object = { text: 'Mine' }) => {
  const reply = await call('POST', `/api/episodes/homework/${id}/submit`, who, payload)
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().id as string
}
const grade = (id: string, who: Who, payload: object) =>
  call('PUT', `/api/episodes/homework/submissions/${id}/grade`, who, payload)

async function aSchool(homework: object = {}) {
  const admin = await anAdmin()
  const [author, learner] = await Promise.all([aColleague(admin), aColleague(admin)])
  const channel = { title: 'C', episodes: [{ title: 'One' }] }
  const { id: channel_id, episodes } = (await call('POST', '/api/channels', author, channel)).json()
  const episode_id = episodes[0].id as string
  const made = await call('POST', `/api/episodes/${episode_id}/homework`, author, {
    title: 'Essay',
    ...homework,
  })
  assert.equal(made.statusCode, 201, made.body)
  const { id, rubric } = made.json()
  return {
    admin,
    author,
    learner,
    channel_id,
    episode_id,
    id,
    rubric,
    submission_id: await submit(id, learner),
  }
}
const mine = async (school: { episode_id: string }, { headers }: Who) =>
  (await learning.inject({ url: `/api/episodes/${school.episode_id}/homework`, headers })).json().items[0]
const replaced = async (submission_id: string) => [
  ...(await db.pool<
    { number: number; status: string; score: number; graded_by: string; replaced_by: string }[]
  >`
  select number, status, score::float8, graded_by, replaced_by from learning.replaced_grades
   where submission_id = ${submission_id} order by number`),
]

describe('PUT /api/episodes/homework/submissions/{id}/grade', () => {
  test('grades with feedback and rubric, visible to the learner', async () => {
    const school = await aSchool({ rubric: [{ criterion: 'Style', max_points: 5 }] })
    const rubric_id = school.rubric[0].id as string
    const reply = await grade(school.submission_id, school.author, {
      score: 77.25,
      feedback: '**Good**',
      rubric_scores: [{ rubric_id: rubric_id.toUpperCase(), points: 4.5 }],
    })
    assert.equal(reply.statusCode, 200, reply.body)
    const graded = reply.json()
    assertExactly(ReceivedSubmission, graded)
    assert.deepEqual(
      [graded.status, graded.score, graded.final_score, graded.feedback, graded.graded_by, graded.user_email],
      ['graded', 77.25, 77.25, '**Good**', school.author.user_id, school.learner.email],
    )
    assert.deepEqual(graded.rubric_scores, [{ rubric_id, points: 4.5, comment: '' }])
    assert.equal(graded.grade_matches_current_submission, true)
    const { my_submission, my_history } = await mine(school, school.learner)
    assertExactly(Submission, my_submission)
    assert.deepEqual(
      [my_submission.score, my_submission.feedback, my_submission.status],
      [77.25, '**Good**', 'graded'],
    )
    assert.deepEqual([my_history[0].final_score, my_history[0].status], [77.25, 'graded'])
    assert.deepEqual(await replaced(school.submission_id), [])
  })

  test('keeps the history of regrades and fields not sent', async () => {
    const school = await aSchool()
    await grade(school.submission_id, school.author, { score: 50, feedback: 'Half' })
    const again = await grade(school.submission_id, school.admin, { score: 60 })
    assert.deepEqual(
      [again.json().score, again.json().feedback, again.json().graded_by],
      [60, 'Half', school.admin.user_id],
    )
    const back = await grade(school.submission_id, school.author, { status: 'returned', feedback: null })
    assert.deepEqual(
      [back.json().status, back.json().score, back.json().final_score, back.json().feedback],
      ['returned', 60, null, ''],
    )
    const [author, admin] = [school.author.user_id, school.admin.user_id]
    assert.deepEqual(await replaced(school.submission_id), [
      { number: 1, status: 'graded', score: 50, graded_by: author, replaced_by: admin },
      { number: 2, status: 'graded', score: 60, graded_by: admin, replaced_by: author },
    ])
  })

  test('serializes 50 graders and keeps every grade', async () => {
    const school = await aSchool()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, score) => grade(school.submission_id, school.author, { score })),
    )
    assert.ok(replies.every(({ statusCode }) => statusCode === 200))
    const history = await replaced(school.submission_id)
    const { my_submission } = await mine(school, school.learner)
    assert.deepEqual(
      history.map(({ number }) => number),
      Array.from({ length: 49 }, (_, index) => index + 1),
    )
    const scores = [...history.map(({ score }) => score), my_submission.score as number]
    assert.deepEqual(
      scores.toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, score) => score),
    )
  })

  test('shows the last grade on a newer submission until graded', async () => {
    const school = await aSchool()
    await grade(school.submission_id, school.author, { score: 80, feedback: 'First' })
    const second = await submit(school.id, school.learner, { text: 'Better' })
    const waiting = (await mine(school, school.learner)).my_submission
    assert.deepEqual(
      [
        waiting.id,
        waiting.status,
        waiting.score,
        waiting.final_score,
        waiting.feedback,
        waiting.grade_matches_current_submission,
      ],
      [second, 'submitted', 80, 80, 'First', false],
    )
    const returned = (await grade(second, school.author, { status: 'returned', feedback: 'Revise' })).json()
    assert.deepEqual(
      [returned.score, returned.final_score, returned.feedback, returned.grade_matches_current_submission],
      [null, null, 'Revise', true],
    )
    const third = await submit(school.id, school.learner, { text: 'Best' })
    const graded = (await grade(third, school.author, { score: 90 })).json()
    assert.deepEqual([graded.score, graded.grade_matches_current_submission], [90, true])
    const { my_submission, my_history } = await mine(school, school.learner)
    assert.deepEqual([my_submission.final_score, my_submission.grade_matches_current_submission], [90, true])
    assert.deepEqual(
      my_history.map((past: { status: string; final_score: number | null }) => [
        past.status,
        past.final_score,
      ]),
      [
        ['graded', 90],
        ['returned', null],
        ['graded', 80],
      ],
    )
  })

  test('caps a grade at a maximum lowered later', async () => {
    const school = await aSchool()
    await grade(school.submission_id, school.author, { score: 80 })
    await call('PUT', `/api/episodes/homework/${school.id}`, school.author, { max_score: 50 })
    const { my_submission } = await mine(school, school.learner)
    assert.deepEqual([my_submission.score, my_submission.final_score], [80, 50])
  })

  for (const [what, payload, status] of [
    ['no score', {}, 422],
    ['null for a score', { score: null }, 422],
    ['a negative score', { score: -1 }, 422],
    ['a score with three decimals', { score: 1.005 }, 422],
    ['a text for a score', { score: '5' }, 422],
    ['a status of its own', { score: 5, status: 'submitted' }, 422],
    ['a score above the maximum', { score: 100.01 }, 400],
    [
      'a criterion the rubric does not have',
      { score: 5, rubric_scores: [{ rubric_id: newId(), points: 1 }] },
      400,
    ],
    ['feedback of 10,001 characters', { score: 5, feedback: 'x'.repeat(10_001) }, 422],
  ] as const)
    test(`refuses ${what} with ${status}, and the work stays ungraded`, async () => {
      const school = await aSchool()
      const reply = await grade(school.submission_id, school.author, payload)
      assert.equal(reply.statusCode, status, reply.body)
      assert.equal((await mine(school, school.author)).ungraded_count, 1)
    })

  test('refuses too many points per criterion and duplicate criteria', async () => {
    const school = await aSchool({ rubric: [{ criterion: 'Style', max_points: 5 }] })
    const rubric_id = school.rubric[0].id
    const above = { score: 5, rubric_scores: [{ rubric_id, points: 5.01 }] }
    const twice = {
      score: 5,
      rubric_scores: [
        { rubric_id, points: 1 },
        { rubric_id, points: 2 },
      ],
    }
    assert.equal((await grade(school.submission_id, school.author, above)).statusCode, 400)
    assert.equal((await grade(school.submission_id, school.author, twice)).statusCode, 422)
  })

  test('is for editors, and hides other tenants and unknown ids', async () => {
    const school = await aSchool()
    const [other, stranger] = [await aColleague(school.admin), await anAdmin()]
    const score = { score: 100 }
    assert.equal((await grade(school.submission_id, await nobody(), score)).statusCode, 401)
    for (const who of [school.learner, other])
      assert.equal((await grade(school.submission_id, who, score)).statusCode, 403)
    const hidden = [
      await grade(school.submission_id, stranger, score),
      await grade(newId(), school.author, score),
      await grade('x', school.author, score),
    ]
    assert.deepEqual(
      hidden.map(({ statusCode }) => statusCode),
      [404, 404, 404],
    )
    assert.equal(new Set(hidden.map(({ body }) => body)).size, 1)
    assert.equal((await mine(school, school.learner)).my_submission.status, 'submitted')
    assert.equal((await grade(school.submission_id, school.admin, score)).statusCode, 200)
  })
})
