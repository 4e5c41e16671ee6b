import type { AuthorQuestion, QuestionBody } from '../api-types.ts'

/** What a question has beside its text: its controls, and what they say as the API takes it. */
export type Part = { element: HTMLElement; read: () => Partial<QuestionBody> }
/** The question that is changed; undefined for a new one. */
export type Known = AuthorQuestion | undefined

/** The same control, which must not stay empty. */
export function required<T extends HTMLElement>(control: T): T {
  control.setAttribute('required', '')
  return control
}
