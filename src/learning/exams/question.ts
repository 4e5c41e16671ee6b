import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Uuid } from '#foundation/schemas.ts'

export const QUESTION_TYPES = [
  'single_choice',
  'multiple_choice',
  'true_false',
  'short_answer',
  'numeric',
  'matching',
  'ordering',
] as const
export type QuestionType = (typeof QUESTION_TYPES)[number]
export const SCORINGS = ['partial', 'all_or_nothing'] as const
export const REGRADES = ['recalculate', 'full_credit', 'none'] as const
export type Regrade = (typeof REGRADES)[number]
/** Live questions of one test (docs/choices-learning.md). */
export const MAX_QUESTIONS = 500

const optionalWord = <const T extends string[]>(words: T) =>
  Type.Optional(Nullable(OneOf(words), { enum: [...words, null] }))
const Prompt = Type.String({ minLength: 1, maxLength: 10_000 })
/** Of an option, an item or one side of a pair: an unknown one is replaced, so nothing more is asked of it. */
const SentId = Type.Optional(Nullable(Type.String({ maxLength: 200 })))
const Side = Type.String({ minLength: 1, maxLength: 500 })
const Flag = Type.Optional(Nullable(Type.Boolean()))

/** A number, or the same as text, which keeps every digit. */
const Decimal = Type.Unsafe<number | string>({ type: ['number', 'string'], minLength: 1, maxLength: 40 })

type SentItem = string | { id?: string | null; text: string }
/**
 * The text, or `{id?, text}`. One schema by keywords, because each of an `anyOf` would add its own words to a
 * refusal.
 */
const SentItem = Type.Unsafe<SentItem>({
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 500,
  required: ['text'],
  properties: { id: { type: ['string', 'null'], maxLength: 200 }, text: Side },
})

const given = {
  points: Type.Optional(Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1_000 }))),
  position: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
  scoring: optionalWord([...SCORINGS]),
  explanation: Type.Optional(Nullable(Type.String({ maxLength: 5_000 }))),
  options: Type.Optional(
    Type.Array(
      Type.Object({
        id: SentId,
        text: Type.String({ minLength: 1, maxLength: 2_000 }),
        correct: Flag,
        fraction: Type.Optional(Nullable(Type.Number({ minimum: -1, maximum: 1 }))),
        feedback: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
      }),
      { minItems: 2, maxItems: 20 },
    ),
  ),
  correct: Type.Optional(Type.Boolean()),
  accepted: Type.Optional(
    Type.Array(
      Type.Object({
        text: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
        value: Type.Optional(Decimal),
        tolerance: Type.Optional(Nullable(Decimal, { type: ['number', 'string', 'null'], minimum: 0 })),
        tolerance_type: optionalWord(['absolute', 'relative']),
        min: Type.Optional(Decimal),
        max: Type.Optional(Decimal),
        fraction: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
      }),
      { minItems: 1, maxItems: 50 },
    ),
  ),
  case_sensitive: Flag,
  ignore_accents: Flag,
  unit: Type.Optional(Nullable(Type.String({ maxLength: 40 }))),
  pairs: Type.Optional(
    Type.Array(Type.Object({ left_id: SentId, left: Side, right_id: SentId, right: Side }), {
      minItems: 2,
      maxItems: 20,
    }),
  ),
  distractors: Type.Optional(Nullable(Type.Array(SentItem, { maxItems: 20 }))),
  items: Type.Optional(Type.Array(SentItem, { minItems: 2, maxItems: 20 })),
}

/** What an author sends of a question; which fields a type needs is said by cleanBody(). */
export const QuestionBody = Type.Object({
  type: Type.Optional(OneOf([...QUESTION_TYPES])),
  prompt: Type.Optional(Prompt),
  ...given,
})
export type QuestionBody = Static<typeof QuestionBody>

/** One question, or `questions` of which all are created or none. */
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
