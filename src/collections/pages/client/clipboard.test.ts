import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf } from './clipboard.ts'

const said: [text: string, cells: string[][]][] = [
  ['one', [['one']]],
  [
    'a\tb\r\nc\td\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a\tb\nc\td',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a\t\t\n\nb', [['a', '', ''], [''], ['b']]],
  ['"two\nlines"\t"a ""word"""\n3', [['two\nlines', 'a "word"'], ['3']]],
  ['"never ends\tb', [['"never ends', 'b']]],
  ['"5" tall\tb', [['"5" tall', 'b']]],
  ['5"\t6""', [['5"', '6""']]],
]
for (const [text, cells] of said)
  test(`the clipboard ${JSON.stringify(text)} holds these cells`, () => {
    assert.deepEqual(cellsOf(text), cells)
  })

test('a clipboard of a million quotes is read in one pass', () => {
  assert.equal(cellsOf('"'.repeat(1_000_001)).length, 1)
  assert.equal(cellsOf('"a\n'.repeat(300_000)).length, 300_000)
})
