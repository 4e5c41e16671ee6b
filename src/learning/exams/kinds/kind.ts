import { type TProperties, Type } from 'typebox'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'
import { randomToken } from '#foundation/security/secrets.ts'
import { type Faults, type Refuse, text } from '../../values.ts'

/** Where faults go: `at('options')` names the field with the path of the question before it. */
export type At = Faults['at']
/** A part of the points as a fraction of whole numbers, so that a third stays a third. */
export type Share = { part: number; whole: number }
export const NOTHING: Share = { part: 0, whole: 1 }
export const ALL: Share = { part: 1, whole: 1 }

/** The orders of one attempt, drawn so that nobody can work out the order things were written in. */
export type Orders = {
  shuffle_options: boolean
  shuffled: <T>(values: readonly T[]) => T[]
  /** Never the order it was written in. */
  outOfOrder: <T>(values: readonly T[]) => T[]
}

/**
 * A kind of question. `Body` is what a version of it keeps beside the fields of all questions: the fields of the author,
 * with the ids that answers name.
 */
export type Kind<Body extends object = object> = {
  /** What its author sends, what its editors are shown and what its learners are shown, beside the common fields. */
  sent: TProperties
  stored: TProperties
  shown: TProperties
  /** The learner's own words stand in its answers, so an erasure takes them away. */
  isOwnWords?: boolean
  /** Each list that was sent replaces the old one whole, what was not sent stays. Rules between the fields go to `at`. */
  clean(sent: object, current: Partial<Body>, at: At): Body | undefined
  /** What is wrong with the JSON type of an answer. Ids are not looked up here: unknown ones count as not chosen. */
  answerFault(answer: unknown): string | undefined
  /** What the key does not know counts as not chosen, what is no number is wrong. */
  share(question: Body & { scoring: 'partial' | 'all_or_nothing' }, answer: unknown): Share
  show(body: Body, orders: Orders): object
  /** What of it decides about points; all of it, unless a kind says otherwise. */
  facts?(body: Body, before: Body): object
}

/** Fractions have at most 7 decimals. */
export const FRACTIONS = 10_000_000
export const fractionShare = (fraction: number): Share => ({
  part: Math.max(0, Math.round(fraction * FRACTIONS)),
  whole: FRACTIONS,
})
export const best = (matching: { fraction: number }[]): Share =>
  fractionShare(Math.max(0, ...matching.map(({ fraction }) => fraction)))

export const optionalWord = <const T extends string[]>(words: T) =>
  Type.Optional(Nullable(OneOf(words), { enum: [...words, null] }))
/** Of an option, an item or one side of a pair: an unknown one is replaced, so nothing more is asked of it. */
export const SentId = Type.Optional(Nullable(Type.String({ maxLength: 200 })))
export const Side = Type.String({ minLength: 1, maxLength: 500 })
export const Flag = Type.Optional(Nullable(Type.Boolean()))
/** null means the default, no. */
export const flag = (sent: boolean | null | undefined, current = false) =>
  sent === undefined ? current : sent === true

export type Item = { id: string; text: string }
export const Items = Type.Optional(Type.Array(Type.Object({ id: Type.String(), text: Type.String() })))
export const withoutKey = ({ id, text: said }: Item): Item => ({ id, text: said })

export type SentItem = string | { id?: string | null; text: string }
/**
 * The text, or `{id?, text}`. One schema by keywords, because each of an `anyOf` would add its own words to a
 * refusal.
 */
export const SentItem = Type.Unsafe<SentItem>({
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 500,
  required: ['text'],
  properties: { id: { type: ['string', 'null'], maxLength: 200 }, text: Side },
})
export const itemsOf = (items: SentItem[], keep: (id: string | null | undefined) => string): Item[] =>
  items.map((item) => {
    if (typeof item === 'string') return { id: newItemId(), text: text(item) }
    return { id: keep(item.id), text: text(item.text) }
  })

/**
 * Random and all alike: ids that grow with time would tell the order in which things were written, which is the answer
 * of an ordering and pairs up a matching.
 */
export const newItemId = () => randomToken('', 9)

/** Hands each known id out once; unknown and repeated ones are replaced. */
export function keeper(known: readonly string[]) {
  const free = new Set(known)
  return (id: string | null | undefined) =>
    id !== null && id !== undefined && free.delete(id) ? id : newItemId()
}

export const idsOf = (items: readonly { id: string }[] | undefined) => (items ?? []).map(({ id }) => id)
export const hasRepeats = (texts: string[]) => new Set(texts).size < texts.length
export function missing(refuse: Refuse): undefined {
  refuse('required', 'is required')
}

/** Ids of the longest list there is: 20 options or items. Learners may send ids that are gone, so a few more. */
export const MAX_IDS = 100
export const listFault = (answer: unknown) =>
  Array.isArray(answer) &&
  answer.length <= MAX_IDS &&
  answer.every((id) => typeof id === 'string') &&
  new Set(answer).size === answer.length
    ? undefined
    : 'must be a list of ids without repetitions'
export const listOf = (answer: unknown): unknown[] => (Array.isArray(answer) ? answer : [])
export const isText = (answer: unknown, maxLength: number) =>
  typeof answer === 'string' && (answer.length <= maxLength || Array.from(answer).length <= maxLength)
