import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costOf } from '#testing/growth.ts'
import { gradeAnswer } from './grading.ts'
import type { QuestionKey } from './kinds.ts'
import { matchesNumber, type NumberKey } from './kinds/numeric.ts'

const accepting = (accepted: string): QuestionKey => ({
  points: 1,
  scoring: 'partial',
  type: 'short_answer',
  accepted: [{ text: accepted, fraction: 1 }],
  case_sensitive: false,
  ignore_accents: false,
})

test('a hostile pattern costs no more than four hundred harmless ones of its length', () => {
  const grade = (pattern: string) => () => {
    for (let round = 0; round < 100; round++) gradeAnswer(accepting(pattern), 'a'.repeat(1_000))
  }
  const [harmless, hostile] = [costOf(grade(`${'a'.repeat(498)}*b`)), costOf(grade(`${'a*'.repeat(249)}b`))]
  assert.ok(hostile < 400 * harmless, `${harmless} and ${hostile} µs`)
})

test('an expensive number costs no more than a hundred ordinary ones', () => {
  const key: NumberKey = { value: '1e30', tolerance: 0, tolerance_type: 'absolute' }
  const match = (answer: string, unit: string | null) => () => {
    for (let round = 0; round < 1_000; round++) matchesNumber(key, answer, unit)
  }
  const ordinary = costOf(match('1234.5', null))
  for (const dear of [match(`${'1 111'.repeat(19)}e-30`, null), match(`${'1,'.repeat(49)}e`, 'e')])
    assert.ok(costOf(dear) < 100 * ordinary)
})
