import { type Static, type TSchema, Type } from 'typebox'
import type { Finding, Target } from '../finding.ts'
import type { Question } from './chat.ts'
import { fenced, SYSTEM } from './prompts.ts'

/** One question for the model. `read` turns the answer into a finding, or undefined when it is of no use. */
export type Task = {
  question: Question<TSchema>
  /** What the answer will be about, to skip the task while an equal draft is open. */
  subject: Pick<Finding, 'kind' | 'target' | 'item'>
  read: (answer: unknown) => Finding | undefined
}

type Draft<T extends TSchema> = {
  kind: string
  about: Finding
  target?: Target
  item?: string
  schema: T
  ask: string
  text: string
  title: string
  body: (answer: Static<T>) => string
  patch?: (answer: Static<T>) => object | undefined
  confidence?: number
}

export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const Form = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false })

export function task<T extends TSchema>(draft: Draft<T>): Task {
  const {
    kind,
    about,
    target = about.target,
    item,
    schema,
    ask,
    text,
    title,
    body,
    patch,
    confidence = 0.4,
  } = draft
  return {
    question: { name: kind, schema, system: SYSTEM, text: `${ask}\n\n${fenced(text)}` },
    subject: { kind, target, ...(item === undefined ? undefined : { item }) },
    read: (given) => {
      // Already validated against the schema of the question.
      const answer = given as Static<T>
      const change = patch?.(answer)
      if (patch && !change) return undefined
      return {
        kind,
        severity: 'info',
        title,
        body: body(answer),
        evidence: { because: about.kind },
        channel_id: about.channel_id,
        target,
        ...(item === undefined ? undefined : { item }),
        ...(change ? { patch: change } : undefined),
        confidence,
      }
    },
  }
}
