import { isDeepStrictEqual } from 'node:util'
import type { QuestionType } from './question.ts'
import { idsOf, type StoredBody } from './question-body.ts'

/** What decides about points. Two contents that agree in it grade every answer alike. */
export type KeyFacts = { points: number; scoring: string; body: StoredBody }

/**
 * Whether earlier answers may be worth something else now: then they are graded again by default (docs/choices-learning.md).
 */
export function isOtherKey(type: QuestionType, before: KeyFacts, after: KeyFacts): boolean {
  const known = new Set(idsOf(before.body.options))
  return !isDeepStrictEqual(factsOf(type, before, known), factsOf(type, after, known))
}

/** A new option that is neither right nor weighted could not be chosen before, so it changes no verdict. */
function factsOf(type: QuestionType, { points, scoring, body }: KeyFacts, known: Set<string>) {
  const { options = [], pairs = [], items = [] } = body
  const choices = options
    .filter(({ id, correct, fraction }) => correct || fraction !== null || known.has(id))
    .map(({ id, correct, fraction }): [string, boolean, number | null] => [id, correct, fraction])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const sides = pairs.map(({ left_id, right_id, right }) => [left_id, right_id, right])
  const rest = { ...body, options: choices, pairs: sides, items: idsOf(items), distractors: undefined }
  return { type, points, scoring, ...rest }
}
