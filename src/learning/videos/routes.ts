import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import { readVideo } from './read.ts'
import { readVideoStats } from './stats.ts'
import { upsertVideo, VideoUpsert } from './upsert.ts'
import { Video, VideoInclude } from '../media/video.ts'

const Params = Type.Object({ id: Uuid })
/** Bytes. Large enough for a transcript of 200,000 characters in any script. */
const bodyLimit = 4 * 1_048_576

export function videoRoutes(app: App, learning: Learning) {
  const { db, viewerOf } = learning

  app.post(
    '/api/episodes/:id/video',
    {
      bodyLimit,
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, body: VideoUpsert, response: { 200: Video, 201: Video } },
    },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const { isNew, video } = await upsertVideo(learning, viewer, request.params.id, request.body)
      return reply.code(isNew ? 201 : 200).send(video)
    },
  )
  app.get(
    '/api/episodes/:id/video',
    {
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, querystring: VideoInclude, response: { 200: Video } },
    },
    async (request) => {
      const viewer = viewerOf(callerOf(request))
      const { params, query } = request
      const [video, stats] = await Promise.all([
        readVideo(db.fast, viewer, params.id),
        query.include === 'stats' ? readVideoStats(db.pool, viewer, params.id) : undefined,
      ])
      return { ...video, ...(stats && { stats }) }
    },
  )
}
