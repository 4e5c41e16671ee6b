import { decimals, type Faults, text } from '../values.ts'
import { cleanBody, type QuestionType, type StoredBody } from './kinds.ts'
import type { QuestionBody, SCORINGS } from './question.ts'

/** The stored content of one version of a question. */
export type Content = {
  prompt: string
  points: number
  scoring: (typeof SCORINGS)[number]
  explanation: string
  body: StoredBody
}

/**
 * Validates a new question and returns it as stored. `path` prefixes field names in messages, such as
 * `questions[3].`.
 */
export function cleanQuestion(
  sent: QuestionBody,
  faults: Faults,
  path: string,
): { type: QuestionType; content: Content } {
  const at: Faults['at'] = (field) => faults.at(`${path}${field}`)
  const { type = 'true_false', prompt = '' } = sent
  if (sent.type === undefined) at('type')('required', 'is required')
  if (sent.prompt === undefined) at('prompt')('required', 'is required')
  const body = sent.type === undefined ? {} : cleanBody(type, sent, undefined, at)
  return { type, content: { ...DEFAULTS, prompt: text(prompt), ...cleanCommon(sent, at), body } }
}

/** Validates a change and returns the whole content after it. */
export const cleanChange = (
  sent: QuestionBody,
  { type, ...current }: Content & { type: QuestionType },
  faults: Faults,
): Content => ({
  ...contentOf(current),
  ...(sent.prompt !== undefined && { prompt: text(sent.prompt) }),
  ...cleanCommon(sent, faults.at),
  body: cleanBody(type, sent, current.body, faults.at),
})

export const contentOf = ({ prompt, points, scoring, explanation, body }: Content): Content => ({
  prompt,
  points,
  scoring,
  explanation,
  body,
})

const DEFAULTS = { points: 1, scoring: 'partial', explanation: '' } as const

/** Null means the default, absent fields stay absent. */
const cleanCommon = ({ points, scoring, explanation }: QuestionBody, at: Faults['at']): Partial<Content> => ({
  ...(points !== undefined && { points: decimals(2)(points ?? DEFAULTS.points, at('points')) }),
  ...(scoring !== undefined && { scoring: scoring ?? DEFAULTS.scoring }),
  ...(explanation !== undefined && { explanation: text(explanation ?? DEFAULTS.explanation) }),
})
