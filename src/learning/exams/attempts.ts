import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { TestRow } from './access.ts'
import { feedbackOn, PerQuestion } from './feedback.ts'
import { isPassed, percentOf, SCORE_POLICIES, shownPoints } from './kept.ts'
import type { KeyedQuestion } from './keys.ts'
import type { AttemptRecord } from './records.ts'
import { type AttemptRow, isFinal, standingOf } from './standing.ts'

/** What a learner submits: answers by question, and a `client_id` as idempotency key. */
export const AttemptBody = Type.Object({
  answers: Type.Array(Type.Object({ question_id: Uuid, answer: Type.Optional(Type.Unknown()) }), {
    maxItems: 500,
  }),
  client_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
})
export type AttemptBody = Static<typeof AttemptBody>

/** A finished attempt as its learner sees it. Scores and percents have 2 decimals. */
export const Attempt = Type.Object({
  id: Uuid,
  test_id: Uuid,
  number: Type.Integer(),
  status: OneOf(['graded', 'expired']),
  started_at: Time,
  submitted_at: Time,
  time_spent_seconds: Type.Integer(),
  score: Type.Number(),
  max_score: Type.Number(),
  percent: Nullable(Type.Number()),
  passed: Type.Boolean(),
  kept: Type.Object({
    score: Nullable(Type.Number()),
    percent: Nullable(Type.Number()),
    policy: OneOf([...SCORE_POLICIES]),
  }),
  attempts_left: Nullable(Type.Integer()),
  per_question: Nullable(Type.Array(PerQuestion)),
  ignored_question_ids: Type.Array(Uuid),
  regraded: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
})
export type Attempt = Static<typeof Attempt>

/** `attempts` are all attempts of the learner. `key` is the key that the attempt was graded by. */
export function shownAttempt(
  test: TestRow,
  attempts: readonly AttemptRow[],
  record: AttemptRecord,
  key: readonly KeyedQuestion[],
  ignored_question_ids: string[],
): Attempt {
  const standing = standingOf(test, attempts, test.now)
  const { left, kept_score, kept_percent } = standing
  const percent = percentOf(record.score, record.max_score)
  const { opened_at, submitted_at, regraded_at } = record
  return {
    id: record.id,
    test_id: test.id,
    number: record.number,
    status: record.status,
    started_at: opened_at,
    submitted_at,
    time_spent_seconds: Math.floor((Date.parse(submitted_at) - Date.parse(opened_at)) / 1000),
    score: shownPoints(record.score),
    max_score: shownPoints(record.max_score),
    percent,
    passed: isPassed(percent, test.pass_mark),
    kept: { score: kept_score, percent: kept_percent, policy: test.score_policy },
    attempts_left: left,
    per_question: feedbackOn(test, isFinal(test, standing), record, key),
    ignored_question_ids,
    regraded: regraded_at !== null,
    created_at: opened_at,
    updated_at: regraded_at ?? submitted_at,
  }
}
