import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { Channel } from '../channels/channel.ts'
import { Test } from '../exams/exam.ts'
import type { Learning } from '../learning.ts'
import { copyChannel, copyEpisode, copyTest, moveEpisode } from './copy.ts'

const Params = Type.Object({ id: Uuid })
const Named = Type.Object({ title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) })
const IntoChannel = Type.Object({ channel_id: Type.Optional(Uuid) })
const ToChannel = Type.Object({ channel_id: Uuid })
const IntoEpisode = Type.Object({ episode_id: Type.Optional(Uuid) })
const Placed = Type.Object({ episode_id: Uuid, channel_id: Uuid })

const user = { auth: 'user', permission: 'learning:use', operational: true } as const

/** Copying channels, episodes and tests, and moving episodes, for editors of both ends. */
export function copyRoutes(app: App, { db, viewerOf }: Learning, quota: number) {
  const store = { db, quota }
  app.post(
    '/api/channels/:id/copy',
    { config: user, schema: { params: Params, body: Named, response: { 201: Channel } } },
    async (request, reply) => {
      const { params, body } = request
      const channel = await copyChannel(store, viewerOf(callerOf(request)), params.id, body.title)
      return reply.code(201).header('Location', `/api/channels/${channel.id}`).send(channel)
    },
  )
  app.post(
    '/api/episodes/:id/copy',
    { config: user, schema: { params: Params, body: IntoChannel, response: { 201: Placed } } },
    async (request, reply) => {
      const { params, body } = request
      return reply
        .code(201)
        .send(
          await copyEpisode(store, viewerOf(callerOf(request)), params.id, body.channel_id?.toLowerCase()),
        )
    },
  )
  app.post(
    '/api/episodes/:id/move',
    { config: user, schema: { params: Params, body: ToChannel, response: { 200: Placed } } },
    async (request) => {
      const { params, body } = request
      return moveEpisode(store, viewerOf(callerOf(request)), params.id, body.channel_id.toLowerCase())
    },
  )
  app.post(
    '/api/episodes/tests/:id/copy',
    { config: user, schema: { params: Params, body: IntoEpisode, response: { 201: Test } } },
    async (request, reply) => {
      const { params, body } = request
      return reply
        .code(201)
        .send(await copyTest(store, viewerOf(callerOf(request)), params.id, body.episode_id?.toLowerCase()))
    },
  )
}
