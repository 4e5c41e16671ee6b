import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutFormulas } from './formulas.ts'

describe('text for a CSV file', () => {
  for (const [text, written] of [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    [';=1', ";'=1"],
    ['a;=1;＝2;b', "a;'=1;'＝2;b"],
    ['a=b; c-d', 'a=b; c-d'],
    ['', ''],
  ] as const)
    test(`is ${JSON.stringify(written)} for ${JSON.stringify(text)}`, () => {
      assert.equal(withoutFormulas(text), written)
    })
})
