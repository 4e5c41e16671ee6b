import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { asSent, cleanFields, decimals, type Faults, name, type Rules, text } from '../values.ts'
import { SCORE_POLICIES, type ScorePolicy } from './kept.ts'

export const TEST_STATUSES = ['draft', 'published'] as const
export const FEEDBACK_POLICIES = ['score', 'after_final', 'per_question'] as const
/** Limit of live tests per episode (docs/choices-learning.md). */
export const MAX_TESTS = 100

const Title = Type.String({ minLength: 1, maxLength: 200 })
const optionalWord = <const T extends string[]>(words: T) => Type.Optional(Nullable(OneOf(words)))
const Flag = Type.Optional(Nullable(Type.Boolean()))
const optionalInteger = (minimum: number, maximum: number) =>
  Type.Optional(Nullable(Type.Integer({ minimum, maximum })))

const given = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
  status: optionalWord([...TEST_STATUSES]),
  max_attempts: optionalInteger(0, 100),
  retry_delay_seconds: optionalInteger(0, 2_592_000),
  time_limit_seconds: optionalInteger(30, 86_400),
  opens_at: Type.Optional(Nullable(Time)),
  closes_at: Type.Optional(Nullable(Time)),
  passing_percent: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 100 }))),
  score_policy: optionalWord([...SCORE_POLICIES]),
  shuffle_questions: Flag,
  shuffle_options: Flag,
  feedback_policy: optionalWord([...FEEDBACK_POLICIES]),
  show_explanations: Flag,
  show_right_answers: Flag,
  weight: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1_000 }))),
}

export const NewTest = Type.Object({ title: Title, ...given })
export type NewTest = Static<typeof NewTest>
export const TestChange = Type.Object({ title: Type.Optional(Title), ...given })
export type TestChange = Static<typeof TestChange>

/** The columns of learning.tests that an editor sets. */
export type TestFields = {
  title: string
  description: string
  status: (typeof TEST_STATUSES)[number]
  max_attempts: number
  retry_delay_seconds: number
  time_limit_seconds: number | null
  opens_at: string | null
  closes_at: string | null
  passing_percent: number | null
  score_policy: ScorePolicy
  shuffle_questions: boolean
  shuffle_options: boolean
  feedback_policy: (typeof FEEDBACK_POLICIES)[number]
  show_explanations: boolean
  show_right_answers: boolean
  /** What it counts in a grade; null: its points. */
  weight: number | null
}

export const TEST_DEFAULTS: Omit<TestFields, 'title'> = {
  description: '',
  status: 'published',
  max_attempts: 0,
  retry_delay_seconds: 0,
  time_limit_seconds: null,
  opens_at: null,
  closes_at: null,
  passing_percent: null,
  score_policy: 'best',
  shuffle_questions: false,
  shuffle_options: true,
  // With attempts without number, nobody would ever reach the last one.
  feedback_policy: 'per_question',
  show_explanations: true,
  show_right_answers: false,
  weight: null,
}

const RULES: Rules<TestFields> = {
  title: name,
  description: text,
  status: asSent,
  max_attempts: asSent,
  retry_delay_seconds: asSent,
  time_limit_seconds: asSent,
  opens_at: asSent,
  closes_at: asSent,
  passing_percent: decimals(2),
  score_policy: asSent,
  shuffle_questions: asSent,
  shuffle_options: asSent,
  feedback_policy: asSent,
  show_explanations: asSent,
  show_right_answers: asSent,
  weight: decimals(2),
}

/** Validates the sent fields and returns them as stored. Absent fields stay absent, null means the default. */
export const cleanTest = (body: NewTest | TestChange, faults: Faults): Partial<TestFields> =>
  cleanFields(body, RULES, TEST_DEFAULTS, faults)

const Percent = Nullable(Type.Number())
const Finished = Type.Object({
  id: Uuid,
  number: Type.Integer(),
  status: OneOf(['graded', 'expired']),
  score: Type.Number(),
  max_score: Type.Number(),
  percent: Percent,
  submitted_at: Time,
})

/** An attempt in progress, as its learner sees it. */
export const OpenAttempt = Type.Object({
  number: Type.Integer(),
  opened_at: Time,
  expires_at: Nullable(Time),
})
export type OpenAttempt = Static<typeof OpenAttempt>

/** Nullable and not `anyOf`, for which the response serializer would run a whole validator. */
export const NullableAttempt = Nullable(OpenAttempt)

const MyStanding = Type.Object({
  attempts_used: Type.Integer(),
  attempts_left: Nullable(Type.Integer()),
  kept_score: Percent,
  kept_percent: Percent,
  passed: Nullable(Type.Boolean()),
  open_attempt: NullableAttempt,
  next_attempt_at: Nullable(Time),
  history: Type.Array(Finished),
})
export type MyStanding = Static<typeof MyStanding>

const QuestionStats = Type.Object({
  question_id: Uuid,
  n: Type.Integer(),
  difficulty: Percent,
  discrimination: Percent,
  options: Type.Array(Type.Object({ id: Type.String(), share: Type.Number() })),
})

/**
 * Covers learners only; previews of editors are left out. Rates, shares and `difficulty` are 0 to 1, `mean_percent`
 * is 0 to 100.
 */
const TestStats = Type.Object({
  attempt_count: Type.Integer(),
  learner_count: Type.Integer(),
  mean_percent: Percent,
  pass_rate: Percent,
  histogram: Type.Array(Type.Integer()),
  questions: Type.Optional(Type.Array(QuestionStats)),
})
export type TestStats = Static<typeof TestStats>
export type QuestionStats = Static<typeof QuestionStats>

const LearnerResult = Type.Object({
  user_id: Type.String(),
  user_email: Nullable(Type.String()),
  display_name: Type.Optional(Nullable(Type.String())),
  attempts: Type.Integer(),
  kept_percent: Percent,
  passed: Nullable(Type.Boolean()),
  last_submitted_at: Time,
})
export type LearnerResult = Static<typeof LearnerResult>

/** A test in responses. The last four members are for editors only, the last three of them only with `?test_id=`. */
export const Test = Type.Object({
  id: Uuid,
  episode_id: Uuid,
  title: Type.String(),
  description: Type.String(),
  status: OneOf([...TEST_STATUSES]),
  max_attempts: Type.Integer(),
  retry_delay_seconds: Type.Integer(),
  time_limit_seconds: Nullable(Type.Integer()),
  opens_at: Nullable(Time),
  closes_at: Nullable(Time),
  /** The learner has longer than the others; `closes_at` is theirs. */
  is_extended: Type.Boolean(),
  passing_percent: Percent,
  score_policy: OneOf([...SCORE_POLICIES]),
  shuffle_questions: Type.Boolean(),
  shuffle_options: Type.Boolean(),
  feedback_policy: OneOf([...FEEDBACK_POLICIES]),
  show_explanations: Type.Boolean(),
  show_right_answers: Type.Boolean(),
  weight: Percent,
  question_count: Type.Integer(),
  max_score: Type.Number(),
  created_at: Time,
  updated_at: Time,
  my: MyStanding,
  stats: Type.Optional(TestStats),
  results: Type.Optional(Type.Array(LearnerResult)),
  result_total: Type.Optional(Type.Integer()),
  result_page: Type.Optional(Type.Integer()),
})
export type Test = Static<typeof Test>

export const DeletedTest = Type.Object({ id: Uuid, deleted: Type.Literal(true), deleted_at: Time })
