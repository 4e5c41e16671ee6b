import type { App } from '#foundation/http/http.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import type { SsoParts } from '../core/parts.ts'
import { auditPages } from './audit-routes.ts'
import { overviewPages } from './overview-routes.ts'
import { peoplePages } from './people-routes.ts'
import { sitePages } from './site-routes.ts'
import { consolePages } from './visitor-routes.ts'

/** The pages of operators, and of people who are ADMIN of a site. */
export function consoleRoutes(app: App, parts: SsoParts, limiter: Limiter): void {
  const pages = consolePages(app, parts, limiter)
  overviewPages(pages, parts)
  peoplePages(pages, parts)
  sitePages(pages, parts)
  auditPages(pages, parts)
}
