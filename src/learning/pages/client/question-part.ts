import type { AuthorQuestion, QuestionBody } from '../api-types.ts'

/** The part of a form for one kind of question: its controls, and their values in API form. */
export type Part = { element: HTMLElement; read: () => Partial<QuestionBody> }
/** The question being edited; undefined for a new one. */
export type Known = AuthorQuestion | undefined
