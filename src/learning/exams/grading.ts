import { matchesText } from './matching-text.ts'
import { matchesNumber, type NumberKey } from './numeric.ts'

/** The answer key of one version of a question, as it is stored. Ids inside a question are made by the server. */
export type QuestionKey = { points: number; scoring: 'partial' | 'all_or_nothing' } & (
  | { type: 'single_choice' | 'multiple_choice'; options: KeyOption[] }
  | { type: 'true_false'; correct: boolean }
  | { type: 'short_answer'; accepted: TextKey[]; case_sensitive: boolean; ignore_accents: boolean }
  | { type: 'numeric'; accepted: (NumberKey & { fraction: number })[]; unit: string | null }
  | { type: 'matching'; pairs: KeyPair[]; distractors: KeyItem[] }
  | { type: 'ordering'; items: KeyItem[] }
)
export type KeyOption = {
  id: string
  text: string
  correct: boolean
  fraction: number | null
  feedback: string | null
}
export type TextKey = { text: string; fraction: number }
export type KeyPair = { left_id: string; left: string; right_id: string; right: string }
export type KeyItem = { id: string; text: string }

export type Outcome = 'correct' | 'partial' | 'incorrect' | 'unanswered'
/** `points_awarded` is exact to 6 decimals, 0 to the points of the question. */
export type Graded = { points_awarded: number; outcome: Outcome }

/** A part of the points as a fraction of whole numbers, so that a third stays a third. */
type Share = { part: number; whole: number }
const NOTHING: Share = { part: 0, whole: 1 }
const ALL: Share = { part: 1, whole: 1 }

/**
 * Grades one answer that answerFault() has let through. What the key does not know counts as not chosen, what is no
 * number is wrong; absent, null and blank are unanswered.
 */
export function gradeAnswer(question: QuestionKey, answer: unknown): Graded {
  if (isBlank(answer)) return { points_awarded: 0, outcome: 'unanswered' }
  const share = shareOf(question, answer)
  const isWhole = share.part >= share.whole
  if (isWhole) return { points_awarded: question.points, outcome: 'correct' }
  const points_awarded = question.scoring === 'partial' ? award(question.points, share) : 0
  return { points_awarded, outcome: points_awarded > 0 ? 'partial' : 'incorrect' }
}

/** Nothing that says anything: white space, an empty list, pairs without a right side. */
export function isBlank(answer: unknown): boolean {
  if (answer === undefined || answer === null) return true
  if (typeof answer === 'string') return answer.trim() === ''
  return typeof answer === 'object' && Object.values(answer).every((member) => member === null)
}

function shareOf(question: QuestionKey, answer: unknown): Share {
  switch (question.type) {
    case 'single_choice':
      return shareOfChoice(question.options, answer)
    case 'multiple_choice':
      return shareOfChoices(question, Array.isArray(answer) ? answer : [])
    case 'true_false':
      return answer === question.correct ? ALL : NOTHING
    case 'short_answer': {
      const given = typeof answer === 'string' ? answer : ''
      return best(question.accepted.filter((accepted) => matchesText(accepted.text, given, question)))
    }
    case 'numeric':
      return best(question.accepted.filter((accepted) => matchesNumber(accepted, answer, question.unit)))
    case 'matching':
      return shareOfPairs(question, answer)
    case 'ordering':
      return shareOfOrder(question.items, Array.isArray(answer) ? answer : [])
  }
}

function shareOfChoice(options: KeyOption[], answer: unknown): Share {
  const chosen = options.find(({ id }) => id === answer)
  return chosen ? fractionShare(chosen.fraction ?? Number(chosen.correct)) : NOTHING
}

/** With fractions their sum counts, rounded to 6 decimals, as three times 33.33333 % is meant to be all of it. */
function shareOfChoices(
  { options, scoring }: { options: KeyOption[]; scoring: QuestionKey['scoring'] },
  answer: unknown[],
): Share {
  const chosen = options.filter(({ id }) => answer.includes(id))
  const right = chosen.filter(({ correct }) => correct).length
  const wrong = chosen.length - right
  const all = options.filter(({ correct }) => correct).length
  if (scoring === 'all_or_nothing') return right === all && wrong === 0 ? ALL : NOTHING
  if (options.every(({ fraction }) => fraction === null))
    return { part: Math.max(0, right - wrong), whole: all }
  const sum = chosen.reduce((total, { fraction }) => total + Math.round((fraction ?? 0) * FRACTIONS), 0)
  return { part: Math.max(0, Math.floor((sum + 5) / 10)), whole: FRACTIONS / 10 }
}

/** Equal right sides are interchangeable, so texts are compared and not ids. */
function shareOfPairs(
  { pairs, distractors }: { pairs: KeyPair[]; distractors: KeyItem[] },
  answer: unknown,
): Share {
  const rights = new Map(distractors.map(({ id, text }) => [id, text]))
  for (const { right_id, right } of pairs) rights.set(right_id, right)
  const chosen = new Map(Object.entries(answer as object))
  const part = pairs.filter(({ left_id, right }) => rights.get(chosen.get(left_id)) === right).length
  return { part, whole: pairs.length }
}

/** Items that are gone from the key do not move the others out of place. */
function shareOfOrder(items: KeyItem[], answer: unknown[]): Share {
  const known = answer.filter((given) => items.some(({ id }) => id === given))
  return { part: items.filter(({ id }, place) => known[place] === id).length, whole: items.length }
}

const best = (matching: { fraction: number }[]): Share =>
  fractionShare(Math.max(0, ...matching.map(({ fraction }) => fraction)))

/** Fractions have at most 7 decimals. */
const FRACTIONS = 10_000_000
const fractionShare = (fraction: number): Share => ({
  part: Math.max(0, Math.round(fraction * FRACTIONS)),
  whole: FRACTIONS,
})

/** Points have at most 2 decimals, awarded points 6, rounded half up. */
function award(points: number, { part, whole }: Share): number {
  const millionths = BigInt(Math.round(points * 100)) * 10_000n
  const [dividend, divisor] = [millionths * BigInt(part), BigInt(whole)]
  return Number((2n * dividend + divisor) / (2n * divisor)) / 1_000_000
}
