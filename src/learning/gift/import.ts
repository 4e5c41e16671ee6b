import { compareDecimals, isDecimal } from '../exams/kinds/numeric.ts'
import { blocksOf } from './blocks.ts'
import type { GiftDecimal, GiftNumber, GiftOption, GiftQuestion } from './question.ts'
import { type Format, restoreEscapes, splitFormat, textOfHtml, withoutComments } from './text.ts'

/** An imported question. Each of the `notes` is a sentence about something that Lyceum does not keep. */
export type Imported = { line: number; title: string | null; question: GiftQuestion; notes: string[] }
/** A question that does not grade itself or cannot be read, and why. */
export type Skipped = {
  line: number
  title: string | null
  prompt: string
  kind: 'essay' | 'description' | 'broken'
  reason: string
}

/**
 * Reads GIFT (docs.moodle.org, "GIFT format"): multiple choice with one or many keys and weights, true or false,
 * short answer, numeric with tolerance, range and weights, matching. Never throws: each question is imported or
 * skipped. Pure, so that pages can use it as well as the service.
 */
export function importGift(gift: string): { questions: Imported[]; skipped: Skipped[] } {
  const questions: Imported[] = []
  const skipped: Skipped[] = []
  for (const { line, text, is_unclosed } of blocksOf(gift)) {
    const stem = stemOf(text)
    const { title, prompt } = stem
    const read = is_unclosed ? broken('a brace is not closed') : answersOf(stem)
    if ('kind' in read) {
      skipped.push({ line, title, prompt, ...read })
      continue
    }
    const { explanation } = stem
    const fault = beyondLimits(stem, read.body)
    if (fault) skipped.push({ line, title, prompt, ...fault })
    else {
      const question = { ...read.body, prompt, ...(explanation !== '' && { explanation }) }
      questions.push({ line, title, question, notes: notesOn(stem, read) })
    }
  }
  return { questions, skipped }
}

type Stem = {
  title: string | null
  format: Format
  prompt: string
  /** The text between the braces without the general feedback; undefined if there are no braces. */
  answers: string | undefined
  explanation: string
  is_torn: boolean
}

type OmitEach<T, Name extends string> = T extends unknown ? Omit<T, Name> : never
type Body = OmitEach<GiftQuestion, 'prompt' | 'explanation'>
/** `lost` says what is dropped. */
type Read = { body: Body; lost?: string }
type Fault = Pick<Skipped, 'kind' | 'reason'>

const broken = (reason: string): Fault => ({ kind: 'broken', reason })

/**
 * Splits off the title between double colons, the format, and the text around the braces. Text after the braces makes
 * a gap to fill.
 */
function stemOf(text: string): Stem {
  const [named = '', title] = /^::([\s\S]*?)::/.exec(text) ?? []
  const { format, rest } = splitFormat(text.slice(named.length), 'moodle')
  const [from, to] = [rest.indexOf('{'), rest.lastIndexOf('}')]
  const hasAnswers = from >= 0 && to > from
  const inner = hasAnswers ? rest.slice(from + 1, to) : ''
  const [answers = '', ...general] = inner.split('####')
  const [before, after] = hasAnswers ? [rest.slice(0, from).trim(), rest.slice(to + 1).trim()] : [rest, '']
  return {
    title: title === undefined ? null : said(title, 'plain'),
    format,
    prompt: said(after === '' ? before : `${before} _____ ${after}`, format),
    answers: hasAnswers ? answers.trim() : undefined,
    explanation: plain(general.join('####'), format),
    is_torn: /[{}]/.test(hasAnswers ? inner + before + after : rest),
  }
}

function answersOf({ answers, format, is_torn }: Stem): Read | Fault {
  if (is_torn) return broken('a brace stands where none may stand; \\{ and \\} are braces of the text')
  if (answers === undefined) return { kind: 'description', reason: 'It asks nothing' }
  if (answers === '')
    return { kind: 'essay', reason: 'An essay does not grade itself; it can be given as homework' }
  if (answers.startsWith('#')) return numericOf(answers.slice(1).trim(), format)
  const [, verdict, feedback] = /^(T|TRUE|F|FALSE)\s*(?:#([\s\S]*))?$/.exec(answers) ?? []
  if (verdict) return trueFalseOf(verdict.startsWith('T'), feedback ?? '', format)
  return listOf(answers, format)
}

/** One `=right` or `~wrong`, optionally with a weight and feedback. Escapes in `text` are still protected. */
type Entry = { is_right: boolean; percent: number | undefined; text: string; feedback: string }

function entriesOf(answers: string, format: Format): Entry[] {
  const bare = !/[=~]/.test(answers)
  return Array.from(
    (bare ? `=${answers}` : answers).matchAll(/([=~])([^=~]*)/g),
    ([, mark, content = '']) => {
      const [weight = '', percent] = /^\s*%(-?\d{1,3}(?:\.\d*)?)%/.exec(content) ?? []
      const [text = '', ...feedback] = content.slice(weight.length).split('#')
      return {
        is_right: mark === '=',
        percent: percent === undefined ? undefined : Number(percent),
        text: text.trim(),
        feedback: plain(feedback.join('#'), format),
      }
    },
  )
}

function listOf(answers: string, format: Format): Read | Fault {
  if (/[=~]/.test(answers) && !/^[=~]/.test(answers)) return broken('an answer begins with neither = nor ~')
  const entries = entriesOf(answers, format)
  if (entries.some(({ text, percent }) => text === '' || Math.abs(percent ?? 0) > 100))
    return broken('an answer is empty, or its weight is beyond 100 %')
  if (entries.some(({ is_right }) => !is_right)) return choiceOf(entries, format)
  if (entries.every(({ text }) => text.includes('->'))) return matchingOf(entries, format)
  return {
    body: {
      type: 'short_answer',
      accepted: entries.map(({ text, percent }) => ({ text: plain(text, format), ...fractionOf(percent) })),
    },
    ...losing(entries),
  }
}

/** One right answer makes a single choice. Several, or weights without a right answer, make a multiple choice. */
function choiceOf(entries: Entry[], format: Format): Read | Fault {
  const isWeighted = entries.some(({ percent }) => percent !== undefined)
  const isSingle = entries.filter(({ is_right }) => is_right).length === 1
  const options = entries.map(({ is_right, percent, text, feedback }): GiftOption => {
    const weight = percent ?? (is_right ? 100 : 0)
    return {
      text: plain(text, format),
      correct: isSingle ? is_right : weight > 0,
      ...(isWeighted && { fraction: share(weight) }),
      ...(feedback !== '' && { feedback }),
    }
  })
  if (!options.some(({ correct }) => correct)) return broken('no answer is right')
  return { body: { type: isSingle ? 'single_choice' : 'multiple_choice', options } }
}

/** A right side without a left one is a distractor, unless a pair has the same right side. */
function matchingOf(entries: Entry[], format: Format): Read {
  const sides = entries.map(({ text }) => {
    const at = text.indexOf('->')
    return { left: plain(text.slice(0, at), format), right: plain(text.slice(at + 2), format) }
  })
  const pairs = sides.filter(({ left }) => left !== '')
  const rights = new Set(pairs.map(({ right }) => right))
  const distractors = sides.map(({ right }) => right).filter((right) => !rights.has(right))
  return {
    body: { type: 'matching', pairs, ...(distractors.length > 0 && { distractors }) },
    ...losing(entries),
  }
}

/** The first feedback is for the wrong answer, the second for the right one, as Moodle reads them. */
function trueFalseOf(correct: boolean, feedback: string, format: Format): Read {
  const [wrong = '', ...more] = feedback.split('#').map((one) => plain(one, format))
  const right = more.join('#')
  const [if_true, if_false] = correct ? [right, wrong] : [wrong, right]
  return {
    body: {
      type: 'true_false',
      correct,
      ...(if_true !== '' && { feedback_if_true: if_true }),
      ...(if_false !== '' && { feedback_if_false: if_false }),
    },
  }
}

function numericOf(answers: string, format: Format): Read | Fault {
  const entries = entriesOf(answers, format)
  const right = entries.filter(({ is_right }) => is_right)
  const accepted = right.map(({ text, percent }) => numberIn(restoreEscapes(text), percent))
  const known = accepted.filter((number) => number !== undefined)
  if (known.length === 0 || known.length < accepted.length)
    return broken('an answer is no number and no range')
  return { body: { type: 'numeric', accepted: known }, ...losing(entries) }
}

/** `v`, `v:tolerance` or `min..max`. */
function numberIn(text: string, percent: number | undefined): GiftNumber | undefined {
  const [first = '', second] = text.split(text.includes('..') ? '..' : ':').map((part) => part.trim())
  if (!isDecimal(first) || (second !== undefined && !isDecimal(second))) return undefined
  if (percent !== undefined && (percent < 0 || percent > 100)) return undefined
  const fraction = fractionOf(percent)
  if (second === undefined) return { value: shortest(first), ...fraction }
  if (text.includes('..'))
    return compareDecimals(first, second) > 0
      ? undefined
      : { min: shortest(first), max: shortest(second), ...fraction }
  if (compareDecimals(second, 0) < 0) return undefined
  return { value: shortest(first), tolerance: shortest(second), ...fraction }
}

/** A number if no digit is lost, else the text. */
function shortest(text: string): GiftDecimal {
  const number = Number(text)
  return isDecimal(number) && compareDecimals(text, number) === 0 ? number : text
}

/** GIFT percents have 5 decimals, Lyceum fractions 7. */
const share = (percent: number) => Math.round(percent * 100_000) / 10_000_000

const fractionOf = (percent: number | undefined) =>
  percent === undefined || percent === 100 ? {} : { fraction: Math.max(0, share(percent)) }

const losing = (entries: Entry[]) =>
  entries.some(({ feedback }) => feedback !== '') ? { lost: 'Feedback to single answers is not kept' } : {}

/** The text of one part of a question, which may name its own format. */
function plain(text: string, inherited: Format): string {
  const { format, rest } = splitFormat(text, inherited)
  return said(rest, format)
}

function said(text: string, format: Format): string {
  const restored = restoreEscapes(text)
  if (format === 'plain') return restored.trim()
  const visible = withoutComments(restored)
  return format === 'html' ? textOfHtml(visible) : visible.trim()
}

const notesOn = ({ format }: Stem, { lost }: Read): string[] => [
  ...(format === 'html' ? ['HTML has become plain text'] : []),
  ...(lost === undefined ? [] : [lost]),
]

/** The error for a question that the service would refuse, found before anything is sent. */
function beyondLimits({ prompt, explanation }: Stem, body: Body): Fault | undefined {
  if (prompt === '') return broken('the question has no text')
  const texts = textsOf(body)
  const tooLong = [
    { items: [prompt], length: 10_000 },
    { items: [explanation], length: 5_000 },
    ...texts,
  ].find(({ items, length }) => items.some((text) => Array.from(text).length > length))
  if (tooLong) return broken(`a text is longer than ${tooLong.length} characters`)
  for (const { items, from = 0, to } of texts)
    if (items.length < from || items.length > to)
      return broken(`it has ${items.length} answers, not ${from} to ${to}`)
  if (body.type !== 'matching') return undefined
  if (body.pairs.some(({ right }) => right === '')) return broken('a pair has no right side')
  const isRepeated = new Set(body.pairs.map(({ left }) => left)).size < body.pairs.length
  return isRepeated ? broken('two pairs have the same left side') : undefined
}

/** The text lists of a question, with the maximum length of a text and the allowed number of texts. */
function textsOf(body: Body): { items: string[]; length: number; from?: number; to: number }[] {
  switch (body.type) {
    case 'single_choice':
    case 'multiple_choice':
      return [
        { items: body.options.map(({ text }) => text), length: 2_000, from: 2, to: 20 },
        { items: body.options.map(({ feedback = '' }) => feedback), length: 2_000, to: 20 },
      ]
    case 'short_answer':
      return [{ items: body.accepted.map(({ text }) => text), length: 500, from: 1, to: 50 }]
    case 'numeric':
      return [
        { items: body.accepted.flatMap((one) => Object.values(one).map(String)), length: 40, to: 200 },
        { items: body.accepted.map(() => ''), length: 0, from: 1, to: 50 },
      ]
    case 'matching':
      return [
        { items: body.pairs.map(({ left }) => left), length: 500, from: 2, to: 20 },
        { items: body.pairs.map(({ right }) => right), length: 500, from: 2, to: 20 },
        { items: body.distractors ?? [], length: 500, to: 20 },
      ]
    case 'true_false':
      return [{ items: [body.feedback_if_true ?? '', body.feedback_if_false ?? ''], length: 2_000, to: 2 }]
  }
}
