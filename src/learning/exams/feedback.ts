import { type Static, Type } from 'typebox'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { TestFields } from './exam.ts'
import type { Answers, QuestionResult } from './graded.ts'
import type { QuestionKey } from './kinds.ts'
import { shownPoints } from './kept.ts'
import type { KeyedQuestion } from './keys.ts'

/** What a learner may know about one answer. Never the key: with unlimited attempts a key would solve any test. */
export const PerQuestion = Type.Object({
  question_id: Uuid,
  points_awarded: Type.Number(),
  points: Type.Number(),
  outcome: OneOf(['correct', 'partial', 'incorrect', 'unanswered']),
  feedback: Type.Optional(Type.String()),
  explanation: Type.Optional(Type.String()),
})
export type PerQuestion = Static<typeof PerQuestion>

type Policy = Pick<TestFields, 'feedback_policy' | 'show_explanations'>

/**
 * The feedback that the policies of the test allow; null means none. `is_final` means that the learner cannot profit
 * from another attempt: the learner has passed, has none left, or the test is closed.
 */
export function feedbackOn(
  { feedback_policy, show_explanations }: Policy,
  is_final: boolean,
  attempt: { results: QuestionResult[]; answers: Answers },
  key: readonly KeyedQuestion[],
): PerQuestion[] | null {
  if (feedback_policy === 'score' || (feedback_policy === 'after_final' && !is_final)) return null
  const explains = show_explanations && is_final
  const questions = new Map(key.map((question) => [question.question_id, question]))
  return attempt.results.map(({ question_id, points_awarded, points, outcome }) => ({
    question_id,
    points_awarded: shownPoints(points_awarded),
    points,
    outcome,
    ...(explains && explained(questions.get(question_id), attempt.answers[question_id])),
  }))
}

function explained(question: KeyedQuestion | undefined, answer: unknown) {
  if (!question) return {}
  const feedback = feedbackOfChosen(question.key, answer)
  return {
    ...(feedback !== '' && { feedback }),
    ...(question.explanation !== '' && { explanation: question.explanation }),
  }
}

/** Only the feedback of chosen options, because that of the others would reveal the right one. */
function feedbackOfChosen(key: QuestionKey, answer: unknown): string {
  if (key.type === 'true_false' && typeof answer === 'boolean')
    return (answer ? key.feedback_if_true : key.feedback_if_false) ?? ''
  if (!('options' in key)) return ''
  const chosen: unknown[] = Array.isArray(answer) ? answer : [answer]
  return key.options
    .filter(({ id }) => chosen.includes(id))
    .map(({ feedback }) => feedback)
    .filter(Boolean)
    .join('\n')
}
