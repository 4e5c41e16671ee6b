import { type App, callerOf } from '#foundation/http/http.ts'
import type { Learning } from '../learning.ts'
import { search, SearchPage, SearchQuery } from './search.ts'

export function searchRoutes(app: App, { db, viewerOf }: Learning) {
  app.get(
    '/api/search',
    {
      config: { auth: 'user', permission: 'learning:use', operational: true },
      schema: { querystring: SearchQuery, response: { 200: SearchPage } },
    },
    async (request) => search(db, viewerOf(callerOf(request)), request.query),
  )
}
