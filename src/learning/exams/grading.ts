import { kindOf, type QuestionKey } from './kinds.ts'
import type { Share } from './kinds/kind.ts'

export type Outcome = 'correct' | 'partial' | 'incorrect' | 'unanswered'
/** `points_awarded` has at most 6 decimals and lies between 0 and the points of the question. */
export type Graded = { points_awarded: number; outcome: Outcome }

/**
 * Grades one answer that answerFault() has accepted. An id that the key does not have counts as not chosen; text that
 * is not a number is wrong. Absent, null and blank answers are unanswered.
 */
export function gradeAnswer(question: QuestionKey, answer: unknown): Graded {
  if (isBlank(answer)) return { points_awarded: 0, outcome: 'unanswered' }
  const share = kindOf(question.type).share(question, answer)
  const isWhole = share.part >= share.whole
  if (isWhole) return { points_awarded: question.points, outcome: 'correct' }
  const points_awarded = question.scoring === 'partial' ? award(question.points, share) : 0
  return { points_awarded, outcome: points_awarded > 0 ? 'partial' : 'incorrect' }
}

/** White space, an empty list, and pairs without a right side are blank. */
export function isBlank(answer: unknown): boolean {
  if (answer === undefined || answer === null) return true
  if (typeof answer === 'string') return answer.trim() === ''
  return typeof answer === 'object' && Object.values(answer).every((member) => member === null)
}

/** Points have at most 2 decimals, awarded points 6, rounded half up. */
function award(points: number, { part, whole }: Share): number {
  const millionths = BigInt(Math.round(points * 100)) * 10_000n
  const [dividend, divisor] = [millionths * BigInt(part), BigInt(whole)]
  return Number((2n * dividend + divisor) / (2n * divisor)) / 1_000_000
}
