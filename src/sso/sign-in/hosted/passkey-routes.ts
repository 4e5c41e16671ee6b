import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { pageConfig, pagesOf, visitsOf } from '../../core/pages/requests.ts'
import { withQuery } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { Asked } from './asked.ts'
import { contextOf } from './destination.ts'
import { nextChallenge, postPasskey } from './visit-passkey.ts'

const querystring = Type.Object(Asked)
const Credential = Type.String({ maxLength: 20_000 })
/** PublicKeyCredentialRequestOptionsJSON. */
const Options = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/** Signing in by a passkey, without a password. Nothing is stored before a sign-in succeeds. */
export function passkeyRoutes(app: App, parts: SsoParts) {
  const { get, post } = pagesOf(app, parts)
  const visitOf = visitsOf(parts)
  // Reloading an answer to the form, or going back to it, leads here.
  get('/sign-in/passkey', querystring, (_, query) => ({ location: withQuery('/sign-in', query) }))
  post('/sign-in/passkey', { querystring, fields: { credential: Credential } }, async (visit, query, given) =>
    postPasskey(await contextOf(parts, visit, query), given),
  )
  app.get(
    '/sign-in/passkey/options',
    { config: pageConfig, schema: { hide: true, response: { 200: Options } } },
    async (request, reply) => {
      const { options, cookie } = nextChallenge(parts, visitOf(request))
      reply.header('Set-Cookie', cookie)
      return options
    },
  )
}
