import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { page, PageOf, pageLinks, PageQuery } from '#foundation/http/paging.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import { ConcernedLearner, listConcerned } from './concerned.ts'
import type { Learning } from '../learning.ts'
import { AGENT_TYPES } from '../finding.ts'
import type { Model } from '../language-model/model.ts'
import { Review, reviewSuggestion } from './review.ts'
import { runAgent, RunBody, RunResult } from './run.ts'
import { InnovationStatus, innovationStatus } from './status.ts'
import { listSuggestions, Suggestion, SuggestionQuery } from './suggestion.ts'

const user = { auth: 'user', permission: 'learning:use' } as const

export function innovationRoutes(app: App, learning: Learning, model: Model | undefined) {
  const { db, viewerOf } = learning

  app.post(
    '/api/innovation/run/:agent_type',
    {
      config: { auth: 'admin', permission: 'learning:use' },
      schema: {
        params: Type.Object({ agent_type: OneOf([...AGENT_TYPES]) }),
        body: RunBody,
        response: { 200: RunResult },
      },
    },
    async (request) =>
      runAgent(db, model, viewerOf(callerOf(request)), request.params.agent_type, request.body),
  )
  app.get(
    '/api/innovation/status',
    { config: user, schema: { response: { 200: InnovationStatus } } },
    async (request) => innovationStatus(db, model, viewerOf(callerOf(request))),
  )
  app.get(
    '/api/innovation/suggestions',
    { config: user, schema: { querystring: SuggestionQuery, response: { 200: CursorPageOf(Suggestion) } } },
    async (request, reply) => {
      const { items, total, next_cursor } = await listSuggestions(
        db,
        viewerOf(callerOf(request)),
        request.query,
      )
      const found = page(items, total, request.query)
      reply.header('Link', pageLinks(request.url, found))
      return { ...found, next_cursor }
    },
  )
  app.get(
    '/api/innovation/suggestions/:id/learners',
    {
      config: { ...user, operational: true },
      schema: {
        params: Type.Object({ id: Uuid }),
        querystring: PageQuery,
        response: { 200: PageOf(ConcernedLearner) },
      },
    },
    async (request) => {
      const { params, query } = request
      const { items, total } = await listConcerned(db, viewerOf(callerOf(request)), params.id, query)
      return page(items, total, query)
    },
  )
  app.put(
    '/api/innovation/suggestions/:id',
    {
      config: { auth: 'admin', permission: 'learning:use' },
      schema: { params: Type.Object({ id: Uuid }), body: Review, response: { 200: Suggestion } },
    },
    async (request) =>
      reviewSuggestion(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
}
