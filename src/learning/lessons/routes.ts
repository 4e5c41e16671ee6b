import { Type } from 'typebox'
import { badRequest } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { isOtherVersion } from '#foundation/http/if-match.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import { Changes, ChangesBody, ChangesQuery } from './change.ts'
import { discardChanges, mergeChanges, readChanges } from './changes.ts'
import { Publication, publishLesson } from './publish.ts'

const Params = Type.Object({ id: Uuid })
const user = { auth: 'user', permission: 'learning:use', operational: true } as const
/** Bytes: a transcript of 200,000 characters in any script, as for the video. */
const bodyLimit = 4 * 1_048_576

/** The unpublished changes of a lesson, for its editors. */
export function lessonRoutes(app: App, learning: Learning) {
  const { viewerOf } = learning
  const url = '/api/episodes/:id/changes'
  app.get(
    url,
    { config: user, schema: { params: Params, querystring: ChangesQuery, response: { 200: Changes } } },
    async (request) =>
      readChanges(learning, viewerOf(callerOf(request)), request.params.id, request.query.since),
  )
  app.put(
    url,
    { bodyLimit, config: user, schema: { params: Params, body: ChangesBody, response: { 200: Changes } } },
    async (request) => mergeChanges(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.delete(url, { config: user, schema: { params: Params, response: { 200: Changes } } }, async (request) =>
    discardChanges(
      learning,
      viewerOf(callerOf(request)),
      request.params.id,
      staleness(request.headers['if-match']),
    ),
  )
  app.post(
    '/api/episodes/:id/publish',
    { config: user, schema: { params: Params, response: { 200: Publication } } },
    async (request) =>
      publishLesson(
        learning,
        viewerOf(callerOf(request)),
        request.params.id,
        staleness(request.headers['if-match']),
      ),
  )
}

/** Nobody publishes or discards what they have not seen. */
const staleness = (if_match: string | undefined) => (version: number) => {
  if (isOtherVersion(version, if_match)) throw badRequest('stale_version', 'The lesson was changed, reload')
}
