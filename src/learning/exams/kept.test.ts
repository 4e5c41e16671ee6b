import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPoints, isPassed, keptScore, percentOf, SCORE_POLICIES, shownPoints } from './kept.ts'

const attempts = (...scores: number[]) =>
  scores.map((score, at) => ({ number: at + 1, score, max_score: 100 }))
const kept = (judged: Parameters<typeof keptScore>[1], max_score = 100) =>
  SCORE_POLICIES.map((policy) => keptScore(policy, judged, max_score).percent)

test('each score policy picks from attempts of 60, 90 and 70', () => {
  assert.deepEqual(kept(attempts(60, 90, 70)), [90, 70, 73.33, 60])
})

test('attempts are ordered by number, not by list position', () => {
  assert.deepEqual(kept(attempts(60, 90, 70).toReversed()), [90, 70, 73.33, 60])
})

test('the average uses exact percents and counts expired attempts as 0', () => {
  const thirds = [1, 2, 3].map((number) => ({ number, score: 1, max_score: 3 }))
  assert.equal(keptScore('average', thirds, 3).percent, 33.33)
  assert.equal(keptScore('average', thirds, 3).score, 1)
  assert.equal(keptScore('average', attempts(100, 0, 100), 10).percent, 66.67)
})

test('the kept score contributes its percent of the present points', () => {
  const judged = [{ number: 1, score: 7.25, max_score: 13 }]
  assert.deepEqual(keptScore('best', judged, 13), { percent: 55.77, score: 7.25 })
  assert.deepEqual(keptScore('best', judged, 26), { percent: 55.77, score: 14.5 })
})

test('attempts with different points compare by percent', () => {
  const judged = [
    { number: 1, score: 9, max_score: 20 },
    { number: 2, score: 5, max_score: 10 },
  ]
  assert.equal(keptScore('best', judged, 10).percent, 50)
})

test('there is no score without attempts or points', () => {
  const none = { percent: null, score: null }
  for (const policy of SCORE_POLICIES) {
    assert.deepEqual(keptScore(policy, [], 10), none)
    assert.deepEqual(keptScore(policy, [{ number: 1, score: 0, max_score: 0 }], 10), none)
  }
})

test('an attempt whose questions were all deleted counts for no policy', () => {
  const judged = [60, 90].map((score, at) => ({ number: at + 2, score, max_score: 100 }))
  const empty = [1, 4].map((number) => ({ number, score: 0, max_score: 0 }))
  assert.deepEqual(kept([...empty, ...judged]), [90, 90, 75, 60])
})

test('percents round half up to 2 decimals before they are judged', () => {
  assert.equal(percentOf(7.25, 13), 55.77)
  assert.equal(percentOf(0.000001, 200), 0)
  assert.equal(percentOf(1.005, 100), 1.01)
  assert.equal(percentOf(0, 0), null)
  assert.deepEqual(
    [isPassed(55.77, 60), isPassed(59.995, 60), isPassed(60, 60), isPassed(null, 0)],
    [false, false, true, false],
  )
  assert.equal(isPassed(percentOf(59.995, 100), 60), true)
})

test('points are shown with 2 decimals and added exactly', () => {
  assert.deepEqual([shownPoints(2.666667), shownPoints(1.005), shownPoints(0.125)], [2.67, 1.01, 0.13])
  assert.equal(addPoints(Array<number>(500).fill(0.1)), 50)
  assert.equal(addPoints([0.1, 0.2]), 0.3)
})
