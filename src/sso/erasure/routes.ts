import { type App, callerOf } from '#foundation/http.ts'
import { PageOf } from '#foundation/paging.ts'
import type { SsoParts } from '../parts.ts'
import { Erased, ErasedQuery, listErasures } from './list.ts'

export function erasureRoutes(app: App, { database }: SsoParts) {
  app.get(
    '/api/v1/users/erasures',
    {
      config: { auth: 'user', permission: 'users:read', operational: true },
      schema: { querystring: ErasedQuery, response: { 200: PageOf(Erased) } },
    },
    async (request) => listErasures(database, callerOf(request), request.query),
  )
}
