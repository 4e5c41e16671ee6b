import { type App, callerOf } from '#foundation/http/http.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { WipeBody, Wiped, wipeSandbox } from './wipe.ts'

export function sandboxRoutes(app: App, parts: SsoParts) {
  app.post(
    '/api/v1/admin/sandbox/wipe',
    {
      config: { auth: 'admin', permission: 'site:manage', operational: true },
      schema: { body: WipeBody, response: { 200: Wiped } },
    },
    async (request) => wipeSandbox(parts, callerOf(request), request.body, originOf(request)),
  )
}
