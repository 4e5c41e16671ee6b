import { gradeAnswer, type Outcome } from './grading.ts'
import { addPoints } from './kept.ts'
import type { KeyedQuestion } from './keys.ts'

/** The result of one question, as the attempt stores it. */
export type QuestionResult = {
  question_id: string
  version: number
  points_awarded: number
  points: number
  outcome: Outcome
}

/** Answers as sent, by question id. */
export type Answers = Record<string, unknown>

/** Grades a whole attempt by its key. Deleted questions are left out of both sums. */
export function gradeAnswers(key: readonly KeyedQuestion[], answers: Answers) {
  const live = key.filter(({ is_deleted }) => !is_deleted)
  const results = live.map(({ question_id, version, key: question, is_full_credit }): QuestionResult => {
    const { points } = question
    const graded = is_full_credit
      ? { points_awarded: points, outcome: 'correct' as const }
      : gradeAnswer(question, answers[question_id])
    return { question_id, version, points, ...graded }
  })
  return {
    results,
    score: addPoints(results.map(({ points_awarded }) => points_awarded)),
    max_score: pointsOf(live),
  }
}

/** The maximum points of a key, without deleted questions. */
export const pointsOf = (key: readonly KeyedQuestion[]) =>
  addPoints(key.filter(({ is_deleted }) => !is_deleted).map(({ key: { points } }) => points))
