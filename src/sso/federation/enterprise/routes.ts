import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http.ts'
import { PageOf, PageQuery } from '#foundation/paging.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import { type Limiter, rateLimitHeaders, type Verdict } from '#foundation/rate-limit/limiter.ts'
import { publicAddress } from '#foundation/public-address.ts'
import { NoContent, Uuid } from '#foundation/schemas.ts'
import { errorPage } from '../../core/pages/error-page.ts'
import { pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import type { Answer } from '../../core/pages/visit.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { samlAddressesOf } from './addresses.ts'
import { finishAtOidc, finishTicket, takeSamlResponse } from './callback.ts'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  listConnections,
  readConnection,
  shown,
} from './connections.ts'
import { addDomain, removeDomain, verifyDomain } from './domains.ts'
import { restartOf } from './faults.ts'
import { currentCertificate } from './encryption-keys.ts'
import {
  Connection,
  ConnectionBody,
  ConnectionChange,
  Domain,
  DomainBody,
  EncryptionKey,
  VerifyBody,
} from './fields.ts'
import { hearOidcLogout, hearSamlLogout } from './logout.ts'
import { requireProvider } from './provider.ts'
import { NewKeyBody, renewEncryptionKey } from './renew-key.ts'
import { ownMetadata } from './saml.ts'
import { startSignIn } from './start.ts'
import { Trial, tryConnection } from './try.ts'
import { openProviderCalls, type ProviderCalls } from './wire.ts'

const SiteId = Type.Object({ site_id: Uuid })
const Ids = Type.Object({ site_id: Uuid, connection_id: Uuid })
const DomainIds = Type.Object({ ...Ids.properties, domain: Type.String() })
const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String()) })
const config = { auth: 'user', permission: 'site:manage', operational: true } as const

/** Sign-in through the identity providers of partner sites: what their ADMINs set up, and what browsers pass through. */
export function enterpriseRoutes(app: App, parts: SsoParts, limiter: Limiter) {
  const calls = openProviderCalls(parts)
  app.addHook('onClose', () => calls.close())
  connectionRoutes(app, parts, calls)
  domainRoutes(app, parts)
  visitRoutes(app, parts, calls, countMessages(parts, limiter))
}

function connectionRoutes(app: App, parts: SsoParts, calls: ProviderCalls) {
  const { database } = parts
  const addressOf = publicAddress(parts.config.SSO_URL)
  const all = '/api/v1/sites/:site_id/connections'
  const each = `${all}/:connection_id` as const

  app.get(
    all,
    { config, schema: { params: SiteId, querystring: PageQuery, response: { 200: PageOf(Connection) } } },
    async (request) =>
      listConnections(database, callerOf(request), request.params.site_id, request.query, addressOf(request)),
  )

  app.post(
    all,
    { config, schema: { params: SiteId, body: ConnectionBody, response: { 201: Connection } } },
    async (request, reply) => {
      const { params, body } = request
      const row = await createConnection(
        parts,
        calls,
        callerOf(request),
        params.site_id,
        body,
        originOf(request),
      )
      return reply.code(201).send(shown(row, addressOf(request)))
    },
  )

  app.get(each, { config, schema: { params: Ids, response: { 200: Connection } } }, async (request) =>
    shown(await readConnection(database.fast, callerOf(request), request.params), addressOf(request)),
  )

  app.patch(
    each,
    {
      config,
      schema: { params: Ids, headers: IfMatch, body: ConnectionChange, response: { 200: Connection } },
    },
    async (request) => {
      const { params, body, headers } = request
      const if_match = headers['if-match']
      const row = await changeConnection(
        parts,
        calls,
        callerOf(request),
        params,
        body,
        if_match,
        originOf(request),
      )
      return shown(row, addressOf(request))
    },
  )

  app.delete(
    each,
    { config, schema: { params: Ids, response: { 204: NoContent } } },
    async (request, reply) => {
      await deleteConnection(parts, callerOf(request), request.params, originOf(request))
      return reply.code(204).send()
    },
  )

  app.post(
    `${each}/encryption-keys`,
    { config, schema: { params: Ids, body: NewKeyBody, response: { 201: EncryptionKey } } },
    async (request, reply) => {
      const { params, body } = request
      const key = await renewEncryptionKey(parts, callerOf(request), params, body, originOf(request))
      return reply.code(201).send(key)
    },
  )

  app.post(`${each}/test`, { config, schema: { params: Ids, response: { 200: Trial } } }, async (request) =>
    tryConnection(parts, calls, callerOf(request), request.params),
  )
}

function domainRoutes(app: App, parts: SsoParts) {
  const all = '/api/v1/sites/:site_id/connections/:connection_id/domains'
  const each = `${all}/:domain` as const

  app.post(
    all,
    { config, schema: { params: Ids, body: DomainBody, response: { 201: Domain } } },
    async (request, reply) => {
      const { params, body } = request
      const domain = await addDomain(parts, callerOf(request), params, body.domain, originOf(request))
      return reply.code(201).send(domain)
    },
  )

  app.post(
    `${each}/verify`,
    { config, schema: { params: DomainIds, body: VerifyBody, response: { 200: Domain } } },
    async (request) => {
      const { domain, ...ids } = request.params
      return verifyDomain(parts, callerOf(request), ids, domain, request.body, originOf(request))
    },
  )

  app.delete(
    each,
    { config, schema: { params: DomainIds, response: { 204: NoContent } } },
    async (request, reply) => {
      const { domain, ...ids } = request.params
      await removeDomain(parts, callerOf(request), ids, domain, originOf(request))
      return reply.code(204).send()
    },
  )
}

/** Messages of SAML a minute and address: a school behind one address, but no flood of them, each some work to read. */
const MAX_MESSAGES = 300
/** And those that prove nothing: one thread reads for everybody, and a forged message can be made the dearest of all. */
const MAX_FORGED = 30

/** Runs what reads a message, within the limits of its address. 429. */
function countMessages({ config }: SsoParts, limiter: Limiter) {
  const refuseOver = (verdict: Verdict, reply: FastifyReply) => {
    reply.headers(rateLimitHeaders(verdict))
    if (!verdict.admitted)
      throw new ApiError(429, 'rate_limited', `Too many requests, come back in ${verdict.retryAfter} s`)
  }
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Promise<Answer>,
  ): Promise<Answer> => {
    if (config.SSO_RATE_LIMIT_AUTH <= 0) return read()
    const key = limitKey(request.ip)
    const forged = { name: 'saml_forged', key, limit: MAX_FORGED }
    refuseOver(await limiter.hit([{ name: 'saml', key, limit: MAX_MESSAGES }]), reply)
    refuseOver(await limiter.peek([forged]), reply)
    try {
      return await read()
    } catch (error) {
      if (error instanceof ApiError && (error.status === 400 || error.status === 401))
        await limiter.hit([forged])
      throw error
    }
  }
}

const hide = true
const ConnectionId = Type.Object({ connection_id: Uuid })
const Message = Type.String({ maxLength: 131_072 })

/** Browsers get a page that leads back to the beginning, programs the body every other refusal has. */
const visitConfig = {
  ...pageConfig,
  errorPage: (error, request, reply) => {
    const page = pageConfig.errorPage(error, request, reply)
    reply.header('Vary', 'Accept')
    if (!wantsPage(request)) {
      reply.type('application/json; charset=utf-8')
      return JSON.stringify({ detail: error.detail, request_id: request.id, code: error.code })
    }
    const start = restartOf(error)
    return start === undefined ? page : errorPage(error, start, request.id)
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
  const Text = Type.Optional(Type.String({ maxLength: 2_048 }))
  const searchOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

  app.get(
    '/sso/:connection_id/start',
    {
      // Each leads to work at the provider, so it is counted like a sign-in.
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
    async (request, reply) => {
      const { params, query } = request
      return sendAnswer(reply, await startSignIn(parts, calls, visitOf(request), params.connection_id, query))
    },
  )

  app.get(
    '/sso/oidc/callback/:connection_id',
    { config: visitConfig, schema: { hide, params: ConnectionId } },
    async (request, reply) => {
      const { connection_id } = request.params
      return sendAnswer(
        reply,
        await finishAtOidc(parts, calls, visitOf(request), connection_id, searchOf(request)),
      )
    },
  )

  app.post(
    '/sso/saml/:connection_id/acs',
    {
      config: { ...visitConfig, form: true },
      schema: { hide, params: ConnectionId, body: Type.Object({ SAMLResponse: Message }) },
    },
    async (request, reply) => {
      const { params, body } = request
      const visit = visitOf(request)
      const read = () => takeSamlResponse(parts, calls, visit, params.connection_id, body.SAMLResponse)
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
      return sendAnswer(
        reply,
        await finishTicket(parts, visitOf(request), params.connection_id, query.ticket ?? ''),
      )
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
      const read = () => hearSamlLogout(parts, calls, visitOf(request), connection_id, message)
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
      return sendXml(reply, ownMetadata(addresses, { required_signature, certificate }))
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
      await hearOidcLogout(parts, calls, params.connection_id, body.logout_token, originOf(request))
      return reply.header('Cache-Control', 'no-store').send({})
    },
  )
}

const sendXml = (reply: FastifyReply, xml: string) => reply.type('application/samlmetadata+xml').send(xml)
