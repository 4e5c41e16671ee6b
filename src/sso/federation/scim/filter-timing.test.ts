import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costOf } from '#testing/growth.ts'
import { parseFilter } from './filter.ts'
import { TYPES } from './schema.ts'

/** Four times as long costs sixteen times as much where it grows with the square. */
const LINEAR = 10

test('a filter is read in time that grows with its length only', () => {
  const hostile = [
    (n: number) => `userName eq "${'\\'.repeat(n)}`,
    (n: number) => `userName eq "${'\\"'.repeat(n)}"`,
    (n: number) => '('.repeat(n),
    (n: number) => 'not ('.repeat(n),
    (n: number) => 'emails['.repeat(n),
    (n: number) => `a${'.a'.repeat(n)} pr`,
    (n: number) => `userName${' '.repeat(n)}pr ${' '.repeat(n)}`,
    (n: number) => 'userName pr and '.repeat(n),
  ]
  for (const make of hostile) {
    const read = (length: number) => () => {
      try {
        parseFilter(TYPES.User, make(length))
      } catch {
        // Most are refused; how fast is the question.
      }
    }
    const [short, long] = [costOf(read(25_000)), costOf(read(100_000))]
    assert.ok(long < LINEAR * short, `${make(3)}: ${short} and ${long} µs`)
  }
})
