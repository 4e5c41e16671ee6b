import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import type { SsoParts } from '../parts.ts'
import { listMessages, LoggedMessage, MessageQuery } from './messages.ts'

export function messageRoutes(app: App, { database, keys }: SsoParts) {
  app.get(
    '/api/v1/messages',
    {
      config: { auth: 'user', permission: 'site:manage', compress: false, operational: true },
      schema: { querystring: MessageQuery, response: { 200: CursorPageOf(LoggedMessage) } },
    },
    async (request) => listMessages(database, keys, callerOf(request), request.query),
  )
}
