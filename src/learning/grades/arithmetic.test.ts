import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gradeOf, type Mark, ratio, times } from './arithmetic.ts'

const mark = (max: number, earned?: number | string): Mark => ({
  max: ratio(max),
  earned: earned === undefined ? undefined : ratio(earned),
})
const weighing = (weight: number, max: number, earned?: number): Mark => ({
  ...mark(max, earned),
  weight: ratio(weight),
})
const percents = (homework: Mark[], tests: Mark[], weights: Parameters<typeof gradeOf>[1] = null) => {
  const { percent, final_percent } = gradeOf({ homework, tests }, weights)
  return [percent, final_percent]
}

describe('the arithmetic of grades', () => {
  const homework = [mark(50, 45), mark(50)]
  const tests = [mark(20, 16)]

  test('by points: over graded work, and over all work', () => {
    assert.deepEqual(gradeOf({ homework, tests }, null), {
      percent: 87.14,
      final_percent: 50.83,
      score: 61,
      max_score: 120,
    })
  })

  test('by weights: each group separately', () => {
    assert.deepEqual(percents(homework, tests, { homework: 60, tests: 40 }), [86, 59])
  })

  test('counts each work by its own weight, and by its points without one', () => {
    const exams = [weighing(30, 10, 5), weighing(70, 50, 50)]
    assert.deepEqual(percents(exams, []), [85, 85])
    assert.deepEqual(percents([...exams, weighing(100, 5)], []), [85, 42.5])
    assert.deepEqual(percents([weighing(0, 100, 0), mark(10, 9)], []), [90, 90])
    assert.deepEqual(percents([weighing(0, 100, 0)], []), [null, null])
    assert.deepEqual(percents([weighing(20, 0)], [mark(10, 5)]), [50, 50])
    assert.deepEqual(
      percents([weighing(90, 10, 10), mark(10, 0)], tests, { homework: 60, tests: 40 }),
      [86, 86],
    )
    const { score, max_score } = gradeOf({ homework: exams, tests: [] }, null)
    assert.deepEqual([score, max_score], [55, 60])
  })

  test('drops an empty group, and uses points without any weight', () => {
    assert.deepEqual(percents(homework, [], { homework: 60, tests: 40 }), [90, 45])
    assert.deepEqual(percents([mark(50)], tests, { homework: 60, tests: 40 }), [80, 32])
    assert.deepEqual(percents(homework, [], { homework: 0, tests: 100 }), [90, 45])
    assert.deepEqual(percents([mark(50)], tests, { homework: 100, tests: 0 }), [80, 0])
  })

  test('has no percent when there is nothing to divide by', () => {
    assert.deepEqual(percents([], []), [null, null])
    assert.deepEqual(percents([mark(50)], []), [null, 0])
    assert.deepEqual(percents([], [mark(0, 0)]), [null, null])
    assert.deepEqual(percents([], [mark(0)], { homework: 50, tests: 50 }), [null, null])
  })

  test('stays exact until shown, then rounds half up', () => {
    assert.deepEqual(percents([mark(13, 7.25)], []), [55.77, 55.77])
    assert.deepEqual(percents([mark(1000, '0.05')], []), [0.01, 0.01])
    assert.deepEqual(percents([mark(1000, '0.049999')], []), [0, 0])
    const third = { max: ratio(3), earned: times({ dividend: 1n, divisor: 3n }, ratio(3)) }
    assert.deepEqual(percents([], [third, third, third]), [33.33, 33.33])
    assert.deepEqual(
      percents(
        Array.from({ length: 300 }, () => mark(0.1, 0.1)),
        [],
      ),
      [100, 100],
    )
  })

  test('stays within 100, and final never exceeds current by points', () => {
    for (let round = 0; round < 500; round++) {
      const some = () =>
        Array.from({ length: Math.floor(Math.random() * 4) }, () => {
          const max = Math.ceil(Math.random() * 1_000) / 10
          return Math.random() < 0.3 ? mark(max) : mark(max, (max * Math.floor(Math.random() * 101)) / 100)
        })
      const weights = Math.random() < 0.5 ? null : { homework: 30, tests: 70 }
      const [percent, final_percent] = percents(some(), some(), weights)
      for (const one of [percent, final_percent])
        assert.ok(one === null || one === undefined || (one >= 0 && one <= 100))
      if (weights === null && percent !== null) assert.ok((final_percent ?? 0) <= (percent ?? 0))
    }
  })
})
