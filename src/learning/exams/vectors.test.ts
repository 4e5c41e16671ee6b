import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { learning } = await world()

type Named = { id: string; text: string }
/** A question as its author reads it, with the ids that answers refer to. */
type Author = {
  id: string
  options?: Named[]
  items?: Named[]
  pairs?: { left_id: string; left: string; right_id: string; right: string }[]
}
/** Builds a learner's answer from the ids, which it finds by text where there is one. */
type Answer = (question: Author) => unknown

/** Takes a test of these questions once: the reply, with the points of each question. */
async function take(questions: (readonly [object, Answer])[], fields: object = {}) {
  const [author, anna] = [await aUser(), await aUser()]
  const post = async ({ headers }: typeof author, url: string, payload: object) => {
    const reply = await learning.inject({ method: 'POST', url, headers, payload })
    assert.equal(reply.statusCode, 201, reply.body)
    return reply.json()
  }
  const channel = await post(author, '/api/channels', { title: 'C', episodes: [{ title: 'One' }] })
  const { id } = await post(author, `/api/episodes/${channel.episodes[0].id}/tests`, {
    title: 'T',
    feedback_policy: 'per_question',
    ...fields,
  })
  const bodies = questions.map(([body]) => ({ prompt: 'p', ...body }))
  const { items } = (await post(author, `/api/episodes/tests/${id}/questions`, { questions: bodies })) as {
    items: Author[]
  }
  const answers = items.map((item, at) => ({ question_id: item.id, answer: questions[at]?.[1](item) }))
  const attempt = await post(anna, `/api/episodes/tests/${id}/attempt`, { answers })
  const awarded: number[] = attempt.per_question.map(
    ({ points_awarded }: { points_awarded: number }) => points_awarded,
  )
  return { ...attempt, awarded }
}

const said =
  (answer: unknown): Answer =>
  () =>
    answer
const chosen =
  (...texts: string[]): Answer =>
  ({ options = [] }) =>
    options.filter(({ text }) => texts.includes(text)).map(({ id }) => id)
const one =
  (text: string): Answer =>
  ({ options = [] }) =>
    options.find((option) => option.text === text)?.id
const inOrder =
  (...texts: string[]): Answer =>
  ({ items = [] }) =>
    texts.map((text) => items.find((item) => item.text === text)?.id)
const matched =
  (sides: Record<string, string>): Answer =>
  ({ pairs = [] }) =>
    Object.fromEntries(
      pairs.map(({ left_id, left }) => [
        left_id,
        pairs.find(({ right }) => right === sides[left])?.right_id ?? null,
      ]),
    )

const multiple = (texts: string, right: string, points: number) => ({
  type: 'multiple_choice',
  points,
  options: Array.from(texts, (text) => ({ text, correct: right.includes(text) })),
})
const water = {
  type: 'multiple_choice',
  points: 2,
  options: Object.entries({ H: 0.5, O: 0.5, Cl: -0.5, He: -1 }).map(([text, fraction]) => ({
    text,
    fraction,
  })),
}
const thirds = {
  type: 'multiple_choice',
  options: Object.entries({ a: 0.3333333, b: 0.3333333, c: 0.3333333, d: -1 }).map(([text, fraction]) => ({
    text,
    fraction,
  })),
}
const york = {
  type: 'short_answer',
  case_sensitive: true,
  accepted: [{ text: 'York' }, { text: 'york', fraction: 0.5 }],
}
const short = (text: string, rest: object = {}) => ({ type: 'short_answer', accepted: [{ text }], ...rest })
const numeric = (...accepted: object[]) => ({ type: 'numeric', accepted })
const year = numeric({ value: 1822, tolerance: 0 }, { value: 1822, tolerance: 2, fraction: 0.5 })

const VECTORS: [what: string, question: object, answer: Answer, points: number][] = [
  ['2 right and 1 wrong of 2', multiple('abcd', 'ab', 4), chosen('a', 'b', 'c'), 2],
  ['1 right of 2', multiple('abcd', 'ab', 4), chosen('a'), 2],
  ['1 right and 1 wrong of 2', multiple('abcd', 'ab', 4), chosen('a', 'c'), 0],
  ['nothing', multiple('abcd', 'ab', 4), chosen(), 0],
  ['everything', multiple('abcd', 'ab', 4), chosen('a', 'b', 'c', 'd'), 0],
  ['{H,O}', water, chosen('H', 'O'), 2],
  ['{H}', water, chosen('H'), 1],
  ['{H,Cl}', water, chosen('H', 'Cl'), 0],
  ['{H,O,Cl}', water, chosen('H', 'O', 'Cl'), 1],
  ['{H,O,He}', water, chosen('H', 'O', 'He'), 0],
  ['{}', water, chosen(), 0],
  ['"York"', york, said('York'), 1],
  ['"york"', york, said('york'), 0.5],
  ['" York "', york, said(' York '), 1],
  ['"Yorke"', york, said('Yorke'), 0],
  ['three times 33.33333 %', thirds, chosen('a', 'b', 'c'), 1],
  ['and one −100 %', thirds, chosen('a', 'b', 'c', 'd'), 0],
  ['1822', year, said('1822'), 1],
  ['1824', year, said('1824'), 0.5],
  ['1825', year, said('1825'), 0],
  ['-11.72', numeric({ value: -11.7, tolerance: 0.02 }), said('-11.72'), 1],
  ['3.141', numeric({ value: 3.1415, tolerance: 0.0005 }), said('3.141'), 1],
  ['1,5', numeric({ value: 1.5 }), said('1,5'), 1],
  ['1,234', numeric({ value: '1234' }), said('1,234'), 1],
  ['U+2212 2', numeric({ value: -2 }), said('\u22122'), 1],
  ['NaN', numeric({ min: '-1e30', max: '1e30' }), said('NaN'), 0],
  ['no number', numeric({ min: '-1e30', max: '1e30' }), said(''), 0],
  ['1e400', numeric({ min: '-1e30', max: '1e30' }), said('1e400'), 0],
  ['meiosis', short('mitosis'), said('meiosis'), 0],
  ['hypotension', short('hypertension'), said('hypotension'), 0],
  ['efferent', short('afferent'), said('efferent'), 0],
  ['1914-1919', short('1914-1918'), said('1914-1919'), 0],
  ['exothermic', short('endothermic'), said('exothermic'), 0],
  ['" NO  ONE "', short('no one'), said(' NO  ONE '), 1],
  ['cafe with a combining accent', short('café'), said('cafe\u0301'), 1],
  ['cafe, accents passed over', short('café', { ignore_accents: true }), said('cafe'), 1],
]

describe('the golden vectors through HTTP', async () => {
  const { awarded, score } = await take(VECTORS.map(([, question, answer]) => [question, answer] as const))
  for (const [at, [what, question, , points]] of VECTORS.entries())
    test(`${(question as { type: string }).type} ${what}: ${points}`, () => assert.equal(awarded[at], points))

  test('add up exactly', () => {
    assert.equal(
      score,
      VECTORS.reduce((sum, [, , , points]) => sum + points, 0),
    )
  })
})

const SEVEN = [
  [{ type: 'single_choice', options: [{ text: 'a', correct: true }, { text: 'b' }] }, one('a')],
  [multiple('abcd', 'abc', 4), chosen('a', 'b')],
  [
    {
      type: 'matching',
      points: 2,
      pairs: [
        { left: '1', right: 'i' },
        { left: '2', right: 'ii' },
        { left: '3', right: 'iii' },
      ],
    },
    matched({ 1: 'i', 2: 'ii', 3: 'i' }),
  ],
  [{ type: 'ordering', points: 3, items: ['a', 'b', 'c', 'd'] }, inOrder('a', 'd', 'b', 'c')],
  [numeric({ value: 7 }), said(7)],
  [{ type: 'short_answer', accepted: [{ text: 'yes' }, { text: 'maybe', fraction: 0.5 }] }, said('maybe')],
  [{ type: 'true_false', correct: true }, said(false)],
] as const

test('seven questions score 7.25 of 13, 55.77 %, and fail 60', async () => {
  const { score, max_score, percent, passed, awarded, kept } = await take([...SEVEN])
  assert.deepEqual([score, max_score, percent, passed], [7.25, 13, 55.77, false])
  assert.deepEqual(awarded, [1, 2.67, 1.33, 0.75, 1, 0.5, 0])
  assert.deepEqual(kept, { score: 7.25, percent: 55.77, policy: 'best' })
})

test('the verdict uses the displayed percent', async () => {
  assert.equal((await take([...SEVEN], { passing_percent: 55.77 })).passed, true)
})

test('an empty attempt scores nothing, with every question unanswered', async () => {
  const { score, per_question } = await take(SEVEN.map(([question]) => [question, said(null)] as const))
  assert.equal(score, 0)
  assert.ok(per_question.every(({ outcome }: { outcome: string }) => outcome === 'unanswered'))
})
