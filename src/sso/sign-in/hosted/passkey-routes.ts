import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { Line, pageConfig, pagesOf, visitsOf } from '../../core/pages/requests.ts'
import { withQuery } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { Asked } from './asked.ts'
import { contextOf } from './destination.ts'
import { postMadePasskey, postNewPasskey, type Start, STARTS } from './visit-new-passkey.ts'
import { nextChallenge, postPasskey } from './visit-passkey.ts'
import { contextOfLink } from './visit-sign-up.ts'

const querystring = Type.Object(Asked)
const Credential = Type.String({ maxLength: 20_000 })
/** PublicKeyCredentialRequestOptionsJSON. */
const Options = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/** Signing in by a passkey, without a password. Nothing is stored before a sign-in succeeds. */
export function passkeyRoutes(app: App, parts: SsoParts) {
  const pages = pagesOf(app, parts)
  const { get, post } = pages
  const visitOf = visitsOf(parts)
  // Reloading an answer to the form, or going back to it, leads here.
  get('/sign-in/passkey', querystring, (_, query) => ({ location: withQuery('/sign-in', query) }))
  post('/sign-in/passkey', { querystring, fields: { credential: Credential } }, async (visit, query, given) =>
    postPasskey(await contextOf(parts, visit, query), given),
  )
  for (const start of STARTS) newPasskeyRoutes(pages, parts, start)
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

/** The two steps in which the holder of a mailed link makes a passkey: the browser is asked, and answers. */
function newPasskeyRoutes({ get, post }: ReturnType<typeof pagesOf>, parts: SsoParts, start: Start) {
  const { page, path } = start
  const Given = { token: Line, recovery_code: Type.Optional(Line) }
  for (const url of [path, `${path}/create`])
    get(url, querystring, (_, query) => ({ location: withQuery(page, query) }))
  post(path, { querystring, fields: Given }, async (visit, query, given) =>
    postNewPasskey(await contextOfLink(parts, visit, query), start, given),
  )
  const fields = { ...Given, credential: Credential }
  post(`${path}/create`, { querystring, fields }, async (visit, query, given) =>
    postMadePasskey(await contextOfLink(parts, visit, query), start, given),
  )
}
