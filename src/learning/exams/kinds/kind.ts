import { type TProperties, Type } from 'typebox'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'
import { randomToken } from '#foundation/security/secrets.ts'
import { type Faults, type Refuse, text } from '../../values.ts'

/** Records validation errors. `at('options')` prefixes the field name with the path of its question. */
export type At = Faults['at']
/** The earned part of the points as a fraction of whole numbers, so that a third stays exact. */
export type Share = { part: number; whole: number }
export const NOTHING: Share = { part: 0, whole: 1 }
export const ALL: Share = { part: 1, whole: 1 }

/** The random orders of one attempt. They do not reveal the order in which the author wrote things. */
export type Orders = {
  shuffle_options: boolean
  shuffled: <T>(values: readonly T[]) => T[]
  /** Never returns the order in which the values were written. */
  outOfOrder: <T>(values: readonly T[]) => T[]
}

/**
 * A kind of question. `Body` holds the stored fields that only this kind has: the author's fields, with the ids that
 * answers refer to.
 */
export type Kind<Body extends object = object> = {
  /** The schemas beside the common fields: what authors send, what editors see, what learners see. */
  sent: TProperties
  stored: TProperties
  shown: TProperties
  /** Answers contain the learner's own words, so an erasure removes them. */
  isOwnWords?: boolean
  /** A list that is sent replaces the whole old one; what is not sent stays. Rules between fields report to `at`. */
  clean(sent: object, current: Partial<Body>, at: At): Body | undefined
  /** The error if an answer has the wrong JSON type. Ids are not looked up here: an unknown id counts as not chosen. */
  answerFault(answer: unknown): string | undefined
  /** An id that the key does not have counts as not chosen. Text that is not a number is wrong. */
  share(question: Body & { scoring: 'partial' | 'all_or_nothing' }, answer: unknown): Share
  show(body: Body, orders: Orders): object
  /** The part of the body that decides about points. A kind without this method uses the whole body. */
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

export const optionalWord = <const T extends string[]>(words: T) => Type.Optional(Nullable(OneOf(words)))
/** The id of an option, an item or one side of a pair. An unknown id is replaced, so its format is not checked. */
export const SentId = Type.Optional(Nullable(Type.String({ maxLength: 200 })))
export const Side = Type.String({ minLength: 1, maxLength: 500 })
export const Flag = Type.Optional(Nullable(Type.Boolean()))
/** null means the default, false. */
export const flag = (sent: boolean | null | undefined, current = false) =>
  sent === undefined ? current : sent === true

export type Item = { id: string; text: string }
export const Items = Type.Optional(Type.Array(Type.Object({ id: Type.String(), text: Type.String() })))
export const withoutKey = ({ id, text: said }: Item): Item => ({ id, text: said })

export type SentItem = string | { id?: string | null; text: string }
/**
 * The text, or `{id?, text}`. It is one schema without `anyOf`, because each branch of an `anyOf` would add its own
 * error message.
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
 * Ids are random and look alike. Ids that grow with time would reveal the order in which things were written, which
 * solves an ordering and pairs up a matching.
 */
export const newItemId = () => randomToken('', 9)

/** Keeps each known id once. Unknown and repeated ids are replaced by new ones. */
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

/** The longest list has 20 options or items. The limit is higher, because learners may send deleted ids. */
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
