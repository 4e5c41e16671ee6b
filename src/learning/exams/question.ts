import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { QUESTION_TYPES, SENT } from './kinds.ts'
import { optionalWord } from './kinds/kind.ts'

export const SCORINGS = ['partial', 'all_or_nothing'] as const
export const REGRADES = ['recalculate', 'full_credit', 'none'] as const
export type Regrade = (typeof REGRADES)[number]
/** Limit of live questions per test (docs/choices-learning.md). */
export const MAX_QUESTIONS = 500

/** What an author sends. The kind of the question decides which fields are required. */
export const QuestionBody = Type.Object({
  type: Type.Optional(OneOf([...QUESTION_TYPES])),
  prompt: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
  points: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1_000 }))),
  position: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  scoring: optionalWord([...SCORINGS]),
  explanation: Type.Optional(Nullable(Type.String({ maxLength: 5_000 }))),
  ...SENT,
})
export type QuestionBody = Static<typeof QuestionBody>

/** One question, or `questions`, which are created all or none. */
export const NewQuestions = Type.Object({
  ...QuestionBody.properties,
  questions: Type.Optional(Nullable(Type.Array(QuestionBody, { minItems: 1, maxItems: 100 }))),
})
export type NewQuestions = Static<typeof NewQuestions>

export const QuestionChange = Type.Object({
  ...QuestionBody.properties,
  regrade: optionalWord([...REGRADES]),
})
export type QuestionChange = Static<typeof QuestionChange>

export const DeletedQuestion = Type.Object({
  id: Uuid,
  deleted: Type.Literal(true),
  deleted_at: Type.String({ format: 'date-time' }),
})
