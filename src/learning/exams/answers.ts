import { type QuestionKey } from './grading.ts'

/** Ids of the longest list there is: 20 options or items. Learners may send ids that are gone, so a few more. */
const MAX_IDS = 100
const MAX_TEXT = 1_000
const MAX_NUMBER = 100

/**
 * What is wrong with the JSON type of an answer, for 422; undefined when it can be graded. Ids are not looked up here:
 * unknown ones count as not chosen.
 */
export function answerFault(type: QuestionKey['type'], answer: unknown): string | undefined {
  if (answer === null || answer === undefined) return undefined
  switch (type) {
    case 'single_choice':
      return typeof answer === 'string' ? undefined : 'must be the id of an option'
    case 'true_false':
      return typeof answer === 'boolean' ? undefined : 'must be true or false'
    case 'short_answer':
      return isText(answer, MAX_TEXT) ? undefined : `must be text of at most ${MAX_TEXT} characters`
    case 'numeric':
      return typeof answer === 'number' || isText(answer, MAX_NUMBER)
        ? undefined
        : `must be a number, or text of at most ${MAX_NUMBER} characters`
    case 'multiple_choice':
    case 'ordering':
      return isListOfIds(answer) ? undefined : 'must be a list of ids without repetitions'
    case 'matching':
      return isPairing(answer) ? undefined : 'must be an object of ids, {left_id: right_id}'
  }
}

const isText = (answer: unknown, maxLength: number) =>
  typeof answer === 'string' && (answer.length <= maxLength || Array.from(answer).length <= maxLength)

const isListOfIds = (answer: unknown) =>
  Array.isArray(answer) &&
  answer.length <= MAX_IDS &&
  answer.every((id) => typeof id === 'string') &&
  new Set(answer).size === answer.length

/** A left side that is left open may be null. One right side may be given to several left ones. */
function isPairing(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return false
  const rights: unknown[] = Object.values(answer)
  return rights.length <= MAX_IDS && rights.every((id) => id === null || typeof id === 'string')
}
