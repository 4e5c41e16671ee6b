import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabase } from '#testing/database.ts'
import { findString, fold, foldEmail, isCleanText, normalized, withoutAccents } from './text.ts'

/** Letters for historic or phonetic use whose lower case was added after the oldest supported ICU. */
const NEWER = /[\u1c89\u1c8a\u2c2f\ua7b8-\ua7ff]/

describe('fold', () => {
  const pairs = [
    ['Ångström', 'angstrom'],
    ['ÉCOLE', 'ecole'],
    ['Жук', 'жук'],
    ['ﬁne', 'fine'],
    ['Straße', 'straße'],
    ['Tiếng Việt', 'tieng viet'],
    ['שָׁלוֹם', 'שלום'],
  ] as const
  for (const [given, expected] of pairs) {
    test(`folds "${given}" to "${expected}"`, () => assert.equal(fold(given), expected))
  }

  test('is the same in TypeScript and SQL for every letter', async () => {
    const { db } = await testDatabase()
    const letters = Array.from({ length: 0xffff }, (_, code) => String.fromCodePoint(code)).filter(
      (letter) => /\p{L}|\p{N}/u.test(letter) && letter.isWellFormed() && !NEWER.test(letter),
    )
    const rows = await db.pool<{ letter: string; folded: string }[]>`
      select letter, foundation.fold(letter) as folded from unnest(${letters}::text[]) as letter`
    const different = rows.filter(({ letter, folded }) => fold(letter) !== folded)
    assert.deepEqual(different, [])
  })
})

describe('a normal form', () => {
  const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
  const words = [
    'Ångstro\u0308m ',
    'ﬁne ½ ',
    '한국어 \u1112\u1161\u11ab',
    '漢字か\u3099な',
    'ก็ที่',
    'हिन्दी',
    '👩‍🏫',
    'שָׁלוֹם',
    'q\u0307\u0323',
  ]

  test('equals that of the engine for ordinary text', () => {
    for (const form of FORMS)
      for (const word of words) {
        const text = word.repeat(200)
        assert.equal(normalized(text, form), text.normalize(form), `${form} ${word}`)
      }
  })

  test('does not depend on how the text begins', () => {
    const text = words.join('').repeat(20)
    for (let at = 0; at < 300; at++)
      assert.equal(normalized('x'.repeat(at) + text, 'NFC'), `${'x'.repeat(at)}${text.normalize('NFC')}`)
  })

  test('splits no surrogate pair', () => {
    for (const before of ['', 'x']) assert.ok(normalized(before + '👩'.repeat(2_000), 'NFKD').isWellFormed())
  })

  test('takes a megabyte of marks in less than a second', () => {
    const marks = `a${'\u0301\u0316'.repeat(250_000)}`
    const kana = `a${'\uff9e\u0316'.repeat(250_000)}`
    const before = process.cpuUsage()
    for (const text of [marks, kana]) for (const work of [fold, foldEmail, withoutAccents]) work(text)
    const { user, system } = process.cpuUsage(before)
    // The engine's own normalization takes minutes.
    assert.ok(user + system < 6_000_000, `${user + system} µs`)
  })
})

describe('text that may be stored', () => {
  for (const text of ['plain', 'tab\tand\nnewline\r', 'עברית', '👩‍🏫']) {
    test(`accepts ${JSON.stringify(text)}`, () => assert.ok(isCleanText(text)))
  }
  for (const text of ['nul\u0000', 'bell\u0007', 'delete\u007f', 'half \ud800 pair']) {
    test(`refuses ${JSON.stringify(text)}`, () => assert.ok(!isCleanText(text)))
  }

  test('is checked at every depth and reported by its path', () => {
    const isOdd = (text: string) => text.includes('!')
    assert.equal(findString({ a: [{ b: 'x!' }] }, isOdd), 'a[0].b')
    assert.equal(findString({ a: { 'k!': 1 } }, isOdd), 'a.k!')
    assert.equal(findString({ a: [1, null, true, 'fine'] }, isOdd), undefined)
  })
})
