import { type App, callerOf } from '#foundation/http/http.ts'
import type { SsoParts } from '../../core/parts.ts'
import { Checklist, readChecklist } from './checklist.ts'
import { ConsoleFigures, FiguresQuery, readConsoleFigures } from './figures.ts'
import { OwnSites, ownSites, OwnSitesQuery } from './own-sites.ts'

const config = { auth: 'user', permission: 'audit:read', operational: true } as const

/** What the overview of the console shows. */
export function overviewRoutes(app: App, parts: SsoParts): void {
  const { database } = parts

  app.get(
    '/api/v1/console/figures',
    { config, schema: { querystring: FiguresQuery, response: { 200: ConsoleFigures } } },
    async (request) => readConsoleFigures(database, callerOf(request), request.query),
  )

  app.get(
    '/api/v1/console/sites',
    { config, schema: { querystring: OwnSitesQuery, response: { 200: OwnSites } } },
    async (request) => {
      const items = await ownSites(database, callerOf(request), request.query.q)
      return { items: [...items] }
    },
  )

  app.get(
    '/api/v1/console/checklist',
    { config, schema: { response: { 200: Checklist } } },
    async (request) => readChecklist(parts, callerOf(request)),
  )
}
