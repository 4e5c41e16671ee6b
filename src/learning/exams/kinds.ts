import { Type } from 'typebox'
import { Nullable } from '#foundation/http/schemas.ts'
import { text } from '../values.ts'
import { multipleChoice, singleChoice } from './kinds/choice.ts'
import {
  ALL,
  type At,
  hasRepeats,
  idsOf,
  type Item,
  Items,
  itemsOf,
  keeper,
  type Kind,
  listFault,
  listOf,
  missing,
  NOTHING,
  SentItem,
} from './kinds/kind.ts'
import { matching } from './kinds/matching.ts'
import { numeric, shortAnswer } from './kinds/written.ts'

const truthFields = {
  sent: {
    correct: Type.Optional(Type.Boolean()),
    feedback_if_true: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
    feedback_if_false: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
  },
  stored: {
    correct: Type.Optional(Type.Boolean()),
    feedback_if_true: Type.Optional(Type.String()),
    feedback_if_false: Type.Optional(Type.String()),
  },
  shown: {},
}
type Truth = { correct: boolean; feedback_if_true?: string; feedback_if_false?: string }
type SentTruth = { correct?: boolean; feedback_if_true?: string | null; feedback_if_false?: string | null }

const feedback = (sent: string | null | undefined, current = '') =>
  sent === undefined ? current : text(sent ?? '')

const trueFalse = {
  ...truthFields,
  clean(sent: SentTruth, current, at) {
    const correct = sent.correct ?? current.correct
    if (correct === undefined) return missing(at('correct'))
    const feedback_if_true = feedback(sent.feedback_if_true, current.feedback_if_true)
    const feedback_if_false = feedback(sent.feedback_if_false, current.feedback_if_false)
    return {
      correct,
      ...(feedback_if_true !== '' && { feedback_if_true }),
      ...(feedback_if_false !== '' && { feedback_if_false }),
    }
  },
  answerFault: (answer) => (typeof answer === 'boolean' ? undefined : 'must be true or false'),
  share: ({ correct }, answer) => (answer === correct ? ALL : NOTHING),
  show: () => ({}),
  facts: ({ correct }) => ({ correct }),
} satisfies Kind<Truth>

const orderFields = {
  sent: { items: Type.Optional(Type.Array(SentItem, { minItems: 2, maxItems: 20 })) },
  stored: { items: Items },
  shown: { items: Items },
}
const ordering = {
  ...orderFields,
  clean(sent: { items?: SentItem[] }, current, at) {
    const items = sent.items ? itemsOf(sent.items, keeper(idsOf(current.items))) : current.items
    if (!items) return missing(at('items'))
    if (hasRepeats(items.map(({ text }) => text))) at('items')('repeated', 'must have different texts')
    return { items }
  },
  answerFault: listFault,
  /** Drops items that the key no longer has, so that they do not shift the others. */
  share({ items }, answer) {
    const known = listOf(answer).filter((given) => items.some(({ id }) => id === given))
    return { part: items.filter(({ id }, place) => known[place] === id).length, whole: items.length }
  },
  show: ({ items }, { outOfOrder }) => ({ items: outOfOrder(items.map(({ id, text }) => ({ id, text }))) }),
  facts: ({ items }) => idsOf(items),
} satisfies Kind<{ items: Item[] }>

/** All kinds of questions. Schemas, grading, views and OpenAPI are derived from this table. */
export const KINDS = {
  single_choice: singleChoice,
  multiple_choice: multipleChoice,
  true_false: trueFalse,
  short_answer: shortAnswer,
  numeric,
  matching,
  ordering,
}

type Kinds = typeof KINDS
export type QuestionType = keyof Kinds
export const QUESTION_TYPES = Object.keys(KINDS) as QuestionType[]
export const kindOf = (type: QuestionType): Kind => KINDS[type]

/** The stored answer key of one version of a question. The server creates the ids inside a question. */
export type QuestionKey = { points: number; scoring: 'partial' | 'all_or_nothing' } & {
  [Type in QuestionType]: { type: Type } & BodyOf<Kinds[Type]>
}[QuestionType]
type BodyOf<One extends { clean(...given: never): unknown }> = Exclude<ReturnType<One['clean']>, undefined>
/** The stored body of a version of any kind. */
export type StoredBody = { [Name in string]?: unknown }

type All<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer Every) => void
  ? Every
  : never
const merged = <Name extends 'sent' | 'stored' | 'shown'>(name: Name) =>
  Object.assign({}, ...Object.values(KINDS).map((kind: Kind) => kind[name])) as All<Kinds[QuestionType][Name]>

export const SENT = merged('sent')
export const STORED = merged('stored')
export const SHOWN = merged('shown')

/** Validates the body of a question and returns it as stored. Fields of other kinds are ignored. */
export const cleanBody = (
  type: QuestionType,
  sent: object,
  current: StoredBody | undefined,
  at: At,
): StoredBody => ({ ...kindOf(type).clean(sent, current ?? {}, at) })

/** The message of the 422 for an answer of the wrong JSON type; undefined if the answer can be graded. */
export const answerFault = (type: QuestionType, answer: unknown): string | undefined =>
  answer === null || answer === undefined ? undefined : kindOf(type).answerFault(answer)
