import { type Static, Type } from 'typebox'
import { CursorQuery } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { gradeOf, type Mark, pointsOf, type Result, rounded, type Weights } from './arithmetic.ts'
import { type Facts, homeworkMark, keptPercent, marksOf } from './work.ts'

const Percent = Nullable(Type.Number())

/** The caller's grade in one episode so far. */
export const Grade = Type.Object({
  episode_id: Uuid,
  episode_title: Type.String(),
  channel_id: Uuid,
  channel_title: Type.String(),
  percent: Percent,
  final_percent: Percent,
  score: Type.Number(),
  max_score: Type.Number(),
  passed: Nullable(Type.Boolean()),
  passing_percent: Type.Number(),
  status: OneOf(['not_started', 'passed', 'pending_review', 'failed', 'in_progress']),
  homework: Type.Object({
    score: Type.Number(),
    max_score: Type.Number(),
    graded: Type.Integer(),
    total: Type.Integer(),
    items: Type.Array(
      Type.Object({
        homework_id: Uuid,
        title: Type.String(),
        final_score: Percent,
        max_score: Type.Number(),
        status: OneOf(['not_submitted', 'submitted', 'graded', 'returned']),
      }),
    ),
  }),
  tests: Type.Object({
    score: Type.Number(),
    max_score: Type.Number(),
    attempted: Type.Integer(),
    total: Type.Integer(),
    items: Type.Array(
      Type.Object({
        test_id: Uuid,
        title: Type.String(),
        kept_percent: Percent,
        max_score: Type.Number(),
        attempts: Type.Integer(),
      }),
    ),
  }),
  updated_at: Nullable(Time),
})
export type Grade = Static<typeof Grade>

export const GradeQuery = Type.Object({ ...CursorQuery.properties, channel_id: Type.Optional(Uuid) })
export type GradeQuery = Static<typeof GradeQuery>

/** The fields of an episode and its channel that a grade needs. */
export type Graded = {
  episode_id: string
  episode_title: string
  channel_id: string
  channel_title: string
  passing_percent: number
  grade_weights: Weights
}

/** Computes the grade of one episode. Grades are never stored, so they cannot become stale. */
export function gradeOfEpisode({ grade_weights, ...episode }: Graded, facts: Facts): Grade {
  const { homework, tests } = facts
  const marks = marksOf(facts)
  const result = gradeOf(marks, grade_weights)
  const status = statusOf(facts, result, episode.passing_percent)
  return {
    ...episode,
    ...result,
    passed: status === 'not_started' ? null : status === 'passed',
    status,
    homework: {
      ...pointsOf(marks.homework),
      graded: marks.homework.filter(({ earned }) => earned !== undefined).length,
      total: homework.length,
      items: homework.map((one) => ({
        homework_id: one.homework_id,
        title: one.title,
        final_score: shown(homeworkMark(one).earned),
        max_score: one.max_score,
        status: one.status ?? 'not_submitted',
      })),
    },
    tests: {
      ...pointsOf(marks.tests),
      attempted: tests.filter(({ attempts }) => attempts.length > 0).length,
      total: tests.length,
      items: tests.map((one) => ({
        test_id: one.test_id,
        title: one.title,
        kept_percent: keptPercent(one),
        max_score: one.max_score,
        attempts: one.attempts.length,
      })),
    },
    updated_at: latest([...homework, ...tests]),
  }
}

/** The first status that applies (docs/learning.md). Compares the percent that is shown. */
function statusOf(
  { homework, tests }: Facts,
  { final_percent }: Result,
  passing_percent: number,
): Grade['status'] {
  const isStarted =
    homework.some(({ status }) => status !== null) || tests.some(({ attempts }) => attempts.length > 0)
  if (!isStarted) return 'not_started'
  if (final_percent !== null && final_percent >= passing_percent) return 'passed'
  if (homework.some(({ status }) => status === 'submitted')) return 'pending_review'
  const isOver =
    homework.every(({ final_score, is_over }) => final_score !== null || is_over) &&
    tests.every(({ is_over }) => is_over)
  return isOver ? 'failed' : 'in_progress'
}

const shown = (earned: Mark['earned']) => (earned ? rounded(earned) : null)

const latest = (facts: readonly { changed_at: string | null }[]): string | null =>
  facts.map(({ changed_at }) => changed_at).reduce((a, b) => ((a ?? '') < (b ?? '') ? b : a), null)
