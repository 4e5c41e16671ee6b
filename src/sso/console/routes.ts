import type { App } from '#foundation/http/http.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import type { SsoParts } from '../core/parts.ts'
import { liveRoutes } from './live-routes.ts'
import { pageTokenRoutes } from './token-routes.ts'
import { createAdmit } from './visitor-routes.ts'

/** The pages of operators, and of people who are ADMIN of a site. */
export function consoleRoutes(app: App, parts: SsoParts, limiter: Limiter): void {
  const admit = createAdmit(parts, limiter)
  liveRoutes(app, parts, admit)
  pageTokenRoutes(app, parts)
}
