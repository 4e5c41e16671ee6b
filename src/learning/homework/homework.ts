import { type Static, Type } from 'typebox'
import { CursorPageOf, CursorQuery } from '#foundation/http/cursor-page.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { PastSubmission, ReceivedSubmission, Submission } from './submission.ts'

export const HOMEWORK_STATUSES = ['draft', 'published'] as const
export const SUBMISSION_TYPES = ['text', 'url', 'file'] as const
export const LATE_POLICIES = ['accept', 'penalize', 'reject'] as const
/** Limit of live homework per episode (docs/choices-learning.md). */
export const MAX_HOMEWORK = 100

const Title = Type.String({ minLength: 1, maxLength: 200 })
const Percent = Type.Number({ minimum: 0, maximum: 100 })
const Points = Type.Number({ exclusiveMinimum: 0, maximum: 1_000 })
const optionalWord = <const T extends string[]>(words: T) => Type.Optional(Nullable(OneOf(words)))

const given = {
  instructions: Type.Optional(Nullable(Type.String({ maxLength: 20_000 }))),
  status: optionalWord([...HOMEWORK_STATUSES]),
  submission_types: Type.Optional(
    Nullable(Type.Array(OneOf([...SUBMISSION_TYPES]), { minItems: 1, maxItems: 3 })),
  ),
  max_score: Type.Optional(Nullable(Points)),
  weight: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1_000 }))),
  due_at: Type.Optional(Nullable(Time)),
  lock_at: Type.Optional(Nullable(Time)),
  late_policy: optionalWord([...LATE_POLICIES]),
  late_penalty_percent_per_day: Type.Optional(Nullable(Percent)),
  late_penalty_max_percent: Type.Optional(Nullable(Percent)),
  max_submissions: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 50 }))),
  rubric: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          id: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
          criterion: Type.String({ minLength: 1, maxLength: 200 }),
          max_points: Points,
        }),
        { maxItems: 20 },
      ),
    ),
  ),
}

export const NewHomework = Type.Object({ title: Title, ...given })
export type NewHomework = Static<typeof NewHomework>

export const HomeworkChange = Type.Object({ title: Type.Optional(Title), ...given })
export type HomeworkChange = Static<typeof HomeworkChange>

const Criterion = Type.Object({ id: Uuid, criterion: Type.String(), max_points: Type.Number() })
export type Criterion = Static<typeof Criterion>

const shown = {
  id: Uuid,
  episode_id: Uuid,
  title: Type.String(),
  instructions: Type.String(),
  status: OneOf([...HOMEWORK_STATUSES]),
  submission_types: Type.Array(OneOf([...SUBMISSION_TYPES])),
  max_score: Type.Number(),
  weight: Nullable(Type.Number()),
  due_at: Nullable(Time),
  lock_at: Nullable(Time),
  /** The learner has longer than the others; `due_at` and `lock_at` are theirs. */
  is_extended: Type.Boolean(),
  late_policy: OneOf([...LATE_POLICIES]),
  late_penalty_percent_per_day: Type.Number(),
  late_penalty_max_percent: Type.Number(),
  max_submissions: Type.Integer(),
  rubric: Type.Array(Criterion),
  created_at: Time,
  updated_at: Time,
  my_submission: Nullable(Submission),
  my_history: Type.Array(PastSubmission),
  submissions_left: Nullable(Type.Integer()),
}

/** Homework as a learner sees it, fields in a fixed order. */
export const Homework = Type.Object(shown)
export type Homework = Static<typeof Homework>
/**
 * Homework as editors see it, with the submissions. The counts are of learners. `submission_total` counts the rows
 * that can be paged through, including previews of editors.
 */
export const EditedHomework = Type.Object({
  ...shown,
  submission_count: Type.Integer(),
  ungraded_count: Type.Integer(),
  submission_total: Type.Integer(),
  submissions: Type.Array(ReceivedSubmission),
})
export type EditedHomework = Static<typeof EditedHomework>
/** A page of homework. The last four members are for editors only. */
export const HomeworkPage = CursorPageOf(
  Type.Object({
    ...shown,
    submission_count: Type.Optional(Type.Integer()),
    ungraded_count: Type.Optional(Type.Integer()),
    submission_total: Type.Optional(Type.Integer()),
    submissions: Type.Optional(Type.Array(ReceivedSubmission)),
  }),
)
export const DeletedHomework = Type.Object({ id: Uuid, deleted: Type.Literal(true), deleted_at: Time })

/** The last three apply only with `homework_id`, which also returns texts in full. */
export const HomeworkQuery = Type.Object({
  ...CursorQuery.properties,
  homework_id: Type.Optional(Uuid),
  submission_page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  submission_per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  submissions: OneOf(['latest', 'all'], { default: 'latest' }),
})
export type HomeworkQuery = Static<typeof HomeworkQuery>
