/** Which of several attempts counts. */
export const SCORE_POLICIES = ['best', 'latest', 'average', 'first'] as const
export type ScorePolicy = (typeof SCORE_POLICIES)[number]

/** A finished attempt. Its points have at most 6 decimals; an expired attempt has the score 0. */
export type Judged = { number: number; score: number; max_score: number }

/** An exact fraction. Only displayed values are rounded. */
export type Ratio = { dividend: bigint; divisor: bigint }

/** The kept percent, and `score`, that part of the points that the test has today, both rounded to 2 decimals. */
export type Kept = { percent: number | null; score: number | null }

/**
 * The kept result of one learner, 0 to 1: the best, latest or first attempt by percent, or the mean of the exact
 * percents. Attempts without points (every question deleted) have no percent. Undefined if none has one.
 */
export function keptRatio(policy: ScorePolicy, attempts: readonly Judged[]): Ratio | undefined {
  const ratios = attempts
    .filter(({ max_score }) => max_score > 0)
    .toSorted((a, b) => a.number - b.number)
    .map(ratioOf)
  if (ratios.length === 0 || policy === 'first') return ratios[0]
  if (policy === 'latest') return ratios.at(-1)
  if (policy === 'best') return ratios.reduce((best, one) => (isLess(best, one) ? one : best))
  return meanOf(ratios)
}

export function keptScore(policy: ScorePolicy, attempts: readonly Judged[], max_score: number): Kept {
  const ratio = keptRatio(policy, attempts)
  if (!ratio) return { percent: null, score: null }
  const { dividend, divisor } = ratio
  return {
    percent: rounded({ dividend: 100n * dividend, divisor }),
    score: rounded({ dividend: millionths(max_score) * dividend, divisor: 1_000_000n * divisor }),
  }
}

/** 100 × score / max_score, rounded half up to 2 decimals; null if max_score is 0. */
export const percentOf = (score: number, max_score: number): number | null =>
  max_score > 0 ? rounded({ dividend: 100n * millionths(score), divisor: millionths(max_score) }) : null

/** Points for display, rounded half up to 2 decimals. */
export const shownPoints = (points: number): number =>
  rounded({ dividend: millionths(points), divisor: 1_000_000n })

/** The exact sum of points with at most 6 decimals. */
export const addPoints = (points: readonly number[]): number =>
  points.reduce((sum, one) => sum + Math.round(one * 1_000_000), 0) / 1_000_000

/** Compares the percent that the learner sees. Without a percent nothing is passed. */
export const isPassed = (percent: number | null, passing_percent: number): boolean =>
  percent !== null && percent >= passing_percent

const ZERO: Ratio = { dividend: 0n, divisor: 1n }
const millionths = (points: number) => BigInt(Math.round(points * 1_000_000))
const ratioOf = ({ score, max_score }: Judged): Ratio => ({
  dividend: millionths(score),
  divisor: millionths(max_score),
})
const isLess = (a: Ratio, b: Ratio) => a.dividend * b.divisor < b.dividend * a.divisor

function meanOf(ratios: Ratio[]): Ratio {
  const sum = ratios.reduce(
    (a, b) => ({ dividend: a.dividend * b.divisor + b.dividend * a.divisor, divisor: a.divisor * b.divisor }),
    ZERO,
  )
  return { dividend: sum.dividend, divisor: sum.divisor * BigInt(ratios.length) }
}

/** To 2 decimals, half up. */
const rounded = ({ dividend, divisor }: Ratio): number =>
  Number((200n * dividend + divisor) / (2n * divisor)) / 100
