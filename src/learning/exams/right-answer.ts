import { type Static, Type } from 'typebox'
import type { QuestionKey } from './kinds.ts'

/** What would have been right: ids as in the question, or texts where the learner writes. */
export const RightAnswer = Type.Object({
  option_ids: Type.Optional(Type.Array(Type.String())),
  correct: Type.Optional(Type.Boolean()),
  texts: Type.Optional(Type.Array(Type.String())),
  pairs: Type.Optional(Type.Array(Type.Object({ left_id: Type.String(), right_id: Type.String() }))),
  item_ids: Type.Optional(Type.Array(Type.String())),
})
export type RightAnswer = Static<typeof RightAnswer>

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)

/** The right answer of a question. Only for those who may know it: it is the key. */
export function rightAnswerOf(key: QuestionKey): RightAnswer {
  switch (key.type) {
    case 'single_choice':
    case 'multiple_choice':
      return { option_ids: ids(key.options.filter(({ correct }) => correct)) }
    case 'true_false':
      return { correct: key.correct }
    case 'short_answer':
      return { texts: bestOf(key.accepted).map(({ text }) => text) }
    case 'numeric':
      return { texts: bestOf(key.accepted).map(numberText) }
    case 'matching':
      return { pairs: key.pairs.map(({ left_id, right_id }) => ({ left_id, right_id })) }
    case 'ordering':
      return { item_ids: ids(key.items) }
  }
}

/** The accepted answers that give the most points. */
function bestOf<T extends { fraction: number }>(accepted: readonly T[]): T[] {
  const most = Math.max(...accepted.map(({ fraction }) => fraction))
  return accepted.filter(({ fraction }) => fraction === most)
}

type NumericKey = Extract<QuestionKey, { type: 'numeric' }>['accepted'][number]

const numberText = (accepted: NumericKey) =>
  'min' in accepted ? `${accepted.min} – ${accepted.max}` : String(accepted.value)
