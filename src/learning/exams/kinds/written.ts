import { type Static, Type } from 'typebox'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'
import { decimals, type Refuse, text } from '../../values.ts'
import { matchesText } from './matching-text.ts'
import { compareDecimals, type Decimal, isDecimal, matchesNumber, type NumberKey } from './numeric.ts'
import { best, Flag, flag, isText, type Kind, missing, optionalWord } from './kind.ts'

export type TextKey = { text: string; fraction: number }
type ShortAnswer = { accepted: TextKey[]; case_sensitive: boolean; ignore_accents: boolean }
type NumericKey = NumberKey & { fraction: number }
type Numeric = { accepted: NumericKey[]; unit: string | null }

/** A JSON number, or text, which keeps every digit. */
const SentDecimal = Type.Unsafe<Decimal>({ type: ['number', 'string'], minLength: 1, maxLength: 40 })
const StoredDecimal = Type.Optional(Type.Unsafe<Decimal>({ type: ['number', 'string'] }))

/** Both short_answer and numeric have `accepted`, so one schema holds the fields of both. */
const SentAccepted = Type.Array(
  Type.Object({
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    value: Type.Optional(SentDecimal),
    tolerance: Type.Optional(Nullable(SentDecimal, { type: ['number', 'string', 'null'], minimum: 0 })),
    tolerance_type: optionalWord(['absolute', 'relative']),
    min: Type.Optional(SentDecimal),
    max: Type.Optional(SentDecimal),
    fraction: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  }),
  { minItems: 1, maxItems: 50 },
)
type SentAccepted = Static<typeof SentAccepted>
const StoredAccepted = Type.Array(
  Type.Object({
    text: Type.Optional(Type.String()),
    value: StoredDecimal,
    tolerance: StoredDecimal,
    tolerance_type: Type.Optional(OneOf(['absolute', 'relative'])),
    min: StoredDecimal,
    max: StoredDecimal,
    fraction: Type.Number(),
  }),
)

const MAX_TEXT = 1_000
const MAX_NUMBER = 100

const shortAnswerFields = {
  sent: { accepted: Type.Optional(SentAccepted), case_sensitive: Flag, ignore_accents: Flag },
  stored: {
    accepted: Type.Optional(StoredAccepted),
    case_sensitive: Type.Optional(Type.Boolean()),
    ignore_accents: Type.Optional(Type.Boolean()),
  },
  shown: {},
}
type SentShortAnswer = { accepted?: SentAccepted } & Partial<
  Record<'case_sensitive' | 'ignore_accents', boolean | null>
>

export const shortAnswer = {
  ...shortAnswerFields,
  isOwnWords: true,
  clean(sent: SentShortAnswer, current, at) {
    const accepted = sent.accepted ? cleanTexts(sent.accepted, at('accepted')) : current.accepted
    if (!accepted) return missing(at('accepted'))
    return {
      accepted,
      case_sensitive: flag(sent.case_sensitive, current.case_sensitive),
      ignore_accents: flag(sent.ignore_accents, current.ignore_accents),
    }
  },
  answerFault: (answer) =>
    isText(answer, MAX_TEXT) ? undefined : `must be text of at most ${MAX_TEXT} characters`,
  share(question, answer) {
    const given = typeof answer === 'string' ? answer : ''
    return best(question.accepted.filter((accepted) => matchesText(accepted.text, given, question)))
  },
  show: () => ({}),
} satisfies Kind<ShortAnswer>

const numericFields = {
  sent: {
    accepted: Type.Optional(SentAccepted),
    unit: Type.Optional(Nullable(Type.String({ maxLength: 40 }))),
  },
  stored: { accepted: Type.Optional(StoredAccepted), unit: Type.Optional(Nullable(Type.String())) },
  shown: { unit: Type.Optional(Nullable(Type.String())) },
}
type SentNumeric = { accepted?: SentAccepted; unit?: string | null }

export const numeric = {
  ...numericFields,
  clean(sent: SentNumeric, current, at) {
    const accepted = sent.accepted ? cleanNumbers(sent.accepted, at('accepted')) : current.accepted
    if (!accepted) return missing(at('accepted'))
    const unit = sent.unit === undefined ? (current.unit ?? null) : sent.unit && text(sent.unit)
    return { accepted, unit: unit === '' ? null : unit }
  },
  answerFault: (answer) =>
    typeof answer === 'number' || isText(answer, MAX_NUMBER)
      ? undefined
      : `must be a number, or text of at most ${MAX_NUMBER} characters`,
  share: ({ accepted, unit }, answer) => best(accepted.filter((one) => matchesNumber(one, answer, unit))),
  show: ({ unit }) => ({ unit }),
} satisfies Kind<Numeric>

function cleanTexts(accepted: SentAccepted, refuse: Refuse): TextKey[] {
  return accepted.map(({ text: said, fraction }) => {
    if (said === undefined) refuse('required', 'must have a text each')
    return { text: text(said ?? ''), fraction: decimals(7)(fraction ?? 1, refuse) }
  })
}

function cleanNumbers(accepted: SentAccepted, refuse: Refuse): NumericKey[] {
  return accepted.map(({ value, tolerance, tolerance_type, min, max, fraction: part }) => {
    const fraction = decimals(7)(part ?? 1, refuse)
    if (value !== undefined) {
      const allowed = decimal(tolerance ?? 0, refuse)
      if (compareDecimals(allowed, 0) < 0) refuse('tolerance', 'must have a tolerance of 0 or more')
      return {
        value: decimal(value, refuse),
        tolerance: allowed,
        tolerance_type: tolerance_type ?? 'absolute',
        fraction,
      }
    }
    if (min === undefined || max === undefined) refuse('required', 'must have a value, or min and max')
    const [low, high] = [decimal(min ?? 0, refuse), decimal(max ?? 0, refuse)]
    if (compareDecimals(low, high) > 0) refuse('range', 'must have min not above max')
    return { min: low, max: high, fraction }
  })
}

/** Stores the value as sent, because text keeps digits that a number loses. */
function decimal(value: Decimal, refuse: Refuse): Decimal {
  if (isDecimal(value)) return value
  refuse('decimal', 'must be decimal numbers with an exponent of at most 30')
  return 0
}
