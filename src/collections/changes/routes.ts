import type { App } from '#foundation/http/http.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { actorOf } from '../identify.ts'
import { Changes, ChangesQuery, listChanges } from './changes.ts'

export function changeRoutes(app: App, { database: db }: Pick<ServiceParts, 'database'>) {
  app.get(
    '/api/changes',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { querystring: ChangesQuery, response: { 200: Changes } },
    },
    async (request) => listChanges(db, actorOf(request), request.query),
  )
}
