import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import { languageOf } from '#foundation/web/client/texts.ts'
import { errorPage } from '../../core/pages/error-page.ts'
import { textOf } from '../../core/pages/html.ts'
import { pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import type { SsoParts } from '../../core/parts.ts'
import { samlAddressesOf } from './addresses.ts'
import { finishAtOidc, finishTicket, takeSamlResponse } from './callback.ts'
import { connectionRoutes, domainRoutes } from './connection-routes.ts'
import { currentCertificate } from './encryption-keys.ts'
import { restartOf } from './faults.ts'
import { hearOidcLogout, hearSamlLogout } from './logout.ts'
import { countMessages } from './message-limits.ts'
import { requireProvider } from './provider.ts'
import { ownMetadata } from './saml.ts'
import { startSignIn } from './start.ts'
import { openProviderCalls, type ProviderCalls } from './provider-calls.ts'

/** Sign-in through the identity providers of partner sites: the API for their ADMINs, and the endpoints for browsers. */
export function enterpriseRoutes(app: App, parts: SsoParts, limiter: Limiter) {
  const calls = openProviderCalls(parts)
  app.addHook('onClose', () => calls.close())
  connectionRoutes(app, parts, calls)
  domainRoutes(app, parts)
  visitRoutes(app, parts, calls, countMessages(parts, limiter))
}

const hide = true
const ConnectionId = Type.Object({ connection_id: Uuid })
const Message = Type.String({ maxLength: 131_072 })

/** Browsers get a page that links to the start of the sign-in; programs get the usual error body. */
const visitConfig = {
  ...pageConfig,
  errorPage: (error, request, reply) => {
    const page = pageConfig.errorPage(error, request, reply)
    reply.header('Vary', 'Accept, Accept-Language')
    if (!wantsPage(request)) {
      reply.type('application/json; charset=utf-8')
      return JSON.stringify({ detail: error.detail, request_id: request.id, code: error.code })
    }
    const start = restartOf(error)
    if (start === undefined) return page
    return textOf(
      errorPage(error, start, request.id),
      languageOf(null, request.headers['accept-language']),
      reply.server.branding(),
    )
  },
} as const satisfies FastifyContextConfig

const wantsPage = ({ headers: { accept = '' } }: FastifyRequest) =>
  accept.includes('text/html') && !accept.includes('application/json')

function visitRoutes(
  app: App,
  parts: SsoParts,
  calls: ProviderCalls,
  count: ReturnType<typeof countMessages>,
) {
  const visitOf = visitsOf(parts)
  const at = (request: FastifyRequest) => ({ parts, calls, visit: visitOf(request) })
  const Text = Type.Optional(Type.String({ maxLength: 2_048 }))
  const searchOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

  app.get(
    '/sso/:connection_id/start',
    {
      // Each start causes work at the provider, so it is limited like a sign-in.
      config: { ...visitConfig, limit: 'auth' },
      schema: {
        hide,
        params: ConnectionId,
        querystring: Type.Object({
          return_to: Text,
          openid: Type.Optional(Type.String({ maxLength: 12_000 })),
          code_challenge: Type.Optional(Type.String({ maxLength: 100 })),
          code_challenge_method: Type.Optional(Type.String({ maxLength: 10 })),
          login_hint: Text,
        }),
      },
    },
    async (request, reply) =>
      sendAnswer(reply, await startSignIn(at(request), request.params.connection_id, request.query)),
  )

  app.get(
    '/sso/oidc/callback/:connection_id',
    { config: visitConfig, schema: { hide, params: ConnectionId } },
    async (request, reply) =>
      sendAnswer(reply, await finishAtOidc(at(request), request.params.connection_id, searchOf(request))),
  )

  app.post(
    '/sso/saml/:connection_id/acs',
    {
      config: { ...visitConfig, form: true },
      schema: { hide, params: ConnectionId, body: Type.Object({ SAMLResponse: Message }) },
    },
    async (request, reply) => {
      const { params, body } = request
      const read = () => takeSamlResponse(at(request), params.connection_id, body.SAMLResponse)
      return sendAnswer(reply, await count(request, reply, read))
    },
  )

  app.get(
    '/sso/saml/:connection_id/finish',
    {
      config: visitConfig,
      schema: {
        hide,
        params: ConnectionId,
        querystring: Type.Object({ ticket: Type.Optional(Type.String({ maxLength: 100 })) }),
      },
    },
    async (request, reply) => {
      const { params, query } = request
      return sendAnswer(reply, await finishTicket(at(request), params.connection_id, query.ticket ?? ''))
    },
  )

  app.post(
    '/sso/saml/:connection_id/slo',
    {
      config: { ...visitConfig, form: true },
      schema: { hide, params: ConnectionId, body: Type.Object({ SAMLRequest: Message, RelayState: Text }) },
    },
    async (request, reply) => {
      const { SAMLRequest, RelayState = '' } = request.body
      const message = { SAMLRequest, RelayState }
      const { connection_id } = request.params
      const read = () => hearSamlLogout(at(request), connection_id, message)
      return sendAnswer(reply, await count(request, reply, read))
    },
  )

  app.get(
    '/sso/saml/:connection_id/metadata',
    { config: { auth: 'public', operational: true }, schema: { hide, params: ConnectionId } },
    async (request, reply) => {
      const { connection_id } = request.params
      const { required_signature } = await requireProvider(parts.database, connection_id, 'saml')
      const certificate = await currentCertificate(parts.database.fast, connection_id)
      const addresses = samlAddressesOf(visitOf(request).address, connection_id)
      const xml = await ownMetadata(addresses, { required_signature, certificate })
      return reply.type('application/samlmetadata+xml').send(xml)
    },
  )

  app.post(
    '/sso/oidc/logout/:connection_id',
    {
      config: { auth: 'public', operational: true, form: true, compress: false },
      schema: {
        hide,
        params: ConnectionId,
        body: Type.Object({ logout_token: Type.String({ maxLength: 16_384 }) }),
        response: { 200: Type.Object({}) },
      },
    },
    async (request, reply) => {
      const { params, body } = request
      await hearOidcLogout({ parts, calls, from: originOf(request) }, params.connection_id, body.logout_token)
      return reply.header('Cache-Control', 'no-store').send({})
    },
  )
}
