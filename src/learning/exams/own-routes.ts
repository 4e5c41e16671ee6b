import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { mergeTestDraft, readTestDraft, TestDraft, TestDraftBody } from './draft.ts'
import {
  ExtraAttempts,
  grantAttempts,
  LearnerAttempts,
  learnerAttempts,
  LearnerQuery,
  resetAttempt,
} from './one-learner.ts'
import type { ExamParts } from './parts.ts'
import { AttemptReview, reviewAttempt } from './review.ts'

const Params = Type.Object({ id: Uuid })

/** Beyond the API document (docs/learning.md): what one learner did at a test, and what is not handed in yet. */
const user = { auth: 'user', permission: 'learning:use', operational: true } as const

export function ownAttemptRoutes(app: App, learning: ExamParts) {
  const { viewerOf } = learning

  app.get(
    '/api/episodes/tests/:id/attempts',
    {
      config: user,
      schema: { params: Params, querystring: LearnerQuery, response: { 200: LearnerAttempts } },
    },
    async (request) =>
      learnerAttempts(learning, viewerOf(callerOf(request)), request.params.id, request.query),
  )
  app.put(
    '/api/episodes/tests/:id/extra-attempts',
    { config: user, schema: { params: Params, body: ExtraAttempts, response: { 200: ExtraAttempts } } },
    async (request) => grantAttempts(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.get(
    '/api/episodes/tests/attempts/:id',
    { config: user, schema: { params: Params, response: { 200: AttemptReview } } },
    async (request) => reviewAttempt(learning, viewerOf(callerOf(request)), request.params.id),
  )
  app.delete(
    '/api/episodes/tests/attempts/:id',
    { config: user, schema: { params: Params, response: { 204: NoContent } } },
    async (request, reply) => {
      await resetAttempt(learning, viewerOf(callerOf(request)), request.params.id)
      return reply.code(204).send()
    },
  )
  app.get(
    '/api/episodes/tests/:id/draft',
    { config: user, schema: { params: Params, response: { 200: TestDraft } } },
    async (request) => readTestDraft(learning, viewerOf(callerOf(request)), request.params.id),
  )
  app.put(
    '/api/episodes/tests/:id/draft',
    { config: user, schema: { params: Params, body: TestDraftBody, response: { 200: TestDraft } } },
    async (request) => mergeTestDraft(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
}
