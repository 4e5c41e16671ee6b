import { type Static, Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { withNames } from '../names.ts'
import { openTest, type TestRow } from './access.ts'
import { attemptRows } from './attempt-rows.ts'
import { feedbackOn, PerQuestion } from './feedback.ts'
import { isPassed, percentOf, shownPoints } from './kept.ts'
import type { ExamParts } from './parts.ts'
import type { AttemptRecord } from './records.ts'
import { RightAnswer, rightAnswerOf } from './right-answer.ts'
import { isClosedForGood, isFinal, type Standing, standingOf } from './standing.ts'
import { StudentQuestion, studentViews } from './views.ts'

/** One question of a paper that was handed in, the answer to it, and as much of the verdict as the viewer may know. */
const ReviewedQuestion = Type.Object({
  ...StudentQuestion.properties,
  answer: Type.Unknown(),
  verdict: Nullable(PerQuestion),
  right_answer: Type.Optional(RightAnswer),
})

/** A finished attempt, opened again. `may_reset`: the viewer edits the channel. */
export const AttemptReview = Type.Object({
  id: Uuid,
  test_id: Uuid,
  user_id: Type.String(),
  user_email: Nullable(Type.String()),
  display_name: Nullable(Type.String()),
  number: Type.Integer(),
  status: OneOf(['graded', 'expired']),
  started_at: Time,
  submitted_at: Time,
  score: Type.Number(),
  max_score: Type.Number(),
  percent: Nullable(Type.Number()),
  passed: Type.Boolean(),
  may_reset: Type.Boolean(),
  questions: Type.Array(ReviewedQuestion),
})
export type AttemptReview = Static<typeof AttemptReview>

type Row = AttemptRecord & { test_id: string; user_id: string; user_email: string | null }

/**
 * One finished attempt as its learner saw it, with what was answered. The learner is told what the policies of the test
 * allow at this moment, editors everything. 404 for an open attempt and for one of somebody else, except to editors.
 */
export async function reviewAttempt(
  { db, answerKeys, shuffleKey, names }: ExamParts,
  viewer: Viewer,
  attempt_id: string,
): Promise<AttemptReview> {
  const { tenant_id } = viewer
  const attempt = await readFinished(db.fast, tenant_id, attempt_id)
  if (!attempt) throw notFound()
  const { test_id, user_id } = attempt
  const [{ episode, test }, attempts] = await Promise.all([
    openTest(db.fast, viewer, test_id),
    attemptRows(db.fast, tenant_id, user_id, [test_id]),
  ])
  const is_own = user_id === viewer.user_id
  if (!is_own && !episode.is_editor) throw notFound()
  const { key_version } = attempt
  const key = await answerKeys.read(db.fast, { tenant_id, test_id, key_version, now: test.key_version })
  const may = is_own && !test.is_staff ? allowed(test, standingOf(test, attempts, test.now)) : EVERYTHING
  const verdicts = new Map(
    feedbackOn(may.policy, may.is_final, attempt, key)?.map((told) => [told.question_id, told]),
  )
  const { shuffle_questions, shuffle_options } = test
  const shuffling = { secret: shuffleKey, seed: attempt.id, test_id, shuffle_questions, shuffle_options }
  const percent = percentOf(attempt.score, attempt.max_score)
  const [learner] = await withNames(names, tenant_id, [{ user_id }])
  return {
    ...shownHead(attempt),
    display_name: learner?.display_name ?? null,
    percent,
    passed: isPassed(percent, test.pass_mark),
    may_reset: episode.is_editor,
    questions: studentViews(key, shuffling).map((question) => {
      const known = key.find(({ question_id }) => question_id === question.id)
      return {
        ...question,
        answer: attempt.answers[question.id] ?? null,
        verdict: verdicts.get(question.id) ?? null,
        ...(may.right_answers && known && { right_answer: rightAnswerOf(known.key) }),
      }
    }),
  }
}

const shownHead = ({ id, test_id, user_id, user_email, number, status, ...row }: Row) => ({
  id,
  test_id,
  user_id,
  user_email,
  number,
  status,
  started_at: row.opened_at,
  submitted_at: row.submitted_at,
  score: shownPoints(row.score),
  max_score: shownPoints(row.max_score),
})

const EVERYTHING = {
  policy: { feedback_policy: 'per_question', show_explanations: true },
  is_final: true,
  right_answers: true,
} as const

/** What a learner may know. The right answers only when nothing can be gained from them any more. */
function allowed(test: TestRow, standing: Standing) {
  const is_final = isFinal(test, standing)
  const is_over =
    isClosedForGood(test) || (is_final && (standing.left === 0 || standing.kept_percent === 100))
  return {
    policy: test,
    is_final,
    right_answers: test.show_right_answers && test.feedback_policy !== 'score' && is_over,
  }
}

async function readFinished(sql: Lane, tenant_id: string, id: string): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select a.id, a.test_id, a.user_id, n.user_email, a.number, learning.attempt_status(a.status, a.expires_at) as status,
           a.opened_at, coalesce(a.submitted_at, a.expires_at) as submitted_at, a.regraded_at, a.key_version, a.answers,
           a.results, a.score::float8, a.max_score::float8
      from learning.attempts a
      join learning.tests t on t.tenant_id = a.tenant_id and t.id = a.test_id
      join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id
      left join learning.enrollments n
        on n.tenant_id = a.tenant_id and n.user_id = a.user_id and n.channel_id = e.channel_id
     where a.tenant_id = ${tenant_id} and a.id = ${id}
       and learning.attempt_status(a.status, a.expires_at) <> 'open'`
  return row
}
