import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type App, callerOf, siteOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { listSessions, Session, SessionQuery } from './list.ts'
import { createRevocationStreams } from './revocation-stream.ts'
import { listRevocations, RevocationFeed, RevocationQuery } from './revocations.ts'
import { deleteOwnSessions, deleteSession, deleteSessionsOf } from './sessions.ts'

const Resumed = Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 100 })) })
const STREAM = {
  200: {
    description:
      'Server-sent events: `revoked` with {sub, session_version, at}, and `ready` when all that was there is told',
    content: { 'text/event-stream': { schema: Type.String() } },
  },
} as object

export function sessionRoutes(app: App, parts: SsoParts) {
  app.get(
    '/api/v1/sessions',
    {
      config: { auth: 'user', permission: 'profile:read' },
      schema: { querystring: SessionQuery, response: { 200: CursorPageOf(Session) } },
    },
    async (request) => listSessions(parts.database, callerOf(request), request.query),
  )

  app.delete(
    '/api/v1/sessions/:session_id',
    {
      config: { auth: 'user', permission: ['sessions:revoke', 'profile:write'] },
      schema: { params: Type.Object({ session_id: Uuid }), response: { 204: NoContent } },
    },
    async (request, reply) => {
      const { session_id } = request.params
      const ended = await deleteSession(parts, callerOf(request), session_id, originOf(request))
      if (!ended) throw notFound()
      return reply.code(204).send()
    },
  )

  app.delete(
    '/api/v1/sessions',
    {
      config: { auth: 'user', permission: 'profile:write', operational: true },
      schema: {
        querystring: Type.Object({ except_current: Type.Boolean({ default: false }) }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await deleteOwnSessions(parts, callerOf(request), request.query.except_current, originOf(request))
      return reply.code(204).send()
    },
  )

  app.delete(
    '/api/v1/users/:user_id/sessions',
    {
      config: { auth: 'user', permission: 'sessions:revoke', operational: true },
      schema: { params: Type.Object({ user_id: Uuid }), response: { 204: NoContent } },
    },
    async (request, reply) => {
      await deleteSessionsOf(parts, callerOf(request), request.params.user_id, originOf(request))
      return reply.code(204).send()
    },
  )

  app.get(
    '/api/v1/sessions/revocations',
    {
      config: { auth: 'site', operational: true },
      schema: { querystring: RevocationQuery, response: { 200: RevocationFeed } },
    },
    async (request) => listRevocations(parts.database, siteOf(request), request.query.cursor),
  )

  const streams = createRevocationStreams(parts)
  app.addHook('preClose', async () => streams.closeAll())
  app.get(
    '/api/v1/revocations',
    {
      config: { auth: 'site', operational: true, compress: false },
      schema: { headers: Resumed, response: STREAM },
    },
    async (request, reply) => {
      const site_key = String(request.headers['x-sso-site-key'])
      const body = await streams.open(siteOf(request), site_key, request.headers['last-event-id'])
      // Proxies such as nginx would hold lines back until a buffer is full. A connection that is kept after its stream has
      // ended would hold up the stop.
      reply.headers({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no', Connection: 'close' })
      return reply.type('text/event-stream; charset=utf-8').send(body)
    },
  )
}
