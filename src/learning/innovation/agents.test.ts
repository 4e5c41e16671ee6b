import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cutAt } from '#foundation/web/client/cut.ts'
import { aSchool, call, must, paperOf, type School, type Who } from '#testing/exams.ts'
import { world } from '#testing/world.ts'
import { EVIDENCE_TEXTS } from '../pages/client/evidence-texts.ts'
import type { Suggestion } from './suggestion.ts'

const { db } = await world()

// What a module of pages wants of its page while it loads.
Object.assign(globalThis, { document: { documentElement: { lang: 'en' }, createTreeWalker: () => ({}) } })
const sentences = '../pages/client/suggestion-sentences.ts'
const { inWords } = (await import(sentences)) as { inWords: (suggestion: Suggestion) => Suggestion }

type Found = {
  kind: string
  severity: string
  target: { type: string; id: string }
  evidence: Record<string, unknown>
  patch: object | null
  channel_id: string
}

const run = (who: Who, agent: string, body: object = {}) =>
  must(200, 'POST', `/api/innovation/run/${agent}`, who, body)
/** The pages say in their own words what the agents say; in English these are the same. */
async function found(who: Who, query = ''): Promise<Found[]> {
  const { items } = await must(200, 'GET', `/api/innovation/suggestions?per_page=100${query}`, who)
  for (const { title, body, ...more } of items as Suggestion[]) {
    const said = inWords({ ...more, title: '', body: '' })
    const shown = said.title.replaceAll('\u00a0', ' ')
    assert.deepEqual([cutAt(shown, 200), said.body], [title, body])
    const names = Object.keys({ ...more.evidence, ...more.patch }).filter(
      (name) => !/_id$|^retention$/.test(name),
    )
    assert.deepEqual(
      names.filter((name) => !(name in EVIDENCE_TEXTS.en)),
      [],
    )
  }
  return items
}
const kindsOf = (suggestions: Found[]) => suggestions.map(({ kind }) => kind).toSorted()

const LONG = 'What is taught here, for whom it is made, and what one can do afterwards.'
/** A channel that needs no suggestion. */
const FINE = { title: 'Weaving', description: LONG, thumbnail_url: '/weaving.jpg' }
const VIDEO = {
  url: 'https://media.example.org/1.mp4',
  duration_seconds: 100,
  transcript: 'Over and under.',
  captions: [{ url: 'https://media.example.org/1.vtt', lang: 'en', label: 'English' }],
}
const EPISODE = { title: 'The loom', description: LONG, thumbnail_url: '/loom.jpg', video: VIDEO }

const fineSchool = (more: { channel?: object; questions?: object[] } = {}) =>
  aSchool({
    channel: { ...FINE, episodes: [EPISODE], ...more.channel },
    questions: more.questions ?? [1, 2, 3].map(choice),
  })
const choice = (number: number) => ({
  type: 'single_choice',
  prompt: `What is ${number}?`,
  options: [{ text: 'a' }, { text: 'b', correct: true }, { text: 'c' }].toSorted(() => (number % 2) - 0.5),
})

const inThePast = (school: School, days: number) => db.pool`
  update learning.enrollments
     set enrolled_at = enrolled_at - make_interval(days => ${days}),
         last_activity_at = last_activity_at - make_interval(days => ${days})
   where tenant_id = ${school.admin.tenant_id} and channel_id = ${school.channel_id}`

/** Enrolled people without any activity, written as the enrollment route writes them. */
const enrolled = async (school: School, count: number) => {
  const people = Array.from({ length: count }, (_, index) => `learner-${index}`)
  await db.pool`
    insert into learning.enrollments (tenant_id, user_id, channel_id, user_email, status, source)
    select ${school.admin.tenant_id}, user_id, ${school.channel_id}, user_id || '@example.org', 'active', 'self'
      from unnest(${people}::text[]) as user_id`
  return people
}

describe('the content agent', () => {
  test('finds nothing in a complete channel', async () => {
    const school = await fineSchool()
    const { created, mode, llm_error } = await run(school.admin, 'content')
    assert.deepEqual({ created, mode, llm_error }, { created: 0, mode: 'heuristic', llm_error: null })
  })

  test('reports missing parts of channels, episodes and videos with severity', async () => {
    const school = await aSchool({
      channel: {
        title: 'New channel 2',
        episodes: [
          { ...EPISODE, title: 'Te', description: 'Short' },
          {
            ...EPISODE,
            thumbnail_url: null,
            video: {
              url: 'http://media.example.org/2.mp4',
              duration_seconds: 721,
              poster_url: '/poster.jpg',
            },
          },
          {
            ...EPISODE,
            video: { url: 'https://www.youtube.com/watch?v=aqz-KE-bpKQ', captions: VIDEO.captions },
          },
          { title: 'Dyeing', description: LONG, thumbnail_url: '/dye.jpg' },
        ],
      },
      test: { status: 'draft' },
    })
    await run(school.admin, 'content')
    const suggestions = await found(school.admin)
    const listed = suggestions
      .map(({ kind, severity, target }) => `${target.type} ${kind} ${severity}`)
      .toSorted()
    assert.deepEqual(listed, [
      'channel description_short warning',
      'channel thumbnail_missing info',
      'channel title_placeholder warning',
      'episode description_short info',
      'episode episode_without_video warning',
      'episode thumbnail_missing info',
      'episode title_placeholder warning',
      'video media_insecure_url info',
      'video video_missing_captions warning',
      'video video_missing_chapters info',
      'video video_missing_duration warning',
      'video video_missing_transcript info',
      'video video_missing_transcript info',
      'video video_not_trackable info',
    ])
    const picture = suggestions.find(
      ({ kind, target }) => kind === 'thumbnail_missing' && target.type === 'episode',
    )
    assert.deepEqual(picture?.patch, { thumbnail_url: '/poster.jpg' })
  })

  test('accepts twenty characters where a character is a word', async () => {
    const description = '本課程介紹織布的基本方法與工具的使用技巧。'
    const school = await aSchool({
      channel: { ...FINE, title: '織布', language: 'zh', description, episodes: [EPISODE] },
    })
    await run(school.admin, 'content')
    assert.deepEqual(kindsOf(await found(school.admin)), ['test_without_questions'])
  })

  test('proposes draft for a published channel without published episodes', async () => {
    const school = await fineSchool({ channel: { episodes: [{ ...EPISODE, status: 'draft' }] } })
    await run(school.admin, 'content')
    const [only, ...others] = await found(school.admin)
    assert.deepEqual(others, [])
    assert.deepEqual([only?.kind, only?.patch], ['channel_without_episodes', { status: 'draft' }])
  })

  test('finds channels unchanged for a year that people still use', async () => {
    const school = await fineSchool()
    await must(201, 'POST', '/api/progress', school.learner, {
      episode_id: school.episode_id,
      segments: [[0, 10]],
    })
    const old = () => db.pool`
      update learning.channels set updated_at = updated_at - interval '366 days'
       where tenant_id = ${school.admin.tenant_id} and id = ${school.channel_id}`
    await old()
    await run(school.admin, 'content')
    assert.deepEqual(kindsOf(await found(school.admin)), ['content_stale'])
  })

  test('finds tests with few questions, duplicate options or predictable keys', async () => {
    const biased = Array.from({ length: 8 }, (_, number) => ({
      type: 'single_choice',
      prompt: `Question ${number}`,
      options: [
        { text: 'right', correct: true },
        { text: 'wrong' },
        { text: number === 0 ? ' WRONG ' : 'other' },
      ],
    }))
    const school = await fineSchool({ questions: biased })
    await must(200, 'PUT', `/api/episodes/tests/${school.test_id}`, school.author, { shuffle_options: false })
    for (const questions of [[], [choice(1)]]) {
      const { id } = await must(201, 'POST', `/api/episodes/${school.episode_id}/tests`, school.author, {
        title: 'More',
      })
      if (questions.length > 0)
        await must(201, 'POST', `/api/episodes/tests/${id}/questions`, school.author, { questions })
    }
    await run(school.admin, 'content')
    const suggestions = await found(school.admin)
    assert.deepEqual(kindsOf(suggestions), [
      'question_duplicate_options',
      'question_key_position_bias',
      'test_few_questions',
      'test_without_questions',
    ])
    const bias = suggestions.find(({ kind }) => kind === 'question_key_position_bias')
    assert.deepEqual(bias?.patch, { shuffle_options: true })
    const { episode_id, test_id } = school
    assert.deepEqual(bias?.evidence, {
      position: 1,
      keys: 8,
      questions: 8,
      share: 1,
      shuffle_options: false,
      episode_id,
    })
    const doubled = suggestions.find(({ kind }) => kind === 'question_duplicate_options')
    assert.deepEqual(doubled?.evidence, { option: 'wrong', episode_id, test_id })
    const order = suggestions.map(({ severity }) => severity)
    assert.deepEqual(order, ['critical', 'warning', 'info', 'info'], 'what presses most is not listed first')
  })

  test('finds one wrong key from the first attempts of twenty', async () => {
    const questions = [1, 2, 3, 4].map((number) => ({
      type: 'single_choice',
      prompt: `Question ${number}`,
      options: [{ text: 'right', correct: true }, { text: 'wrong' }],
    }))
    const school = await fineSchool({ questions })
    const { items } = await must(200, 'GET', `/api/episodes/tests/${school.test_id}/questions`, school.author)
    const made = items as { id: string; options: { id: string; correct: boolean }[] }[]
    const idOf = (index: number, isRight: boolean) =>
      made[index]?.options.find(({ correct }) => correct === isRight)?.id ?? ''
    // The stronger half answers questions 1 to 3 correctly. Question 4 has a wrong key, so they "fail" it.
    const learners = await enrolled(school, 24)
    await db.pool`update learning.enrollments set source = 'auto' where tenant_id = ${school.admin.tenant_id}`
    const attempts = learners.map((user_id, index) => {
      const isStrong = index % 2 === 0
      const rights = [isStrong, isStrong || index % 3 === 0, isStrong || index % 5 === 0, !isStrong]
      const results = rights.map((isRight, number) => ({
        question_id: made[number]?.id,
        version: 1,
        points_awarded: Number(isRight),
        points: 1,
        outcome: isRight ? 'correct' : 'incorrect',
      }))
      const answers = Object.fromEntries(
        rights.map((isRight, number) => [made[number]?.id, idOf(number, isRight)]),
      )
      return { user_id, results, answers, score: rights.filter(Boolean).length }
    })
    await db.pool`
      insert into learning.attempts (tenant_id, id, test_id, user_id, number, status, is_preview, submitted_at,
                                     key_version, graded_version, answers, results, score, max_score)
      select ${school.admin.tenant_id}, gen_random_uuid(), ${school.test_id}, user_id, 1, 'graded', false,
             clock_timestamp(), 1, 1, answers, results, score, 4
        from jsonb_to_recordset(${db.pool.json(attempts)}) as sent(user_id text, answers jsonb, results jsonb, score numeric)`
    await run(school.admin, 'content')
    const suggestions = await found(school.admin)
    assert.deepEqual(kindsOf(suggestions), ['question_wrong_key'])
    assert.equal(suggestions[0]?.target.id, made[3]?.id)
    assert.equal(suggestions[0]?.severity, 'critical')
    const { discrimination, episode_id, test_id } = suggestions[0]?.evidence ?? {}
    assert.ok(Number(discrimination) < 0)
    assert.deepEqual([episode_id, test_id], [school.episode_id, school.test_id])
  })

  test('finds where viewers leave or rewatch a video, except credits', async () => {
    const school = await fineSchool({
      channel: { episodes: [{ ...EPISODE, video: { ...VIDEO, duration_seconds: 200 } }] },
    })
    const learners = await enrolled(school, 20)
    await db.pool`
      insert into learning.progress (tenant_id, user_id, episode_id, position_ms, watched, rewatched, progress)
      select ${school.admin.tenant_id}, user_id, ${school.episode_id}, 0,
             case when place <= 8 then '{[0,60000)}' else '{[0,185000)}' end::int4multirange,
             case when place > 12 then '{[100000,110000)}' else '{}' end::int4multirange, 0.3
        from unnest(${learners}::text[]) with ordinality as given(user_id, place)`
    await run(school.admin, 'content')
    const suggestions = await found(school.admin)
    assert.deepEqual(kindsOf(suggestions), ['retention_drop', 'rewatch_peak'])
    const drop = suggestions.find(({ kind }) => kind === 'retention_drop')
    assert.deepEqual([drop?.evidence['to_seconds'], drop?.evidence['lost_points']], [60, 40])
    const peak = suggestions.find(({ kind }) => kind === 'rewatch_peak')
    assert.deepEqual([peak?.evidence['from_seconds'], peak?.evidence['watched_again']], [100, 8])
  })

  test('cuts long words only between characters', async () => {
    // A character outside the basic plane crosses the limit of 200 UTF-16 units, in the prompt and around a title.
    const prompt = `${'a'.repeat(199)}🧶 what is it?`
    const title = `${'b'.repeat(185)}${'🧶'.repeat(7)}`
    const doubled = { type: 'single_choice', prompt, options: [{ text: 'x', correct: true }, { text: 'X' }] }
    const school = await fineSchool({
      channel: { title, description: '' },
      questions: [doubled, choice(2), choice(3)],
    })
    await run(school.admin, 'content')
    const suggestions = (await found(school.admin)) as (Found & { title: string })[]
    assert.deepEqual(kindsOf(suggestions), ['description_short', 'question_duplicate_options'])
    for (const suggestion of suggestions) {
      assert.ok(JSON.stringify(suggestion).isWellFormed() && !suggestion.title.includes('\uFFFD'))
      assert.ok(suggestion.title.length <= 200)
    }
  })

  test('keeps ten open suggestions per kind and channel, others follow', async () => {
    const episodes = Array.from({ length: 12 }, (_, number) => ({
      ...EPISODE,
      title: `Part ${number}`,
      video: { ...VIDEO, captions: [] },
    }))
    const school = await fineSchool({ channel: { episodes } })
    assert.equal((await run(school.admin, 'content')).created, 10)
    const [first] = await found(school.admin)
    const { id } = first as unknown as { id: string }
    await must(200, 'PUT', `/api/innovation/suggestions/${id}`, school.admin, { status: 'rejected' })
    const { created, refreshed, expired } = await run(school.admin, 'content')
    assert.deepEqual([created, refreshed, expired], [1, 9, 0])
  })

  test('expires a suggestion when its cause is gone, within its scope', async () => {
    const school = await fineSchool({ channel: { description: '' } })
    const other = await must(201, 'POST', '/api/channels', school.author, {
      ...FINE,
      title: 'Spinning',
      episodes: [],
    })
    await run(school.admin, 'content')
    assert.deepEqual(kindsOf(await found(school.admin, '&status=pending')), [
      'channel_without_episodes',
      'description_short',
    ])
    await must(200, 'PUT', `/api/channels/${school.channel_id}`, school.author, { description: LONG })
    await must(200, 'PUT', `/api/channels/${other.id}`, school.author, { status: 'draft' })
    const { expired } = await run(school.admin, 'content', { channel_id: school.channel_id })
    assert.equal(expired, 1)
    assert.deepEqual(kindsOf(await found(school.admin, '&status=pending')), ['channel_without_episodes'])
    assert.deepEqual(kindsOf(await found(school.admin, '&status=expired')), ['description_short'])
  })
})

describe('the engagement agent', () => {
  test('names inactive and failing learners with risk and reasons', async () => {
    const school = await fineSchool()
    await enrolled(school, 1)
    const homework = await must(201, 'POST', `/api/episodes/${school.episode_id}/homework`, school.author, {
      title: 'Weave',
      due_at: '2026-01-01T00:00:00Z',
    })
    assert.ok(homework.id)
    await inThePast(school, 15)
    await run(school.admin, 'engagement')
    const suggestions = await found(school.admin)
    assert.deepEqual(kindsOf(suggestions), ['homework_overdue', 'learner_inactive', 'learner_never_started'])
    const inactive = suggestions.find(({ kind }) => kind === 'learner_inactive')
    assert.deepEqual((inactive?.evidence['learners'] as object[] | undefined)?.[0], {
      user_id: 'learner-0',
      user_email: 'learner-0@example.org',
      risk: 30 + 20 + 10,
      reasons: ['inactive_14_days', 'never_started', 'homework_overdue'],
    })
    assert.equal(suggestions.find(({ kind }) => kind === 'learner_inactive')?.severity, 'warning')
  })

  test('names who failed a test twice', async () => {
    const school = await fineSchool()
    const path = `/api/episodes/tests/${school.test_id}`
    await must(200, 'PUT', path, school.author, { max_attempts: 2 })
    for (const _ of [1, 2]) {
      await paperOf(school.test_id, school.learner)
      await must(201, 'POST', `${path}/attempt`, school.learner, { answers: [] })
    }
    await run(school.admin, 'engagement')
    const [failing, ...others] = await found(school.admin)
    assert.deepEqual([failing?.kind, failing?.evidence['count']], ['learner_failing_test', 1])
    assert.deepEqual(others, [])
  })

  test('finds homework graded below the pass mark, and who handed in nothing', async () => {
    const school = await fineSchool()
    const [good, bad, idle] = [school.learner, await school.another(), await school.another()]
    const homeworkOf = (body: object) =>
      must(201, 'POST', `/api/episodes/${school.episode_id}/homework`, school.author, body)
    const [essay, overdue] = [
      await homeworkOf({ title: 'Weave' }),
      await homeworkOf({ title: 'Dye', due_at: '2026-01-01T00:00:00Z' }),
    ]
    await must(201, 'POST', '/api/enroll', idle, { channel_id: school.channel_id })
    for (const [who, score] of [
      [good, 60],
      [bad, 59.99],
    ] as const) {
      const { id } = await must(201, 'POST', `/api/episodes/homework/${essay.id}/submit`, who, { text: 'x' })
      const grade = `/api/episodes/homework/submissions/${id}/grade`
      await must(200, 'PUT', grade, school.author, { score })
    }
    assert.ok(overdue.id)
    await run(school.admin, 'engagement')
    const suggestions = await found(school.admin)
    const namesOf = (kind: string) => {
      const evidence = suggestions.find((one) => one.kind === kind)?.evidence ?? {}
      return [
        evidence['count'],
        (evidence['learners'] as { user_id: string }[]).map(({ user_id }) => user_id),
      ]
    }
    assert.deepEqual(namesOf('learner_low_grade'), [1, [bad.user_id]])
    assert.equal(namesOf('homework_overdue')[0], 3)
    const missed = suggestions.find(({ kind }) => kind === 'homework_overdue')
    assert.equal(missed?.evidence['handed_in_nothing'], 1)
  })

  test('names more than fifty learners through a list of their own', async () => {
    const school = await fineSchool()
    await enrolled(school, 60)
    await inThePast(school, 15)
    await run(school.admin, 'engagement')
    const [inactive] = (
      await must(200, 'GET', '/api/innovation/suggestions?kind=learner_inactive', school.author)
    ).items
    assert.equal(inactive.evidence.learners.length, 50)
    const url = `/api/innovation/suggestions/${inactive.id}/learners`
    const { items, total, pages } = await must(200, 'GET', `${url}?page=2&per_page=40`, school.author)
    assert.deepEqual([items.length, total, pages], [20, 60, 2])
    const first = await must(200, 'GET', `${url}?per_page=40`, school.admin)
    const all = [...first.items, ...items].map(({ user_id }: { user_id: string }) => user_id)
    assert.equal(new Set(all).size, 60)
    assert.deepEqual(first.items[0].reasons, ['inactive_14_days', 'never_started'])
    const another = await fineSchool()
    for (const stranger of [school.learner, another.admin]) await must(404, 'GET', url, stranger)
    await must(401, 'GET', url, { headers: {} })
    await must(422, 'GET', `${url}?page=0`, school.author)
  })

  test('says nothing about a stop in a course of one episode', async () => {
    const school = await fineSchool()
    const learners = await enrolled(school, 20)
    await db.pool`update learning.enrollments set source = 'auto' where tenant_id = ${school.admin.tenant_id}`
    await db.pool`
      insert into learning.progress (tenant_id, user_id, episode_id, position_ms, watched, progress)
      select ${school.admin.tenant_id}, user_id, ${school.episode_id}, 0, '{[0,1000)}', 0.5
        from unnest(${learners}::text[]) as user_id`
    await run(school.admin, 'engagement')
    assert.ok(!kindsOf(await found(school.admin)).includes('episode_drop_off'))
  })

  test('finds the episode where learners stop and their busiest hour', async () => {
    const school = await fineSchool({ channel: { episodes: [EPISODE, { ...EPISODE, title: 'Dyeing' }] } })
    const learners = await enrolled(school, 20)
    await db.pool`update learning.enrollments set source = 'auto' where tenant_id = ${school.admin.tenant_id}`
    await db.pool`
      insert into learning.progress (tenant_id, user_id, episode_id, position_ms, watched, progress, first_beat_at, updated_at)
      select ${school.admin.tenant_id}, user_id, ${school.episode_id}, 0, '{[0,1000)}', 0.5, '2026-03-04T09:10:00Z', '2026-03-04T09:20:00Z'
        from unnest(${learners}::text[]) as user_id`
    await run(school.admin, 'engagement')
    const suggestions = await found(school.admin)
    assert.deepEqual(kindsOf(suggestions), ['best_time', 'episode_drop_off'])
    assert.deepEqual(suggestions.find(({ kind }) => kind === 'best_time')?.evidence, {
      weekday: 3,
      hour_utc: 9,
      learners: 20,
      among: 20,
    })
    const drop = suggestions.find(({ kind }) => kind === 'episode_drop_off')
    assert.deepEqual(
      [drop?.target.id, drop?.evidence],
      [school.episode_id, { stopped: 20, started: 20, share: 1 }],
    )
  })

  test('finds low completion, inactive learners and ungraded work', async () => {
    const school = await fineSchool()
    await enrolled(school, 20)
    await inThePast(school, 31)
    const { id } = await must(201, 'POST', `/api/episodes/${school.episode_id}/homework`, school.author, {
      title: 'Weave',
    })
    await must(201, 'POST', `/api/episodes/homework/${id}/submit`, school.learner, { text: 'Done' })
    await db.pool`
      update learning.submissions set submitted_at = submitted_at - interval '4 days'
       where tenant_id = ${school.admin.tenant_id} and homework_id = ${id}`
    await run(school.admin, 'engagement')
    assert.deepEqual(kindsOf(await found(school.admin)), [
      'completion_rate_low',
      'enrolled_without_activity',
      'grading_backlog',
      'learner_inactive',
      'learner_never_started',
    ])
  })

  test('finds who lags behind the cohort before a deadline', async () => {
    const school = await fineSchool()
    const learners = await enrolled(school, 20)
    await db.pool`
      insert into learning.progress (tenant_id, user_id, episode_id, position_ms, watched, progress)
      select ${school.admin.tenant_id}, user_id, ${school.episode_id}, 0, '{[0,1000)}', case when place <= 4 then 0.1 else 0.8 end
        from unnest(${learners}::text[]) with ordinality as given(user_id, place)`
    await db.pool`update learning.enrollments set source = 'auto' where tenant_id = ${school.admin.tenant_id}`
    await must(201, 'POST', `/api/episodes/${school.episode_id}/homework`, school.author, {
      title: 'Weave',
      due_at: new Date(Date.now() + 86_400_000).toISOString(),
    })
    await run(school.admin, 'engagement')
    const behind = (await found(school.admin)).find(({ kind }) => kind === 'learner_behind')
    assert.equal(behind?.evidence['count'], 4)
  })

  test('erases the people of an expired suggestion', async () => {
    const school = await fineSchool()
    await enrolled(school, 1)
    await inThePast(school, 15)
    await run(school.admin, 'engagement')
    await db.pool`
      update learning.enrollments set last_activity_at = clock_timestamp(), source = 'auto'
       where tenant_id = ${school.admin.tenant_id}`
    await run(school.admin, 'engagement')
    const settled = await found(school.admin, '&status=expired')
    assert.deepEqual(kindsOf(settled), ['learner_inactive', 'learner_never_started'])
    assert.ok(!JSON.stringify(settled).includes('@example.org'))
    assert.equal(settled[0]?.evidence['count'], 1)
  })

  test('counts no editor as learner', async () => {
    const school = await fineSchool()
    await must(201, 'POST', '/api/enroll', school.author, { channel_id: school.channel_id })
    await must(201, 'POST', '/api/enroll', school.admin, { channel_id: school.channel_id })
    await inThePast(school, 40)
    assert.equal((await run(school.admin, 'engagement')).created, 0)
  })
})

describe('POST /api/innovation/run/{agent_type}', () => {
  test('is for ADMINs, and refuses unknown agents and foreign channels', async () => {
    const school = await fineSchool()
    const other = await fineSchool()
    const url = '/api/innovation/run/content'
    assert.equal((await call('POST', url, { headers: {} }, {})).status, 401)
    assert.equal((await call('POST', url, school.author, {})).status, 403)
    assert.equal((await call('POST', '/api/innovation/run/marketing', school.admin, {})).status, 422)
    assert.equal((await call('POST', url, school.admin, { use_model: 'no' })).status, 422)
    assert.equal((await call('POST', url, school.admin, { channel_id: other.channel_id })).status, 404)
    assert.equal((await call('POST', url, school.admin, { channel_id: 'x' })).status, 422)
  })

  test('refreshes open suggestions instead of repeating them', async () => {
    const school = await fineSchool({ channel: { description: '' } })
    assert.equal((await run(school.admin, 'content')).created, 1)
    const { created, refreshed } = await must(200, 'POST', '/api/innovation/run/content', school.admin)
    assert.deepEqual([created, refreshed], [0, 1])
    assert.equal((await found(school.admin)).length, 1)
  })

  test('fifty concurrent runs never overlap and find nothing twice', async () => {
    const school = await fineSchool({ channel: { description: '' } })
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call('POST', '/api/innovation/run/content', school.admin, {})),
    )
    const ran = replies.filter(({ status }) => status === 200)
    assert.ok(ran.length >= 1)
    for (const reply of replies)
      if (reply.status !== 200)
        assert.deepEqual([reply.status, reply.body.detail], [400, 'This agent is already running'])
    assert.equal(
      ran.reduce((sum, { body }) => sum + body.created, 0),
      1,
    )
    assert.equal((await found(school.admin)).length, 1)
  })

  test('runs again after the previous process died', async () => {
    const school = await fineSchool()
    await db.pool`
      insert into learning.agent_runs (tenant_id, agent_type, run_id, started_at)
      values (${school.admin.tenant_id}, 'content', gen_random_uuid(), clock_timestamp() - interval '59 seconds')`
    assert.equal((await call('POST', '/api/innovation/run/content', school.admin, {})).status, 400)
    await db.pool`
      update learning.agent_runs set started_at = started_at - interval '2 seconds'
       where tenant_id = ${school.admin.tenant_id}`
    await run(school.admin, 'content')
  })
})
