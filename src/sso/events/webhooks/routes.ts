import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { PageOf } from '#foundation/http/paging.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { Delivery, DeliveryQuery, listDeliveries } from './deliveries.ts'
import {
  changeWebhook,
  createVetUrl,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  NewWebhook,
  Webhook,
  WebhookBody,
  WebhookChange,
  WebhookQuery,
} from './endpoints.ts'
import { EndpointFigures, findEvent, readFigures, SiteQuery, WebhookEvent } from './figures.ts'
import { sendPing } from './ping.ts'
import { ReplayBody, Replayed, replayEvent } from './replay.ts'
import { RotatedSecret, RotateSecretBody, rotateWebhookSecret } from './rotate-secret.ts'

const WebhookId = Type.Object({ webhook_id: Uuid })
const EventId = Type.Object({ event_id: Uuid })
const additive = { auth: 'user', permission: 'webhooks:manage', operational: true } as const

export function webhookRoutes(app: App, parts: SsoParts) {
  const vetUrl = createVetUrl(parts)

  app.post(
    '/api/v1/webhooks',
    {
      config: { auth: 'user', permission: 'webhooks:manage', compress: false },
      schema: { body: WebhookBody, response: { 201: NewWebhook } },
    },
    async (request, reply) => {
      const made = await createWebhook(parts, vetUrl, callerOf(request), request.body, originOf(request))
      return reply.code(201).send(made)
    },
  )

  app.get(
    '/api/v1/webhooks/events',
    {
      config: { auth: 'user', permission: 'webhooks:manage' },
      schema: { querystring: DeliveryQuery, response: { 200: CursorPageOf(Delivery) } },
    },
    async (request) => listDeliveries(parts.database, callerOf(request), request.query),
  )

  app.get(
    '/api/v1/webhooks/events/:event_id',
    {
      config: { ...additive, compress: false },
      schema: { params: EventId, response: { 200: WebhookEvent } },
    },
    async (request) => findEvent(parts.database, callerOf(request), request.params.event_id),
  )

  app.get(
    '/api/v1/webhooks/figures',
    { config: additive, schema: { querystring: SiteQuery, response: { 200: EndpointFigures } } },
    async (request) => readFigures(parts.database, callerOf(request), request.query),
  )

  app.post(
    '/api/v1/webhooks/events/:event_id/replay',
    {
      config: { auth: 'user', permission: 'webhooks:manage' },
      schema: { params: EventId, body: ReplayBody, response: { 202: Replayed } },
    },
    async (request, reply) => {
      const { event_id } = request.params
      const runs = await replayEvent(parts, callerOf(request), event_id, request.body, originOf(request))
      const [only] = runs
      return reply.code(202).send(runs.length === 1 && only ? only : { items: runs })
    },
  )

  app.get(
    '/api/v1/webhooks',
    { config: additive, schema: { querystring: WebhookQuery, response: { 200: PageOf(Webhook) } } },
    async (request) => listWebhooks(parts.database, callerOf(request), request.query),
  )

  app.get(
    '/api/v1/webhooks/:webhook_id',
    { config: additive, schema: { params: WebhookId, response: { 200: Webhook } } },
    async (request) => findWebhook(parts.database, callerOf(request), request.params.webhook_id),
  )

  app.patch(
    '/api/v1/webhooks/:webhook_id',
    { config: additive, schema: { params: WebhookId, body: WebhookChange, response: { 200: Webhook } } },
    async (request) => {
      const { webhook_id } = request.params
      return changeWebhook(parts, vetUrl, callerOf(request), webhook_id, request.body, originOf(request))
    },
  )

  app.delete(
    '/api/v1/webhooks/:webhook_id',
    { config: additive, schema: { params: WebhookId, response: { 204: NoContent } } },
    async (request, reply) => {
      await deleteWebhook(parts, callerOf(request), request.params.webhook_id, originOf(request))
      return reply.code(204).send(undefined)
    },
  )

  app.post(
    '/api/v1/webhooks/:webhook_id/test',
    { config: additive, schema: { params: WebhookId, response: { 202: Delivery } } },
    async (request, reply) =>
      reply.code(202).send(await sendPing(parts, callerOf(request), request.params.webhook_id)),
  )

  app.post(
    '/api/v1/sites/:site_id/webhook-secret/rotate',
    {
      config: { ...additive, compress: false },
      schema: {
        params: Type.Object({ site_id: Uuid }),
        body: RotateSecretBody,
        response: { 200: RotatedSecret },
      },
    },
    async (request) => {
      const { site_id } = request.params
      return rotateWebhookSecret(parts, callerOf(request), site_id, request.body, originOf(request))
    },
  )
}
