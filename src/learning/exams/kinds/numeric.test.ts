import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gradeAnswer } from '../grading.ts'
import type { QuestionKey } from '../kinds.ts'
import { compareDecimals, isDecimal, matchesNumber, type NumberKey } from './numeric.ts'

const near = (
  value: number | string,
  tolerance: number | string = 0,
  tolerance_type: 'absolute' | 'relative' = 'absolute',
): NumberKey => ({ value, tolerance, tolerance_type })
const between = (min: number | string, max: number | string): NumberKey => ({ min, max })

describe('a right number', () => {
  for (const [key, answer, unit] of [
    [near(-11.7, 0.02), '-11.72'],
    [near(3.1415, 0.0005), '3.141'],
    [near(1.5), '1,5'],
    [near(1234), '1,234'],
    [near(1.234), '1,234'],
    [near(-2), '\u22122'],
    [near(0.1), '.1'],
    [near(0.3), 0.3],
    [near('0.1', '0.2'), '0.3'],
    [near(-0.5), '-.50'],
    [near(5), '+5'],
    [near(5), ' 5.00 '],
    [near(5), '5.'],
    [near(1_234_567), '1\u2009234\u202f567'],
    [near(1_234_567), '1\u00a0234\u00a0567'],
    [near(1_234_567.5), '1 234 567,5'],
    [near(1_234_567.5), '1,234,567.5'],
    [near(1_500), '1.5e3'],
    [near(0.0015), '1,5E-3'],
    [near('6.02214076e23'), '602214076000000000000000'],
    [near('1e30'), '1e30'],
    [near(1e21), 1e21],
    [near(9.81), '9.81 m/s²', 'm/s²'],
    [near(9.81), '9.81m/s²', 'm/s²'],
    [near(50), '50 %', '%'],
    [near(50), '50', '%'],
    [near(200, 0.05, 'relative'), '190'],
    [near(-200, 0.05, 'relative'), '-210'],
    [near(0, 0.05, 'relative'), '0'],
    [between(3.141, 3.142), '3.142'],
    [between(3.141, 3.142), '3.141'],
    [between('-5', '5'), '-5.0'],
    [near('0.1234567890123456789012345678'), '0.1234567890123456789012345678'],
  ] as const)
    test(`${JSON.stringify(answer)} is ${JSON.stringify(key)}`, () => {
      assert.equal(matchesNumber(key, answer, unit ?? null), true)
    })
})

describe('a wrong or missing number', () => {
  for (const [key, answer, unit] of [
    [near(-11.7, 0.02), '-11.7200001'],
    [near(1.5), '1,50,0'],
    [near(12), '1 2'],
    [near(1234), '12,34'],
    [near(1234.5), '1.234,5'],
    [near(0), 'NaN'],
    [near(0), ''],
    [near(0), '1e400'],
    [near(0), '1e-400'],
    [near(0), '1e31'],
    [near('1e30'), 'Infinity'],
    [near('1e30'), Number.POSITIVE_INFINITY],
    [near(0), '0x0'],
    [near(5), 'five'],
    [near(5), '5 apples'],
    [near(5), '5 kg', 'g'],
    [near(5), '--5'],
    [near(5), '5e'],
    [near(0), '.'],
    [near(0), ','],
    [near(0), 'e5'],
    [near(25), '5²'],
    [near(200, 0.05, 'relative'), '189.99'],
    [between(3.141, 3.142), '3.1409999999999999999999'],
    [near('0.1234567890123456789012345678'), '0.1234567890123456789012345679'],
    [near(1), true],
    [near(1), [1]],
  ] as const)
    test(`${JSON.stringify(answer)} is not ${JSON.stringify(key)}`, () => {
      assert.equal(matchesNumber(key, answer, unit ?? null), false)
    })
})

test('the best matching fraction counts', () => {
  const question: QuestionKey = {
    type: 'numeric',
    points: 1,
    scoring: 'partial',
    unit: null,
    accepted: [
      { value: 1822, tolerance: 2, tolerance_type: 'absolute', fraction: 0.5 },
      { value: 1822, tolerance: 0, tolerance_type: 'absolute', fraction: 1 },
    ],
  }
  const awarded = ['1822', '1824', '1825'].map((answer) => gradeAnswer(question, answer).points_awarded)
  assert.deepEqual(awarded, [1, 0.5, 0])
})

test('keys up to an exponent of 30 compare exactly', () => {
  assert.deepEqual(['1', '-1.5', '1e30', '.5', 1e-7].map(isDecimal), [true, true, true, true, true])
  assert.deepEqual(
    ['', '-', 'x', '1e31', '1e', '1,5', 'NaN', ' 1'].map(isDecimal),
    Array<boolean>(8).fill(false),
  )
  assert.deepEqual(
    [compareDecimals('1e-30', 0), compareDecimals('1.10', 1.1), compareDecimals('-2', '-1')],
    [1, 0, -1],
  )
})
