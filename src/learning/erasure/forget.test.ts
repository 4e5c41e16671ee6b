import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { aSchool, must, paperOf, TRUE } from '#testing/exams.ts'
import { world } from '#testing/world.ts'
import { forgetUser } from './forget.ts'

const { db } = await world()
/** The tables of the schema that contain this text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await db.pool<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'learning'::regnamespace and relkind = 'r' order by relname`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await db.pool`
      select from ${db.pool('learning')}.${db.pool(name)} as t where strpos(lower(to_jsonb(t)::text), ${text}) > 0 limit 1`
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** A learner with a submission, two grades, an attempt and progress, and a unique word in every text field. */
async function aLearner() {
  const word = `canary${randomBytes(5).toString('hex')}`
  const school = await aSchool({
    questions: [{ type: 'short_answer', prompt: 'Your name?', accepted: [{ text: '*' }] }, TRUE],
  })
  const { author, learner, episode_id, test_id } = school
  await must(201, 'POST', '/api/enroll', learner, { channel_id: school.channel_id })
  const homework = await must(201, 'POST', `/api/episodes/${episode_id}/homework`, author, {
    title: 'Essay',
    submission_types: ['text', 'url', 'file'],
    rubric: [{ criterion: 'Style', max_points: 10 }],
    due_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const submission = await must(201, 'POST', `/api/episodes/homework/${homework.id}/submit`, learner, {
    text: `I am ${word}`,
    url: `https://example.org/${word}`,
    attachments: [{ url: `https://example.org/file/${word}`, name: word }],
    client_id: word,
  })
  for (const score of [7, 8])
    await must(200, 'PUT', `/api/episodes/homework/submissions/${submission.id}/grade`, author, {
      score,
      feedback: `Well done ${word}`,
      rubric_scores: [{ rubric_id: homework.rubric[0].id, points: score, comment: `Nice, ${word}` }],
    })
  const { items } = await paperOf(test_id, learner)
  const attempt = await must(201, 'POST', `/api/episodes/tests/${test_id}/attempt`, learner, {
    answers: items.map(({ id, type }: { id: string; type: string }) => ({
      question_id: id,
      answer: type === 'short_answer' ? word : true,
    })),
    client_id: word,
  })
  await must(201, 'POST', '/api/progress', learner, { episode_id, completed: true })
  await leaveUnfinished({ ...school, homework_id: homework.id, word })
  await must(201, 'POST', `/api/episodes/${episode_id}/notes`, learner, { at_seconds: 1, text: word })
  await must(201, 'POST', `/api/episodes/${episode_id}/posts`, learner, { text: word, client_id: word })
  return { ...school, word, homework_id: homework.id as string, attempt }
}

/** Drafts that are not handed in, an attempt that was taken back, and one more that was granted. */
async function leaveUnfinished({
  author,
  learner,
  episode_id,
  homework_id,
  word,
}: Awaited<ReturnType<typeof aSchool>> & { homework_id: string; word: string }) {
  const draft = `/api/episodes/homework/${homework_id}/draft`
  await must(200, 'PUT', draft, learner, { submissions: 1, text: { value: `More of ${word}`, at: 1 } })
  const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/tests`, author, { title: 'Other' })
  const path = `/api/episodes/tests/${id}`
  const own = { type: 'short_answer', prompt: 'Your town?', accepted: [{ text: '*' }] }
  const { id: question_id } = await must(201, 'POST', `${path}/questions`, author, own)
  const answers = [{ question_id, answer: word }]
  const { id: attempt_id } = await must(201, 'POST', `${path}/attempt`, learner, { answers })
  await must(204, 'DELETE', `/api/episodes/tests/attempts/${attempt_id}`, author)
  const until = { until: new Date(Date.now() + 999_999_999).toISOString() }
  await must(200, 'PUT', `/api/episodes/homework/${homework_id}/deadlines/${learner.user_id}`, author, until)
  const grant = { user_id: learner.user_id, extra_attempts: 1 }
  await must(200, 'PUT', `${path}/extra-attempts`, author, grant)
  const { attempt } = await paperOf(id, learner)
  const kept = [{ question_id, answer: word, at: 1 }]
  await must(200, 'PUT', `${path}/draft`, learner, { opened_at: attempt.opened_at, answers: kept })
}

type Aged = Awaited<ReturnType<typeof aLearner>>
const statsOf = async ({ author, channel_id }: Aged) =>
  (await must(200, 'GET', `/api/channels/${channel_id}?include=stats`, author)).stats
const testStatsOf = async ({ author, episode_id }: Aged) =>
  (await must(200, 'GET', `/api/episodes/${episode_id}/tests`, author)).items[0].stats

describe('a person who was erased', () => {
  test('leaves no id, address or text in any column', async () => {
    const gone = await aLearner()
    const traces = [gone.word, gone.learner.user_id, gone.learner.email]
    for (const trace of traces) assert.ok((await tablesWith(trace)).length > 0, trace)
    assert.deepEqual(await tablesWith(gone.word), [
      'attempts',
      'homework_drafts',
      'notes',
      'posts',
      'replaced_grades',
      'reset_attempts',
      'submissions',
    ])
    await forgetUser(db, gone.learner.user_id)
    for (const trace of traces) assert.deepEqual(await tablesWith(trace), [], trace)
  })

  test('keeps anonymous scores in statistics and graded work', async () => {
    const gone = await aLearner()
    const before = [await statsOf(gone), await testStatsOf(gone)]
    await forgetUser(db, gone.learner.user_id)
    assert.deepEqual([await statsOf(gone), await testStatsOf(gone)], before)
    const url = `/api/episodes/${gone.episode_id}/homework?homework_id=${gone.homework_id}`
    const [submission] = (await must(200, 'GET', url, gone.author)).items[0].submissions
    const { status, score, text, user_email, feedback, rubric_scores, attachments } = submission
    assert.deepEqual(
      [status, score, text, user_email, feedback, attachments],
      ['graded', 8, null, '', '', []],
    )
    assert.deepEqual(
      rubric_scores.map(({ points, comment }: { points: number; comment: string }) => [points, comment]),
      [[8, '']],
    )
    const [kept] = await db.pool<{ answers: object; score: string }[]>`
      select answers, score from learning.attempts where test_id = ${gone.test_id}`
    assert.deepEqual([Object.values(kept?.answers ?? {}), Number(kept?.score)], [[true], gone.attempt.score])
  })

  test('keeps scores when a later key change regrades others', async () => {
    const gone = await aLearner()
    const other = await gone.another()
    const { items } = await paperOf(gone.test_id, other)
    await must(201, 'POST', `/api/episodes/tests/${gone.test_id}/attempt`, other, {
      answers: items.map(({ id, type }: { id: string; type: string }) => ({
        question_id: id,
        answer: type === 'short_answer' ? 'other' : true,
      })),
    })
    const scores = async () => {
      const rows = await db.pool<{ score: number; is_other: boolean }[]>`
        select score::float8 as score, user_id = ${other.user_id} as is_other from learning.attempts
         where test_id = ${gone.test_id} order by is_other`
      return rows.map(({ score }) => score)
    }
    const [before = 0] = await scores()
    await forgetUser(db, gone.learner.user_id)
    const short = items.find(({ type }: { type: string }) => type === 'short_answer')
    await must(200, 'PUT', `/api/episodes/questions/${short.id}`, gone.author, {
      accepted: [{ text: 'somebody' }],
    })
    assert.deepEqual(await scores(), [before, before - 1])
  })

  test('affects nobody else in the same channel', async () => {
    const gone = await aLearner()
    const other = await gone.another()
    await must(201, 'POST', '/api/enroll', other, { channel_id: gone.channel_id })
    await must(201, 'POST', `/api/episodes/homework/${gone.homework_id}/submit`, other, { text: 'Mine' })
    const read = async () => [
      await must(200, 'GET', '/api/enrollments', other),
      await must(200, 'GET', `/api/episodes/${gone.episode_id}/homework`, other),
    ]
    const before = await read()
    await forgetUser(db, gone.learner.user_id)
    assert.deepEqual(await read(), before)
  })

  test('disappears in every tenant, also when repeated concurrently', async () => {
    const [here, there] = [await aLearner(), await aLearner()]
    // The same person in another tenant, as after a sign-in at another site.
    const { user_id } = here.learner
    for (const table of [
      'enrollments',
      'submissions',
      'attempts',
      'progress',
      'activity_days',
      'homework_drafts',
      'reset_attempts',
      'extra_attempts',
      'deadlines',
      'notes',
      'posts',
    ])
      await db.pool`
        update ${db.pool('learning')}.${db.pool(table)} set user_id = ${user_id} where user_id = ${there.learner.user_id}`
    await Promise.all(Array.from({ length: 50 }, () => forgetUser(db, user_id)))
    assert.deepEqual([await tablesWith(here.word), await tablesWith(there.word)], [[], []])
    assert.deepEqual(await tablesWith(user_id), [])
    await db.pool`
      insert into learning.enrollments (tenant_id, user_id, channel_id, user_email, status, source)
      select tenant_id, ${user_id}, id, ${here.learner.email}, 'active', 'self'
        from learning.channels where id = ${here.channel_id}`
    await forgetUser(db, user_id)
    assert.deepEqual([await tablesWith(user_id), await tablesWith(here.learner.email)], [[], []])
  })

  test('leaves learner counts right, also as former editor', async () => {
    const { author, channel_id } = await aLearner()
    await must(201, 'POST', '/api/enroll', author, { channel_id })
    const count = async () => {
      const [row] = await db.pool<{ learners: number; counted: number }[]>`
        select (select learners from learning.enrollment_counts where channel_id = ${channel_id}) as learners,
               (select count(*)::int from learning.enrollments e
                 where channel_id = ${channel_id} and not as_admin
                   and not learning.is_editor(tenant_id, user_id, channel_id)) as counted`
      return row && { ...row }
    }
    assert.deepEqual(await count(), { learners: 1, counted: 1 })
    await forgetUser(db, author.user_id)
    assert.deepEqual(await count(), { learners: 1, counted: 1 })
  })
})

test('an erased person leaves the lists of the engagement agent', async () => {
  const school = await aSchool()
  const { admin, learner, channel_id } = school
  const other = await school.another()
  for (const who of [learner, other]) await must(201, 'POST', '/api/enroll', who, { channel_id })
  await db.pool`
    update learning.enrollments
       set enrolled_at = enrolled_at - interval '9 days', last_activity_at = last_activity_at - interval '9 days'
     where tenant_id = ${admin.tenant_id}`
  await must(200, 'POST', '/api/innovation/run/engagement', admin, {})
  await forgetUser(db, learner.user_id)
  const { items } = await must(200, 'GET', '/api/innovation/suggestions', admin)
  assert.ok(items.length > 0)
  for (const { evidence } of items as { evidence: { learners: { user_id: string }[] } }[])
    assert.deepEqual(
      evidence.learners.map(({ user_id }) => user_id),
      [other.user_id],
    )
})
