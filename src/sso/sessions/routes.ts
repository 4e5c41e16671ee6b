import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http.ts'
import { PageOf } from '#foundation/paging.ts'
import { Uuid } from '#foundation/schemas.ts'
import { originOf } from '../identify.ts'
import type { SsoParts } from '../parts.ts'
import { deleteSession, listSessions, Session, SessionQuery } from './sessions.ts'

export function sessionRoutes(app: App, parts: SsoParts) {
  app.get(
    '/api/v1/sessions',
    { config: { auth: 'user' }, schema: { querystring: SessionQuery, response: { 200: PageOf(Session) } } },
    async (request) => listSessions(parts.database, callerOf(request), request.query),
  )

  app.delete(
    '/api/v1/sessions/:session_id',
    {
      config: { auth: 'user' },
      schema: { params: Type.Object({ session_id: Uuid }), response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const { session_id } = request.params
      const ended = await deleteSession(parts, callerOf(request), session_id, originOf(request))
      if (!ended) throw notFound()
      return reply.code(204).send(null)
    },
  )
}
