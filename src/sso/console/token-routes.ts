import { decodeJwt } from 'jose'
import { Type } from 'typebox'
import { clock } from '#foundation/clock.ts'
import { forbidden, unauthorized } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { isForeign } from '#foundation/web/csrf.ts'
import { pageConfig, visitsOf } from '../core/pages/requests.ts'
import type { SsoParts } from '../core/parts.ts'
import { visitorOf } from '../sign-in/account/visitor.ts'

const PageToken = Type.Object({ access_token: Type.String(), expires_in: Type.Integer() })

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
      const { origin, 'sec-fetch-site': relation } = request.headers
      const isSame = relation === undefined ? origin !== undefined : relation === 'same-origin'
      if (!isSame || isForeign(request, visit.address)) throw forbidden('csrf', 'Another site asked for this')
      const caller = await visitorOf(parts, visit)
      const access_token = visit.kept('access')
      if (caller?.site_code !== 'console' || access_token === undefined)
        throw unauthorized('signed_out', 'Nobody is signed in at the console in this browser')
      const { exp = 0 } = decodeJwt(access_token)
      return { access_token, expires_in: Math.max(0, exp - Math.floor(clock.now() / 1_000)) }
    },
  )
}
