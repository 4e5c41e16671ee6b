import assert from 'node:assert/strict'
import { aColleague, anAdmin, type Headers, type Person } from './people.ts'
import { world } from './world.ts'

export type Who = { headers: Headers }

/** Calls the learning service; `body` is the parsed JSON of the reply. */
export async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD',
  url: string,
  who: Who,
  payload?: object,
  more: Headers = {},
) {
  const { learning } = await world()
  const headers = { ...who.headers, ...more }
  const reply = await learning.inject({ method, url, headers, ...(payload && { payload }) })
  // Tests read any field of any reply. A wrong guess of the shape fails the assertion that reads it.
  // oxlint-disable-next-line typescript/no-explicit-any
  const body = (reply.body === '' ? undefined : JSON.parse(reply.body)) as any
  return { status: reply.statusCode, body, text: reply.body, headers: reply.headers }
}

/** Like `call`, but fails on any other status. Returns the body. */
export async function must(status: number, ...request: Parameters<typeof call>) {
  const reply = await call(...request)
  assert.equal(reply.status, status, `${request[0]} ${request[1]}: ${reply.text}`)
  return reply.body
}

export type School = {
  admin: Person
  author: Person
  learner: Person
  another: () => Promise<Person>
  channel_id: string
  episode_id: string
  test_id: string
}

/** A new tenant with a channel of one author, which has one episode with one test, and a learner. */
export async function aSchool({
  channel = {},
  test = {},
  questions = [],
}: { channel?: object; test?: object; questions?: object[] } = {}): Promise<School> {
  const admin = await anAdmin()
  const another = () => aColleague(admin)
  const [author, learner] = await Promise.all([another(), another()])
  const made = await must(201, 'POST', '/api/channels', author, {
    title: 'Course',
    episodes: [{ title: 'One' }],
    ...channel,
  })
  const episode_id = made.episodes[0].id as string
  const { id: test_id } = await must(201, 'POST', `/api/episodes/${episode_id}/tests`, author, {
    title: 'Quiz',
    ...test,
  })
  const school = {
    admin,
    author,
    learner,
    another,
    channel_id: made.id as string,
    episode_id,
    test_id: test_id as string,
  }
  if (questions.length > 0)
    await must(201, 'POST', `/api/episodes/tests/${school.test_id}/questions`, author, { questions })
  return school
}

export const SINGLE = {
  type: 'single_choice',
  prompt: 'Capital of France?',
  options: [{ text: 'Paris', correct: true }, { text: 'Rome' }, { text: 'Bern' }],
}
export const TRUE = { type: 'true_false', prompt: 'Is it so?', correct: true }

/** One question of each type, worth 2 points each. */
export const SEVEN: Record<string, unknown>[] = [
  SINGLE,
  {
    type: 'multiple_choice',
    prompt: 'Which are primes?',
    options: [{ text: '2', correct: true }, { text: '3', correct: true }, { text: '4' }],
  },
  TRUE,
  { type: 'short_answer', prompt: 'Who wrote Faust?', accepted: [{ text: 'Goethe' }] },
  { type: 'numeric', prompt: 'g?', accepted: [{ value: '9.81', tolerance: 0.01 }], unit: 'm/s²' },
  {
    type: 'matching',
    prompt: 'Match',
    pairs: [
      { left: 'one', right: 'uno' },
      { left: 'two', right: 'due' },
      { left: 'three', right: 'tre' },
    ],
    distractors: ['quattro'],
  },
  { type: 'ordering', prompt: 'Order', items: ['first', 'second', 'third', 'fourth'] },
].map((question) => ({ points: 2, ...question }))

/** The questions that a learner sees, by prompt. */
export async function paperOf(test_id: string, who: Who, query = '') {
  const { items, attempt } = await must(
    200,
    'GET',
    `/api/episodes/tests/${test_id}/questions?per_page=100${query}`,
    who,
  )
  return { items, attempt }
}
