import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must, paperOf, type Who } from '#testing/exams.ts'

const CANARY = 'canary-7f3a'
/** A secret number whose digits occur nowhere else. */
const NUMBER = '8675309.8675309'

/** Questions whose fields contain the canary wherever the learner's view omits them. */
const QUESTIONS: Record<string, unknown>[] = [
  {
    type: 'single_choice',
    options: [
      { text: 'a', correct: true, feedback: `${CANARY} a` },
      { text: 'b', fraction: -0.7654321, feedback: CANARY },
    ],
  },
  {
    type: 'multiple_choice',
    options: [
      { text: 'a', correct: true, fraction: 0.7654321, feedback: CANARY },
      { text: 'b', feedback: CANARY },
    ],
  },
  { type: 'true_false', correct: true },
  { type: 'short_answer', accepted: [{ text: `${CANARY}*`, fraction: 0.7654321 }], case_sensitive: true },
  {
    type: 'numeric',
    accepted: [
      { value: NUMBER, tolerance: NUMBER },
      { min: NUMBER, max: NUMBER },
    ],
  },
  {
    type: 'matching',
    pairs: [
      { left: 'a', right: 'b' },
      { left: 'c', right: 'd' },
    ],
    distractors: ['e'],
  },
  { type: 'ordering', items: ['a', 'b', 'c'] },
].map((question) => ({ prompt: 'Q', explanation: CANARY, ...question }))

const SECRETS = [CANARY, NUMBER, '7654321']
const KEYS =
  /"(?:correct|fraction|accepted|tolerance\w*|pairs|distractors|explanation|feedback|case_sensitive)":/

test('no route, error or header shows a learner the key', async () => {
  const { learner, author, channel_id, episode_id, test_id } = await aSchool({ questions: QUESTIONS })
  const draft = await must(201, 'POST', `/api/episodes/${episode_id}/tests`, author, {
    title: CANARY,
    status: 'draft',
  })
  await must(201, 'POST', `/api/episodes/tests/${draft.id}/questions`, author, { questions: QUESTIONS })
  const written = await call('GET', `/api/episodes/tests/${test_id}/questions`, author)
  for (const secret of SECRETS) assert.ok(written.text.includes(secret), `the author reads ${secret}`)

  const heard: { what: string; text: string }[] = []
  const ask = async (...request: Parameters<typeof call>) => {
    const { status, text, headers, body } = await call(...request)
    heard.push({ what: `${request[0]} ${request[1]} ${status}`, text: text + JSON.stringify(headers) })
    return body
  }
  const { items } = await ask('GET', `/api/episodes/tests/${test_id}/questions`, learner)
  await everyRoute(ask, learner, {
    channel_id,
    episode_id,
    test_id,
    draft_id: draft.id,
    question_id: items[0].id,
  })

  for (const change of [
    { feedback_policy: 'score' },
    { feedback_policy: 'per_question' },
    { feedback_policy: 'after_final' },
  ]) {
    await must(200, 'PUT', `/api/episodes/tests/${test_id}`, author, { ...change, show_explanations: false })
    await answerInEveryWay(ask, learner, test_id, items)
  }
  await must(200, 'PUT', `/api/episodes/tests/${test_id}`, author, { closes_at: '2020-01-01T00:00:00Z' })
  await ask('GET', `/api/episodes/tests/${test_id}/questions`, learner)
  await everyRoute(ask, learner, {
    channel_id,
    episode_id,
    test_id,
    draft_id: draft.id,
    question_id: items[0].id,
  })

  assert.ok(heard.length > 60)
  for (const { what, text } of heard) {
    for (const secret of SECRETS) assert.ok(!text.includes(secret), `${what} tells ${secret}: ${text}`)
    assert.doesNotMatch(text, KEYS, what)
  }
})

type Ask = (...request: Parameters<typeof call>) => Promise<{ items: { id: string }[] }>
type Ids = { channel_id: string; episode_id: string; test_id: string; draft_id: string; question_id: string }

/** Valid and invalid calls of every route that a learner can use near a test. */
async function everyRoute(
  ask: Ask,
  who: Who,
  { channel_id, episode_id, test_id, draft_id, question_id }: Ids,
) {
  for (const query of ['', '?view=student', '?view=author', '?view=key', '?per_page=1&page=2', '?page=0'])
    await ask('GET', `/api/episodes/tests/${test_id}/questions${query}`, who)
  for (const url of [
    `/api/episodes/${episode_id}/tests`,
    `/api/episodes/${episode_id}/tests?test_id=${test_id}&result_page=1`,
    `/api/episodes/${episode_id}/tests?test_id=${draft_id}`,
    `/api/episodes/tests/${draft_id}/questions?view=author`,
    `/api/channels/${channel_id}?include=stats`,
    `/api/device/feed/${channel_id}`,
    `/api/grades/${episode_id}`,
    '/api/grades',
    '/api/enrollments?include=activity',
  ])
    await ask('GET', url, who)
  for (const [method, url] of [
    ['PUT', `/api/episodes/tests/${test_id}`],
    ['PUT', `/api/episodes/questions/${question_id}`],
    ['POST', `/api/episodes/tests/${test_id}/questions`],
    ['POST', `/api/episodes/${episode_id}/tests`],
  ] as const)
    for (const payload of [
      {},
      { ...QUESTIONS[0], prompt: '', explanation: 'x', options: [] },
      { title: 'x', prompt: 'x', regrade: 'full_credit' },
    ])
      await ask(method, url, who, payload)
  for (const url of [`/api/episodes/tests/${test_id}`, `/api/episodes/questions/${question_id}`])
    await ask('DELETE', url, who)
}

async function answerInEveryWay(ask: Ask, who: Who, test_id: string, items: { id: string }[]) {
  const given: unknown[] = [
    '',
    null,
    1,
    true,
    false,
    'x',
    'a',
    NUMBER.slice(0, 3),
    ['x'],
    [],
    {},
    { a: 'b' },
    [['x']],
  ]
  for (const answer of given)
    for (const question_ids of [items.map(({ id }) => id), [items[0]?.id], [newId()]])
      await ask('POST', `/api/episodes/tests/${test_id}/attempt`, who, {
        answers: question_ids.map((question_id) => ({ question_id, answer })),
      })
}

test('show_explanations explains a final attempt and its choices only', async () => {
  const { learner, author, test_id } = await aSchool({
    questions: QUESTIONS.slice(0, 1),
    test: { feedback_policy: 'per_question', show_explanations: true, max_attempts: 2 },
  })
  const [{ id, options }] = (await paperOf(test_id, author)).items
  const chosen = options.find(({ text }: { text: string }) => text === 'b').id
  const submit = () =>
    must(201, 'POST', `/api/episodes/tests/${test_id}/attempt`, learner, {
      answers: [{ question_id: id, answer: chosen }],
    })
  const first = await submit()
  assert.ok(!JSON.stringify(first).includes(CANARY))
  const { per_question } = await submit()
  assert.deepEqual([per_question[0].explanation, per_question[0].feedback], [CANARY, CANARY])
})
