import type { ServiceParts } from '#foundation/service.ts'
import type { App } from '#foundation/http.ts'
import { openApiRoute, operationalRoutes } from '#foundation/operational-routes.ts'
import type { Identity } from '#foundation/session-gate.ts'
import { accountRoutes } from './account/routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import { systemRoutes } from './system/routes.ts'

/** What this service does, in reading order. */
export function registerFeatures(app: App, parts: ServiceParts, identity: Identity) {
  accountRoutes(app, parts.database, identity)
  collectionRoutes(app, parts.database)
  systemRoutes(app, parts)
  operationalRoutes(app, parts)
  openApiRoute(app, '/openapi.json', 'public')
}
