import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { openOutbound } from '#foundation/outbound/outbound.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { PageOf, PageQuery } from '#foundation/http/paging.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { createVetUrl } from '../../events/webhooks/endpoints.ts'
import { changeSite } from './change.ts'
import { createSite } from './create.ts'
import { deleteSite } from './delete.ts'
import { DomainProof, readDomainProof, VerifyBody, verifySiteDomain } from './domain.ts'
import { SiteBody, SiteChange } from './fields.ts'
import { NewJwtSecret, RotateBody, rotateJwtSecret } from './jwt-secret.ts'
import { addKey, deleteKey, listKeys, NewSiteKey, SiteKey } from './keys.ts'
import { listManagedSites, ManagedQuery, ManagedSite } from './managed.ts'
import { listSites, NewSite, requireSite, Site, SiteQuery } from './sites.ts'

const SiteId = Type.Object({ site_id: Uuid })
const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String()) })
const additive = { auth: 'user', permission: 'site:manage', operational: true } as const
/** Answers with a secret are never compressed (BREACH). */
const secret = { ...additive, compress: false } as const

export function siteRoutes(app: App, parts: SsoParts) {
  const vetUrl = createVetUrl(parts)
  domainRoutes(app, parts)

  app.get(
    '/api/v1/sites',
    {
      config: { auth: 'user', permission: ['site:manage', 'profile:read'] },
      schema: { querystring: SiteQuery, response: { 200: CursorPageOf(Site) } },
    },
    async (request) => listSites(parts.database, callerOf(request), request.query),
  )

  app.get(
    '/api/v1/sites/managed',
    {
      config: { auth: 'user', permission: ['site:manage', 'profile:read'], operational: true },
      schema: { querystring: ManagedQuery, response: { 200: CursorPageOf(ManagedSite) } },
    },
    async (request) => listManagedSites(parts.database, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/sites',
    {
      config: { auth: 'user', permission: 'profile:write', compress: false },
      schema: { body: SiteBody, response: { 201: NewSite } },
    },
    async (request, reply) => {
      const site = await createSite(parts, vetUrl, callerOf(request), request.body, originOf(request))
      return reply.code(201).send(site)
    },
  )

  app.get(
    '/api/v1/sites/:site_id',
    { config: additive, schema: { params: SiteId, response: { 200: Site } } },
    async (request) => requireSite(parts.database, callerOf(request), request.params.site_id),
  )

  app.patch(
    '/api/v1/sites/:site_id',
    {
      config: additive,
      schema: { params: SiteId, headers: IfMatch, body: SiteChange, response: { 200: Site } },
    },
    async (request) => {
      const { params, body, headers } = request
      return changeSite(
        parts,
        callerOf(request),
        params.site_id,
        body,
        headers['if-match'],
        originOf(request),
      )
    },
  )

  app.delete(
    '/api/v1/sites/:site_id',
    { config: additive, schema: { params: SiteId, response: { 204: NoContent } } },
    async (request, reply) => {
      await deleteSite(parts, callerOf(request), request.params.site_id, originOf(request))
      return reply.code(204).send()
    },
  )

  app.get(
    '/api/v1/sites/:site_id/keys',
    {
      config: additive,
      schema: { params: SiteId, querystring: PageQuery, response: { 200: PageOf(SiteKey) } },
    },
    async (request) => listKeys(parts.database, callerOf(request), request.params.site_id, request.query),
  )

  app.post(
    '/api/v1/sites/:site_id/keys',
    { config: secret, schema: { params: SiteId, response: { 201: NewSiteKey } } },
    async (request, reply) => {
      const key = await addKey(parts, callerOf(request), request.params.site_id, originOf(request))
      return reply.code(201).send(key)
    },
  )

  app.delete(
    '/api/v1/sites/:site_id/keys/:hint',
    {
      config: additive,
      schema: { params: Type.Object({ site_id: Uuid, hint: Type.String() }), response: { 204: NoContent } },
    },
    async (request, reply) => {
      await deleteKey(parts, callerOf(request), request.params, originOf(request))
      return reply.code(204).send()
    },
  )

  app.post(
    '/api/v1/sites/:site_id/jwt-secret/rotate',
    { config: secret, schema: { params: SiteId, body: RotateBody, response: { 200: NewJwtSecret } } },
    async (request) =>
      rotateJwtSecret(parts, callerOf(request), request.params.site_id, request.body, originOf(request)),
  )
}

function domainRoutes(app: App, parts: SsoParts) {
  const outbound = openOutbound()
  app.addHook('onClose', () => outbound.close())

  app.get(
    '/api/v1/sites/:site_id/domain-proof',
    { config: additive, schema: { params: SiteId, response: { 200: DomainProof } } },
    async (request) => readDomainProof(parts, callerOf(request), request.params.site_id),
  )

  app.post(
    '/api/v1/sites/:site_id/domain-proof',
    { config: additive, schema: { params: SiteId, body: VerifyBody, response: { 200: DomainProof } } },
    async (request) => {
      const { params, body } = request
      const asked = { site_id: params.site_id, method: body.method }
      return verifySiteDomain(parts, { outbound }, callerOf(request), asked, originOf(request))
    },
  )
}
