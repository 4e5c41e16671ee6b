import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { page, pageLinks } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import {
  Channel,
  ChannelChange,
  ChannelInclude,
  DeletedChannel,
  ListedChannel,
  NewChannel,
} from './channel.ts'
import { ChannelChoices, listChoices } from './choices.ts'
import { createChannel } from './create.ts'
import { deleteChannel } from './delete.ts'
import { ChannelQuery, listChannels } from './list.ts'
import { ChannelPreview, readPreview } from './preview.ts'
import { readChannel } from './read.ts'
import { readStats } from './stats.ts'
import { listSorted } from './sorted.ts'
import { updateChannel } from './update.ts'

const Params = Type.Object({ id: Uuid })
/** Bytes. Large enough for a channel of 500 episodes with videos. */
const bodyLimit = 4 * 1_048_576

const user = { auth: 'user', permission: 'learning:use' } as const

export function channelRoutes(app: App, learning: Learning) {
  const { db, viewerOf } = learning

  app.post(
    '/api/channels',
    {
      bodyLimit,
      config: user,
      schema: { body: NewChannel, response: { 200: Channel, 201: Channel } },
    },
    async (request, reply) => {
      const { isNew, channel } = await createChannel(learning, viewerOf(callerOf(request)), request.body)
      reply.header('Location', `/api/channels/${channel.id}`)
      return reply.code(isNew ? 201 : 200).send(channel)
    },
  )
  app.get(
    '/api/channels',
    { config: user, schema: { querystring: ChannelQuery, response: { 200: CursorPageOf(ListedChannel) } } },
    async (request, reply) => {
      const list = ['title', 'learners'].includes(request.query.sort ?? '') ? listSorted : listChannels
      const { items, total, next_cursor } = await list(db, viewerOf(callerOf(request)), request.query)
      const channels = page(items, total, request.query)
      reply.header('Link', pageLinks(request.url, channels))
      return { ...channels, next_cursor }
    },
  )
  app.get(
    '/api/channels/choices',
    { config: { ...user, operational: true }, schema: { response: { 200: ChannelChoices } } },
    async (request) => listChoices(db, viewerOf(callerOf(request))),
  )
  app.get(
    '/api/channels/:id',
    { config: user, schema: { params: Params, querystring: ChannelInclude, response: { 200: Channel } } },
    async (request) => {
      const viewer = viewerOf(callerOf(request))
      const { params, query } = request
      const [channel, stats] = await Promise.all([
        readChannel(db.fast, viewer, params.id),
        query.include === 'stats' ? readStats(db.pool, viewer, params.id) : undefined,
      ])
      return { ...channel, ...(stats && { stats }) }
    },
  )
  app.get(
    '/api/public/channels/:id',
    {
      config: { auth: 'public', operational: true },
      schema: { params: Params, response: { 200: ChannelPreview } },
    },
    async (request) => readPreview(db.fast, request.params.id),
  )
  app.put(
    '/api/channels/:id',
    {
      bodyLimit,
      config: user,
      schema: { params: Params, body: ChannelChange, response: { 200: Channel } },
    },
    async (request) => {
      const { params, body, headers } = request
      return updateChannel(learning, viewerOf(callerOf(request)), params.id, body, headers['if-match'])
    },
  )
  app.delete(
    '/api/channels/:id',
    {
      config: { auth: 'admin', permission: 'learning:use' },
      schema: { params: Params, response: { 200: DeletedChannel } },
    },
    async (request) => deleteChannel(learning, viewerOf(callerOf(request)), request.params.id),
  )
}
