import type { Ratio } from '../exams/kept.ts'

/**
 * One homework or test: its maximum and the earned points. `earned` is undefined while nothing counts. A `weight`
 * stands for the maximum when percents are computed.
 */
export type Mark = { max: Ratio; earned: Ratio | undefined; weight?: Ratio | undefined }
export type Work = { homework: readonly Mark[]; tests: readonly Mark[] }
/** null means that points decide. */
export type Weights = { homework: number; tests: number } | null

/**
 * Each number is rounded half up to 2 decimals. `percent` covers graded or attempted work, `final_percent` all work;
 * null if there is nothing to divide by. `score` and `max_score` are the points behind `final_percent`.
 */
export type Result = {
  percent: number | null
  final_percent: number | null
  score: number
  max_score: number
}

/** Computes a grade with exact fractions (docs/learning.md). Only the result is rounded. */
export function gradeOf({ homework, tests }: Work, weights: Weights): Result {
  const groups = [
    { marks: homework, weight: ratio(weights?.homework ?? 0) },
    { marks: tests, weight: ratio(weights?.tests ?? 0) },
  ]
  const all = [...homework, ...tests]
  return {
    percent: shown(percentOf(groups, graded)),
    final_percent: shown(percentOf(groups, whole)),
    score: rounded(whole(all).earned),
    max_score: rounded(whole(all).max),
  }
}

/** The points of one group of work, rounded for display. */
export const pointsOf = (marks: readonly Mark[]) => {
  const { earned, max } = whole(marks)
  return { score: rounded(earned), max_score: rounded(max) }
}

/** The exact value of a decimal such as 64, "0.25" or "64.000000". */
export function ratio(decimal: number | string): Ratio {
  const [digits = '', decimals = ''] = String(decimal).split('.')
  return { dividend: BigInt(digits + decimals), divisor: 10n ** BigInt(decimals.length) }
}

export const times = (a: Ratio, b: Ratio): Ratio => ({
  dividend: a.dividend * b.dividend,
  divisor: a.divisor * b.divisor,
})

/** Rounds half up to 2 decimals. Values are never negative here. */
export const rounded = ({ dividend, divisor }: Ratio): number =>
  Number((200n * dividend + divisor) / (2n * divisor)) / 100

type Sum = { earned: Ratio; max: Ratio }
type Group = { marks: readonly Mark[]; weight: Ratio }

const ZERO: Ratio = { dividend: 0n, divisor: 1n }
const shown = (value: Ratio | undefined) => (value === undefined ? null : rounded(value))
const plus = (a: Ratio, b: Ratio): Ratio =>
  a.divisor === b.divisor
    ? { dividend: a.dividend + b.dividend, divisor: a.divisor }
    : { dividend: a.dividend * b.divisor + b.dividend * a.divisor, divisor: a.divisor * b.divisor }
const over = (a: Ratio, b: Ratio): Ratio => ({
  dividend: a.dividend * b.divisor,
  divisor: a.divisor * b.dividend,
})

/** Missing or ungraded work counts as 0 points. */
const whole = (marks: readonly Mark[]): Sum => ({
  earned: marks.reduce((sum, { earned }) => plus(sum, earned ?? ZERO), ZERO),
  max: marks.reduce((sum, { max }) => plus(sum, max), ZERO),
})
const graded = (marks: readonly Mark[]) => whole(marks.filter(({ earned }) => earned !== undefined))

/** Weights the groups that have points and a weight. Without such a group, points decide. */
function percentOf(groups: Group[], sumOf: (marks: readonly Mark[]) => Sum): Ratio | undefined {
  const weighted = groups
    .map(({ marks, weight }) => ({ ...sumOf(marks.map(inWeights)), weight }))
    .filter(({ max, weight }) => max.dividend > 0n && weight.dividend > 0n)
  const points = sumOf(groups.flatMap(({ marks }) => marks.map(inWeights)))
  if (weighted.length === 0)
    return points.max.dividend > 0n ? hundred(over(points.earned, points.max)) : undefined
  const earned = weighted.reduce((sum, one) => plus(sum, times(one.weight, over(one.earned, one.max))), ZERO)
  return hundred(
    over(
      earned,
      weighted.reduce((sum, { weight }) => plus(sum, weight), ZERO),
    ),
  )
}

/** The same result as a part of its weight. Work without points has nothing to be a part of. */
function inWeights(mark: Mark): Mark {
  const { max, earned, weight } = mark
  if (!weight || max.dividend === 0n) return mark
  return { max: weight, earned: earned && times(over(earned, max), weight) }
}

const hundred = ({ dividend, divisor }: Ratio): Ratio => ({ dividend: 100n * dividend, divisor })
