import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costOf } from '#testing/growth.ts'
import { importGift } from './import.ts'

/** Four times as long costs sixteen times as much where it grows with the square. */
const LINEAR = 10

test('a file is read in time that grows with its length only', () => {
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
  ]) {
    const read = (times: number) => () => assert.ok(importGift(piece.repeat(times)))
    const [short, long] = [costOf(read(1_250)), costOf(read(5_000))]
    assert.ok(long < LINEAR * short, `${piece}: ${short} and ${long} µs`)
  }
})
