import type { Learning } from '../learning.ts'
import type { AnswerKeys } from './keys.ts'

/** What tests need beside what every slice of the service works with. */
export type ExamParts = Learning & {
  answerKeys: AnswerKeys
  /** Orders options and questions for each attempt, so that nobody can tell the order they were written in. */
  shuffleKey: Buffer
}
