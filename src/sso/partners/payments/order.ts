import { type Static, Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'

export const PLANS = ['starter', 'business', 'enterprise'] as const
export const STATUSES = ['pending', 'paid', 'fulfilled', 'failed', 'canceled', 'refunded'] as const
export type OrderStatus = (typeof STATUSES)[number]

/** `amount` is in US cents. A plan order has no period and no registrations; a usage order has no plan. */
export type Order = Static<typeof Order>
export const Order = Type.Object({
  order_id: Uuid,
  site_id: Uuid,
  site_code: Type.String(),
  kind: OneOf(['plan', 'registration_usage']),
  plan: Nullable(Type.String()),
  status: OneOf([...STATUSES]),
  amount: Type.Integer(),
  currency: Type.Literal('USD'),
  period_start: Nullable(Time),
  period_end: Nullable(Time),
  registrations: Nullable(Type.Integer()),
  created_at: Time,
  paid_at: Nullable(Time),
  fulfilled_at: Nullable(Time),
})

/** Columns for `o` in sso.orders and `i` in sso.sites. */
export const orderColumns = (sql: Lane) => sql`
  o.order_id, o.site_id, i.site_code, o.kind, o.plan, o.status, o.amount, o.currency, o.period_start, o.period_end,
  o.registrations, o.created_at, o.paid_at, o.fulfilled_at`
