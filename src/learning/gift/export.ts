import type { QuestionType } from '../exams/kinds.ts'
import { absoluteTolerance } from '../exams/kinds/numeric.ts'
import type { GiftNumber, GiftQuestion } from './question.ts'
import { escapeGift } from './text.ts'

/** A question as its author reads it. Fields that GIFT cannot express are left out. */
export type Exportable =
  | Exclude<GiftQuestion, Choice | Matching>
  | ChoiceToWrite
  | MatchingToWrite
  | { type: Exclude<QuestionType, GiftQuestion['type']>; prompt: string; items?: readonly unknown[] }

type Choice = Extract<GiftQuestion, { options: unknown }>
type Matching = Extract<GiftQuestion, { pairs: unknown }>
type Truth = Extract<GiftQuestion, { correct: boolean }>
type MatchingToWrite = Omit<Matching, 'distractors'> & { distractors?: (string | { text: string })[] }
type ChoiceToWrite = Omit<Choice, 'options'> & {
  options: { text: string; correct: boolean; fraction?: number | null; feedback?: string | null }[]
}

/**
 * `skipped` are questions that GIFT cannot express: other kinds, and short answers and left sides that contain `->`.
 * GIFT has no points, units and comparison rules. A multiple choice without weights gets the weights that score the
 * same.
 */
export function exportGift(questions: readonly Exportable[]): { gift: string; skipped: Exportable[] } {
  const skipped = questions.filter((question) => answersOf(question) === undefined)
  const written = questions.flatMap((question) => {
    const answers = answersOf(question)
    if (answers === undefined) return []
    const explanation =
      'explanation' in question && question.explanation ? `####${guarded(question.explanation)}` : ''
    return `${guarded(question.prompt)} {${answers}${explanation}}\n`
  })
  return { gift: written.join('\n'), skipped }
}

/** The text between the braces; undefined if GIFT cannot express the question. */
function answersOf(question: Exportable): string | undefined {
  if (question.type === 'single_choice' || question.type === 'multiple_choice')
    return lines(
      weighted(question).map(
        ({ mark, percent, text, feedback }) =>
          `${mark}${percent === undefined ? '' : `%${percent}%`}${guarded(text)}${feedback ? `#${guarded(feedback)}` : ''}`,
      ),
    )
  if (question.type === 'true_false') return truthText(question)
  if (question.type === 'short_answer')
    return question.accepted.some(({ text }) => text.includes('->'))
      ? undefined
      : lines(question.accepted.map(({ text, fraction }) => `=${weightOf(fraction)}${guarded(text)}`))
  if (question.type === 'numeric')
    return `#${lines(question.accepted.map((number) => `=${weightOf(number.fraction)}${numberText(number)}`))}`
  return question.type === 'matching' ? pairsText(question) : undefined
}

/** GIFT has the feedback of the wrong answer first. */
function truthText({ correct, feedback_if_true, feedback_if_false }: Truth): string {
  const [right, wrong] = correct
    ? [feedback_if_true, feedback_if_false]
    : [feedback_if_false, feedback_if_true]
  const word = correct ? 'TRUE' : 'FALSE'
  if (right) return `${word}#${guarded(wrong ?? '')}#${guarded(right)}`
  return wrong ? `${word}#${guarded(wrong)}` : word
}

function weighted({ type, options }: ChoiceToWrite) {
  const hasFractions = options.some(({ fraction }) => typeof fraction === 'number')
  const right = options.filter(({ correct }) => correct).length
  return options.map(({ text, correct, fraction, feedback }) => {
    const mark = type === 'single_choice' && correct ? '=' : '~'
    if (hasFractions)
      return { mark, percent: percentText(fraction ?? Number(correct && mark === '=')), text, feedback }
    return {
      mark,
      percent: type === 'single_choice' ? undefined : percentText((correct ? 1 : -1) / right),
      text,
      feedback,
    }
  })
}

function pairsText({ pairs, distractors = [] }: MatchingToWrite): string | undefined {
  if (pairs.some(({ left }) => left.includes('->'))) return undefined
  const right = pairs.map(({ left, right }) => `=${guarded(left)} -> ${guarded(right)}`)
  const wrong = distractors.map((side) => `= -> ${guarded(typeof side === 'string' ? side : side.text)}`)
  return lines([...right, ...wrong])
}

function numberText(number: GiftNumber): string {
  if ('min' in number) return `${number.min}..${number.max}`
  const { value, tolerance, tolerance_type } = number
  if (tolerance === undefined) return String(value)
  return `${value}:${tolerance_type === 'relative' ? absoluteTolerance(value, tolerance) : tolerance}`
}

const lines = (answers: string[]) => `\n${answers.map((answer) => `\t${answer}\n`).join('')}`

/** Escapes the text and keeps it from being read as a comment, a category, a weight or a format. */
const guarded = (text: string) => `${/^\s*(?:\/\/|[[$%])/.test(text) ? '[plain]' : ''}${escapeGift(text)}`

const weightOf = (fraction: number | undefined) =>
  fraction === undefined ? '' : `%${percentText(fraction)}%`

/** At most 5 decimals, no exponent. */
const percentText = (fraction: number) => String(Math.round(fraction * 10_000_000) / 100_000)
