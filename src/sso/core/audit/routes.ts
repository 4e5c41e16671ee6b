import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import type { SsoParts } from '../parts.ts'
import { exportAudit, ExportQuery } from './export.ts'
import { AuditPage, AuditQuery, listAudit } from './list.ts'

const config = { auth: 'user', permission: 'audit:read', operational: true } as const
const File = Type.Unsafe<Readable>({ type: 'string', description: 'the entries, each on a line' })

export function auditRoutes(app: App, { database }: SsoParts) {
  app.get(
    '/api/v1/audit',
    { config, schema: { querystring: AuditQuery, response: { 200: AuditPage } } },
    async (request) => listAudit(database, callerOf(request), request.query),
  )

  app.get(
    '/api/v1/audit/export',
    {
      config: { ...config, compress: false },
      schema: {
        querystring: ExportQuery,
        produces: ['text/csv', 'application/jsonl'],
        response: { 200: File },
      },
    },
    async (request, reply) => {
      const { format } = request.query
      const lines = await exportAudit(database, callerOf(request), request.query)
      return reply
        .type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="audit.${format}"`)
        .send(Readable.from(lines))
    },
  )
}
