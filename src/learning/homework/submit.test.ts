import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { overtaken } from '#testing/locks.ts'
import { aColleague, anAdmin, type Headers, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { Submission } from './submission.ts'

const { learning, db } = await world()

type Who = { headers: Headers }
const call = (method: 'POST' | 'PUT' | 'DELETE', url: string, { headers }: Who, payload: object) =>
  learning.inject({ method, url, headers, payload })
const submit = (id: string, { headers }: Who, payload: object = { text: 'Mine' }, more: Headers = {}) =>
  learning.inject({
    method: 'POST',
    url: `/api/episodes/homework/${id}/submit`,
    headers: { ...headers, ...more },
    payload,
  })
const HOUR = 3_600_000
const fromNow = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

async function aSchool(homework: object = {}, channel: object = {}) {
  const admin = await anAdmin()
  const [author, learner] = await Promise.all([aColleague(admin), aColleague(admin)])
  const payload = { title: 'C', episodes: [{ title: 'One' }], ...channel }
  const made = (await call('POST', '/api/channels', author, payload)).json()
  const episode_id = made.episodes.at(-1).id as string
  const reply = await call('POST', `/api/episodes/${episode_id}/homework`, author, {
    title: 'Essay',
    ...homework,
  })
  assert.equal(reply.statusCode, 201, reply.body)
  const change = (what: object) => call('PUT', `/api/channels/${made.id}`, author, what)
  return {
    admin,
    author,
    learner,
    channel_id: made.id as string,
    episode_id,
    id: reply.json().id as string,
    change,
  }
}
const mine = async (school: { episode_id: string }, { headers }: Who) =>
  (await learning.inject({ url: `/api/episodes/${school.episode_id}/homework`, headers })).json().items[0]
const rowsOf = async (id: string) => [
  ...(await db.pool<{ attempt_number: number; user_id: string; is_current: boolean }[]>`
  select attempt_number, user_id, is_current from learning.submissions where homework_id = ${id}
   order by user_id, attempt_number`),
]
const enrollment = async (school: { channel_id: string }) => [
  ...(await db.pool<{ user_id: string; source: string }[]>`
  select user_id, source from learning.enrollments where channel_id = ${school.channel_id}`),
]

describe('POST /api/episodes/homework/{id}/submit', () => {
  test('stores the work, ignores grades in it, enrolls the learner', async () => {
    const school = await aSchool({ submission_types: ['text', 'url', 'file'] })
    const reply = await submit(school.id.toUpperCase(), school.learner, {
      text: ' Mine\n',
      url: 'https://example.org/work',
      attachments: [{ url: 'https://example.org/a.pdf', name: 'a.pdf', size_bytes: 5 }],
      score: 100,
      status: 'graded',
      user_id: 'somebody',
      is_late: false,
    })
    assert.equal(reply.statusCode, 201, reply.body)
    assertExactly(Submission, reply.json())
    const { id, submitted_at, created_at, updated_at, ...rest } = reply.json()
    assert.ok(id && created_at && updated_at)
    assert.ok(Math.abs(Date.parse(submitted_at) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      homework_id: school.id,
      user_id: school.learner.user_id,
      attempt_number: 1,
      text: ' Mine\n',
      url: 'https://example.org/work',
      client_id: null,
      status: 'submitted',
      is_late: false,
      seconds_late: 0,
      attachments: [{ url: 'https://example.org/a.pdf', name: 'a.pdf', size_bytes: 5, mime_type: null }],
      score: null,
      feedback: '',
      rubric_scores: [],
      penalty_percent: 0,
      final_score: null,
      graded_by: null,
      graded_at: null,
      grade_matches_current_submission: null,
    })
    assert.deepEqual(await enrollment(school), [{ user_id: school.learner.user_id, source: 'auto' }])
  })

  test('adds a row per resubmission and overwrites nothing', async () => {
    const school = await aSchool()
    for (const text of ['One', 'Two', 'Three'])
      assert.equal((await submit(school.id, school.learner, { text })).statusCode, 201)
    assert.deepEqual(
      (await rowsOf(school.id)).map(({ attempt_number, is_current }) => [attempt_number, is_current]),
      [
        [1, false],
        [2, false],
        [3, true],
      ],
    )
    const { my_submission, submissions_left } = await mine(school, school.learner)
    assert.deepEqual([my_submission.text, my_submission.attempt_number, submissions_left], ['Three', 3, null])
    assert.equal((await enrollment(school)).length, 1)
  })

  for (const [what, payload, status] of [
    ['nothing', {}, 422],
    ['white space only', { text: ' \n\u2003', attachments: [] }, 422],
    ['a path for an address', { url: '/mine' }, 422],
    ['a script for an address', { url: 'javascript:alert(1)' }, 422],
    ['a number for a text', { text: 5 }, 422],
    ['a text of 50,001 characters', { text: 'x'.repeat(50_001) }, 422],
    [
      'eleven attachments',
      { attachments: Array.from({ length: 11 }, () => ({ url: 'https://e.org/a' })) },
      422,
    ],
    ['an attachment without address', { attachments: [{ name: 'a' }] }, 422],
    ['an empty client_id', { text: 'x', client_id: '' }, 422],
    ['a kind the homework does not take', { text: 'x', attachments: [{ url: 'https://e.org/a' }] }, 400],
  ] as const)
    test(`refuses ${what} with ${status} and stores nothing`, async () => {
      const school = await aSchool()
      const reply = await submit(school.id, school.learner, payload)
      assert.equal(reply.statusCode, status, reply.body)
      assert.deepEqual(await rowsOf(school.id), [])
      assert.deepEqual(await enrollment(school), [])
    })

  test('accepts 50,000 characters of any script', async () => {
    const school = await aSchool()
    const text = '𝒜'.repeat(50_000)
    const reply = await submit(school.id, school.learner, { text })
    assert.equal(reply.statusCode, 201)
    assert.equal(reply.json().text, text)
  })

  test('answers a repeated client_id with the same row and 200', async () => {
    const school = await aSchool({ max_submissions: 1 })
    const first = await submit(school.id, school.learner, { text: 'A', client_id: 'k1' })
    assert.equal(first.statusCode, 201, first.body)
    for (const again of [
      await submit(school.id, school.learner, { text: 'B', client_id: 'k1' }),
      await submit(school.id, school.learner, { text: 'B' }, { 'idempotency-key': 'k1' }),
    ]) {
      assert.equal(again.statusCode, 200, again.body)
      assert.deepEqual(again.json(), first.json())
    }
    assert.equal((await submit(school.id, school.learner, { text: 'B' })).statusCode, 400)
    const other = await aColleague(school.admin)
    assert.equal((await submit(school.id, other, { text: 'C', client_id: 'k1' })).statusCode, 201)
    assert.equal(
      (await submit(school.id, other, { text: 'C' }, { 'idempotency-key': 'k'.repeat(256) })).statusCode,
      422,
    )
  })

  test('stores one row for 50 concurrent requests with one client_id', async () => {
    const school = await aSchool()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => submit(school.id, school.learner, { text: 'A', client_id: 'k' })),
    )
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [...Array<number>(49).fill(200), 201],
    )
    assert.equal(new Set(replies.map((reply) => reply.json().id)).size, 1)
    assert.equal((await rowsOf(school.id)).length, 1)
  })

  test('admits exactly the allowed submissions from 50 parallel tabs', async () => {
    const school = await aSchool({ max_submissions: 3 })
    const replies = await Promise.all(Array.from({ length: 50 }, () => submit(school.id, school.learner)))
    const codes = replies.map(({ statusCode }) => statusCode)
    assert.deepEqual(
      [codes.filter((code) => code === 201).length, codes.filter((code) => code === 400).length],
      [3, 47],
    )
    assert.match(replies.find(({ statusCode }) => statusCode === 400)?.json().detail, /No submissions left/)
    assert.deepEqual(
      (await rowsOf(school.id)).map(({ attempt_number, is_current }) => [attempt_number, is_current]),
      [
        [1, false],
        [2, false],
        [3, true],
      ],
    )
    assert.equal((await enrollment(school)).length, 1)
  })

  test('refuses submissions after the cut-off, or late ones where rejected', async () => {
    const past = { due_at: fromNow(-2), lock_at: fromNow(-1) }
    const cases: [object, number][] = [
      [past, 400],
      [{ due_at: fromNow(-1), late_policy: 'reject' }, 400],
      [{ due_at: fromNow(-1), lock_at: fromNow(1), late_policy: 'accept' }, 201],
      [{ due_at: fromNow(1), late_policy: 'reject' }, 201],
      [{ lock_at: fromNow(-1) }, 400],
    ]
    for (const [homework, status] of cases) {
      const school = await aSchool(homework)
      const reply = await submit(school.id, school.learner)
      assert.equal(reply.statusCode, status, reply.body)
    }
  })

  test('checks the deadline inside the writing transaction', async () => {
    const school = await aSchool({ due_at: fromNow(1), late_policy: 'reject' })
    await submit(school.id, school.learner)
    // Another transaction locks this learner's enrollment; the deadline passes before it commits.
    const { statusCode } = await overtaken(
      db,
      async (tx) => {
        await tx`select from learning.enrollments where channel_id = ${school.channel_id} for update`
        await tx`update learning.homework set due_at = clock_timestamp() - interval '1 s' where id = ${school.id}`
      },
      () => submit(school.id, school.learner, { text: 'B' }),
    )
    assert.equal(statusCode, 400)
    assert.equal((await rowsOf(school.id)).length, 1)
  })

  test('answers 401, 404 and 403 like the channel, 400 once archived', async () => {
    const school = await aSchool()
    const [stranger, late] = [await anAdmin(), await aColleague(school.admin)]
    assert.equal((await submit(school.id, await nobody())).statusCode, 401)
    assert.equal((await submit(school.id, stranger)).statusCode, 404)
    assert.equal((await submit(newId(), school.learner)).statusCode, 404)
    assert.equal((await submit('x', school.learner)).statusCode, 404)
    assert.equal((await submit(school.id, school.learner)).statusCode, 201)

    await school.change({ enrollment: 'closed' })
    assert.equal((await submit(school.id, late)).statusCode, 403)
    assert.equal((await submit(school.id, school.learner)).statusCode, 201)
    await school.change({ visibility: 'private' })
    assert.equal((await submit(school.id, late)).statusCode, 404)
    assert.equal((await submit(school.id, school.learner)).statusCode, 201)
    await school.change({ status: 'archived' })
    assert.equal((await submit(school.id, late)).statusCode, 404)
    for (const who of [school.learner, school.author])
      assert.equal((await submit(school.id, who)).statusCode, 400)
    await school.change({ status: 'draft' })
    assert.equal((await submit(school.id, school.learner)).statusCode, 404)
    assert.equal((await rowsOf(school.id)).length, 3)
  })

  test('answers 404 for a draft, 403 in a locked episode', async () => {
    const draft = await aSchool({ status: 'draft' })
    assert.equal((await submit(draft.id, draft.learner)).statusCode, 404)
    const school = await aSchool({}, { sequential: true, episodes: [{ title: 'Start' }, { title: 'Then' }] })
    const reply = await submit(school.id, school.learner)
    assert.equal(reply.statusCode, 403)
    assert.equal(reply.json().detail, 'Episode is locked until "Start" is completed')
    assert.deepEqual(await enrollment(school), [])
    assert.equal((await submit(school.id, school.author)).statusCode, 201)
  })

  test("accepts an editor's own work, gradable but not counted", async () => {
    const school = await aSchool()
    for (const who of [school.author, school.admin, school.learner]) await submit(school.id, who)
    const { submission_count, ungraded_count, submission_total, submissions, my_submission } = await mine(
      school,
      school.author,
    )
    assert.deepEqual([submission_count, ungraded_count, submission_total, submissions.length], [1, 1, 3, 3])
    assert.equal(my_submission.user_id, school.author.user_id)
  })
})

describe('the penalty for lateness', () => {
  /** Moves the time of submission, because the database's clock decides. */
  const handedIn = (school: { id: string }, secondsAfter: number, due_at: string) => db.pool`
    update learning.submissions
       set submitted_at = ${due_at}::timestamptz + make_interval(secs => ${secondsAfter}), due_at_then = ${due_at}
     where homework_id = ${school.id}`

  for (const [what, seconds, expected] of [
    ['on time', 0, [0, 0, 80]],
    ['a millisecond late', 0.001, [1, 10, 72]],
    ['1 second late', 1, [1, 10, 72]],
    ['24 hours late', 86_400, [86_400, 10, 72]],
    ['25 hours late', 90_000, [90_000, 20, 64]],
    ['9 days late', 777_600, [777_600, 50, 40]],
    ['years late', 99_999_999, [99_999_999, 50, 40]],
  ] as const)
    test(`10 a day, 50 at most: 80 of 100 ${what} is ${expected[2]}`, async () => {
      const due_at = fromNow(-24 * 3_650)
      const school = await aSchool({ due_at, late_policy: 'penalize' })
      const { id } = (await submit(school.id, school.learner)).json()
      await handedIn(school, seconds, due_at)
      const graded = await call('PUT', `/api/episodes/homework/submissions/${id}/grade`, school.author, {
        score: 80,
      })
      assert.equal(graded.statusCode, 200, graded.body)
      const { seconds_late, penalty_percent, final_score, is_late, score } = graded.json()
      assert.deepEqual([seconds_late, penalty_percent, final_score], expected)
      assert.deepEqual([is_late, score], [seconds > 0, 80])
      const { my_submission, my_history } = await mine(school, school.learner)
      assert.deepEqual([my_submission.final_score, my_history[0].final_score], [expected[2], expected[2]])
    })

  test('a later deadline clears lateness, an earlier one adds none', async () => {
    const due_at = fromNow(-1)
    const school = await aSchool({ due_at, late_policy: 'penalize' })
    await submit(school.id, school.learner)
    const lateness = async (change: object) => {
      const reply = await call('PUT', `/api/episodes/homework/${school.id}`, school.author, change)
      assert.equal(reply.statusCode, 200, reply.body)
      const { my_submission } = await mine(school, school.learner)
      return [my_submission.is_late, my_submission.penalty_percent]
    }
    assert.deepEqual(await lateness({ title: 'Same' }), [true, 10])
    assert.deepEqual(await lateness({ due_at: fromNow(1) }), [false, 0])
    assert.deepEqual(await lateness({ due_at: fromNow(-48) }), [true, 10])
    assert.deepEqual(await lateness({ late_policy: 'accept' }), [true, 0])
    assert.deepEqual(await lateness({ due_at: null }), [false, 0])
    const early = await aSchool({ late_policy: 'penalize' })
    await submit(early.id, early.learner)
    await call('PUT', `/api/episodes/homework/${early.id}`, early.author, { due_at: fromNow(-48) })
    assert.equal((await mine(early, early.learner)).my_submission.is_late, false)
  })
})
