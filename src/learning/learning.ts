import type { Caller } from '#foundation/session-gate.ts'
import type { Store, Viewer } from './channels/access.ts'
import type { AnswerKeys } from './exams/keys.ts'

/** What every slice of the service works with. */
export type Learning = Store & {
  viewerOf: (caller: Caller) => Viewer
  answerKeys: AnswerKeys
  /** Orders options and questions for each attempt, so that nobody can tell the order they were written in. */
  shuffleKey: Buffer
}
