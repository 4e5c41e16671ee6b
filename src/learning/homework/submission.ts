import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'

export const SUBMISSION_STATUSES = ['submitted', 'graded', 'returned'] as const

const Url = Type.String({ minLength: 1, maxLength: 2048 })

/** What a learner submits. Unknown fields, such as grades, are ignored. */
export const NewSubmission = Type.Object({
  text: Type.Optional(Nullable(Type.String({ maxLength: 50_000 }))),
  url: Type.Optional(Nullable(Url)),
  attachments: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          url: Url,
          name: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
          size_bytes: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
          mime_type: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 100 }))),
        }),
        { maxItems: 10 },
      ),
    ),
  ),
  client_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
})
export type NewSubmission = Static<typeof NewSubmission>

const Points = Type.Number({ minimum: 0, maximum: 1_000 })

/** A grade or a regrade. Fields that are not sent stay. */
export const GradeBody = Type.Object({
  score: Type.Optional(Nullable(Points)),
  feedback: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  rubric_scores: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          rubric_id: Uuid,
          points: Points,
          comment: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
        }),
        { maxItems: 20 },
      ),
    ),
  ),
  status: Type.Optional(Nullable(OneOf(['graded', 'returned']))),
})
export type GradeBody = Static<typeof GradeBody>

const Attachment = Type.Object({
  url: Type.String(),
  name: Nullable(Type.String()),
  size_bytes: Nullable(Type.Integer()),
  mime_type: Nullable(Type.String()),
})
export type Attachment = Static<typeof Attachment>
const RubricScore = Type.Object({ rubric_id: Uuid, points: Type.Number(), comment: Type.String() })
export type RubricScore = Static<typeof RubricScore>

const shown = {
  id: Uuid,
  homework_id: Uuid,
  user_id: Type.String(),
  attempt_number: Type.Integer(),
  text: Nullable(Type.String()),
  url: Nullable(Type.String()),
  attachments: Type.Array(Attachment),
  status: OneOf([...SUBMISSION_STATUSES]),
  submitted_at: Time,
  is_late: Type.Boolean(),
  seconds_late: Type.Integer(),
  score: Nullable(Type.Number()),
  feedback: Type.String(),
  rubric_scores: Type.Array(RubricScore),
  penalty_percent: Type.Number(),
  final_score: Nullable(Type.Number()),
  graded_by: Nullable(Type.String()),
  graded_at: Nullable(Time),
  /** False while the grade that is shown belongs to an earlier submission, null while there is none. */
  grade_matches_current_submission: Nullable(Type.Boolean()),
  created_at: Time,
  updated_at: Time,
}

/** A submission as the learner who made it sees it, fields in a fixed order. */
export const Submission = Type.Object({ ...shown, client_id: Nullable(Type.String()) })
export type Submission = Static<typeof Submission>
/** A submission as editors of the channel see it; the answer to a changed homework leaves the names out. */
export const ReceivedSubmission = Type.Object({
  ...shown,
  user_email: Type.String(),
  display_name: Type.Optional(Nullable(Type.String())),
  text_truncated: Type.Boolean(),
})
export type ReceivedSubmission = Static<typeof ReceivedSubmission>
/** One line of a learner's own history. */
export const PastSubmission = Type.Object({
  id: Uuid,
  attempt_number: Type.Integer(),
  status: OneOf([...SUBMISSION_STATUSES]),
  final_score: Nullable(Type.Number()),
  submitted_at: Time,
})
export type PastSubmission = Static<typeof PastSubmission>
