import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import { createRecorder } from './batch.ts'
import { beatOf, Progress, ProgressBody } from './progress.ts'
import { readProgress } from './read.ts'

const Params = Type.Object({ episode_id: Uuid })

const user = { auth: 'user', permission: 'learning:use' } as const

export function progressRoutes(app: App, { db, viewerOf }: Learning) {
  const record = createRecorder(db)

  app.post(
    '/api/progress',
    { config: user, schema: { body: ProgressBody, response: { 200: Progress, 201: Progress } } },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const beat = beatOf(request.body)
      const { isNew, progress } = await record(viewer, request.body.episode_id, beat)
      return reply.code(isNew ? 201 : 200).send(progress)
    },
  )
  app.get(
    '/api/progress/:episode_id',
    { config: user, schema: { params: Params, response: { 200: Progress } } },
    async (request) => readProgress(db.fast, viewerOf(callerOf(request)), request.params.episode_id),
  )
}
