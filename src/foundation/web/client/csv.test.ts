import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { csvLine, withFormulas, withoutFormulas } from './csv.ts'

/** Every character of Unicode, surrogates left out. */
const ALL = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
const named = (character: string) =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`

/** What Unicode itself takes for a sign, and what looks like one besides. */
const SIGNS = ALL.filter((one) => /^[=+\-@\u2212]/.test(one.normalize('NFKC')))
const LOOK_ALIKES = Array.from('‐‑‒–—―﹘−➕➖⁃˗꞊')
const INVISIBLE = [
  ...ALL.filter((one) => /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(one)),
  '\u2800',
]

describe('text for a CSV file', () => {
  test('gets an apostrophe before all that a spreadsheet takes for = + - @', () => {
    assert.ok(SIGNS.length > 20 && SIGNS.includes('﹦'))
    for (const sign of [...SIGNS, ...LOOK_ALIKES]) {
      assert.equal(withoutFormulas(`${sign}1`), `'${sign}1`, named(sign))
      assert.equal(withoutFormulas(`a;${sign}1`), `a;'${sign}1`, named(sign))
    }
  })

  test('gets it also where invisible characters stand before the sign', () => {
    assert.ok(INVISIBLE.length > 4_000 && INVISIBLE.includes('\u200b') && INVISIBLE.includes('\u3164'))
    for (const one of INVISIBLE) {
      const named_one = named(one)
      assert.equal(withoutFormulas(`${one}=1`), `'${one}=1`, named_one)
      assert.equal(withoutFormulas(`${one}${one}﹦1`), `'${one}${one}﹦1`, named_one)
      assert.equal(withoutFormulas(`a;${one}@1`), `a;'${one}@1`, named_one)
    }
  })

  for (const [text, written] of [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\tx', "'\tx"],
    ['\rx', "'\rx"],
    ['\u200b\tx', "'\u200b\tx"],
    ['＝1', "'＝1"],
    [';=1', ";'=1"],
    ['a;=1;＝2;b', "a;'=1;'＝2;b"],
    ['a=b; c-d', 'a=b; c-d'],
    ['\u200bplain', '\u200bplain'],
    ['नमस्ते', 'नमस्ते'],
    ['', ''],
  ] as const)
    test(`is ${JSON.stringify(written)} for ${JSON.stringify(text)}, and is read back`, () => {
      assert.equal(withoutFormulas(text), written)
      assert.equal(withFormulas(written), text)
    })

  for (const [text, written] of [
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['\rx', '"\'\rx"'],
    ['=cmd|"x"', '"\'=cmd|""x"""'],
    ['plain', 'plain'],
  ] as const)
    test(`stands as ${written} in a line beside numbers as they are`, () =>
      assert.equal(csvLine([-1, text, null, 0.5]), `-1,${written},,0.5\r\n`))

  test('is quoted where it holds the separator of the file', () =>
    assert.equal(csvLine(['a,b', 'c;d', 'e'], ';'), 'a,b;"c;d";e\r\n'))
})
