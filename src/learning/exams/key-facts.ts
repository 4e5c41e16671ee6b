import { isDeepStrictEqual } from 'node:util'
import { kindOf, type QuestionType, type StoredBody } from './kinds.ts'

/** The fields that decide about points. Two contents with equal facts grade every answer alike. */
export type KeyFacts = { points: number; scoring: string; body: StoredBody }

/**
 * Whether a change may alter the points of earlier answers. If so, they are regraded by default
 * (docs/choices-learning.md).
 */
export function isOtherKey(type: QuestionType, before: KeyFacts, after: KeyFacts): boolean {
  const factsOf = ({ points, scoring, body }: KeyFacts) => [
    points,
    scoring,
    kindOf(type).facts?.(body, before.body) ?? body,
  ]
  return !isDeepStrictEqual(factsOf(before), factsOf(after))
}
