import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import {
  approveSite,
  listRegisteredSites,
  Privileges,
  RegisteredQuery,
  RegisteredSite,
  setPrivileges,
} from './approval.ts'

const SiteId = Type.Object({ site_id: Uuid })
const operator = { auth: 'admin', permission: 'site:manage', operational: true } as const

export function approvalRoutes(app: App, parts: SsoParts) {
  app.get(
    '/api/v1/admin/sites',
    {
      config: operator,
      schema: { querystring: RegisteredQuery, response: { 200: CursorPageOf(RegisteredSite) } },
    },
    async (request) => listRegisteredSites(parts.database, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/admin/sites/:site_id/approve',
    { config: operator, schema: { params: SiteId, response: { 200: RegisteredSite } } },
    async (request) => approveSite(parts, callerOf(request), request.params.site_id, originOf(request)),
  )

  app.patch(
    '/api/v1/admin/sites/:site_id',
    { config: operator, schema: { params: SiteId, body: Privileges, response: { 200: RegisteredSite } } },
    async (request) =>
      setPrivileges(parts, callerOf(request), request.params.site_id, request.body, originOf(request)),
  )
}
