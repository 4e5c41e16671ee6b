import { type App, callerOf } from '#foundation/http.ts'
import { PageOf } from '#foundation/paging.ts'
import { originOf } from '../identify.ts'
import type { SsoParts } from '../parts.ts'
import { SiteBody } from './fields.ts'
import { createSite, listSites, NewSite, Site, SiteQuery } from './sites.ts'

export function siteRoutes(app: App, parts: SsoParts) {
  app.get(
    '/api/v1/sites',
    { config: { auth: 'user' }, schema: { querystring: SiteQuery, response: { 200: PageOf(Site) } } },
    async (request) => listSites(parts.database, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/sites',
    { config: { auth: 'user', compress: false }, schema: { body: SiteBody, response: { 201: NewSite } } },
    async (request, reply) => {
      const site = await createSite(parts, callerOf(request), request.body, originOf(request))
      return reply.code(201).send(site)
    },
  )
}
