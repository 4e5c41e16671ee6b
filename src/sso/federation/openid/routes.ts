import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiError } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { type Limiter, rateLimitHeaders, refuseOver } from '#foundation/rate-limit/limiter.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { originOf } from '../../core/access/identify.ts'
import { failureBucket } from '../../core/limits/limits.ts'
import type { SsoParts } from '../../core/parts.ts'
import { createVetUrl } from '../../events/webhooks/endpoints.ts'
import {
  AuthorizationQuery,
  readAuthorization,
  sealAuthorization,
} from '../../sign-in/openid-requests/authorization.ts'
import { isOauthCode } from '../../sign-in/openid-requests/errors.ts'
import {
  ClientBody,
  deleteClient,
  NewOpenIdClient,
  OpenIdClient,
  putClient,
  readClient,
  renewSecret,
} from './clients.ts'
import { endSession, EndSessionQuery } from './end-session.ts'
import { authenticateClient, grantTokens, TokenAnswer, TokenBody } from './token.ts'
import { userInfo } from './userinfo.ts'

const hide = true
const Params = Type.Object({ site_id: Uuid })
const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String()) })
const managed = { auth: 'user', permission: 'site:manage', operational: true } as const
const secret = { ...managed, compress: false } as const

/** The fields of RFC 6749, 5.2, which OAuth libraries read, beside our own body. */
const oauthBody = ({ code, detail, status }: ApiError) => ({
  error: isOauthCode(code)
    ? code
    : status >= 500
      ? 'server_error'
      : status === 429
        ? 'temporarily_unavailable'
        : 'invalid_request',
  error_description: detail,
})

/** Lyceum as an OpenID Provider: authorization code with PKCE, and its other endpoints. */
export function openIdRoutes(app: App, parts: SsoParts, limiter: Limiter) {
  const visitOf = visitsOf(parts)
  const count = countClients(parts, limiter)

  const authorize = async (asked: AuthorizationQuery, reply: FastifyReply) => {
    const found = await readAuthorization(parts, asked)
    if ('refused' in found) return sendAnswer(reply, { location: found.refused })
    const { authorization } = found
    const openid = sealAuthorization(parts, authorization)
    const query = new URLSearchParams({ site_code: authorization.site_code, openid })
    return sendAnswer(reply, { location: `/sign-in?${query.toString()}` })
  }
  app.get(
    '/openid/authorize',
    { config: pageConfig, schema: { hide, querystring: AuthorizationQuery } },
    async (request, reply) => authorize(request.query, reply),
  )
  // Core, 3.1.2.1: GET and POST are both required.
  app.post(
    '/openid/authorize',
    { config: { ...pageConfig, form: true }, schema: { hide, body: AuthorizationQuery } },
    async (request, reply) => authorize(request.body, reply),
  )

  app.post(
    '/openid/token',
    {
      // The callers are partners' servers, so `count` limits clients and not addresses.
      config: {
        auth: 'public',
        operational: true,
        form: true,
        compress: false,
        urgent: true,
        errorBody: oauthBody,
      },
      schema: { body: TokenBody, response: { 200: TokenAnswer } },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const { headers, body } = request
      const site = await count(request, reply, authenticateClient(parts, headers.authorization, body))
      return grantTokens(parts, site, body, originOf(request))
    },
  )

  const told = {
    config: { auth: 'user', permission: 'profile:read', operational: true, urgent: true } as const,
    schema: { response: { 200: Type.Object({}, { additionalProperties: true }) } },
  }
  app.get('/openid/userinfo', told, async (request) => userInfo(parts.database, callerOf(request)))
  app.post('/openid/userinfo', told, async (request) => userInfo(parts.database, callerOf(request)))

  const end = { ...pageConfig, form: true } as const
  app.get(
    '/openid/end-session',
    { config: end, schema: { hide, querystring: EndSessionQuery } },
    async (request, reply) => sendAnswer(reply, await endSession(parts, visitOf(request), request.query)),
  )
  app.post(
    '/openid/end-session',
    { config: end, schema: { hide, body: EndSessionQuery } },
    async (request, reply) => sendAnswer(reply, await endSession(parts, visitOf(request), request.body)),
  )

  clientRoutes(app, parts)
}

/** Limits a known client per site, and a caller that fails to authenticate per address, as everywhere. */
function countClients({ config }: SsoParts, limiter: Limiter) {
  const { SSO_RATE_LIMIT_SITE: limit, SSO_RATE_LIMIT_AUTH } = config
  return async (request: FastifyRequest, reply: FastifyReply, known: Promise<Site>): Promise<Site> => {
    const { site, fault } = await known.then(
      (found) => ({ site: found, fault: undefined }),
      (error: unknown) => ({ site: undefined, fault: error }),
    )
    const bucket = site ? { name: 'site', key: site.site_id, limit } : failureBucket(request.ip)
    if ((site ? limit : SSO_RATE_LIMIT_AUTH) > 0) {
      const verdict = await limiter.hit([bucket])
      reply.headers(rateLimitHeaders(verdict))
      refuseOver(verdict)
    }
    if (!site) throw fault
    return site
  }
}

function clientRoutes(app: App, parts: SsoParts) {
  const url = '/api/v1/sites/:site_id/openid-client'
  const vetUrl = createVetUrl(parts)
  const by = (request: FastifyRequest) => ({ caller: callerOf(request), from: originOf(request) })

  app.get(
    url,
    { config: managed, schema: { params: Params, response: { 200: OpenIdClient } } },
    async (request) => readClient(parts, callerOf(request), request.params.site_id),
  )
  app.put(
    url,
    {
      config: secret,
      schema: {
        params: Params,
        headers: IfMatch,
        body: ClientBody,
        response: { 200: OpenIdClient, 201: NewOpenIdClient },
      },
    },
    async (request, reply) => {
      const { params, body, headers } = request
      const if_match = headers['if-match']
      const { is_new, client } = await putClient(
        { parts, vetUrl, if_match },
        by(request),
        params.site_id,
        body,
      )
      return reply.code(is_new ? 201 : 200).send(client as never)
    },
  )
  app.post(
    `${url}/secret`,
    { config: secret, schema: { params: Params, response: { 200: NewOpenIdClient } } },
    async (request) => renewSecret(parts, by(request), request.params.site_id),
  )
  app.delete(
    url,
    { config: managed, schema: { params: Params, response: { 204: NoContent } } },
    async (request, reply) => {
      await deleteClient(parts, by(request), request.params.site_id)
      return reply.code(204).send()
    },
  )
}
