import { type App, callerOf } from '#foundation/http/http.ts'
import type { SsoParts } from '../../core/parts.ts'
import { countDue, Due } from './due.ts'

export function retentionRoutes(app: App, parts: SsoParts) {
  app.get(
    '/api/v1/admin/retention',
    {
      config: { auth: 'admin', permission: 'site:manage', operational: true },
      schema: { response: { 200: Due } },
    },
    async (request) => countDue(parts, callerOf(request)),
  )
}
