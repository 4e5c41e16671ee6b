import { unauthorized } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { PageToken, pageToken, requireOwnPage } from '#foundation/web/page-token.ts'
import { pageConfig, visitsOf } from '../core/pages/requests.ts'
import type { SsoParts } from '../core/parts.ts'
import { visitorOf } from '../sign-in/account/visitor.ts'

/**
 * `POST /console/token`: a live page of the console gets the access token of the browser's cookie, to call the API with.
 * Only a page of the same origin gets an answer, not even one of our other services. 401: nobody is signed in at the
 * console; 403: another origin asked, or a program.
 */
export function pageTokenRoutes(app: App, parts: SsoParts) {
  const visitOf = visitsOf(parts)
  app.post(
    '/console/token',
    { config: pageConfig, schema: { hide: true, response: { 200: PageToken } } },
    async (request) => {
      const visit = visitOf(request)
      requireOwnPage(request, visit.address)
      const caller = await visitorOf(parts, visit)
      const access_token = visit.kept('access')
      if (caller?.site_code !== 'console' || access_token === undefined)
        throw unauthorized('signed_out', 'Nobody is signed in at the console in this browser')
      return pageToken(access_token)
    },
  )
}
