import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf, CursorQuery } from '#foundation/http/cursor-page.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { ConnectedSite, disconnectSite, listConnectedSites } from './connected-sites.ts'
import { getSites, postSites } from './visit-sites.ts'

const hide = true
const SiteId = Type.Object({ site_id: Uuid })
const querystring = Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) })
const Disconnect = Type.Object({ form_token: Type.String({ maxLength: 1_000 }), site_id: Uuid })

/** The partners' sites that know a person, for that person: as a page, and as an API for first-party programs. */
export function connectedSitesRoutes(app: App, parts: SsoParts) {
  const visitOf = visitsOf(parts)

  app.get('/account/sites', { config: pageConfig, schema: { hide, querystring } }, async (request, reply) =>
    sendAnswer(reply, await getSites(parts, visitOf(request), request.query)),
  )
  app.post(
    '/account/sites',
    { config: { ...pageConfig, form: true }, schema: { hide, querystring, body: Disconnect } },
    async (request, reply) =>
      sendAnswer(reply, await postSites(parts, visitOf(request), request.query, request.body)),
  )

  app.get(
    '/api/v1/consents',
    {
      config: { auth: 'user', permission: 'profile:read', first_party: '/account/sites', operational: true },
      schema: { querystring: CursorQuery, response: { 200: CursorPageOf(ConnectedSite) } },
    },
    async (request) => listConnectedSites(parts.database, callerOf(request), request.query),
  )
  app.delete(
    '/api/v1/consents/:site_id',
    {
      config: { auth: 'user', permission: 'profile:write', first_party: '/account/sites', operational: true },
      schema: { params: SiteId, response: { 204: NoContent } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      await disconnectSite(parts, caller, request.params.site_id, originOf(request))
      return reply.code(204).send()
    },
  )
}
