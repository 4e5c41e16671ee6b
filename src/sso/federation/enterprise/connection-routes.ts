import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { PageOf, PageQuery } from '#foundation/http/paging.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { Claims, readClaims } from './claims.ts'
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
import { lastSignIns, SignIns } from './sign-ins.ts'
import { Trial, tryConnection } from './try.ts'
import type { ProviderCalls } from './provider-calls.ts'

const SiteId = Type.Object({ site_id: Uuid })
const Ids = Type.Object({ site_id: Uuid, connection_id: Uuid })
const DomainIds = Type.Object({ ...Ids.properties, domain: Type.String() })
const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String()) })
const config = { auth: 'user', permission: 'site:manage', operational: true } as const

const by = (request: FastifyRequest) => ({ caller: callerOf(request), from: originOf(request) })

export function connectionRoutes(app: App, parts: SsoParts, calls: ProviderCalls) {
  const { database } = parts
  const addressOf = publicAddress(parts.config.SSO_URL)
  const all = '/api/v1/sites/:site_id/connections'
  const each = `${all}/:connection_id` as const

  app.get(
    all,
    { config, schema: { params: SiteId, querystring: PageQuery, response: { 200: PageOf(Connection) } } },
    async (request) => {
      const { params, query } = request
      const { items, ...rest } = await listConnections(database, callerOf(request), params.site_id, query)
      return { ...rest, items: items.map((row) => shown(row, addressOf(request))) }
    },
  )

  app.post(
    all,
    { config, schema: { params: SiteId, body: ConnectionBody, response: { 201: Connection } } },
    async (request, reply) => {
      const { params, body } = request
      const row = await createConnection({ parts, calls }, by(request), params.site_id, body)
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
      const change = { ...body, if_match: headers['if-match'] }
      const row = await changeConnection({ parts, calls }, by(request), params, change)
      return shown(row, addressOf(request))
    },
  )

  app.delete(
    each,
    { config, schema: { params: Ids, response: { 204: NoContent } } },
    async (request, reply) => {
      await deleteConnection(parts, by(request), request.params)
      return reply.code(204).send()
    },
  )

  app.post(
    `${each}/encryption-keys`,
    { config, schema: { params: Ids, body: NewKeyBody, response: { 201: EncryptionKey } } },
    async (request, reply) => {
      const key = await renewEncryptionKey(parts, by(request), request.params, request.body)
      return reply.code(201).send(key)
    },
  )

  app.post(`${each}/test`, { config, schema: { params: Ids, response: { 200: Trial } } }, async (request) =>
    tryConnection(parts, calls, callerOf(request), request.params),
  )

  app.get(
    `${each}/sign-ins`,
    { config: { ...config, permission: 'audit:read' }, schema: { params: Ids, response: { 200: SignIns } } },
    async (request) => lastSignIns(database, callerOf(request), request.params),
  )

  app.get(
    `${each}/claims`,
    { config: { ...config, permission: 'users:read' }, schema: { params: Ids, response: { 200: Claims } } },
    async (request) => readClaims(database, parts.keys, callerOf(request), request.params),
  )
}

export function domainRoutes(app: App, parts: SsoParts) {
  const all = '/api/v1/sites/:site_id/connections/:connection_id/domains'
  const each = `${all}/:domain` as const

  app.post(
    all,
    { config, schema: { params: Ids, body: DomainBody, response: { 201: Domain } } },
    async (request, reply) => {
      const domain = await addDomain(parts, by(request), request.params, request.body.domain)
      return reply.code(201).send(domain)
    },
  )

  app.post(
    `${each}/verify`,
    { config, schema: { params: DomainIds, body: VerifyBody, response: { 200: Domain } } },
    async (request) => verifyDomain(parts, by(request), request.params, request.body),
  )

  app.delete(
    each,
    { config, schema: { params: DomainIds, response: { 204: NoContent } } },
    async (request, reply) => {
      await removeDomain(parts, by(request), request.params)
      return reply.code(204).send()
    },
  )
}
