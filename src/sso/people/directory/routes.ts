import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { SsoParts } from '../../core/parts.ts'
import { findById, FindQuery, FoundPage } from './find.ts'
import { readStanding, Standing } from './standing.ts'

/** What the pages about people ask beside the API of sso.md. */
export function directoryRoutes(app: App, { database }: SsoParts): void {
  const config = { auth: 'user', permission: 'users:read', operational: true } as const
  app.get(
    '/api/v1/console/find',
    { config, schema: { querystring: FindQuery, response: { 200: FoundPage } } },
    async (request) => findById(database, callerOf(request), request.query),
  )
  app.get(
    '/api/v1/console/people/:user_id',
    { config, schema: { params: Type.Object({ user_id: Uuid }), response: { 200: Standing } } },
    async (request) => readStanding(database, callerOf(request), request.params.user_id),
  )
}
