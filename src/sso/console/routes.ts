import type { App } from '#foundation/http/http.ts'
import type { SsoParts } from '../core/parts.ts'
import { peoplePages } from './people-routes.ts'

/** The pages of operators, and of people who are ADMIN of a site. */
export function consoleRoutes(app: App, parts: SsoParts): void {
  peoplePages(app, parts)
}
