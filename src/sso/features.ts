import type { App } from '#foundation/http.ts'
import { openApiRoute, operationalRoutes } from '#foundation/operational-routes.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import type { SsoParts } from './parts.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'
import { siteRoutes } from './sites/routes.ts'
import { statusRoutes } from './status/routes.ts'
import { createStatus } from './status/status.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { userRoutes } from './users/routes.ts'

/** What this service does, in reading order. */
export function registerFeatures(app: App, parts: SsoParts, limiter: Limiter) {
  signInRoutes(app, parts)
  tokenRoutes(app, parts)
  sessionRoutes(app, parts)
  userRoutes(app, parts)
  siteRoutes(app, parts)
  statusRoutes(app, createStatus(parts.database, limiter, parts.version))
  operationalRoutes(app, parts)
  openApiRoute(app, '/api/v1/openapi.json', 'site')
}
