import { type Static, Type } from 'typebox'
import { Nullable } from '#foundation/http/schemas.ts'
import { decimals, type Refuse, text } from '../../values.ts'
import {
  ALL,
  type At,
  Flag,
  FRACTIONS,
  fractionShare,
  idsOf,
  Items,
  keeper,
  type Kind,
  listFault,
  listOf,
  missing,
  NOTHING,
  SentId,
  type Share,
  withoutKey,
} from './kind.ts'

export type KeyOption = {
  id: string
  text: string
  correct: boolean
  fraction: number | null
  feedback: string | null
}
type Options = { options: KeyOption[] }

const SentOptions = Type.Array(
  Type.Object({
    id: SentId,
    text: Type.String({ minLength: 1, maxLength: 2_000 }),
    correct: Flag,
    fraction: Type.Optional(Nullable(Type.Number({ minimum: -1, maximum: 1 }))),
    feedback: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
  }),
  { minItems: 2, maxItems: 20 },
)
type Sent = { options?: Static<typeof SentOptions> }

const common = {
  sent: { options: Type.Optional(SentOptions) },
  stored: {
    options: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          text: Type.String(),
          correct: Type.Boolean(),
          fraction: Nullable(Type.Number()),
          feedback: Nullable(Type.String()),
        }),
      ),
    ),
  },
  shown: { options: Items },
  show({ options }, { shuffle_options, shuffled }) {
    const shown = options.map(withoutKey)
    return { options: shuffle_options ? shuffled(shown) : shown }
  },
  /** A new option that is not correct and has no fraction changes no verdict: nobody could choose it before. */
  facts({ options }, before) {
    const known = new Set(idsOf(before.options))
    return options
      .filter(({ id, correct, fraction }) => correct || fraction !== null || known.has(id))
      .map(({ id, correct, fraction }): [string, boolean, number | null] => [id, correct, fraction])
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  },
} satisfies Partial<Kind<Options>>

export const singleChoice = {
  ...common,
  clean: (sent: Sent, current, at) => cleanOptions(sent, current, at, true),
  answerFault: (answer) => (typeof answer === 'string' ? undefined : 'must be the id of an option'),
  share({ options }, answer) {
    const chosen = options.find(({ id }) => id === answer)
    return chosen ? fractionShare(chosen.fraction ?? Number(chosen.correct)) : NOTHING
  },
} satisfies Kind<Options>

export const multipleChoice = {
  ...common,
  clean: (sent: Sent, current, at) => cleanOptions(sent, current, at, false),
  answerFault: listFault,
  /**
   * With fractions, the sum of the chosen ones counts. It is rounded to 6 decimals, so that three times 33.33333 % is
   * the whole.
   */
  share({ options, scoring }, answer): Share {
    const chosen = options.filter(({ id }) => listOf(answer).includes(id))
    const right = chosen.filter(({ correct }) => correct).length
    const wrong = chosen.length - right
    const all = options.filter(({ correct }) => correct).length
    if (scoring === 'all_or_nothing') return right === all && wrong === 0 ? ALL : NOTHING
    if (options.every(({ fraction }) => fraction === null))
      return { part: Math.max(0, right - wrong), whole: all }
    const sum = chosen.reduce((total, { fraction }) => total + Math.round((fraction ?? 0) * FRACTIONS), 0)
    return { part: Math.max(0, Math.floor((sum + 5) / 10)), whole: FRACTIONS / 10 }
  },
} satisfies Kind<Options>

function cleanOptions(sent: Sent, current: Partial<Options>, at: At, isSingle: boolean) {
  const options = sent.options
    ? readOptions(sent.options, current.options ?? [], at('options'))
    : current.options
  if (!options) return missing(at('options'))
  const correct = options.filter((option) => option.correct).length
  if (isSingle && correct !== 1) at('options')('correct', 'must have exactly one correct option')
  else if (correct === 0) at('options')('correct', 'must have a correct option')
  return { options }
}

function readOptions(
  options: NonNullable<Sent['options']>,
  current: KeyOption[],
  refuse: Refuse,
): KeyOption[] {
  const keep = keeper(idsOf(current))
  return options.map((option) => {
    const fraction = option.fraction ?? null
    if (fraction !== null) decimals(7)(fraction, refuse)
    return {
      id: keep(option.id),
      text: text(option.text),
      correct: option.correct ?? (fraction ?? 0) > 0,
      fraction,
      feedback: option.feedback ? text(option.feedback) : null,
    }
  })
}
