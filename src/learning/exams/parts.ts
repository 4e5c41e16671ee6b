import type { Learning } from '../learning.ts'
import type { AnswerKeys } from './keys.ts'

/** The dependencies of tests, beside those of every slice of the service. */
export type ExamParts = Learning & {
  answerKeys: AnswerKeys
  /**
   * HMAC key that shuffles options and questions per attempt, so that nobody can work out the order they were written
   * in.
   */
  shuffleKey: Buffer
}
