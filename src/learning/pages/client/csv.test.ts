import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCsv } from './csv.ts'

test('a table to save begins with a byte order mark, and its texts are no formulas', () =>
  assert.equal(
    toCsv([
      ['=1+1', 'a,b'],
      [-1, null],
    ]),
    `\uFEFF'=1+1,"a,b"\r\n-1,\r\n`,
  ))
