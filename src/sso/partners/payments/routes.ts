import { Type } from 'typebox'
import { badRequest, notFound } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { createOrder, NewOrder, Transition, transitionOrder } from './operator.ts'
import { Order } from './order.ts'
import { findOrder, listOrders, OrderQuery } from './orders.ts'
import { takeStripeEvent } from './stripe.ts'

const Params = Type.Object({ order_id: Uuid })

/** Partners can only read orders. Operators and the payment provider change their status. */
export function paymentRoutes(app: App, parts: SsoParts) {
  app.get(
    '/api/v1/payments/orders',
    {
      config: { auth: 'user', permission: ['payments:read', 'profile:read'] },
      schema: { querystring: OrderQuery, response: { 200: CursorPageOf(Order) } },
    },
    async (request) => listOrders(parts.database, callerOf(request), request.query),
  )

  app.get(
    '/api/v1/payments/orders/:order_id',
    {
      config: { auth: 'user', permission: ['payments:read', 'profile:read'] },
      schema: { params: Params, response: { 200: Order } },
    },
    async (request) => {
      const order = await findOrder(parts.database.fast, callerOf(request), request.params.order_id)
      if (!order) throw notFound()
      return order
    },
  )

  const operator = { auth: 'admin', permission: 'site:manage', operational: true } as const

  app.post(
    '/api/v1/admin/orders',
    { config: operator, schema: { body: NewOrder, response: { 201: Order } } },
    async (request, reply) =>
      reply.code(201).send(await createOrder(parts, callerOf(request), request.body, originOf(request))),
  )

  app.post(
    '/api/v1/admin/orders/:order_id/transition',
    { config: operator, schema: { params: Params, body: Transition, response: { 200: Order } } },
    async (request) => {
      const { params, body } = request
      return transitionOrder(parts, callerOf(request), params.order_id, body, originOf(request))
    },
  )

  app.post(
    '/api/v1/payments/stripe',
    {
      config: { auth: 'public', operational: true, rawBody: true },
      schema: { response: { 200: Type.Object({ received: Type.Literal(true) }) } },
    },
    async (request) => {
      const signature = request.headers['stripe-signature']
      if (!Buffer.isBuffer(request.body)) throw badRequest('malformed_json', 'An event of Stripe is expected')
      await takeStripeEvent(parts, request.body, typeof signature === 'string' ? signature : undefined)
      return { received: true as const }
    },
  )
}
