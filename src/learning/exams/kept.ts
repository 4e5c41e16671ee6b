/** Which of several attempts counts. */
export const SCORE_POLICIES = ['best', 'latest', 'average', 'first'] as const
export type ScorePolicy = (typeof SCORE_POLICIES)[number]

/** A finished attempt, `score` and `max_score` in points of at most 6 decimals; one that expired has the score 0. */
export type Judged = { number: number; score: number; max_score: number }

/** A quotient of whole numbers, because only what is shown is rounded. */
export type Ratio = { dividend: bigint; divisor: bigint }

/** `percent` of the kept attempt and `score` = that part of the test's own points today, both rounded to 2 decimals. */
export type Kept = { percent: number | null; score: number | null }

/**
 * What the attempts of one learner are worth, 0 to 1: the best, latest or first of them by percent, or the mean of
 * their exact percents. Attempts at nothing (every question deleted) have no percent. Undefined: there is none with one.
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

/** 100 × score / max_score rounded half up to 2 decimals; null of nothing. */
export const percentOf = (score: number, max_score: number): number | null =>
  max_score > 0 ? rounded({ dividend: 100n * millionths(score), divisor: millionths(max_score) }) : null

/** Points as they are shown: rounded half up to 2 decimals. */
export const shownPoints = (points: number): number =>
  rounded({ dividend: millionths(points), divisor: 1_000_000n })

/** The exact sum of points with at most 6 decimals. */
export const addPoints = (points: readonly number[]): number =>
  points.reduce((sum, one) => sum + Math.round(one * 1_000_000), 0) / 1_000_000

/** Verdicts compare the percent the learner sees; nothing is passed without one. */
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
