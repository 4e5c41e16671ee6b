import { isDeepStrictEqual } from 'node:util'
import { kindOf, type QuestionType, type StoredBody } from './kinds.ts'

/** What decides about points. Two contents that agree in it grade every answer alike. */
export type KeyFacts = { points: number; scoring: string; body: StoredBody }

/**
 * Whether earlier answers may be worth something else now: then they are graded again by default (docs/choices-learning.md).
 */
export function isOtherKey(type: QuestionType, before: KeyFacts, after: KeyFacts): boolean {
  const factsOf = ({ points, scoring, body }: KeyFacts) => [
    points,
    scoring,
    kindOf(type).facts?.(body, before.body) ?? body,
  ]
  return !isDeepStrictEqual(factsOf(before), factsOf(after))
}
