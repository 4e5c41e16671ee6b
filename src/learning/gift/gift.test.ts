import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Exportable, exportGift } from './export.ts'
import { importGift } from './import.ts'
import type { GiftQuestion } from './question.ts'

/** The only question of a file; fails if the file holds anything else. */
function only(gift: string): GiftQuestion {
  const { questions, skipped } = importGift(gift)
  assert.deepEqual(skipped, [])
  assert.equal(questions.length, 1)
  const [imported] = questions
  assert.ok(imported)
  return imported.question
}
const skips = (gift: string) => importGift(gift).skipped.map(({ line, kind, prompt }) => [line, kind, prompt])

describe('GIFT that is read', () => {
  test('reads multiple choice with one key as single choice', () => {
    assert.deepEqual(only('Which river runs through Paris? {~Rhine =Seine ~Rhône}'), {
      type: 'single_choice',
      prompt: 'Which river runs through Paris?',
      options: [
        { text: 'Rhine', correct: false },
        { text: 'Seine', correct: true },
        { text: 'Rhône', correct: false },
      ],
    })
  })

  test('reads many keys, or weights without key, as multiple choice', () => {
    const even = only('Even? {=2 =4 ~5}')
    assert.deepEqual(even, {
      type: 'multiple_choice',
      prompt: 'Even?',
      options: [
        { text: '2', correct: true },
        { text: '4', correct: true },
        { text: '5', correct: false },
      ],
    })
    const weighted = only(
      '::Water:: Parts of water?{\n~%50%H # yes\n~%50%O\n~%-33.33333%Cl#[html]<b>no</b>\n}',
    )
    assert.deepEqual(weighted, {
      type: 'multiple_choice',
      prompt: 'Parts of water?',
      options: [
        { text: 'H', correct: true, fraction: 0.5, feedback: 'yes' },
        { text: 'O', correct: true, fraction: 0.5 },
        { text: 'Cl', correct: false, fraction: -0.3333333, feedback: 'no' },
      ],
    })
  })

  test('keeps single choice for a weight beside the one key', () => {
    assert.deepEqual(only('Best? {=all ~%40%some ~none}'), {
      type: 'single_choice',
      prompt: 'Best?',
      options: [
        { text: 'all', correct: true, fraction: 1 },
        { text: 'some', correct: false, fraction: 0.4 },
        { text: 'none', correct: false, fraction: 0 },
      ],
    })
  })

  test('reads all four words of true or false, feedback apart from the explanation', () => {
    for (const [word, correct] of [
      ['T', true],
      ['TRUE', true],
      ['F', false],
      ['FALSE', false],
    ] as const)
      assert.deepEqual(only(`Ice floats. {${word}}`), { type: 'true_false', prompt: 'Ice floats.', correct })
    assert.deepEqual(only('Ice floats.{TRUE#It does#Right####See Archimedes}'), {
      type: 'true_false',
      prompt: 'Ice floats.',
      correct: true,
      explanation: 'See Archimedes',
      feedback_if_true: 'Right',
      feedback_if_false: 'It does',
    })
    const empty = only('Ice sinks.{FALSE# #Right}')
    assert.deepEqual(empty, {
      type: 'true_false',
      prompt: 'Ice sinks.',
      correct: false,
      feedback_if_false: 'Right',
    })
  })

  test('reads short answers with weights, star or no sign', () => {
    assert.deepEqual(only('Two? {=two =%50%2 =tw*}'), {
      type: 'short_answer',
      prompt: 'Two?',
      accepted: [{ text: 'two' }, { text: '2', fraction: 0.5 }, { text: 'tw*' }],
    })
    assert.deepEqual(only('Two? {Two}'), {
      type: 'short_answer',
      prompt: 'Two?',
      accepted: [{ text: 'Two' }],
    })
  })

  test('reads numbers with tolerance, range and weights', () => {
    const accepted = (answers: string) => {
      const question = only(`How many? {#${answers}}`)
      return question.type === 'numeric' ? question.accepted : question
    }
    assert.deepEqual(accepted('1822'), [{ value: 1822 }])
    assert.deepEqual(accepted('-2.5:0.05'), [{ value: -2.5, tolerance: 0.05 }])
    assert.deepEqual(accepted('-5..5.5'), [{ min: -5, max: 5.5 }])
    assert.deepEqual(accepted(' =10:0#good =%50%10:2 '), [
      { value: 10, tolerance: 0 },
      { value: 10, tolerance: 2, fraction: 0.5 },
    ])
    assert.deepEqual(accepted('0.1234567890123456789'), [{ value: '0.1234567890123456789' }])
  })

  test('reads matching with distractors', () => {
    assert.deepEqual(only('Match. {\n=Oslo -> Norway\n=Riga->Latvia\n= -> Peru\n}'), {
      type: 'matching',
      prompt: 'Match.',
      distractors: ['Peru'],
      pairs: [
        { left: 'Oslo', right: 'Norway' },
        { left: 'Riga', right: 'Latvia' },
      ],
    })
  })

  test('drops a distractor that is also a right side', () => {
    const question = only('Match. {=Oslo -> Norway =Riga -> Latvia = -> Norway}')
    assert.ok(question.type === 'matching' && question.distractors === undefined)
  })

  test('reads text behind the braces as a gap', () => {
    assert.equal(only('Bread is made of {=flour} and water.').prompt, 'Bread is made of _____ and water.')
  })

  test('reads escapes, titles, comments, categories and Windows line ends', () => {
    const gift = [
      '\uFEFF// a comment',
      '$CATEGORY: a/b',
      '',
      '::A\\:B::Is 1 \\= 2 \\~ {3\\}?\\nReally \\{3\\} \\# \\\\ \\x? {',
      '',
      '//{ =aside',
      '~yes\\=no',
      '',
      '=no',
      '}',
      '',
      '',
      'Second {T}',
    ]
      .join('\r\n')
      .replace('{3\\}', '\\{3\\}')
    const { questions, skipped } = importGift(gift)
    assert.deepEqual(skipped, [])
    assert.deepEqual(
      questions.map(({ line, title }) => [line, title]),
      [
        [4, 'A:B'],
        [13, null],
      ],
    )
    assert.deepEqual(questions[0]?.question, {
      type: 'single_choice',
      prompt: 'Is 1 = 2 ~ {3}?\nReally {3} # \\ \\x?',
      options: [
        { text: 'yes=no', correct: false },
        { text: 'no', correct: true },
      ],
    })
  })

  test('converts HTML to text and notes it', () => {
    const [imported] = importGift(
      '[html]<p>What is 1 &lt; 2 &amp; <b>3</b>?</p><p>&#x41;&nbsp;b</p>{=<i>a</i> ~[plain]<i>b</i>}',
    ).questions
    assert.equal(imported?.question.prompt, 'What is 1 < 2 & 3?\nA\u00a0b')
    assert.deepEqual(imported?.notes, ['HTML has become plain text'])
    assert.ok(imported.question.type === 'single_choice')
    assert.deepEqual(
      imported.question.options.map(({ text }) => text),
      ['a', '<i>b</i>'],
    )
  })

  test('drops HTML comments, except from plain text', () => {
    const promptOf = (text: string) => only(`${text} {T}`).prompt
    assert.equal(promptOf('[html]Ice <!-- pasted by an editor -->floats'), 'Ice floats')
    assert.equal(promptOf('Ice <!--\nhidden\n-->floats'), 'Ice floats')
    assert.equal(promptOf('Ice <!-- never ends'), 'Ice <!-- never ends')
    assert.equal(promptOf('[plain]What is <!-- this -->?'), 'What is <!-- this -->?')
  })

  test('notes feedback without a place', () => {
    assert.deepEqual(importGift('Two? {=two#good}').questions[0]?.notes, [
      'Feedback to single answers is not kept',
    ])
  })
})

describe('GIFT that is skipped', () => {
  test('lists essays and descriptions and reads what follows', () => {
    const { questions, skipped } = importGift('Write about Rome. {}\n\nRead this.\n\nIce floats. {T}')
    assert.deepEqual(
      skipped.map(({ line, kind, prompt }) => [line, kind, prompt]),
      [
        [1, 'essay', 'Write about Rome.'],
        [3, 'description', 'Read this.'],
      ],
    )
    assert.deepEqual(
      questions.map(({ line }) => line),
      [5],
    )
  })

  for (const gift of [
    'a {~x ~y}',
    'a {=}',
    'a {#}',
    'a {#five}',
    'a {#1:x}',
    'a {#5..1}',
    'a {#1:-1}',
    '{T}',
    'a {=b -> c}',
    'a {~%200%x =y}',
    'a {T} b {F}',
    'a {=x {y}}',
    'a } b',
    'a {x =y}',
    `a {${'=x '.repeat(51)}}`,
    `a {${'~x '.repeat(20)}=y}`,
    `a {=${'x'.repeat(501)}}`,
    'a {=b -> =c -> d}',
    'a {=b -> c =b -> d}',
    'a {#%500%5}',
    'a {#%-50%5}',
    `a {T####${'x'.repeat(5_001)}}`,
    `a {#${'1'.repeat(41)}.5}`,
  ])
    test(`${gift.slice(0, 20)} is broken`, () => {
      assert.deepEqual(
        skips(gift).map(([, kind]) => kind),
        ['broken'],
      )
      assert.deepEqual(importGift(gift).questions, [])
    })

  test('loses one question to an unclosed brace', () => {
    const { questions, skipped } = importGift('a {=b\n\nIce floats. {T}\n\nc {~d')
    assert.deepEqual(
      skipped.map(({ line }) => line),
      [1, 5],
    )
    assert.deepEqual(
      questions.map(({ question }) => question.prompt),
      ['Ice floats.'],
    )
  })

  test('reads nothing from an empty text', () => {
    for (const gift of ['', '\n\n', '// only a comment', '\uFEFF'])
      assert.deepEqual(importGift(gift), { questions: [], skipped: [] })
  })

  test('reads any text without exception', () => {
    for (const piece of [
      '{',
      '}',
      '::',
      '~%',
      '{#',
      '\\',
      '{=a\n\n',
      '=->',
      '<',
      '[html]',
      '####{',
      'a {T}\n\n',
    ])
      assert.ok(importGift(piece.repeat(50)))
  })
})

describe('GIFT that is written', () => {
  const back = (questions: readonly Exportable[]) => {
    const { gift, skipped } = exportGift(questions)
    assert.deepEqual(skipped, [])
    const read = importGift(gift)
    assert.deepEqual(read.skipped, [], gift)
    return read.questions.map(({ question }) => question)
  }
  const NASTY = [
    '// no comment',
    '$CATEGORY: x',
    '%50% of it',
    '[html]<b>',
    '::t::',
    'a~b=c#d{e}f:g\\h',
    'x\n\ny',
    '\\n',
    '####',
    'T',
    '-> a',
    '&amp;',
    '1..2',
  ]

  test('reads back as it was, whatever the texts', () => {
    for (const text of NASTY) {
      const questions: GiftQuestion[] = [
        {
          type: 'single_choice',
          prompt: text,
          explanation: text,
          options: [
            { text, correct: true, feedback: text },
            { text: 'b', correct: false },
          ],
        },
        { type: 'true_false', prompt: text, correct: false, feedback_if_true: text, feedback_if_false: text },
        { type: 'true_false', prompt: text, correct: true, feedback_if_true: text },
        { type: 'true_false', prompt: text, correct: true, feedback_if_false: text },
        {
          type: 'single_choice',
          prompt: text,
          options: [
            { text, correct: true, fraction: 1 },
            { text: 'b', correct: false, fraction: 0.25 },
          ],
        },
        {
          type: 'multiple_choice',
          prompt: text,
          options: [
            { text, correct: true, fraction: 0.3333333 },
            { text: 'b', correct: false, fraction: -1 },
          ],
        },
        { type: 'true_false', prompt: text, correct: false },
        {
          type: 'numeric',
          prompt: text,
          accepted: [
            { value: -1.5, tolerance: 0.1 },
            { min: '0.12345678901234567890', max: 1, fraction: 0.5 },
          ],
        },
        {
          type: 'matching',
          prompt: text,
          pairs: [
            { left: 'l', right: text },
            { left: 'm', right: 'r' },
          ],
          distractors: [`${text} not`],
        },
      ]
      if (!text.includes('->'))
        questions.push({
          type: 'short_answer',
          prompt: text,
          accepted: [{ text }, { text: 'b', fraction: 0.5 }],
        })
      assert.deepEqual(back(questions), questions)
    }
  })

  test('weights a multiple choice so that it scores the same', () => {
    const [question] = back([
      {
        type: 'multiple_choice',
        prompt: 'p',
        options: [
          { text: 'a', correct: true },
          { text: 'b', correct: true },
          { text: 'c', correct: false },
        ],
      },
    ])
    assert.ok(question?.type === 'multiple_choice')
    assert.deepEqual(
      question.options.map(({ correct, fraction }) => [correct, fraction]),
      [
        [true, 0.5],
        [true, 0.5],
        [false, -0.5],
      ],
    )
  })

  test('turns a relative tolerance into an absolute one', () => {
    const [question] = back([
      {
        type: 'numeric',
        prompt: 'p',
        accepted: [{ value: -200, tolerance: 0.05, tolerance_type: 'relative' }],
      },
    ])
    assert.ok(question?.type === 'numeric')
    assert.deepEqual(question.accepted, [{ value: -200, tolerance: 10 }])
  })

  test('names what GIFT cannot express', () => {
    const questions: Exportable[] = [
      { type: 'ordering', prompt: 'p', items: ['a', 'b'] },
      { type: 'short_answer', prompt: 'p', accepted: [{ text: 'a -> b' }] },
      {
        type: 'matching',
        prompt: 'p',
        pairs: [
          { left: 'a -> b', right: 'c' },
          { left: 'd', right: 'e' },
        ],
      },
    ]
    assert.deepEqual(exportGift(questions), { gift: '', skipped: questions })
  })
})
