import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gradeAnswers } from './graded.ts'
import { gradeAnswer } from './grading.ts'
import { answerFault, type QuestionKey } from './kinds.ts'
import type { KeyOption } from './kinds/choice.ts'
import type { KeyedQuestion } from './keys.ts'

type Common = { points?: number; scoring?: QuestionKey['scoring'] }
const common = ({ points = 1, scoring = 'partial' }: Common) => ({ points, scoring })
/** Options a, b, c …; those in `right` are correct. */
const choices = (ids: string, right: string, rest: Common = {}): QuestionKey => ({
  ...common(rest),
  type: 'multiple_choice',
  options: Array.from(ids, (id) => option(id, right.includes(id))),
})
const option = (id: string, correct: boolean, fraction: number | null = null): KeyOption => ({
  id,
  text: id,
  correct,
  fraction,
  feedback: null,
})
const weighted = (fractions: Record<string, number>, points = 1): QuestionKey => ({
  ...common({ points }),
  type: 'multiple_choice',
  options: Object.entries(fractions).map(([id, fraction]) => option(id, fraction > 0, fraction)),
})
const text = (accepted: Record<string, number>, rules: object = {}): QuestionKey => ({
  ...common({}),
  type: 'short_answer',
  accepted: Object.entries(accepted).map(([text, fraction]) => ({ text, fraction })),
  case_sensitive: false,
  ignore_accents: false,
  ...rules,
})
const matching = (pairs: [string, string][], distractors: string[] = [], rest: Common = {}): QuestionKey => ({
  ...common(rest),
  type: 'matching',
  pairs: pairs.map(([left, right], at) => ({ left_id: `l${at}`, left, right_id: `r${at}`, right })),
  distractors: distractors.map((text, at) => ({ id: `d${at}`, text })),
})
const ordering = (ids: string, rest: Common = {}): QuestionKey => ({
  ...common(rest),
  type: 'ordering',
  items: Array.from(ids, (id) => ({ id, text: id })),
})
const trueFalse: QuestionKey = { ...common({}), type: 'true_false', correct: true }
const pointsFor = (question: QuestionKey, answer: unknown) => gradeAnswer(question, answer).points_awarded

describe('multiple choice without fractions, 4 points, 2 of 4 correct', () => {
  const question = choices('abcd', 'ab', { points: 4 })
  for (const [answer, points] of [
    ['abc', 2],
    ['a', 2],
    ['ac', 0],
    ['', 0],
    ['abcd', 0],
    ['ab', 4],
    ['abx', 4],
    ['x', 0],
  ] as const)
    test(`"${answer}" gets ${points}`, () => assert.equal(pointsFor(question, Array.from(answer)), points))

  test('all or nothing needs exactly the right set', () => {
    const strict = choices('abcd', 'ab', { points: 4, scoring: 'all_or_nothing' })
    assert.deepEqual(
      ['ab', 'ba', 'a', 'abc', 'abcd'].map((ids) => pointsFor(strict, Array.from(ids))),
      [4, 4, 0, 0, 0],
    )
  })

  test('keeps a third to 6 decimals', () => {
    assert.equal(pointsFor(choices('abcd', 'abc', { points: 4 }), ['a', 'b']), 2.666667)
  })
})

describe('multiple choice with fractions', () => {
  const water = weighted({ H: 0.5, O: 0.5, Cl: -0.5, He: -1 }, 2)
  for (const [answer, points] of [
    ['H O', 2],
    ['H', 1],
    ['H Cl', 0],
    ['H O Cl', 1],
    ['H O He', 0],
    ['', 0],
  ] as const)
    test(`"${answer}" gets ${points} of 2`, () => {
      assert.equal(pointsFor(water, answer.split(' ').filter(Boolean)), points)
    })

  test('adds three thirds to the full points, and −100 % cancels them', () => {
    const thirds = weighted({ a: 0.3333333, b: 0.3333333, c: 0.3333333, d: -1 })
    assert.equal(pointsFor(thirds, ['a', 'b', 'c']), 1)
    assert.equal(pointsFor(thirds, ['a', 'b', 'c', 'd']), 0)
    assert.equal(pointsFor(thirds, ['a', 'b']), 0.666667)
  })
})

describe('single choice', () => {
  const question: QuestionKey = {
    ...common({ points: 3 }),
    type: 'single_choice',
    options: [option('a', true), option('b', false), option('c', false, 0.25), option('d', false, -1)],
  }
  for (const [answer, points] of [
    ['a', 3],
    ['b', 0],
    ['c', 0.75],
    ['d', 0],
    ['gone', 0],
  ] as const)
    test(`"${answer}" gets ${points} of 3`, () => assert.equal(pointsFor(question, answer), points))

  test('all or nothing gives nothing for a part', () => {
    assert.equal(pointsFor({ ...question, scoring: 'all_or_nothing' }, 'c'), 0)
  })
})

describe('short answer', () => {
  const cases = text({ York: 1, york: 0.5 }, { case_sensitive: true })
  for (const [answer, points] of [
    ['York', 1],
    ['york', 0.5],
    [' York ', 1],
    ['Yorke', 0],
  ] as const)
    test(`case-sensitive: "${answer}" gets ${points}`, () => assert.equal(pointsFor(cases, answer), points))

  for (const [accepted, answer] of [
    ['mitosis', 'meiosis'],
    ['hypertension', 'hypotension'],
    ['afferent', 'efferent'],
    ['1914-1918', '1914-1919'],
    ['endothermic', 'exothermic'],
    ['a.c', 'abc'],
    ['[ab]', 'a'],
    ['\\*', 'anything'],
    ['ab*ba', 'aba'],
    ['*ab*', 'ba'],
    ['a*b*c', 'acb'],
    ['café', 'cafe'],
  ] as const)
    test(`"${answer}" is not "${accepted}"`, () =>
      assert.equal(pointsFor(text({ [accepted]: 1 }), answer), 0))

  for (const [accepted, answer] of [
    ['no one', ' NO  ONE '],
    ['no one', 'no\u00a0one'],
    ['café', 'cafe\u0301'],
    ['ﬁn', 'FIN'],
    ['*', 'x'],
    ['col*r', 'Colour'],
    ['col*r', 'colr'],
    ['a*b*c', 'a b b c c'],
    ['2 \\* 3', '2 * 3'],
    ['*end', 'the END'],
    ['ab*ba', 'abba'],
  ] as const)
    test(`"${answer}" is "${accepted}"`, () => assert.equal(pointsFor(text({ [accepted]: 1 }), answer), 1))

  test('ignores accents on request, also when case counts', () => {
    assert.equal(pointsFor(text({ café: 1 }, { ignore_accents: true }), 'cafe'), 1)
    assert.equal(pointsFor(text({ cafe: 1 }, { ignore_accents: true }), 'CAFÉ'), 1)
    const strict = text({ Café: 1 }, { ignore_accents: true, case_sensitive: true })
    assert.deepEqual(
      ['Cafe', 'cafe', 'Café'].map((answer) => pointsFor(strict, answer)),
      [1, 0, 1],
    )
  })
})

describe('true or false', () => {
  test('is right, wrong or unanswered', () => {
    assert.deepEqual(
      [true, false, null].map((answer) => gradeAnswer(trueFalse, answer).outcome),
      ['correct', 'incorrect', 'unanswered'],
    )
  })
})

describe('matching', () => {
  const capitals = matching(
    [
      ['Spain', 'Madrid'],
      ['Peru', 'Lima'],
      ['Chad', 'N’Djamena'],
    ],
    ['Quito'],
    { points: 2 },
  )
  test('counts right pairs: 2 of 3 for 2 points gives 1.333333', () => {
    assert.equal(pointsFor(capitals, { l0: 'r0', l1: 'r1', l2: 'd0' }), 1.333333)
    assert.equal(pointsFor(capitals, { l0: 'r0', l1: 'r1', l2: 'r2' }), 2)
    assert.equal(pointsFor(capitals, { l0: 'r1', l1: 'gone', gone: 'r0' }), 0)
  })

  test('allows equal right sides to be swapped or repeated', () => {
    const animals = matching([
      ['cat', 'mammal'],
      ['dog', 'mammal'],
      ['hen', 'bird'],
    ])
    assert.equal(pointsFor(animals, { l0: 'r1', l1: 'r0', l2: 'r2' }), 1)
    assert.equal(pointsFor(animals, { l0: 'r0', l1: 'r0', l2: 'r2' }), 1)
  })

  test('all or nothing needs every pair', () => {
    assert.equal(pointsFor({ ...capitals, scoring: 'all_or_nothing' }, { l0: 'r0', l1: 'r1' }), 0)
  })
})

describe('ordering', () => {
  test('counts items in place: 1 of 4 for 3 gives 0.75', () => {
    assert.equal(pointsFor(ordering('abcd', { points: 3 }), Array.from('adbc')), 0.75)
    assert.equal(pointsFor(ordering('abcd', { points: 3 }), Array.from('abcd')), 3)
    assert.equal(pointsFor(ordering('abcd', { points: 3 }), Array.from('bcda')), 0)
  })

  test('a deleted item does not shift the others', () => {
    assert.equal(pointsFor(ordering('acd'), Array.from('abcd')), 1)
  })
})

describe('an attempt of seven questions', () => {
  const questions: [QuestionKey, unknown][] = [
    [{ ...common({}), type: 'single_choice', options: [option('a', true), option('b', false)] }, 'a'],
    [choices('abcd', 'abc', { points: 4 }), ['a', 'b']],
    [
      matching(
        [
          ['1', 'i'],
          ['2', 'ii'],
          ['3', 'iii'],
        ],
        [],
        { points: 2 },
      ),
      { l0: 'r0', l1: 'r1', l2: 'r0' },
    ],
    [ordering('abcd', { points: 3 }), Array.from('adbc')],
    [{ ...common({}), type: 'numeric', accepted: [{ min: 1, max: 2, fraction: 1 }], unit: null }, '2'],
    [text({ yes: 1, maybe: 0.5 }), 'maybe'],
    [trueFalse, false],
  ]
  const keyed = questions.map(([key], at): KeyedQuestion => ({
    question_id: `q${at}`,
    version: 1,
    position: at + 1,
    prompt: '',
    explanation: '',
    key,
    is_full_credit: false,
    is_deleted: false,
  }))
  const answers = Object.fromEntries(questions.map(([, answer], at) => [`q${at}`, answer]))

  test('scores 7.25 of 13', () => {
    const { results, score, max_score } = gradeAnswers(keyed, answers)
    assert.deepEqual(
      results.map(({ points_awarded }) => points_awarded),
      [1, 2.666667, 1.333333, 0.75, 1, 0.5, 0],
    )
    assert.deepEqual([score, max_score], [7.25, 13])
  })

  test('scores 0 when empty, with every question unanswered', () => {
    const { results, score } = gradeAnswers(keyed, {})
    assert.equal(score, 0)
    assert.ok(results.every(({ outcome }) => outcome === 'unanswered'))
  })

  test('omits deleted questions and gives full points on full credit', () => {
    const changed = keyed.map((question, at) => ({
      ...question,
      is_deleted: at === 0,
      is_full_credit: at === 6,
    }))
    const { results, score, max_score } = gradeAnswers(changed, answers)
    assert.deepEqual([results.length, score, max_score], [6, 7.25, 12])
  })
})

describe('blank answers', () => {
  for (const blank of [undefined, null, '', '   ', [], {}, { l0: null }])
    test(`${JSON.stringify(blank) ?? 'an absent one'} is unanswered`, () => {
      assert.deepEqual(gradeAnswer(choices('ab', 'a'), blank), { points_awarded: 0, outcome: 'unanswered' })
    })
})

describe('the JSON type of an answer', () => {
  for (const [type, answer] of [
    ['single_choice', 1],
    ['single_choice', ['a']],
    ['multiple_choice', 'a'],
    ['multiple_choice', ['a', 'a']],
    ['multiple_choice', [1]],
    ['true_false', 'true'],
    ['true_false', 1],
    ['short_answer', 5],
    ['short_answer', 'x'.repeat(1_001)],
    ['numeric', true],
    ['numeric', '1'.repeat(101)],
    ['numeric', [1]],
    ['matching', []],
    ['matching', { a: 1 }],
    ['matching', 'a'],
    ['ordering', { 0: 'a' }],
    ['ordering', ['a', 'b', 'a']],
  ] as const)
    test(`${JSON.stringify(answer).slice(0, 20)} is refused for ${type}`, () => {
      assert.ok(answerFault(type, answer))
    })

  for (const [type, answer] of [
    ['single_choice', 'a'],
    ['single_choice', null],
    ['multiple_choice', ['a', 'gone']],
    ['multiple_choice', []],
    ['true_false', false],
    ['short_answer', '𝒳'.repeat(1_000)],
    ['numeric', 1.5],
    ['numeric', ''],
    ['numeric', 'NaN'],
    ['matching', { a: 'b', c: 'b', d: null }],
    ['ordering', ['b', 'a']],
  ] as const)
    test(`${JSON.stringify(answer).slice(0, 20)} is accepted for ${type}`, () => {
      assert.equal(answerFault(type, answer), undefined)
    })
})

describe('grading of any answer', () => {
  /** Reproducible random integers from 0 to n - 1. */
  let state = 42
  const random = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % n
  }
  const ids = 'abcdefgh'
  const some = (from: string) => Array.from(from).filter(() => random(2) === 1)

  test('awards between 0 and the full points', () => {
    for (let round = 0; round < 2_000; round++) {
      const points = (random(100_000) + 1) / 100
      const scoring = random(4) === 0 ? 'all_or_nothing' : 'partial'
      const right = some(ids).join('') || 'a'
      const fractions = Object.fromEntries(
        Array.from(ids, (id) => [id, (random(20_000_001) - 10_000_000) / 1e7]),
      )
      const questions: QuestionKey[] = [
        choices(ids, right, { points, scoring }),
        { ...weighted(fractions, points), scoring },
        ordering(ids, { points, scoring }),
        matching(
          Array.from(ids, (id) => [id, ids[random(8)] ?? 'a']),
          ['x'],
          { points, scoring },
        ),
        { ...text({ 'a*': random(10) / 10, '*b': random(10) / 10 }), points, scoring },
      ]
      const answers = [
        some(ids),
        some(ids),
        some(ids).reverse(),
        { l0: 'r1', l3: `r${random(9)}` },
        some(ids).join(''),
      ]
      for (const [at, question] of questions.entries()) {
        const { points_awarded, outcome } = gradeAnswer(question, answers[at])
        assert.ok(points_awarded >= 0 && points_awarded <= points)
        assert.equal(outcome === 'correct', points_awarded === points)
        assert.equal(Math.round(points_awarded * 1e6) / 1e6, points_awarded)
      }
    }
  })

  test('never rewards an additional wrong choice', () => {
    for (let round = 0; round < 2_000; round++) {
      const right = some(ids).join('') || 'a'
      const wrong = Array.from(ids).filter((id) => !right.includes(id))
      const question = choices(ids, right, { points: (random(1_000) + 1) / 100 })
      const chosen = some(ids)
      const more = wrong.find((id) => !chosen.includes(id))
      if (more) assert.ok(pointsFor(question, [...chosen, more]) <= pointsFor(question, chosen))
    }
  })
})
