import { randomToken } from '#foundation/secrets.ts'
import { decimals, type Faults, type Refuse, text } from '../values.ts'
import type { KeyItem, KeyOption, KeyPair, TextKey } from './grading.ts'
import { compareDecimals, type Decimal, isDecimal, type NumberKey } from './numeric.ts'
import type { QuestionBody, QuestionType } from './question.ts'

type Options = { options: KeyOption[] }
type TrueFalse = { correct: boolean }
type ShortAnswer = { accepted: TextKey[]; case_sensitive: boolean; ignore_accents: boolean }
type Numeric = { accepted: (NumberKey & { fraction: number })[]; unit: string | null }
type Matching = { pairs: KeyPair[]; distractors: KeyItem[] }
type Ordering = { items: KeyItem[] }

/**
 * What a question has beside the common fields, by its type: the fields of the author with the ids that answers
 * name.
 */
export type StoredBody = Partial<
  Options & TrueFalse & Omit<ShortAnswer, 'accepted'> & Omit<Numeric, 'accepted'> & Matching & Ordering
> & {
  accepted?: ShortAnswer['accepted'] | Numeric['accepted']
}

type Sent<Name extends keyof QuestionBody> = NonNullable<QuestionBody[Name]>
/** Where faults go: `at('options')` names the field with the path of the question before it. */
type At = Faults['at']

/**
 * The body of a question as it is stored: each list that was sent replaces the old one whole, what was not sent stays.
 * Rules between the fields of the type go to `at`. Fields of other types are ignored.
 */
export function cleanBody(
  type: QuestionType,
  sent: QuestionBody,
  current: StoredBody | undefined,
  at: At,
): StoredBody {
  switch (type) {
    case 'single_choice':
    case 'multiple_choice': {
      const options = sent.options
        ? cleanOptions(sent.options, current?.options ?? [], at('options'))
        : current?.options
      if (!options) return missing(at('options'))
      const correct = options.filter((option) => option.correct).length
      if (type === 'single_choice' && correct !== 1)
        at('options')('correct', 'must have exactly one correct option')
      else if (correct === 0) at('options')('correct', 'must have a correct option')
      return { options }
    }
    case 'true_false': {
      const correct = sent.correct ?? current?.correct
      return correct === undefined ? missing(at('correct')) : { correct }
    }
    case 'short_answer': {
      const accepted = sent.accepted
        ? cleanTexts(sent.accepted, at('accepted'))
        : (current?.accepted as TextKey[])
      if (!accepted) return missing(at('accepted'))
      return {
        accepted,
        case_sensitive: flag(sent.case_sensitive, current?.case_sensitive),
        ignore_accents: flag(sent.ignore_accents, current?.ignore_accents),
      }
    }
    case 'numeric': {
      const accepted = sent.accepted
        ? cleanNumbers(sent.accepted, at('accepted'))
        : (current?.accepted as Numeric['accepted'])
      if (!accepted) return missing(at('accepted'))
      const unit = sent.unit === undefined ? (current?.unit ?? null) : sent.unit && text(sent.unit)
      return { accepted, unit: unit === '' ? null : unit }
    }
    case 'matching':
      return cleanMatching(sent, current, at)
    case 'ordering': {
      const items = sent.items ? cleanItems(sent.items, idsOf(current?.items)) : current?.items
      if (!items) return missing(at('items'))
      if (hasRepeats(items.map((item) => item.text))) at('items')('repeated', 'must have different texts')
      return { items }
    }
  }
}

function cleanOptions(options: Sent<'options'>, current: KeyOption[], refuse: Refuse): KeyOption[] {
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

function cleanTexts(accepted: Sent<'accepted'>, refuse: Refuse): TextKey[] {
  return accepted.map(({ text: said, fraction }) => {
    if (said === undefined) refuse('required', 'must have a text each')
    return { text: text(said ?? ''), fraction: decimals(7)(fraction ?? 1, refuse) }
  })
}

function cleanNumbers(accepted: Sent<'accepted'>, refuse: Refuse): Numeric['accepted'] {
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

/** Kept as it was sent, because text holds digits that a number loses. */
function decimal(value: Decimal, refuse: Refuse): Decimal {
  if (isDecimal(value)) return value
  refuse('decimal', 'must be decimal numbers with an exponent of at most 30')
  return 0
}

/** Left and right sides have ids of their own; those of wrong ones must look like those of right ones. */
function cleanMatching(sent: QuestionBody, current: StoredBody | undefined, at: At): StoredBody {
  const { pairs: old = [], distractors: oldWrong = [] } = current ?? {}
  const keepLeft = keeper(old.map(({ left_id }) => left_id))
  const keepRight = keeper([...old.map(({ right_id }) => right_id), ...idsOf(oldWrong)])
  const pairs = sent.pairs
    ? sent.pairs.map(({ left_id, left, right_id, right }) => ({
        left_id: keepLeft(left_id),
        left: text(left),
        right_id: keepRight(right_id),
        right: text(right),
      }))
    : current?.pairs
  if (!pairs) return missing(at('pairs'))
  const taken = new Set(pairs.map(({ right_id }) => right_id))
  const distractors =
    sent.distractors === undefined
      ? // A side that has become part of a pair keeps its id there, and the wrong one gets another.
        oldWrong.map((wrong) => (taken.has(wrong.id) ? { ...wrong, id: newItemId() } : wrong))
      : itemsOf(sent.distractors ?? [], (id) => keepRight(id))
  const rights = new Set(pairs.map(({ right }) => right))
  if (hasRepeats(pairs.map(({ left }) => left))) at('pairs')('repeated', 'must have different left sides')
  if (distractors.some((wrong) => rights.has(wrong.text)))
    at('distractors')('repeated', 'must not be the right side of a pair')
  return { pairs, distractors }
}

const cleanItems = (items: Sent<'items'>, known: string[]) => itemsOf(items, keeper(known))

const itemsOf = (items: Sent<'items'>, keep: (id: string | null | undefined) => string): KeyItem[] =>
  items.map((item) => {
    if (typeof item === 'string') return { id: newItemId(), text: text(item) }
    return { id: keep(item.id), text: text(item.text) }
  })

/**
 * Random and all alike: ids that grow with time would tell the order in which things were written, which is the answer
 * of an ordering and pairs up a matching.
 */
const newItemId = () => randomToken('', 9)

/** Hands each known id out once; unknown and repeated ones are replaced. */
function keeper(known: readonly string[]) {
  const free = new Set(known)
  return (id: string | null | undefined) =>
    id !== null && id !== undefined && free.delete(id) ? id : newItemId()
}

export const idsOf = (items: readonly { id: string }[] | undefined) => (items ?? []).map(({ id }) => id)
const hasRepeats = (texts: string[]) => new Set(texts).size < texts.length
/** null means the default, no. */
const flag = (sent: boolean | null | undefined, current = false) =>
  sent === undefined ? current : sent === true

function missing(refuse: Refuse): StoredBody {
  refuse('required', 'is required')
  return {}
}
