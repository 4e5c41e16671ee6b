import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
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
import { getApprovals, postApproval } from './visit-approvals.ts'

const SiteId = Type.Object({ site_id: Uuid })
const operator = { auth: 'admin', permission: 'site:manage', operational: true } as const

export function approvalRoutes(app: App, parts: SsoParts) {
  approvalPages(app, parts)

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

/** The same for an operator in a browser. */
function approvalPages(app: App, parts: SsoParts) {
  const visitOf = visitsOf(parts)
  const hide = true
  const querystring = Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) })
  const body = Type.Object({ form_token: Type.String({ maxLength: 1_000 }), site_id: Uuid })

  app.get(
    '/console/approvals',
    { config: pageConfig, schema: { hide, querystring } },
    async (request, reply) => {
      const visit = visitOf(request)
      return sendAnswer(reply, await getApprovals(parts, visit, request.query), visit)
    },
  )
  app.post(
    '/console/approvals',
    { config: { ...pageConfig, form: true }, schema: { hide, querystring, body } },
    async (request, reply) => {
      const visit = visitOf(request)
      return sendAnswer(reply, await postApproval(parts, visit, request.query, request.body), visit)
    },
  )
}
