import { Type } from 'typebox'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { listOutbox, listSandboxMail, OutboxMessage, OutboxQuery } from './outbox.ts'
import { resendMessage } from './resend.ts'
import { sendNow } from './send-now.ts'

const MessageId = Type.Object({ message_id: Uuid })

/** What waits, was sent and failed; its words in the sandbox only. */
export function outboxRoutes(app: App, parts: SsoParts) {
  const config = { auth: 'user', permission: 'site:manage', compress: false, operational: true } as const
  const schema = { querystring: OutboxQuery, response: { 200: CursorPageOf(OutboxMessage) } }

  app.get('/api/v1/messages', { config, schema }, async (request) =>
    listSandboxMail(parts, callerOf(request), request.query),
  )

  app.get('/api/v1/admin/messages', { config, schema }, async (request) =>
    listOutbox(parts, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/admin/messages/:message_id/resend',
    { config, schema: { params: MessageId, response: { 202: MessageId } } },
    async (request, reply) => {
      const { message_id } = request.params
      const sent = await resendMessage(parts, callerOf(request), message_id, originOf(request))
      return reply.code(202).send({ message_id: sent })
    },
  )

  app.post(
    '/api/v1/admin/messages/:message_id/send-now',
    { config, schema: { params: MessageId, response: { 202: MessageId } } },
    async (request, reply) => {
      const { message_id } = request.params
      await sendNow(parts, callerOf(request), message_id, originOf(request))
      return reply.code(202).send({ message_id })
    },
  )
}
