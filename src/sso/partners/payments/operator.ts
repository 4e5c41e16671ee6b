import { type Static, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { notFound, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { requireOperator, requireOperatorNow } from '../../core/access/operator.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { type Order, orderColumns, PLANS, STATUSES } from './order.ts'
import { lockOrder, moveOrder } from './transition.ts'

export type NewOrder = Static<typeof NewOrder>
export const NewOrder = Type.Object({
  site_code: Type.String(),
  plan: OneOf([...PLANS]),
  /** US cents. */
  amount: Type.Integer({ minimum: 0, maximum: 100_000_000 }),
  currency: Type.Optional(OneOf(['USD'])),
})

/**
 * Creates a pending plan order for a site. 403 for non-operators, 404 unknown site, 422 for an amount in the sandbox,
 * where everything is free.
 */
export async function createOrder(
  { database }: SsoParts,
  caller: Caller,
  { site_code, plan, amount }: NewOrder,
  from: Origin,
): Promise<Order> {
  requireOperator(caller)
  return database.transaction(async (tx) => {
    await requireOperatorNow(tx, caller)
    const [site] = await tx<{ site_id: string; environment: Caller['environment'] }[]>`
      select site_id, environment from sso.sites
       where site_code = ${site_code} and deleted_at is null for no key update`
    if (!site) throw notFound('Site')
    if (site.environment === 'sandbox' && amount > 0)
      throw unprocessable('amount', 'sandbox_is_free', 'must be 0 for a sandbox site')
    const order = one(
      await tx<Order[]>`
        with o as (
          insert into sso.orders (order_id, site_id, kind, plan, amount)
          values (${newId()}, ${site.site_id}, 'plan', ${plan}, ${amount})
          returning order_id, site_id, kind, plan, status, amount, currency, period_start, period_end, registrations,
                    created_at, paid_at, fulfilled_at)
        select ${orderColumns(tx)} from o join sso.sites i using (site_id)`,
    )
    await recordAct(
      tx,
      {
        action: 'order.created',
        ...site,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { order_id: order.order_id, plan, amount },
      },
      from,
    )
    return order
  })
}

export type Transition = Static<typeof Transition>
export const Transition = Type.Object({ status: OneOf([...STATUSES]) })

/** Changes the status of an order. 403 for non-operators, 404, 409 illegal_transition, period_open. */
export async function transitionOrder(
  { database }: SsoParts,
  caller: Caller,
  order_id: string,
  { status }: Transition,
  from: Origin,
): Promise<Order> {
  requireOperator(caller)
  return database.transaction(async (tx) => {
    const order = await lockOrder(tx, order_id)
    await requireOperatorNow(tx, caller)
    if (!order) throw notFound()
    return moveOrder(tx, order, status, { actor_user_id: caller.user_id, from })
  })
}
