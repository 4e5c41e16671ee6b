import { type App, callerOf } from '#foundation/http/http.ts'
import type { SsoParts } from '../parts.ts'
import { AuditPage, AuditQuery, listAudit } from './list.ts'

export function auditRoutes(app: App, { database }: SsoParts) {
  app.get(
    '/api/v1/audit',
    {
      config: { auth: 'user', permission: 'audit:read', operational: true },
      schema: { querystring: AuditQuery, response: { 200: AuditPage } },
    },
    async (request) => listAudit(database, callerOf(request), request.query),
  )
}
