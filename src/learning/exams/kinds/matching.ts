import { type Static, Type } from 'typebox'
import { Nullable } from '#foundation/http/schemas.ts'
import { text } from '../../values.ts'
import {
  hasRepeats,
  idsOf,
  type Item,
  Items,
  itemsOf,
  keeper,
  type Kind,
  MAX_IDS,
  missing,
  newItemId,
  SentId,
  SentItem,
  Side,
  withoutKey,
} from './kind.ts'

export type KeyPair = { left_id: string; left: string; right_id: string; right: string }
type Matching = { pairs: KeyPair[]; distractors: Item[] }

const SentPairs = Type.Array(Type.Object({ left_id: SentId, left: Side, right_id: SentId, right: Side }), {
  minItems: 2,
  maxItems: 20,
})
const fields = {
  sent: {
    pairs: Type.Optional(SentPairs),
    distractors: Type.Optional(Nullable(Type.Array(SentItem, { maxItems: 20 }))),
  },
  stored: {
    pairs: Type.Optional(
      Type.Array(
        Type.Object({
          left_id: Type.String(),
          left: Type.String(),
          right_id: Type.String(),
          right: Type.String(),
        }),
      ),
    ),
    distractors: Items,
  },
  shown: { lefts: Items, rights: Items },
}
type Sent = { pairs?: Static<typeof SentPairs>; distractors?: SentItem[] | null }

export const matching = {
  ...fields,
  /** Left and right sides have separate ids. Ids of distractors must look like those of right sides. */
  clean(sent: Sent, current, at) {
    const { pairs: old = [], distractors: oldWrong = [] } = current
    const keepLeft = keeper(old.map(({ left_id }) => left_id))
    const keepRight = keeper([...old.map(({ right_id }) => right_id), ...idsOf(oldWrong)])
    const pairs = sent.pairs
      ? sent.pairs.map(({ left_id, left, right_id, right }) => ({
          left_id: keepLeft(left_id),
          left: text(left),
          right_id: keepRight(right_id),
          right: text(right),
        }))
      : current.pairs
    if (!pairs) return missing(at('pairs'))
    const taken = new Set(pairs.map(({ right_id }) => right_id))
    const distractors =
      sent.distractors === undefined
        ? // A distractor that has become part of a pair keeps its id there, so the old distractor gets a new id.
          oldWrong.map((wrong) => (taken.has(wrong.id) ? { ...wrong, id: newItemId() } : wrong))
        : itemsOf(sent.distractors ?? [], (id) => keepRight(id))
    const rights = new Set(pairs.map(({ right }) => right))
    if (hasRepeats(pairs.map(({ left }) => left))) at('pairs')('repeated', 'must have different left sides')
    if (distractors.some((wrong) => rights.has(wrong.text)))
      at('distractors')('repeated', 'must not be the right side of a pair')
    return { pairs, distractors }
  },
  answerFault: (answer) => (isPairing(answer) ? undefined : 'must be an object of ids, {left_id: right_id}'),
  /** Compares texts and not ids, because equal right sides are interchangeable. */
  share({ pairs, distractors }, answer) {
    const rights = new Map(distractors.map(({ id, text: said }) => [id, said]))
    for (const { right_id, right } of pairs) rights.set(right_id, right)
    const chosen = new Map(Object.entries(answer as object))
    const part = pairs.filter(({ left_id, right }) => rights.get(chosen.get(left_id)) === right).length
    return { part, whole: pairs.length }
  },
  show({ pairs, distractors }, { shuffled }) {
    const lefts = pairs.map(({ left_id, left }) => ({ id: left_id, text: left }))
    const rights = pairs.map(({ right_id, right }) => ({ id: right_id, text: right }))
    return { lefts, rights: shuffled([...rights, ...distractors].map(withoutKey)) }
  },
  facts: ({ pairs }) => pairs.map(({ left_id, right_id, right }) => [left_id, right_id, right]),
} satisfies Kind<Matching>

/** A left side without an answer may be null. One right side may be given to several left sides. */
function isPairing(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return false
  const rights: unknown[] = Object.values(answer)
  return rights.length <= MAX_IDS && rights.every((id) => id === null || typeof id === 'string')
}
