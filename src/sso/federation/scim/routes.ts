import type { App } from '#foundation/http/http.ts'
import type { SsoParts } from '../../core/parts.ts'
import { scimBulkRoutes } from './bulk-routes.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { scimGroupRoutes } from './group-routes.ts'
import { scimUserRoutes } from './user-routes.ts'
import { tokenRoutes } from './token-routes.ts'

/** SCIM 2.0 (RFC 7643, RFC 7644): the directory of an enterprise connection keeps its people and groups here. */
export function scimRoutes(app: App, parts: SsoParts) {
  app.decorateRequest('directory', undefined)
  tokenRoutes(app, parts)
  discoveryRoutes(app, parts)
  scimUserRoutes(app, parts)
  scimGroupRoutes(app, parts)
  scimBulkRoutes(app, parts)
}
