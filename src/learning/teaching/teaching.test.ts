import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must, paperOf, TRUE, type Who } from '#testing/exams.ts'
import { mailsTo } from '#testing/mail.ts'
import { anAdmin, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()
const HOUR = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()
const NOBODY: Who = { headers: {} }

/** A channel with homework, a test and two learners: one handed in and passed, one did nothing. */
async function aClass() {
  const school = await aSchool({ channel: { status: 'published' }, questions: [TRUE] })
  const { author, learner, episode_id, channel_id, test_id } = school
  await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
    episodes: [{ id: episode_id, title: 'One', status: 'published' }],
  })
  await must(200, 'PUT', `/api/episodes/tests/${test_id}`, author, { status: 'published' })
  const homework = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
    title: 'Essay',
    status: 'published',
    max_score: 10,
    due_at: inHours(48),
  })
  const idle = await school.another()
  for (const who of [learner, idle]) await must(201, 'POST', '/api/enroll', who, { channel_id })
  const homework_id = homework.id as string
  const submission = await must(201, 'POST', `/api/episodes/homework/${homework_id}/submit`, learner, {
    text: 'Mine',
  })
  const { items } = await paperOf(test_id, learner)
  await must(201, 'POST', `/api/episodes/tests/${test_id}/attempt`, learner, {
    answers: [{ question_id: items[0].id, answer: true }],
  })
  return { ...school, idle, homework_id, submission_id: submission.id as string }
}

const learnersOf = (channel_id: string, query = '') => `/api/channels/${channel_id}/learners${query}`

/** Who may not: without a token, a learner, the other tenant. */
async function refusesOthers(method: 'GET' | 'POST' | 'DELETE', url: string, learner: Person, body?: object) {
  assert.equal((await call(method, url, NOBODY, body)).status, 401)
  assert.equal((await call(method, url, learner, body)).status, 403)
  const foreign = await call(method, url, await anAdmin(), body)
  const unknown = await call(
    method,
    url.replace(/channels\/[\w-]+/, `channels/${crypto.randomUUID()}`),
    learner,
    body,
  )
  assert.deepEqual([foreign.status, unknown.status], [404, 404])
  assert.deepEqual(foreign.body, unknown.body)
}

describe('GET /api/teaching/to-grade', () => {
  test('lists waiting work of all own channels, the oldest first, until it is graded', async () => {
    const first = await aClass()
    const { author, learner, admin } = first
    const channel = await must(201, 'POST', '/api/channels', author, {
      title: 'Second',
      status: 'published',
      episodes: [{ title: 'E', status: 'published' }],
    })
    const homework = await must(201, 'POST', `/api/episodes/${channel.episodes[0].id}/homework`, author, {
      title: 'Late',
      status: 'published',
      due_at: inHours(-1),
    })
    await must(201, 'POST', `/api/episodes/homework/${homework.id}/submit`, learner, { text: 'Old' })
    await must(201, 'POST', `/api/episodes/homework/${homework.id}/submit`, author, { text: 'A preview' })
    const titles = (body: { items: { homework_title: string; is_late: boolean; user_id: string }[] }) =>
      body.items.map(({ homework_title, is_late, user_id }) => [homework_title, is_late, user_id])
    const all = await must(200, 'GET', '/api/teaching/to-grade', author)
    const expected = [
      ['Essay', false, learner.user_id],
      ['Late', true, learner.user_id],
    ]
    assert.deepEqual([titles(all), all.total], [expected, 2])
    const page = await must(200, 'GET', '/api/teaching/to-grade?per_page=1', author)
    const next = await must(
      200,
      'GET',
      `/api/teaching/to-grade?per_page=1&cursor=${page.next_cursor}`,
      author,
    )
    assert.deepEqual([...titles(page), ...titles(next), next.next_cursor], [...expected, null])
    const one = await must(200, 'GET', `/api/teaching/to-grade?channel_id=${channel.id}`, author)
    assert.deepEqual([titles(one), one.total], [expected.slice(1), 1])
    for (const who of [learner, admin, await anAdmin()])
      assert.equal((await must(200, 'GET', '/api/teaching/to-grade', who)).total, 0)
    const grade = `/api/episodes/homework/submissions/${first.submission_id}/grade`
    await must(200, 'PUT', grade, author, { score: 8 })
    assert.equal((await must(200, 'GET', '/api/teaching/to-grade', author)).total, 1)
    assert.equal((await call('GET', '/api/teaching/to-grade', NOBODY)).status, 401)
    assert.equal((await call('GET', '/api/teaching/to-grade?cursor=abc', author)).status, 422)
  })
})

describe('GET /api/teaching/today', () => {
  test('tells the teacher of work, deadlines and learners who fell behind', async () => {
    const { author, learner, idle, channel_id, homework_id } = await aClass()
    await db.pool`
      update learning.enrollments set enrolled_at = now() - interval '40 days', last_activity_at = now() - interval '40 days'
       where tenant_id = ${author.tenant_id} and user_id = ${idle.user_id}`
    const today = await must(200, 'GET', '/api/teaching/today', author)
    assert.deepEqual([today.to_grade.total, today.to_grade.items[0].user_id], [1, learner.user_id])
    assert.deepEqual(
      today.week.map(({ kind, id }: { kind: string; id: string }) => [kind, id]),
      [['homework_due', homework_id]],
    )
    const [worst, ...others] = today.behind
    assert.deepEqual([worst.user_id, worst.channel_id, others], [idle.user_id, channel_id, []])
    assert.ok(worst.reasons.includes('inactive_28_days'))
    const theirs = await must(200, 'GET', '/api/teaching/today', learner)
    assert.deepEqual(theirs, { to_grade: { items: [], total: 0 }, behind: [], week: [] })
    assert.equal((await call('GET', '/api/teaching/today', NOBODY)).status, 401)
  })
})

describe('work of a learner', () => {
  test('carries their display name beside the address, wherever a teacher reads it', async () => {
    const { author, learner, idle, episode_id, homework_id, test_id, submission_id } = await aClass()
    await must(201, 'POST', `/api/episodes/homework/${homework_id}/submit`, idle, { text: 'Nameless' })
    await db.pool`update sso.users set display_name = 'דנה 🦉' where user_id = ${learner.user_id}`
    type Named = { user_id: string; display_name: string | null; user_email: string }
    const said = (rows: Named[]) =>
      rows.map(({ user_id, display_name, user_email }) => [user_id, display_name, user_email])
    const [dana, nobody] = [
      [learner.user_id, 'דנה 🦉', learner.email],
      [idle.user_id, null, idle.email],
    ]
    for (const query of ['', `?homework_id=${homework_id}`]) {
      const { items } = await must(200, 'GET', `/api/episodes/${episode_id}/homework${query}`, author)
      assert.deepEqual(said(items[0].submissions), [nobody, dana])
    }
    const graded = await must(
      200,
      'PUT',
      `/api/episodes/homework/submissions/${submission_id}/grade`,
      author,
      {
        score: 8,
      },
    )
    assert.deepEqual(said([graded]), [dana])
    const tests = await must(200, 'GET', `/api/episodes/${episode_id}/tests?test_id=${test_id}`, author)
    assert.deepEqual(said(tests.items[0].results), [dana])
    const attemptsOf = ({ user_id }: Person) => `/api/episodes/tests/${test_id}/attempts?user_id=${user_id}`
    const attempts = await must(200, 'GET', attemptsOf(learner), author)
    assert.deepEqual(said([attempts, await must(200, 'GET', attemptsOf(idle), author)]), [dana, nobody])
    const review = `/api/episodes/tests/attempts/${attempts.attempts[0].id}`
    assert.deepEqual(said([await must(200, 'GET', review, author)]), [dana])
    const own = await must(200, 'GET', `/api/episodes/${episode_id}/homework`, learner)
    assert.equal(own.items[0].submissions, undefined)
  })
})

describe('GET /api/channels/:id/learners', () => {
  test('lists learners with names, progress, grade and risk', async () => {
    const { author, learner, idle, admin, channel_id, submission_id } = await aClass()
    await db.pool`update sso.users set display_name = 'Anna Ω' where user_id = ${learner.user_id}`
    await must(200, 'PUT', `/api/episodes/homework/submissions/${submission_id}/grade`, author, { score: 8 })
    const { items, total, channel } = await must(200, 'GET', learnersOf(channel_id, '?include=risk'), author)
    assert.deepEqual([total, channel.id], [2, channel_id])
    assert.deepEqual(
      items.map(({ user_id, display_name }: Person & { display_name: string }) => [user_id, display_name]),
      [
        [learner.user_id, 'Anna Ω'],
        [idle.user_id, null],
      ],
    )
    const [own] = (await must(200, 'GET', `/api/enrollments?channel_id=${channel_id}`, learner)).items
    const [{ grade_percent, final_percent, progress_percent, risk }] = items
    assert.deepEqual(
      [grade_percent, final_percent, progress_percent, risk],
      [own.grade_percent, own.final_percent, own.progress_percent, 0],
    )
    assert.equal((await must(200, 'GET', learnersOf(channel_id), admin)).total, 2)
    const page = await must(200, 'GET', learnersOf(channel_id, '?per_page=1'), author)
    const url = learnersOf(channel_id, `?per_page=1&cursor=${page.next_cursor}`)
    const next = await must(200, 'GET', url, author)
    assert.deepEqual([next.items[0].user_id, next.next_cursor], [idle.user_id, null])
    assert.equal((await call('GET', learnersOf(channel_id, '?include=all'), author)).status, 422)
    await refusesOthers('GET', learnersOf(channel_id), learner)
  })

  test('shows each result with include=work, as the learner sees it', async () => {
    const { author, learner, idle, channel_id, homework_id, test_id, submission_id } = await aClass()
    await must(200, 'PUT', `/api/episodes/homework/submissions/${submission_id}/grade`, author, { score: 8 })
    const { items, work } = await must(200, 'GET', learnersOf(channel_id, '?include=work'), author)
    const ids = work.map(({ id }: { id: string }) => id)
    assert.deepEqual(new Set(ids), new Set([homework_id, test_id]))
    const of = (user_id: string) => items.find((one: Person) => one.user_id === user_id).results
    const told = (results: { kind: string; status: string; percent: number | null }[]) =>
      Object.fromEntries(results.map(({ kind, status, percent }) => [kind, [status, percent]]))
    assert.deepEqual(told(of(learner.user_id)), { homework: ['graded', 80], test: ['taken', 100] })
    assert.deepEqual(told(of(idle.user_id)), { homework: ['none', null], test: ['none', null] })
    const one = await must(200, 'GET', learnersOf(channel_id, `?user_id=${idle.user_id}`), author)
    assert.deepEqual([one.total, one.items[0].user_id], [1, idle.user_id])
  })

  test('leaves out who teaches there', async () => {
    const { author, idle, channel_id } = await aClass()
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { instructor_ids: [idle.user_id] })
    assert.equal((await must(200, 'GET', learnersOf(channel_id), author)).total, 1)
    assert.equal((await must(200, 'GET', learnersOf(channel_id), idle)).total, 1)
  })
})

describe('DELETE /api/channels/:id/learners/:user_id', () => {
  test('ends an enrollment once, and keeps what was done', async () => {
    const { author, learner, channel_id, homework_id } = await aClass()
    const url = learnersOf(channel_id, `/${learner.user_id}`)
    await refusesOthers('DELETE', url, learner)
    const removed = await must(200, 'DELETE', url, author)
    assert.deepEqual(removed, { channel_id, user_id: learner.user_id, removed: true })
    assert.equal((await call('DELETE', url, author)).status, 404)
    assert.equal((await must(200, 'GET', learnersOf(channel_id), author)).total, 1)
    const [kept] = await db.pool<{ count: number }[]>`
      select count(*)::int from learning.submissions
       where tenant_id = ${author.tenant_id} and homework_id = ${homework_id}`
    assert.equal(kept?.count, 1)
    assert.equal((await call('DELETE', learnersOf(channel_id, `/${author.user_id}`), author)).status, 404)
  })
})

describe('POST /api/channels/:id/letters', () => {
  const verify = (...people: Person[]) => db.pool`
    update sso.users set email_verified = true, email_proven_at = clock_timestamp()
     where user_id = any(${people.map(({ user_id }) => user_id)})`
  const lettersOf = ({ tenant_id, user_id }: Person) =>
    db.pool<
      { user_id: string; bodies: { en: { subject: string; text: string } } | null }[]
    >`select user_id, bodies from learning.letters where tenant_id = ${tenant_id} and sender_id = ${user_id}`

  test('writes to verified learners of the channel, with the name of the teacher', async () => {
    const { author, learner, idle, admin, channel_id } = await aClass()
    await verify(learner, admin)
    await db.pool`update sso.users set display_name = 'Ms Example' where user_id = ${author.user_id}`
    const user_ids = [learner, idle, admin, learner].map(({ user_id }) => user_id)
    const body = { user_ids, subject: 'See you', text: 'On Monday.\nAt nine.' }
    const url = `/api/channels/${channel_id}/letters`
    await refusesOthers('POST', url, learner, body)
    const { sent, unreachable } = await must(202, 'POST', url, author, body)
    assert.deepEqual([sent, new Set(unreachable)], [1, new Set([idle.user_id, admin.user_id])])
    const [letter, ...more] = await lettersOf(author)
    assert.deepEqual([letter?.user_id, more.length], [learner.user_id, 0])
    // Where a test of the same process runs jobs, the outbox of the sso has the words already.
    const handedOver = (await mailsTo(learner.email)).find(({ kind }) => kind === 'learning_letter')
    const { subject, text } = letter?.bodies?.en ?? handedOver ?? assert.fail()
    assert.equal(subject, 'See you')
    assert.match(text, /^Ms Example writes to you about “Course”:\n\nOn Monday\.\n\nAt nine\.\n\n/)
    for (const wrong of [
      { ...body, subject: 'A\r\nBcc: x@example.org' },
      { ...body, subject: ' ' },
      { ...body, text: '' },
      { ...body, user_ids: [] },
      { ...body, user_ids: ['x'] },
    ])
      assert.equal((await call('POST', url, author, wrong)).status, 422, JSON.stringify(wrong))
    assert.equal((await lettersOf(author)).length, 1)
  })

  test('refuses more than 500 letters in a day, in parallel too', async () => {
    const { author, learner, idle, channel_id } = await aClass()
    await verify(learner, idle)
    const { tenant_id, user_id } = author
    await db.pool`
      insert into learning.letters (tenant_id, letter_id, kind, user_id, sender_id, done_at)
      select ${tenant_id}, gen_random_uuid(), 'message', ${learner.user_id}, ${user_id}, now() from generate_series(1, 497)`
    const user_ids = [learner.user_id, idle.user_id]
    const write = () =>
      call('POST', `/api/channels/${channel_id}/letters`, author, { user_ids, subject: 'S', text: 'T' })
    const statuses = (await Promise.all([write(), write(), write()])).map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [202, 429, 429],
    )
  })
})
