import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aSchool, call, must, paperOf, SEVEN, SINGLE, TRUE } from '#testing/exams.ts'
import { anAdmin, nobody } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { place } from './places.ts'
import { AuthorQuestion, ChangedQuestion } from './views.ts'

type Item = { id: string; text: string }
const questionsOf = (test_id: string) => `/api/episodes/tests/${test_id}/questions`
const one = (question_id: string) => `/api/episodes/questions/${question_id}`
const options = (...parts: object[]) => parts.map((part, index) => ({ text: `o${index}`, ...part }))

describe('POST /api/episodes/tests/{id}/questions', () => {
  test('creates each type with defaults and reads it back unchanged', async () => {
    const { author, test_id, episode_id } = await aSchool()
    const { items } = await must(201, 'POST', questionsOf(test_id), author, { questions: SEVEN })
    assert.equal(items.length, 7)
    for (const [index, item] of items.entries()) {
      assertExactly(AuthorQuestion, item)
      assert.deepEqual(
        [item.test_id, item.position, item.version, item.scoring, item.explanation],
        [test_id, index + 1, 1, 'partial', ''],
      )
    }
    const [single, , , short, numeric, matching, ordering] = items
    assert.deepEqual(
      single.options.map((option: object) => ({ ...option, id: '' })),
      [
        { id: '', text: 'Paris', correct: true, fraction: null, feedback: null },
        { id: '', text: 'Rome', correct: false, fraction: null, feedback: null },
        { id: '', text: 'Bern', correct: false, fraction: null, feedback: null },
      ],
    )
    assert.deepEqual(
      [short.accepted, short.case_sensitive, short.ignore_accents],
      [[{ text: 'Goethe', fraction: 1 }], false, false],
    )
    assert.deepEqual(
      [numeric.accepted, numeric.unit],
      [[{ value: '9.81', tolerance: 0.01, tolerance_type: 'absolute', fraction: 1 }], 'm/s²'],
    )
    assert.deepEqual(
      matching.distractors.map((item: Item) => item.text),
      ['quattro'],
    )
    assert.deepEqual(
      ordering.items.map((item: Item) => item.text),
      ['first', 'second', 'third', 'fourth'],
    )
    assert.deepEqual((await must(200, 'GET', questionsOf(test_id), author)).items, items)
    const [quiz] = (await must(200, 'GET', `/api/episodes/${episode_id}/tests`, author)).items
    assert.deepEqual([quiz.question_count, quiz.max_score], [7, 14])
  })

  test('answers a single question alone, with 1 point by default', async () => {
    const { author, test_id } = await aSchool()
    const made = await must(201, 'POST', questionsOf(test_id), author, TRUE)
    assertExactly(AuthorQuestion, made)
    assert.deepEqual([made.points, made.correct, made.position], [1, true, 1])
  })

  test('derives whether an option is correct from its fraction', async () => {
    const { author, test_id } = await aSchool()
    const sent = options({ fraction: 1 }, { fraction: 0.5, correct: false }, { fraction: -0.3333333 })
    const made = await must(201, 'POST', questionsOf(test_id), author, { ...SINGLE, options: sent })
    assert.deepEqual(
      made.options.map(({ correct, fraction }: { correct: boolean; fraction: number }) => [
        correct,
        fraction,
      ]),
      [
        [true, 1],
        [false, 0.5],
        [false, -0.3333333],
      ],
    )
  })

  const wrong: [string, object][] = [
    ['no type', { prompt: 'x' }],
    ['an unknown type', { type: 'essay', prompt: 'x' }],
    ['no prompt', { type: 'true_false', correct: true }],
    ['no points at all', { ...TRUE, points: 0 }],
    ['points with 3 decimals', { ...TRUE, points: 0.125 }],
    ['more than 1000 points', { ...TRUE, points: 1000.01 }],
    ['the position 0', { ...TRUE, position: 0 }],
    ['a flag as text', { ...TRUE, correct: 'true' }],
    ['no correct in true_false', { type: 'true_false', prompt: 'x' }],
    ['no options', { type: 'single_choice', prompt: 'x' }],
    ['one option', { ...SINGLE, options: options({ correct: true }) }],
    [
      '21 options',
      {
        ...SINGLE,
        options: options(...Array.from({ length: 21 }, (_, index) => ({ correct: index === 0 }))),
      },
    ],
    ['no correct option', { ...SINGLE, options: options({}, {}) }],
    [
      'two correct options of a single choice',
      { ...SINGLE, options: options({ correct: true }, { correct: true }) },
    ],
    [
      'a multiple choice without a correct option',
      { ...SINGLE, type: 'multiple_choice', options: options({}, {}) },
    ],
    ['a fraction above 1', { ...SINGLE, options: options({ fraction: 1.1 }, {}) }],
    [
      'a fraction with 8 decimals',
      { ...SINGLE, options: options({ correct: true, fraction: 0.12345678 }, {}) },
    ],
    ['a blank option', { ...SINGLE, options: options({ correct: true }, { text: '' }) }],
    ['no accepted text', { type: 'short_answer', prompt: 'x', accepted: [] }],
    ['an accepted text without text', { type: 'short_answer', prompt: 'x', accepted: [{ value: 1 }] }],
    [
      'a negative fraction of a text',
      { type: 'short_answer', prompt: 'x', accepted: [{ text: 'a', fraction: -1 }] },
    ],
    ['an accepted number that is none', { type: 'numeric', prompt: 'x', accepted: [{ value: 'ten' }] }],
    ['an exponent out of reach', { type: 'numeric', prompt: 'x', accepted: [{ value: '1e31' }] }],
    ['a negative tolerance', { type: 'numeric', prompt: 'x', accepted: [{ value: 1, tolerance: '-1' }] }],
    [
      'a range that ends before it begins',
      { type: 'numeric', prompt: 'x', accepted: [{ min: 2, max: '1.9' }] },
    ],
    ['half a range', { type: 'numeric', prompt: 'x', accepted: [{ min: 2 }] }],
    ['one pair', { type: 'matching', prompt: 'x', pairs: [{ left: 'a', right: 'b' }] }],
    [
      'equal left sides',
      {
        type: 'matching',
        prompt: 'x',
        pairs: [
          { left: 'a', right: 'b' },
          { left: 'a', right: 'c' },
        ],
      },
    ],
    [
      'a distractor that is right',
      {
        type: 'matching',
        prompt: 'x',
        pairs: [
          { left: 'a', right: 'b' },
          { left: 'c', right: 'd' },
        ],
        distractors: ['b'],
      },
    ],
    ['equal items', { type: 'ordering', prompt: 'x', items: ['a', 'b', { text: 'a' }] }],
    ['an item that is a number', { type: 'ordering', prompt: 'x', items: ['a', 2] }],
    ['an item without text', { type: 'ordering', prompt: 'x', items: ['a', { id: 'b' }] }],
    ['an empty list of questions', { questions: [] }],
  ]
  test('answers 422 to what cannot be graded, and says where', async () => {
    const { author, test_id } = await aSchool()
    for (const [name, payload] of wrong) {
      const reply = await call('POST', questionsOf(test_id), author, payload)
      assert.equal(reply.status, 422, `${name}: ${reply.text}`)
      assert.deepEqual(Object.keys(reply.body), ['detail'], name)
    }
    const second = await must(422, 'POST', questionsOf(test_id), author, {
      questions: [TRUE, { ...SINGLE, options: options({}, {}) }],
    })
    assert.equal(second.detail, 'questions[1].options: must have exactly one correct option')
    assert.equal((await must(200, 'GET', questionsOf(test_id), author)).total, 0)
  })

  test('accepts equal right sides and any script, stored as NFC', async () => {
    const { author, test_id } = await aSchool()
    const made = await must(201, 'POST', questionsOf(test_id), author, {
      type: 'matching',
      prompt: 'Cafe\u0301 <b>&</b> 𝔘 ﷽',
      pairs: [
        { left: 'a', right: 'b' },
        { left: 'c', right: 'b' },
      ],
    })
    assert.equal(made.prompt, 'Café <b>&</b> 𝔘 ﷽')
    assert.notEqual(made.pairs[0].right_id, made.pairs[1].right_id)
  })

  test('allows 500 questions, all of a request or none', async () => {
    const { author, test_id } = await aSchool()
    const questions = Array.from({ length: 100 }, () => TRUE)
    for (let times = 0; times < 4; times++)
      await must(201, 'POST', questionsOf(test_id), author, { questions })
    await must(201, 'POST', questionsOf(test_id), author, { questions: questions.slice(1) })
    await must(400, 'POST', questionsOf(test_id), author, { questions: [TRUE, TRUE] })
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => call('POST', questionsOf(test_id), author, TRUE)),
    )
    assert.equal(replies.filter(({ status }) => status === 201).length, 1)
    const { total, items } = await must(200, 'GET', `${questionsOf(test_id)}?page=5&per_page=100`, author)
    assert.deepEqual([total, items.length, items.at(-1).position], [500, 100, 500])
    await must(422, 'POST', questionsOf(test_id), author, { questions: [...questions, TRUE] })
  })

  test('is for editors: 401, 403, 404', async () => {
    const { learner, author, test_id } = await aSchool()
    await must(401, 'POST', questionsOf(test_id), await nobody(), TRUE)
    await must(403, 'POST', questionsOf(test_id), learner, TRUE)
    await must(404, 'POST', questionsOf(test_id), await anAdmin(), TRUE)
    await must(404, 'POST', questionsOf(newId()), author, TRUE)
  })
})

describe('the place of a question', () => {
  const at = (...positions: number[]) => positions.map((position) => ({ id: `q${position}`, position }))
  test('shifts later questions for an inserted one, not into a gap', () => {
    assert.deepEqual(place(at(1, 2, 3), 'new', 2), [
      { id: 'q2', position: 3 },
      { id: 'q3', position: 4 },
      { id: 'new', position: 2 },
    ])
    assert.deepEqual(place(at(1, 3), 'new', 2), [{ id: 'new', position: 2 }])
    assert.deepEqual(place(at(1, 3), 'new', undefined), [{ id: 'new', position: 4 }])
    assert.deepEqual(place(at(1), 'new', 77), [{ id: 'new', position: 2 }])
  })
  test('shifts the questions between old and new place', () => {
    assert.deepEqual(place(at(1, 2, 3), 'q1', 3), [
      { id: 'q2', position: 1 },
      { id: 'q3', position: 2 },
      { id: 'q1', position: 3 },
    ])
    assert.deepEqual(place(at(1, 2, 3), 'q3', 1), [
      { id: 'q1', position: 2 },
      { id: 'q2', position: 3 },
      { id: 'q3', position: 1 },
    ])
    assert.deepEqual(place(at(1, 2, 3), 'q1', 99), place(at(1, 2, 3), 'q1', 3))
    assert.deepEqual(place(at(1, 2, 3), 'q2', 2), [])
  })

  test('holds through POST, PUT and DELETE, which leaves a gap', async () => {
    const { author, test_id } = await aSchool({
      questions: ['a', 'b', 'c'].map((prompt) => ({ ...TRUE, prompt })),
    })
    const order = async () =>
      (await paperOf(test_id, author)).items.map(
        ({ prompt, position }: { prompt: string; position: number }) => `${prompt}${position}`,
      )
    const [a, b] = (await paperOf(test_id, author)).items
    await must(200, 'PUT', one(a.id), author, { position: 3 })
    assert.deepEqual(await order(), ['b1', 'c2', 'a3'])
    await must(201, 'POST', questionsOf(test_id), author, { ...TRUE, prompt: 'd', position: 2 })
    assert.deepEqual(await order(), ['b1', 'd2', 'c3', 'a4'])
    await must(200, 'DELETE', one(b.id), author)
    assert.deepEqual(await order(), ['d2', 'c3', 'a4'])
    await must(200, 'PUT', one(a.id.toUpperCase()), author, { position: 1 })
    assert.deepEqual(await order(), ['a1', 'd2', 'c3'])
  })
})

describe('PUT /api/episodes/questions/{id}', () => {
  test('keeps ids sent back and replaces unknown or repeated ones', async () => {
    const { author, test_id } = await aSchool({ questions: [SINGLE] })
    const [question] = (await paperOf(test_id, author)).items
    const [paris, rome] = question.options
    const changed = await must(200, 'PUT', one(question.id), author, {
      options: [
        { ...rome, text: 'Roma' },
        paris,
        { id: rome.id, text: 'Oslo' },
        { id: 'mine', text: 'Kyiv' },
      ],
    })
    assertExactly(ChangedQuestion, changed)
    const [first, second, third, fourth] = changed.options
    assert.deepEqual([first.id, first.text, second.id], [rome.id, 'Roma', paris.id])
    assert.ok(third.id !== rome.id && fourth.id !== 'mine')
    assert.deepEqual([changed.prompt, changed.version], [question.prompt, 2])
  })

  test('keeps ids of sides, items and distractors sent back', async () => {
    const { author, test_id } = await aSchool({ questions: SEVEN })
    const { items } = await paperOf(test_id, author)
    const matching = items[5]
    const [pair, ...others] = matching.pairs
    const again = await must(200, 'PUT', one(matching.id), author, {
      pairs: [{ ...pair, right: 'UNO' }, ...others],
      distractors: [...matching.distractors, 'cinque'],
    })
    assert.deepEqual(again.pairs, [{ ...pair, right: 'UNO' }, ...others])
    assert.deepEqual(again.distractors[0], matching.distractors[0])
    const { items: ordered } = await must(200, 'PUT', one(items[6].id), author, {
      items: items[6].items.toReversed(),
    })
    assert.deepEqual(ordered, items[6].items.toReversed())
  })

  test('checks the rules of the type on the merged question', async () => {
    const { author, test_id } = await aSchool({ questions: SEVEN })
    const { items } = await paperOf(test_id, author)
    await must(422, 'PUT', one(items[0].id), author, { options: options({}, {}) })
    await must(422, 'PUT', one(items[5].id), author, { distractors: ['due'] })
    await must(422, 'PUT', one(items[0].id), author, { prompt: null })
    await must(400, 'PUT', one(items[0].id), author, { type: 'multiple_choice' })
    for (const payload of [{}, { version: 9, test_id: newId() }, { type: 'single_choice' }])
      await must(400, 'PUT', one(items[0].id), author, payload)
    await must(200, 'PUT', one(items[0].id), author, { type: 'single_choice', prompt: 'Yes' })
  })

  test('creates a version only on change, and takes null as default', async () => {
    const { author, test_id } = await aSchool({
      questions: [{ ...SEVEN[4], explanation: 'Because', scoring: 'all_or_nothing' }],
    })
    const [question] = (await paperOf(test_id, author)).items
    const { prompt, points, accepted, unit } = question
    const same = await must(200, 'PUT', one(question.id), author, {
      prompt,
      points,
      accepted,
      unit,
      position: 1,
    })
    assert.deepEqual([same.version, same.regrade], [1, { mode: 'none', attempts: 0, done: true }])
    const nulls = { points: null, scoring: null, explanation: null, unit: null }
    const plain = await must(200, 'PUT', one(question.id), author, nulls)
    assert.deepEqual(
      [plain.points, plain.scoring, plain.explanation, plain.unit, plain.version],
      [1, 'partial', '', null, 2],
    )
  })

  test('is for editors, like DELETE, and hides deleted questions', async () => {
    const { author, learner, test_id, admin } = await aSchool({ questions: [TRUE] })
    const [{ id }] = (await paperOf(test_id, author)).items
    const stranger = await anAdmin()
    for (const [method, payload] of [
      ['PUT', { prompt: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      await must(401, method, one(id), await nobody(), payload)
      await must(403, method, one(id), learner, payload)
      await must(404, method, one(id), stranger, payload)
      await must(404, method, one(newId()), author, payload)
    }
    const gone = await must(200, 'DELETE', one(id), admin)
    assert.deepEqual(Object.keys(gone), ['id', 'deleted', 'deleted_at'])
    await must(404, 'DELETE', one(id), author)
    await must(404, 'PUT', one(id), author, { prompt: 'x' })
    assert.equal((await must(200, 'GET', questionsOf(test_id), author)).total, 0)
  })

  test('gives each of 50 concurrent writers a separate version', async () => {
    const { author, test_id } = await aSchool({ questions: [TRUE] })
    const [{ id }] = (await paperOf(test_id, author)).items
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => call('PUT', one(id), author, { prompt: `p${index}` })),
    )
    const versions = replies.map(({ body }) => body.version).toSorted((a, b) => a - b)
    assert.deepEqual(
      versions,
      Array.from({ length: 50 }, (_, index) => index + 2),
    )
  })
})
