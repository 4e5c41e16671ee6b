import { Type } from 'typebox'
import { badRequest, conflict, unauthorized } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { ACCESS_TOKEN_LIFE } from '#foundation/security/access-tokens.ts'
import { pageConfig, visitsOf } from '../../core/pages/requests.ts'
import type { SsoParts } from '../../core/parts.ts'
import { contextOf } from './destination.ts'
import { renew, type SilentWatch } from './silent.ts'

const Renewed = Type.Object({
  /** Seconds that the new access token lives. */
  expires_in: Type.Integer(),
})

/**
 * `POST /sign-in/renew`: pages of our own services exchange the refresh cookie for new cookies, so that nobody is signed
 * out while they work. The tokens travel in cookies only, which scripts cannot read. 401: nobody is signed in; 403:
 * another site asked; 409: another tab has just renewed, and its cookies hold for this one too; 429.
 */
export function renewRoutes(app: App, parts: SsoParts, watch: SilentWatch) {
  const visitOf = visitsOf(parts)
  const querystring = Type.Object({ site_code: Type.Optional(Type.String({ maxLength: 40 })) })
  app.post(
    '/sign-in/renew',
    // Counts as a page view.
    { config: pageConfig, schema: { hide: true, querystring, response: { 200: Renewed } } },
    async (request, reply) => {
      const visit = visitOf(request)
      visit.requireOwnSites()
      const { origin } = request.headers
      reply.header('Vary', 'Origin')
      // Only our own services pass requireOwnSites, so only they may read the answer.
      if (origin !== undefined)
        reply.headers({
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Allow-Credentials': 'true',
        })
      const refresh_token = visit.kept('refresh')
      if (refresh_token === undefined) throw signedOut()
      const asked = { site_code: request.query.site_code, return_to: `${visit.address}/` }
      const context = await contextOf(parts, visit, asked)
      if (!context.destination.site.is_first_party)
        throw badRequest('site_unknown', 'Only sites of the network itself renew a session here')
      const renewed = await renew(context, refresh_token, watch)
      if (renewed === 'overtaken') throw conflict('overtaken', 'Another tab has just renewed the session')
      if (renewed === undefined || 'asks_of' in renewed) throw signedOut()
      for (const cookie of renewed.cookies ?? []) reply.header('Set-Cookie', cookie)
      return { expires_in: ACCESS_TOKEN_LIFE }
    },
  )
}

const signedOut = () => unauthorized('signed_out', 'Nobody is signed in in this browser')
