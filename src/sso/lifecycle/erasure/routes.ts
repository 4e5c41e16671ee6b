import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { Line, pagesOf } from '../../core/pages/requests.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { deleteUser } from './delete.ts'
import { ErasureBody } from './erasure.ts'
import { Erased, ErasedQuery, listErasures } from './list.ts'
import { getErase, postErase } from './visit-erase.ts'

const Params = Type.Object({ user_id: Uuid })
const ReturnTo = Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 4_096 })) })

export function erasureRoutes(app: App, parts: SsoParts) {
  erasePages(app, parts)

  app.delete(
    '/api/v1/users/:user_id',
    {
      config: { auth: 'user', permission: ['users:write', 'profile:write'] },
      schema: { params: Params, body: ErasureBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      const { params, body } = request
      await deleteUser(parts, callerOf(request), params.user_id, body, originOf(request))
      return reply.code(204).send()
    },
  )

  app.get(
    '/api/v1/users/erasures',
    {
      config: { auth: 'user', permission: 'users:read', operational: true },
      schema: { querystring: ErasedQuery, response: { 200: CursorPageOf(Erased) } },
    },
    async (request) => listErasures(parts.database, callerOf(request), request.query),
  )
}

/** The pages where people erase themselves. */
function erasePages(app: App, parts: SsoParts) {
  const { get, post } = pagesOf(app, parts)
  const fields = { confirmation: Type.Optional(Line) }
  get('/account/erase', ReturnTo, (visit, query) => getErase(parts, visit, query))
  post('/account/erase', { querystring: ReturnTo, fields }, (visit, query, { confirmation }) =>
    postErase(parts, visit, query, confirmation),
  )
}
