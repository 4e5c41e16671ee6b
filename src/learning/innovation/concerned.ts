import { Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { inTurn } from '#foundation/database/lists.ts'
import { notFound } from '#foundation/errors.ts'
import { offsetOf, type PageQuery } from '#foundation/http/paging.ts'
import type { Viewer } from '../access/access.ts'
import { learnersAtRisk } from './engagement.ts'
import { findSuggestion } from './suggestion.ts'

/** `risk` is 0 to 100; `reasons` are words of risk.ts. */
export const ConcernedLearner = Type.Object({
  user_id: Type.String(),
  user_email: Type.String(),
  risk: Type.Integer(),
  reasons: Type.Array(Type.String()),
})
/**
 * One page of everybody whom a suggestion is about as things stand now, and their number; its evidence names the
 * first fifty only. 404 unless the viewer may list the suggestion.
 */
export async function listConcerned(db: Database, viewer: Viewer, id: string, query: PageQuery) {
  const suggestion = await findSuggestion(db.fast, viewer, id)
  if (!suggestion) throw notFound()
  const learners = await learnersAtRisk(inTurn(db, viewer.user_id), viewer.tenant_id, suggestion)
  const from = offsetOf(query)
  return { items: learners.slice(from, from + query.per_page), total: learners.length }
}
