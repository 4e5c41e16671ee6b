import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http.ts'
import { PageOf, PageQuery } from '#foundation/paging.ts'
import { publicAddress } from '#foundation/public-address.ts'
import { NoContent, Uuid } from '#foundation/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  listConnections,
  readConnection,
  shown,
} from './connections.ts'
import { addDomain, removeDomain, verifyDomain } from './domains.ts'
import {
  Connection,
  ConnectionBody,
  ConnectionChange,
  Domain,
  DomainBody,
  EncryptionKey,
  VerifyBody,
} from './fields.ts'
import { NewKeyBody, renewEncryptionKey } from './renew-key.ts'
import { Trial, tryConnection } from './try.ts'
import type { ProviderCalls } from './wire.ts'

const SiteId = Type.Object({ site_id: Uuid })
const Ids = Type.Object({ site_id: Uuid, connection_id: Uuid })
const DomainIds = Type.Object({ ...Ids.properties, domain: Type.String() })
const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String()) })
const config = { auth: 'user', permission: 'site:manage', operational: true } as const

/** What ADMINs set up of the identity providers of their sites. */
export function connectionRoutes(app: App, parts: SsoParts, calls: ProviderCalls) {
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

export function domainRoutes(app: App, parts: SsoParts) {
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
