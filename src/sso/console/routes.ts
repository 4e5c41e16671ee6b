import type { App } from '#foundation/http/http.ts'
import type { SsoParts } from '../core/parts.ts'
import { auditPages } from './audit-routes.ts'
import { overviewPages } from './overview-routes.ts'
import { peoplePages } from './people-routes.ts'
import { sitePages } from './site-routes.ts'

/** The pages of operators, and of people who are ADMIN of a site. */
export function consoleRoutes(app: App, parts: SsoParts): void {
  overviewPages(app, parts)
  peoplePages(app, parts)
  sitePages(app, parts)
  auditPages(app, parts)
}
