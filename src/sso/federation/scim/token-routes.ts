import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { createToken, listTokens, NewScimToken, revokeToken, ScimTokens, TokenBody } from './tokens.ts'

const Ids = Type.Object({ site_id: Uuid, connection_id: Uuid })
const TokenIds = Type.Object({ ...Ids.properties, token_id: Uuid })
const config = { auth: 'user', permission: 'site:manage', operational: true } as const

/** For ADMINs: the tokens with which the directory of a connection calls. */
export function tokenRoutes(app: App, { database, config: settings }: SsoParts) {
  const all = '/api/v1/sites/:site_id/connections/:connection_id/scim-tokens'
  const addressOf = publicAddress(settings.SSO_URL)
  const by = (request: FastifyRequest) => ({ caller: callerOf(request), from: originOf(request) })
  const urlOf = (request: FastifyRequest<{ Params: { connection_id: string } }>) =>
    `${addressOf(request)}/scim/v2/${request.params.connection_id}`

  app.get(all, { config, schema: { params: Ids, response: { 200: ScimTokens } } }, async (request) => ({
    scim_url: urlOf(request),
    items: await listTokens(database, callerOf(request), request.params),
  }))

  app.post(
    all,
    {
      config: { ...config, compress: false },
      schema: { params: Ids, body: TokenBody, response: { 201: NewScimToken } },
    },
    async (request, reply) => {
      const made = await createToken(database, by(request), request.params, request.body)
      return reply.code(201).send({ ...made, scim_url: urlOf(request) })
    },
  )

  app.delete(
    `${all}/:token_id`,
    { config, schema: { params: TokenIds, response: { 204: NoContent } } },
    async (request, reply) => {
      await revokeToken(database, by(request), request.params)
      return reply.code(204).send()
    },
  )
}
